"""Which partitions are unwell: one definition of each state, as a mask over the layout's rows.

A state that a row's source does not tell is never counted as good or bad: the mask is False there, and ``*_told`` of
``reseat.balance.measure.Balance`` says for how many rows it is told.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from reseat.model import NONE, NOT_TOLD, BoolArray, BrokerState, ClusterLayout, IntArray, Longs
from reseat.model.arrays import on_brokers, row_any, row_counts

__all__ = [
    "below_min_in_sync",
    "brokers_down",
    "frozen_by_cordon",
    "in_sync_count",
    "in_sync_required",
    "last_in_sync",
    "leader_told",
    "min_in_sync_by_row",
    "not_led_by_preferred",
    "offline",
    "order_told_by_row",
    "out_of_every_isr",
    "staying_factor",
    "under_replicated",
    "without_live_copy",
]


def offline(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions of which the source says that there is no leader."""
    mask: BoolArray = layout.leader == NONE
    return mask


def without_live_copy(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions without an in-sync replica on a live broker: nothing can be copied from, so none can move.

    A partition without a leader has none. Else the ISR says so where it is told, and where it is not, a leader on a
    broker that is not up. What is not told speaks against nobody: neither leader nor ISR told, or a broker of which
    nobody tells whether it is up. KRaft and the ZooKeeper controller both wait with such a move until a broker of the
    ISR is back, so planners leave these partitions where they are and the guard refuses them.
    """
    told = layout.in_sync_known
    live = np.zeros(layout.partition_count, np.bool_)
    if layout.in_sync is not None:
        live = row_any(layout.in_sync & on_brokers(layout.replicas, layout.available))
    led = on_brokers(np.maximum(layout.leader, NONE), layout.available)
    lost: BoolArray = (layout.leader == NONE) | (told & ~live) | (~told & (layout.leader >= 0) & ~led)
    return lost


def frozen_by_cordon(layout: ClusterLayout, leaving: Collection[int] = ()) -> BoolArray:
    """(P,) bool: partitions that keep a replica on a cordoned broker: Kafka takes no new list that names one.

    Neither one that only changes the order, nor one that goes back to what was (KIP-1066, tried on 4.4.0).

    Args:
        layout: the layout.
        leaving: ids of brokers that every partition leaves: lists name them no more, cordoned or not.
    """
    kept = layout.cordoned & ~layout.is_broker(leaving)
    if not kept.any():
        return np.zeros(layout.partition_count, np.bool_)
    return row_any(on_brokers(layout.replicas, kept))


def with_observers(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions with Confluent's observers, which Kafka's reassignment JSON cannot name."""
    if layout.observers is None:
        return np.zeros(layout.partition_count, np.bool_)
    return row_any(layout.observers)


def last_in_sync(layout: ClusterLayout, rows: Longs) -> tuple[int, ...]:
    """Brokers, not alive, that these partitions wait for: of their ISR, or of the ELR where the ISR is empty."""
    if layout.in_sync is None:
        return ()
    last = layout.in_sync[rows] & layout.in_sync_known[rows, None]
    if layout.eligible is not None:
        last |= layout.eligible[rows] & ~row_any(last)[:, None]
    positions = layout.replicas[rows][last]
    away = [layout.brokers[place] for place in np.unique(positions[positions != NONE]).tolist()]
    return tuple(broker.id for broker in away if not broker.state.up)


def in_sync_count(layout: ClusterLayout) -> IntArray:
    """(P,) int32: members of the ISR that are replicas; 0 where the ISR is not told."""
    if layout.in_sync is None:
        return np.zeros(layout.partition_count, np.int32)
    count = row_counts(layout.in_sync & (layout.replicas != NONE))
    return np.where(layout.in_sync_known, count, 0).astype(np.int32)


def in_sync_required(layout: ClusterLayout) -> IntArray:
    """(P,) int32: how many replicas must be in sync for a partition not to be under-replicated.

    The replication factor less replicas that a reassignment is still adding, as ``kafka-topics
    --under-replicated-partitions`` counts (``TopicCommand``), and less Confluent's observers outside the ISR, which
    are not meant to be in it.
    """
    required = layout.replication_factor
    absent: BoolArray | None = None
    if layout.adding is not None:
        absent = layout.adding & (layout.replicas != NONE)
    if layout.observers is not None:
        outside = layout.observers & (layout.replicas != NONE)
        if layout.in_sync is not None:
            outside = outside & ~layout.in_sync
        absent = outside if absent is None else absent | outside
    if absent is None:
        return required
    return required - row_counts(absent)


def under_replicated(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions with fewer replicas in sync than required (see ``in_sync_required``)."""
    mask: BoolArray = layout.in_sync_known & (in_sync_count(layout) < in_sync_required(layout))
    return mask


def min_in_sync_by_row(layout: ClusterLayout) -> IntArray:
    """(P,) int32: ``min.insync.replicas`` of each partition's topic, -1 where not told."""
    if layout.min_in_sync is None:
        return np.full(layout.partition_count, -1, np.int32)
    return np.asarray(layout.min_in_sync[layout.topic_of], np.int32)


def below_min_in_sync(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions whose ISR is smaller than ``min.insync.replicas``, where both are told.

    As ``kafka-topics --under-min-isr-partitions`` lists them. (From Kafka 3.7 writes need only min(min ISR, RF).)
    """
    mask: BoolArray = layout.in_sync_known & (in_sync_count(layout) < min_in_sync_by_row(layout))
    return mask


def order_told_by_row(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: whether column 0 is the preferred leader."""
    if layout.order_told.all():
        return np.ones(layout.partition_count, np.bool_)
    return layout.order_told[layout.topic_of]


def not_led_by_preferred(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: partitions that have a leader which is not their preferred one, where leader and order are told."""
    if not layout.replicas.shape[1]:
        return np.zeros(layout.partition_count, np.bool_)
    first = layout.replicas[:, 0]
    mask: BoolArray = (layout.leader >= 0) & (layout.leader != first) & order_told_by_row(layout)
    return mask


def staying_factor(layout: ClusterLayout) -> IntArray:
    """(P,) int32: the replication factor once reassignments under way are done: without the replicas that leave."""
    if layout.removing is None:
        return layout.replication_factor
    stays = (layout.replicas != NONE) & ~layout.removing
    return row_counts(stays)


def leader_told(layout: ClusterLayout) -> BoolArray:
    """(P,) bool: whether the source says who leads, or that nobody does."""
    mask: BoolArray = layout.leader != NOT_TOLD
    return mask


def brokers_down(layout: ClusterLayout) -> int | None:
    """Brokers that are dead or fenced; None where no state is told."""
    return None if layout.in_state(BrokerState.NOT_TOLD).all() else int(np.count_nonzero(layout.away))


def out_of_every_isr(layout: ClusterLayout) -> BoolArray:
    """(B,) bool: brokers with replicas (observers and newcomers aside) that are in no ISR, all of which are told.

    Such a broker is probably down: nothing says so, but nothing speaks against it.
    """
    brokers = len(layout.brokers)
    if layout.in_sync is None:
        return np.zeros(brokers, np.bool_)
    held = np.bincount(layout.replicas.ravel() + 1, minlength=brokers + 1)[1:]
    meant = (layout.replicas != NONE) & layout.in_sync_known[:, None]
    for mask in (layout.adding, layout.observers):
        if mask is not None:
            meant &= ~mask
    judged = np.bincount(layout.replicas[meant], minlength=brokers)
    # The ISR of a partition without a leader is the one it had: its members are down, or one would lead.
    present = meant & layout.in_sync & (layout.leader != NONE)[:, None]
    in_sync = np.bincount(layout.replicas[present], minlength=brokers)
    out: BoolArray = (held > 0) & (judged == held) & (in_sync == 0)
    return out
