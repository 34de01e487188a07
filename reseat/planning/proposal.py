"""The proposed layout: the same partitions with other replica lists, and what may honestly be said of them.

Promises:
    1. Rows that are not given stand as they were, bit by bit.
    2. What is told of a replica (ISR, eligibility, observer, log directory, size) follows it to its new place.
    3. Of a newcomer nothing is claimed: the ISR of a partition that receives one is not told, its log directory is
       "any", and its size is that of the largest replica, which it will copy.
    4. The leader stays where its broker is still in the list; else it is not told.

Complexity: O(P R) to copy the columns, O(n R^2) for the n given rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, NOT_TOLD, ClusterLayout, CurvePoint, IntArray, Longs
from reseat.model.arrays import counts_on, newcomers, row_any, row_counts, widened
from reseat.model.columns import COLUMNS
from reseat.model.units import amount
from reseat.planning.solve.by_weight import ROUNDING, weight_on
from reseat.planning.solve.problem import Found, Problem

__all__ = ["Between", "bytes_to_copy", "moves_of", "point_of", "propose"]


@dataclass(frozen=True, eq=False)
class Between:
    """What a curve is drawn of.

    Attributes:
        layout: the layout planned on.
        problem: what may be chosen.
        first: the sets with the fewest moves; None: nothing has to move, and that is no point.
        last: the best balanced; None where they were not found.
        within: the best balanced with about so many moves, those of the plan that is made of them, or None.
        by_size: whether bytes are balanced.
        by_topic: whether each topic is.
        beside: numbers of moves to offer beside shares.
        planned: whether the last are the plan without a point, which its curve has in any case.
    """

    layout: ClusterLayout
    problem: Problem
    first: Found | None
    last: Found | None
    within: Callable[[int], Found | None]
    by_size: bool = False
    by_topic: bool = False
    beside: tuple[int, ...] = ()
    planned: bool = True


def propose(current: ClusterLayout, rows: Longs, lists: IntArray) -> ClusterLayout:
    """The layout with these replica lists.

    Args:
        current: the layout planned on, without a reassignment under way.
        rows: (n,) rows that change.
        lists: (n, R') their new lists: broker positions, padded with -1 on the right.
    """
    if rows.size == 0:
        return current
    width = max(current.replicas.shape[1], lists.shape[1])
    old = current.replicas[rows]
    new = widened(lists, width)
    source = np.full(new.shape, NONE, np.int64)  # the column that each replica comes from
    for at in range(old.shape[1]):
        source[(new == old[:, at, None]) & (new != NONE)] = at
    newcomer = (new != NONE) & (source == NONE)
    moved: dict[str, npt.NDArray[Any] | None] = {"replicas": None, "adding": None, "removing": None}
    for name, column in current.columns().items():
        if column.ndim == 2 and name not in moved:
            blank = np.asarray(COLUMNS[name].blank, column.dtype)
            wide = moved[name] = np.array(widened(column, width, blank))
            told = wide[rows]
            wide[rows] = np.where(source != NONE, np.take_along_axis(told, np.maximum(source, 0), axis=1), blank)
            if name == "size_bytes":
                wide[rows] = np.where(newcomer, np.fmax.reduce(told, axis=1, initial=np.nan)[:, None], wide[rows])
    replicas = moved["replicas"] = np.array(widened(current.replicas, width))
    replicas[rows] = new
    leader, epoch = current.leader.copy(), current.leader_epoch.copy()
    gone = (leader[rows] >= 0) & ~row_any(new == leader[rows, None])
    leader[rows[gone]] = NOT_TOLD
    epoch[rows[gone]] = NOT_TOLD
    in_sync_told = current.in_sync_told
    if current.in_sync is not None and newcomer.any():
        in_sync_told = current.in_sync_known.copy()
        in_sync_told[rows[row_any(newcomer)]] = False
    moved |= {"leader": leader, "leader_epoch": epoch, "in_sync_told": in_sync_told}
    return replace(current, **moved)  # type: ignore[arg-type]  # all are columns


def moves_of(layout: ClusterLayout, found: Found) -> int:
    """Replicas that these sets of the layout's partitions copy."""
    return int(newcomers(layout.replicas[found.rows], found.lists).sum()) if found.moves is None else found.moves


def bytes_to_copy(layout: ClusterLayout, rows: Longs, lists: IntArray) -> float | None:
    """Bytes that newcomers of these lists copy: the largest told replica of each partition, once a newcomer.

    Returns:
        None where the size of one of them is not told.
    """
    told, unsized, _ = _copied(layout, rows, lists)
    return None if unsized else told


def _copied(layout: ClusterLayout, rows: Longs, lists: IntArray) -> tuple[float, int, int]:
    """The same as far as it is told, how many of the newcomers copy what is not told, and how many there are."""
    copied = row_counts(newcomers(layout.replicas[rows], lists))
    comes = np.flatnonzero(copied)
    copies = copied[comes]
    number = int(copies.sum())
    if not number or layout.replica_bytes is None:
        return 0.0, number, number
    largest = reduce(np.fmax, layout.replica_bytes[rows[comes]].T)  # column by column, as these are few
    return float(np.nansum(largest * copies)), int(copies[np.isnan(largest)].sum()), number


def point_of(layout: ClusterLayout, problem: Problem, found: Found, *, by_size: bool = False) -> CurvePoint | None:
    """The point of a curve that these sets of the layout are; None where a broker has more bytes than it may.

    ``by_size`` tells the spread in bytes, too.
    """
    before, targets, spread = layout.replicas[found.rows], problem.targets, None
    if by_size or problem.most_bytes is not None:
        told = np.zeros(layout.partition_count) if layout.copy_bytes is None else layout.copy_bytes
        weight = np.nan_to_num(told[found.rows])
        came, left = (weight_on(one, weight, len(targets)) for one in (found.lists, before))
        carried = layout.carried_bytes + came - left
        if problem.most_bytes is not None and (carried > problem.most_bytes + ROUNDING).any():
            return None
        spread = float(np.ptp(carried[targets])) if by_size else None
    after, gone = (counts_on(one, len(targets)) for one in (found.lists, before))
    loads = (layout.replicas_by_broker + after - gone)[targets]
    copied, unsized, copies = _copied(layout, found.rows, found.lists)
    return CurvePoint(
        moves_of(layout, found),
        int((loads**2).sum()),
        int(np.ptp(loads)),
        int(loads.max(initial=0)),
        None if unsized else copied,
        spread,
        amount=amount(copied, unsized, copies),
    )
