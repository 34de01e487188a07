"""From columns as a source tells them to those of a layout: names, paths, brokers and rows in the order of a layout."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reseat.errors import LayoutInvalid
from reseat.model.arrays import row_keys
from reseat.model.broker import Broker
from reseat.model.columns import NONE, NOT_TOLD, IntArray, Longs

__all__ = ["PositionMap", "row_order", "sorted_codes", "sorted_paths", "with_mentioned"]

#: Up to this broker id, ids are mapped to positions by a table; above, by binary search.
_TABLE_LIMIT = 1 << 22


def with_mentioned(given: list[Broker], *columns: IntArray) -> tuple[Broker, ...]:
    """The brokers given and those that columns of ids only mention, sorted by id.

    Raises:
        LayoutInvalid: an id is given twice, or is below 0.
    """
    ids = [b.id for b in given]
    if len(set(ids)) != len(ids):
        raise LayoutInvalid("A broker id is given twice.")
    known = set(ids)
    mentioned: set[int] = set()
    for column in columns:
        mentioned.update(_distinct(column))
    extra = [Broker(i) for i in mentioned - known if i >= 0]
    return tuple(sorted([*given, *extra], key=lambda b: b.id))


def _distinct(column: IntArray) -> list[int]:
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


class PositionMap:
    """Maps broker ids to positions in a sorted tuple of brokers; -1 and -2 stay."""

    def __init__(self, brokers: tuple[Broker, ...]) -> None:
        self._ids = np.array([b.id for b in brokers], np.int32)
        self._table: IntArray | None = None
        if self._ids.size and int(self._ids[-1]) <= _TABLE_LIMIT:
            self._table = np.full(int(self._ids[-1]) + 3, NONE, np.int32)
            self._table[self._ids] = np.arange(len(brokers), dtype=np.int32)
            self._table[NONE], self._table[NOT_TOLD] = NONE, NOT_TOLD  # from the end: -1 and -2 map to themselves

    def __call__(self, ids: IntArray) -> IntArray:
        """The positions of brokers of which each has one."""
        if self._table is not None:
            return self._table[ids]
        return np.where(ids < 0, ids, np.searchsorted(self._ids, ids)).astype(np.int32)


def sorted_codes(names: tuple[str, ...], codes: IntArray) -> tuple[IntArray, list[int]]:
    """Positions in the names once these are sorted, and the old place of each name then.

    Raises:
        LayoutInvalid: a position is of none of the names.
    """
    if codes.size and not 0 <= int(codes.min()) <= int(codes.max()) < len(names):
        raise LayoutInvalid(f"Column topic_of holds a position outside the {len(names)} topics.")
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    return (rank[codes] if codes.size else codes), order


def sorted_paths(paths: Sequence[str], column: IntArray | None) -> tuple[tuple[str, ...], IntArray | None]:
    """Log directories sorted and once each, so that two readings of one layout number them alike."""
    if column is None:
        return tuple(sorted(set(paths))), None
    ordered = sorted(set(paths))
    place = {path: i for i, path in enumerate(ordered)}
    if column.size and not NONE <= int(column.min()) <= int(column.max()) < len(paths):
        raise LayoutInvalid(f"Column log_dir holds a position outside the {len(paths)} log directories.")
    table = np.array([*(place[path] for path in paths), NONE], np.int32)
    return tuple(ordered), table[column]


def row_order(topic: IntArray, partition: IntArray) -> Longs | None:
    """The order that sorts rows by topic and partition; None where they are sorted already."""
    key = row_keys(topic, partition)
    if key.size < 2 or bool((np.diff(key) > 0).all()):
        return None
    return np.argsort(key, kind="stable")
