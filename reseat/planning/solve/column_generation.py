"""Which of many lists a flow must hold, so that a flow over a few of them is the best over all.

Promises:
    1. ``worth_freeing`` returns no list only where no exchange whatever, over all lists, lowers the cost: then the
       present choice is the best of all.
    2. Else it returns lists that a flow should hold as well: with them it may find better, or prices that fit all.
       Adding them and solving again ends, as there are finitely many; a few rounds do in practice.

Needs: a choice in which the lists that the flow held are chosen as well as they can be while the others stand. The
cost is a weight times the sum of squares of broker loads, and what each exchange adds.

How: an exchange takes one unit from a broker to another; a unit that comes to rest costs ``weight (2 l + 1)``, and one
that is taken up saves ``weight (2 l - 1)``. Over the lists that the flow held, this graph of brokers has no negative
cycle, so shortest paths settle and give each broker a price. A list that was not held matters only if its exchange is
cheaper than the difference of two prices; if none is, the whole graph has no negative cycle either. Prices are not
unique: where few lists seem to matter, prices for the whole graph are looked for too.

Example: brokers 0 and 1 with loads 4 and 1, weight 1. One unit less on 0 and one more on 1 is 3 - 7 = -4, so that a
list that offers 0 -> 1 is worth freeing. With loads 3 and 2 it is 5 - 5 = 0: no list is.

Complexity: O(m + k B^2) for m exchanges among B brokers, shortest paths of k arcs (some tens in practice).
Source: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", 1993, sections 9.3, 14.3 and 17.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray, Longs

__all__ = ["Swaps", "worth_freeing"]

#: Farther than any path.
_FAR = np.int64(1) << 60
#: Lists returned for each pair of brokers: choice enough, since only a few units take the same step.
_A_PAIR = 20
#: Passes of the search for prices of the whole graph: where there are some, they settle in fewer as a rule.
_PASSES = 48


@dataclass(frozen=True, eq=False)
class Swaps:
    """What n lists could exchange, an entry each.

    Attributes:
        row: (m,) the list.
        source: (m,) broker that gives up a unit.
        target: (m,) broker that takes it.
        cost: (m,) what the exchange adds to the cost, loads aside.
    """

    row: npt.NDArray[np.integer]
    source: npt.NDArray[np.integer]
    target: npt.NDArray[np.integer]
    cost: npt.NDArray[np.integer]


def worth_freeing(swaps: Swaps, held: BoolArray, load: Longs, weight: Longs, most: int) -> Longs | None:
    """Lists that the flow did not hold and should, at most about ``most``.

    Args:
        swaps: every exchange that is open now, of all n lists.
        held: (n,) bool, lists that the flow held.
        load: (B,) units on each broker with the present choice.
        weight: (B,) what one unit of the sum of squares costs; 0 for brokers whose load costs nothing.
        most: how many lists to return at most.

    Returns:
        Their numbers, ascending; empty where the choice is the best of all; None where the lists that were held are
        not chosen best, so that there are no prices.
    """
    inside = held[swaps.row]
    price = _prices(swaps, inside, load, weight, len(load) + 2)
    if price is None:
        return None
    cheaper: Longs = np.flatnonzero(price[swaps.source] + swaps.cost < price[swaps.target])
    cheaper = cheaper[~inside[cheaper]]
    if not cheaper.size:
        return cheaper
    brokers = len(load)
    draw = np.random.default_rng(0).permutation(cheaper.size)  # which ones of a pair is drawn, the same each time
    cheaper = cheaper[draw]
    pair = swaps.source[cheaper].astype(np.int64) * brokers + swaps.target[cheaper]
    order = np.argsort(pair, kind="stable")
    start = np.searchsorted(pair[order], pair[order])
    few = cheaper[order[np.arange(order.size) - start < _A_PAIR]]
    rows = np.unique(swaps.row[few]).astype(np.int64)
    if rows.size < most and _prices(swaps, np.ones(len(inside), np.bool_), load, weight, _PASSES) is not None:
        return np.empty(0, np.int64)
    if rows.size > most:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:most])
    return rows


def _prices(swaps: Swaps, inside: BoolArray, load: Longs, weight: Longs, passes: int) -> Longs | None:
    """(B,) length of the shortest path to each broker from anywhere; None where they do not settle in so many passes.

    With as many passes as nodes that is where a circle gets shorter for ever.
    """
    brokers = len(load)
    length = np.full((brokers + 1, brokers + 1), _FAR, np.int64)
    source, target, cost = swaps.source[inside], swaps.target[inside], swaps.cost[inside]
    for value in np.unique(cost)[::-1].tolist():
        mine = cost == value
        length[source[mine], target[mine]] = value
    # The last node is rest: a unit comes to rest on a broker, or is taken up from one.
    length[:brokers, brokers] = weight * (2 * load + 1)
    taken_up = load > 0
    length[brokers, :brokers] = np.where(taken_up, -weight * (2 * load - 1), _FAR)
    distance = np.zeros(brokers + 1, np.int64)
    for _ in range(passes):
        shorter = np.minimum(distance, (distance[:, None] + length).min(axis=0))
        if np.array_equal(shorter, distance):
            return np.asarray(distance[:brokers], np.int64)
        distance = shorter
    return None
