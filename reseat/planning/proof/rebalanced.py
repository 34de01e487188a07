"""Whether a rebalance is the best there is: racks, then spread, then moves, then squares, over all replica sets.

Promises: a flag is True only where it is proven; ``checker.check_rebalance`` says what each means.

Needs: the two layouts; no solver.

How: *Racks.* Each partition for itself, by exchange: see ``exchange``.
    *Spread.* Where loads differ by one at most nothing is evener. Else the greatest load is the least there can be if a
    set of brokers that nothing can leave holds too much for less, and the least load the greatest if a set that nothing
    can enter holds too little for more. A plan that leaves loads less even than it could, for fewer moves, may hide
    such sets: then the least spread is not proven, though it may be the least (6 of 10,000 small layouts).
    *Moves, then squares.* The sets that a partition may have, priced by what moves, are a valuated matroid, and so are
    their sums: a plan is the best exactly when no circle of single exchanges is cheaper, with one node that stands for
    "one replica more or fewer here", as far as the window of loads allows. A replica that stays costs one move to
    exchange, one that came costs none, and either costs one less where a broker that held the partition gets it back.
    Between the fewest moves and the least spread a move has a price in squares: the same search, with that price.

Complexity: O(P (R + K)) to find exchanges for P partitions over K racks; O(B^2) a pass of the search, a few as a rule.

Source: K. Murota, "Discrete Convex Analysis", 2003, sections 6.2 (exchange) and 9.4 (no negative cycle).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray
from reseat.planning.proof.compared import Change, widened
from reseat.planning.proof.exchange import Choice, exchanges, maximum_is_least

__all__ = ["rebalance_proven"]

IndexArray = npt.NDArray[np.int64]

#: What no exchange costs.
_NEVER = np.int64(1) << 60


def rebalance_proven(change: Change, *, spread: bool, tolerances: Sequence[int] = ()) -> tuple[bool, bool]:
    """Whether racks are at their least, and then spread (unless it is no aim), moves and squares, in this order.

    Replicas of partitions that cannot move, and on brokers that do not count and do not leave, must have stayed.

    Args:
        change: the two layouts compared.
        spread: whether the spread is an aim, before moves.
        tolerances: where given, and the spread is no aim, the second flag says that for one of these no plan has less
            squares plus ``2 tolerance - 1`` for each move.
    """
    targets = np.append(change.targets, False)
    held = change.before != NONE
    may_stay = targets | np.append(change.leaving, False)
    fixed = held & (~may_stay[change.before] | change.pinned[change.rows, None])
    if change.faults or (fixed & change.goes).any() or (change.comes & ~targets[change.after]).any():
        return False, False
    racks, cost = _exchange_costs(change)
    if not racks:
        return False, False
    counts = np.flatnonzero(change.targets)
    load, cost = change.load[counts], cost[np.ix_(counts, counts)]
    if tolerances:
        return True, any(_no_cheaper(cost, load, move=2 * one - 1) for one in tolerances)
    if spread and not _spread_least(cost < _NEVER, load):
        return True, False
    # A circle passes each broker once and begins and ends one path: squares change by less than this.
    return True, _no_cheaper(cost, load, move=2 * int(np.ptp(load)) + 3, window=spread)


def _exchange_costs(change: Change) -> tuple[bool, IndexArray]:
    """Whether racks are at their least, and (B, B) the fewest moves that an exchange between two brokers adds."""
    brokers = len(change.targets)
    rack = np.zeros(brokers, np.int64) if change.rack is None else change.rack
    cost = np.full((brokers, brokers), _NEVER)
    least = True

    def add(kept: IndexArray, chosen: IndexArray, others: IndexArray | None, moves: int) -> None:
        nonlocal least
        found = exchanges(Choice(kept=kept, chosen=chosen, others=others, targets=change.targets, rack=rack))
        if others is None:
            least &= bool(found.racks_least.all())
        np.minimum(cost, np.where(found.edges, np.int64(moves), _NEVER), out=cost)

    same = np.ones(change.current.partition_count, np.bool_)
    same[change.rows] = False
    lists = change.proposed.replicas[same]
    loose = (np.append(change.targets, False)[lists]) & ~change.pinned[same, None]
    width = max(1, lists.shape[1])
    add(widened(np.where(loose, NONE, lists), width), widened(np.where(loose, lists, NONE), width), None, 1)

    rows = np.flatnonzero(~change.pinned[change.rows])
    after = change.after[rows]
    loose = np.append(change.targets, False)[after]
    came = change.comes[rows] & loose
    gone = np.where(change.goes & ~np.append(change.leaving, False)[change.before], change.before, NONE)[rows]
    for which, moves in ((loose & ~came, 1), (came, 0)):
        kept, chosen = np.where(which, NONE, after), np.where(which, after, NONE)
        add(kept, chosen, None, moves)
        add(kept, chosen, gone, moves - 1)
    np.fill_diagonal(cost, _NEVER)
    return least, cost


def _spread_least(edges: BoolArray, load: IndexArray) -> bool:
    """Whether the fullest cannot hold less, nor the emptiest more."""
    if int(np.ptp(load)) <= 1:
        return True
    every = np.ones(len(load), np.bool_)
    return maximum_is_least(edges, load, every) and maximum_is_least(edges.T, -load, every)


def _no_cheaper(cost: IndexArray, load: IndexArray, *, move: int, window: bool = False) -> bool:
    """Whether no circle of exchanges is cheaper by ``move`` a move and by squares, in the window of loads or any."""
    low, high = int(load.min()), int(load.max())
    count = len(load)
    price = np.full((count + 1, count + 1), _NEVER)
    price[:count, :count] = np.where(cost < _NEVER, cost * move, _NEVER)
    more = (load < high) | (not window)
    fewer = load > (low if window else 0)
    price[:count, count][more] = 2 * (load[more] - low) + 1
    price[count, :count][fewer] = 1 - 2 * (load[fewer] - low)
    distance = np.zeros(count + 1, np.int64)
    for _ in range(count + 2):
        through = np.minimum(distance, (distance[:, None] + price).min(axis=0))
        if np.array_equal(through, distance):
            return True
        distance = through
    return False
