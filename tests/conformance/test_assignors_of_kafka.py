"""Reseat assigns what Kafka's own classes assign: recorded quirks always, random groups in `make soak`."""

from __future__ import annotations

import random

import pytest

from reseat.consumers import ASSIGNORS, EARLIER, Group, Member, assignor_named
from reseat.consumers.events import Rebalance
from reseat.consumers.rebalancing import GroupState, play
from tests.conformance import kafkas_assignors
from tests.conformance.kafkas_assignors import ask, drawn_group
from tests.conftest import missing

#: As many as were asked when the last two differences were found and mended.
GROUPS = 20_000


def sorted_of(assignor: str, group: Group) -> dict[str, list[tuple[str, int]]]:
    """What Reseat assigns, partitions sorted."""
    return {member: sorted(given) for member, given in assignor_named(assignor).assign(group).items()}


def test_a_member_without_topics_that_kafka_meets_first_counts_as_subscribed() -> None:
    """Recorded from Kafka 4.1: c1 asks for nothing and gets half, since "c1" comes before "c2" in Kafka's map."""
    group = Group((Member("c1", ()), Member("c2", ("a", "b"))), {"a": 2, "b": 2})

    assert sorted_of("sticky", group) == {"c1": [("a", 0), ("b", 0)], "c2": [("a", 1), ("b", 1)]}


def test_a_member_without_topics_that_kafka_meets_later_gets_nothing() -> None:
    """The same two, the other way round: nothing is assigned to who asks for nothing."""
    group = Group((Member("c1", ("a", "b")), Member("c2", ())), {"a": 2, "b": 2})

    assert sorted_of("sticky", group) == {"c1": [("a", 0), ("a", 1), ("b", 0), ("b", 1)], "c2": []}


def test_in_cooperative_mode_what_another_owns_is_promised_to_who_did_not_ask() -> None:
    """c2 gives up b-0 and b-1 in the first rebalance, and c1, which asked for nothing, is to get them in the second."""
    owner = Member("c2", ("a", "b"), owned=(("a", 0), ("a", 1), ("b", 0), ("b", 1)), generation=4)
    group = Group((Member("c1", ()), owner), {"a": 2, "b": 2})

    assert sorted_of("cooperative-sticky", group) == {"c1": [], "c2": [("a", 0), ("b", 0)]}


def test_racks_of_partitions_that_tell_none_count() -> None:
    """A partition on brokers without racks makes racks count: who is on r1 gets the one that has a replica there."""
    members = (Member("c8-0", ("t",)), Member("a82-1", ("t",), rack="r1"), Member("b50-2", ("t",), rack="r2"))
    group = Group(members, {"t": 2}, {("t", 1): frozenset({"r1", "r2", "r3"})})

    assert sorted_of("sticky", group) == {"c8-0": [], "a82-1": [("t", 1)], "b50-2": [("t", 0)]}


def test_who_reached_the_smaller_quota_by_rack_waits_in_that_order() -> None:
    """Recorded from Kafka 4.1: t-4 is on no rack and goes to who reached one partition first."""
    racks = {"b50-0": "r3", "b39-1": "r2", "a6-2": "r1", "b99-3": "r1", "c25-4": "r3"}
    members = tuple(Member(name, ("t", "u"), rack=rack) for name, rack in racks.items())
    on = ["r3 r2", "r3 r2", "r1 r2", "r3 r1", "", "r3 r1", "r3 r1", "r3 r1"]
    where = [*(("t", p) for p in range(5)), *(("u", p) for p in range(3))]
    group = Group(members, {"t": 5, "u": 3}, {p: frozenset(r.split()) for p, r in zip(where, on, strict=True) if r})

    assert sorted_of("sticky", group) == {
        "b50-0": [("t", 1), ("u", 1)],
        "b39-1": [("t", 0), ("t", 4)],
        "a6-2": [("u", 0)],
        "b99-3": [("t", 2), ("u", 2)],
        "c25-4": [("t", 3)],
    }


def test_a_previous_owner_is_given_back_what_it_no_longer_asks_for() -> None:
    """Recorded from Kafka 4.1: c84 owned t-3 a generation ago, subscribes to u alone by now, and gets t-3 again."""
    members = (
        Member("b16-0", ("t", "u"), rack="r1", owned=(("t", 0),), generation=4),
        Member("a58-1", ("t", "u"), rack="r3", owned=(("t", 1),), generation=4),
        Member("b49-2", ("t", "u"), rack="r2"),
        Member("c84-3", ("u",), rack="r2", owned=(("t", 3),), generation=3),
    )
    on = {("t", 0): "r2", ("t", 1): "r2", ("t", 2): "r2", ("t", 3): "r3", ("u", 0): "r3", ("u", 1): "r3"}
    group = Group(members, {"t": 4, "u": 2}, {partition: frozenset({rack}) for partition, rack in on.items()})

    assert sorted_of("sticky", group)["c84-3"] == [("t", 3)]


def test_sticky_of_2_8_lets_all_keep_the_larger_quota_and_takes_from_the_first() -> None:
    """The example of the model's header, as Kafka's classes of 2.8 and of 4.4 answer it."""
    owners = [
        Member(name, ("t",), owned=(("t", p), ("t", p + 1)), generation=4)
        for name, p in zip("ABC", (0, 2, 4), strict=True)
    ]
    group = Group((*owners, Member("D", ("t",))), {"t": 6})

    assert sorted_of("sticky-2.8", group)["D"] == [("t", 0)]
    assert sorted_of("cooperative-sticky-2.8", group) == {
        "A": [("t", 1)],
        "B": [("t", 2), ("t", 3)],
        "C": [("t", 4), ("t", 5)],
        "D": [],
    }
    assert sorted_of("sticky", group)["D"] == [("t", 5)]


def test_sticky_of_2_8_forgets_what_it_has_read_before_it_saw_that_subscriptions_differ() -> None:
    """Recorded from Kafka 2.8.2: a and b come before c in its map, and get each other's partitions."""
    owned = {"a": (1, 4), "b": (2,), "c": (3,)}
    members = tuple(
        Member(name, ("t", "u") if name == "c" else ("t",), owned=tuple(("t", p) for p in parts), generation=2)
        for name, parts in owned.items()
    )
    group = Group(members, {"t": 5, "u": 2})

    assert sorted_of("sticky-2.8", group)["b"] == [("t", 1), ("t", 4)]
    assert sorted_of("sticky", group)["a"] == [("t", 1), ("t", 4)]


def test_the_story_says_who_is_assigned_what_it_did_not_ask_for() -> None:
    """Nobody has to find the quirk in a table."""
    state = GroupState({"c1": Member("c1", ()), "c2": Member("c2", ("a",))}, {"a": 2})
    transition = play(state, (Rebalance(),), assignor_named("sticky"))[0]
    fair = play(state, (Rebalance(),), assignor_named("range"))[0]

    assert "c1 is assigned a-0 without a subscription, as Kafka's own class would" in transition.sentence
    assert "without a subscription" not in fair.sentence


@pytest.mark.slow
@pytest.mark.parametrize("assignor", [*ASSIGNORS, *EARLIER])
def test_random_groups_are_assigned_as_by_kafkas_class(assignor: str) -> None:
    """Kafka's class of 4.4 (or of 2.8) answers each group; those where it throws cannot be compared and are counted."""
    if (reason := kafkas_assignors.missing()) is not None:
        missing("kafka", reason)
    draws = random.Random(assignor)
    groups = [drawn_group(draws) for _ in range(GROUPS)]
    answers = ask(assignor, groups)
    differing = [
        (group, want, got)
        for group, want in zip(groups, answers, strict=True)
        if want is not None and (got := sorted_of(assignor, group)) != want
    ]

    assert sum(want is None for want in answers) < GROUPS // 100
    assert not differing, f"{len(differing)} of {GROUPS}; the first: {differing[0]}"
