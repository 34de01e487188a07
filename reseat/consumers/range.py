"""Range: topic by topic, consecutive partitions to the members in order.

What it promises, in this order: every partition of a subscribed topic goes to one member that subscribes to it; within
a topic, counts differ by one at most; where racks count, members get partitions with a replica on their rack as far
as the counts allow, and topics of equal subscribers and equal partition count stay co-partitioned.

How it works: members in order (static ones first, then by member id). Of each topic with ``p`` partitions and ``m``
subscribers everyone gets ``p // m``, and ``p mod m`` of them one more, the first ones where racks do not count. Since
each topic begins with the same members, those that come first gather a surplus of up to one partition a topic
(``surplus``).

With racks (KIP-881), before that: partition ids go to members that match on every co-partitioned topic at once, and
the partitions of a topic that stands alone to members that match, each up to its count. What is left goes by range.

Example: T (4 partitions), members C0, C1, C2: C0 gets 0 and 1, C1 gets 2, C2 gets 3. With T0 and T1 of 4 partitions
each C0 has four and the others two each.

Complexity: O(P + M) a topic; O(P M) where racks count. Source: Kafka's ``RangeAssignor`` as of 4.1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import islice

from reseat.consumers.eager import Eager
from reseat.consumers.group import Assignment, Group, Member
from reseat.consumers.racks import racks_count

__all__ = ["RangeAssignor", "surplus"]


class RangeAssignor(Eager):
    """Kafka's ``RangeAssignor``."""

    name = "range"

    def assign(self, group: Group) -> Assignment:
        """Give each topic's partitions to its subscribers in order."""
        given: Assignment = {member.id: [] for member in group.members}
        ordered = sorted(group.members, key=lambda member: member.sort_key)
        subscribers: dict[str, list[Member]] = {}
        for member in ordered:
            for name in set(member.topics):
                subscribers.setdefault(name, []).append(member)
        topics = [_Topic(name, group, subscribers[name]) for name in group.known_topics]
        if any(topic.racks_count for topic in topics):
            _match_racks(topics, given)
        for topic in topics:
            topic.give_ranges(given)
        for partitions in given.values():
            partitions.sort()
        return given


class _Topic:
    """One topic while it is given away."""

    def __init__(self, name: str, group: Group, subscribers: list[Member]) -> None:
        self.name = name
        self.count = group.partitions[name]
        self.subscribers = subscribers
        self.left: dict[int, None] = dict.fromkeys(range(self.count))
        self.racks = {p: group.racks.get((name, p), frozenset()) for p in range(self.count)} if group.racks else {}
        self.racks_count = racks_count(subscribers, {(name, p): on for p, on in self.racks.items()})
        self.everyone, self.extra = divmod(self.count, len(subscribers))
        self.has = {member.id: 0 for member in subscribers}

    def room(self, member: Member) -> int:
        """How many more a member may get now: one above the rest while there are extra ones."""
        return max(0, self.everyone + (1 if self.extra > 0 else 0) - self.has[member.id])

    def matches(self, member: Member, partition: int) -> bool:
        """Whether a replica is on the member's rack; a member without a rack takes any."""
        return not member.rack or member.rack in self.racks.get(partition, frozenset())

    def give(self, member: Member, partitions: list[int], given: Assignment) -> None:
        given[member.id] += [(self.name, partition) for partition in partitions]
        self.has[member.id] += len(partitions)
        if self.has[member.id] > self.everyone:
            self.extra -= 1
        for partition in partitions:
            del self.left[partition]

    def give_ranges(self, given: Assignment, fits: Callable[[Member, int], bool] | None = None) -> None:
        """To each subscriber in order the first partitions left that fit, up to its room."""
        all_left = iter(list(self.left))  # without a condition each goes on where the one before it stopped
        for member in self.subscribers:
            if not self.left:
                return
            candidates = all_left if fits is None else (p for p in self.left if fits(member, p))
            chosen = list(islice(candidates, self.room(member)))
            if chosen:
                self.give(member, chosen, given)


def _match_racks(topics: list[_Topic], given: Assignment) -> None:
    """Give what matches racks: co-partitioned topics together, others each on its own."""
    alike: dict[tuple[tuple[str, ...], int], list[_Topic]] = {}
    for topic in topics:
        alike.setdefault((tuple(member.id for member in topic.subscribers), topic.count), []).append(topic)
    for together in alike.values():
        if len(together) > 1:
            _match_together(together, given)
        elif together[0].racks_count:
            together[0].give_ranges(given, together[0].matches)


def _match_together(topics: list[_Topic], given: Assignment) -> None:
    """Partition ids of co-partitioned topics, each to the first member that matches on all of these topics."""
    open_members = list(topics[0].subscribers)
    for partition in range(topics[0].count):
        chosen = next(
            (
                member
                for member in open_members
                if all(topic.matches(member, partition) and topic.room(member) > 0 for topic in topics)
            ),
            None,
        )
        if chosen is None:
            continue
        for topic in topics:
            topic.give(chosen, [partition], given)
        if not any(topic.room(chosen) > 0 for topic in topics):
            open_members.remove(chosen)
            if not open_members:
                return


def surplus(group: Group, assignment: Assignment) -> dict[str, float]:
    """What each member has beyond its even share of each topic it subscribes to, summed over topics; below 0: short.

    An even share of a topic is its partitions by its subscribers, a fraction. Where a topic's remainder always goes to
    the same members, as with Range, theirs grows with the number of topics; else it stays below 1.

    Args:
        group: the group.
        assignment: what each member reads.
    """
    readers = Counter(topic for member in group.members for topic in set(member.topics))
    share = {topic: Fraction(group.partitions[topic], readers[topic]) for topic in group.known_topics}
    even: dict[tuple[str, ...], Fraction] = {}
    out: dict[str, float] = {}
    for member in group.members:
        if member.topics not in even:
            even[member.topics] = sum((share.get(topic, Fraction()) for topic in set(member.topics)), Fraction())
        out[member.id] = float(len(assignment.get(member.id, ())) - even[member.topics])
    return out
