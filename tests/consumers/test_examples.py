"""The assignors' well-known examples, each with its table as a literal."""

from __future__ import annotations

import pytest

from reseat.consumers import Group, Member, Partition, assignor_named


def parts(text: str) -> list[Partition]:
    """``"T0:0 T0:1"`` as partitions."""
    return [(name.partition(":")[0], int(name.partition(":")[2])) for name in text.split()]


def assigned(assignor: str, group: Group) -> dict[str, str]:
    """Who reads what, as text."""
    given = assignor_named(assignor).assign(group)
    return {member: " ".join(f"{t}:{p}" for t, p in sorted(partitions)) for member, partitions in given.items()}


def members(**topics: str) -> tuple[Member, ...]:
    """Members by name, each with the topics it reads."""
    return tuple(Member(name, tuple(read.split())) for name, read in topics.items())


def test_range_gives_the_first_member_one_more() -> None:
    """4 partitions and 3 members: C0 has two."""
    group = Group(members(C0="T", C1="T", C2="T"), {"T": 4})

    assert assigned("range", group) == {"C0": "T:0 T:1", "C1": "T:2", "C2": "T:3"}


def test_range_gathers_surplus_over_topics() -> None:
    """Two topics of 4 partitions: C0 has two more than the others, one of each topic."""
    group = Group(members(C0="T0 T1", C1="T0 T1", C2="T0 T1"), {"T0": 4, "T1": 4})

    assert assigned("range", group) == {"C0": "T0:0 T0:1 T1:0 T1:1", "C1": "T0:2 T1:2", "C2": "T0:3 T1:3"}


def test_roundrobin_is_uneven_where_subscriptions_differ() -> None:
    """C0 reads both topics, C1 only T2: 4 against 1."""
    group = Group(members(C0="T1 T2", C1="T2"), {"T1": 3, "T2": 2})

    assert assigned("roundrobin", group) == {"C0": "T1:0 T1:1 T1:2 T2:1", "C1": "T2:0"}


EQUAL = {"T0": 2, "T1": 2, "T2": 2, "T3": 2}


def test_sticky_keeps_what_it_can_when_a_member_leaves() -> None:
    """Four topics of two partitions, three members; C1 leaves: its three alone move, with RoundRobin five."""
    start = Group(members(C0="T0 T1 T2 T3", C1="T0 T1 T2 T3", C2="T0 T1 T2 T3"), EQUAL)
    first = assignor_named("sticky").assign(start)

    assert assigned("sticky", start) == {"C0": "T0:0 T1:1 T3:0", "C1": "T0:1 T2:0 T3:1", "C2": "T1:0 T2:1"}

    left = tuple(
        Member(name, ("T0", "T1", "T2", "T3"), owned=tuple(first[name]), generation=1) for name in ("C0", "C2")
    )

    assert assigned("sticky", Group(left, EQUAL)) == {
        "C0": "T0:0 T0:1 T1:1 T3:0",
        "C2": "T1:0 T2:0 T2:1 T3:1",
    }
    assert assigned("roundrobin", Group(left, EQUAL)) == {
        "C0": "T0:0 T1:0 T2:0 T3:0",
        "C2": "T0:1 T1:1 T2:1 T3:1",
    }


def test_sticky_with_differing_subscriptions_when_a_member_leaves() -> None:
    """C0 reads T0, C1 T0 and T1, C2 all; C0 leaves: T0-0 alone changes its reader."""
    partitions = {"T0": 1, "T1": 2, "T2": 3}
    start = Group(members(C0="T0", C1="T0 T1", C2="T0 T1 T2"), partitions)
    first = assignor_named("sticky").assign(start)

    assert assigned("sticky", start) == {"C0": "T0:0", "C1": "T1:0 T1:1", "C2": "T2:0 T2:1 T2:2"}
    assert assigned("roundrobin", start) == {"C0": "T0:0", "C1": "T1:0", "C2": "T1:1 T2:0 T2:1 T2:2"}

    left = (
        Member("C1", ("T0", "T1"), owned=tuple(first["C1"]), generation=1),
        Member("C2", ("T0", "T1", "T2"), owned=tuple(first["C2"]), generation=1),
    )

    assert assigned("sticky", Group(left, partitions)) == {"C1": "T0:0 T1:0 T1:1", "C2": "T2:0 T2:1 T2:2"}


def test_cooperative_holds_back_what_somebody_still_owns() -> None:
    """C1 joins: two partitions are free only in the next rebalance, and everybody keeps reading meanwhile."""
    first = Group(
        (Member("C0", ("T",), owned=tuple(parts("T:0 T:1 T:2 T:3")), generation=1), Member("C1", ("T",))), {"T": 4}
    )

    assert assigned("cooperative-sticky", first) == {"C0": "T:0 T:1", "C1": ""}

    second = Group(
        (
            Member("C0", ("T",), owned=tuple(parts("T:0 T:1")), generation=2),
            Member("C1", ("T",), generation=2),
        ),
        {"T": 4},
    )

    assert assigned("cooperative-sticky", second) == {"C0": "T:0 T:1", "C1": "T:2 T:3"}


def test_static_members_come_first_by_instance() -> None:
    """A static member goes by its instance id, whatever its member id, before all others."""
    group = Group((Member("a", ("T",)), Member("z", ("T",), instance_id="one")), {"T": 3})

    assert assigned("range", group) == {"a": "T:2", "z": "T:0 T:1"}


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky", "cooperative-sticky"])
def test_what_is_not_there_is_not_given(assignor: str) -> None:
    """A topic that the cluster does not know gives nobody anything; a member without topics gets nothing."""
    group = Group((Member("a", ("T", "unknown")), Member("b", ())), {"T": 2})

    assert assigned(assignor, group) == {"a": "T:0 T:1", "b": ""}
