"""Whether racks count in an assignment, and which member and partition match (KIP-881, Kafka 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reseat.consumers.group import Member, Partition

__all__ = ["racks_count"]


def racks_count(members: Iterable[Member], racks: Mapping[Partition, frozenset[str]]) -> bool:
    """Whether racks can make a difference for these members and partitions.

    They do where a member's rack is one of a partition's, and not every partition is on all racks anyway.

    Args:
        members: the members; one without a rack says nothing.
        racks: racks of each partition's replicas.
    """
    theirs = {member.rack for member in members if member.rack}
    everywhere = frozenset[str]().union(*racks.values()) if racks else frozenset()
    if not theirs & everywhere:
        return False
    return any(on != everywhere for on in racks.values())
