"""All stories, searched: the known faults are found where they can be, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from reseat.errors import ScenarioInvalid
from reseat.replication import (
    FOUND,
    Crash,
    Elect,
    Event,
    Fault,
    Fetch,
    FetchResponse,
    Partition,
    Produce,
    Restart,
    Return,
    Rules,
    Truncation,
    apply,
    faults,
    play,
    start,
)
from reseat.replication.choices import possible
from reseat.replication.state import Acks
from tests.cases import cases

BY_HW = Rules(truncation=Truncation.HIGH_WATERMARK, min_in_sync=1)
SAFE = Rules(truncation=Truncation.LEADER_EPOCH, min_in_sync=2)
THOROUGH = settings(
    max_examples=20_000,
    derandomize=True,
    deadline=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=list(HealthCheck),
    database=None,
)
Story = list[tuple[Event, Partition]]


def told(
    picks: list[int], rules: Rules, brokers: tuple[int, ...], allowed: Callable[[Partition, Event], bool]
) -> Story:
    """A story in which each number picks one of the events that can happen next."""
    now, story = start(brokers, rules=rules), []
    for pick in picks:
        events = [event for event in possible(now) if allowed(now, event)]
        event = events[pick % len(events)]
        now = apply(now, event).after
        story.append((event, now))
    return story


def anything(_: Partition, __: Event) -> bool:
    """No event is ruled out."""
    return True


def nobody_loses_its_cache(_: Partition, event: Event) -> bool:
    """Brokers go down, but never with what they had not flushed."""
    return not (isinstance(event, Crash | Restart) and event.lose)


def ends_in(kind: str, story: Story) -> bool:
    """Whether the last state, and none before it, has such a fault of a record with acks=all."""
    return bool(story) and any(_counts(fault, kind) for fault in faults(story[-1][1]))


def _counts(fault: Fault, kind: str) -> bool:
    return fault.kind == kind and fault.acks in (None, Acks.ALL)


PICKS = st.lists(st.integers(0, 24), max_size=22)

#: Moves by role, so that one word fits whoever leads: what cannot happen now is passed over.
ORDERLY = ["produce", "fetch", "copy", "restart", "failover", "return"]


def moved(moves: list[str], rules: Rules, *, power: bool) -> Story:
    """The story that moves tell of a partition with two replicas; without ``power`` nobody loses its page cache."""
    now, story = start((1, 2), rules=rules), []
    for move in moves:
        for event in _events(now, move, power=power):
            try:
                now = apply(now, event).after
            except ScenarioInvalid:
                break
            story.append((event, now))
    return story


def _events(now: Partition, move: str, *, power: bool) -> list[Event]:
    followers = [broker for broker, replica in now.replicas.items() if replica.alive and broker != now.leader]
    down = [broker for broker, replica in now.replicas.items() if not replica.alive]
    leading = [] if now.leader is None else [now.leader]
    match move:
        case "produce":
            return [event for event in possible(now) if isinstance(event, Produce)]
        case "copy":
            return [event for broker in followers[:1] for event in (Fetch(broker), FetchResponse(broker))]
        case "fetch":
            return [Fetch(broker) for broker in followers[:1]]
        case "restart":
            return [Restart(broker) for broker in followers[:1]]
        case "failover":
            return [event for broker in leading for event in (Crash(broker), Elect())]
        case "blackout":
            # The follower goes, the leader loses its page cache alone, and is back first.
            gone = [Crash(broker) for broker in followers[:1]]
            return [*gone, *(e for b in leading for e in (Crash(b, lose=True), Return(b), Elect()))]
        case "return":
            return [Return(broker) for broker in down[:1]]
        case _:
            return []


def stories(*, power: bool) -> st.SearchStrategy[list[str]]:
    """Lists of moves, all of one length, so that none is short by chance; "nothing" is what they shrink to."""
    moves = ["nothing", *ORDERLY, *(["blackout"] if power else [])]
    return st.lists(st.sampled_from(moves), min_size=14, max_size=14)


@cache
def shortest(kind: str, rules: Rules, *, power: bool) -> Story:
    """The shortest story with such a fault that the search comes to."""

    def bad(moves: list[str]) -> bool:
        story = moved(moves, rules, power=power)
        return any(_counts(fault, kind) for _, state in story for fault in faults(state))

    story = moved(find(stories(power=power), bad, settings=THOROUGH), rules, power=power)
    end = next(i for i, (_, state) in enumerate(story) if any(_counts(fault, kind) for fault in faults(state)))
    return story[: end + 1]


def test_cutting_at_the_high_watermark_is_found_to_lose_what_was_acknowledged() -> None:
    """Before 0.11, though no broker lost anything: the known fault of KIP-101 is found again."""
    story = shortest("lost", BY_HW, power=False)

    assert ends_in("lost", story)
    assert len(story) <= 9


def test_cutting_at_the_high_watermark_is_found_to_diverge() -> None:
    """Two replicas have different committed records at one offset, though no broker lost anything."""
    story = shortest("diverged", BY_HW, power=False)

    assert ends_in("diverged", story)
    assert len(story) <= 12


@pytest.mark.parametrize(
    ("name", "kind", "power"),
    [("found-loss", "lost", False), ("found-divergence", "diverged", False), ("found-last-standing", "lost", True)],
)
def test_the_stories_called_found_by_search_are_what_the_search_comes_to(name: str, kind: str, power: bool) -> None:
    """Each ends in its fault, not before; and the search comes to a story with that fault that is no longer."""
    told_as = next(scenario for scenario in FOUND if scenario.name == name)
    steps = play(told_as.start(), told_as.story)
    story = shortest(kind, told_as.rules, power=power)

    assert len(story) <= len(told_as.story)
    assert [any(_counts(fault, kind) for fault in faults(step.after)) for step in steps] == [
        *[False] * (len(steps) - 1),
        True,
    ]


@settings(max_examples=cases(400), deadline=None)
@given(picks=st.lists(st.integers(0, 24), max_size=40), brokers=st.sampled_from([(1, 2), (1, 2, 3)]), elr=st.booleans())
def test_with_leader_epochs_nothing_acknowledged_is_lost_while_nobody_loses_its_log(
    picks: list[int], brokers: tuple[int, ...], elr: bool
) -> None:
    """acks=all, min ISR 2, clean election: every acknowledged record stays, and committed prefixes never differ."""
    for _, state in told(picks, replace(SAFE, elr=elr), brokers, nobody_loses_its_cache):
        assert faults(state) == ()


def test_a_member_that_loses_its_cache_is_found_to_lose_what_was_acknowledged() -> None:
    """The last replica standing (KIP-966): leader epochs cannot help where the only one in sync forgot."""
    story = shortest("lost", SAFE, power=True)

    assert ends_in("lost", story)


def one_at_a_time(state: Partition, event: Event) -> bool:
    """One broker at most has an unclean shutdown behind it and is not back in sync."""
    if not (isinstance(event, Crash | Restart) and event.lose):
        return True
    return not any(replica.unclean for replica in state.replicas.values())


@settings(max_examples=cases(400), deadline=None)
@given(picks=st.lists(st.integers(0, 24), max_size=40))
def test_eligible_leader_replicas_keep_what_was_acknowledged_through_one_unclean_shutdown(picks: list[int]) -> None:
    """With KIP-966 one broker at a time may lose its page cache, and no acknowledged record is lost."""
    for _, state in told(picks, replace(SAFE, elr=True), (1, 2, 3), one_at_a_time):
        assert not [fault for fault in faults(state) if fault.kind == "lost"]


@settings(max_examples=cases(50), deadline=None)
@given(picks=PICKS)
def test_same_events_same_states(picks: list[int]) -> None:
    """Nothing but the events decides; and no event changes the state it was applied to."""
    once = told(picks, SAFE, (1, 2, 3), anything)
    again = told(picks, SAFE, (1, 2, 3), anything)

    assert once == again


def test_the_search_can_come_to_nothing() -> None:
    """With leader epochs the same moves lose nothing: the search says so, as it would if it did not look."""
    with pytest.raises(NoSuchExample):
        find(
            stories(power=False),
            lambda moves: any(faults(state) for _, state in moved(moves, SAFE, power=False)),
            settings=settings(THOROUGH, max_examples=500),
        )
