"""Findings: what in a layout is broken, wants attention or is good to know, each with the partitions behind it.

Promises: every finding follows from what the source tells, never from what it does not; every number in a sentence is
exact; skew is reported only beyond the least possible spread (for replicas: the least that keeps partitions on as many
racks as they can reach); the order is by severity, then as ``KINDS`` lists them.

Needs: any layout, also one with duplicate replicas or a reassignment under way.

How: one vectorised predicate a kind; each gives the rows, then a sentence is written around their number.

Example: [1, 2] with leader 2 and ISR 2 gives ``under_replicated`` and ``not_preferred_leader``, both with row 0.

Complexity: O(N log R) for N replicas; about half a second for a million partitions at RF 3.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reseat.balance import health
from reseat.balance.broker_findings import of_brokers, of_racks_and_hosts
from reseat.balance.finding_parts import brokers_named, partitions, rows_where
from reseat.balance.mends import KINDS
from reseat.balance.racks import least_replica_spread
from reseat.balance.spread import Spread, spread_of
from reseat.balance.told import incomplete
from reseat.model import NONE, NOT_TOLD, ClusterLayout, Finding, FloatArray, IntArray, Longs, Severity
from reseat.model.arrays import row_any
from reseat.model.units import size
from reseat.model.wording import counted, verb

__all__ = ["findings"]

_ORDER = {kind: place for place, kind in enumerate(KINDS)}
#: A skew wants attention where the fullest broker has this share more than the mean; below it is a note. The same
#: tenth at which ``leader.imbalance.per.broker.percentage`` acts by default.
SKEW_SHARE = 0.10
#: How many of the emptiest brokers are asked, beside the emptiest of each rack, whether they could take a replica.
_EMPTIEST = 8


def findings(layout: ClusterLayout) -> tuple[Finding, ...]:
    """Everything found in a layout, worst first. Pure; see ``mends.KINDS`` for what can be found."""
    missing = incomplete(layout)
    found = [
        *([] if missing is None else [missing]),
        *_availability(layout),
        *_lists(layout),
        *of_brokers(layout),
        *of_racks_and_hosts(layout),
        *_leaders(layout),
        *_skew(layout),
        *_byte_skew(layout),
        *_states(layout),
    ]
    return tuple(sorted(found, key=lambda f: (f.severity.rank, _ORDER[f.kind])))


def _availability(layout: ClusterLayout) -> Iterator[Finding]:
    rows = rows_where(health.offline(layout))
    if rows.size:
        ids = health.last_in_sync(layout, rows)
        them = "a broker of their ISR" if not ids else brokers_named(ids).lower()
        why = f": {verb(len(ids), 'it was', 'they were')} the last in sync" if ids else ""
        yield Finding(
            "offline",
            Severity.BROKEN,
            f"{partitions(rows)} {verb(len(rows), 'has', 'have')} no leader and cannot be read or written. "
            f"Bring {them} back{why}.",
            rows,
            brokers=ids,
        )
    rows = rows_where(health.below_min_in_sync(layout))
    if rows.size:
        yield Finding(
            "below_min_isr",
            Severity.BROKEN,
            f"{partitions(rows)} {verb(len(rows), 'has', 'have')} fewer replicas in sync than min.insync.replicas: "
            "acks=all writes are rejected.",
            rows,
        )
    rows = rows_where(health.under_replicated(layout))
    if rows.size:
        alone = int(np.count_nonzero(health.in_sync_count(layout)[rows] <= 1))
        whose = "All" if alone == len(rows) > 1 else f"{alone:,} of them"
        last = f" {whose} {verb(alone, 'has', 'have')} at most one copy in sync." if alone else ""
        yield Finding(
            "under_replicated",
            Severity.BROKEN if alone else Severity.ATTENTION,
            f"{partitions(rows)} {verb(len(rows), 'is', 'are')} under-replicated: replicas are missing from the "
            f"ISR.{last} Find brokers that are down or lagging.",
            rows,
        )
    floor = health.min_in_sync_by_row(layout)
    factor = health.staying_factor(layout)
    # RF 1 with min ISR 1 leaves none to spare either, but there RF itself is the trouble and the owner chose it.
    rows = rows_where((floor >= factor) & (floor > 1))
    if rows.size:
        topics = layout.topics_at(rows)
        yield Finding(
            "min_isr_not_below_replication_factor",
            Severity.ATTENTION,
            f"{counted(len(topics), 'topic')} ({partitions(rows)}) {verb(len(topics), 'needs', 'need')} every replica "
            "in sync (min.insync.replicas is not below the replication factor): stopping one broker makes acks=all "
            "writes fail.",
            rows,
            topics=topics,
        )


def _lists(layout: ClusterLayout) -> Iterator[Finding]:
    rows = rows_where((layout.leader >= 0) & ~row_any(layout.replicas == layout.leader[:, None]))
    if rows.size:
        yield Finding(
            "leader_not_a_replica",
            Severity.BROKEN,
            f"{partitions(rows)} {verb(len(rows), 'is', 'are')} led by a broker that is not among the replicas. Kafka "
            "has no such state: was the text edited, or captured as a reassignment completed?",
            rows,
        )
    rows = layout.duplicates
    if rows.size:
        yield Finding(
            "duplicate_replicas",
            Severity.BROKEN,
            f"{partitions(rows)} {verb(len(rows), 'lists', 'list')} one broker more than once. Such a list is one "
            "copy short; fix it before planning.",
            rows,
        )
    factor = health.staying_factor(layout)
    rows = _mixed_factor_rows(layout, factor)
    if rows.size:
        topics = layout.topics_at(rows)
        yield Finding(
            "mixed_replication_factor",
            Severity.ATTENTION,
            f"{counted(len(topics), 'topic')} {verb(len(topics), 'mixes', 'mix')} replication factors: "
            f"{partitions(rows)} {verb(len(rows), 'differs', 'differ')} from the rest of "
            f"{verb(len(topics), 'its topic', 'their topics')}.",
            rows,
            topics=topics,
        )
    usable = int(np.count_nonzero(~layout.dead))
    rows = rows_where(factor > usable)
    if rows.size:
        yield Finding(
            "replication_factor_above_brokers",
            Severity.ATTENTION,
            f"{partitions(rows)} {verb(len(rows), 'has', 'have')} more replicas than the "
            f"{counted(usable, 'broker')} not known to be dead.",
            rows,
        )


def _mixed_factor_rows(layout: ClusterLayout, factor: IntArray) -> Longs:
    """Rows whose replication factor is not the most common one of their topic (the larger of equally common ones)."""
    if not factor.size or int(factor.min()) == int(factor.max()):
        return np.zeros(0, np.int64)
    starts = np.flatnonzero(np.concatenate(([True], np.diff(layout.topic_of) != 0)))
    low, high = np.minimum.reduceat(factor, starts), np.maximum.reduceat(factor, starts)
    mixed = np.zeros(len(layout.topics), np.bool_)
    mixed[layout.topic_of[starts]] = low != high
    rows = np.flatnonzero(mixed[layout.topic_of])
    if not rows.size:
        return rows.astype(np.int64)
    width = int(factor.max()) + 1
    keys, counts = np.unique(layout.topic_of[rows].astype(np.int64) * width + factor[rows], return_counts=True)
    by_topic = np.lexsort((keys, counts, keys // width))  # the last of each topic is its most common factor
    last = np.flatnonzero(np.concatenate((np.diff(keys[by_topic] // width) != 0, [True])))
    usual = np.zeros(len(layout.topics), np.int64)
    usual[keys[by_topic][last] // width] = keys[by_topic][last] % width
    odd: Longs = rows[factor[rows] != usual[layout.topic_of[rows]]].astype(np.int64)
    return odd


def _leaders(layout: ClusterLayout) -> Iterator[Finding]:
    rows = rows_where(health.not_led_by_preferred(layout))
    if rows.size:
        told = int(np.count_nonzero(layout.leader >= 0))
        yield Finding(
            "not_preferred_leader",
            Severity.ATTENTION if len(rows) > SKEW_SHARE * told else Severity.NOTE,
            f"{len(rows):,} of {counted(told, 'partition')} with a leader {verb(len(rows), 'is', 'are')} not led by "
            "their preferred replica. A preferred leader election fixes those whose preferred replica is alive and in "
            "sync.",
            rows,
        )


def _skew(layout: ClusterLayout) -> Iterator[Finding]:
    brokers = len(layout.brokers)
    alive = layout.receiving
    leads = np.bincount(np.maximum(layout.leader, NONE) + 1, minlength=brokers + 1)[1:]
    for kind, what, load, told in (
        ("replica_skew", "replica", layout.replicas_by_broker, bool(layout.partition_count)),
        ("leader_skew", "leader", leads, bool((layout.leader != NOT_TOLD).any())),
    ):
        if not told or not alive.any():
            continue
        whole = None if kind == "leader_skew" else least_replica_spread(layout, alive, int(load[alive].sum()))
        spread = spread_of(load[alive], least_possible=whole)
        if spread is None or not spread.avoidable:
            continue
        ids = layout.broker_ids[alive]
        fullest, emptiest = int(ids[load[alive].argmax()]), int(ids[load[alive].argmin()])
        yield Finding(
            kind,
            _skew_severity(spread),
            f"{what.capitalize()} spread is {int(spread.spread):,} (best possible: {spread.least_possible}): "
            f"broker {fullest} has {int(spread.most):,}, broker {emptiest} has {int(spread.least):,}.",
            brokers=(fullest, emptiest),
        )


def _skew_severity(spread: Spread) -> Severity:
    return Severity.ATTENTION if spread.most > spread.mean * (1 + SKEW_SHARE) else Severity.NOTE


def _byte_skew(layout: ClusterLayout) -> Iterator[Finding]:
    """Where every size is known: a broker far above the mean, of which a replica can go where less is held."""
    sizes, alive = layout.replica_bytes, layout.receiving
    if sizes is None or np.count_nonzero(alive) < 2:
        return
    each, held, carried = sizes, layout.replicas != NONE, layout.bytes_by_broker
    if carried is None or (np.isnan(each) & held).any():  # as on a broker that is down: that of its partition's largest
        each = np.where(np.isnan(sizes), np.asarray(layout.copy_bytes)[:, None], sizes)
        if (np.isnan(each) & held).any():
            return
        carried = np.bincount(layout.replicas.ravel() + 1, each.ravel(), len(alive) + 1)[1:].astype(np.float64)
    spread = spread_of(carried[alive], whole=False)
    if spread is None or _skew_severity(spread) is Severity.NOTE:
        return
    fullest = int(np.where(alive, carried, -1).argmax())
    order = np.argsort(np.where(alive, carried, np.inf), kind="stable")[: np.count_nonzero(alive)]
    if not _can_give(layout, each, carried, fullest, order):
        return
    ids = int(layout.broker_ids[fullest]), int(layout.broker_ids[order[0]])
    yield Finding(
        "byte_skew",
        Severity.NOTE,
        f"Broker {ids[0]} holds {size(spread.most)}, {spread.most / spread.mean - 1:.0%} above the mean; "
        f"broker {ids[1]} holds {size(spread.least)}.",
        brokers=ids,
    )


def _can_give(layout: ClusterLayout, each: FloatArray, carried: FloatArray, fullest: int, order: Longs) -> bool:
    """Whether a replica of the fullest broker can go where less is held, racks no worse: to few, emptiest first."""
    row, column = np.nonzero(layout.replicas == fullest)
    lists, copied = layout.replicas[row], each[row, column]
    groups = layout.rack_groups if layout.racks else np.zeros(len(carried), np.int32)
    few = np.arange(order.size) < _EMPTIEST
    few[np.unique(groups[order], return_index=True)[1]] = True  # and the emptiest of each rack
    inside = np.append(groups, np.int32(NONE))[lists]
    own = (inside == groups[fullest]).sum(axis=1)
    for at in order[few].tolist():
        fits = (groups[at] == groups[fullest]) | ((inside == groups[at]).sum(axis=1) < own)
        if (fits & ~row_any(lists == at) & (copied > 0) & (copied < carried[fullest] - carried[at])).any():
            return True
    return False


def _states(layout: ClusterLayout) -> Iterator[Finding]:
    rows = rows_where(layout.under_way)
    if rows.size:
        yield Finding(
            "reassignment_under_way",
            Severity.NOTE,
            f"{partitions(rows)} {verb(len(rows), 'is', 'are')} being reassigned. Plans start from the layout after "
            "the reassignment completes.",
            rows,
        )
    if not layout.order_told.all():
        topics = tuple(layout.topics[i] for i in np.flatnonzero(~layout.order_told).tolist())
        yield Finding(
            "order_not_told",
            Severity.NOTE,
            f"The source does not keep the order of replicas in {counted(len(topics), 'topic')}: the preferred leader "
            "is unknown there, and nothing is planned or elected unless you state that the order is right.",
            rows_where(~health.order_told_by_row(layout)),
            topics=topics,
        )
