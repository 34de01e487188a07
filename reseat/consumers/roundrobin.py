"""RoundRobin: all partitions of all topics, dealt to all members in turn.

What it promises, in this order: every partition of a subscribed topic goes to one member that subscribes to it; where
all subscriptions are equal, counts differ by one at most.

How it works: partitions in order of topic and id; members in order (static ones first). Each partition goes to the
next member in turn that subscribes to its topic; those that do not are passed over, and their turn with them, which is
why counts become uneven where subscriptions differ.

Example: C0 reads T1 (3 partitions) and T2 (2), C1 reads T2 alone: C0 gets T1-0, T1-1, T1-2 and T2-1, C1 gets T2-0.

Complexity: O(P M) at worst, O(P) for equal subscriptions. Source: Kafka's ``RoundRobinAssignor``.
"""

from __future__ import annotations

from reseat.consumers.eager import Eager
from reseat.consumers.group import Assignment, Group

__all__ = ["RoundRobinAssignor"]


class RoundRobinAssignor(Eager):
    """Kafka's ``RoundRobinAssignor``."""

    name = "roundrobin"

    def assign(self, group: Group) -> Assignment:
        """Deal all partitions to all members in turn."""
        given: Assignment = {member.id: [] for member in group.members}
        circle = sorted(group.members, key=lambda member: member.sort_key)
        reads = [frozenset(member.topics) for member in circle]
        turn = 0
        for topic in group.known_topics:
            for partition in range(group.partitions[topic]):
                while topic not in reads[turn]:
                    turn = (turn + 1) % len(circle)
                given[circle[turn].id].append((topic, partition))
                turn = (turn + 1) % len(circle)
        return given
