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

from reseat.consumers.eager import Eager
from reseat.consumers.even import assign_evenly
from reseat.consumers.group import Assignment, Group
from reseat.consumers.ownership import ownership_of
from reseat.consumers.uneven import assign_unevenly

__all__ = ["StickyAssignor", "assign_stickily"]


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
    subscriptions = {frozenset(member.topics) for member in group.members}
    if len(subscriptions) == 1:
        return assign_evenly(group, claims)
    return assign_unevenly(group, claims)
