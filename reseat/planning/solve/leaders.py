"""Who is named first: the order of replica lists that evens preferred leaders. No data moves.

Promises, in this order:
    1. A broker that may not lead (dead, leaving) is named first only where a list has no other; there a last resort
       (fenced, shutting down) is, and none changes in vain.
    2. The least sum of squares of preferred-leader counts over the brokers that count, over all orders of the
       given lists, the counts of all other partitions standing as they are.
    3. Among those, the fewest partitions whose preferred leader changes.

How: each list picks one of its brokers (``picking``); another one than the present first costs 1, and a square B: an
improving cycle passes each broker once, so it changes at most B lists, and it lowers the sum of squares by at least 2.
Many lists are first parted by blocks of brokers: those that end below the others with all of their lists, those that
end above without any, and the rest, where a choice that is even to one needs no costs, or those of changes alone.

Example: lists [0, 1], [0, 1], [0, 2] and no other partition: counts 1, 1, 1, by naming 1 first in one of the first two
and 2 in the third; no order is as even with fewer changes.

Complexity: one flow of n R + (levels) arcs. Source: see ``picking``.
"""

from __future__ import annotations

import contextlib
import itertools

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.arrays import on_brokers, row_any
from reseat.planning.solve.flow import Network, fill
from reseat.planning.solve.picking import Picks, picked
from reseat.planning.solve.problem import NoRoom

__all__ = ["leader_first", "preferred_leaders"]

#: From so many lists on, a perfectly even choice is looked for first: a flow without costs is several times faster.
MANY_LISTS = 2_000
#: Lists that a broker above its share offers, for each that must change.
_CHOICE = 32
#: How often brokers change their block at most.
_ROUNDS = 32


def preferred_leaders(
    lists: IntArray,
    present: IntArray,
    fixed: npt.NDArray[np.integer],
    may_lead: BoolArray,
    resorts: BoolArray,
    *,
    rank: Longs | None = None,
    tolerance: int | None = None,
    near: IntArray | None = None,
) -> IntArray:
    """Choose the preferred leader of each of these lists.

    Args:
        lists: (n, R) broker positions, padded with -1: the replica sets; their order does not matter.
        present: (n,) position of the broker that is first today (it need not be in the new list).
        fixed: (B,) preferred-leader counts of all other partitions, by broker position.
        may_lead: (B,) bool, brokers that count and may be named first: remaining and available.
        resorts: (B,) bool, those that are named first where a list has no such broker.
        rank: (B,) which brokers come before others, the lowest first: of each list only those of its lowest rank may
            be named first. None: all are alike.
        tolerance: the difference of two brokers' leaders up to which none changes for balance, as of ``Solver.at``;
            None: any that evens them changes.
        near: (n,) the answer for another tolerance, which is soon bettered; None: it is looked for from the beginning.

    Returns:
        (n,) int32 position of the broker to name first. A list without a broker that may lead keeps its present
        first where that is still in the list and no last resort is, or it is one; else the first last resort of
        ``lists``, or the first entry.
    """
    if lists.size == 0:
        return np.full(len(lists), NONE, np.int32)
    able = on_brokers(lists, may_lead)
    ranked = rank is not None and bool(np.ptp(rank))
    if rank is not None and ranked:
        ranks = np.where(able, rank[lists], np.iinfo(np.int64).max)
        able &= ranks == ranks.min(axis=1, keepdims=True)
    has_choice = row_any(able)
    free, rest = np.flatnonzero(has_choice), np.flatnonzero(~has_choice)
    chosen = np.empty(len(lists), np.int32)
    chosen[rest] = _without_choice(lists[rest], present[rest], resorts)
    if free.size == 0:
        return chosen
    options, counts = np.where(able[free], lists[free], NONE).astype(np.int32), np.asarray(fixed, np.int64)
    today = np.where(row_any(options == present[free, None]), present[free], NONE)
    many = free.size >= MANY_LISTS and tolerance is None and not ranked
    even = _in_blocks(options, today, counts, may_lead) if many else None
    if even is None:
        start = None if near is None else near[free]
        even = _at_a_price(options, today, counts, may_lead, start=start, tolerance=tolerance)
    chosen[free] = even
    return chosen


def _at_a_price(
    options: IntArray,
    today: IntArray,
    fixed: Longs,
    may_lead: BoolArray,
    share: int | None = None,
    *,
    start: IntArray | None = None,
    tolerance: int | None = None,
) -> IntArray:
    """The choice (n,) of least cost; ``today`` is -1 where the present leader is none of the options.

    ``start`` (n,) is a choice to better.
    """
    brokers = len(may_lead)
    picks = Picks(
        candidates=options,
        amount=np.ones(len(options), np.int64),
        dear=(options != today[:, None]) & (today != NONE)[:, None],
        price=1 if tolerance is None else 2 * tolerance - 1,
        square=brokers + 1 if tolerance is None else 1,
        base=fixed,
        counts=may_lead,
        rack=np.arange(brokers, dtype=np.int32),
        fixed=options[:, :0],
        share=share,
    )
    better = None
    if start is not None:
        better = np.arange(options.shape[1]) == (options == start[:, None]).argmax(axis=1)[:, None]
    return options[picked(picks, surely=True, start=better)]


def _in_blocks(options: IntArray, today: IntArray, fixed: Longs, may_lead: BoolArray) -> IntArray | None:
    """The choice where most brokers can lead as many to one; None where it is not found.

    Some brokers lead fewer with all lists that they are in, and some more without any. A list is led by a broker of the
    lowest of these three blocks that it is in: where each block ends at or below the next, to leave it for another
    would cost squares, and none ever comes back. So each block is chosen by itself.
    """
    blocks = _blocks(options, fixed, may_lead)
    if blocks[1].sum() == may_lead.sum():
        return _even(options, today, fixed, may_lead)
    chosen, loads = np.full(len(options), NONE, np.int32), fixed
    for block, choose in zip(blocks, (_at_a_price, _even, _at_a_price), strict=True):
        inside = on_brokers(options, block)
        rows = np.flatnonzero(row_any(inside) & (chosen == NONE))
        if not rows.size:
            continue
        mine = np.where(inside[rows], options[rows], np.int32(NONE))
        stays = np.where(row_any(mine == today[rows, None]), today[rows], NONE)
        found = choose(mine, stays, fixed, block)
        if found is None:
            return None
        chosen[rows] = found
        loads = loads + np.bincount(found, minlength=len(fixed))
    ends = [loads[block] for block in blocks if block.any()]
    return chosen if all(one.max() <= other.min() for one, other in itertools.pairwise(ends)) else None


def _even(options: IntArray, today: IntArray, fixed: Longs, may_lead: BoolArray) -> IntArray | None:
    """The choice where each broker leads as many, to one; None where there is none."""
    share = (int(fixed[may_lead].sum()) + len(options)) // int(may_lead.sum())
    near = _nearly_even(options, today, fixed, may_lead)
    if near is not None:
        ends = (fixed + np.bincount(near, minlength=len(fixed)))[may_lead]
        if share <= ends.min() and ends.max() <= share + 1:
            return near
    with contextlib.suppress(NoRoom):
        return _at_a_price(options, today, fixed, may_lead, share, start=near)
    return None


def _blocks(options: IntArray, fixed: Longs, may_lead: BoolArray) -> tuple[BoolArray, BoolArray, BoolArray]:
    """(B,) bool each: brokers that end below an even share with all of their lists, at it, and above it with none."""
    low, high = np.zeros_like(may_lead), np.zeros_like(may_lead)
    for _ in range(_ROUNDS):
        middle = may_lead & ~low & ~high
        open_ = options[~row_any(on_brokers(options, low))]
        count = int(row_any(on_brokers(open_, middle)).sum())
        share = int((fixed[middle] + fill(fixed[middle], count)).min(initial=int(fixed.max())))
        room = np.bincount(open_[open_ != NONE], minlength=len(fixed))
        lower = low | (middle & (fixed + room <= share))
        higher = may_lead & ~lower & (fixed > share)
        if np.array_equal(lower, low) and np.array_equal(higher, high):
            break
        low, high = lower, higher
    return low, may_lead & ~low & ~high, high


def _without_choice(lists: IntArray, present: IntArray, resorts: BoolArray) -> IntArray:
    """(n,) the broker named first where none that may lead is in the list: the present one, a last resort before it."""
    held: BoolArray = lists != NONE
    late: BoolArray = on_brokers(lists, resorts)
    options = late | (held & ~late.any(axis=1, keepdims=True))
    stays = row_any(options & (lists == present[:, None]))
    first = lists[np.arange(len(lists)), options.argmax(axis=1)]
    return np.where(stays, present, first).astype(np.int32)


def _nearly_even(options: IntArray, today: IntArray, fixed: Longs, may_lead: BoolArray) -> IntArray | None:
    """A choice where leaders are even to one, or nearly: no costs, so a flow without costs; None where there is none.

    Even to one is the least sum of squares there is. Brokers above their share must hand over what is above it (the
    larger share going to brokers that have it already). No even choice changes fewer, and no other changes are offered:
    where one leader must be handed on by several brokers, some stay above their share, and others below.
    """
    brokers = np.flatnonzero(may_lead)
    place = np.full(may_lead.size + 1, NONE, np.int64)
    place[brokers] = np.arange(brokers.size)
    loads, keeps = fixed[brokers], place[today]
    kept = keeps >= 0
    counts = loads + np.bincount(keeps[kept], minlength=brokers.size)
    share, larger = divmod(int(loads.sum()) + len(today), brokers.size)
    if int(loads.max()) > share:
        return None
    rank = np.lexsort((np.arange(brokers.size), -counts))
    raised = rank[counts[rank] > share][:larger]
    most = np.full(brokers.size, share)
    most[raised] += 1
    excess = np.maximum(counts - most, 0)
    lacking = np.maximum(share - counts, 0)
    left = larger - raised.size
    taker = np.append((counts < share) | ((counts == share) & (left > 0)), False)

    heads = place[options]
    fits = taker[heads]
    homeless, giver = np.flatnonzero(~kept), np.flatnonzero(kept & row_any(fits))
    giver = giver[excess[keeps[giver]] > 0]
    # A few times as many lists as must change are choice enough; which ones is drawn, the same each time.
    giver = giver[np.argsort(np.random.default_rng(0).random(giver.size))]
    giver = giver[np.argsort(keeps[giver], kind="stable")]
    start = np.searchsorted(keeps[giver], keeps[giver])
    giver = giver[np.arange(giver.size) - start < _CHOICE * (excess[keeps[giver]] + 1)]
    rows = np.concatenate([homeless, giver])

    network = Network()
    nodes, ends, givers = network.nodes(rows.size), network.nodes(brokers.size), network.nodes(brokers.size)
    spare, sink = network.nodes(1), network.nodes(1)
    node, slot = np.nonzero(fits[rows])
    target = heads[rows[node], slot]
    arcs = network.arcs(nodes[node], ends[target], 1)
    network.arcs(givers[keeps[giver]], nodes[homeless.size :], 1)
    network.arcs(ends, sink, lacking)
    network.arcs(ends, spare, 1)
    network.arcs(spare, sink, left)
    network.supply(nodes[: homeless.size], 1)
    network.supply(givers, excess)
    network.supply(sink, -(int(lacking.sum()) + left))
    flow = network.route(whole=False)
    if flow is None:
        return None
    chosen = np.where(kept, today, options.max(axis=1))  # who finds no room, too
    taken = flow[arcs] > 0
    chosen[rows[node[taken]]] = brokers[target[taken]]
    return chosen.astype(np.int32)


def leader_first(lists: IntArray, chosen: IntArray) -> Longs:
    """(n, R) the order of columns that moves the chosen leader to the front and keeps the others' order.

    Use with ``numpy.take_along_axis`` on the lists and on every column that goes with them.
    """
    at, first = np.arange(lists.shape[1]), (lists == chosen[:, None]).argmax(axis=1)[:, None]
    order: Longs = np.where(at == 0, first, at - (at <= first))
    return order
