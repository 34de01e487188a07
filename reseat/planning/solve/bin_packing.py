"""One replica after the other: placing by weight, where no flow is exact.

Promises, in this order:
    1. Racks are the best (every seat is one that ``rack_choice`` allows).
    2. Loads are even as found. No optimum is claimed: it is NP-hard; ``lifted`` is a bound that no plan passes.

Needs: weights of at least 0; where all weigh 1 it is the last resort for networks too large to be solved.

How: largest processing time first (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969): each replica goes
to the open broker that carries least and has room for it. Then moves and exchanges (``by_weight``).

Example: weights 5, 4, 3, 3, 3 for two empty brokers: 5 + 3 and 4 + 3 + 3, then swapped to 9 and 9 (5 + 4, 3 + 3 + 3).

Complexity: O(m B) to place m replicas.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import FloatArray
from reseat.planning.solve.alike import Kinds
from reseat.planning.solve.by_weight import exchanged
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rounding import Seating, as_columns

__all__ = ["placed_by_weight"]


def placed_by_weight(problem: Problem, weight: FloatArray, loads: FloatArray) -> Found:
    """Place newcomers with the best racks and even weights (good, never claimed to be exact).

    Args:
        problem: what needs newcomers; nothing else of it moves.
        weight: (n,) what one replica of each partition weighs.
        loads: (B,) weight that each broker carries.

    Raises:
        NoRoom: the room of a rack runs out.
    """
    if problem.most is not None:  # as many as it may hold are as many as it may receive: nothing else moves
        most = problem.most - problem.loads
        problem = replace(problem, room=most if problem.room is None else np.minimum(problem.room, most), most=None)
    seating = _by_turns(problem, weight, loads)
    rows = np.flatnonzero(problem.need)
    came = as_columns(seating, problem.need)[rows]
    vacated = np.zeros((rows.size, problem.lists.shape[1]), np.bool_) if problem.out is None else problem.out[rows]
    return exchanged(problem, Found(rows, problem.filled(rows, vacated, came)), weight, loads)


def _by_turns(problem: Problem, weight: FloatArray, loads: FloatArray) -> Seating:
    """Seats for newcomers, the heaviest first."""
    kinds = Kinds.of_problem(problem, problem.rack)
    choice = kinds.completion
    carried = np.append(loads, 0.0)  # the last is nobody: padding, which is -1
    room = np.full(loads.size, problem.need.sum() + 1) if problem.room is None else problem.room.copy()
    most = np.full(loads.size, np.inf) if problem.most_bytes is None else problem.most_bytes
    limited = problem.room is not None or problem.most_bytes is not None
    closed = np.where(np.pad(problem.open_to, ((0, 0), (0, 1))), 0.0, np.inf)
    rows, seats, at, staying = [], [], problem.rack, problem.staying
    for row in np.argsort(-weight, kind="stable").tolist():
        kind = int(kinds.of[row])
        base, optional = choice.base[kind].copy(), choice.open_racks[kind].copy()
        extra = int(choice.extra[kind])
        cost = carried + closed[kinds.group[kind]]
        cost[staying[row]] = np.inf
        if limited:
            cost[:-1][(room <= 0) | (carried[:-1] + weight[row] > most)] = np.inf
        for _ in range(int(problem.need[row])):
            wanted = (((base > 0) | optional) if extra else base > 0)[at]
            best = int(np.where(wanted, cost[:-1], np.inf).argmin())
            if not (wanted[best] and np.isfinite(cost[best])):
                raise NoRoom("The cap leaves too little room on the brokers that the partitions may go to.")
            rack = int(at[best])
            if extra and optional[rack]:
                # The last replica of a rack that may take one more is the optional one.
                if base[rack] > 0:
                    base[rack] -= 1
                else:
                    optional[rack] = False
                    extra -= 1
            else:
                base[rack] -= 1
            cost[best] = np.inf
            carried[best] += weight[row]
            room[best] -= 1
            rows.append(row)
            seats.append(best)
    return Seating(np.array(rows, np.int64), np.zeros(len(rows), np.int64), np.array(seats, np.int32))
