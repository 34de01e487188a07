"""Min-cost flow on columns: the one exact engine behind every plan.

Promises:
    1. ``Network.solve`` returns an integral flow of least cost, or None where no flow meets the supplies.
    2. ``fill`` spreads units over brokers with the least sum of squares of the loads, at once.
    3. The same input gives the same answer.

Needs: integer capacities and costs; a convex cost is written as one arc a level (``levels``).

Example: loads 4, 1, 1 and three more units: ``fill([4, 1, 1], 3)`` gives 0, 2, 1.

Complexity: ``fill`` O(B log total). ``solve``: OR-tools' cost scaling push-relabel, O(n^2 m log(n C)) in the worst
case, close to linear in arcs in practice. Source: A. V. Goldberg, "An efficient implementation of a scaling
minimum-cost flow algorithm", 1997.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from reseat.model import IntArray, Longs

__all__ = ["UNBOUNDED", "Network", "fill"]

_Number = TypeVar("_Number", np.int32, np.int64)
#: Room of a broker that may receive any number; far above any count, far below overflow.
UNBOUNDED = 1 << 40
#: Into how many steps what is preferred is rounded, and the largest sum that the solver's own scaling may come to.
_STEPS, _LARGEST = 4_095, 1 << 61


class Network:
    """A directed network that is built column by column.

    Nodes are numbers from 0, handed out by ``nodes``. Supplies default to 0; a negative supply is a demand.
    """

    def __init__(self) -> None:
        self._count = 0
        self._arcs = 0
        self._tails: list[IntArray] = []
        self._heads: list[IntArray] = []
        self._capacities: list[Longs] = []
        self._costs: list[Longs] = []
        self._supplies: list[tuple[Longs, Longs]] = []
        self._preferred: tuple[slice, npt.NDArray[np.floating], int] | None = None

    def nodes(self, count: int) -> Longs:
        """(count,) int64: numbers of as many new nodes."""
        first = self._count
        self._count += count
        return np.arange(first, self._count, dtype=np.int64)

    def arcs(
        self, tails: npt.ArrayLike, heads: npt.ArrayLike, capacity: npt.ArrayLike = 1, cost: npt.ArrayLike = 0
    ) -> slice:
        """Add arcs (arguments broadcast together); returns their place in the flow that ``solve`` returns."""
        shape = np.broadcast(tails, heads, capacity, cost).shape
        self._tails.append(_column(tails, shape, np.int32))
        self._heads.append(_column(heads, shape, np.int32))
        self._capacities.append(_column(capacity, shape, np.int64))
        self._costs.append(_column(cost, shape, np.int64))
        first = self._arcs
        self._arcs += self._tails[-1].size
        return slice(first, self._arcs)

    def supply(self, nodes: npt.ArrayLike, amounts: npt.ArrayLike) -> None:
        """Add to the supply of nodes (arguments broadcast together; a node may be given more than once)."""
        shape = np.broadcast(nodes, amounts).shape
        self._supplies.append((_column(nodes, shape, np.int64), _column(amounts, shape, np.int64)))

    def _amounts(self) -> Longs:
        amounts = np.zeros(self._count, np.int64)
        for node, amount in self._supplies:
            np.add.at(amounts, node, amount)
        return amounts

    def prefer(self, arcs: slice, amounts: npt.NDArray[np.floating], most: int) -> None:
        """Of flows of least cost, prefer one of which these arcs' amounts add up to less.

        As finely as exact arithmetic has room for: amounts are rounded to one of ``_STEPS`` steps, or fewer.

        Args:
            arcs: the arcs, of capacity 1.
            amounts: (m,) of each, from 0 to 1.
            most: no flow uses more of those whose amount is above 0.
        """
        self._preferred = arcs, amounts, most

    def _weighed(self) -> Longs:
        """The costs, where amounts are preferred as the last digits of larger ones."""
        costs = np.concatenate(self._costs)
        if self._preferred is None:
            return costs
        arcs, amounts, most = self._preferred
        room = _LARGEST // ((self._count + 2) * (1 + int(np.abs(costs).max(initial=0))))
        steps = min(_STEPS, (room - 1) // max(most, 1))
        if steps > 0:
            costs = costs * (steps * most + 1)
            costs[arcs] += np.floor(amounts * steps).astype(np.int64)
        return costs

    def solve(self) -> Longs | None:
        """The flow on each arc (int64, in the order of adding), of least cost; None where there is none.

        Raises:
            OverflowError: costs are too large for exact arithmetic.
        """
        from ortools.graph.python import min_cost_flow  # here: 0.1 s that a page without a plan should not pay

        amounts = self._amounts()
        if self._arcs == 0:
            return None if amounts.any() else np.empty(0, np.int64)
        if int(amounts.sum()) != 0:
            return None
        solver = min_cost_flow.SimpleMinCostFlow()
        # The stubs of OR-tools name types that numpy's own stubs do not give.
        add: Any = solver.add_arcs_with_capacity_and_unit_cost
        arcs = add(
            np.concatenate(self._tails), np.concatenate(self._heads), np.concatenate(self._capacities), self._weighed()
        )
        set_supplies: Any = solver.set_nodes_supplies
        set_supplies(np.arange(self._count, dtype=np.int32), amounts)
        status = solver.solve()  # type: ignore[no-untyped-call]
        if status == solver.OPTIMAL:
            return np.asarray(solver.flows(arcs), np.int64)
        if status in (solver.INFEASIBLE, solver.UNBALANCED):
            return None
        raise OverflowError(f"The min-cost flow of {self._arcs} arcs cannot be solved exactly (status {status.name}).")

    def route(self, *, whole: bool = True) -> Longs | None:
        """A flow on each arc that meets all supplies, costs left aside; None where there is none.

        With ``whole`` false it carries as much as possible instead, and demands may be larger than supplies.
        Several times faster than ``solve``. Source: A. V. Goldberg, R. E. Tarjan, "A new approach to the maximum-flow
        problem", 1988 (push-relabel).
        """
        from ortools.graph.python import max_flow

        amounts = self._amounts()
        given, taken = np.flatnonzero(amounts > 0), np.flatnonzero(amounts < 0)
        wanted = int(amounts[given].sum())
        if whole and (wanted != -int(amounts[taken].sum()) or (wanted and not self._arcs)):
            return None
        if wanted == 0 or not self._arcs:
            return np.zeros(self._arcs, np.int64)
        source, sink = self._count, self._count + 1
        solver = max_flow.SimpleMaxFlow()
        add: Any = solver.add_arcs_with_capacity
        ends = (given.astype(np.int32), taken.astype(np.int32))
        arcs = add(
            np.concatenate([*self._tails, np.full(given.size, source, np.int32), ends[1]]),
            np.concatenate([*self._heads, ends[0], np.full(taken.size, sink, np.int32)]),
            np.concatenate([*self._capacities, amounts[given], -amounts[taken]]),
        )
        status = solver.solve(source, sink)  # type: ignore[no-untyped-call]
        if status != solver.OPTIMAL or (whole and solver.optimal_flow() != wanted):
            return None
        flows: Any = solver.flows
        return np.asarray(flows(arcs[: self._arcs]), np.int64)


def _column(values: npt.ArrayLike, shape: tuple[int, ...], kind: type[_Number]) -> npt.NDArray[_Number]:
    """The values, broadcast to a shape, one after the other; many times faster than ``np.broadcast_arrays``."""
    given = np.asarray(values, kind)
    return given.ravel() if given.shape == shape else np.full(shape, given, kind).ravel()


def fill(loads: npt.ArrayLike, total: int, room: npt.ArrayLike | None = None) -> Longs:
    """How many of ``total`` units each broker receives so that the sum of squares of the loads is least.

    Among equal answers the brokers that come first receive more.

    Args:
        loads: (B,) units that each broker has already.
        total: units to spread.
        room: (B,) the most that each may receive, or None.

    Returns:
        (B,) int64 units received.

    Raises:
        ValueError: there is not enough room.
    """
    have = np.asarray(loads, np.int64)
    most = np.full(have.shape, total, np.int64) if room is None else np.minimum(np.asarray(room, np.int64), total)
    if int(most.sum()) < total:
        raise ValueError(f"{total} units do not fit into room for {int(most.sum())}.")
    if total == 0:
        return np.zeros(have.shape, np.int64)
    # The highest level up to which everything can be filled with at most `total` units.
    levels = range(int(have.min()), int(have.max()) + total)
    low = levels.start + bisect_right(levels, total, key=lambda one: int(np.clip(one + 1 - have, 0, most).sum()))
    received = np.clip(low - have, 0, most)
    rest = total - int(received.sum())
    if rest:
        raised = np.flatnonzero((have + received == low) & (received < most))[:rest]
        received[raised] += 1
    return received
