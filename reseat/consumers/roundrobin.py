"""RoundRobin: all partitions of all topics, dealt to all members in turn.

What it promises, in this order: every partition of a subscribed topic goes to one member that subscribes to it; where
all subscriptions are equal, counts differ by one at most.

How it works: partitions in order of topic and id; members in order (static ones first). Each partition goes to the
next member in turn that subscribes to its topic; those that do not are passed over, and their turn with them, which is
why counts become uneven where subscriptions differ.

Example: C0 reads T1 (3 partitions) and T2 (2), C1 reads T2 alone: C0 gets T1-0, T1-1, T1-2 and T2-1, C1 gets T2-0.

Complexity: O(P log M + M T). Source: Kafka's ``RoundRobinAssignor``.
"""

from __future__ import annotations

from bisect import bisect_left

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
        places: dict[str, list[int]] = {}  # of each topic, where in the circle its subscribers stand
        for place, member in enumerate(circle):
            for topic in set(member.topics):
                places.setdefault(topic, []).append(place)
        turn = 0
        for topic in group.known_topics:
            theirs = places[topic]
            for partition in range(group.partitions[topic]):
                at = bisect_left(theirs, turn)
                place = theirs[at if at < len(theirs) else 0]
                given[circle[place].id].append((topic, partition))
                turn = (place + 1) % len(circle)
        return given
