"""Whether preferred leaders are as even as the order of lists can make them, with the fewest changes.

Promises: proven only for the replica sets of the plan, over the orders that its wish leaves open; a list in which
nobody may lead evens nothing, and may not have changed in vain.

How: a leader is a choice of one of its list; see ``circles``. An exchange changes one leader more where the old one was
first, one fewer where it comes back.

Complexity: O(n R + B^2) for n lists over B brokers, and a search for circles or two.
"""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.arrays import row_any
from reseat.planning.proof.circles import NEVER, Graph
from reseat.planning.proof.compared import Change

__all__ = ["leaders_proven"]


def leaders_proven(
    change: Change, orderable: BoolArray, *, reorder_all: bool, limited: bool = False
) -> tuple[bool, bool]:
    """Whether no allowed order of lists spreads leaders more evenly, and then none changes fewer.

    Of the changed rows ``orderable`` (n,) may be ordered anew, unless all lists may; the first replica of others stays.
    ``limited``: whether none with as few changes spreads leaders more evenly.

    Where the plan takes the first place of a list whose order it had no business with, it is proven as even as can be
    where no plan with that freedom is evener, or where it is as even as the plan that leaves those places alone and
    that one is proven.
    """
    if change.faults:
        return False, False
    first_before, first_after = change.before[:, 0], change.after[:, 0]
    stray = ~orderable & (first_before != first_after)
    if reorder_all:
        stray &= False
    free = np.flatnonzero(~change.pinned) if reorder_all else change.rows[orderable]
    if not stray.any():
        return _order_proven(change, free, change.preferred, limited=limited)
    if _order_proven(change, np.union1d(free, change.rows[stray]), change.preferred)[0]:
        return True, False
    brokers = len(change.leads)
    alone = (
        change.preferred
        - np.bincount(first_after[stray & (first_after >= 0)], minlength=brokers)
        + np.bincount(first_before[stray & (first_before >= 0)], minlength=brokers)
    )
    as_even = int((alone[change.leads] ** 2).sum()) == int((change.preferred[change.leads] ** 2).sum())
    return as_even and _order_proven(change, free, alone)[0], False


def _order_proven(change: Change, free: Longs, preferred: Longs, *, limited: bool = False) -> tuple[bool, bool]:
    """Whether no order of the lists of these rows makes ``preferred`` (B,) evener, and then none changes fewer."""
    lists = change.proposed.replicas[free]
    if not lists.size:
        return True, True
    old = change.current.replicas[free][:, :1].max(axis=1, initial=NONE)
    may_lead = np.append(change.leads, False)[lists]
    if np.ptp(change.leads_after):
        after = np.where(may_lead, np.append(change.leads_after, 0)[lists], change.leads_after.max())
        may_lead &= after <= after.min(axis=1)[:, None]
    able = row_any(may_lead)
    placed, kept = _in_place(change, lists[~able], old[~able])
    if not placed or not may_lead[able, 0].all():
        return False, False
    # Lists in which nobody may lead have no part in balance; in the others every member that may could lead.
    lists, may_lead, old = lists[able], may_lead[able], old[able]
    # Exchanges between two brokers that change one leader fewer, as many, or one more.
    there = np.zeros((3, len(preferred), len(preferred)), np.bool_)
    for column, mine in zip(lists.T[1:], may_lead.T[1:], strict=True):
        source, target, before = lists[mine, 0], column[mine], old[mine]
        there[1 + (target != before) - (source != before), source, target] = True
    at = np.flatnonzero(change.leads)
    least = np.select([*there[:, at[:, None], at]], [-1, 0, 1], NEVER)
    graph = Graph(least, preferred[at])
    if limited:
        return graph.within(spent=True, least=1), False
    if graph.least_squares_then_moves():
        return True, kept
    return graph.least_squares(), False


def _in_place(change: Change, lists: IntArray, old: IntArray) -> tuple[bool, bool]:
    """Whether lists (n, R) in which nobody may lead name a last resort before the dead, and none changed in vain.

    ``old`` (n,) says who was first.
    """
    held = lists != NONE
    late = held & np.append(change.alive, False)[lists]
    options = np.where(row_any(late)[:, None], late, held)
    had_choice = row_any(options & (lists == old[:, None]))
    first = options[:, 0] | ~row_any(held)
    return bool(first.all()), bool((~had_choice | (lists[:, 0] == old)).all())
