"""Which replicas a partition may give up that has too many, and which it keeps.

Never dropped: the leader (where none is told, or there is none, the first replica), and the last in-sync copy.

Complexity: O(n R), and the flow of ``picking``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Longs
from reseat.model.arrays import holds, on_brokers, row_any, row_counts
from reseat.planning.solve.picking import Picks, picked

__all__ = ["Change", "kept_in_sync", "protected_replicas", "thinned"]


@dataclass(frozen=True, eq=False)
class Change:
    """Other numbers of replicas in columns, over n rows.

    Attributes:
        layout: the layout planned on.
        wanted: (n,) replicas that each row shall have.
        rows: (n,) rows, ascending.
        lists: (n, R) their replicas, -1 padded anywhere.
        live: (B,) bool, brokers that receive and count.
        resorts: (B,) bool, brokers that receive what fits nowhere else.
        rack: (B,) rack of each broker; all 0 where no broker has one.
    """

    layout: ClusterLayout
    wanted: Longs
    rows: Longs
    lists: IntArray
    live: BoolArray
    resorts: BoolArray
    rack: IntArray

    @property
    def held(self) -> Longs:
        """(n,) replicas that each row has."""
        return row_counts(self.lists != NONE).astype(np.int64)

    @property
    def grows(self) -> BoolArray:
        """(n,) bool: rows that lack replicas; the others have too many, or as many."""
        return self.held < self.wanted

    def picks(self, candidates: IntArray, fixed: IntArray, amount: Longs, base: Longs) -> Picks:
        """What m rows, which have ``fixed`` (m, F), pick of ``candidates`` (m, C) beside other loads (B,).

        A replica on a broker that does not count costs more than any chain of exchanges of others can gain.
        """
        dear = on_brokers(candidates, ~self.live)
        price = 4 * (int(base.max(initial=0)) + int(amount.sum()) + 1)
        return Picks(candidates, amount, dear, price, 1, base, self.live, self.rack, fixed)


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


def kept_in_sync(
    change: Change, protected: BoolArray, plan: Callable[[BoolArray], IntArray]
) -> tuple[IntArray, BoolArray, Longs]:
    """What ``plan`` makes of ``protected``, again while a row would keep no in-sync copy so, the first protected.

    What one row has to keep, another may give up instead: twenty thousand such rows took fifteen plans.

    Returns:
        (n, W) the lists, (n, R) what is protected, and the numbers of the rows in which that is more than before.
    """
    lists, synced, kept = plan(protected), _synced(change), np.zeros(len(change.rows), np.bool_)
    while (unsafe := row_any(synced) & ~row_any(synced & holds(lists, change.lists))).any():
        # Of those in sync an election would choose the first, a live one before others.
        alive = synced[unsafe] & on_brokers(change.lists[unsafe], change.live)
        best = np.where(row_any(alive)[:, None], alive, synced[unsafe])
        protected, kept = protected.copy(), kept | unsafe
        protected[unsafe, best.argmax(axis=1)] = True
        lists = plan(protected)
    return lists, protected, np.flatnonzero(kept)


def thinned(change: Change, protected: BoolArray, loads: Longs) -> BoolArray:
    """(n, R) replicas that stay; all of them in rows that grow."""
    kept: BoolArray = change.lists != NONE
    at = np.flatnonzero(~change.grows)
    lists, fixed = change.lists[at], protected[at]
    open_ = kept[at] & ~fixed
    base = loads - np.bincount(lists[open_], minlength=len(loads))
    candidates, stays = (np.where(some, lists, np.int32(NONE)) for some in (open_, fixed))
    picks = change.picks(candidates, stays, change.wanted[at] - row_counts(fixed).astype(np.int64), base)
    kept[at] = (fixed & kept[at]) | picked(picks)
    return kept
