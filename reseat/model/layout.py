"""ClusterLayout: who sits where, as columns. Immutable; a million partitions are a few arrays.

Rows are partitions, sorted by topic name and then partition id, so that equal layouts have equal
columns, equal digests, and a partition is found by binary search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import LayoutInvalid
from reseat.model.arrays import found_in, holds, ids_at, matrix_of, row_keys, taken
from reseat.model.broker import Broker
from reseat.model.columns import COLUMNS, NONE, NOT_TOLD, BoolArray, IntArray, Longs
from reseat.model.layout_checks import shape_of
from reseat.model.layout_columns import LayoutColumns
from reseat.model.sorting import PositionMap, row_order, sorted_codes, sorted_paths, with_mentioned

__all__ = ["ClusterLayout"]


@dataclass(frozen=True, eq=False, repr=False)
class ClusterLayout(LayoutColumns):
    """Who sits where in a cluster; ``LayoutColumns`` says what each column is."""

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
            **_columns_of(assignments, leaders=leaders, in_sync=in_sync, size_bytes=size_bytes),
        )

    # ---- ways out ------------------------------------------------------------------------------------------

    def assignments(self) -> dict[tuple[str, int], list[int]]:
        """Replica ids in assignment order by (topic, partition); the readable way out, for tests and small layouts."""
        ids = self.replica_ids
        return {
            (self.topics[topic], partition): [broker for broker in row if broker != NONE]
            for topic, partition, row in zip(self.topic_of.tolist(), self.partition.tolist(), ids.tolist(), strict=True)
        }

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

    def topics_at(self, rows: npt.NDArray[np.integer] | BoolArray) -> tuple[str, ...]:
        """Names of the topics of rows (n,), or of a mask over them (P,), each once, in their order."""
        return tuple(self.topics[i] for i in np.unique(self.topic_of[rows]).tolist())

    def is_topic(self, names: Iterable[str]) -> BoolArray:
        """(T,) bool: which topics are among these names. By a set: numpy compares texts one by one."""
        wanted = frozenset(names)
        return np.fromiter((topic in wanted for topic in self.topics), np.bool_, len(self.topics))

    def is_broker(self, ids: Iterable[int]) -> BoolArray:
        """(B,) bool: which brokers are among these ids; one that the layout does not have is none of them."""
        return np.isin(self.broker_ids, list(ids))

    def rows_of(self, other: ClusterLayout) -> Longs:
        """(P',) int64: the row in this layout of each partition of another one, -1 where this one does not have it.

        Both are sorted, so the rows that are found ascend. O((P + P') log P).
        """
        if other.topic_of is self.topic_of and other.partition is self.partition and other.topics == self.topics:
            return np.arange(self.partition_count)  # a layout made of this one, as a plan's proposal is
        topic = np.array([self._topic_code.get(name, NONE) for name in other.topics], np.int64)
        return self.rows_at(topic[other.topic_of], other.partition)

    def rows_at(self, topic: npt.NDArray[np.integer], partition: npt.NDArray[np.integer]) -> Longs:
        """(n,) int64: the row of each of n partitions, -1 where the layout does not have it. O((P + n) log P).

        Args:
            topic: (n,) positions in ``topics``; -1: none of them.
            partition: (n,) partition ids.
        """
        return found_in(row_keys(self.topic_of, self.partition), row_keys(topic, partition))

    def keys_among(self, topics: Sequence[str]) -> Longs:
        """(P,) int64: each partition as one number, with topics numbered as in sorted names; ascending.

        Two layouts' numbers tell the same partitions by the same numbers where the names are all of either.
        """
        place = {name: i for i, name in enumerate(topics)}
        return row_keys(np.array([place[name] for name in self.topics], np.int64)[self.topic_of], self.partition)

    def name_of(self, row: int) -> str:
        """``topic-partition`` of a row, as Kafka writes it."""
        return f"{self.topics[int(self.topic_of[row])]}-{int(self.partition[row])}"

    def partitions_at(self, rows: npt.NDArray[np.integer]) -> Iterator[tuple[str, int]]:
        """Topic and partition id of rows (n,), in their order."""
        topics = map(self.topics.__getitem__, self.topic_of[rows].tolist())
        return zip(topics, self.partition[rows].tolist(), strict=True)

    def names_at(self, rows: npt.NDArray[np.integer]) -> tuple[str, ...]:
        """``topic-partition`` of rows (n,), in their order."""
        return tuple(f"{topic}-{partition}" for topic, partition in self.partitions_at(rows))

    @cached_property
    def _topic_code(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.topics)}

    # ---- other layouts made of this one --------------------------------------------------------------------

    def bare(self, ids: IntArray | None = None) -> ClusterLayout:
        """The same partitions on the same brokers with these lists, and without leaders, ISR, sizes and directories.

        Args:
            ids: (P, R') broker ids in assignment order, -1 padded; by default the lists as they are.
        """
        return ClusterLayout.from_columns(
            topics=self.topics,
            topic_of=self.topic_of,
            partition=self.partition,
            replicas=self.replica_ids if ids is None else ids,
            brokers=self.brokers,
        )

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

    def select(self, rows: npt.NDArray[np.integer] | BoolArray) -> ClusterLayout:
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


_Key = tuple[str, int]


def _columns_of(
    assignments: Mapping[_Key, Sequence[int]],
    *,
    leaders: Mapping[_Key, int | None] | None,
    in_sync: Mapping[_Key, Sequence[int]] | None,
    size_bytes: Mapping[_Key, float] | None,
) -> dict[str, Any]:
    """What ``ClusterLayout.from_columns`` takes, of what ``ClusterLayout.from_assignments`` is given."""
    keys = list(assignments)
    names = sorted({topic for topic, _ in keys})
    code = {name: i for i, name in enumerate(names)}
    replicas = matrix_of(assignments[key] for key in keys)
    columns: dict[str, Any] = {
        "topics": names,
        "topic_of": np.array([code[topic] for topic, _ in keys], np.int32),
        "partition": np.array([partition for _, partition in keys], np.int32),
        "replicas": replicas,
    }
    if leaders is not None:
        told = (leaders.get(key, NOT_TOLD) for key in keys)
        columns["leader"] = np.array([NONE if leader is None else leader for leader in told], np.int32)
    if in_sync is not None:
        columns["in_sync"] = holds(matrix_of(in_sync.get(key, ()) for key in keys), replicas)
        columns["in_sync_told"] = np.array([key in in_sync for key in keys], np.bool_)
    if size_bytes is not None:
        columns["size_bytes"] = np.array([size_bytes.get(key, np.nan) for key in keys], np.float64)
    return columns
