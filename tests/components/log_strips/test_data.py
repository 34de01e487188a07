"""A story as the browser gets it: states, what travels, what is struck, and names that are made harmless."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from components.canvas.log_strips import log_strips_data
from components.look import theme
from reseat.replication.request import ALL_SCENARIOS, compared, lane_of, of_scenario, parse_events
from tests.components.test_contrast import contrast


def data(name: str, *, beside: bool = False, text: str | None = None) -> dict[str, Any]:
    """A story's data."""
    request = of_scenario(next(scenario for scenario in ALL_SCENARIOS if scenario.name == name))
    if text is not None:
        request = replace(request, text=text)
    if beside:
        request = replace(request, beside="truncation")
    lanes = compared(request, parse_events(request.text))
    return log_strips_data([(f"lane {i}", lane) for i, lane in enumerate(lanes)], request.step, 0)


def test_the_loss_is_struck_the_moment_it_happens() -> None:
    """At the election broker 1 lacks m2: a gap at offset 1, the producer's m2 gone, one new sentence; not before."""
    states = data("loss")["lanes"][0]["states"]
    struck = [state["event"] for state in states if state["struck"]]
    at = next(state for state in states if state["struck"])

    assert struck == ["elect 1"]
    assert at["replicas"][0]["missing"] == [[1, "m2"]]
    assert [(one["value"], one["gone"]) for one in at["acknowledged"]] == [("m1", False), ("m2", True)]
    assert at["struck"] == [
        "m2 was acknowledged (acks=all) at offset 1, and broker 1, which leads, does not have it.",
    ]
    assert not any(one["gone"] for state in states[:11] for one in state["acknowledged"])


def test_divergence_marks_both_replicas() -> None:
    """Offset 1 on brokers 1 and 2, from the return on."""
    states = data("divergence")["lanes"][0]["states"]
    marked = [(state["event"], [replica["differs"] for replica in state["replicas"]]) for state in states[16:]]

    assert marked == [
        ("produce m3 all", [[], []]),
        ("return 1", [[1], [1]]),
        ("fetch 1", [[1], [1]]),
        ("catch 1", [[1], [1]]),
    ]


def test_what_was_cut_is_shown_for_one_step() -> None:
    """The restart takes m2 from offset 1."""
    states = data("loss")["lanes"][0]["states"]

    assert [(state["event"], r["cut"], r["cutAt"]) for state in states[8:11] for r in state["replicas"][:1]] == [
        ("lose 1", [], 2),
        ("restart 1", [["m2", 0]], 1),
        ("crash 2", [], 1),
    ]


def test_a_request_and_its_answer_are_apart() -> None:
    """The fetch travels to the leader, its answer is on its way, and is gone once it arrived."""
    states = data("flow")["lanes"][0]["states"]

    assert states[2]["move"] == {"kind": "fetch", "from": 2, "to": 1, "says": "fetch(0)"}
    assert states[2]["answers"] == [{"to": 2, "offset": 0, "hw": 0, "records": ["m1"]}]
    assert states[3]["move"] == {"kind": "catch", "from": 1, "to": 2, "says": "m1, HW 0"}
    assert states[3]["answers"] == []
    assert states[6]["move"] == {"kind": "consume", "to": 1, "says": "m1"}


def test_two_lanes_have_the_documents_cells() -> None:
    """The restart by high watermark beside the restart by epochs."""
    lanes = data("loss", beside=True)["lanes"]

    assert [[replica["cells"] for replica in lane["states"][9]["replicas"]] for lane in lanes] == [
        ["1/1", "2/2"],
        ["2/1", "2/2"],
    ]


@pytest.mark.parametrize("scenario", ALL_SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_story_is_plain_json_and_small(scenario: Any) -> None:
    """As many states as events and one; nothing that JSON cannot say; at most 100 kB."""
    drawn = data(scenario.name, beside=True)

    assert drawn["last"] == len(scenario.story)
    assert len(json.dumps(drawn)) < 100_000


def test_a_story_that_ends_early_says_where() -> None:
    """The second line cannot happen: one state after the first, and why."""
    lane = data("flow", text="produce m1\n\ncatch 2\nfetch 2")["lanes"][0]

    assert len(lane["states"]) == 2
    assert lane["error"] == "Line 3, catch 2, cannot happen: No response is on its way to broker 2."


def test_names_are_made_visible_and_stay_short() -> None:
    """A value may hold anything; what cannot be seen is shown as such."""
    lane = data("flow", text="produce a\u202eb\nproduce <b>x</b>")["lanes"][0]

    assert [value for value, _ in lane["states"][2]["replicas"][0]["log"]] == ["a\ufffdb", "<b>x</b>"]


def test_the_token_names_the_story_and_not_the_step() -> None:
    """The same story at another step is the same; other rules are another."""
    request = of_scenario(ALL_SCENARIOS[0])
    lane = lane_of(request, parse_events(request.text))
    here, there = (log_strips_data([("one", lane)], step, 0) for step in (0, 3))

    assert here["token"] == there["token"]
    assert here["token"] != data("loss")["token"]
    assert (here["step"], there["step"], log_strips_data([("one", lane)], 99, 0)["step"]) == (0, 3, 6)


def test_texts_on_epochs_colours_stand_out() -> None:
    """4.5 : 1 at least."""
    for colour in theme.EPOCHS:
        assert contrast(theme.ON_EPOCH, colour) >= 4.5
