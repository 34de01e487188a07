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

from dataclasses import replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray

__all__ = ["propose"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def propose(current: ClusterLayout, rows: npt.NDArray[np.int64], lists: IntArray) -> ClusterLayout:
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
    new = np.pad(lists, ((0, 0), (0, width - lists.shape[1])), constant_values=NONE)
    source = np.full(new.shape, NONE, np.int64)  # the column that each replica comes from
    for column in range(old.shape[1]):
        source[(new == old[:, column, None]) & (new != NONE)] = column
    newcomer = (new != NONE) & (source == NONE)

    def carried(column: npt.NDArray[_Scalar] | None, blank: object) -> npt.NDArray[_Scalar] | None:
        if column is None:
            return None
        wide = _widened(column, width, blank)
        kept = np.take_along_axis(column[rows], np.maximum(source, 0), axis=1)
        wide[rows] = np.where(source != NONE, kept, np.asarray(blank, column.dtype))
        return wide

    replicas = _widened(current.replicas, width, NONE)
    replicas[rows] = new.astype(np.int32)
    leader, epoch = current.leader.copy(), current.leader_epoch.copy()
    gone = (leader[rows] >= 0) & ~(new == leader[rows, None]).any(axis=1)
    leader[rows[gone]] = NOT_TOLD
    epoch[rows[gone]] = NOT_TOLD
    in_sync_told = current.in_sync_told
    if current.in_sync is not None and newcomer.any():
        in_sync_told = current.in_sync_known.copy()
        in_sync_told[rows[newcomer.any(axis=1)]] = False
    return replace(
        current,
        replicas=replicas,
        leader=leader,
        leader_epoch=epoch,
        in_sync=carried(current.in_sync, False),
        in_sync_told=in_sync_told,
        eligible=carried(current.eligible, False),
        last_known_eligible=carried(current.last_known_eligible, False),
        observers=carried(current.observers, False),
        log_dir=carried(current.log_dir, NONE),
        size_bytes=_sizes(current, rows, newcomer, carried(_by_replica(current), np.nan)),
        adding=None,
        removing=None,
    )


def _by_replica(current: ClusterLayout) -> npt.NDArray[np.float64] | None:
    sizes = current.size_bytes
    return sizes if sizes is not None and sizes.ndim == 2 else None


def _sizes(
    current: ClusterLayout,
    rows: npt.NDArray[np.int64],
    newcomer: BoolArray,
    carried: npt.NDArray[np.float64] | None,
) -> npt.NDArray[np.float64] | None:
    if carried is None:
        return current.size_bytes  # none told, or one size a partition, which stands
    told = _by_replica(current)
    known = np.full(rows.size, np.nan) if told is None else np.fmax.reduce(told[rows], axis=1)
    carried[rows] = np.where(newcomer, known[:, None], carried[rows])
    return carried


def _widened(column: npt.NDArray[_Scalar], width: int, blank: object) -> npt.NDArray[_Scalar]:
    wide = np.full((column.shape[0], width), blank, column.dtype)
    wide[:, : column.shape[1]] = column
    return wide
