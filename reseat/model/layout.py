"""ClusterLayout: who sits where, as columns. Immutable; a million partitions are a few arrays.

Rows are partitions, sorted by topic name and then partition id, so that equal layouts have equal
columns, equal digests, and a partition is found by binary search.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import LayoutInvalid
from reseat.model.arrays import found_in, frozen, ids_at, row_any, row_counts, row_keys, row_repeats, taken
from reseat.model.assignments import columns_of
from reseat.model.broker import Broker, BrokerState
from reseat.model.columns import COLUMNS, NONE, NOT_TOLD, BoolArray, FloatArray, IntArray
from reseat.model.gaps import Gaps
from reseat.model.layout_checks import check, shape_of
from reseat.model.sorting import PositionMap, row_order, sorted_codes, sorted_paths, with_mentioned

__all__ = ["ClusterLayout"]


@dataclass(frozen=True, eq=False)
class ClusterLayout:
    """Who sits where in a cluster.

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

    # ---- ways in -------------------------------------------------------------------------------------------

    @classmethod
    def from_columns(
        cls,
        *,
        topics: Sequence[str],
        topic_of: npt.ArrayLike,
        partition: npt.ArrayLike,
        replicas: npt.ArrayLike,
        brokers: Iterable[Broker] = (),
        log_dirs: Sequence[str] = (),
        topic_ids: Sequence[str] | None = None,
        order_told: npt.ArrayLike | bool = True,
        **further: npt.ArrayLike | None,
    ) -> ClusterLayout:
        """Make a layout of columns in any row and topic order, with broker *ids* (not positions).

        Columns are those of the class, but ``replicas``, ``leader`` hold broker ids (-1 padding or none, -2 not
        told). Topics and rows are sorted here; brokers that are only mentioned are added with state not told.

        Raises:
            LayoutInvalid: as the class; a broker id below 0 or given twice; a topic named twice.
            TypeError: a layout has no column of that name.
        """
        names = tuple(topics)
        if len(set(names)) != len(names):
            raise LayoutInvalid("A topic is named twice in the list of topics.")
        if unknown := sorted(further.keys() - COLUMNS.keys()):
            raise TypeError(f"A layout has no column {unknown[0]!r}.")
        given = {
            "topic_of": topic_of,
            "partition": partition,
            "replicas": replicas,
            "order_told": order_told,
            **further,
        }
        columns: dict[str, Any] = {
            name: np.asarray(given[name], column.kind)
            for name, column in COLUMNS.items()
            if given.get(name) is not None
        }
        count, _ = shape_of(columns["replicas"])
        for name, column in COLUMNS.items():
            if column.whole and name not in columns:
                columns[name] = np.full(count, column.blank, column.kind)
        known = sorted(brokers, key=lambda b: b.id)
        of_brokers = [name for name, column in COLUMNS.items() if column.into == "brokers"]
        all_brokers = with_mentioned(known, *(columns[name] for name in of_brokers))
        columns["topic_of"], topic_order = sorted_codes(names, columns["topic_of"])
        paths, column_of_paths = sorted_paths(log_dirs, columns.get("log_dir"))
        if column_of_paths is not None:
            columns["log_dir"] = column_of_paths
        rows = row_order(columns["topic_of"], columns["partition"])
        for name, told in columns.items():
            by_row = COLUMNS[name].by_row
            columns[name] = taken(told, rows) if by_row else np.broadcast_to(told, (len(names),))[topic_order]
        place = PositionMap(all_brokers)
        columns |= {name: place(columns[name]) for name in of_brokers}
        return cls(
            brokers=all_brokers,
            topics=tuple(names[i] for i in topic_order),
            log_dirs=paths,
            topic_ids=None if topic_ids is None else tuple(topic_ids[i] for i in topic_order),
            **columns,
        )

    @classmethod
    def from_assignments(
        cls,
        assignments: Mapping[tuple[str, int], Sequence[int]],
        *,
        brokers: Iterable[Broker] = (),
        leaders: Mapping[tuple[str, int], int | None] | None = None,
        in_sync: Mapping[tuple[str, int], Sequence[int]] | None = None,
        size_bytes: Mapping[tuple[str, int], float] | None = None,
        order_told: bool = True,
    ) -> ClusterLayout:
        """The readable way in: ``{("orders", 0): [1, 2, 3], ...}``, for tests and small layouts.

        Args:
            assignments: replica ids in assignment order by (topic, partition).
            brokers: brokers known; those only mentioned are added with state not told.
            leaders: leader's id, or None for no leader; a partition that is not in it is not told.
            in_sync: ISR ids; a partition that is not in it is not told.
            size_bytes: bytes a replica.
            order_told: whether the lists are in assignment order.

        Raises:
            LayoutInvalid: as ``from_columns``.
        """
        return cls.from_columns(
            brokers=brokers,
            order_told=order_told,
            **columns_of(assignments, leaders=leaders, in_sync=in_sync, size_bytes=size_bytes),
        )

    # ---- ways out ------------------------------------------------------------------------------------------

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """Every column that is told, by its name; ``reseat.model.columns.COLUMNS`` says what each is."""
        told = ((name, getattr(self, name)) for name in COLUMNS)
        return {name: column for name, column in told if column is not None}

    def assignments(self) -> dict[tuple[str, int], list[int]]:
        """Replica ids in assignment order by (topic, partition); the readable way out, for tests and small layouts."""
        ids = self.replica_ids
        return {
            (self.topics[topic], partition): [broker for broker in row if broker != NONE]
            for topic, partition, row in zip(self.topic_of.tolist(), self.partition.tolist(), ids.tolist(), strict=True)
        }

    # ---- what follows from the columns ---------------------------------------------------------------------

    @property
    def partition_count(self) -> int:
        """P: the number of partitions."""
        return int(self.replicas.shape[0])

    @cached_property
    def replica_count(self) -> int:
        """The number of replicas, over all partitions."""
        return int(np.count_nonzero(self.replicas != NONE))

    @cached_property
    def replication_factor(self) -> IntArray:
        """(P,) int32: the number of replicas of each partition, those being added included."""
        return frozen(row_counts(self.replicas != NONE))

    @cached_property
    def replicas_by_broker(self) -> npt.NDArray[np.int64]:
        """(B,) int64: the number of replicas on each broker, those being added or removed included."""
        # From the second entry on: the first counts the padding.
        return frozen(np.bincount(self.replicas.ravel() + 1, minlength=len(self.brokers) + 1)[1:])

    @cached_property
    def preferred_by_broker(self) -> npt.NDArray[np.int64]:
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
    def cordoned(self) -> BoolArray:
        """(B,) bool: brokers that serve and get no replica: Kafka refuses every list that names one (KIP-1066)."""
        return frozen(self.in_state(BrokerState.CORDONED))

    @cached_property
    def receiving(self) -> BoolArray:
        """(B,) bool: brokers that may get replicas: available ones that are not cordoned."""
        return frozen(self.available & ~self.cordoned)

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

    @cached_property
    def under_way(self) -> BoolArray:
        """(P,) bool: whether a reassignment of the partition is under way."""
        busy = np.zeros(self.partition_count, np.bool_)
        for mask in (self.adding, self.removing):
            if mask is not None:
                busy |= row_any(mask)
        return frozen(busy)

    @cached_property
    def duplicates(self) -> npt.NDArray[np.int64]:
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
        return state.hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterLayout) and (self is other or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return (
            f"ClusterLayout({len(self.brokers)} brokers, {len(self.topics)} topics, "
            f"{self.partition_count} partitions, {self.replica_count} replicas)"
        )

    # ---- questions -----------------------------------------------------------------------------------------

    def position(self, broker_id: int) -> int | None:
        """The position of a broker id in ``brokers``, or None if it is not known."""
        at = int(np.searchsorted(self.broker_ids, broker_id))
        return at if at < len(self.brokers) and self.brokers[at].id == broker_id else None

    def row(self, topic: str, partition: int) -> int | None:
        """The row of a partition, or None if the layout does not have it. O(log P)."""
        span = self.rows_of_topic(topic)
        at = span.start + int(np.searchsorted(self.partition[span.start : span.stop], partition))
        return at if at < span.stop and int(self.partition[at]) == partition else None

    def rows_of_topic(self, topic: str) -> range:
        """The rows of a topic's partitions, an empty range if the layout does not have it. O(log P)."""
        code = self._topic_code.get(topic)
        if code is None:
            return range(0)
        first, last = np.searchsorted(self.topic_of, [code, code + 1])
        return range(int(first), int(last))

    def rows_of(self, other: ClusterLayout) -> npt.NDArray[np.int64]:
        """(P',) int64: the row in this layout of each partition of another one, -1 where this one does not have it.

        Both are sorted, so the rows that are found ascend. O((P + P') log P).
        """
        topic = np.array([self._topic_code.get(name, NONE) for name in other.topics], np.int64)
        return self.rows_at(topic[other.topic_of], other.partition)

    def rows_at(self, topic: npt.NDArray[np.integer], partition: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """(n,) int64: the row of each of n partitions, -1 where the layout does not have it. O((P + n) log P).

        Args:
            topic: (n,) positions in ``topics``; -1: none of them.
            partition: (n,) partition ids.
        """
        return found_in(row_keys(self.topic_of, self.partition), row_keys(topic, partition))

    def keys_among(self, topics: Sequence[str]) -> npt.NDArray[np.int64]:
        """(P,) int64: each partition as one number, with topics numbered as in sorted names; ascending.

        Two layouts' numbers tell the same partitions by the same numbers where the names are all of either.
        """
        place = {name: i for i, name in enumerate(topics)}
        return row_keys(np.array([place[name] for name in self.topics], np.int64)[self.topic_of], self.partition)

    def name_of(self, row: int) -> str:
        """``topic-partition`` of a row, as Kafka writes it."""
        return f"{self.topics[int(self.topic_of[row])]}-{int(self.partition[row])}"

    @cached_property
    def _topic_code(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.topics)}

    # ---- other layouts made of this one --------------------------------------------------------------------

    def with_brokers(self, brokers: Iterable[Broker]) -> ClusterLayout:
        """The same partitions with further brokers, or with other facts (rack, host, state) of known ones.

        Brokers given replace those of equal id; the others stay.
        """
        merged = {b.id: b for b in self.brokers} | {b.id: b for b in brokers}
        ordered = tuple(merged[i] for i in sorted(merged))
        if [b.id for b in ordered] == [b.id for b in self.brokers]:
            return replace(self, brokers=ordered)
        shift = np.searchsorted(np.array([b.id for b in ordered], np.int32), self.broker_ids).astype(np.int32)
        return replace(
            self,
            brokers=ordered,
            replicas=ids_at(shift, self.replicas),
            leader=ids_at(shift, self.leader),
        )

    def with_racks(self, racks: Mapping[int, str | None]) -> ClusterLayout:
        """The same layout with these racks by broker id; ids not yet known become brokers too (and targets).

        A broker that is given None has no rack: where that leaves no broker in doubt, every rack is told.
        """
        known = {b.id: b for b in self.brokers}
        out = self.with_brokers(replace(known.get(i, Broker(i)), rack=rack) for i, rack in racks.items())
        settled = all(b.id in racks for b in out.brokers if b.rack is None)
        return replace(out, gaps=replace(out.gaps, racks_told=True)) if settled and not out.gaps.racks_told else out

    def select(self, rows: npt.NDArray[np.integer] | npt.NDArray[np.bool_]) -> ClusterLayout:
        """The layout of these partitions alone, all brokers kept; topics without a partition left drop out.

        Args:
            rows: (n,) row numbers in ascending order, or a (P,) mask.
        """
        chosen = np.flatnonzero(rows) if rows.dtype == np.bool_ else np.asarray(rows)
        kept, codes = np.unique(self.topic_of[chosen], return_inverse=True)
        columns: dict[str, Any] = {
            name: column[chosen if COLUMNS[name].by_row else kept] for name, column in self.columns().items()
        }
        columns["topic_of"] = codes.astype(np.int32)
        return replace(
            self,
            topics=tuple(self.topics[i] for i in kept.tolist()),
            topic_ids=None if self.topic_ids is None else tuple(self.topic_ids[i] for i in kept.tolist()),
            **columns,
        )

    def without_topics(self, names: Iterable[str]) -> ClusterLayout:
        """The layout without the partitions of these topics; all brokers are kept."""
        left_out = frozenset(names)
        gone = np.array([name in left_out for name in self.topics], np.bool_)
        kept = self if not gone.any() else self.select(~gone[self.topic_of])
        gaps = self.gaps.without_topics(left_out)
        return kept if gaps is self.gaps else replace(kept, gaps=gaps)

    def target(self) -> ClusterLayout:
        """The layout once the reassignments under way are done: replicas that are leaving are taken out.

        Leaders that leave become not told; masks over replicas follow. Returns itself where nothing leaves.
        """
        if self.adding is None and self.removing is None:
            return self
        stays = (self.replicas != NONE) if self.removing is None else (self.replicas != NONE) & ~self.removing
        order = np.argsort(~stays, axis=1, kind="stable")
        width = int(stays.sum(axis=1).max(initial=0))
        packed: dict[str, Any] = {"adding": None, "removing": None}
        for name, column in self.columns().items():
            if column.ndim == 2 and name not in packed:
                blank = np.asarray(COLUMNS[name].blank, column.dtype)
                packed[name] = np.take_along_axis(np.where(stays, column, blank), order, axis=1)[:, :width].copy()
        leads = (packed["replicas"] == self.leader[:, None]).any(axis=1)
        packed["leader"] = np.where((self.leader >= 0) & ~leads, NOT_TOLD, self.leader).astype(np.int32)
        return replace(self, **packed)
