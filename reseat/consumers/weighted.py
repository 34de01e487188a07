"""An assignor of one's own, as an example: members get partitions in proportion to a weight that they send along.

What it promises, in this order: every partition of a subscribed topic goes to one member that subscribes to it; with
equal subscriptions no single move lowers the highest number of partitions per unit of weight; the same group gives the
same assignment.

What it needs: a weight in each member's user data, a whole number from 1 in decimal digits (``b"3"``); a member that
sends nothing weighs 1.

How it works: partitions in order of topic and id; each goes to the subscriber whose load would be lowest with it, that
is (partitions it has + 1) / weight, then to the heavier one, then to the smaller id (the divisor method of Jefferson
and D'Hondt).

Example: T (4 partitions), A weighs 3 and B 1: A gets T-0, T-1 and T-2, B gets T-3.

Complexity: O(P log M + T M). Registered by a package in its ``pyproject.toml``; nothing of it is Kafka's:

    [project.entry-points."reseat.assignors"]
    weighted = "reseat.consumers.weighted:WeightedAssignor"
"""

from __future__ import annotations

import heapq

from reseat.consumers.group import Assignment, Group, Member, Partition
from reseat.errors import GroupInvalid

__all__ = ["MOST", "WeightedAssignor", "weight_of"]

#: Weights beyond this tell of a mistake; up to it, quotients of counts and weights are exact enough to be compared.
MOST = 1_000


def weight_of(member: Member) -> int:
    """A member's weight, as its user data tells it; 1 where it tells nothing.

    Raises:
        GroupInvalid: the user data is not a weight; one member's mistake must not silently starve the others.
    """
    said = member.user_data
    if not said:
        return 1
    if not said.isdigit() or len(said) > len(str(MOST)) or not 1 <= int(said) <= MOST:
        raise GroupInvalid(
            f"Member {member.id} sends {said[:20]!r} as its weight; a whole number from 1 to {MOST:,} was expected."
        )
    return int(said)


class WeightedAssignor:
    """Gives members partitions in proportion to their weight.

    Attributes:
        load: partitions per unit of weight by member, as of what each was last given.
    """

    name = "weighted"
    cooperative = False

    def __init__(self) -> None:
        self.load: dict[str, float] = {}

    def user_data(self, member: Member) -> bytes:
        """The weight: a client would take it from its configuration, the example takes it from the member."""
        return b"%d" % weight_of(member)

    def assign(self, group: Group) -> Assignment:
        """Each partition to the subscriber that is the least loaded with it.

        Raises:
            GroupInvalid: a member's user data is not a weight.
        """
        weight = {member.id: weight_of(member) for member in group.members}
        given: Assignment = {member.id: [] for member in group.members}
        for topic in group.known_topics:
            turn = [
                _place(len(given[member.id]), weight[member.id], member.id)
                for member in group.members
                if topic in member.topics
            ]
            heapq.heapify(turn)
            for partition in range(group.partitions[topic]):
                chosen = turn[0][-1]
                given[chosen].append((topic, partition))
                heapq.heapreplace(turn, _place(len(given[chosen]), weight[chosen], chosen))
        return given

    def on_assignment(self, member: Member, partitions: tuple[Partition, ...], generation: int) -> None:
        """Keep how loaded the member is: what a client would report as a metric."""
        del generation
        self.load[member.id] = len(partitions) / weight_of(member)


def _place(has: int, weight: int, member: str) -> tuple[float, int, str]:
    """Where a member stands in the queue for the next partition; equal quotients are equal in binary too."""
    return (has + 1) / weight, -weight, member
