"""The uniform assignor: everybody keeps what it has as far as counts allow, then loads are evened.

How it works, where all members subscribe to the same topics: each member, in hash order, keeps, topic by topic, what it
has up to its share; what is beyond goes to the end of what nobody has, and members below their share are filled from
that, in order. Where it does not come out even, one partition more is the share of those that have it already, else of
the last ones. O(members + partitions).

Where they do not: topics in order of partitions a subscriber, most first, then fewest subscribers, then id. What nobody
has goes to the subscribers with the fewest partitions, level by level; then, topic by topic and again until no topic
changes (16 times at most), partitions go from the subscribers with most to those with fewest until both differ by one.
Members of equal load take turns in hash order. O(topics x subscribers x log subscribers + partitions) a pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from reseat.consumers.broker_side.java_sets import id_order, in_set_order, topics_in_set_order
from reseat.consumers.group import Assignment, Group, Member, Partition

__all__ = ["assign_equal", "assign_uneven"]

_PASSES = 16
_NOBODY = -1


def assign_uneven(group: Group, members: Sequence[Member]) -> Assignment:
    """The assignment where members subscribe to different topics.

    Args:
        group: the group; what its members own is what they were assigned before.
        members: its members in hash order.
    """
    work = _Work(group, members)
    work.hand_out()
    work.even_out()
    given: Assignment = {member.id: [] for member in members}
    for topic in sorted(work.owners):
        for partition, owner in enumerate(work.owners[topic]):
            given[members[owner].id].append((topic, partition))
    return given


class _Work:
    """Who has what, and how much, while it is evened out; members are their places in hash order."""

    def __init__(self, group: Group, members: Sequence[Member]) -> None:
        topics = group.known_topics
        self.subscribers = {
            topic: [i for i, member in enumerate(members) if topic in member.topics] for topic in topics
        }
        self.owners = {topic: [_NOBODY] * group.partitions[topic] for topic in topics}
        self.load = [0] * len(members)
        for place, member in enumerate(members):
            for topic, partition in member.owned:
                if topic in member.topics and partition < len(self.owners.get(topic, ())):
                    self.owners[topic][partition] = place
                    self.load[place] += 1
        self.topics = sorted(
            topics, key=lambda topic: (-self._share(topic), len(self.subscribers[topic]), *id_order(group, topic))
        )

    def _share(self, topic: str) -> float:
        return len(self.owners[topic]) / len(self.subscribers[topic])

    def hand_out(self) -> None:
        """Give what nobody has to the subscribers with the fewest."""
        for topic in self.topics:
            levels = _Levels(self.load, self.subscribers[topic])
            for partition, owner in enumerate(self.owners[topic]):
                if owner == _NOBODY:
                    self._give(topic, partition, levels.least())

    def even_out(self) -> None:
        """Move partitions from the fullest subscribers of each topic to the emptiest, until a pass changes nothing."""
        topics = [topic for topic in self.topics if len(self.subscribers[topic]) > 1]
        last: int | None = None
        for _ in range(_PASSES):
            for place, topic in enumerate(topics):
                if place == last:
                    return
                if self._even_out(topic) or last is None:
                    last = place

    def _even_out(self, topic: str) -> bool:
        loads = [self.load[member] for member in self.subscribers[topic]]
        if max(loads) - min(loads) <= 1:
            return False
        levels = _Levels(self.load, self.subscribers[topic])
        # What each may give up, the last one first.
        held: dict[int, list[int]] = {}
        for partition, owner in enumerate(self.owners[topic]):
            held.setdefault(owner, []).append(partition)
        moved = False
        while not levels.even:
            fullest = levels.most()
            while fullest is not None and not held.get(fullest):
                levels.leave_out()
                fullest = levels.most()
            if fullest is None:
                break
            partition, emptiest = held[fullest].pop(), levels.least()
            if levels.even:
                break
            self._give(topic, partition, emptiest)
            moved = True
        return moved

    def _give(self, topic: str, partition: int, member: int) -> None:
        before = self.owners[topic][partition]
        if before != _NOBODY:
            self.load[before] -= 1
        self.owners[topic][partition] = member
        self.load[member] += 1


class _Levels:
    """Subscribers of a topic by load, with a rising level at the bottom and a falling one at the top.

    Those at a level take turns; when all had theirs, the level moves on by one and takes in who is at it.
    """

    def __init__(self, load: list[int], subscribers: Sequence[int]) -> None:
        self._load = load
        self._line = sorted(subscribers, key=lambda member: (load[member], member))
        self._low, self._low_end, self._next_low = load[self._line[0]] - 1, 0, 0
        self._high = load[self._line[-1]] + 1
        self._high_start = self._high_end = len(self._line)
        self._next_high = len(self._line) - 1

    @property
    def even(self) -> bool:
        """Whether the two levels have met."""
        return self._high - self._low <= 1

    def least(self) -> int:
        """Who is to get the next one."""
        line, load = self._line, self._load
        if self._next_low >= self._low_end:
            self._low += 1
            while self._low_end < len(line) and load[line[self._low_end]] == self._low:
                self._low_end += 1
            self._next_low = 0
        self._next_low += 1
        return line[self._next_low - 1]

    def most(self) -> int | None:
        """Who is to give up the next one; None where nobody is left."""
        line, load = self._line, self._load
        if self._next_high < self._high_start:
            if self._high_end <= self._high_start and self._high_start > 0:
                self._high = load[line[self._high_start - 1]]  # everybody above has been left out
            else:
                self._high -= 1
            while self._high_start > 0 and load[line[self._high_start - 1]] == self._high:
                self._high_start -= 1
            self._next_high = self._high_end - 1
        if self._next_high < 0:
            return None
        self._next_high -= 1
        return line[self._next_high + 1]

    def leave_out(self) -> None:
        """The one told last has nothing to give up: it counts no more."""
        line, end = self._line, self._high_end - 1
        line[self._next_high + 1], line[end] = line[end], line[self._next_high + 1]
        self._high_end = end


def assign_equal(group: Group, members: Sequence[Member]) -> Assignment:
    """The assignment where all subscribe to the same topics.

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
