"""Levels of loads: what brokers may hold, what that costs, and the flow of least cost over all of them.

A convex cost of a load is an arc a level: the one that lifts a broker from load l to l + 1 costs
``(l + 1)**2 - l**2 = 2 l + 1``, so that a flow of least cost takes the low levels first. Levels are convex: where no
broker comes up to an end of its levels, wider ones change nothing (``around``).

Complexity: a few flows, each with some levels a broker. Source: R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network
Flows", 1993, chapter 14 (convex costs).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from reseat.model import Longs
from reseat.planning.solve.flow import UNBOUNDED, Network
from reseat.planning.solve.problem import NoRoom

__all__ = ["Levels", "around"]

_Flow = TypeVar("_Flow")
#: How far around where a broker may end its levels go at first, and how much farther where none can be reached.
_MARGIN, _WIDER = 8, 4
#: Rounds in which the ends of all levels get farther.
_WIDEST = 16
#: The most rounds around where brokers ended: by then levels hold every load.
_MOST_ROUNDS = 64


@dataclass(frozen=True, eq=False)
class Levels:
    """What loads may be, and what they and moves cost: nothing, if nothing else is said.

    Attributes:
        low: (T,) the least load of each broker that counts.
        high: (T,) the greatest.
        move: what a move costs that nothing asks for.
        square: what one unit of the sum of squares of loads costs.
        budget: how many replicas may leave brokers in all that need not; None: no limit.
    """

    low: Longs
    high: Longs
    move: int = 0
    square: int = 0
    budget: int | None = None

    @classmethod
    def moves_first(cls, low: Longs, high: Longs) -> Levels:
        """The fewest moves, then the least sum of squares."""
        # A circle that improves passes the sink once: by one level up and one down.
        return cls(low, high, 2 * int(high.max(initial=0) - low.min(initial=0)) + 3, 1)

    @classmethod
    def within(cls, low: Longs, high: Longs, budget: int | None) -> Levels:
        """The least sum of squares with so many replicas that leave, then the fewest moves.

        A circle that improves passes each broker once, and changes the sum by an even number.
        """
        return cls(low, high, 1, len(low) + 1, budget)

    def hang(self, network: Network, brokers: Longs, sink: Longs, loads: Longs) -> None:
        """Hang brokers (T,), of which each gets ``loads`` (T,) at its node, on the node that takes what they hold."""
        low, high = self.low, self.high
        lowest = int(low.min(initial=0))
        network.supply(brokers, loads - low)
        network.supply(sink, int(low.sum() - loads.sum()))
        if not self.square and self.budget is None:
            network.arcs(brokers, sink, high - low)
            return
        width = high - low
        at = np.repeat(np.arange(brokers.size), width)
        level = low[at] + np.arange(at.size) - np.repeat(np.cumsum(width) - width, width)
        price = self.square * (2 * (level - lowest) + 1)
        if self.budget is None:
            network.arcs(brokers[at], sink, 1, price)
            return
        # What stays below today's load passes a node that asks for all of it but the budget.
        stays = level < loads[at]
        keeper = network.nodes(1)
        network.arcs(brokers[at[stays]], keeper, 1, price[stays])
        network.arcs(brokers[at[~stays]], sink, 1, price[~stays])
        network.arcs(keeper, sink, int(stays.sum()))
        asked = max(0, int((loads - low).clip(min=0).sum()) - self.budget)
        network.supply(keeper, -asked)
        network.supply(sink, asked)


def around(
    flow: Callable[[Levels], _Flow | None],
    loads: Callable[[_Flow], Longs],
    ends: Longs,
    levels: Callable[[Longs, Longs], Levels],
    window: tuple[Longs, Longs],
    *,
    margin: int = 0,
) -> _Flow | None:
    """The flow of least cost in a window of loads, levels around some ends at first.

    Args:
        flow: the flow of least cost for levels; None where there is none.
        loads: (T,) loads of brokers after a flow.
        ends: (T,) where brokers may end.
        levels: levels of least and greatest loads (T,), (T,).
        window: (T,) the least and (T,) the greatest load of each broker.
        margin: how far around the ends levels go at first, at least.

    Raises:
        NoRoom: there is none.
    """
    lowest, highest = window
    centre, wide = np.clip(ends, lowest, highest), np.full(ends.size, max(_MARGIN, margin))
    for turn in range(_MOST_ROUNDS):
        # Nobody is likely to end far below the emptiest, or above the fullest.
        spare = _MARGIN * _WIDER ** min(turn, _WIDEST)
        low = np.maximum(np.maximum(centre - wide, centre.min(initial=UNBOUNDED) - spare), lowest)
        high = np.minimum(np.minimum(centre + wide, centre.max(initial=0) + spare), highest)
        found = flow(levels(low, high))
        if found is None and turn == 0:
            # Far from there: begin with any flow.
            found = flow(Levels(lowest, highest))
            if found is None:
                raise NoRoom("No sets keep every limit.")
            centre = loads(found)
            continue
        if found is None:
            wide *= _WIDER
            continue
        after = loads(found)
        short = ((after == high) & (high < highest)) | ((after == low) & (low > lowest))
        if not short.any():
            return found
        centre, wide[short] = after, wide[short] * _WIDER
    return None
