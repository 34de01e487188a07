"""The rings of brokers on which a topic's lists are tried, and the best draws kept of each.

A topic is open until some ring explains all of its lists; of those that explain most, the nearest are kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from reseat.model import NONE, Broker, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.wording import counted, listed, named, verb
from reseat.placement.fingerprint.fits import Fit, differences
from reseat.placement.ring import Ring, ring_of
from reseat.placement.votes import Tally, TopicRows, Votes, count_votes, votes_on_own_rings, votes_on_ring

__all__ = [
    "CHANCE_OF_ADMIN_ORDER",
    "MEMBERSHIPS",
    "Found",
    "Search",
    "fit_of",
    "nearest_fit",
    "try_other_clusters",
    "try_present_cluster",
    "words_of_brokers",
]

#: The most memberships of one kind tried beside the present cluster; each costs a pass over the topics still open.
MEMBERSHIPS = 12
#: Few and short lists fit some draws on some ring by chance. What fits all lists in the order of 2.8, or on another
#: cluster than the present one, or most lists anywhere, counts only where lists drawn at random would do so at most
#: this often (a union bound over draws and rings). The order of 2.8 is one ring and known to happen, so it gets more.
CHANCE_OF_ADMIN_ORDER = 0.2
_CHANCE_ELSEWHERE = 0.02
#: A ring that explains more lists than chance would once in e**60 times is the ring; no others are tried.
_BEYOND_DOUBT = -60.0
#: Logarithms of chances that differ by less are equal.
_SAME_CHANCE = 1e-6
#: The most equally near rings kept for a topic, and the most that were near before.
_EQUALLY_NEAR = 3


@dataclass(frozen=True, eq=False)
class Found:
    """A topic's best draws on one ring, and how likely lists drawn at random would fit some as well."""

    ring: Ring
    circumstance: str
    start: int
    phases: Longs
    chance: float


class Search:
    """One inference over a layout: what is open, what was found, and the rings tried."""

    def __init__(self, layout: ClusterLayout, names: Sequence[str], rows: TopicRows) -> None:
        self.layout, self.names, self.rows = layout, names, rows
        racks_told = all(broker.rack is not None for broker in layout.brokers)
        #: All brokers, by id, with their racks where all have one; and their ring.
        self.brokers = {one.id: Broker(one.id, one.rack if racks_told else None) for one in layout.brokers}
        self.present = ring_of(list(self.brokers.values()))
        self.exact: list[list[Found]] = [[] for _ in names]
        self.near: list[list[Found]] = [[] for _ in names]  # equally near ones, likeliest first
        self.farther: list[list[Found]] = [[] for _ in names]  # nearest until a nearer one was found, likeliest first
        self._best = np.full(len(names), np.inf)  # logarithm of the chance of ``near``
        self._row_votes: dict[tuple[int, int], tuple[Ring, Votes]] = {}
        self._log_factorial = np.concatenate(
            [[0.0], np.cumsum(np.log(np.arange(1, int(rows.sizes.max(initial=1)) + 1)))]
        )

    def open_topics(self) -> Longs:
        """The topics with replicas for which nothing fits yet."""
        return np.array(
            [number for number, found in enumerate(self.exact) if not found and self.rows.factor[number]], np.int64
        )

    def unexplained(self) -> Longs:
        """The topics for which nothing fits yet, and of which no ring explains so much that no other can do better."""
        still = self.open_topics()
        return still[self._best[still] > _BEYOND_DOUBT]

    def try_ring(self, ring: Ring, circumstance: str, topics: Longs, *, chance: float = 1.0, rings: int = 1) -> None:
        """Try one ring on these topics.

        Args:
            ring: the ring.
            circumstance: what it is, where it is not the present cluster.
            topics: the topics.
            chance: fits all lists counts up to this chance.
            rings: how many rings of the kind are tried, for the chance.
        """
        if not topics.size or not ring.size:
            return
        rows = self.rows.only(topics)
        tally = count_votes(rows, votes_on_ring(rows, ring))
        sizes = np.full(len(topics), ring.size)
        many = np.full(len(topics), math.log(rings))
        self._keep(tally, topics, lambda _: (ring, circumstance), ring_sizes=sizes, log_rings=many, chance=chance)

    def try_own_rings(self, topics: Longs) -> None:
        """Try, on each of these topics, the brokers that it mentions itself."""
        if not topics.size:
            return
        rows = self.rows.only(topics)
        votes, sizes = votes_on_own_rings(rows)

        def ring_and_words(number: int) -> tuple[Ring, str]:
            ids = _mentioned(rows, number)
            return ring_of([Broker(broker) for broker in ids]), self.membership_words(ids)

        everyone = len(self.layout.brokers)
        # As many rings as there are clusters of that size among the present brokers.
        log_of = _log_factorials(everyone)
        rings = log_of[everyone] - log_of[sizes] - log_of[everyone - sizes]
        tally = count_votes(rows, votes)
        self._keep(tally, topics, ring_and_words, ring_sizes=sizes, log_rings=rings, chance=_CHANCE_ELSEWHERE)

    def _keep(
        self,
        tally: Tally,
        topics: Longs,
        ring_and_words: Callable[[int], tuple[Ring, str]],
        *,
        ring_sizes: Longs,
        log_rings: FloatArray,
        chance: float,
    ) -> None:
        total, factor = self.rows.sizes[topics], self.rows.factor[topics]
        everyone = np.maximum(ring_sizes, len(self.layout.brokers))
        # How many lists of a factor there are over so many brokers.
        log_of = _log_factorials(int(everyone.max(initial=1)))
        log_lists = log_of[everyone] - log_of[np.maximum(0, everyone - factor)]
        log_draws = np.log(ring_sizes) + np.where(factor > 1, np.log(np.maximum(1, ring_sizes - 1)), 0.0)
        ways = self._log_factorial[total] - self._log_factorial[tally.most] - self._log_factorial[total - tally.most]
        log_chance = np.minimum(0.0, log_rings + log_draws + ways - tally.most * log_lists)
        whole = (tally.most == total) & (tally.most > 0)
        counts = whole & (log_chance <= math.log(chance))
        nearer = ~whole & (tally.most > 0) & (log_chance < self._best[topics] - _SAME_CHANCE)
        as_near = ~whole & (tally.most > 0) & (np.abs(log_chance - self._best[topics]) <= _SAME_CHANCE)
        self._best[topics[nearer]] = log_chance[nearer]
        for number in np.flatnonzero(counts | nearer | as_near).tolist():
            topic = int(topics[number])
            ring, words = ring_and_words(number)
            span = slice(int(tally.begins[number]), int(tally.begins[number + 1]))
            start, phases = tally.start[span], tally.phase[span]
            for value in np.unique(start).tolist()[: None if counts[number] else 1]:
                found = Found(ring, words, value, phases[start == value], math.exp(log_chance[number]))
                if counts[number]:
                    self.exact[topic].append(found)
                elif nearer[number]:
                    self.farther[topic] = [*self.near[topic], *self.farther[topic]][:_EQUALLY_NEAR]
                    self.near[topic] = [found]
                elif len(self.near[topic]) < _EQUALLY_NEAR:
                    self.near[topic].append(found)

    def gather_row_votes(self) -> None:
        """Once all rings are tried: what lists of open topics speak for on their nearest rings and on the present."""
        # By identity: rings are large to compare, and one object serves all topics that it was tried on.
        by_ring: dict[int, tuple[Ring, list[int]]] = {}
        for topic, near in enumerate(self.near):
            for found in (*near, *self.farther[topic]) if not self.exact[topic] else ():
                for ring in (found.ring, self.present):
                    by_ring.setdefault(id(ring), (ring, []))[1].append(topic)
        for ring, several in by_ring.values():
            topics = list(dict.fromkeys(several))
            rows = self.rows.only(np.array(topics, np.int64))
            votes = votes_on_ring(rows, ring)
            for number, topic in enumerate(topics):
                span = slice(int(rows.begins[number]), int(rows.begins[number + 1]))
                self._row_votes[topic, id(ring)] = ring, votes.of(span, slice(number, number + 1))

    def row_votes(self, topic: int, ring: Ring) -> Votes:
        """What each list of a topic speaks for on a ring."""
        if (topic, id(ring)) not in self._row_votes:  # the ring is kept beside, so that no other gets its identity
            self._row_votes[topic, id(ring)] = ring, votes_on_ring(self.rows.only(np.array([topic])), ring)
        return self._row_votes[topic, id(ring)][1]

    def present_up_to(self, highest: int) -> list[Broker]:
        """The present brokers with at most this id."""
        return [one for one in self.brokers.values() if one.id <= highest]

    def membership_words(self, ids: Sequence[int]) -> str:
        """What a cluster of these brokers was, seen from the present one."""
        now = set(self.layout.broker_ids.tolist())
        came, left = sorted(now - set(ids)), sorted(set(ids) - now)
        words = []
        if came:
            words.append(f"before {named('broker', came)} joined")
        if left:
            one = verb(len(left), "broker", "brokers")
            words.append(f"while {one} {listed(left)} {verb(len(left), 'was', 'were')} there")
        return " and ".join(words)


def words_of_brokers(ids: Sequence[int], circumstance: str) -> str:
    """Which brokers something was placed over, and what these are where they are not the present ones."""
    which = f"[{', '.join(map(str, ids))}]" if len(ids) <= 12 else counted(len(ids), "broker")
    return f"over {which} {circumstance}".rstrip()


def _log_factorials(most: int) -> FloatArray:
    """Logarithms of 0! to ``most``!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def _mentioned(rows: TopicRows, topic: int) -> tuple[int, ...]:
    """The brokers that a topic's lists mention, sorted."""
    lists = rows.replicas[int(rows.begins[topic]) : int(rows.begins[topic + 1])]
    return tuple(int(broker) for broker in np.unique(lists) if broker != NONE)


def try_present_cluster(search: Search, topics: Longs) -> None:
    """Try all brokers, with their racks and without."""
    search.try_ring(search.present, "", topics)
    if search.present.rack_aware:
        search.try_ring(ring_of([Broker(broker) for broker in search.brokers]), "", topics)


def try_other_clusters(search: Search) -> None:
    """Brokers that hold anything, up to some id, known from other topics, of the topic itself, or with a gap filled."""
    layout, topics = search.layout, search.unexplained()
    if not topics.size:
        return
    rack_of = {broker.id: broker.rack for broker in layout.brokers}
    present = tuple(rack_of)
    holding = tuple(np.unique(layout.replica_ids[layout.replica_ids != NONE]).tolist())
    highest = np.unique(
        [int(search.rows.replicas[search.rows.begins[t] : search.rows.begins[t + 1]].max()) for t in topics.tolist()]
    )
    upto = [tuple(i for i in present if i <= top) for top in highest.tolist()[-MEMBERSHIPS:]]
    tried: set[tuple[int, ...]] = {present}

    def try_membership(ids: tuple[int, ...], aimed: Longs) -> None:
        if len(ids) < 1 or ids in tried or not aimed.size:
            return
        tried.add(ids)
        words = search.membership_words(ids)
        rings = [ring_of([Broker(broker) for broker in ids])]
        if all(rack_of.get(broker) is not None for broker in ids):
            rings.insert(0, ring_of([Broker(broker, rack_of[broker]) for broker in ids]))
        for ring in rings:
            search.try_ring(ring, words, aimed, chance=_CHANCE_ELSEWHERE, rings=4 * MEMBERSHIPS)

    for ids in (holding, *upto):
        try_membership(ids, topics)
    search.try_own_rings(topics)
    # Clusters that other topics were striped over, most frequent first; with racks, what topics mention themselves.
    for ids in _frequent_memberships(search, topics):
        try_membership(ids, search.unexplained())
    for ids in _gaps_filled(present):
        try_membership(ids, search.unexplained())


def _frequent_memberships(search: Search, topics: Longs) -> list[tuple[int, ...]]:
    times: dict[tuple[int, ...], int] = {}
    for topic in topics.tolist():
        for found in search.exact[topic]:
            ids = tuple(sorted(found.ring.ids))
            times[ids] = times.get(ids, 0) + 1
        if not search.exact[topic]:
            ids = _mentioned(search.rows, topic)
            times[ids] = times.get(ids, 0) + 1
    return sorted(times, key=lambda ids: (-times[ids], ids))[:MEMBERSHIPS]


def _gaps_filled(present: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cluster with each missing id between its lowest and highest put back, and with all of them."""
    if not present:
        return []
    missing = sorted(set(range(present[0], present[-1])) - set(present)) if present[-1] - present[0] < 10_000 else []
    if not missing or len(missing) > MEMBERSHIPS:
        return []
    return [tuple(sorted((*present, i))) for i in missing] + [tuple(sorted((*present, *missing)))]


def fit_of(found: Found, first_id: int, factor: int) -> Fit:
    """All pairs of start and shift that make what these draws make, on one start."""
    ring = found.ring
    if factor == 1 or ring.size <= 2:
        shifts = tuple(range(ring.size))
    else:
        offsets = ring.offset_of(np.arange(ring.size))
        shifts = tuple(np.flatnonzero(np.isin(offsets, found.phases)).tolist())
    return Fit(ring.ids, ring.rack_aware, found.start, shifts, first_id, found.circumstance, ring)


def nearest_fit(near: Found, first_id: int, factor: int, ids: Longs, lists: IntArray) -> Fit | None:
    """The fit of the most frequent draws; of several equally frequent ones that with the fewest replicas off."""
    fit = fit_of(near, first_id, factor)
    if not fit.shifts:
        return None
    offsets = near.ring.offset_of(np.array(fit.shifts))
    best, least = fit.shifts, None
    several = np.unique(offsets).tolist()[:MEMBERSHIPS]
    for offset in several if len(several) > 1 else ():
        shifts = tuple(shift for shift, o in zip(fit.shifts, offsets.tolist(), strict=True) if o == offset)
        off = int(differences((replace(fit, shifts=shifts),), factor, ids, lists).sum())
        if least is None or off < least:
            best, least = shifts, off
    return replace(fit, shifts=best)
