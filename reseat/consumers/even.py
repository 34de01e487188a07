"""Sticky for equal subscriptions: every member has a quota, and keeps what it owned up to it.

What it promises, in this order: counts differ by one at most; a member gives up only what exceeds its quota; members
get partitions with a replica on their rack first where racks count.

How it works: with P partitions and M members everyone gets ``P // M``, and ``P mod M`` members one more. Each member,
in the order of Kafka's map of members, keeps what it owned (where racks count: what matches its rack) up to the
larger quota while there are larger ones to give, else up to the smaller one. Free partitions, in order of topic and
id, are dealt in turn to the members below the smaller quota, sorted by id, and then to those at it until the larger
ones are given.

Example: P0 to P5, C0 owned P0, P1, P2 and C1 owned P3, P4, P5; C2 joins. The quota is 2: C0 keeps P0 and P1, C1 keeps
P3 and P4, C2 gets P2 and P5.

Complexity: O(P log P + M log M); with racks O(P M). Source: ``AbstractStickyAssignor.ConstrainedAssignmentBuilder``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from reseat.consumers.group import Assignment, Group, Partition
from reseat.consumers.java_order import members_in_hash_order
from reseat.consumers.ownership import Ownership
from reseat.consumers.rack_match import RackMatch

__all__ = ["assign_evenly"]


def assign_evenly(group: Group, claims: Ownership) -> Assignment:
    """Fill quotas.

    Args:
        group: the group; all members subscribe to the same topics.
        claims: what members may keep.
    """
    return _Quotas(group, claims).fill()


class _Quotas:
    def __init__(self, group: Group, claims: Ownership) -> None:
        self.group = group
        self.claims = claims
        self.racks = RackMatch(group)
        everything = [(topic, p) for topic in group.known_topics for p in range(group.partitions[topic])]
        self.everything = everything
        self.small, self.larger_ones = divmod(len(everything), len(group.members))
        self.large = self.small + (1 if self.larger_ones else 0)
        self.larger_given = 0
        self.given: Assignment = {member.id: [] for member in group.members}
        self.below: list[str] = []  # members with fewer than the smaller quota
        self.at: deque[str] = deque()  # members at the smaller quota that may get one more

    def fill(self) -> Assignment:
        kept = set[Partition]()
        for member in members_in_hash_order(self.group):
            kept.update(self._keep(member.id))
        self.below.sort()
        self.at = deque(sorted(self.at))
        free = self.racks.scarcest_first([partition for partition in self.everything if partition not in kept])
        if self.racks.count:
            free = self._deal_by_rack(free)
        self._deal(free)
        return self.given

    def _keep(self, member: str) -> list[Partition]:
        """What a member keeps of what it owned, and where it stands then."""
        owned = sorted(
            (
                partition
                for partition in self.claims.owned[member]
                if partition not in self.claims.contested
                and partition[1] < self.group.partitions[partition[0]]
                and not self.racks.mismatch(member, partition)
            ),
            key=lambda partition: (partition[1], partition[0]),
        )
        if len(owned) < self.small:
            kept = owned
            self.below.append(member)
        elif len(owned) >= self.large and self.larger_given < self.larger_ones:
            kept = owned[: self.large]
            self.larger_given += 1
            if self.larger_given == self.larger_ones:
                self.at.clear()
        else:
            kept = owned[: self.small]
            if self.larger_given < self.larger_ones:
                self.at.append(member)
        self.given[member] += kept
        return kept

    def _deal_by_rack(self, free: list[Partition]) -> list[Partition]:
        """Deal what finds a member on a rack of its replicas; returns what does not."""
        left: list[Partition] = []
        turn = 0
        for partition in free:
            chosen = None
            at = self.racks.next_match(partition, self.below, turn)
            if at is not None:
                chosen = self.below[at]
                count = len(self.given[chosen]) + 1
                if count >= self.small:
                    del self.below[at]
                    if count < self.large:
                        self.at.append(chosen)
                    turn = at
                else:
                    turn = at + 1
            elif self.larger_given < self.larger_ones:
                at = self.racks.next_match(partition, self.at, 0)
                if at is not None:
                    chosen = self.at[at]
                    del self.at[at]
                    self.larger_given += 1
            if chosen is None:
                left.append(partition)
            else:
                self.given[chosen].append(partition)
        return left

    def _deal(self, free: Iterable[Partition]) -> None:
        """Deal in turn to the members below the smaller quota, then to those at it."""
        turn = deque(self.below)  # everyone once a round, in order; who reaches the quota leaves it
        for partition in free:
            if turn:
                member = turn.popleft()
                self.given[member].append(partition)
                if len(self.given[member]) >= self.small:
                    self.at.append(member)
                else:
                    turn.append(member)
            else:
                self.given[self.at.popleft()].append(partition)
