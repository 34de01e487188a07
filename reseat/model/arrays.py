"""What is done with the columns of a layout everywhere: rows reduced, named by one number, lists made wider.

A matrix is (P, R) with P in the millions and R a handful. numpy reduces such an array along its last axis row by row,
which takes about ten times as long as adding up the R columns.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.model.columns import NONE, NOT_TOLD, BoolArray, IntArray, Longs

__all__ = [
    "counts_on",
    "found_in",
    "frozen",
    "holds",
    "ids_at",
    "lists_differ",
    "matrix_of",
    "newcomers",
    "of_one_width",
    "on_brokers",
    "row_any",
    "row_counts",
    "row_keys",
    "row_repeats",
    "split_keys",
    "taken",
    "widened",
]

_Scalar = TypeVar("_Scalar", bound=np.generic)

#: Beyond this many columns numpy's own reduction is as fast.
_FEW = 16
#: Up to this many columns every two are compared, which is faster than sorting rows.
_FEW_SORTED = 5


def row_counts(mask: BoolArray) -> IntArray:
    """How many columns of each row are True, (P,) int32."""
    rows, width = mask.shape
    if width > _FEW:
        return np.asarray(np.count_nonzero(mask, axis=1), np.int32)
    total = np.zeros(rows, np.int32)
    for column in range(width):
        total += mask[:, column]
    return total


def row_any(mask: BoolArray) -> BoolArray:
    """Whether any column of each row is True, (P,) bool."""
    rows, width = mask.shape
    if width > _FEW:
        return np.asarray(mask.any(axis=1), np.bool_)
    found = np.zeros(rows, np.bool_)
    for column in range(width):
        found |= mask[:, column]
    return found


def row_repeats(lists: IntArray) -> BoolArray:
    """Whether a number other than -1 occurs twice in a row, (P,) bool."""
    if lists.shape[1] > _FEW_SORTED:
        ordered = np.sort(lists, axis=1)
        return row_any((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE))
    twice = np.zeros(len(lists), np.bool_)
    for a, b in itertools.combinations(range(lists.shape[1]), 2):
        twice |= (lists[:, a] == lists[:, b]) & (lists[:, b] != NONE)
    return twice


def row_keys(first: npt.NDArray[np.integer] | int, second: npt.NDArray[np.integer] | int) -> Longs:
    """Two numbers as one that sorts and compares as the pair does: of a partition, its topic and its id.

    Args:
        first: the number that counts first, in 31 bits; a pair whose first is below 0 is below every other.
        second: from 0, in 31 bits.
    """
    return (np.asarray(first, np.int64) << 32) | np.asarray(second, np.int64)


def split_keys(keys: Longs) -> tuple[Longs, Longs]:
    """The two numbers of each key, as ``row_keys`` was given them."""
    return keys >> 32, keys & 0xFFFFFFFF


def found_in(keys: Longs, wanted: Longs) -> Longs:
    """(n,) where each of ``wanted`` stands in ``keys``, which ascend; -1 where it does not."""
    if not keys.size:
        return np.full(wanted.shape, NONE, np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[at] == wanted, at, NONE).astype(np.int64)


def widened(column: npt.NDArray[_Scalar], width: int, blank: object = NONE) -> npt.NDArray[_Scalar]:
    """A matrix padded on the right to a width that is at least its own; itself where it is as wide."""
    if column.shape[1] == width:
        return column
    wide = np.full((len(column), width), blank, column.dtype)
    wide[:, : column.shape[1]] = column
    return wide


def of_one_width(first: IntArray, second: IntArray) -> tuple[IntArray, IntArray]:
    """Two matrices of lists, the narrower one padded."""
    width = max(first.shape[1], second.shape[1])
    return widened(first, width), widened(second, width)


def matrix_of(lists: Iterable[Sequence[int]]) -> IntArray:
    """Lists of numbers as a matrix, padded on the right: (n, longest)."""
    rows = list(lists)
    out = np.full((len(rows), max(map(len, rows), default=0)), NONE, np.int32)
    for row, numbers in enumerate(rows):
        out[row, : len(numbers)] = numbers
    return out


def newcomers(before: IntArray, after: IntArray) -> BoolArray:
    """(n, R) bool: which replicas of ``after`` come: the same row of ``before`` does not have their broker."""
    new: BoolArray = after != NONE
    if before.shape[1] > _FEW:
        row = np.arange(len(before), dtype=np.int64)[:, None]
        return new & ~np.isin(row_keys(row, after.astype(np.uint32)), row_keys(row, before.astype(np.uint32)))
    for column in range(before.shape[1]):
        new &= after != before[:, column, None]
    return new


def holds(lists: IntArray, wanted: IntArray) -> BoolArray:
    """(n, W) bool: which numbers of ``wanted`` stand in the same row of ``lists``; padding does not."""
    held: BoolArray = (wanted != NONE) & ~newcomers(lists, wanted)
    return held


def lists_differ(first: IntArray, second: IntArray) -> BoolArray:
    """(n,) bool: rows whose lists differ, in members or in order; the widths may differ."""
    shared = min(first.shape[1], second.shape[1])
    differs = row_any(first[:, :shared] != second[:, :shared])
    for rest in (first[:, shared:], second[:, shared:]):
        differs |= row_any(rest != NONE)
    return differs


def on_brokers(lists: npt.NDArray[np.integer], chosen: BoolArray) -> BoolArray:
    """Which replicas are on chosen brokers, as a mask of the lists' shape; padding is on none.

    Args:
        lists: broker positions, padded with -1.
        chosen: (B,) bool.
    """
    mask: BoolArray = np.append(chosen, False).take(lists)  # position -1 reads the last one
    return mask


def packed(lists: IntArray, width: int) -> IntArray:
    """Lists without their gaps, in their order, of this width."""
    order = np.argsort(lists == NONE, axis=1, kind="stable")[:, :width]
    return np.take_along_axis(lists, order, axis=1).astype(np.int32)


def in_place(before: IntArray, after: IntArray) -> IntArray:
    """The lists with every replica that stays in its old place, newcomers in the others, the lowest broker first."""
    goes, comes = newcomers(after, before), newcomers(before, after)
    out, rows = before.copy(), np.flatnonzero(comes) // max(1, after.shape[1])
    out[goes] = split_keys(np.sort(row_keys(rows, after[comes])))[1]
    return out


def gathered(keys: Longs, brokers: IntArray) -> tuple[Longs, IntArray]:
    """(m,) distinct keys, ascending, and (m, W) the brokers of each in their order, padded with -1.

    Args:
        keys: (n,) what each broker belongs to.
        brokers: (n,) positions.
    """
    order = np.argsort(keys, kind="stable")
    rows, first, counts = np.unique(keys[order], return_index=True, return_counts=True)
    lists = np.full((rows.size, int(counts.max(initial=0))), NONE, np.int32)
    lists[np.repeat(np.arange(rows.size), counts), np.arange(keys.size) - np.repeat(first, counts)] = brokers[order]
    return rows, lists


def by_group(lists: Sequence[IntArray], group: IntArray) -> tuple[Longs, list[IntArray]]:
    """What lists have in each group of brokers.

    Args:
        lists: several (P, W) of the same rows.
        group: (B,) number of each broker, from 0.

    Returns:
        (n,) ``row * groups + number``, where one of them has a broker, ascending; and of each its (n, W) lists there.
    """
    groups, told = int(group.max(initial=0)) + 1, []
    for one in lists:
        row, column = np.nonzero(one != NONE)
        told.append(gathered(row * groups + group[one[row, column]], one[row, column]))
    keys, split = np.unique(np.concatenate([some for some, _ in told])), []
    for (some, part), one in zip(told, lists, strict=True):
        split.append(np.full((keys.size, one.shape[1]), NONE, np.int32))
        split[-1][np.searchsorted(keys, some), : part.shape[1]] = part
    return keys, split


def counts_on(lists: npt.NDArray[np.integer], brokers: int) -> Longs:
    """How many replicas of these lists are on each broker, (B,) int64; padding (-1) is on none."""
    return np.bincount(lists.ravel() + 1, minlength=brokers + 1)[1:]  # the first counts the padding


def ids_at(ids: IntArray, positions: IntArray) -> IntArray:
    """Positions in ``ids`` to what stands there, with -1 and -2 kept."""
    return np.append(ids, np.array([NOT_TOLD, NONE], np.int32))[positions]


def taken(column: npt.NDArray[_Scalar], rows: Longs | None) -> npt.NDArray[_Scalar]:
    """These rows; None: all, and the column itself."""
    return column if rows is None else column[rows]


def frozen(column: npt.NDArray[_Scalar]) -> npt.NDArray[_Scalar]:
    """The array itself, from now on read-only."""
    column.flags.writeable = False
    return column
