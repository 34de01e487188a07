"""The uniform assignor where all members subscribe to the same topics: everybody keeps what fits into an even share.

How it works: each member, in hash order, keeps, topic by topic, what it has up to its share; what is beyond goes to the
end of what nobody has, and members below their share are filled from that, in order. Where it does not come out even,
one partition more is the share of those that have it already, else of the last ones.

Complexity: O(members + partitions).
"""

from __future__ import annotations

from collections.abc import Sequence

from reseat.consumers.broker_side.java_sets import in_set_order, topics_in_set_order
from reseat.consumers.group import Assignment, Group, Member, Partition

__all__ = ["assign_equal"]


def assign_equal(group: Group, members: Sequence[Member]) -> Assignment:
    """The assignment.

    Args:
        group: the group; what its members own is what they were assigned before.
        members: its members in hash order.
    """
    topics = topics_in_set_order(group, group.known_topics)
    if not members or not topics:
        return {member.id: [] for member in members}
    taken = {partition for member in members for partition in member.owned}
    free: list[Partition] = [
        (topic, one) for topic in topics for one in range(group.partitions[topic]) if (topic, one) not in taken
    ]
    each, more = divmod(sum(group.partitions[topic] for topic in topics), len(members))
    given: Assignment = {}
    room: dict[str, int] = {}
    for place, member in enumerate(members):
        share = each + (more > 0)
        kept, beyond = _kept(group, member, share)
        if len(kept) < share and len(members) - place > more:
            share = each
        more -= share > each
        given[member.id] = kept
        room[member.id] = share - len(kept)
        free += beyond
    at = 0
    for name, spare in room.items():
        given[name] += free[at : at + spare]
        at += spare
    return {name: sorted(partitions) for name, partitions in given.items()}


def _kept(group: Group, member: Member, quota: int) -> tuple[list[Partition], list[Partition]]:
    """What a member keeps within its quota, and what it gives up that is still subscribed to."""
    owned: dict[str, list[int]] = {}
    for topic, partition in member.owned:
        owned.setdefault(topic, []).append(partition)
    kept: list[Partition] = []
    beyond: list[Partition] = []
    for topic in topics_in_set_order(group, owned):
        if topic not in member.topics or topic not in group.partitions:
            continue
        spare = quota - len(kept)
        mine = owned[topic] if len(owned[topic]) <= spare else in_set_order(owned[topic])
        kept += [(topic, partition) for partition in mine[:spare]]
        beyond += [(topic, partition) for partition in mine[spare:]]
    return kept, beyond
