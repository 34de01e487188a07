"""Which replicas a partition may give up that has too many, and which it keeps.

Never dropped: the leader (where none is told, or there is none, the first replica), and the last in-sync copy.

Complexity: O(n R), and the flow of ``picking``.
"""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, BoolArray, IntArray
from reseat.model.arrays import holds, on_brokers, row_any
from reseat.planning.solve.picking import Change, Whole, replicas_kept, shrinking

__all__ = ["packed", "protected_replicas", "thinned", "with_first_in_sync", "without_in_sync"]


def protected_replicas(change: Change) -> BoolArray:
    """(n, R) replicas that must not be dropped: the leader or the first, and the only in-sync copy."""
    layout, rows, lists = change.layout, change.rows, change.lists
    fixed: BoolArray = (lists == layout.leader[rows, None]) & (lists != NONE)
    if lists.shape[1]:
        fixed[~fixed.any(axis=1), 0] = True
    fixed &= lists != NONE
    synced = _synced(change)
    fixed |= synced & (synced.sum(axis=1) == 1)[:, None]
    return fixed


def _synced(change: Change) -> BoolArray:
    """(n, R) replicas that are told to be in sync."""
    layout, rows = change.layout, change.rows
    if layout.in_sync is None:
        return np.zeros(change.lists.shape, np.bool_)
    synced: BoolArray = layout.in_sync[rows] & layout.in_sync_known[rows, None] & (change.lists != NONE)
    return synced


def without_in_sync(change: Change, lists: IntArray) -> Whole:
    """Rows of the change that have in-sync replicas, and would keep none of them with these lists."""
    synced = _synced(change)
    return np.flatnonzero(row_any(synced) & ~row_any(synced & holds(lists, change.lists)))


def with_first_in_sync(change: Change, protected: BoolArray, rows: Whole) -> BoolArray:
    """``protected`` and, in these rows, the in-sync replica that an election would choose: the first, a live one."""
    synced = _synced(change)[rows]
    alive = synced & on_brokers(change.lists[rows], change.live)
    best = np.where(row_any(alive)[:, None], alive, synced)
    more = protected.copy()
    more[rows, best.argmax(axis=1)] = True
    return more


def thinned(change: Change, protected: BoolArray, loads: Whole) -> BoolArray:
    """(n, R) replicas that stay; all of them in rows that grow."""
    kept: BoolArray = change.lists != NONE
    at = np.flatnonzero(~change.grows)
    pick = shrinking(change, protected, at)
    open_ = pick.candidates != NONE
    base = loads - np.bincount(change.lists[at][kept[at] & (pick.fixed == NONE)], minlength=len(loads))
    kept[at] = (pick.fixed != NONE) | (replicas_kept(change, pick, base) & open_)
    return kept


def packed(lists: IntArray, width: int) -> IntArray:
    """Lists without their gaps, in their order."""
    order = np.argsort(lists == NONE, axis=1, kind="stable")[:, :width]
    return np.take_along_axis(lists, order, axis=1).astype(np.int32)
