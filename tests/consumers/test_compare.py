"""Strategies side by side: the same story, and what each makes of it."""

from __future__ import annotations

import pytest

from reseat.consumers import ASSIGNORS, Group, Member, assignor_named
from reseat.consumers.compare import AssignorResult, compare, what_if
from reseat.consumers.events import GroupEvent, Join, Leave, Rebalance, Timeout, Together
from reseat.consumers.range import surplus
from reseat.consumers.rebalancing import GroupState, empty_group, play

ALL = ("T0", "T1", "T2", "T3")


def told(state: GroupState, events: list[GroupEvent]) -> dict[str, AssignorResult]:
    """The measures of all four, by name."""
    return {one.assignor: one for one in compare(state, events, [assignor_named(name) for name in ASSIGNORS])}


def test_a_member_leaves() -> None:
    """The documented story: sticky moves three, RoundRobin five of which two for nothing; cooperative pauses three."""
    three = Together(tuple(Member(name, ALL) for name in ("C0", "C1", "C2")))
    found = told(empty_group(dict.fromkeys(ALL, 2)), [three, Leave("C1")])

    assert {name: (m.moves, m.needless, m.paused, m.spread) for name, m in found.items()} == {
        "range": (4, 0, 8, 0),
        "roundrobin": (5, 2, 8, 0),
        "sticky": (3, 0, 8, 0),
        "cooperative-sticky": (3, 0, 3, 0),
    }


def test_range_gathers_a_surplus_over_topics() -> None:
    """Four topics of four partitions and three members: C0 has 8, where 5 1/3 would be even."""
    three = Together(tuple(Member(name, ALL) for name in ("C0", "C1", "C2")))
    found = told(empty_group(dict.fromkeys(ALL, 4)), [three])

    assert found["range"].counts == {"C0": 8, "C1": 4, "C2": 4}
    assert {name: round(m.surplus, 2) for name, m in found.items()} == {
        "range": 2.67,
        "roundrobin": 0.67,
        "sticky": 0.67,
        "cooperative-sticky": 0.67,
    }


def test_surplus_is_over_the_topics_that_a_member_reads() -> None:
    """RoundRobin's 4 against 1: C0 alone reads T1, so that only T2 has a share to be over."""
    group = Group((Member("C0", ("T1", "T2")), Member("C1", ("T2",)), Member("C2", ())), {"T1": 3, "T2": 2})
    given = assignor_named("roundrobin").assign(group)

    assert surplus(group, given) == {"C0": 0.0, "C1": 0.0, "C2": 0.0}


def test_exchanges_alone_are_for_nothing() -> None:
    """A new member takes from both, and that had to be; only what comes back in exchange is needless."""
    two = Together((Member("A", ("T",)), Member("B", ("T",))))
    found = told(empty_group({"T": 6}), [two, Join(Member("C", ("T",)))])

    assert {name: (m.moves, m.needless) for name, m in found.items()} == {
        "range": (3, 1),
        "roundrobin": (4, 2),
        "sticky": (2, 0),
        "cooperative-sticky": (2, 0),
    }


def test_what_one_member_more_or_less_would_give() -> None:
    """From a group as it stands, by each strategy; the group itself stays as it is."""
    state = play(
        empty_group({"T": 6}), [Together((Member("A", ("T",)), Member("B", ("T",))))], assignor_named("sticky")
    )[-1]
    found = dict(what_if(state.after, [assignor_named("sticky")]))

    assert {words: (one.counts, one.moves) for words, (one,) in found.items()} == {
        "as it is": ({"A": 3, "B": 3}, 0),
        "one member more": ({"A": 2, "B": 2, "one more": 2}, 2),
        "one member less": ({"A": 6}, 3),
    }


def test_a_group_without_members_has_nothing_to_compare() -> None:
    """No member more or less is made up, and no rebalance is told."""
    found = what_if(empty_group({"T": 6}), [assignor_named("range")])

    assert [(words, one.rebalances, one.spread, one.surplus) for words, (one,) in found] == [("as it is", 0, 0, 0.0)]


@pytest.mark.parametrize("name", ASSIGNORS)
def test_members_that_join_together_cost_one_rebalance(name: str) -> None:
    """Also with a cooperative assignor: nobody has anything to give up."""
    both = Together((Member("A", ("T",)), Member("B", ("T",))))
    first, again = play(empty_group({"T": 4}), [both, Rebalance()], assignor_named(name))

    assert (len(first.rounds), len(again.rounds)) == (1, 1)
    assert again.moved == ()
    assert first.sentence == "A and B join: one rebalance; 4 partitions are newly assigned; nothing paused."


def test_a_static_member_that_is_one_less_is_really_gone() -> None:
    """Closing alone would let its partitions wait for it."""
    both = Together(tuple(Member(name, ("T",), instance_id=f"pod-{name}") for name in "AB"))
    closed, gone = play(empty_group({"T": 4}), [both, Leave("B"), Timeout("B")], assignor_named("sticky"))[1:]

    assert closed.sentence == "B closes: no rebalance."
    assert gone.after.readers == {("T", p): "A" for p in range(4)}
