"""The documents' stories, step by step: LEO/HW of each replica as literals."""

from __future__ import annotations

import pytest

from reseat.errors import ScenarioInvalid
from reseat.replication import SCENARIOS, Acks, Partition, Produce, Rules, Scenario, apply, faults, play, start
from reseat.replication.events import read, written

BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}


def table(name: str) -> list[str]:
    """Each event with the cells after it, ``A`` being broker 1 and ``B`` broker 2."""
    scenario = BY_NAME[name]
    return [
        f"{written(step.event)}: {' '.join(step.after.cells.values())}"
        for step in play(scenario.start(), scenario.story)
    ]


def end(name: str) -> Partition:
    """The state after the story."""
    scenario = BY_NAME[name]
    return play(scenario.start(), scenario.story)[-1].after


def test_the_flow_over_two_fetches() -> None:
    """The follower's high watermark lags by a fetch."""
    assert table("flow") == [
        "produce m1 all: 1/0 0/0",
        "fetch 2: 1/0 0/0",
        "catch 2: 1/0 1/0",
        "fetch 2: 1/1 1/0",
        "catch 2: 1/1 1/1",
        "consume: 1/1 1/1",
    ]
    assert [acked.value for acked in end("flow").acknowledged] == ["m1"]


def test_the_loss_by_high_watermark() -> None:
    """A restarts and cuts m2, which was acknowledged; B must follow."""
    assert table("loss") == [
        "produce m1 all: 0/0 1/0",
        "fetch 1: 0/0 1/0",
        "catch 1: 1/0 1/0",
        "produce m2 all: 1/0 2/0",
        "fetch 1: 1/0 2/1",
        "catch 1: 2/1 2/1",
        "fetch 1: 2/1 2/2",
        "lose 1: 2/1 2/2",
        "restart 1: 1/1 2/2",
        "crash 2: 1/1 -",
        "elect 1: 1/1 -",
        "tick 0: 1/1 -",
        "return 2: 1/1 2/2",
        "fetch 2: 1/1 1/1",
    ]
    assert [(fault.kind, fault.value) for fault in faults(end("loss"))] == [("lost", "m2")]


def test_the_loss_does_not_happen_with_leader_epochs() -> None:
    """A asks where epoch 0 ended and keeps m2."""
    assert table("loss-epoch") == [
        "produce m1 all: 0/0 1/0",
        "fetch 1: 0/0 1/0",
        "catch 1: 1/0 1/0",
        "produce m2 all: 1/0 2/0",
        "fetch 1: 1/0 2/1",
        "catch 1: 2/1 2/1",
        "fetch 1: 2/1 2/2",
        "lose 1: 2/1 2/2",
        "restart 1: 2/1 2/2",
        "crash 2: 2/1 -",
        "elect 1: 2/1 -",
        "tick 0: 2/2 -",
        "return 2: 2/2 2/2",
        "fetch 2: 2/2 2/2",
    ]
    assert faults(end("loss-epoch")) == ()


def test_the_divergence_by_high_watermark() -> None:
    """Both have 2/2 at the end, and m2 is not m3."""
    assert table("divergence")[-12:] == [
        "produce m2 all: 2/1 1/1",
        "fetch 2: 2/1 1/1",
        "catch 2: 2/1 2/1",
        "fetch 2: 2/2 2/1",
        "crash 1: - 2/1",
        "crash 2 lose: - -",
        "return 2: - 1/1",
        "elect 2: - 1/1",
        "produce m3 all: - 2/2",
        "return 1: 2/2 2/2",
        "fetch 1: 2/2 2/2",
        "catch 1: 2/2 2/2",
    ]
    assert [(fault.kind, fault.offset) for fault in faults(end("divergence"))] == [("lost", 1), ("diverged", 1)]


def test_with_leader_epochs_they_do_not_diverge() -> None:
    """A asks, cuts at 1 and copies m3; m2 is gone, since the one in sync that led had lost it."""
    assert table("divergence-epoch")[-4:] == [
        "produce m3 all: - 2/2",
        "return 1: 1/1 2/2",
        "fetch 1: 1/1 2/2",
        "catch 1: 2/2 2/2",
    ]
    assert [(fault.kind, fault.value) for fault in faults(end("divergence-epoch"))] == [("lost", "m2")]
    assert [record.value for record in end("divergence-epoch").replicas[1].log] == ["m1", "m3"]


def test_the_isr_shrinks_and_grows() -> None:
    """Broker 3 is behind for 12 s at 10 s allowed: out; it reaches the end: in."""
    scenario = BY_NAME["isr"]
    isr = [step.after.isr for step in play(scenario.start(), scenario.story)]

    assert isr[6:] == [(1, 2, 3), (1, 2), (1, 2), (1, 2), (1, 2, 3), (1, 2, 3)]


@pytest.mark.parametrize(
    ("name", "gone"),
    [
        ("flow", []),
        ("loss-epoch", []),
        ("isr", []),
        ("unclean", ["m2"]),
        ("acks1", ["m1"]),
        ("min-isr", []),
        ("behind", []),
        ("last-standing", ["m1"]),
        ("last-standing-elr", []),
    ],
)
def test_what_each_story_loses(name: str, gone: list[str]) -> None:
    """The values that were acknowledged and are gone at the end."""
    assert [fault.value for fault in faults(end(name)) if fault.kind == "lost"] == gone


def test_min_isr_refuses_before_it_writes() -> None:
    """m2 never reaches a log; m3 with acks=1 does."""
    state = end("min-isr")

    assert state.refused == (("m2", "NOT_ENOUGH_REPLICAS"),)
    assert [record.value for record in state.replicas[1].log] == ["m1", "m3", "m4"]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_every_story_can_be_written_and_read_back(scenario: Scenario) -> None:
    """As lines of text, for a link; and each step says something."""
    again = [read(written(event)) for event in scenario.story]

    assert again == list(scenario.story)
    assert all(step.sentence for step in play(scenario.start(), again))


@pytest.mark.parametrize(
    "line", ["", "explode 1", "fetch", "fetch one", "crash 1 gently", "tick -5", "produce", "produce " + "x" * 40]
)
def test_a_line_that_is_no_event_is_refused(line: str) -> None:
    """With a sentence."""
    with pytest.raises(ScenarioInvalid, match=r"event"):
        read(line)


def test_an_event_that_cannot_happen_names_its_place() -> None:
    """The second event: broker 2 has no answer to catch."""
    with pytest.raises(ScenarioInvalid, match=r"Event 2, catch 2: No response is on its way to broker 2\."):
        play(start(), [Produce("m1"), read("catch 2")])


def test_not_enough_replicas_after_append() -> None:
    """The ISR falls below min ISR while the producer waits: the record is there, and its producer is told otherwise."""
    story = [read(line) for line in ("produce m1", "crash 2", "tick 0")]
    state = play(start((1, 2), rules=Rules(min_in_sync=2)), story)[-1].after

    assert state.refused == (("m1", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),)
    assert state.led.leo == 1


def test_a_step_names_what_changed() -> None:
    """In words of the state."""
    step = apply(start(), Produce("m1", Acks.LEADER))

    assert step.changed == ("acknowledged", "replica 1 log")
