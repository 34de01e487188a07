"""Racks in the sticky assignors: which member and partition match, and whom a scarce partition goes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reseat.consumers.group import Group, Partition
from reseat.consumers.racks import racks_count

__all__ = ["RackMatch"]


class RackMatch:
    """Racks of one group; says nothing matches and nothing clashes where racks do not count.

    Attributes:
        count: whether racks count in this group.
    """

    def __init__(self, group: Group) -> None:
        everything = [(topic, p) for topic in group.known_topics for p in range(group.partitions[topic])]
        # A partition of which no rack is told counts as one on no rack, as Kafka has it where brokers have none.
        here = {partition: group.racks.get(partition, frozenset[str]()) for partition in everything}
        self.count = racks_count(group.members, here)
        self._racks = here if self.count else {}
        self._of = {member.id: member.rack for member in group.members if member.rack} if self.count else {}
        members = Counter(self._of.values())
        self._near = {partition: sum(members[rack] for rack in on) for partition, on in self._racks.items()}

    def mismatch(self, member: str, partition: Partition) -> bool:
        """Whether the member has a rack on which the partition has no replica."""
        rack = self._of.get(member)
        return rack is not None and rack not in self._racks.get(partition, frozenset())

    def scarcest_first(self, partitions: list[Partition]) -> list[Partition]:
        """Partitions with the fewest members on their racks first; the order is kept among equals."""
        return sorted(partitions, key=lambda partition: self._near.get(partition, 0)) if self.count else partitions

    def next_match(self, partition: Partition, members: Sequence[str], start: int) -> int | None:
        """The place of the first member from ``start`` on, around the end, whose rack matches; None where none does."""
        on = self._racks.get(partition, frozenset())
        places = ((start + step) % len(members) for step in range(len(members)))
        return next((place for place in places if self._of.get(members[place]) in on), None) if on else None
