"""Kafka 2.8's two sticky assignors, whose code was another than that of 3.9 to 4.4.

What they promise: what ``sticky`` and ``cooperative`` promise, but for racks, which 2.8 does not count.

What differs: with equal subscriptions only claims of the latest generation count; a member keeps what it owned up to
the larger quota, however many do so, and what is then missing elsewhere is taken from those, from each the first
partition that it lists. With differing subscriptions a partition stays with its latest owner (where two claim it, the
first in the order of Kafka's map of members), and can go back to its owner before that. A member with one partition
fewer than another, too, counts as one that could take something over. Before 2.8 sees that subscriptions differ it has
read what the first members of its map sent along, and cannot read that again: the eager assignor then knows nothing of
what those owned, and the cooperative one takes their claims for older than any other. The eager one writes what a
member owned by topic, in the order of a hash map; the cooperative one is told it in the member's own order.

Example: A owned T-0 and T-1, B T-2 and T-3, C T-4 and T-5; D joins, so the quotas are 1 and 2. All three keep two, and
A gives T-0 to D; since 3.9, A and B keep two, and C gives T-5.

Complexity: O(P log P + M log M) for equal subscriptions, else that of ``uneven``. Source: ``AbstractStickyAssignor``,
``StickyAssignor`` and ``CooperativeStickyAssignor`` of 2.8.2. A partition that its topic has no more is given up, where
2.8's class would assign it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace

from reseat.consumers.cooperative import given_up_between
from reseat.consumers.eager import Eager
from reseat.consumers.group import NO_GENERATION, Assignment, Group, Member, Partition
from reseat.consumers.java_order import members_in_hash_order, names_in_hash_order
from reseat.consumers.ownership import Ownership
from reseat.consumers.sticky import subscriptions_equal
from reseat.consumers.uneven import assign_unevenly

__all__ = ["CooperativeSticky28Assignor", "Sticky28Assignor"]


class Sticky28Assignor(Eager):
    """``StickyAssignor`` of 2.8."""

    name = "sticky-2.8"

    def assign(self, group: Group) -> Assignment:
        """Balance first, then keep as much as possible where it was."""
        members = tuple(replace(member, owned=tuple(_as_written(member.owned))) for member in group.members)
        return _assigned(replace(group, members=members), forgets=True)[0]


class CooperativeSticky28Assignor(Eager):
    """``CooperativeStickyAssignor`` of 2.8."""

    name = "cooperative-sticky-2.8"
    cooperative = True

    def assign(self, group: Group) -> Assignment:
        """The sticky assignment without what others still own."""
        target, held_back = _assigned(group, forgets=False)
        return {
            member: [partition for partition in partitions if held_back.get(partition) != member]
            for member, partitions in target.items()
        }


def _assigned(group: Group, *, forgets: bool) -> tuple[Assignment, dict[Partition, str]]:
    """The assignment aimed at, and what the cooperative assignor holds back for whom.

    Args:
        group: the group.
        forgets: whether what was read once is lost as a whole, or its generation alone.
    """
    if not group.members:
        return {}, {}
    group = replace(group, racks={})
    if subscriptions_equal(group):
        quotas = _Quotas(group)
        return quotas.fill(), quotas.transferred
    read = {member.id for member in _read_already(group)}
    # As 2.8 sees those when it reads what they sent along once more.
    known_of = [
        replace(one, generation=NO_GENERATION, owned=() if forgets else one.owned) if one.id in read else one
        for one in group.members
    ]
    claims = _latest_owners(replace(group, members=tuple(known_of)))
    target = assign_unevenly(group, claims, unbalanced_from=1)
    return target, given_up_between({member.id: member.owned for member in group.members}, target)


def _read_already(group: Group) -> list[Member]:
    """The members before the first, in the order of Kafka's map, whose subscription differs from those before it."""
    first: frozenset[str] = frozenset()
    read: list[Member] = []
    for member in members_in_hash_order(group):
        first = first or frozenset(member.topics)
        if frozenset(member.topics) != first:
            break
        read.append(member)
    return read


def _as_written(owned: Iterable[Partition]) -> list[Partition]:
    """What a member owned as its user data lists it: by topic."""
    by_topic: dict[str, list[Partition]] = {}
    for partition in owned:
        by_topic.setdefault(partition[0], []).append(partition)
    return [partition for topic in names_in_hash_order(list(by_topic)) for partition in by_topic[topic]]


def _latest_owners(group: Group) -> Ownership:
    """Who owned each partition in the latest generation that anyone tells, and who before that."""
    known = set(group.known_topics)
    claims: dict[Partition, dict[int, str]] = {}
    for member in members_in_hash_order(group):
        for partition in member.owned:
            if partition[0] in known:
                claims.setdefault(partition, {}).setdefault(member.generation, member.id)
    owned: dict[str, list[Partition]] = {member.id: [] for member in group.members}
    previous: dict[Partition, str] = {}
    for partition, by_generation in claims.items():
        latest, *before = sorted(by_generation, reverse=True)
        owned[by_generation[latest]].append(partition)
        if before:
            previous[partition] = by_generation[before[0]]
    return Ownership(owned, frozenset(), previous)


class _Quotas:
    """Equal subscriptions: everyone has ``P // M`` partitions, and ``P mod M`` members one more.

    Attributes:
        transferred: what a member is given that another must give up first, by partition.
    """

    def __init__(self, group: Group) -> None:
        self.group = group
        everything = [(topic, p) for topic in group.known_topics for p in range(group.partitions[topic])]
        self.free = dict.fromkeys(everything)
        self.small, larger = divmod(len(everything), len(group.members))
        self.large = self.small + (larger > 0)
        self.given: Assignment = {}
        self.transferred: dict[Partition, str] = {}
        self._given_up: set[Partition] = set()
        self._at_large = deque[str]()
        self._at_small = deque[str]()

    def fill(self) -> Assignment:
        below = self._keep()
        below = self._deal(below)
        for member in below:  # nothing is free any more: the members at the larger quota give one each
            while len(self.given[member]) < self.small:
                partition = self.given[self._at_large.popleft()].pop(0)
                self.given[member].append(partition)
                self.transferred[partition] = member
        for partition in list(self.free):
            self._give(partition, self._at_small.popleft())
        return self.given

    def _keep(self) -> list[str]:
        """Let everyone keep what it owned, up to the larger quota; who has less than the smaller one then, by id."""
        below = []
        for member, owned in self._owned().items():
            self.given[member] = owned[: self.large]
            self._given_up.update(owned[self.large :])
            for partition in self.given[member]:
                del self.free[partition]
            if len(owned) < self.small:
                below.append(member)
                continue
            if len(self.given[member]) == self.small:
                self._at_small.append(member)
            if len(self.given[member]) == self.large:
                self._at_large.append(member)
        return sorted(below)

    def _owned(self) -> dict[str, list[Partition]]:
        """What counts as owned: claims of the latest generation that no other member of it has, too."""
        members = members_in_hash_order(self.group)
        latest = max(member.generation for member in members)
        claimed: dict[Partition, str] = {}
        contested = self._given_up
        for member in members:
            for partition in _claims(member, latest, self.free):
                if claimed.setdefault(partition, member.id) != member.id:
                    contested.add(partition)
        return {member.id: [p for p in _claims(member, latest, self.free) if p not in contested] for member in members}

    def _deal(self, below: list[str]) -> list[str]:
        """Deal what is free in turn until everyone has the smaller quota; who has not when nothing is left."""
        turn = deque(below)
        for partition in list(self.free):
            if not turn:
                break
            member = turn.popleft()
            self._give(partition, member)
            if len(self.given[member]) == self.small:
                self._at_small.append(member)
            else:
                turn.append(member)
        return [member for member in below if member in turn]

    def _give(self, partition: Partition, member: str) -> None:
        del self.free[partition]
        self.given[member].append(partition)
        if partition in self._given_up:
            self.transferred[partition] = member


def _claims(member: Member, latest: int, known: dict[Partition, None]) -> list[Partition]:
    """What a member of the latest generation says it owned, of what there is."""
    return [partition for partition in member.owned if partition in known] if member.generation == latest else []
