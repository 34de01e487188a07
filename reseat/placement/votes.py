"""Which draws each partition's list speaks for: the vectorised half of ``fingerprint``.

How it works: on a given ring a list tells its own draws. The first replica's place f gives the start index, ``f - p
(mod n)``. The second's place q fixes how the walk went on, since all later replicas follow from f and q alone
(``ring.walk``); so a list either is what the walk from q gives, and then speaks for the walks that reach q, or it fits
no draws at all. Walks that reach q begin at q or at one of the places passed over just before it: those in the rack of
f. Counted from ``first + 1`` that is an interval of offsets modulo n - 1, and with the growth of the shift taken off it
is an interval of ``shift * racks mod (n - 1)``, called the phase here. Every list votes for its start and each phase of
its interval. Draws for which all lists of a topic vote are exactly those that make the topic; those with most votes are
the nearest.

Complexity: O(P R) and the votes, sorted; a list has one vote but for passed-over places (on average few: n over the
brokers outside the first replica's rack).

Source: derived from ``AdminUtils``; S. the header of ``striped.py``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reseat.model import BoolArray, IntArray, Longs
from reseat.model.arrays import row_keys
from reseat.placement.ring import Ring, walk

__all__ = ["Tally", "TopicRows", "Votes", "count_votes", "votes_on_own_rings", "votes_on_ring"]


#: Votes counted at once; bounds memory where a rack holds nearly all brokers.
_VOTES_AT_ONCE = 8_000_000


@dataclass(frozen=True, eq=False)
class TopicRows:
    """The partitions of some topics as columns.

    Attributes:
        topic: (m,) topic number from 0, ascending.
        partition: (m,) partition ids.
        replicas: (m, R) broker ids, -1 padded.
        usable: (m,) whether a list has its topic's usual replication factor and no broker twice.
        factor: (T,) each topic's usual replication factor.
        first_id: (T,) each topic's lowest partition id.
        begins: (T + 1,) where each topic's rows begin.
    """

    topic: Longs
    partition: Longs
    replicas: IntArray
    usable: BoolArray
    factor: Longs
    first_id: Longs
    begins: Longs

    @property
    def topics(self) -> int:
        """T: how many topics."""
        return len(self.factor)

    @property
    def sizes(self) -> Longs:
        """(T,) partitions a topic."""
        return np.diff(self.begins)

    def only(self, topics: Longs) -> TopicRows:
        """The rows of these topics alone, topics numbered anew in their order."""
        sizes = self.sizes[topics]
        begins = np.concatenate([[0], np.cumsum(sizes)])
        rows = np.arange(int(begins[-1])) - np.repeat(begins[:-1], sizes) + np.repeat(self.begins[topics], sizes)
        return TopicRows(
            np.repeat(np.arange(len(topics)), sizes),
            self.partition[rows],
            self.replicas[rows],
            self.usable[rows],
            self.factor[topics],
            self.first_id[topics],
            begins,
        )


@dataclass(frozen=True, eq=False)
class Votes:
    """What each partition's list speaks for.

    Attributes:
        fits: (m,) whether it fits any draws.
        start: (m,) the start index.
        phase: (m,) the last of the phases.
        count: (m,) how many phases, going down from ``phase``.
        cycle: (T,) phases are modulo this.
        grid: only phases that are multiples of this are reached by a shift.
    """

    fits: BoolArray
    start: Longs
    phase: Longs
    count: Longs
    cycle: Longs
    grid: int = 1

    def of(self, rows: slice, topics: slice = slice(None)) -> Votes:
        """The votes of these rows alone, and the cycles of the topics whose rows they are."""
        return Votes(
            self.fits[rows], self.start[rows], self.phase[rows], self.count[rows], self.cycle[topics], self.grid
        )


@dataclass(frozen=True, eq=False)
class Tally:
    """The draws with the most votes, topic by topic.

    Attributes:
        most: (T,) how many lists vote for the best draws; 0 where none fits any.
        start: (k,) start indexes of the best draws, sorted by topic.
        phase: (k,) phases of the best draws.
        begins: (T + 1,) where each topic's best draws begin.
    """

    most: Longs
    start: Longs
    phase: Longs
    begins: Longs


def votes_on_ring(rows: TopicRows, ring: Ring) -> Votes:
    """Votes with one ring for all topics."""
    places = _places(rows.replicas, ring)
    if not ring.rack_aware:
        return _plain(rows, places, np.full(rows.topics, ring.size, np.int64))
    size, cycle = ring.size, max(1, ring.size - 1)
    first = places[:, 0]
    inside = (places >= 0) | (rows.replicas < 0)
    fits = rows.usable & inside.all(axis=1)
    start = (first - rows.partition) % size
    growth = shift_growth_by_row(rows, np.full(len(first), size))
    if places.shape[1] < 2 or size < 2:
        return Votes(fits, start, np.zeros_like(start), np.ones_like(start), np.full(rows.topics, cycle))
    second = np.where(rows.factor[rows.topic] > 1, places[:, 1], first)
    for factor in np.unique(rows.factor).tolist():
        chosen = np.flatnonzero(fits & (rows.factor[rows.topic] == factor))
        if factor > size:
            fits[chosen] = False
        elif factor > 1 and chosen.size:
            again = walk(ring, first[chosen], second[chosen], factor)
            fits[chosen] = (again == places[chosen, :factor]).all(axis=1)
    offset = (second - first - 1) % size
    passed = _passed_before(ring, first, second)
    alone = rows.factor[rows.topic] == 1
    phase = np.where(alone, 0, (offset - growth * ring.racks) % cycle)
    count = np.where(alone, 1, np.minimum(1 + passed, cycle))
    return Votes(fits, start, phase, count, np.full(rows.topics, cycle), math.gcd(ring.racks, cycle))


def votes_on_own_rings(rows: TopicRows) -> tuple[Votes, Longs]:
    """Votes with a ring for each topic: the brokers that its lists mention, sorted by id, racks left aside.

    Returns:
        The votes, and (T,) how many brokers each topic mentions.
    """
    there = rows.replicas >= 0
    owner = np.broadcast_to(rows.topic[:, None], rows.replicas.shape)[there]
    found, which = np.unique(row_keys(owner, rows.replicas[there]), return_inverse=True)
    begins = np.searchsorted(found, row_keys(np.arange(rows.topics + 1), 0))
    places = np.full(rows.replicas.shape, -1, np.int64)
    places[there] = which - begins[owner]
    sizes = np.diff(begins)
    return _plain(rows, places, sizes), sizes


def shift_growth_by_row(rows: TopicRows, size: Longs) -> Longs:
    """(m,) how much the shift has grown at each row since the topic's first id; ``size`` is (m,)."""
    first = rows.first_id[rows.topic]
    return np.asarray(rows.partition // size - np.maximum(0, first - 1) // size, np.int64)


def count_votes(rows: TopicRows, votes: Votes) -> Tally:
    """Count the votes, topic by topic."""
    weight = np.concatenate([[0], np.cumsum(np.where(votes.fits, votes.count, 0))])[rows.begins]
    edges = [0]
    while edges[-1] < rows.topics:
        end = int(np.searchsorted(weight, weight[edges[-1]] + _VOTES_AT_ONCE, side="right")) - 1
        edges.append(min(rows.topics, max(end, edges[-1] + 1)))
    parts = [_count(rows, votes, a, b) for a, b in pairwise(edges)]
    if not parts:
        nothing = np.empty(0, np.int64)
        return Tally(nothing, nothing, nothing, np.zeros(1, np.int64))
    best = np.concatenate([part[3] for part in parts])
    return Tally(
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
        np.concatenate([part[2] for part in parts]),
        np.concatenate([[0], np.cumsum(best)]),
    )


def _count(rows: TopicRows, votes: Votes, first: int, last: int) -> tuple[Longs, Longs, Longs, Longs]:
    """Most votes a topic, starts and phases that have them, and how many of those a topic; topics first to last - 1."""
    span = slice(int(rows.begins[first]), int(rows.begins[last]))
    chosen = np.flatnonzero(votes.fits[span]) + span.start
    count = votes.count[chosen]
    owner = np.repeat(np.arange(len(chosen)), count)
    step = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    topic = rows.topic[chosen][owner] - first
    phase = (votes.phase[chosen][owner] - step) % votes.cycle[topic + first]
    reached = phase % votes.grid == 0
    topic, phase, owner = topic[reached], phase[reached], owner[reached]
    width = int(votes.cycle.max(initial=1)) + 1
    key = (topic * (width + 1) + votes.start[chosen][owner]) * width + phase
    found, number = np.unique(key, return_counts=True)
    of_topic = found // width // (width + 1)
    most = np.zeros(last - first, np.int64)
    np.maximum.at(most, of_topic, number)
    kept = number == most[of_topic]
    found, of_topic = found[kept], of_topic[kept]
    return most, found // width % (width + 1), found % width, np.bincount(of_topic, minlength=last - first)


def _places(replicas: IntArray, ring: Ring) -> Longs:
    """Broker ids to places on the ring, -1 for padding and brokers that are not on it."""
    table = ring.place_table
    if table is not None:
        # Padding, -1, and ids beyond the table find the -1 at its end.
        return table[np.minimum(replicas, len(table) - 1)]
    order = ring.by_id
    ids = ring.id_column[order]
    at = np.minimum(np.searchsorted(ids, replicas), len(ids) - 1)
    return np.where(ids[at] == replicas, order[at], -1)


def _plain(rows: TopicRows, places: Longs, size_of: Longs) -> Votes:
    """Votes without racks; the ring's size may differ from topic to topic."""
    size = size_of[rows.topic]
    cycle = np.maximum(1, size - 1)
    factor = rows.factor[rows.topic]
    fits = rows.usable & ((places >= 0) | (rows.replicas < 0)).all(axis=1)
    first = places[:, 0]
    start = (first - rows.partition) % size
    count = np.ones_like(start)
    if places.shape[1] < 2:
        return Votes(fits, start, np.zeros_like(start), count, np.maximum(1, size_of - 1))
    offset = (places[:, 1] - first - 1) % size
    for replica in range(1, places.shape[1]):
        expected = (first + 1 + (offset + replica - 1) % cycle) % size
        fits &= (replica >= factor) | (places[:, replica] == expected)
    phase = np.where(factor == 1, 0, (offset - shift_growth_by_row(rows, size)) % cycle)
    return Votes(fits, start, phase, count, np.maximum(1, size_of - 1))


def _passed_before(ring: Ring, first: Longs, second: Longs) -> Longs:
    """How many walks are led to the second replica's place by passing over the places just before it."""
    if ring.racks == 1:
        return np.zeros(len(first), np.int64)
    rack, size, run = ring.rack_column, ring.size, ring.run_before
    same = rack[(second - 1) % size] == rack[first]
    back = (second - 1 - first) % size
    return np.where(same, run[second] - (back < run[second]), 0)
