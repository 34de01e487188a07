"""Measures of a layout: loads by broker, rack and topic, and how uneven they are.

Promises: exact counts; what is not told is None, never 0; every unevenness stands beside the least that is possible.

Needs: any layout. Brokers known to be dead, fenced, shutting down or cordoned keep their counts but carry no *spread*:
no plan puts replicas there, so a spread over them could not be mended. Spreads over racks leave out the brokers that
have no rack.

How: one ``bincount`` a column over broker positions; racks are sums over their brokers; a topic's most and least
loaded broker comes from sorting (topic, broker) pairs, so that no topics x brokers table is ever built.

Example: [1, 2], [2, 3], [2, 1] over brokers 1, 2, 3: replicas 2, 3, 1; spread 2, where 6 over 3 could be 0.

Complexity: O(N log N) for N replicas (the sort), O(N) memory; about half a second for a million partitions at RF 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.balance import health
from reseat.balance.racks import least_replica_spread, rack_sum_of_squares, rack_violations
from reseat.balance.spread import Spread, spread_of
from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import on_brokers

__all__ = ["Balance", "Loads", "TopicLoads", "measure"]


@dataclass(frozen=True, eq=False)
class Loads:
    """What each of n carriers (brokers or racks) carries, and how uneven that is.

    Attributes:
        names: (n) broker ids, or rack names with None last for the brokers without a rack (if there are any).
        replicas: (n,) int64.
        leaders: (n,) int64 partitions led, of those whose leader is told; None where no leader is told.
        preferred_leaders: (n,) int64 partitions whose replica list it heads, of those whose assignment order is told;
            None where no topic's order is told.
        size_bytes: (n,) float64 bytes of the replicas whose size is told, NaN for a carrier that holds replicas and of
            which no size is told, as a broker that is down; None where no size is told at all.
        replica_spread: over brokers that can receive, or over named racks; None where there are none. The least
            possible spread over brokers is the one that keeps partitions on as many racks as they can reach.
        leader_spread: the same of ``leaders``; None also where no leader is told.
        preferred_leader_spread: the same of ``preferred_leaders``.
        byte_spread: the same of ``size_bytes``, over those of which a size is told; its least possible spread is not
            known.
    """

    names: tuple[int, ...] | tuple[str | None, ...]
    replicas: Longs
    leaders: Longs | None
    preferred_leaders: Longs | None
    size_bytes: FloatArray | None
    replica_spread: Spread | None
    leader_spread: Spread | None
    preferred_leader_spread: Spread | None
    byte_spread: Spread | None


@dataclass(frozen=True, eq=False)
class TopicLoads:
    """How each of T topics lies over the available brokers.

    Attributes:
        partitions: (T,) int64.
        replicas: (T,) int64, those on dead brokers included.
        brokers: (T,) int64, available brokers that hold at least one replica.
        most: (T,) int64, the most replicas of the topic on one broker.
        least: (T,) int64, the fewest; 0 where some broker holds none.
        least_possible: (T,) int64, the least spread possible: 0 or 1.
        size_bytes: (T,) float64 bytes of the replicas whose size is told; None where no size is told.
    """

    partitions: Longs
    replicas: Longs
    brokers: Longs
    most: Longs
    least: Longs
    least_possible: Longs
    size_bytes: FloatArray | None

    @property
    def spread(self) -> Longs:
        """(T,) int64: ``most`` less ``least``."""
        return self.most - self.least


@dataclass(frozen=True, eq=False)
class Balance:
    """The measures of one layout.

    A count of partitions is None unless it is told for every one of them (0 of the few that are told is not 0);
    ``below_min_isr`` alone counts what is told, since no text tells ``min.insync.replicas`` of a topic that takes
    the broker's default: it is None where it is told for none.

    Attributes:
        partitions: P.
        replicas: replicas, over all partitions.
        offline: partitions without a leader.
        under_replicated: partitions with fewer replicas in sync than their replication factor, replicas still being
            added left out.
        below_min_isr: partitions with fewer replicas in sync than ``min.insync.replicas``.
        not_preferred: partitions led by another than their preferred leader (offline ones are not counted).
        leader_told: partitions whose leader, or lack of one, is told.
        in_sync_told: partitions whose ISR is told.
        min_isr_told: partitions whose ISR and ``min.insync.replicas`` are both told.
        order_told: partitions whose assignment order is told.
        sizes_told: replicas whose size is told.
        rack_sum_of_squares: see ``reseat.balance.rack_sum_of_squares``.
        rack_violations: see ``reseat.balance.rack_violations``.
        by_broker: loads of the B brokers, in the layout's order.
        by_rack: loads of the racks.
        by_topic: how topics lie over brokers.
    """

    partitions: int
    replicas: int
    offline: int | None
    under_replicated: int | None
    below_min_isr: int | None
    not_preferred: int | None
    leader_told: int
    in_sync_told: int
    min_isr_told: int
    order_told: int
    sizes_told: int
    rack_sum_of_squares: int | None
    rack_violations: int | None
    by_broker: Loads
    by_rack: Loads
    by_topic: TopicLoads


def measure(layout: ClusterLayout) -> Balance:
    """Measure a layout. Pure; about half a second for a million partitions at RF 3."""
    leader_told = health.leader_told(layout)
    order_told = health.order_told_by_row(layout)
    in_sync_known = layout.in_sync_known
    min_told = in_sync_known & (health.min_in_sync_by_row(layout) >= 0)
    alive = layout.receiving
    carried = _by_broker(layout, leader_told, order_told)
    partitions = layout.partition_count

    def if_all_told(told: BoolArray, mask: BoolArray) -> int | None:
        return int(np.count_nonzero(mask)) if told.all() else None

    return Balance(
        partitions=partitions,
        replicas=layout.replica_count,
        offline=if_all_told(leader_told, health.offline(layout)),
        under_replicated=if_all_told(in_sync_known, health.under_replicated(layout)),
        below_min_isr=int(np.count_nonzero(health.below_min_in_sync(layout))) if min_told.any() else None,
        not_preferred=if_all_told(leader_told & order_told, health.not_led_by_preferred(layout)),
        leader_told=int(np.count_nonzero(leader_told)),
        in_sync_told=int(np.count_nonzero(in_sync_known)),
        min_isr_told=int(np.count_nonzero(min_told)),
        order_told=int(np.count_nonzero(order_told)),
        sizes_told=_sizes_told(layout),
        rack_sum_of_squares=rack_sum_of_squares(layout),
        rack_violations=rack_violations(layout),
        by_broker=_loads(
            tuple(layout.broker_ids.tolist()),
            carried,
            alive,
            least_replicas=least_replica_spread(layout, alive, int(carried.replicas[alive].sum())),
        ),
        by_rack=_rack_loads(layout, carried, alive),
        by_topic=_topic_loads(layout, alive),
    )


@dataclass(frozen=True, eq=False)
class _Carried:
    """What each carrier carries; None where not told."""

    replicas: Longs
    leaders: Longs | None
    preferred: Longs | None
    sizes: FloatArray | None


def _by_broker(layout: ClusterLayout, leader_told: BoolArray, order_told: BoolArray) -> _Carried:
    brokers = len(layout.brokers)

    def count(positions: IntArray) -> Longs:
        # One further place takes -1 and -2, which is faster than picking the others out.
        return np.bincount(np.maximum(positions, NONE).ravel() + 1, minlength=brokers + 1)[1:].astype(np.int64)

    preferred: Longs | None = None
    if order_told.any() and layout.replicas.shape[1]:
        first = layout.replicas[:, 0]
        preferred = count(first if order_told.all() else first[order_told])
    return _Carried(
        replicas=layout.replicas_by_broker,
        leaders=count(layout.leader) if leader_told.any() else None,
        preferred=preferred,
        sizes=_bytes_by_broker(layout),
    )


def _bytes_by_broker(layout: ClusterLayout) -> FloatArray | None:
    sizes, told = layout.replica_bytes, layout.bytes_by_broker
    if sizes is None or told is None:
        return None
    held = told.copy()
    # Only brokers without a byte can be such of which nothing is told: in most layouts there is none to look at.
    empty = held == 0
    if empty.any() and (unknown := np.isnan(sizes)).any():
        doubtful = on_brokers(layout.replicas, empty)
        silent = np.zeros(len(held), np.bool_)
        silent[layout.replicas[doubtful & unknown]] = True
        silent[layout.replicas[doubtful & ~unknown]] = False
        held[silent] = np.nan
    return held


def _sizes_told(layout: ClusterLayout) -> int:
    sizes = layout.replica_bytes
    return 0 if sizes is None else int(np.count_nonzero(~np.isnan(sizes)))


def _loads(
    names: tuple[int, ...] | tuple[str | None, ...],
    carried: _Carried,
    carriers: BoolArray,
    *,
    room: Longs | None = None,
    leader_room: Longs | None = None,
    least_replicas: int | None = None,
) -> Loads:
    def whole(load: Longs | None, most: Longs | None) -> Spread | None:
        return None if load is None else spread_of(load[carriers], room=None if most is None else most[carriers])

    replica_room = None if room is None else room[carriers]

    return Loads(
        names=names,
        replicas=carried.replicas,
        leaders=carried.leaders,
        preferred_leaders=carried.preferred,
        size_bytes=carried.sizes,
        replica_spread=spread_of(carried.replicas[carriers], room=replica_room, least_possible=least_replicas),
        leader_spread=whole(carried.leaders, leader_room),
        preferred_leader_spread=whole(carried.preferred, leader_room),
        byte_spread=None if carried.sizes is None else spread_of(_told(carried.sizes[carriers]), whole=False),
    )


def _told(load: FloatArray) -> FloatArray:
    """The loads that are told."""
    return load[~np.isnan(load)]


def _rack_bytes(sizes: FloatArray, held: Longs, place: IntArray, racks: int) -> FloatArray:
    """(n,) bytes by rack; NaN where no broker of it that holds replicas tells a size."""
    unknown = np.isnan(sizes)
    summed = np.bincount(place, np.where(unknown, 0.0, sizes), racks).astype(np.float64)
    silent = np.bincount(place, unknown, racks) > 0
    silent &= np.bincount(place, ~unknown & (held > 0), racks) == 0
    summed[silent] = np.nan
    return summed


def _rack_loads(layout: ClusterLayout, carried: _Carried, alive: BoolArray) -> Loads:
    names: tuple[str | None, ...] = layout.racks
    place = layout.rack_of
    if (place < 0).any():
        names = (*names, None)
        place = np.where(place < 0, len(names) - 1, place).astype(np.int32)

    def summed(load: Longs | FloatArray) -> FloatArray:
        return np.bincount(place, load, len(names)).astype(np.float64)

    def counts(load: Longs | None) -> Longs | None:
        return None if load is None else summed(load).astype(np.int64)

    # A rack holds at most min(RF, its brokers) replicas of a partition: a small rack cannot carry as much as others.
    brokers = np.bincount(place[alive], minlength=len(names)).astype(np.int64)
    factors = np.bincount(layout.replication_factor)
    capacity = np.minimum(np.arange(len(factors))[None, :], brokers[:, None])
    return _loads(
        names,
        _Carried(
            replicas=summed(carried.replicas).astype(np.int64),
            leaders=counts(carried.leaders),
            preferred=counts(carried.preferred),
            sizes=None if carried.sizes is None else _rack_bytes(carried.sizes, carried.replicas, place, len(names)),
        ),
        np.array([name is not None for name in names], np.bool_) & (brokers > 0),
        room=(capacity * factors[None, :]).sum(axis=1).astype(np.int64),
        leader_room=np.full(len(names), layout.partition_count, np.int64),
    )


def _topic_loads(layout: ClusterLayout, alive: BoolArray) -> TopicLoads:
    topics, brokers = len(layout.topics), len(layout.brokers)
    carriers = int(np.count_nonzero(alive))
    partitions = np.bincount(layout.topic_of, minlength=topics).astype(np.int64)
    factor = layout.replication_factor
    replicas = np.bincount(layout.topic_of, weights=factor, minlength=topics).astype(np.int64)
    held = layout.replicas != NONE
    if carriers < brokers:
        held = held & on_brokers(layout.replicas, alive)
    # Sorting (topic, broker) keys and measuring runs: topics x brokers may be far more than there are replicas.
    # 32-bit keys sort faster, and are wide enough for nearly every cluster.
    topic = layout.topic_of.astype(np.int64) if topics * brokers > np.iinfo(np.int32).max else layout.topic_of
    keys = (topic[:, None] * max(brokers, 1) + layout.replicas)[held]
    keys.sort()
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1]))) if keys.size else np.zeros(0, np.int64)
    lengths = np.diff(np.append(starts, keys.size)).astype(np.int64)
    owner = keys[starts] // max(brokers, 1)
    used = np.bincount(owner, minlength=topics).astype(np.int64)
    most, least = np.zeros(topics, np.int64), np.zeros(topics, np.int64)
    if owner.size:
        first = np.flatnonzero(np.concatenate(([True], owner[1:] != owner[:-1])))
        most[owner[first]] = np.maximum.reduceat(lengths, first)
        least[owner[first]] = np.minimum.reduceat(lengths, first)
    least[used < carriers] = 0
    on_carriers = np.bincount(owner, weights=lengths, minlength=topics).astype(np.int64)
    sizes = layout.replica_bytes
    return TopicLoads(
        partitions=partitions,
        replicas=replicas,
        brokers=used,
        most=most,
        least=least,
        least_possible=(on_carriers % carriers != 0).astype(np.int64) if carriers else np.zeros(topics, np.int64),
        size_bytes=None
        if sizes is None
        else np.bincount(layout.topic_of, np.nansum(sizes, axis=1), topics).astype(np.float64),
    )
