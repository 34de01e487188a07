"""The columns that a layout is made of, checked, and what follows from them: counts, ids, racks, states, the digest."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.model.arrays import counts_on, frozen, ids_at, row_any, row_counts, row_repeats
from reseat.model.broker import Broker, BrokerState
from reseat.model.columns import COLUMNS, NONE, BoolArray, FloatArray, IntArray, Longs
from reseat.model.gaps import Gaps
from reseat.model.layout_checks import check

__all__ = ["LayoutColumns"]


@dataclass(frozen=True, eq=False)
class LayoutColumns:
    """The columns of a layout, and what follows from them alone.

    P partitions, R the largest replication factor, B brokers, T topics. All arrays are read-only.

    Attributes:
        brokers: B brokers sorted by id, also those that are only mentioned by an assignment.
        topics: T topic names, sorted.
        topic_of: (P,) int32, position in ``topics``; ascending.
        partition: (P,) int32 partition id, ascending within a topic; may start anywhere and have gaps.
        replicas: (P, R) int32 broker *positions* in assignment order, padded with -1 on the right; column 0
            is the preferred leader.
        leader: (P,) int32 broker position, -1 none (offline), -2 not told.
        leader_epoch: (P,) int32, -2 not told.
        in_sync: (P, R) bool, the ISR as a mask over ``replicas``; None where no row tells it.
        in_sync_told: (P,) bool, which rows of ``in_sync`` are told; None: all of them (if ``in_sync`` is given).
        eligible: (P, R) bool, eligible leader replicas (KIP-966), or None.
        last_known_eligible: (P, R) bool, last known eligible leader replicas (KIP-966), or None.
        observers: (P, R) bool, Confluent's observers, or None.
        log_dir: (P, R) int32 into ``log_dirs``, -1 not told ("any"), or None.
        log_dirs: log directory paths.
        min_in_sync: (T,) int32 ``min.insync.replicas``, -1 where not told, or None.
        topic_ids: T ids that the cluster gives its topics, as Kafka prints them (22 characters), "" where not told; or
            None. A topic that is deleted and made anew has another one.
        order_told: (T,) bool, whether the source keeps assignment order, so that column 0 is the preferred leader.
        size_bytes: (P,) or (P, R) float64 bytes a replica, NaN where not told, or None.
        adding: (P, R) bool, replicas that a reassignment under way adds, or None.
        removing: (P, R) bool, replicas that a reassignment under way removes, or None.
        gaps: what is unknown or incomplete about the source.

    Raises:
        LayoutInvalid: a column has the wrong shape or type, rows are not sorted or a partition occurs twice,
            or a position lies outside ``brokers`` or ``topics``.
    """

    brokers: tuple[Broker, ...]
    topics: tuple[str, ...]
    topic_of: IntArray
    partition: IntArray
    replicas: IntArray
    leader: IntArray
    leader_epoch: IntArray
    order_told: BoolArray
    in_sync: BoolArray | None = None
    in_sync_told: BoolArray | None = None
    eligible: BoolArray | None = None
    last_known_eligible: BoolArray | None = None
    observers: BoolArray | None = None
    log_dir: IntArray | None = None
    log_dirs: tuple[str, ...] = ()
    min_in_sync: IntArray | None = None
    topic_ids: tuple[str, ...] | None = None
    size_bytes: FloatArray | None = None
    adding: BoolArray | None = None
    removing: BoolArray | None = None
    gaps: Gaps = Gaps()  # noqa: RUF009 (frozen)

    def __post_init__(self) -> None:
        columns = self.columns()
        check(columns, brokers=self.brokers, topics=self.topics, topic_ids=self.topic_ids, log_dirs=self.log_dirs)
        if self.in_sync is not None and self.in_sync_told is not None and self.in_sync_told.all():
            # One way to say it, so that equal layouts have equal digests.
            object.__setattr__(self, "in_sync_told", None)
        for column in columns.values():
            column.flags.writeable = False

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Every column that is told, by its name; ``reseat.model.columns.COLUMNS`` says what each is."""
        told = ((name, getattr(self, name)) for name in COLUMNS)
        return {name: column for name, column in told if column is not None}

    @property
    def partition_count(self) -> int:
        """P: the number of partitions."""
        return int(self.replicas.shape[0])

    @cached_property
    def id_by_topic(self) -> Mapping[str, str]:
        """The ids of the topics that tell one (KIP-516), by name."""
        return {name: told for name, told in zip(self.topics, self.topic_ids or (), strict=False) if told}

    @cached_property
    def replica_count(self) -> int:
        """The number of replicas, over all partitions."""
        return int(np.count_nonzero(self.replicas != NONE))

    @cached_property
    def replication_factor(self) -> IntArray:
        """(P,) int32: the number of replicas of each partition, those being added included."""
        return frozen(row_counts(self.replicas != NONE))

    @cached_property
    def replicas_by_broker(self) -> Longs:
        """(B,) int64: the number of replicas on each broker, those being added or removed included."""
        return frozen(counts_on(self.replicas, len(self.brokers)))

    @cached_property
    def preferred_by_broker(self) -> Longs:
        """(B,) int64: the number of partitions that name each broker first."""
        first = self.replicas[:, 0] if self.replicas.shape[1] else np.empty(0, np.int32)
        return frozen(np.bincount(first + 1, minlength=len(self.brokers) + 1)[1:])

    @cached_property
    def broker_ids(self) -> IntArray:
        """(B,) int32: broker ids, ascending."""
        return frozen(np.array([b.id for b in self.brokers], np.int32))

    @cached_property
    def replica_ids(self) -> IntArray:
        """(P, R) int32: ``replicas`` as broker ids, -1 padded."""
        return frozen(ids_at(self.broker_ids, self.replicas))

    @cached_property
    def leader_ids(self) -> IntArray:
        """(P,) int32: ``leader`` as broker ids, -1 none, -2 not told."""
        return frozen(ids_at(self.broker_ids, self.leader))

    @cached_property
    def in_sync_known(self) -> BoolArray:
        """(P,) bool: whether the ISR of each partition is told."""
        if self.in_sync is None:
            return frozen(np.zeros(self.partition_count, np.bool_))
        if self.in_sync_told is None:
            return frozen(np.ones(self.partition_count, np.bool_))
        return self.in_sync_told

    @cached_property
    def replica_bytes(self) -> FloatArray | None:
        """(P, R) float64: bytes of each replica, NaN where not told or padding; None where no size is told."""
        if self.size_bytes is None:
            return None
        sizes = self.size_bytes if self.size_bytes.ndim == 2 else self.size_bytes[:, None]
        told = np.where(self.replicas != NONE, sizes, np.nan)
        # A column may be there and hold no number: nothing told is not 0 bytes.
        return None if np.isnan(told).all() else frozen(told)

    @cached_property
    def bytes_by_broker(self) -> FloatArray | None:
        """(B,) float64: bytes on each broker, where not told 0 of a replica; None where no size is told."""
        if (sizes := self.replica_bytes) is None:
            return None
        told = np.where(np.isnan(sizes), 0.0, sizes).ravel()
        return frozen(np.bincount(self.replicas.ravel() + 1, told, len(self.brokers) + 1)[1:].astype(np.float64))

    @cached_property
    def copy_bytes(self) -> FloatArray | None:
        """(P,) float64: what a newcomer copies, the largest replica, NaN where none is told; None: no size is."""
        return None if self.replica_bytes is None else frozen(reduce(np.fmax, self.replica_bytes.T))

    @cached_property
    def carried_bytes(self) -> FloatArray:
        """(B,) float64: bytes on each broker, each replica as large as the largest of its partition, 0 where untold."""
        row, column = np.nonzero(self.replicas != NONE)
        copied = np.zeros(len(row)) if self.copy_bytes is None else np.nan_to_num(self.copy_bytes)[row]
        held = np.bincount(self.replicas[row, column], weights=copied, minlength=len(self.brokers))
        return frozen(held.astype(np.float64))

    @cached_property
    def rack_of(self) -> IntArray:
        """(B,) int32: each broker's rack as a position in ``racks``, -1 where it has none."""
        place = {rack: i for i, rack in enumerate(self.racks)}
        return frozen(np.array([-1 if b.rack is None else place[b.rack] for b in self.brokers], np.int32))

    @cached_property
    def racks(self) -> tuple[str, ...]:
        """The racks that brokers have, sorted as text (as Kafka does)."""
        return tuple(sorted({b.rack for b in self.brokers if b.rack is not None}))

    @cached_property
    def rack_groups(self) -> IntArray:
        """(B,) int32: ``rack_of``, with each broker that has no rack as a rack of its own, numbered above."""
        own = np.arange(len(self.racks), len(self.racks) + len(self.brokers), dtype=np.int32)
        return frozen(np.where(self.rack_of >= 0, self.rack_of, own).astype(np.int32))

    def in_state(self, *states: BrokerState) -> BoolArray:
        """(B,) bool: brokers of which the source says one of these."""
        return np.array([broker.state in states for broker in self.brokers], np.bool_)

    @cached_property
    def dead(self) -> BoolArray:
        """(B,) bool: brokers that the source calls dead; the others may come back, or serve."""
        return frozen(self.in_state(BrokerState.DEAD))

    @cached_property
    def away(self) -> BoolArray:
        """(B,) bool: brokers that the source says are gone: dead, or fenced, as a crashed broker of KRaft is."""
        return frozen(np.array([broker.state.away for broker in self.brokers], np.bool_))

    @cached_property
    def cordoned(self) -> BoolArray:
        """(B,) bool: brokers that serve and get no replica: Kafka refuses every list that names one (KIP-1066)."""
        return frozen(self.in_state(BrokerState.CORDONED))

    @cached_property
    def receiving(self) -> BoolArray:
        """(B,) bool: brokers that may get replicas: available ones that are not cordoned and have lost no disk."""
        return frozen(self.available & ~self.cordoned & ~self.disk_failed)

    @cached_property
    def disk_failed(self) -> BoolArray:
        """(B,) bool: brokers that serve with a log directory offline: they lead what is left, and get no replica."""
        return frozen(np.array([bool(broker.offline_dirs) for broker in self.brokers], np.bool_))

    @cached_property
    def available(self) -> BoolArray:
        """(B,) bool: brokers that may lead and carry load: all but those called dead, fenced or shutting down."""
        return frozen(np.array([not broker.state.unavailable for broker in self.brokers], np.bool_))

    @property
    def has_rackless(self) -> bool:
        """Whether a broker has no rack, or none that is told."""
        return any(broker.rack is None for broker in self.brokers)

    @cached_property
    def unknown_racks(self) -> tuple[int, ...]:
        """Ids of the brokers of which nobody tells whether they have a rack, and which.

        Where the source tells racks, a broker that was down when it was read may have one all the same, unless no
        broker has any.
        """
        if self.gaps.racks_told:
            return tuple(b.id for b in self.brokers if self.racks and b.rack is None and b.state is BrokerState.DEAD)
        return tuple(b.id for b in self.brokers if b.rack is None)

    @property
    def floor_told(self) -> bool:
        """Whether ``min.insync.replicas`` is told for any topic."""
        return self.min_in_sync is not None and bool((self.min_in_sync >= 1).any())

    @cached_property
    def under_way(self) -> BoolArray:
        """(P,) bool: whether a reassignment of the partition is under way."""
        busy = np.zeros(self.partition_count, np.bool_)
        for mask in (self.adding, self.removing):
            if mask is not None:
                busy |= row_any(mask)
        return frozen(busy)

    @cached_property
    def duplicates(self) -> Longs:
        """(n,) int64: rows in which one broker occurs twice (Kafka's tools accept such lists; a plan must not)."""
        return frozen(np.flatnonzero(row_repeats(self.replicas)))

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that name this content: equal layouts have equal digests."""
        state = hashlib.blake2b(digest_size=16)
        # Where every rack is told it does not matter who told it.
        gaps = replace(self.gaps, racks_told=self.gaps.racks_told and self.has_rackless)
        for name in (one.name for one in fields(self)):
            told = gaps if name == "gaps" else getattr(self, name)
            if (name, told) in (("topic_ids", None), ("gaps", Gaps())):
                continue  # as before there were these: links name layouts by their digests
            state.update(f"|{name}:".encode())
            if isinstance(told, np.ndarray):
                state.update(f"{told.dtype}{told.shape}".encode())
                state.update(np.ascontiguousarray(told).data)
            elif told is not None:
                state.update(repr(told).encode())
        if self.disk_failed.any():
            state.update(repr([broker.offline_dirs for broker in self.brokers]).encode())
        return state.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LayoutColumns) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"ClusterLayout({len(self.brokers)} brokers, {len(self.topics)} topics, "
            f"{self.partition_count} partitions, {self.replica_count} replicas)"
        )
