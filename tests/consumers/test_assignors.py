"""Assignors by name, those that packages install, and groups that are not groups."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from reseat.consumers import Group, Member, RangeAssignor, assignor_named
from reseat.consumers.assignors import GROUP, installed
from reseat.consumers.java_order import in_hash_order, names_in_hash_order
from reseat.errors import GroupInvalid


def point(name: str) -> EntryPoint:
    """An entry point as a package would register it."""
    return EntryPoint(name, "reseat.consumers.range:RangeAssignor", GROUP)


def test_an_installed_assignor_is_found_by_its_name() -> None:
    """What a package registers under the group is loaded, not run."""
    assert installed((point("mine"),)) == {"mine": RangeAssignor}


@pytest.mark.parametrize("name", ["range", "roundrobin", "sticky", "cooperative-sticky"])
def test_the_name_of_kafkas_own_is_refused(name: str) -> None:
    """As Kafka refuses it: which one would be meant?"""
    with pytest.raises(GroupInvalid, match=f"registered as {name}, which is the name of one of Kafka's own"):
        installed((point(name),))


def test_two_of_one_name_are_refused() -> None:
    """Neither wins in silence."""
    with pytest.raises(GroupInvalid, match="Two assignors are registered as mine"):
        installed((point("mine"), point("mine")))


def test_an_unknown_name_is_told_the_known_ones() -> None:
    """The sentence lists what there is."""
    with pytest.raises(GroupInvalid, match="There are: range, roundrobin, sticky, cooperative-sticky"):
        assignor_named("weighted")


def test_a_member_twice_is_refused() -> None:
    """A member id is the member's identity."""
    with pytest.raises(GroupInvalid, match="Member a is in the group twice"):
        Group((Member("a", ()), Member("a", ())), {})


def test_one_instance_id_of_two_members_is_refused() -> None:
    """They were taken for two, and shared the partitions of one."""
    members = [Member("a", ()), Member("b", (), instance_id="pod-1"), Member("c", (), instance_id="pod-1")]
    with pytest.raises(
        GroupInvalid, match=r"Members b and c have one group\.instance\.id, pod-1: Kafka fences the older"
    ):
        Group(tuple(members), {})


def test_javas_order_of_names() -> None:
    """As java.util.HashMap iterates: by bucket of the spread hash code; one letter's code is the letter's number."""
    assert names_in_hash_order(["b", "a", "P", "q"]) == ["P", "a", "q", "b"]
    assert in_hash_order([("a", 1), ("a", 0)]) == [("a", 1), ("a", 0)]
    assert in_hash_order([("a", 0)]) == [("a", 0)]
