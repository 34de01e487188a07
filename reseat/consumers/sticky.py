"""Sticky: as balanced as possible first, and then as few partitions as possible change their reader.

What it promises, in this order: every partition of a subscribed topic goes to one member that subscribes to it; counts
are as even as subscriptions allow; what a member owned it keeps, as far as that allows; where racks count, a member
gets partitions with a replica on its rack first.

How it works: claims are weighed (``ownership``). Where all members subscribe to the same topics, ``even`` fills
quotas; where they differ, ``uneven`` deals what is free and then moves single partitions from fuller to emptier
members while that balances better.

Complexity: O(P log P + M log M) for equal subscriptions. Source: Kafka's ``StickyAssignor`` as of 4.1 (KIP-54).
"""

from __future__ import annotations

from itertools import dropwhile

from reseat.consumers.eager import Eager
from reseat.consumers.even import assign_evenly
from reseat.consumers.group import Assignment, Group
from reseat.consumers.java_order import members_in_hash_order
from reseat.consumers.ownership import ownership_of
from reseat.consumers.uneven import assign_unevenly

__all__ = ["StickyAssignor", "assign_stickily", "subscriptions_equal"]


class StickyAssignor(Eager):
    """Kafka's ``StickyAssignor``."""

    name = "sticky"

    def assign(self, group: Group) -> Assignment:
        """Balance first, then keep as much as possible where it was."""
        return assign_stickily(group)


def assign_stickily(group: Group) -> Assignment:
    """What both sticky assignors aim at, before the cooperative one holds anything back.

    Args:
        group: the group.
    """
    if not group.members:
        return {}
    claims = ownership_of(group)
    return assign_evenly(group, claims) if subscriptions_equal(group) else assign_unevenly(group, claims)


def subscriptions_equal(group: Group) -> bool:
    """Whether Kafka takes all subscriptions for equal.

    It compares each with the first that is not empty, in the order of its map of members: a member without a topic that
    comes before that one is compared with nothing. It then counts as subscribed like the others and is assigned
    partitions that it did not ask for (``AbstractStickyAssignor.allSubscriptionsEqual`` as of 4.1).
    """
    in_order = [frozenset(member.topics) for member in members_in_hash_order(group)]
    compared = list(dropwhile(lambda topics: not topics, in_order))
    return len(set(compared)) <= 1
