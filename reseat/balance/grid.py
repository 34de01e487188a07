"""A layout as a grid of brokers by topics or partitions, at the level of detail that a screen can show.

Promises: every replica of the brokers and columns asked for is counted in exactly one cell, whatever the level of
detail; a grid never has more cells than asked for, however large the layout; before, after and any other layout put on
the same axes have the same cells.

Needs: the order of brokers (ids) and the columns (topics, or partitions) to show.

How: brokers and columns are cut into equal blocks of neighbours; each replica's cell is two table look-ups, and one
``bincount`` a replica position sums them. Single cells of partitions are states instead of sums.

Example: brokers 1, 2 and topics a (2 partitions), b (1) with [1, 2], [2, 1], [1]: replicas [[2, 1], [2, 0]].

Complexity: O(P R) for P partitions of replication factor R, O(cells) memory beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, NOT_TOLD, ClusterLayout, FloatArray, Longs
from reseat.model.naming import natural

__all__ = [
    "Axes",
    "BrokerOrder",
    "CellMeasure",
    "CellState",
    "Grid",
    "TopicOrder",
    "axes_of",
    "broker_order",
    "brokers_by_rack",
    "cell_states",
    "column_order",
    "grid_of",
    "shown_rack_places",
]

#: What a cell counts; in which order brokers and topics stand.
CellMeasure = Literal["replicas", "leaders", "preferred leaders", "bytes", "behind"]
BrokerOrder = Literal["rack", "id", "load", "directory"]
TopicOrder = Literal["name", "size", "imbalance"]


class CellState(IntEnum):
    """What one broker is to one partition."""

    EMPTY = 0
    LEADER = 1
    IN_SYNC = 2
    BEHIND = 3
    OFFLINE = 4
    MOVING_IN = 5
    MOVING_OUT = 6
    FOLLOWER = 7
    """A follower (or, where no leader is told, a replica) of which the ISR is not told."""


@dataclass(frozen=True, eq=False)
class Axes:
    """What stands at the sides of a grid.

    Attributes:
        brokers: (n,) int64 broker ids, one a row before blocks are made, in the order shown.
        base: the layout whose topics and partitions are the columns.
        by_partition: whether a column is a partition (else a topic).
        columns: (m,) int64 topic positions or partition rows of ``base``, in the order shown.
        row_spans: which brokers (positions in ``brokers``) each row of the grid holds, as [start, stop).
        column_spans: which columns (positions in ``columns``) each column of the grid holds, likewise.
        by_directory: whether the rows are log directories, which the hosts of ``base`` name
            (``reseat.balance.directories.by_directory``).
    """

    brokers: Longs
    base: ClusterLayout
    by_partition: bool
    columns: Longs
    row_spans: tuple[range, ...]
    column_spans: tuple[range, ...]
    by_directory: bool = False

    @property
    def row_kind(self) -> tuple[str, str]:
        """What a row is, one and several."""
        return ("log directory", "log directories") if self.by_directory else ("broker", "brokers")

    def name_of(self, place: int) -> str:
        """What the broker or the directory at this position of ``brokers`` is called."""
        broker = int(self.brokers[place])
        at = self.base.position(broker) if self.by_directory else None
        return str(broker) if at is None else str(self.base.brokers[at].host)

    @property
    def single(self) -> bool:
        """Whether each cell is one broker and one column."""
        return len(self.row_spans) == len(self.brokers) and len(self.column_spans) == len(self.columns)


@dataclass(frozen=True, eq=False)
class Grid:
    """Sums on axes.

    Attributes:
        axes: what stands at its sides.
        values: (rows, columns) float64.
        row_sums: (rows,) float64.
        column_sums: (columns,) float64.
        broker_sums: (n,) float64, of each broker by itself where rows hold several.
        left_out: replicas of the layout that are on no cell (other brokers, topics or partitions than the axes').
    """

    axes: Axes
    values: FloatArray
    row_sums: FloatArray
    column_sums: FloatArray
    broker_sums: FloatArray
    left_out: int


def broker_order(layout: ClusterLayout, order: BrokerOrder = "rack") -> Longs:
    """(B,) broker ids by rack and id (those without a rack last), by id, or by replicas, most first.

    Of log directories, whose ids are in the order of brokers, that is by rack, broker and path.
    """
    ids = layout.broker_ids.astype(np.int64)
    if order == "id":
        return ids
    if order == "load":
        held = np.bincount(layout.replicas[layout.replicas != NONE], minlength=len(ids))
        return ids[np.lexsort((ids, -held))]
    return ids[brokers_by_rack(layout)]


def brokers_by_rack(layout: ClusterLayout) -> Longs:
    """(B,) positions of the brokers by rack as a person sorts their names, those without one last, then by id."""
    place = np.append(shown_rack_places(layout), len(layout.racks))  # -1, no rack, looks up the last entry
    return np.lexsort((layout.broker_ids, place[layout.rack_of])).astype(np.int64)


def shown_rack_places(layout: ClusterLayout) -> Longs:
    """(racks,) where each rack of ``layout.racks`` stands when a person sorts them: rack-2 before rack-10."""
    order = sorted(range(len(layout.racks)), key=lambda rack: natural(layout.racks[rack]))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place


def column_order(
    layout: ClusterLayout,
    order: TopicOrder = "size",
    *,
    by_partition: bool = False,
    topics: Sequence[str] | None = None,
) -> Longs:
    """The columns in the order shown: topic positions, or partition rows grouped by topic.

    Args:
        layout: the layout.
        order: by name, by replicas (most first), or by imbalance: the topic's fullest broker against its mean.
        by_partition: give partition rows instead of topics.
        topics: only these topics; None means all.
    """
    count = len(layout.topics)
    keep = np.ones(count, np.bool_) if topics is None else layout.is_topic(topics)
    rank = np.empty(count, np.int64)
    if order == "name":
        rank[sorted(range(count), key=lambda topic: natural(layout.topics[topic]))] = np.arange(count)
    else:
        sizes = np.bincount(layout.topic_of, weights=layout.replication_factor, minlength=count).astype(np.float64)
        weight = sizes if order == "size" else _imbalance(layout, sizes)
        rank[np.lexsort((np.arange(count), -weight))] = np.arange(count)
    if by_partition:
        rows = np.flatnonzero(keep[layout.topic_of])
        return rows[np.argsort(rank[layout.topic_of[rows]], kind="stable")].astype(np.int64)
    chosen = np.flatnonzero(keep)
    return chosen[np.argsort(rank[chosen], kind="stable")].astype(np.int64)


def _imbalance(layout: ClusterLayout, sizes: FloatArray) -> FloatArray:
    """(T,) replicas on a topic's fullest broker above its mean over all brokers."""
    rows, positions = np.nonzero(layout.replicas != NONE)
    brokers = max(len(layout.brokers), 1)
    pairs, held = np.unique(
        layout.topic_of[rows].astype(np.int64) * brokers + layout.replicas[rows, positions], return_counts=True
    )
    fullest = np.zeros(len(layout.topics))
    np.maximum.at(fullest, pairs // brokers, held)
    excess: FloatArray = fullest - sizes / brokers
    return excess


def axes_of(
    base: ClusterLayout,
    brokers: npt.NDArray[np.integer],
    columns: npt.NDArray[np.integer],
    *,
    by_partition: bool,
    by_directory: bool = False,
    most_rows: int = 250,
    most_columns: int = 500,
) -> Axes:
    """Axes of at most so many rows and columns; neighbours share a block where there are more."""
    return Axes(
        np.asarray(brokers, np.int64),
        base,
        by_partition,
        np.asarray(columns, np.int64),
        _spans(len(brokers), most_rows),
        _spans(len(columns), most_columns),
        by_directory,
    )


def _spans(count: int, most: int) -> tuple[range, ...]:
    width = max(-(-count // most), 1)
    return tuple(range(start, min(start + width, count)) for start in range(0, count, width))


def _block_of(count: int, spans: tuple[range, ...]) -> Longs:
    width = len(spans[0]) if spans else 1
    return np.arange(count, dtype=np.int64) // width


def _place_of_position(layout: ClusterLayout, axes: Axes) -> Longs:
    """(B + 1,) where each broker position of a layout stands in ``axes.brokers``, -1 if nowhere; -1 finds the last."""
    order = np.argsort(axes.brokers, kind="stable")
    found = np.searchsorted(axes.brokers[order], layout.broker_ids)
    inside = np.minimum(found, max(len(order) - 1, 0))
    if not len(order):
        return np.full(len(layout.brokers) + 1, -1, np.int64)
    same = axes.brokers[order][inside] == layout.broker_ids
    return np.append(np.where(same, order[inside], -1), -1)


def _rows_at(place: Longs, axes: Axes) -> Longs:
    """The grid rows of places in ``axes.brokers``, -1 of none."""
    return np.append(_block_of(len(axes.brokers), axes.row_spans), -1)[place]


def _column_of_partition(layout: ClusterLayout, axes: Axes) -> Longs:
    """(P,) the grid column of each partition of a layout, -1 where it has none."""
    base = axes.base
    block = _block_of(len(axes.columns), axes.column_spans)
    place = np.full(base.partition_count if axes.by_partition else len(base.topics), -1, np.int64)
    place[axes.columns] = block
    if layout.topics == base.topics:
        codes: Longs = np.arange(len(base.topics), dtype=np.int64)
    else:
        known = {name: i for i, name in enumerate(base.topics)}
        codes = np.array([known.get(name, -1) for name in layout.topics], np.int64)
    topic = codes[layout.topic_of] if len(codes) else np.empty(0, np.int64)
    if not axes.by_partition:
        return np.where(topic >= 0, place[topic], -1) if len(place) else np.full(len(topic), -1, np.int64)
    if layout is base:
        return place
    return np.append(place, -1)[base.rows_at(topic, layout.partition)]


def grid_of(layout: ClusterLayout, axes: Axes, measure: CellMeasure = "replicas") -> Grid:
    """Sum a measure of a layout on axes, which may be another layout's.

    ``behind`` counts replicas that are told not to be in sync; ``leaders`` and ``preferred leaders`` count only what
    is told; ``bytes`` sums the replicas whose size is told.
    """
    rows, columns = len(axes.row_spans), len(axes.column_spans)
    place_of = _place_of_position(layout, axes)
    row_of = _rows_at(place_of, axes)
    column_of = _column_of_partition(layout, axes)
    total, by_broker = np.zeros(rows * columns), np.zeros(len(axes.brokers))
    counted = 0
    sizes = layout.replica_bytes if measure == "bytes" else None
    for position in range(layout.replicas.shape[1]):
        held = layout.replicas[:, position]
        cell = row_of[held]
        inside = (cell >= 0) & (column_of >= 0)
        counted += int(np.count_nonzero(inside))
        if measure == "leaders":
            inside &= held == layout.leader
        elif measure == "preferred leaders":
            inside &= (position == 0) & layout.order_told[layout.topic_of]
        elif measure == "behind":
            behind = np.zeros(len(held), np.bool_) if layout.in_sync is None else ~layout.in_sync[:, position]
            inside &= behind & layout.in_sync_known
        chosen = slice(None) if inside.all() else np.flatnonzero(inside)  # all need no copies
        cells = cell[chosen] * columns + column_of[chosen]
        weights = None if sizes is None else np.nan_to_num(sizes[chosen, position])
        if measure == "bytes" and sizes is None:
            continue
        total += np.bincount(cells, weights=weights, minlength=rows * columns)
        by_broker += np.bincount(place_of[held[chosen]], weights=weights, minlength=len(by_broker))
    values = total.reshape(rows, columns)
    return Grid(axes, values, values.sum(axis=1), values.sum(axis=0), by_broker, layout.replica_count - counted)


def cell_states(layout: ClusterLayout, axes: Axes, proposed: ClusterLayout | None = None) -> npt.NDArray[np.uint8]:
    """(rows, columns) uint8 of ``CellState``, for axes of single brokers and single partitions.

    Args:
        layout: the layout; its own reassignments under way show as moving in and out.
        axes: axes with ``single`` and ``by_partition``.
        proposed: a plan's proposed layout over the same partitions: what differs shows as moving in and out.

    Raises:
        ValueError: the axes hold blocks or topics.
    """
    if not (axes.single and axes.by_partition):
        raise ValueError("States are of single brokers and single partitions.")
    states = np.zeros((len(axes.row_spans), len(axes.column_spans)), np.uint8)
    _paint(states, layout, axes)
    if proposed is not None:
        after = np.zeros_like(states)
        _paint(after, proposed, axes)
        states[(states != CellState.EMPTY) & (after == CellState.EMPTY)] = CellState.MOVING_OUT
        states[(states == CellState.EMPTY) & (after != CellState.EMPTY)] = CellState.MOVING_IN
    return states


def _paint(states: npt.NDArray[np.uint8], layout: ClusterLayout, axes: Axes) -> None:
    row_of = _rows_at(_place_of_position(layout, axes), axes)
    column_of = _column_of_partition(layout, axes)
    shown = np.flatnonzero(column_of >= 0)
    leader = layout.leader[shown]
    for position in range(layout.replicas.shape[1]):
        held = layout.replicas[shown, position]
        inside = np.flatnonzero(row_of[held] >= 0)
        at, who = shown[inside], held[inside]
        state = np.full(len(inside), CellState.FOLLOWER, np.uint8)
        if layout.in_sync is not None:
            told = layout.in_sync_known[at]
            state[told] = np.where(layout.in_sync[at, position], CellState.IN_SYNC, CellState.BEHIND)[told]
        lacks = (leader[inside] == NONE) & (leader[inside] != NOT_TOLD)
        state[who == leader[inside]] = CellState.LEADER
        state[lacks | layout.away[who]] = CellState.OFFLINE
        if layout.adding is not None:
            state[layout.adding[at, position]] = CellState.MOVING_IN
        if layout.removing is not None:
            state[layout.removing[at, position]] = CellState.MOVING_OUT
        states[row_of[who], column_of[at]] = state
