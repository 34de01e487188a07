"""ClusterLayout: who sits where, as columns. Immutable; a million partitions are a few arrays.

Rows are partitions, sorted by topic name and then partition id, so that equal layouts have equal
columns, equal digests, and a partition is found by binary search.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from reseat.errors import LayoutInvalid
from reseat.model.broker import Broker, BrokerState
from reseat.model.columns import row_any, row_counts
from reseat.model.gaps import Gaps

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NONE", "NOT_TOLD", "BoolArray", "ClusterLayout", "FloatArray", "IntArray"]

IntArray = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
_Scalar = TypeVar("_Scalar", bound=np.generic)

#: In ``leader``: the source says that there is no leader. In ``replicas``: padding.
NONE = -1
#: In ``leader`` and ``leader_epoch``: the source does not say.
NOT_TOLD = -2

#: Up to this broker id, ids are mapped to positions by a table; above, by binary search.
_TABLE_LIMIT = 1 << 22

#: Up to this replication factor every two columns are compared for duplicates, which is faster than sorting rows.
_FEW_REPLICAS = 5


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
        partitions, width = _shape_of(self.replicas)
        by_row: dict[str, tuple[int, ...]] = dict.fromkeys(
            ("topic_of", "partition", "leader", "leader_epoch", "in_sync_told"), (partitions,)
        )
        by_row |= dict.fromkeys(
            ("replicas", "in_sync", "eligible", "last_known_eligible", "observers", "log_dir", "adding", "removing"),
            (partitions, width),
        )
        by_row |= {"order_told": (len(self.topics),), "min_in_sync": (len(self.topics),)}
        for name, shape in by_row.items():
            column = getattr(self, name)
            if column is not None and column.shape != shape:
                raise LayoutInvalid(f"Column {name} has shape {column.shape}; {shape} was expected.")
        if self.topic_ids is not None and len(self.topic_ids) != len(self.topics):
            raise LayoutInvalid(f"There are {len(self.topic_ids)} topic ids for {len(self.topics)} topics.")
        if self.size_bytes is not None and self.size_bytes.shape not in ((partitions,), (partitions, width)):
            raise LayoutInvalid(
                f"Column size_bytes has shape {self.size_bytes.shape}; {(partitions, width)} was expected."
            )
        _check_types(self)
        _check_positions(self)
        _check_order(self)
        if self.in_sync is not None and self.in_sync_told is not None and self.in_sync_told.all():
            object.__setattr__(
                self, "in_sync_told", None
            )  # one way to say it, so that equal layouts have equal digests
        for column_field in fields(self):
            column = getattr(self, column_field.name)
            if isinstance(column, np.ndarray):
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
        leader: npt.ArrayLike | None = None,
        leader_epoch: npt.ArrayLike | None = None,
        in_sync: npt.ArrayLike | None = None,
        in_sync_told: npt.ArrayLike | None = None,
        eligible: npt.ArrayLike | None = None,
        last_known_eligible: npt.ArrayLike | None = None,
        observers: npt.ArrayLike | None = None,
        log_dir: npt.ArrayLike | None = None,
        log_dirs: Sequence[str] = (),
        min_in_sync: npt.ArrayLike | None = None,
        topic_ids: Sequence[str] | None = None,
        order_told: npt.ArrayLike | bool = True,
        size_bytes: npt.ArrayLike | None = None,
        adding: npt.ArrayLike | None = None,
        removing: npt.ArrayLike | None = None,
    ) -> ClusterLayout:
        """Make a layout of columns in any row and topic order, with broker *ids* (not positions).

        Columns are those of the class, but ``replicas``, ``leader`` hold broker ids (-1 padding or none, -2 not
        told). Topics and rows are sorted here; brokers that are only mentioned are added with state not told.

        Raises:
            LayoutInvalid: as the class; a broker id below 0 or given twice; a topic named twice.
        """
        names = tuple(topics)
        if len(set(names)) != len(names):
            raise LayoutInvalid("A topic is named twice in the list of topics.")
        given = sorted(brokers, key=lambda b: b.id)
        replica_ids = np.asarray(replicas, np.int32)
        _shape_of(replica_ids)
        count = replica_ids.shape[0]
        leader_ids = np.full(count, NOT_TOLD, np.int32) if leader is None else np.asarray(leader, np.int32)
        epochs = np.full(count, NOT_TOLD, np.int32) if leader_epoch is None else np.asarray(leader_epoch, np.int32)
        all_brokers = _with_mentioned(given, replica_ids, leader_ids)
        place = _position_map(all_brokers)
        topic_codes, topic_order = _sorted_codes(names, np.asarray(topic_of, np.int32))
        paths, directory = _sorted_paths(log_dirs, log_dir)
        partitions = np.asarray(partition, np.int32)
        rows = _row_order(topic_codes, partitions)

        def by_row(column: npt.ArrayLike | None, kind: type[_Scalar]) -> npt.NDArray[_Scalar] | None:
            return None if column is None else _take(np.asarray(column, kind), rows)

        def by_topic(column: npt.ArrayLike, kind: type[_Scalar]) -> npt.NDArray[_Scalar]:
            return np.broadcast_to(np.asarray(column, kind), (len(names),))[topic_order].copy()

        return cls(
            brokers=all_brokers,
            topics=tuple(names[i] for i in topic_order),
            topic_of=_take(topic_codes, rows),
            partition=_take(partitions, rows),
            replicas=place(_take(replica_ids, rows)),
            leader=place(_take(leader_ids, rows)),
            leader_epoch=_take(epochs, rows),
            order_told=by_topic(order_told, np.bool_),
            in_sync=by_row(in_sync, np.bool_),
            in_sync_told=by_row(in_sync_told, np.bool_),
            eligible=by_row(eligible, np.bool_),
            last_known_eligible=by_row(last_known_eligible, np.bool_),
            observers=by_row(observers, np.bool_),
            log_dir=by_row(directory, np.int32),
            log_dirs=paths,
            min_in_sync=None if min_in_sync is None else by_topic(min_in_sync, np.int32),
            topic_ids=None if topic_ids is None else tuple(topic_ids[i] for i in topic_order),
            size_bytes=by_row(size_bytes, np.float64),
            adding=by_row(adding, np.bool_),
            removing=by_row(removing, np.bool_),
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
        keys = list(assignments)
        names = sorted({topic for topic, _ in keys})
        code = {name: i for i, name in enumerate(names)}
        width = max((len(assignments[key]) for key in keys), default=0)
        replica_ids = np.full((len(keys), width), NONE, np.int32)
        isr = np.zeros((len(keys), width), np.bool_)
        told = np.zeros(len(keys), np.bool_)
        for row, key in enumerate(keys):
            replica_ids[row, : len(assignments[key])] = list(assignments[key])
            if in_sync is not None and key in in_sync:
                told[row] = True
                isr[row] = np.isin(replica_ids[row], list(in_sync[key])) & (replica_ids[row] != NONE)
        leader = [
            NOT_TOLD if leaders is None or key not in leaders else NONE if leaders[key] is None else leaders[key]
            for key in keys
        ]
        return cls.from_columns(
            topics=names,
            topic_of=np.array([code[topic] for topic, _ in keys], np.int32),
            partition=np.array([partition for _, partition in keys], np.int32),
            replicas=replica_ids,
            brokers=brokers,
            leader=np.array(leader, np.int32),
            in_sync=None if in_sync is None else isr,
            in_sync_told=None if in_sync is None else told,
            size_bytes=None
            if size_bytes is None
            else np.array([size_bytes.get(key, np.nan) for key in keys], np.float64),
            order_told=order_told,
        )

    # ---- ways out ------------------------------------------------------------------------------------------

    def assignments(self) -> dict[tuple[str, int], list[int]]:
        """Replica ids in assignment order by (topic, partition); the readable way out, for tests and small layouts."""
        ids = self.replica_ids
        return {
            (self.topics[topic], partition): [broker for broker in row if broker != NONE]
            for topic, partition, row in zip(self.topic_of.tolist(), self.partition.tolist(), ids.tolist(), strict=True)
        }

    def to_frame(self) -> pd.DataFrame:
        """The long table, one row a replica.

        Columns: topic, partition, position, broker, rack, is_leader, in_sync, size_bytes.

        ``is_leader`` and ``in_sync`` are nullable booleans (NA where not told); ``size_bytes`` is NaN where not
        told; ``topic`` and ``rack`` are categoricals.
        """
        import pandas as pd  # here, so that the core starts without it

        def categorical(codes: npt.NDArray[np.integer], values: Sequence[str]) -> pd.Categorical:
            # The stubs know of sequences only; an array is taken as it is, without a list of a million numbers.
            return pd.Categorical.from_codes(codes, dtype=pd.CategoricalDtype(list(values)))  # type: ignore[arg-type]

        rows, positions = np.nonzero(self.replicas != NONE)
        broker = self.replicas[rows, positions]
        leader = self.leader[rows]
        told = self.in_sync_known[rows]
        in_sync = np.zeros(len(rows), np.bool_) if self.in_sync is None else self.in_sync[rows, positions]
        sizes = self.replica_bytes
        return pd.DataFrame(
            {
                "topic": categorical(self.topic_of[rows], self.topics),
                "partition": self.partition[rows],
                "position": positions.astype(np.int32),
                "broker": self.broker_ids[broker],
                "rack": categorical(self.rack_of[broker], self.racks),
                "is_leader": pd.arrays.BooleanArray(broker == leader, leader == NOT_TOLD),
                "in_sync": pd.arrays.BooleanArray(in_sync, ~told),
                "size_bytes": np.full(len(rows), np.nan) if sizes is None else sizes[rows, positions],
            },
        )

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
        return _frozen(row_counts(self.replicas != NONE))

    @cached_property
    def replicas_by_broker(self) -> npt.NDArray[np.int64]:
        """(B,) int64: the number of replicas on each broker, those being added or removed included."""
        # From the second entry on: the first counts the padding.
        return _frozen(np.bincount(self.replicas.ravel() + 1, minlength=len(self.brokers) + 1)[1:])

    @cached_property
    def preferred_by_broker(self) -> npt.NDArray[np.int64]:
        """(B,) int64: the number of partitions that name each broker first."""
        first = self.replicas[:, 0] if self.replicas.shape[1] else np.empty(0, np.int32)
        return _frozen(np.bincount(first + 1, minlength=len(self.brokers) + 1)[1:])

    @cached_property
    def broker_ids(self) -> IntArray:
        """(B,) int32: broker ids, ascending."""
        return _frozen(np.array([b.id for b in self.brokers], np.int32))

    @cached_property
    def replica_ids(self) -> IntArray:
        """(P, R) int32: ``replicas`` as broker ids, -1 padded."""
        return _frozen(_ids_of(self.broker_ids, self.replicas))

    @cached_property
    def leader_ids(self) -> IntArray:
        """(P,) int32: ``leader`` as broker ids, -1 none, -2 not told."""
        return _frozen(_ids_of(self.broker_ids, self.leader))

    @cached_property
    def in_sync_known(self) -> BoolArray:
        """(P,) bool: whether the ISR of each partition is told."""
        if self.in_sync is None:
            return _frozen(np.zeros(self.partition_count, np.bool_))
        if self.in_sync_told is None:
            return _frozen(np.ones(self.partition_count, np.bool_))
        return self.in_sync_told

    @cached_property
    def replica_bytes(self) -> FloatArray | None:
        """(P, R) float64: bytes of each replica, NaN where not told or padding; None where no size is told."""
        if self.size_bytes is None:
            return None
        sizes = self.size_bytes if self.size_bytes.ndim == 2 else self.size_bytes[:, None]
        told = np.where(self.replicas != NONE, sizes, np.nan)
        # A column may be there and hold no number: nothing told is not 0 bytes.
        return None if np.isnan(told).all() else _frozen(told)

    @cached_property
    def rack_of(self) -> IntArray:
        """(B,) int32: each broker's rack as a position in ``racks``, -1 where it has none."""
        place = {rack: i for i, rack in enumerate(self.racks)}
        return _frozen(np.array([-1 if b.rack is None else place[b.rack] for b in self.brokers], np.int32))

    @cached_property
    def racks(self) -> tuple[str, ...]:
        """The racks that brokers have, sorted as text (as Kafka does)."""
        return tuple(sorted({b.rack for b in self.brokers if b.rack is not None}))

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
        return _frozen(busy)

    @cached_property
    def duplicates(self) -> npt.NDArray[np.int64]:
        """(n,) int64: rows in which one broker occurs twice (Kafka's tools accept such lists; a plan must not)."""
        lists = self.replicas
        if lists.shape[1] <= _FEW_REPLICAS:
            twice = np.zeros(len(lists), np.bool_)
            for a, b in itertools.combinations(range(lists.shape[1]), 2):
                twice |= (lists[:, a] == lists[:, b]) & (lists[:, b] != NONE)
            return _frozen(np.flatnonzero(twice))
        ordered = np.sort(lists, axis=1)
        return _frozen(np.flatnonzero(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).any(axis=1)))

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that name this content: equal layouts have equal digests."""
        state = hashlib.blake2b(digest_size=16)
        for column_field in fields(self):
            column = getattr(self, column_field.name)
            if column is None and column_field.name == "topic_ids":
                continue  # as before there was this column: links name layouts by their digests
            if column_field.name == "gaps":
                # Where every rack is told it does not matter who told it; nothing to say keeps older digests.
                told = replace(column, racks_told=column.racks_told and self.has_rackless)
                if told != Gaps():
                    state.update(f"|gaps:{told!r}".encode())
                continue
            state.update(f"|{column_field.name}:".encode())
            if isinstance(column, np.ndarray):
                state.update(f"{column.dtype}{column.shape}".encode())
                state.update(np.ascontiguousarray(column).data)
            elif column is not None:
                state.update(repr(column).encode())
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
        topic = np.array([self._topic_code.get(name, NONE) for name in other.topics], np.int64)[other.topic_of]
        wanted = (topic << 32) | other.partition
        have = (self.topic_of.astype(np.int64) << 32) | self.partition
        if not have.size:
            return np.full(wanted.shape, NONE, np.int64)
        at = np.minimum(np.searchsorted(have, wanted), have.size - 1)
        return np.where((topic >= 0) & (have[at] == wanted), at, NONE).astype(np.int64)

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
            replicas=_ids_of(shift, self.replicas),
            leader=_ids_of(shift, self.leader),
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
        taken = {
            column_field.name: getattr(self, column_field.name)[chosen]
            for column_field in fields(self)
            if column_field.name
            not in ("brokers", "topics", "order_told", "min_in_sync", "topic_ids", "log_dirs", "gaps")
            and getattr(self, column_field.name) is not None
        }
        taken["topic_of"] = codes.astype(np.int32)
        return replace(
            self,
            topics=tuple(self.topics[i] for i in kept.tolist()),
            order_told=self.order_told[kept],
            min_in_sync=None if self.min_in_sync is None else self.min_in_sync[kept],
            topic_ids=None if self.topic_ids is None else tuple(self.topic_ids[i] for i in kept.tolist()),
            **taken,
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

        def packed(column: npt.NDArray[_Scalar] | None, blank: object) -> npt.NDArray[_Scalar] | None:
            if column is None or column.ndim == 1:
                return column
            moved = np.take_along_axis(np.where(stays, column, np.asarray(blank, column.dtype)), order, axis=1)
            return moved[:, :width].copy()

        replicas = np.take_along_axis(np.where(stays, self.replicas, np.int32(NONE)), order, axis=1)[:, :width].copy()
        leads = (replicas == self.leader[:, None]).any(axis=1)
        return replace(
            self,
            replicas=replicas,
            leader=np.where((self.leader >= 0) & ~leads, NOT_TOLD, self.leader).astype(np.int32),
            in_sync=packed(self.in_sync, False),
            eligible=packed(self.eligible, False),
            last_known_eligible=packed(self.last_known_eligible, False),
            observers=packed(self.observers, False),
            log_dir=packed(self.log_dir, NONE),
            size_bytes=packed(self.size_bytes, np.nan),
            adding=None,
            removing=None,
        )


def _shape_of(replicas: npt.NDArray[np.int32]) -> tuple[int, int]:
    if replicas.ndim != 2:
        raise LayoutInvalid(f"Column replicas has {replicas.ndim} dimensions; 2 were expected.")
    return int(replicas.shape[0]), int(replicas.shape[1])


def _check_types(layout: ClusterLayout) -> None:
    expected = {
        np.dtype(np.int32): ("topic_of", "partition", "replicas", "leader", "leader_epoch", "log_dir", "min_in_sync"),
        np.dtype(np.bool_): (
            "order_told",
            "in_sync",
            "in_sync_told",
            "eligible",
            "last_known_eligible",
            "observers",
            "adding",
            "removing",
        ),
        np.dtype(np.float64): ("size_bytes",),
    }
    for kind, names in expected.items():
        for name in names:
            column = getattr(layout, name)
            if column is not None and column.dtype != kind:
                raise LayoutInvalid(f"Column {name} has type {column.dtype}; {kind} was expected.")


def _check_positions(layout: ClusterLayout) -> None:
    ids = [b.id for b in layout.brokers]
    if any(a >= b for a, b in itertools.pairwise(ids)) or (ids and ids[0] < 0):
        raise LayoutInvalid("Brokers must have different ids of at least 0, sorted.")
    replicas = layout.replicas
    for name, column, lowest in (("replicas", replicas, NONE), ("leader", layout.leader, NOT_TOLD)):
        if column.size and (int(column.max()) >= len(ids) or int(column.min()) < lowest):
            raise LayoutInvalid(f"Column {name} holds a position outside the {len(ids)} brokers.")
    if replicas.shape[1] > 1 and ((replicas[:, 1:] != NONE) & (replicas[:, :-1] == NONE)).any():
        raise LayoutInvalid("Replicas must be padded on the right only.")
    if layout.topic_of.size and not 0 <= int(layout.topic_of.min()) <= int(layout.topic_of.max()) < len(layout.topics):
        raise LayoutInvalid(f"Column topic_of holds a position outside the {len(layout.topics)} topics.")


def _check_order(layout: ClusterLayout) -> None:
    if any(a >= b for a, b in zip(layout.topics, layout.topics[1:], strict=False)):
        raise LayoutInvalid("Topics must be sorted by name and different.")
    topic, partition = layout.topic_of, layout.partition
    if partition.size and int(partition.min()) < 0:
        raise LayoutInvalid("A partition id is below 0.")
    step = np.diff(topic)
    wrong = np.flatnonzero((step < 0) | ((step == 0) & (np.diff(partition) <= 0)))
    if wrong.size:
        row = int(wrong[0]) + 1
        name = layout.topics[int(topic[row])]
        twice = bool(step[row - 1] == 0 and partition[row] == partition[row - 1])
        raise LayoutInvalid(
            f"Partition {name}-{int(partition[row])} {'occurs twice' if twice else 'is not in order'}.",
            topic=name,
            partition=int(partition[row]),
        )


def _with_mentioned(given: list[Broker], *columns: npt.NDArray[np.int32]) -> tuple[Broker, ...]:
    ids = [b.id for b in given]
    if len(set(ids)) != len(ids):
        raise LayoutInvalid("A broker id is given twice.")
    known = set(ids)
    mentioned: set[int] = set()
    for column in columns:
        mentioned.update(_distinct(column))
    extra = [Broker(i) for i in mentioned - known if i >= 0]
    return tuple(sorted([*given, *extra], key=lambda b: b.id))


def _distinct(column: npt.NDArray[np.int32]) -> list[int]:
    """Distinct values; by a table where ids are small, which is ten times faster than sorting."""
    if not column.size:
        return []
    low, high = int(column.min()), int(column.max())
    if low < NOT_TOLD:
        raise LayoutInvalid(f"Broker id {low} is below 0.")
    if high > _TABLE_LIMIT:
        return [int(i) for i in np.unique(column)]
    seen = np.zeros(high + 3, np.bool_)
    seen[column.ravel() + 2] = True
    return [int(i) - 2 for i in np.flatnonzero(seen)]


class _PositionMap:
    """Maps broker ids to positions in a sorted tuple of brokers; -1 and -2 stay."""

    def __init__(self, brokers: tuple[Broker, ...]) -> None:
        self._ids = np.array([b.id for b in brokers], np.int32)
        self._table: npt.NDArray[np.int32] | None = None
        if self._ids.size and int(self._ids[-1]) <= _TABLE_LIMIT:
            self._table = np.full(int(self._ids[-1]) + 3, NONE, np.int32)
            self._table[self._ids] = np.arange(len(brokers), dtype=np.int32)
            self._table[NONE], self._table[NOT_TOLD] = NONE, NOT_TOLD  # from the end: -1 and -2 map to themselves

    def __call__(self, ids: npt.NDArray[np.int32]) -> IntArray:
        if self._table is not None:
            return self._table[ids]
        return np.where(ids < 0, ids, np.searchsorted(self._ids, ids)).astype(np.int32)


def _position_map(brokers: tuple[Broker, ...]) -> _PositionMap:
    return _PositionMap(brokers)


def _ids_of(ids: npt.NDArray[np.int32], positions: npt.NDArray[np.int32]) -> IntArray:
    """Positions to ids, with -1 and -2 kept."""
    return np.append(ids, np.array([NOT_TOLD, NONE], np.int32))[positions]


def _sorted_codes(names: tuple[str, ...], codes: npt.NDArray[np.int32]) -> tuple[IntArray, list[int]]:
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(names):
        raise LayoutInvalid(f"Column topic_of holds a position outside the {len(names)} topics.")
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    return (rank[codes] if codes.size else codes), order


def _sorted_paths(paths: Sequence[str], column: npt.ArrayLike | None) -> tuple[tuple[str, ...], npt.ArrayLike | None]:
    """Log directories sorted and once each, so that two readings of one layout number them alike."""
    if column is None:
        return tuple(sorted(set(paths))), None
    ordered = sorted(set(paths))
    place = {path: i for i, path in enumerate(ordered)}
    codes = np.asarray(column, np.int32)
    if codes.size and not NONE <= int(codes.min()) <= int(codes.max()) < len(paths):
        raise LayoutInvalid(f"Column log_dir holds a position outside the {len(paths)} log directories.")
    table = np.array([*(place[path] for path in paths), NONE], np.int32)
    return tuple(ordered), table[codes]


def _row_order(topic: IntArray, partition: IntArray) -> npt.NDArray[np.int64] | None:
    """The order that sorts rows by topic and partition; None where they are sorted already."""
    key = (topic.astype(np.int64) << 32) | partition.astype(np.int64)
    if key.size < 2 or bool((np.diff(key) > 0).all()):
        return None
    return np.argsort(key, kind="stable")


def _take(column: npt.NDArray[_Scalar], rows: npt.NDArray[np.int64] | None) -> npt.NDArray[_Scalar]:
    return column if rows is None else column[rows]


def _frozen(column: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    column.flags.writeable = False
    return column
