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
added partitions have no draws of their own but for the id at which they begin, and the brokers that were there then:
those of the first partitions, or the present ones. What is left is told by the nearest
pair: the one with the most partitions untouched.

Topics made by a KRaft controller are placed otherwise, without draws that could be told: that is tried beside
(``by_kraft.py``), and told where it explains all lists, or leaves fewer than any draws.

Two limits, said where they matter. The shift is known modulo n - 1 only, so 0 and n - 1 look alike; with replication
factor 1, or two brokers, it leaves no trace at all. And the first partition id is taken to be the lowest there is.

Example: brokers 0, 1, 2 and lists [2, 0, 1], [0, 1, 2], [1, 2, 0], [2, 1, 0]: start 2, shift 0 or 2.

Complexity: O(P R) and sorting for each ring tried on all topics still open; 10,000 topics and 200,000 partitions take a
second or two.

Source: the inference is derived here from ``AdminUtils.assignReplicasToBrokers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker, ClusterLayout, Longs
from reseat.model.wording import counted, listed, verb
from reseat.placement.admin_order import admin_order
from reseat.placement.fingerprint.by_kraft import as_kraft_places
from reseat.placement.fingerprint.fits import FingerprintKind, Fit, TopicFingerprint
from reseat.placement.fingerprint.growth import CHANCE_OF_MOVED, least_untouched, pieces_of
from reseat.placement.fingerprint.rings import (
    CHANCE_OF_ADMIN_ORDER,
    Search,
    fit_of,
    nearest_fit,
    try_other_clusters,
    try_present_cluster,
    words_of_brokers,
)
from reseat.placement.ring import ring_of
from reseat.placement.votes import TopicRows

__all__ = ["infer"]


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
            f"The source does not keep the assignment order of {counted(len(unordered), 'topic')} "
            f"({listed(unordered)}), so how they were placed is unknown.",
            topics=tuple(unordered),
            choices=("State that the order is right, or exclude these topics.",),
        )
    if not names:
        return ()
    settled = layout.target()
    rows = _rows(settled, np.array([code[name] for name in names], np.int64))
    search = Search(settled, names, rows)
    try_present_cluster(search, search.open_topics())
    search.try_ring(
        ring_of([Broker(broker) for broker in admin_order(settled.broker_ids.tolist())]),
        "in the order of the Admin protocol of 2.8",
        search.open_topics(),
        chance=CHANCE_OF_ADMIN_ORDER,
    )
    try_other_clusters(search)
    search.gather_row_votes()
    found = as_kraft_places(search, [_fingerprint(search, number) for number in range(len(names))])
    if not settled.unknown_racks:
        return tuple(found)
    return tuple(_in_doubt(one) if factor else one for one, factor in zip(found, rows.factor.tolist(), strict=True))


def _in_doubt(one: TopicFingerprint) -> TopicFingerprint:
    """What is said of a topic where racks are unknown: that no draws fit without them proves nothing."""
    if one.kind is not FingerprintKind.NOT_STRIPED:
        return one
    said = f"{one.topic}: unknown: a broker's rack is unknown, and no start and shift without racks match its lists."
    return replace(one, kind=FingerprintKind.UNKNOWN, nearest=None, replicas_off=None, sentence=said)


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


def _fingerprint(search: Search, number: int) -> TopicFingerprint:
    rows, name = search.rows, search.names[number]
    span = slice(int(rows.begins[number]), int(rows.begins[number + 1]))
    ids, lists = rows.partition[span], rows.replicas[span]
    factor, first_id, size = int(rows.factor[number]), int(rows.first_id[number]), len(ids)
    fits = tuple(fit for found in search.exact[number] if (fit := fit_of(found, first_id, factor)).shifts)
    if fits:
        sentence = _striped_sentence(name, fits, size, factor)
        return TopicFingerprint(name, FingerprintKind.STRIPED, fits, (), None, (), None, size, sentence)
    # Of equally near rings the one whose best draws leave fewest lists to explain, as grown or as they are. One that is
    # less near counts where additions explain all that it leaves.
    pieces = []
    for near in (*search.near[number], *search.farther[number]):
        fit_there = nearest_fit(near, first_id, factor, ids, lists)
        if fit_there is not None:
            piece = pieces_of(search, number, near, fit_there, ids=ids, lists=lists)
            pieces += [piece] if near in search.near[number] or not piece.left else []
    if not pieces:
        said = f"{name} is not striped: none of its {counted(size, 'list')} matches any start and shift."
        if not factor:
            said = f"{name} has no replicas, so how it was placed is unknown."
        return TopicFingerprint(name, FingerprintKind.NOT_STRIPED, (), (), None, (), None, size, said)
    least = min(piece.worth for piece in pieces)
    best = [piece for piece in pieces if piece.worth == least]
    nearest, grown, differ = best[0].first, best[0].added, best[0].differ
    moved = tuple(ids[differ > 0].tolist())
    off = int(differ.sum())
    untouched = size - len(moved)
    if not moved:
        sentence = _grown_sentence(name, nearest, grown, size)
        firsts = tuple(piece.first for piece in best)
        return TopicFingerprint(name, FingerprintKind.GREW, firsts, grown, None, (), None, size, sentence)
    if best[0].chance <= CHANCE_OF_MOVED and untouched >= least_untouched(size):
        replicas = counted(off, "replica differs", "replicas differ")
        sentence = (
            f"{counted(len(moved), 'partition')} of {size:,} of {name} ({listed(moved)}) "
            f"{verb(len(moved), 'was', 'were')} moved: {replicas} from {_words_of(nearest)}."
        )
        # Another ring counts beside the nearest where it leaves the very same replicas elsewhere.
        fits = tuple(piece.first for piece in best if np.array_equal(piece.differ, differ))
        return TopicFingerprint(name, FingerprintKind.MOVED, fits, grown, nearest, moved, off, size, sentence)
    sentence = (
        f"{name} is not striped: no start and shift give its lists. The nearest, {_words_of(nearest)}, matches "
        f"{counted(untouched, 'list')} of {size:,} and differs in {counted(off, 'replica')}."
    )
    return TopicFingerprint(name, FingerprintKind.NOT_STRIPED, (), (), nearest, (), off, size, sentence)


def _words_of(fit: Fit) -> str:
    """One fit in words: over which brokers, how, and its start and shifts."""
    how = "rack-aware" if fit.rack_aware else "rack-unaware"
    shifts = listed(fit.shifts).replace(" and ", " or ") if len(fit.shifts) < len(fit.brokers) else "any"
    return f"striped {_over(fit)}, {how}, start {fit.start}, shift {shifts}"


def _over(fit: Fit) -> str:
    return words_of_brokers(fit.brokers, fit.circumstance)


def _striped_sentence(name: str, fits: Sequence[Fit], size: int, factor: int) -> str:
    """The sentence of a topic all of whose partitions sit as placed."""
    first = fits[0]
    sentence = f"{name} is {_words_of(first)}."
    pairs = sum(len(fit.shifts) for fit in fits)
    if pairs > 1:
        sentence += f" All {pairs:,} pairs match"
        if factor == 1:
            sentence += ": with one replica the shift has no effect"
        elif len(first.brokers) == 2:
            sentence += ": with two brokers the shift has no effect"
        sentence += "."
    if len(fits) > 1:
        sentence += f" It is also {_words_of(fits[1])}."
    if size == 1:
        sentence += " One partition proves little: any list of this shape matches."
    return sentence


def _grown_sentence(name: str, first: Fit, added: Sequence[Fit], size: int) -> str:
    """The sentence of a topic to which partitions were added."""
    begins, starts = [fit.first_id for fit in added], dict.fromkeys(fit.start for fit in added)
    others = [fit for fit in added if fit.brokers != first.brokers]
    over = ""
    if others:
        over = (
            f", {_over(others[0])}"
            if len(others) == len(added)
            else f"; from {others[0].first_id} on {_over(others[0])}"
        )
    return (
        f"{name} is {_words_of(first)}; partitions {listed(f'from {begin} on' for begin in begins)} (of {size:,}) were "
        f"added later, as Kafka places added partitions: start and shift {listed(starts)}{over}."
    )
