"""A topic's lists as KRaft's controller places them: no draws to tell, but rounds in which every broker has one turn.

What it promises: every list of what ``place_kraft`` placed, and added, over the brokers tried is explained; with lists
changed since, those are named, as far as the others say where they were. Fenced brokers are left aside.

How it works: KRaft goes through racks in turn, and through the brokers of each rack in turn; after as many partitions
as there are brokers it shuffles both orders. So the place of each replica in its round is known without knowing the
order, and the lists of a round vote for it, place by place. In the first round the orders are the sorted ones, begun
anywhere; partitions that are added later begin with a first round again. What lists say together is weighed against
what they need not agree on (orders, begins, and which lists are exceptions): the evidence, a logarithm, is what lists
drawn at random would have by chance (as rarely as e to the power of minus that).

Example: brokers 0 to 3 and lists [2, 3], [3, 0], [0, 1], [1, 2]: a round of the sorted ids from 2 on; then perhaps
[3, 1], [1, 0], [0, 2], [2, 3]: a round in the order 3, 1, 0, 2.

Complexity: O(P R) for each cluster tried.

Source: derived from ``StripedReplicaPlacer``; see ``placement/kraft.py``.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from reseat.model import NONE, Broker
from reseat.placement.kraft import rack_names

__all__ = ["FIRST_LISTS", "Cluster", "Krafted", "krafted"]

#: Where partitions may have been added is looked for at so many ids at most, and at fewer the more lists there are.
_BEGINS, _LOOKED_AT = 24, 100_000
#: A first round shows in so many of its lists.
FIRST_LISTS = 6

_Lists: TypeAlias = Sequence[tuple[int, ...]]


class Cluster:
    """The brokers that a topic may have been placed over.

    Attributes:
        size: how many.
        racks: ids of each rack, sorted, the racks in the order in which the placement begins.
        rack_at: the place of each broker's rack there.
        place_at: the place of each broker in its rack.
    """

    def __init__(self, brokers: Iterable[Broker]) -> None:
        by_rack: dict[str | None, list[int]] = {}
        for broker in brokers:
            by_rack.setdefault(broker.rack, []).append(broker.id)
        self.racks = [sorted(by_rack[name]) for name in rack_names(by_rack)]
        self.rack_at = {broker: at for at, ids in enumerate(self.racks) for broker in ids}
        self.place_at = {broker: place for ids in self.racks for place, broker in enumerate(ids)}
        self.size = len(self.rack_at)
        self._asked: dict[int, list[list[int]]] = {}

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """All ids, sorted."""
        return tuple(sorted(self.rack_at))

    def lacks(self, lists: _Lists) -> int:
        """How many lists mention a broker that is not here: nothing explains those."""
        return sum(not self.rack_at.keys() >= {*there} for there in lists)

    def asked(self, factor: int) -> list[list[int]]:
        """(racks, size) how often each place in the order of racks was asked for a broker before a turn of a round."""
        if factor not in self._asked:
            count = len(self.racks)
            table = [[0] for _ in range(count)]
            for at, before in enumerate(table):
                for turn in range(self.size):
                    before.append(before[-1] + ((at - turn) % count < min(factor, count)))
            self._asked[factor] = table
        return self._asked[factor]

    def takes(self, factor: int) -> bool:
        """Whether racks come in turn: none runs out of brokers within a list, and there is more than one list.

        A rack that is next asked at the very place of a round at which it was last asked in the round before is passed
        over by Kafka: in a cluster of few brokers with more racks than replicas.
        """
        racks = len(self.racks)
        return 0 < factor <= racks * min(map(len, self.racks), default=0) and self.size > 1 + 2 * max(0, racks - factor)


@dataclass(frozen=True)
class Krafted:
    """How KRaft placed a topic, as far as its lists say.

    Attributes:
        cluster: the brokers that it was placed over.
        lists: where each partition was put, -1 where the other lists do not say.
        misfits: (m,) whether a list is another.
        added: the first ids of partitions that were added later.
        evidence: logarithm of how unlikely it is that lists at random say as much.
        circumstance: where this is not the present cluster, a clause that says what it is; else empty.
    """

    cluster: Cluster
    lists: _Lists
    misfits: tuple[bool, ...]
    added: tuple[int, ...]
    evidence: float
    circumstance: str = ""

    @property
    def left(self) -> int:
        """How many lists are not explained."""
        return sum(self.misfits)


def krafted(cluster: Cluster, ids: Sequence[int], lists: _Lists, factor: int) -> Krafted | None:
    """A topic as KRaft may have placed it over a cluster, in one piece or with partitions added later.

    Args:
        cluster: the brokers.
        ids: (m,) partition ids, ascending.
        lists: (m,) brokers of each.
        factor: the topic's usual replication factor; lists of another length are exceptions.

    Returns:
        What explains most; None where racks do not come in turn, or most of the first lists are of no first round.
    """
    if not cluster.takes(factor):
        return None
    topic = _Topic(cluster, factor, ids, lists)
    shown = min(FIRST_LISTS, cluster.size, len(ids))
    pairs = pairwise(lists[:shown])
    if (shown > 1 and not any(topic.goes_on(*pair) for pair in pairs)) or topic.piece(0, shown).misfits * 2 > shown:
        return None
    begins = [0, *topic.divided(0, len(ids)), len(ids)]
    # The first to be found was the best of one alone: each is looked for again between its neighbours.
    for at in range(1, len(begins) - 1):
        begins[at] = topic.divided_best(begins[at - 1], begins[at + 1])[1]
    pieces = [topic.piece(first, end) for first, end in pairwise(begins)]
    made = [one for piece in pieces for one in piece.lists]
    differ = tuple(one != there for one, there in zip(made, lists, strict=True))
    evidence = sum(piece.evidence for piece in pieces) - topic.an_exception * (len(pieces) - 1)
    return Krafted(cluster, made, differ, tuple(ids[at] for at in begins[1:-1]), evidence)


@dataclass(frozen=True)
class _Piece:
    """Lists placed together: where they were put, how many are elsewhere, and the evidence."""

    lists: list[tuple[int, ...]]
    misfits: int
    evidence: float


class _Topic:
    """A topic's lists over one cluster; rows are places in them, from a first one up to, and without, an end."""

    def __init__(self, cluster: Cluster, factor: int, ids: Sequence[int], lists: _Lists) -> None:
        self.cluster, self.factor, self.ids, self.lists = cluster, factor, ids, lists
        self.racks, self.rack_at = cluster.racks, cluster.rack_at
        self._kept: dict[tuple[int, int, int, bool], tuple[_Lists, float]] = {}
        count, least = len(self.racks), min(map(len, self.racks))
        #: Evidence that it costs to say which list is an exception, or begins an addition.
        self.an_exception = math.log(max(2, len(ids)))
        #: Evidence of a list: of how many that go through racks in turn it is one.
        self._of_list = sum(
            math.log(max(1, count - at)) + math.log(max(1, least - at // count)) for at in range(factor)
        )

    def divided(self, first: int, end: int) -> list[int]:
        """Rows at which partitions were added to those before, and to each part again, as far as that says more."""
        whole = self.piece(first, end)
        if not whole.misfits:
            return []
        least = whole.evidence + 2 * self.an_exception  # one of them says where: of a list or two it is not known
        said, row = self.divided_best(first, end, least)
        if said <= least:
            return []
        return [*self.divided(first, row), row, *self.divided(row, end)]

    def divided_best(self, first: int, end: int, least: float = -math.inf) -> tuple[float, int]:
        """How much two parts say at most, and the row that divides them; ``least`` and the first row where none do."""
        best = (least, first)
        for row in self._may_begin:
            if first < row < end:
                before = self._evidence(first, row)
                best = max(best, (before + self._evidence(row, end, best[0] - before), row))
        return best

    @cached_property
    def _may_begin(self) -> list[int]:
        """Rows at which partitions may have been added: a first round seems to begin there, but for the very first."""
        last = len(self.ids) - 1
        goes_on = [self.goes_on(here, there) for here, there in pairwise(self.lists)]
        # The very first round as its first lists alone have it: a list that is moved out of it begins nothing.
        turns = [number - self.ids[0] for number in self.ids if number - self.ids[0] < self.cluster.size]
        own = goes_on.index(True) + 2 if True in goes_on else 1
        very_first = self._round(
            [(turn, self.lists[at] if at < own else ()) for at, turn in enumerate(turns)], begun=False
        )[0]
        runs = [0] * len(self.ids)  # how many lists go on after each
        for row in range(last - 1, -1, -1):
            runs[row] = runs[row + 1] + 1 if goes_on[row] else 0
        found = [
            row
            for row in range(1, last + 1)
            if (row == last or (goes_on[row] and not goes_on[row - 1]))
            and (row >= len(turns) or not _as_known(very_first[row], self.lists[row]))
        ]
        found.sort(key=lambda row: -runs[row])
        most = max(_BEGINS // 6, min(_BEGINS, _LOOKED_AT // len(self.ids)))
        # The list before a begin may go on to it by chance.
        return sorted({later for row in found[:most] for later in (row, min(row + 1, last))})

    def goes_on(self, here: tuple[int, ...], there: tuple[int, ...]) -> bool:
        """Whether a list comes after another in a first round: each rack and each broker is followed by the next."""
        count = len(self.racks)
        if {len(here), len(there)} != {self.factor} or not (self.rack_at.keys() >= {*here, *there}):
            return False
        if (self.rack_at[here[0]] + 1 - self.rack_at[there[0]]) % count:
            return False
        for at, broker in enumerate(here):
            later = at - 1 if at else count - 1
            if later < self.factor:
                members = self.racks[self.rack_at[broker]]
                on = 1 + later // count - at // count
                if there[later] != members[(self.cluster.place_at[broker] + on) % len(members)]:
                    return False
        return True

    def piece(self, first: int, end: int) -> _Piece:
        """The lists of these rows, as placed together."""
        made: list[tuple[int, ...]] = []
        evidence = 0.0
        for _, here, gained in self._rounds(first, end):
            made += here
            evidence += gained
        misfits = sum(one != there for one, there in zip(made, self.lists[first:end], strict=True))
        return _Piece(made, misfits, evidence)

    def _evidence(self, first: int, end: int, least: float = -math.inf) -> float:
        """The evidence of these rows as placed together; minus infinity as soon as it is sure to be below ``least``."""
        evidence = 0.0
        for until, _, gained in self._rounds(first, end):
            evidence += gained
            if evidence + (end - until) * self._of_list < least:  # even if all the others were explained
                return -math.inf
        return evidence

    def _rounds(self, first: int, end: int) -> Iterator[tuple[int, _Lists, float]]:
        """For each round of these rows: where it ends, where its partitions were put, and its evidence.

        Kept: what begins at the same row has the same rounds, wherever it ends.
        """
        size, begin = self.cluster.size, self.ids[first]
        while first < end:
            of = begin + (self.ids[first] - begin) // size * size
            until = bisect_left(self.ids, of + size, first, end)
            key = (first, until, of, of > begin)
            if key not in self._kept:
                turns = [(self.ids[row] - of, self.lists[row]) for row in range(first, until)]
                self._kept[key] = self._round(turns, begun=of > begin)
            yield until, *self._kept[key]
            first = until

    def _round(self, turns: Sequence[tuple[int, tuple[int, ...]]], *, begun: bool) -> tuple[_Lists, float]:
        """Where a round's partitions were put, and its evidence; ``turns`` are places in the round, and lists."""
        count, asked = len(self.racks), self.cluster.asked(self.factor)
        of_racks: dict[int, Counter[int]] = defaultdict(Counter)
        for turn, there in turns:
            for at, broker in enumerate(there):
                if broker in self.rack_at:
                    of_racks[(turn + at) % count][self.rack_at[broker]] += 1
        racks, free = _ordered(of_racks, range(count), range(count), begun=begun)
        of_brokers: dict[int, dict[int, Counter[int]]] = defaultdict(lambda: defaultdict(Counter))
        spots: list[list[tuple[int, int]]] = []
        for turn, there in turns:
            spots.append([])
            for at in range(self.factor):
                place = (turn + at) % count
                rack = racks.get(place, NONE)
                spot = (asked[place][turn] + at // count) % len(self.racks[rack]) if rack != NONE else NONE
                spots[-1].append((place, spot))
                if at < len(there) and self.rack_at.get(there[at]) == rack:
                    of_brokers[place][spot][there[at]] += 1
        put: dict[tuple[int, int], int] = {}
        for place, spoken in of_brokers.items():
            brokers, more = _ordered(spoken, self.racks[racks[place]], self.cluster.place_at, begun=begun)
            free += more
            put |= {(place, spot): broker for spot, broker in brokers.items()}
        made = [tuple(put.get(spot, NONE) for spot in row) for row in spots]
        explained = sum(one == there for one, (_, there) in zip(made, turns, strict=True))
        return made, explained * self._of_list - (len(made) - explained) * self.an_exception - free


def _as_known(made: tuple[int, ...], there: tuple[int, ...]) -> bool:
    """Whether a list is as it was made, as far as that is known."""
    return len(made) == len(there) and all(one in (NONE, other) for one, other in zip(made, there, strict=True))


def _ordered(
    votes: Mapping[int, Counter[int]], members: Sequence[int], places: Mapping[int, int] | Sequence[int], *, begun: bool
) -> tuple[dict[int, int], float]:
    """Which member is at each place by most votes, and the logarithm of how many other orders there might be.

    Args:
        votes: for each place of 0, 1, 2, ... that some list speaks of, how often each member is there.
        members: sorted.
        places: of each member, its place among them.
        begun: False: of a first round, in which they come as they are sorted, from any on; else in any order.
    """
    size = len(members)
    if begun:
        found: dict[int, int] = {}
        spoken = ((number, place, one) for place, of in votes.items() for one, number in of.items())
        for _, place, one in sorted(spoken, key=lambda vote: -vote[0]):
            if place not in found and one not in found.values():
                found[place] = one
        return found, math.lgamma(size + 1) - math.lgamma(size - len(found) + 1)
    begins: Counter[int] = Counter()
    for place, of in votes.items():
        for one, number in of.items():
            begins[(places[one] - place) % size] += number
    begin = begins.most_common(1)[0][0] if begins else 0
    return {place: members[(begin + place) % size] for place in range(size)}, math.log(size)
