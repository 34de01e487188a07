"""Sticky for differing subscriptions: deal what is free, then move single partitions while that balances better.

What it promises, in this order: every partition goes to a member that subscribes to its topic; no single move makes
the counts more even (a local optimum, as in Kafka); what a member owned it keeps, unless moving it balances better; a
partition that must leave goes back to its previous owner where that is as good.

How it works: owned partitions stay where the owner still subscribes. Free ones, those of the topics with the fewest
subscribers first, go to the subscribed member with the fewest partitions. Then, again and again: each partition whose
reader has at least two more than another subscriber moves to the emptiest one, or rather, where an earlier move went
the other way between the same two members within the topic, that earlier one is undone. At last, if nothing was
assigned for the first time and the moves did not lower the sum of differences, they are taken back.

Which subscriber is the emptiest is kept in heaps, one for all topics of the same subscribers, in which an entry that is
no longer true is dropped when it comes to the top. That no balance is reached yet is seen by a witness: a member that
could take a partition over from a fuller one; it is looked for anew only when it is none any more.

Complexity: O(P log M) a round, and O(M T) for a new witness. Source:
``AbstractStickyAssignor.GeneralAssignmentBuilder`` as of 4.1.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterable

from reseat.consumers.group import Assignment, Group, Partition
from reseat.consumers.java_order import in_hash_order
from reseat.consumers.ownership import Ownership
from reseat.consumers.rack_match import RackMatch

__all__ = ["assign_unevenly"]


def assign_unevenly(group: Group, claims: Ownership, *, unbalanced_from: int = 2) -> Assignment:
    """Deal and balance.

    Args:
        group: the group.
        claims: what members may keep.
        unbalanced_from: how many more partitions another must have before a member counts as one that could take one
            over; 2.8 took 1, and so looked at partitions for longer.
    """
    return _Balancing(group, claims, unbalanced_from).run()


class _Movements:
    """Who moved from whom, by topic: so that two partitions of a topic do not cross between two members."""

    def __init__(self) -> None:
        self._pair: dict[Partition, tuple[str, str]] = {}
        self._moved: dict[tuple[str, str, str], list[Partition]] = {}

    def better(self, partition: Partition, old: str, new: str) -> Partition:
        """The partition to move instead: one that came the other way, if there is one."""
        if partition in self._pair:
            old = self._pair[partition][0]
        back = self._moved.get((partition[0], new, old))
        return in_hash_order(back)[0] if back else partition

    def record(self, partition: Partition, old: str, new: str) -> None:
        """Note a move; one that goes back to where it came from leaves no note."""
        before = self._pair.pop(partition, None)
        if before is not None:
            self._moved[partition[0], *before].remove(partition)
            if before[0] == new:
                return
            old = before[0]
        self._pair[partition] = (old, new)
        self._moved.setdefault((partition[0], old, new), []).append(partition)


class _Balancing:
    def __init__(self, group: Group, claims: Ownership, unbalanced_from: int) -> None:
        self.group = group
        self.unbalanced_from = unbalanced_from
        self.racks = RackMatch(group)
        self.previous = claims.previous
        known = set(group.known_topics)
        self.reads = {member.id: frozenset(member.topics) & known for member in group.members}
        self.readers: dict[str, list[str]] = {
            topic: [member for member, topics in self.reads.items() if topic in topics] for topic in known
        }
        self.most = {member: sum(group.partitions[t] for t in topics) for member, topics in self.reads.items()}
        self.given: dict[str, dict[Partition, None]] = {}
        self.reader: dict[Partition, str] = {}
        self.revoked = False
        self.order: list[tuple[int, str]] = []  # (count, member) of the members that can change, ascending
        self.movements = _Movements()
        self.witness: tuple[str, str, str] | None = None
        self._keep(claims)
        self.held = {member: Counter(topic for topic, _ in kept) for member, kept in self.given.items()}
        self._emptiest = _Emptiest(self.readers, self.given)

    def _keep(self, claims: Ownership) -> None:
        for member in self.reads:
            kept: dict[Partition, None] = {}
            for partition in claims.owned[member]:
                if partition[1] >= self.group.partitions[partition[0]]:
                    continue
                if partition[0] not in self.reads[member] or self.racks.mismatch(member, partition):
                    self.revoked = True
                else:
                    kept[partition] = None
                    self.reader[partition] = member
            self.given[member] = kept

    def run(self) -> Assignment:
        topics = sorted(self.readers, key=lambda topic: (len(self.readers[topic]), topic))
        everything = [(topic, p) for topic in topics for p in range(self.group.partitions[topic])]
        free = [partition for partition in everything if partition not in self.reader]
        self.order = sorted((len(partitions), member) for member, partitions in self.given.items())
        first_time = self.order[-1][0] == 0
        self._deal(free)
        fixed = self._set_aside()
        movable = [partition for partition in everything if len(self.readers[partition[0]]) > 1]
        free = [partition for partition in free if len(self.readers[partition[0]]) > 1]
        before = {member: dict(partitions) for member, partitions in self.given.items()}
        if not self.revoked:
            self._balance(free)
        moved = self._balance(movable)
        if not first_time and moved and _unevenness(self.given) >= _unevenness(before):
            self.given = before
        return {member: list((self.given | fixed)[member]) for member in self.reads}

    def _deal(self, free: Iterable[Partition]) -> None:
        left = list(free)
        if self.racks.count:
            left = [partition for partition in left if not self._deal_one(partition, by_rack=True)]
        for partition in left:
            self._deal_one(partition, by_rack=False)

    def _deal_one(self, partition: Partition, *, by_rack: bool) -> bool:
        """To the emptiest member that subscribes (and whose rack matches, where that is asked)."""
        if by_rack:
            chosen = next(
                (
                    member
                    for _, member in self.order
                    if partition[0] in self.reads[member] and not self.racks.mismatch(member, partition)
                ),
                None,
            )
        else:
            chosen = self._emptiest.of(partition[0])[1]
        if chosen is not None:
            self._put(partition, chosen)
        return chosen is not None

    def _put(self, partition: Partition, member: str) -> None:
        self.given[member][partition] = None
        self.reader[partition] = member
        self.held[member][partition[0]] += 1
        self._reorder(member, len(self.given[member]) - 1)

    def _take(self, partition: Partition, member: str) -> None:
        del self.given[member][partition]
        self.held[member][partition[0]] -= 1
        self._reorder(member, len(self.given[member]) + 1)

    def _reorder(self, member: str, before: int) -> None:
        """Move a member to where it belongs now that it has one more or less."""
        del self.order[bisect_left(self.order, (before, member))]
        insort(self.order, (len(self.given[member]), member))
        self._emptiest.changed(member)

    def _set_aside(self) -> dict[str, dict[Partition, None]]:
        """Take out the members that can neither get nor give anything."""
        fixed = {
            member: partitions
            for member, partitions in self.given.items()
            if len(partitions) >= self.most[member] and all(len(self.readers[topic]) < 2 for topic, _ in partitions)
        }
        self.given = {member: partitions for member, partitions in self.given.items() if member not in fixed}
        self.order = [(count, member) for count, member in self.order if member not in fixed]
        return fixed

    def _balance(self, movable: list[Partition]) -> bool:
        """Move single partitions until no move balances better; whether anything moved."""
        any_moved = False
        while True:
            moved = False
            for partition in movable:
                if self._balanced():
                    break
                moved |= self._improve(partition)
            if not moved:
                return any_moved
            any_moved = True

    def _improve(self, partition: Partition) -> bool:
        """Move one partition, or one in its place, if another member has at least two fewer."""
        count = len(self.given[self.reader[partition]])
        before = self.previous.get(partition)
        # Kafka does not ask whether the previous owner still subscribes: it may be given what it did not ask for.
        if before in self.given and count > len(self.given[before]) + 1:
            self._move(partition, before)
            return True
        least, emptiest = self._emptiest.of(partition[0])
        if count > least + 1:
            # To the emptiest one, also where racks count: they decide who is dealt a partition, not who gives one up.
            self._move(partition, emptiest)
            return True
        return False

    def _move(self, partition: Partition, new: str) -> None:
        moved = self.movements.better(partition, self.reader[partition], new)
        old = self.reader[moved]
        self.movements.record(moved, old, new)
        self._take(moved, old)
        self._put(moved, new)

    def _balanced(self) -> bool:
        """Whether no member could take over a partition from one that has more."""
        if not self.order or self.order[0][0] >= self.order[-1][0] - 1:
            return True
        if self.witness is not None and self._could_take(*self.witness):
            return False
        self.witness = self._find_witness()
        return self.witness is None

    def _could_take(self, member: str, topic: str, other: str) -> bool:
        """Whether a member could take over a partition of a topic from another, which has more."""
        count = len(self.given[member])
        fuller = len(self.given[other]) >= count + self.unbalanced_from
        return fuller and count != self.most[member] and self.held[other][topic] > 0

    def _find_witness(self) -> tuple[str, str, str] | None:
        """The emptiest member that could take a partition over, of which topic, and from whom."""
        fullest: dict[str, tuple[int, str]] = {}  # of each topic, who has most among those with a partition of it
        for count, member in self.order:
            for topic, number in self.held[member].items():
                if number:
                    fullest[topic] = (count, member)
        for count, member in self.order:
            if count != self.most[member]:
                read = [(fullest[topic], topic) for topic in self.reads[member] if topic in fullest]
                (most, other), topic = max(read, default=((0, ""), ""))
                if most >= count + self.unbalanced_from:
                    return member, topic, other
        return None


class _Emptiest:
    """The subscriber of each topic that has the fewest partitions, the first by name among equals."""

    def __init__(self, readers: dict[str, list[str]], given: dict[str, dict[Partition, None]]) -> None:
        self._given = given
        self._heaps: list[list[tuple[int, str]]] = []
        self._heap_of: dict[str, int] = {}
        self._heaps_of: dict[str, list[int]] = {member: [] for member in given}
        known: dict[tuple[str, ...], int] = {}
        for topic, members in readers.items():
            alike = tuple(members)
            if alike not in known:
                known[alike] = len(self._heaps)
                self._heaps.append(sorted((len(given[member]), member) for member in members))
                for member in members:
                    self._heaps_of[member].append(known[alike])
            self._heap_of[topic] = known[alike]

    def of(self, topic: str) -> tuple[int, str]:
        """How many it has, and who it is."""
        heap = self._heaps[self._heap_of[topic]]
        while heap[0][0] != len(self._given[heap[0][1]]):
            heapq.heappop(heap)
        return heap[0]

    def changed(self, member: str) -> None:
        """Note that a member has another number of partitions."""
        entry = (len(self._given[member]), member)
        for at in self._heaps_of[member]:
            heapq.heappush(self._heaps[at], entry)


def _unevenness(given: dict[str, dict[Partition, None]]) -> int:
    """The sum of differences of all pairs of counts; O(M log M)."""
    counts = sorted(map(len, given.values()))
    return sum(count * (2 * place - len(counts) + 1) for place, count in enumerate(counts))
