"""From replica lists back to the draws that made them: which topics sit as Kafka's striped placement put them.

What it promises, in this order: every pair of start index and shift from 0 to n - 1 that makes a topic's lists is
found, rack-unaware and rack-aware, over the brokers of the layout; where none does, it is said so, with the nearest
pair, the partitions that differ from it and by how many replicas. Where the layout's brokers make nothing, other
circumstances are tried, and named: brokers in the order of the Admin protocol of 2.8, brokers that came later or left,
partitions that were added later.

What it needs: replica lists in assignment order, all brokers, and racks where there are any.

How it works: on a given ring of brokers every list votes for the draws that it fits (``votes.py``); draws with all
votes of a topic make it. The rings tried are, in order: all brokers with racks, all brokers without; all brokers in the
order of 2.8; then smaller clusters: the brokers that hold anything, brokers up to some id (ids are mostly given out in
ascending order), clusters that other topics were found to be striped over, the brokers that the topic itself mentions,
and all brokers with one missing id put back. The first of these groups in which something fits is told, all that fits
in it. Lists that fit nothing in one piece are tried as a topic that grew: with the first replica of partition 0 known,
added partitions have no draws of their own but for the id at which they begin. What is left is told by the nearest
pair: the one with the most partitions untouched.

Topics made by a KRaft controller are placed otherwise and come out as not striped.

Two limits, said where they matter. The shift is known modulo n - 1 only, so 0 and n - 1 look alike; with replication
factor 1, or two brokers, it leaves no trace at all. And the first partition id is taken to be the lowest there is.

Example: brokers 0, 1, 2 and lists [2, 0, 1], [0, 1, 2], [1, 2, 0], [2, 1, 0]: start 2, shift 0 or 2.

Complexity: O(P R) and sorting for each ring tried on all topics still open; 10,000 topics and 200,000 partitions take a
second or two.

Source: the inference is derived here from ``AdminUtils.assignReplicasToBrokers``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
import numpy.typing as npt

from reseat.errors import PlacementRefused
from reseat.model import NONE, BoolArray, Broker, ClusterLayout
from reseat.model.wording import counted, listed, verb
from reseat.placement.admin_order import admin_order
from reseat.placement.ring import Ring, ring_of
from reseat.placement.striped import lists_at
from reseat.placement.votes import (
    Longs,
    Tally,
    TopicRows,
    count_votes,
    votes_on_own_rings,
    votes_on_ring,
)

__all__ = ["Fit", "TopicFingerprint", "Verdict", "infer"]

#: The most memberships of one kind tried beside the present cluster; each costs a pass over the topics still open.
_MEMBERSHIPS = 12
#: Few and short lists fit some draws on some ring by chance. What fits all lists in the order of 2.8, or on another
#: cluster than the present one, or most lists anywhere, counts only where lists drawn at random would do so at most
#: this often (a union bound over draws and rings). The order of 2.8 is one ring and known to happen, so it gets more.
_CHANCE_OF_ADMIN_ORDER = 0.2
_CHANCE_ELSEWHERE = 0.02
_CHANCE_OF_MOVED = 0.1
#: And only from this many lists on, and this share of all: one list alone fits some draws easily, and lists of KRaft's
#: placer, which are turns of one order, agree with a few draws more often than lists at random.
_UNTOUCHED_LEAST, _UNTOUCHED_SHARE = 2, 1 / 3
#: Up to this many lists a topic is looked at for added partitions, however little its lists say.
_FEW_LISTS = 12
#: A ring that explains more lists than chance would once in e**60 times is the ring; no others are tried.
_BEYOND_DOUBT = -60.0
#: Logarithms of chances that differ by less are equal.
_SAME_CHANCE = 1e-6
#: The most equally near rings kept for a topic.
_EQUALLY_NEAR = 3
#: How often partitions may have been added to one topic.
_ADDITIONS = 8


class Verdict(Enum):
    """What a topic's lists say."""

    STRIPED = "striped"
    """Every partition sits as striped placement put it."""
    GREW = "striped, partitions added later"
    """Striped, and the partitions added later are where Kafka puts added ones."""
    MOVED = "striped, partitions moved since"
    """Most of it sits as placed; some partitions were moved by hand or by a tool."""
    NOT_STRIPED = "not striped"
    """No draws make it, nor nearly."""
    UNKNOWN = "unknown"
    """No draws make it without racks, and racks, which placement heeds where there are some, are unknown."""


@dataclass(frozen=True)
class Fit:
    """A ring of brokers and all draws on it that make the same lists.

    Attributes:
        brokers: broker ids in ring order.
        rack_aware: whether racks played a part.
        start: the start index.
        shifts: every replica shift from 0 to n - 1 that gives the same lists.
        first_id: the first partition id that start and shifts are counted from.
        circumstance: where this is not the present cluster, a clause that says what it is
            ("before broker 11 joined"); else empty.
        ring: the ring, to place on again.
    """

    brokers: tuple[int, ...]
    rack_aware: bool
    start: int
    shifts: tuple[int, ...]
    first_id: int
    circumstance: str
    ring: Ring

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every (start, shift)."""
        return tuple((self.start, shift) for shift in self.shifts)

    def lists(self, partitions: Iterable[int], replication_factor: int) -> list[list[int]]:
        """The replica lists that this fit gives to these partition ids."""
        ids = np.array(list(partitions), np.int64)
        made = lists_at(
            self.ring, ids, replication_factor, start=self.start, shift=self.shifts[0], first_id=self.first_id
        )
        return [[int(broker) for broker in row] for row in made]


@dataclass(frozen=True)
class TopicFingerprint:
    """How a topic's replicas came to sit where they sit.

    Attributes:
        topic: its name.
        verdict: what its lists say.
        fits: everything that makes all its lists (for ``GREW``: the lists first placed), likeliest first; for ``MOVED``
            the nearest; empty for ``NOT_STRIPED`` and ``UNKNOWN``.
        added: for ``GREW``, the fits of partitions added later, each with its ``first_id``.
        nearest: the nearest fit where none makes all lists, also for ``NOT_STRIPED``; None where there is nothing near.
        moved: partition ids whose list differs from the nearest fit; empty for ``NOT_STRIPED``, where nothing is known
            to have moved.
        replicas_off: replicas that differ from the nearest fit, by place in their lists; None where there is none.
        partitions: how many partitions the topic has.
        sentence: all this for a person.
    """

    topic: str
    verdict: Verdict
    fits: tuple[Fit, ...]
    added: tuple[Fit, ...]
    nearest: Fit | None
    moved: tuple[int, ...]
    replicas_off: int | None
    partitions: int
    sentence: str

    @property
    def striped(self) -> bool:
        """Whether every partition sits where Kafka put it."""
        return self.verdict in (Verdict.STRIPED, Verdict.GREW)

    @property
    def rack_aware(self) -> bool | None:
        """Whether racks played a part in the likeliest fit; None where nothing fits."""
        return self.fits[0].rack_aware if self.fits else None

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Every (start, shift) of the likeliest fit."""
        return self.fits[0].pairs if self.fits else ()


@dataclass(frozen=True, eq=False)
class _Found:
    """A topic's best draws on one ring, and how likely lists drawn at random would fit some as well."""

    ring: Ring
    circumstance: str
    start: int
    phases: Longs
    chance: float


class _Search:
    """One inference over a layout: what is open, what was found, and the rings tried."""

    def __init__(self, layout: ClusterLayout, names: Sequence[str], rows: TopicRows) -> None:
        self.layout, self.names, self.rows = layout, names, rows
        self.exact: list[list[_Found]] = [[] for _ in names]
        self.near: list[list[_Found]] = [[] for _ in names]  # equally near ones, likeliest first
        self._best = np.full(len(names), np.inf)  # logarithm of the chance of ``near``
        self._row_votes: dict[tuple[int, int], tuple[BoolArray, Longs]] = {}
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
        log_rings: npt.NDArray[np.float64],
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
                found = _Found(ring, words, value, phases[start == value], math.exp(log_chance[number]))
                if counts[number]:
                    self.exact[topic].append(found)
                elif nearer[number]:
                    self.near[topic] = [found]
                elif len(self.near[topic]) < _EQUALLY_NEAR:
                    self.near[topic].append(found)

    def gather_row_votes(self) -> None:
        """Once all rings are tried: what each list of the topics still open speaks for on its nearest rings."""
        # By identity: rings are large to compare, and one object serves all topics that it was tried on.
        by_ring: dict[int, tuple[Ring, list[int]]] = {}
        for topic, near in enumerate(self.near):
            for found in near if not self.exact[topic] else ():
                by_ring.setdefault(id(found.ring), (found.ring, []))[1].append(topic)
        for ring, topics in by_ring.values():
            rows = self.rows.only(np.array(topics, np.int64))
            votes = votes_on_ring(rows, ring)
            for number, topic in enumerate(topics):
                span = slice(int(rows.begins[number]), int(rows.begins[number + 1]))
                self._row_votes[topic, id(ring)] = (votes.fits[span], votes.start[span])

    def row_votes(self, topic: int, ring: Ring) -> tuple[BoolArray, Longs]:
        """Whether each list of a topic fits any draws on one of its nearest rings, and the start index then."""
        return self._row_votes[topic, id(ring)]

    def membership_words(self, ids: Sequence[int]) -> str:
        """What a cluster of these brokers was, seen from the present one."""
        now = set(self.layout.broker_ids.tolist())
        came, left = sorted(now - set(ids)), sorted(set(ids) - now)
        words = []
        if came:
            words.append(f"before {'broker' if len(came) == 1 else 'brokers'} {listed(came)} joined")
        if left:
            one = "broker" if len(left) == 1 else "brokers"
            words.append(f"while {one} {listed(left)} {verb(len(left), 'was', 'were')} there")
        return " and ".join(words)


def _log_factorials(most: int) -> npt.NDArray[np.float64]:
    """Logarithms of 0! to ``most``!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, most + 1)))])


def _mentioned(rows: TopicRows, topic: int) -> tuple[int, ...]:
    """The brokers that a topic's lists mention, sorted."""
    lists = rows.replicas[int(rows.begins[topic]) : int(rows.begins[topic + 1])]
    return tuple(int(broker) for broker in np.unique(lists) if broker != NONE)


def infer(layout: ClusterLayout, topics: Iterable[str] | None = None) -> tuple[TopicFingerprint, ...]:
    """Work back from replica lists to the draws that made them.

    Args:
        layout: the layout; its brokers are the present cluster. Replicas that a reassignment under way removes are left
            aside.
        topics: the topics to look at; None: all.

    Returns:
        A fingerprint for each topic, in the order of ``topics`` (of the layout where None).

    Raises:
        PlacementRefused: an unknown topic, or one whose lists are not told in assignment order.
    """
    names = [layout.topics[i] for i in np.unique(layout.topic_of)] if topics is None else list(topics)
    unknown = [name for name in names if not len(layout.rows_of_topic(name))]
    if unknown:
        raise PlacementRefused(f"This layout has no topic {unknown[0]}.", topics=tuple(unknown))
    code = {name: number for number, name in enumerate(layout.topics)}
    unordered = [name for name in names if not layout.order_told[code[name]]]
    if unordered:
        raise PlacementRefused(
            f"The source does not tell replicas of {counted(len(unordered), 'topic')} in assignment order "
            f"({listed(unordered)}), so nothing can be said of how they were placed.",
            topics=tuple(unordered),
            choices=("Say that the order is right, or leave them out.",),
        )
    if not names:
        return ()
    settled = layout.target()
    rows = _rows(settled, np.array([code[name] for name in names], np.int64))
    search = _Search(settled, names, rows)
    _present_cluster(search, search.open_topics())
    search.try_ring(
        ring_of([Broker(broker) for broker in admin_order(settled.broker_ids.tolist())]),
        "in the order of the Admin protocol of 2.8",
        search.open_topics(),
        chance=_CHANCE_OF_ADMIN_ORDER,
    )
    _other_clusters(search)
    search.gather_row_votes()
    found = [_fingerprint(search, number) for number in range(len(names))]
    if not settled.unknown_racks:
        return tuple(found)
    return tuple(_in_doubt(one) if factor else one for one, factor in zip(found, rows.factor.tolist(), strict=True))


def _in_doubt(one: TopicFingerprint) -> TopicFingerprint:
    """What is said of a topic where racks are unknown: that no draws fit without them proves nothing."""
    if one.verdict is not Verdict.NOT_STRIPED:
        return one
    said = f"{one.topic}: unknown, because racks are unknown and no start and shift without racks match its lists."
    return replace(one, verdict=Verdict.UNKNOWN, nearest=None, replicas_off=None, sentence=said)


def _rows(layout: ClusterLayout, codes: Longs) -> TopicRows:
    begins = np.searchsorted(layout.topic_of, np.arange(len(layout.topics) + 1))
    usable = np.ones(layout.partition_count, np.bool_)
    usable[layout.duplicates] = False
    factors = layout.replication_factor.astype(np.int64)
    # The factor that most partitions of a topic with replicas have, the smaller where two are as frequent; 0: none has.
    width = layout.replicas.shape[1] + 1
    count = np.bincount(layout.topic_of * np.int64(width) + factors, minlength=len(layout.topics) * width)
    count = count.reshape(len(layout.topics), width)
    count[:, 0] = 0
    usual = count.argmax(axis=1).astype(np.int64)
    usable &= (factors == usual[layout.topic_of]) & (factors > 0)
    whole = TopicRows(
        layout.topic_of.astype(np.int64),
        layout.partition.astype(np.int64),
        layout.replica_ids,
        usable,
        usual,
        layout.partition[np.minimum(begins[:-1], max(0, layout.partition_count - 1))].astype(np.int64),
        begins.astype(np.int64),
    )
    return whole.only(codes)


def _present_cluster(search: _Search, topics: Longs) -> None:
    brokers = search.layout.brokers
    if brokers and all(broker.rack is not None for broker in brokers):
        search.try_ring(ring_of(brokers), "", topics)
        search.try_ring(ring_of([Broker(broker.id) for broker in brokers]), "", topics)
    else:
        search.try_ring(ring_of([Broker(broker.id) for broker in brokers]), "", topics)


def _other_clusters(search: _Search) -> None:
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
    upto = [tuple(i for i in present if i <= top) for top in highest.tolist()[-_MEMBERSHIPS:]]
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
            search.try_ring(ring, words, aimed, chance=_CHANCE_ELSEWHERE, rings=4 * _MEMBERSHIPS)

    for ids in (holding, *upto):
        try_membership(ids, topics)
    search.try_own_rings(topics)
    # Clusters that other topics were striped over, most frequent first; with racks, what topics mention themselves.
    for ids in _frequent_memberships(search, topics):
        try_membership(ids, search.unexplained())
    for ids in _gaps_filled(present):
        try_membership(ids, search.unexplained())


def _frequent_memberships(search: _Search, topics: Longs) -> list[tuple[int, ...]]:
    times: dict[tuple[int, ...], int] = {}
    for topic in topics.tolist():
        for found in search.exact[topic]:
            ids = tuple(sorted(found.ring.ids))
            times[ids] = times.get(ids, 0) + 1
        if not search.exact[topic]:
            ids = _mentioned(search.rows, topic)
            times[ids] = times.get(ids, 0) + 1
    return sorted(times, key=lambda ids: (-times[ids], ids))[:_MEMBERSHIPS]


def _gaps_filled(present: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The cluster with each missing id between its lowest and highest put back, and with all of them."""
    if not present:
        return []
    missing = sorted(set(range(present[0], present[-1])) - set(present)) if present[-1] - present[0] < 10_000 else []
    if not missing or len(missing) > _MEMBERSHIPS:
        return []
    return [tuple(sorted((*present, i))) for i in missing] + [tuple(sorted((*present, *missing)))]


def _fit(found: _Found, first_id: int, factor: int) -> Fit:
    ring = found.ring
    if factor == 1 or ring.size <= 2:
        shifts = tuple(range(ring.size))
    else:
        offsets = ring.offset_of(np.arange(ring.size))
        shifts = tuple(np.flatnonzero(np.isin(offsets, found.phases)).tolist())
    return Fit(ring.ids, ring.rack_aware, found.start, shifts, first_id, found.circumstance, ring)


def _fingerprint(search: _Search, number: int) -> TopicFingerprint:
    rows, name = search.rows, search.names[number]
    span = slice(int(rows.begins[number]), int(rows.begins[number + 1]))
    ids, lists = rows.partition[span], rows.replicas[span]
    factor, first_id, size = int(rows.factor[number]), int(rows.first_id[number]), len(ids)
    fits = tuple(fit for found in search.exact[number] if (fit := _fit(found, first_id, factor)).shifts)
    if fits:
        sentence = _striped_sentence(name, fits, size, factor)
        return TopicFingerprint(name, Verdict.STRIPED, fits, (), None, (), None, size, sentence)
    # Of equally near rings the one whose best draws leave fewest lists to explain, as grown or as they are.
    pieces = []
    for near in search.near[number]:
        fit_there = _nearest(near, first_id, factor, ids, lists)
        if fit_there is not None:
            pieces.append(_pieces(search, number, near, fit_there, ids=ids, lists=lists))
    if not pieces:
        said = f"{name} is not striped: none of its {counted(size, 'list')} fits any draws."
        if not factor:
            said = f"{name} has no replicas, so nothing can be said of how it was placed."
        return TopicFingerprint(name, Verdict.NOT_STRIPED, (), (), None, (), None, size, said)
    least = min(piece.left for piece in pieces)
    best = [piece for piece in pieces if piece.left == least]
    nearest, grown, differ = best[0].first, best[0].added, best[0].differ
    moved = tuple(ids[differ > 0].tolist())
    off = int(differ.sum())
    untouched = size - len(moved)
    if not moved:
        sentence = _grown_sentence(name, nearest, grown, size)
        firsts = tuple(piece.first for piece in best)
        return TopicFingerprint(name, Verdict.GREW, firsts, grown, None, (), None, size, sentence)
    if best[0].chance <= _CHANCE_OF_MOVED and untouched >= max(_UNTOUCHED_LEAST, size * _UNTOUCHED_SHARE):
        sentence = (
            f"{counted(len(moved), 'partition')} of {size:,} of {name} ({listed(moved)}) "
            f"{verb(len(moved), 'was', 'were')} moved: {counted(off, 'replica')} differ from "
            f"{_words_of(nearest)}."
        )
        # Another ring counts beside the nearest where it leaves the very same replicas elsewhere.
        fits = tuple(piece.first for piece in best if np.array_equal(piece.differ, differ))
        return TopicFingerprint(name, Verdict.MOVED, fits, grown, nearest, moved, off, size, sentence)
    sentence = (
        f"{name} is not striped: no draws make its lists. The nearest, {_words_of(nearest)}, "
        f"fits {counted(untouched, 'list')} of {size:,} and differs in {counted(off, 'replica')}."
    )
    return TopicFingerprint(name, Verdict.NOT_STRIPED, (), (), nearest, (), off, size, sentence)


def _nearest(near: _Found, first_id: int, factor: int, ids: Longs, lists: npt.NDArray[np.int32]) -> Fit | None:
    """The fit of the most frequent draws; of several equally frequent ones that with the fewest replicas off."""
    fit = _fit(near, first_id, factor)
    if not fit.shifts:
        return None
    offsets = near.ring.offset_of(np.array(fit.shifts))
    best, least = fit.shifts, None
    several = np.unique(offsets).tolist()[:_MEMBERSHIPS]
    for offset in several if len(several) > 1 else ():
        shifts = tuple(shift for shift, o in zip(fit.shifts, offsets.tolist(), strict=True) if o == offset)
        off = int(_differences((replace(fit, shifts=shifts),), factor, ids, lists).sum())
        if least is None or off < least:
            best, least = shifts, off
    return replace(fit, shifts=best)


def _differences(fits: Sequence[Fit], factor: int, ids: Longs, lists: npt.NDArray[np.int32]) -> Longs:
    """(m,) replicas of each list that are not where the fits put them, a replica too many or too few included."""
    made = np.full(lists.shape, NONE, np.int32)
    for fit in fits:
        rows = slice(0, len(ids)) if fit is fits[0] else slice(int(np.searchsorted(ids, fit.first_id)), len(ids))
        made[rows, :factor] = lists_at(
            fit.ring, ids[rows], factor, start=fit.start, shift=fit.shifts[0], first_id=fit.first_id
        )
    return np.asarray((made != lists).sum(axis=1), np.int64)


@dataclass(frozen=True, eq=False)
class _Pieces:
    """A topic in pieces: the partitions placed first, those added later, and what neither explains."""

    first: Fit
    added: tuple[Fit, ...]
    differ: Longs
    chance: float

    @property
    def left(self) -> int:
        """How many lists are not explained."""
        return int((self.differ > 0).sum())


def _pieces(
    search: _Search, number: int, near: _Found, nearest: Fit, *, ids: Longs, lists: npt.NDArray[np.int32]
) -> _Pieces:
    differ = _differences((nearest,), int(search.rows.factor[number]), ids, lists)
    # A topic in pieces has one piece that is most unlikely by chance, unless it is small.
    if near.chance > _CHANCE_OF_MOVED and len(ids) > _FEW_LISTS:
        return _Pieces(nearest, (), differ, near.chance)
    first, added, differ = _grown(search, number, nearest, differ, ids=ids, lists=lists)
    return _Pieces(first, added, differ, near.chance)


def _grown(
    search: _Search, number: int, nearest: Fit, differ: Longs, *, ids: Longs, lists: npt.NDArray[np.int32]
) -> tuple[Fit, tuple[Fit, ...], Longs]:
    """The fit of the partitions placed first, of those added later, each from its first id on, and what differs then.

    Added partitions have start and shift from the first replica that partition 0 had then, so only the id at which they
    begin is open. They go on to the end: where the last two lists are as placed first, nothing was added.
    """
    factor = int(search.rows.factor[number])
    if not _may_have_grown(search.row_votes(number, nearest.ring), nearest, differ, ids, lists):
        return nearest, (), differ
    candidates = [(nearest, _added_to(nearest, factor, ids, lists))] if differ[-2:].any() else []
    # The added ones may be the most: then those before them tell how the topic was placed first.
    ends = {int(np.argmax(differ == 0)), int(np.flatnonzero(differ)[-1]) + 1} if differ.any() else set()
    for begin in sorted(ends - {0, len(ids)}):
        rows = search.rows.only(np.array([number]))
        before = TopicRows(
            rows.topic[:begin], rows.partition[:begin], rows.replicas[:begin], rows.usable[:begin],
            rows.factor, rows.first_id, np.array([0, begin]),
        )  # fmt: skip
        tally = count_votes(before, votes_on_ring(before, nearest.ring))
        if tally.most[0] > 0:
            phases = tally.phase[tally.start == tally.start[0]]
            found = _Found(nearest.ring, nearest.circumstance, int(tally.start[0]), phases, 1.0)
            first = _nearest(found, nearest.first_id, factor, ids[:begin], lists[:begin])
            if first is not None:
                candidates.append((first, _added_to(first, factor, ids, lists)))
    best: tuple[Fit, tuple[Fit, ...], Longs] = (nearest, (), differ)
    least = before_all = int((differ > 0).sum())
    for first, added in candidates:
        differ_then = _differences((first, *added), factor, ids, lists)
        left = int((differ_then > 0).sum())
        # One or two lists more may be chance, unless nothing is left to explain.
        if added and left < least and (left == 0 or left < before_all - 2):
            best, least = (first, added, differ_then), left
    return best


def _may_have_grown(
    votes: tuple[BoolArray, Longs], nearest: Fit, differ: Longs, ids: Longs, lists: npt.NDArray[np.int32]
) -> bool:
    """Whether it is worth looking for added partitions: a cheap look that misses none.

    Either a list that differs has the start that added partitions would have, or the nearest fit itself has it and some
    list that differs fits draws of its own.
    """
    if int(ids[0]) != 0 or not differ.any():
        return False
    fits, start = votes
    others = fits & (differ > 0)
    positions = _added_positions(nearest, lists)
    return bool(np.isin(start[others], list(positions)).any()) or (nearest.start in positions and bool(others.any()))


def _added_positions(first: Fit, lists: npt.NDArray[np.int32]) -> set[int]:
    """Starts of added partitions: by the first replica that partition 0 was given, or by the one it has now."""
    return {first.ring.position_by_id(first.ring.ids[first.start]), first.ring.position_by_id(int(lists[0, 0]))}


def _added_to(first: Fit, factor: int, ids: Longs, lists: npt.NDArray[np.int32]) -> tuple[Fit, ...]:
    """Fits of partitions added later, as long as each explains more lists than it spoils."""
    size = first.ring.size
    offsets = first.ring.offset_of(np.arange(size))
    positions = _added_positions(first, lists)
    added: tuple[Fit, ...] = ()
    differ = _differences((first,), factor, ids, lists)
    while len(added) < _ADDITIONS:
        least = added[-1].first_id + 1 if added else 1
        begins = [at for at in np.flatnonzero(differ).tolist() if ids[at] >= least][:_MEMBERSHIPS]
        tried = []
        for position in positions:
            same = offsets == offsets[position] if factor > 1 else np.ones(size, np.bool_)
            shifts = tuple(np.flatnonzero(same).tolist())
            begun = replace(first, start=position, shifts=shifts)
            for begin in (*begins, *_earlier(begun, begins, factor, ids, lists, least=least)):
                fit = replace(begun, first_id=int(ids[begin]))
                tried.append((int((_differences((first, *added, fit), factor, ids, lists) > 0).sum()), begin, fit))
        if not tried:
            break
        left, _, fit = min(tried, key=lambda one: one[:2])
        if left >= int((differ > 0).sum()):
            break
        added = (*added, fit)
        differ = _differences((first, *added), factor, ids, lists)
    return added


def _earlier(
    fit: Fit, begins: Sequence[int], factor: int, ids: Longs, lists: npt.NDArray[np.int32], *, least: int
) -> list[int]:
    """Rows before the first of ``begins`` at which partitions may have been added: lists there may agree by chance.

    The begin counts by its lap of the ring alone, so of each lap the earliest row is taken from which all lists up to
    the first of ``begins`` agree.
    """
    if not begins:
        return []
    size, out = fit.ring.size, []
    last = (int(ids[begins[0]]) - 1) // size
    for lap in range(max(0, last - 2), last + 1):
        differ = _differences((replace(fit, first_id=lap * size + 1),), factor, ids, lists)[: begins[0]]
        begin = int(np.flatnonzero(differ)[-1]) + 1 if differ.any() else 0
        begin = max(begin, int(np.searchsorted(ids, max(least, lap * size + 1))))
        if begin < begins[0] and (int(ids[begin]) - 1) // size == lap:
            out.append(begin)
    return out


def _words_of(fit: Fit) -> str:
    how = "rack-aware" if fit.rack_aware else "rack-unaware"
    which = f"[{', '.join(map(str, fit.brokers))}]" if len(fit.brokers) <= 12 else counted(len(fit.brokers), "broker")
    where = f" {fit.circumstance}" if fit.circumstance else ""
    shifts = listed(fit.shifts).replace(" and ", " or ") if len(fit.shifts) < len(fit.brokers) else "any"
    return f"striped over {which}{where}, {how}, start {fit.start}, shift {shifts}"


def _striped_sentence(name: str, fits: Sequence[Fit], size: int, factor: int) -> str:
    first = fits[0]
    sentence = f"{name} is {_words_of(first)}."
    pairs = sum(len(fit.shifts) for fit in fits)
    if pairs > 1:
        sentence += f" These {pairs:,} pairs all fit"
        if factor == 1:
            sentence += ": with one replica the shift has no effect"
        elif len(first.brokers) == 2:
            sentence += ": with two brokers the shift has no effect"
        sentence += "."
    if len(fits) > 1:
        sentence += f" It is also {_words_of(fits[1])}."
    if size == 1:
        sentence += " One partition says little: any list of such a shape fits."
    return sentence


def _grown_sentence(name: str, first: Fit, added: Sequence[Fit], size: int) -> str:
    begins = [fit.first_id for fit in added]
    return (
        f"{name} is {_words_of(first)}; partitions {listed(f'from {begin} on' for begin in begins)} (of {size:,}) were "
        f"added later, where Kafka puts added ones: start and shift {added[0].start}."
    )
