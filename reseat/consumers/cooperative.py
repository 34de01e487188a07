"""CooperativeSticky: what Sticky aims at, in two rebalances, so that nobody stops reading what it keeps.

What it promises: no partition has two readers at any time, though members keep reading while the group rebalances.

How it works: the sticky assignment is computed; a partition that somebody else still owns is held back in this
rebalance. Its owner gives it up when it sees that it is not assigned to it, which starts a second rebalance in which
the partition is free and goes where it was meant to.

Source: Kafka's ``CooperativeStickyAssignor`` as of 4.1 (KIP-429).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from reseat.consumers.eager import Eager
from reseat.consumers.group import Assignment, Group, Partition
from reseat.consumers.ownership import ownership_of
from reseat.consumers.sticky import assign_stickily, subscriptions_equal

__all__ = ["CooperativeStickyAssignor", "given_up_between", "held_back"]


class CooperativeStickyAssignor(Eager):
    """Kafka's ``CooperativeStickyAssignor``."""

    name = "cooperative-sticky"
    cooperative = True

    def assign(self, group: Group) -> Assignment:
        """The sticky assignment without what others still own."""
        target = assign_stickily(group)
        back = held_back(group, target)
        return {
            member: [partition for partition in partitions if back.get(partition) != member]
            for member, partitions in target.items()
        }


def held_back(group: Group, target: Assignment) -> dict[Partition, str]:
    """Partitions that change their reader, by the member that will get them: they wait until their owner gave them up.

    Args:
        group: the group.
        target: the assignment aimed at.
    """
    owned = {member.id: frozenset(member.owned) for member in group.members}
    if subscriptions_equal(group):
        # With equal subscriptions Kafka goes by the claims that counted, and takes a contested partition from both.
        claims = ownership_of(group)
        owned = {member: frozenset(kept) - claims.contested for member, kept in claims.owned.items()}
        contested = claims.contested
    else:
        contested = frozenset()
    return given_up_between(owned, target, contested)


def given_up_between(
    owned: Mapping[str, Collection[Partition]], target: Assignment, contested: frozenset[Partition] = frozenset()
) -> dict[Partition, str]:
    """What the target takes from one member and gives to another, by who is to get it.

    Args:
        owned: what each member of the target owns.
        target: the assignment aimed at.
        contested: what nobody may keep, whoever owned it.
    """
    given_up = contested.union(*(set(mine).difference(target.get(member, ())) for member, mine in owned.items()))
    return {
        partition: member
        for member, partitions in target.items()
        for partition in partitions
        if partition in given_up and partition not in owned[member]
    }
