"""Striped placement, as Kafka's ZooKeeper era created topics, with and without racks.

What it promises, in this order: what Kafka's ``AdminUtils`` gives for the same brokers and draws, list by list; its
errors, in its order and words; what Kafka lets through and should not (a broker twice, sums beyond 32 bits) is refused
with a sentence. Kafka's own aims are, ranked: replicas spread evenly over brokers; no two replicas of a partition on
one broker; where every broker has a rack, replicas of a partition on as many racks as there are.

What it needs: brokers in order, two draws (start index and replica shift, each from 0 to n - 1, in that order), the
first partition id.

How it works: brokers stand on a ring of n (``ring.py``). The first replica of partition p is at ``(p + start) mod n``.
The shift grows by 1 with each partition p > 0 that n divides, also if it is the first one made. Replica j + 1 is at
``(first + 1 + (shift + j) mod (n - 1)) mod n``: all other places come before one comes again. With racks, the ring
takes a broker of each rack in turn, the shift counts times the number of racks, and candidates are passed over that (1)
stand in a rack with a replica while another rack has none, or (2) have the partition already.

Example: brokers 0, 1, 2, start 2, shift 2, replication factor 3: partition 0 is [2, 0, 1], partition 3 is [2, 1, 0].

Complexity: O(P R), vectorised. With racks the lists repeat after ``n (n - 1) / gcd(racks, n - 1)`` partitions, so only
one such period is walked.

Source: ``AdminUtils.assignReplicasToBrokers`` (2.0.1, 2.8.2, 3.9.1); KIP-36 for racks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from math import gcd

import numpy as np
import numpy.typing as npt

from reseat.errors import PlacementRefused
from reseat.model import Broker, IntArray, Longs
from reseat.model.naming import LARGEST_ID
from reseat.model.wording import named
from reseat.placement.draw_source import DrawSource
from reseat.placement.placed import Placement, check_size
from reseat.placement.ring import Ring, ring_of, walk

__all__ = ["RackMode", "by_rack_mode", "lists_at", "lists_on_ring", "place_striped", "refuse_repeated", "shift_growth"]

_LACKING_ENFORCED = (
    "Not all brokers have rack information. Add --disable-rack-aware in command line to make replica assignment "
    "without rack information."
)
_LACKING = "Not all brokers have rack information for replica rack aware assignment."


class RackMode(Enum):
    """What the tools do with racks (``RackAwareMode``)."""

    ENFORCED = "enforced"
    """Racks count where all brokers have one; an error where only some have (``kafka-topics``, ``--generate``)."""
    SAFE = "safe"
    """Racks count where all brokers have one, and are ignored where only some have (topics made by the broker)."""
    DISABLED = "disabled"
    """Racks never count (``--disable-rack-aware``)."""


def by_rack_mode(brokers: Sequence[Broker], mode: RackMode) -> tuple[Broker, ...]:
    """The brokers as Kafka's tools hand them to the placement: sorted by id, racks kept or taken away.

    Raises:
        PlacementRefused: racks are enforced and only some brokers have one (``AdminOperationException``).
    """
    having = sum(broker.rack is not None for broker in brokers)
    mixed = 0 < having < len(brokers)
    if mode is RackMode.ENFORCED and mixed:
        raise PlacementRefused(
            _LACKING_ENFORCED,
            kafka_error="AdminOperationException",
            brokers=tuple(sorted(broker.id for broker in brokers if broker.rack is None)),
        )
    ordered = tuple(sorted(brokers, key=lambda broker: broker.id))
    if mode is RackMode.DISABLED or mixed:
        return tuple(replace(broker, rack=None) for broker in ordered)
    return ordered


def place_striped(
    brokers: Sequence[Broker],
    partitions: int,
    replication_factor: int,
    *,
    draws: DrawSource | None = None,
    start: int | None = None,
    shift: int | None = None,
    fixed_start_index: int = -1,
    first_partition: int = -1,
    rack_mode: RackMode | None = None,
) -> Placement:
    """Place a topic's replicas as ``AdminUtils.assignReplicasToBrokers`` does.

    Args:
        brokers: the brokers, in order. The order counts where none has a rack.
        partitions: how many to place.
        replication_factor: replicas of each.
        draws: where start and shift come from, unless they are given; start is drawn first.
        start: the start index, given apart.
        shift: the replica shift, given apart.
        fixed_start_index: Kafka's ``fixedStartIndex``: both start and shift, from 0 on; below 0: not given.
        first_partition: id of the first partition; below 0 counts as 0.
        rack_mode: how the tools treat racks: sorts the brokers and checks racks first (``by_rack_mode``). None: call
            the placement itself, as ``AdminUtils`` does, with the brokers as they stand.

    Returns:
        The placement, with the start and shift used.

    Raises:
        PlacementRefused: in Kafka's order and words: no partition, no replica, more replicas than brokers, only some
            brokers with a rack. And where Kafka goes wrong instead: a broker given twice, a number beyond 32 bits,
            neither draws nor start and shift.
    """
    if rack_mode is not None:
        brokers = by_rack_mode(brokers, rack_mode)
    _check(brokers, partitions, replication_factor)
    ring = ring_of(brokers)
    start, shift = _draws(ring.size, draws, start, shift, fixed_start_index)
    first_id = max(0, first_partition)
    _check_numbers(ring, start, shift, first_id=first_id, partitions=partitions, factor=replication_factor)
    check_size(partitions, replication_factor)
    return Placement(
        lists_on_ring(ring, partitions, replication_factor, start=start, shift=shift, first_id=first_id),
        first_id,
        start,
        shift,
        ring.ids,
        ring.rack_aware,
    )


def shift_growth(partition: npt.NDArray[np.integer], first_id: int, size: int) -> Longs:
    """How much the shift has grown at each partition id: the multiples of n, above 0, from ``first_id`` up to it."""
    return np.asarray(partition, np.int64) // size - max(0, first_id - 1) // size


def lists_on_ring(ring: Ring, partitions: int, factor: int, *, start: int, shift: int, first_id: int = 0) -> IntArray:
    """(P, R) int32 broker ids of consecutive partitions; no argument is checked."""
    if not ring.rack_aware:
        return _without_racks(ring, partitions, factor, start=start, shift=shift, first_id=first_id)
    size = ring.size
    period = size * (max(1, size - 1) // gcd(ring.racks, max(1, size - 1)))
    ids = np.arange(first_id, first_id + min(partitions, period), dtype=np.int64)
    first = (ids + start) % size
    at = (first + 1 + ring.offset_of(shift + shift_growth(ids, first_id, size))) % size
    lists = ring.id_column[walk(ring, first, at, factor)]
    if partitions <= period:
        return lists
    return np.resize(lists, (partitions, factor))  # repeats the rows


def lists_at(
    ring: Ring, ids: npt.NDArray[np.integer], factor: int, *, start: int, shift: int, first_id: int
) -> IntArray:
    """(m, R) int32 broker ids of any partition ids, also with gaps; no argument is checked."""
    first = (np.asarray(ids, np.int64) + start) % ring.size
    at = (first + 1 + ring.offset_of(shift + shift_growth(ids, first_id, ring.size))) % ring.size
    return ring.id_column[walk(ring, first, at, factor)]


def _without_racks(ring: Ring, partitions: int, factor: int, *, start: int, shift: int, first_id: int) -> IntArray:
    """All laps at once: a lap is n partitions with one shift, and each is the ring turned by an offset."""
    size = ring.size
    twice = np.concatenate([ring.id_column, ring.id_column])
    lap = np.arange(first_id // size, (first_id + partitions - 1) // size + 1, dtype=np.int64)
    first = (np.arange(size, dtype=np.int64) + start) % size
    grown = lap + (shift - max(0, first_id - 1) // size)
    skip = first_id - int(lap[0]) * size
    out = np.empty((partitions, factor), np.int32)
    out[:, 0] = np.resize(np.roll(ring.id_column[first], -(skip % size)), partitions)
    for replica in range(factor - 1):
        offset = 1 + (grown + replica) % (size - 1)
        places = (first[None, :] + offset[:, None]).reshape(-1)[skip : skip + partitions]
        out[:, replica + 1] = twice[places]
    return out


def _draws(
    size: int, draws: DrawSource | None, start: int | None, shift: int | None, fixed_start_index: int
) -> tuple[int, int]:
    if fixed_start_index >= 0:
        return fixed_start_index, fixed_start_index
    if draws is None and (start is None or shift is None):
        raise PlacementRefused(
            "Start index and replica shift are neither both given nor drawn.",
            choices=("Give both, a seed, or a fixed start index.",),
        )
    # In Kafka's order, and both drawn even where one is given, so that a seed means the same throughout.
    drawn = (draws.next_int(size), draws.next_int(size)) if draws is not None else (0, 0)
    return drawn[0] if start is None else start, drawn[1] if shift is None else shift


def refuse_repeated(brokers: Sequence[Broker]) -> None:
    """Refuse brokers given twice, and ids that are none; Kafka lets both through.

    Raises:
        PlacementRefused: with the brokers.
    """
    ids = [broker.id for broker in brokers]
    if len(set(ids)) < len(ids):
        twice = tuple(sorted({broker_id for broker_id in ids if ids.count(broker_id) > 1}))
        raise PlacementRefused(
            f"{named('Broker', twice, 'is', 'are')} given "
            "twice. Kafka would accept the list and put two replicas of a partition on one broker.",
            brokers=twice,
        )
    odd = tuple(broker_id for broker_id in ids if not 0 <= broker_id <= LARGEST_ID)
    if odd:
        raise PlacementRefused(f"{odd[0]} is not a broker id: 0 to {LARGEST_ID} was expected.", brokers=odd)


def _check(brokers: Sequence[Broker], partitions: int, factor: int) -> None:
    """Kafka's checks in Kafka's order, with a broker given twice before those that count brokers."""
    if partitions <= 0:
        raise PlacementRefused("Number of partitions must be larger than 0.", kafka_error="InvalidPartitionsException")
    if factor <= 0:
        raise PlacementRefused(
            "Replication factor must be larger than 0.", kafka_error="InvalidReplicationFactorException"
        )
    if factor > len(brokers):
        raise PlacementRefused(
            f"Replication factor: {factor} larger than available brokers: {len(brokers)}.",
            kafka_error="InvalidReplicationFactorException",
        )
    lacking = tuple(broker.id for broker in brokers if broker.rack is None)
    if 0 < len(lacking) < len(brokers):
        raise PlacementRefused(_LACKING, kafka_error="AdminOperationException", brokers=lacking)
    refuse_repeated(brokers)


def _check_numbers(ring: Ring, start: int, shift: int, *, first_id: int, partitions: int, factor: int) -> None:
    """Refuse what would turn negative in Kafka's 32-bit sums, and draws below 0."""
    if min(start, shift) < 0:
        raise PlacementRefused(f"Start index {start} and replica shift {shift}: neither may be below 0.")
    last = first_id + partitions - 1
    grown = shift + last // ring.size - max(0, first_id - 1) // ring.size
    # A walk looks at fewer candidates than twice round the ring a replica.
    furthest = grown * ring.racks + (2 * ring.size * factor if ring.rack_aware else factor)
    for number, what in (
        (last, f"The last partition id, {last:,},"),
        (last + start, f"Start index {start:,} plus the last partition id {last:,}"),
        (furthest, f"Replica shift {shift:,}, grown over {partitions:,} partitions"),
    ):
        if number > LARGEST_ID:
            raise PlacementRefused(
                f"{what} {'times the racks ' if ring.rack_aware and number == furthest else ''}is beyond 32 bits, "
                "where Kafka's sums turn negative and fail.",
                choices=(f"Use both modulo {ring.size}: the lists are the same.",) if last <= LARGEST_ID else (),
            )
