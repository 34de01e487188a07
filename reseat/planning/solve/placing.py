"""Where replicas without a seat go: racks first, then load, exactly; nothing else moves.

Promises, in this order:
    1. Every partition gets the newcomers it needs, each on a broker that it is not yet on.
    2. Least sum, over partitions and racks, of the square of the partition's replicas in that rack.
    3. Among those, the least sum of squares of the loads of the targets, unless it says that it is not exact.
    4. Ties, as far as exchanges of equals reach: no newcomer on a host that has the partition, then a topic's
       partitions spread over brokers. Never at the cost of 1 to 3.

How: ``solver``, without a move that need not be. Where that is too large, one after the other (``bin_packing``).
"""

from __future__ import annotations

import numpy as np

from reseat.planning.solve.bin_packing import placed_by_weight
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rounding import Ties, untie
from reseat.planning.solve.solver import Solver

__all__ = ["placed"]


def placed(problem: Problem, ties: Ties | None = None) -> tuple[Found, bool]:
    """The newcomers of a problem, and whether the least sum of squares of loads was reached (for the best racks).

    Args:
        problem: what needs newcomers.
        ties: what tells equally good seats apart, or None.

    Raises:
        NoRoom: limits leave no seats with the best racks.
    """
    found = Solver(problem, own_arcs=0).at(None)
    exact = found is not None
    if problem.regions:  # neither what places one by one nor what exchanges equals knows of them
        if found is None:
            raise NoRoom("No sets were found.")
        return found, exact
    if found is None:
        found = placed_by_weight(problem, np.ones(len(problem.lists)), problem.loads.astype(np.float64), even=False)
    return (found if ties is None else untie(problem, found, ties.of(found.rows))), exact
