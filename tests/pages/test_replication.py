"""The Replication page: stories, rules beside each other, branches, links, and text in which anything may stand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.replication.words import event_group, event_words, lane_name, outcome
from reseat.model.glossary import TERMS
from reseat.replication import Rules, Truncation
from reseat.replication.choices import possible
from reseat.replication.request import (
    ALL_SCENARIOS,
    BESIDE,
    MOST_EVENTS,
    ReplicationRequest,
    branched,
    compared,
    from_query,
    lane_of,
    of_scenario,
    other_rules,
    parse_events,
    to_query,
)

from .conftest import Opened, address, texts, visit


def answer(at: AppTest) -> str:
    """The page's sentence."""
    return texts(at).splitlines()[0]


def named(name: str) -> ReplicationRequest:
    """A scenario as it is told."""
    return of_scenario(next(scenario for scenario in ALL_SCENARIOS if scenario.name == name))


def test_it_teaches_without_a_layout() -> None:
    """No layout is open: the page opens on the flow of one record, and does not ask for a file."""
    at = visit("replication")

    assert not at.exception
    assert answer(at) == "With leader epochs, no acknowledged record is lost."
    assert "No cluster is loaded" not in texts(at)


def test_an_open_layout_stays_open(opened: Opened) -> None:
    """The address names the layout beside the story; the strip is on the pages that are about the layout."""
    at = opened("replication")

    assert not at.exception
    assert not at.get("popover")
    assert {"layout", "scenario"} <= set(address(at))

    at.switch_page("pages/racks.py").run()

    assert at.get("popover")[0].proto.popover.label == "**small**"


COMES_TO = {
    "flow": "With leader epochs, no acknowledged record is lost.",
    "loss": "With the high watermark, m2 was acknowledged and is lost.",
    "loss-epoch": "With leader epochs, no acknowledged record is lost.",
    "divergence": (
        "With the high watermark, m2 was acknowledged and is lost, and committed records differ between replicas at "
        "offset 1."
    ),
    "divergence-epoch": "With leader epochs, m2 was acknowledged and is lost.",
    "isr": "With leader epochs, no acknowledged record is lost.",
    "unclean": "With leader epochs, m2 was acknowledged and is lost.",
    "acks1": "With leader epochs, m1 was acknowledged and is lost.",
    "min-isr": "With leader epochs, no acknowledged record is lost.",
    "behind": "With leader epochs, no acknowledged record is lost.",
    "last-standing": "With leader epochs, m1 was acknowledged and is lost.",
    "last-standing-elr": "With leader epochs, no acknowledged record is lost.",
    "found-loss": "With the high watermark, m1 was acknowledged and is lost.",
    "found-divergence": (
        "With the high watermark, m1 was acknowledged and is lost, and committed records differ between replicas at "
        "offset 0."
    ),
    "found-last-standing": "With leader epochs, m1 was acknowledged and is lost.",
}


def test_every_story_says_what_it_comes_to() -> None:
    """All of the list, by their links' names."""
    said = {}
    for scenario in ALL_SCENARIOS:
        request = of_scenario(scenario)
        lane = lane_of(request, parse_events(request.text))
        said[scenario.name] = f"{lane_name(lane.rules, '')}, {outcome(lane)}."

    assert said == COMES_TO


@pytest.mark.parametrize("name", ["divergence", "last-standing-elr", "found-loss"])
def test_a_story_is_drawn_by_its_link(name: str) -> None:
    """By name alone; the address stays so short."""
    at = visit("replication", scenario=name)

    assert not at.exception
    assert answer(at) == COMES_TO[name]
    assert address(at) == {"scenario": name}


def test_the_loss_beside_the_same_with_epochs() -> None:
    """One choice puts both under each other; the sentence says both."""
    at = visit("replication", scenario="loss")

    assert answer(at) == "With the high watermark, m2 was acknowledged and is lost."

    at.selectbox(key="beside-0").select("truncation").run()

    assert answer(at) == "With the high watermark, m2 is lost. With leader epochs, nothing is lost."
    assert address(at) == {"scenario": "loss", "beside": "truncation"}


def test_one_click_changes_a_rule_and_the_story_is_played_again() -> None:
    """The loss is no loss by leader epoch; the address now carries rules and story."""
    at = visit("replication", scenario="loss")
    at.segmented_control(key="truncation-0").set_value(Truncation.LEADER_EPOCH).run()

    assert answer(at) == "With leader epochs, no acknowledged record is lost."
    assert address(at)["rules"] == "epoch,min:1,lag:30000"


def test_another_story_is_chosen() -> None:
    """Its rules come with it, and what stood beside stays."""
    at = visit("replication", scenario="loss", beside="truncation")
    at.selectbox(key="scenario-0").select("last-standing-elr").run()

    assert not at.exception
    assert at.toggle(key="elr-1").value is True
    assert address(at) == {"scenario": "last-standing-elr", "beside": "truncation"}


def test_branching_replaces_what_followed() -> None:
    """After the loss's step 8 broker 2 goes down instead of broker 1's restart: nothing is lost."""
    at = visit("replication", scenario="loss", step="8")

    assert "after step 8" in texts(at)

    at.button(key="branch crash 2").click().run()

    assert not at.exception
    assert address(at)["story"].splitlines()[-2:] == ["lose 1", "crash 2"]
    assert address(at)["step"] == "9"

    at.button(key="branch elect").click().run()

    assert answer(at) == "With the high watermark, no acknowledged record is lost."

    at.button(key="story-back").click().run()

    assert address(at) == {"scenario": "loss"}


def test_a_line_that_is_no_event_is_shown_with_its_place() -> None:
    """What comes before is played; what a person typed stays in the field and is no markup."""
    at = visit("replication")
    at.text_area(key="story-0").set_value("produce m1\n\n:red[explode] <b>1</b>").run()

    assert not at.exception
    assert "Line 3: The event ':red[explode] <b>1</b>' was not understood." in texts(at)
    assert at.text_area(key="story-0").value.endswith("<b>1</b>")


def test_an_event_that_cannot_happen_is_said_with_its_line() -> None:
    """The story ends before it."""
    at = visit("replication", story="produce m1\n\ncatch 2\nfetch 2")

    assert "Line 3, catch 2, cannot happen: No response is on its way to broker 2." in texts(at)


@pytest.mark.parametrize(
    ("replicas", "leader", "words"),
    [
        ("1,x", "1", "Replicas are broker ids with commas, such as 1,2,3: 'x' is not a number for a broker"),
        ("1,1", "1", "A partition has one replica or more on different brokers"),
        ("1,2", "3", "Broker 3 cannot lead: it has no replica."),
        ("1,2,3,4,5,6", "1", "6 replicas; this page draws at most 5."),
        ("", "", "Replicas are broker ids with commas"),
    ],
)
def test_replicas_that_cannot_be_are_said(replicas: str, leader: str, words: str) -> None:
    """And the story goes on with those before."""
    at = visit("replication")
    at.text_input(key="replicas-0").set_value(replicas)
    at.text_input(key="leader-0").set_value(leader).run()

    assert not at.exception
    assert words in texts(at)


def test_the_picture_is_folded_away_once_read() -> None:
    """It is there at first, and gone for good in this session; who follows a link to a story does not meet it."""
    at = visit("replication")
    fold = at.button(key="partition-picture-fold")

    assert fold.label == "Hide the picture"

    fold.click().run()
    at.selectbox(key="scenario-0").select("loss").run()

    assert at.button(key="partition-picture-fold").label == "What a partition is"
    assert visit("replication", scenario="loss").button(key="partition-picture-fold").label == "What a partition is"


@pytest.mark.parametrize(
    "query",
    [
        {"scenario": "<b>nothing</b>"},
        {"scenario": "loss", "step": "many"},
        {"scenario": "loss", "beside": "me"},
        {"story": "produce m1", "brokers": "1,1"},
        {"story": "produce m1", "brokers": "9" * 40},
        {"story": "produce m1", "lead": "7"},
        {"story": "produce m1", "rules": "fast"},
        {"story": "produce m1", "rules": "lag:-1"},
    ],
    ids=str,
)
def test_a_damaged_link_says_so_and_opens_the_first_story(query: dict[str, str]) -> None:
    """Nothing raises, and the page is usable."""
    at = visit("replication", **query)

    assert not at.exception
    assert "The link was not understood" in texts(at)
    assert answer(at) == "With leader epochs, no acknowledged record is lost."


RULES = st.builds(
    Rules,
    truncation=st.sampled_from(Truncation),
    min_in_sync=st.integers(1, 5),
    unclean=st.booleans(),
    lag_max_ms=st.integers(0, 999_999_999),
    elr=st.booleans(),
)


@given(
    scenario=st.sampled_from(ALL_SCENARIOS),
    rules=RULES,
    text=st.text(max_size=60),
    beside=st.sampled_from(BESIDE),
    step=st.integers(0, MOST_EVENTS),
)
def test_a_link_holds_the_whole_question(scenario: object, rules: Rules, text: str, beside: str, step: int) -> None:
    """What is written into the address is read back, whatever was typed."""
    request = replace(of_scenario(scenario), rules=rules, text=text, beside=beside, step=step)  # type: ignore[arg-type]
    read, error = from_query(to_query(request))

    assert error is None
    assert read == request


@given(text=st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    """Whatever stands in the field is a story up to somewhere."""
    request = replace(named("flow"), text=text)

    assert len(lane_of(request, parse_events(text)).steps) <= MOST_EVENTS


def test_a_story_has_a_length_at_which_it_ends() -> None:
    """One event too many is left out, and said."""
    story = parse_events("tick 1\n" * (MOST_EVENTS + 1))

    assert len(story.events) == MOST_EVENTS
    assert story.error == "Line 201: a story has at most 200 events here; the rest is left out."


@given(picks=st.lists(st.integers(0, 30), max_size=12), beside=st.sampled_from(BESIDE))
def test_any_branch_can_be_drawn(picks: list[int], beside: str) -> None:
    """Each choice has words and a heading; the lanes go as far as they can."""
    request = replace(named("min-isr"), text="", beside=beside)  # type: ignore[arg-type]
    for pick in picks:
        story = parse_events(request.text)
        events = possible(lane_of(request, story).at(request.step))
        event = events[pick % len(events)]

        assert event_words(event)
        assert event_group(event) in ("Clients", "Replication", "Brokers", "Time and disk")

        request = branched(request, story, event)
    lanes = compared(request, parse_events(request.text))

    assert len(lanes[0].steps) == len(picks)
    assert all(outcome(lane) and outcome(lane, short=True) for lane in lanes)


@pytest.mark.parametrize("beside", BESIDE[1:])
def test_two_lanes_have_two_names(beside: str) -> None:
    """And the rule the other way twice is the rule."""
    rules = Rules()
    other = other_rules(rules, beside)  # type: ignore[arg-type]

    assert lane_name(rules, beside) != lane_name(other, beside)  # type: ignore[arg-type]
    assert other_rules(other, beside) == rules  # type: ignore[arg-type]


def test_how_to_read_has_the_glossarys_line_for_each_term() -> None:
    """High watermark, leader epoch and log end offset, as the documents define them."""
    said = texts(visit("replication"))

    for term in ("High watermark", "Leader epoch", "Log end offset"):
        assert f"- **{term}**: {TERMS[term]}" in said
