"""Who may keep what: the owners that members claim, held against each other by generation.

A member tells what it owned and in which generation. Where two claim one partition, the later generation has it; in
one generation neither may keep it, since both cannot have owned it. A claim of an older generation is remembered as
the previous owner, so that a partition can go back to it.

Source: Kafka's ``AbstractStickyAssignor`` as of 4.1 (KIP-54, KIP-341, KAFKA-12984).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reseat.consumers.group import Group, Member, Partition
from reseat.consumers.java_order import members_in_hash_order

__all__ = ["Ownership", "ownership_of"]


@dataclass(frozen=True, slots=True)
class Ownership:
    """What members may keep.

    Attributes:
        owned: partitions by member id, in the order told; topics that nobody can read any more are left out.
        contested: partitions that two members of one generation claim.
        previous: the member of an older generation that owned a partition last.
    """

    owned: dict[str, list[Partition]]
    contested: frozenset[Partition]
    previous: dict[Partition, str]


def ownership_of(group: Group) -> Ownership:
    """Weigh the claims of all members.

    Args:
        group: the group; where claims of one generation meet, the order of Kafka's map of members decides.
    """
    known = set(group.known_topics)
    by_id = {member.id: member for member in group.members}
    owned: dict[str, dict[Partition, None]] = {}
    owner: dict[Partition, str] = {}
    contested: set[Partition] = set()
    latest = max((member.generation for member in group.members), default=-1)
    members = members_in_hash_order(group)
    for member in members:
        mine = owned.setdefault(member.id, {})
        for partition in member.owned:
            if partition[0] not in known:
                continue
            other = owner.get(partition)
            if other is None:
                mine[partition] = None
                owner[partition] = member.id
                continue
            theirs = by_id[other].generation
            if member.generation == theirs:
                contested.add(partition)
                owned[other].pop(partition, None)
                owner[partition] = member.id
            elif member.generation > theirs:
                owned[other].pop(partition, None)
                mine[partition] = None
                owner[partition] = member.id
    return Ownership(
        {member: list(partitions) for member, partitions in owned.items()},
        frozenset(contested),
        _previous(members, latest),
    )


def _previous(members: Sequence[Member], latest: int) -> dict[Partition, str]:
    """The latest among the owners of older generations, by partition."""
    found: dict[Partition, tuple[int, str]] = {}
    for member in members:
        if member.generation >= latest:
            continue
        for partition in member.owned:
            before = found.get(partition)
            if before is None or member.generation > before[0]:
                found[partition] = (member.generation, member.id)
    return {partition: member for partition, (_, member) in found.items()}
