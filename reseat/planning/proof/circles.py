"""Optimality by circles: no rearrangement is better where no circle of exchanges is, with a rest that loads come from.

Promises
    1. ``Graph`` says that nothing is cheaper only where that is proven, and that something is where it is.
    2. ``Graph.within`` likewise of the least sum of squares for the moves that a plan makes.
    3. ``maximum_is_least`` says that no exchanges bring the greatest load down only where counting shows it.

Needs
    ``exchange``: (B, B) what an exchange of one replica between two brokers adds to the moves; the loads.

How it works
    The sets that a partition may have, with what moves as their price, are a valuated matroid, and so are the sums over
    partitions: the loads that plans can have, each with its least price, are an M-convex function. With a cost of loads
    that is convex for each broker, a plan is the cheapest exactly when no circle of exchanges is cheaper, one node
    standing for "one replica more or fewer here". Where there is none, shortest paths settle.
    *Aims in an order* are weights, each larger than all that a circle can change of the later ones: it passes each
    broker once.
    *So many moves.* Where a price of a move exists at which nothing is cheaper, no plan has as few moves and a smaller
    sum of squares. A circle that is cheaper tells whether the price is too low (it moves more) or too high.
    *The greatest load.* Where a set of brokers that no edge leaves holds more than it could with every load at least
    one below the greatest, the greatest cannot fall. The sets looked at are those that one of the fullest brokers leads
    to, and what all of them lead to.

Complexity: O(B^2) a pass of the search, a few as a rule, at most B + 1.
Source: K. Murota, Discrete Convex Analysis (2003), sections 6.2 (exchange) and 9.4 (no negative cycle); R. Ahuja, T.
Magnanti, J. Orlin, Network Flows (1993), section 5.5 (negative cycles).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.model import BoolArray, Longs

__all__ = ["NEVER", "Graph", "circle_of", "maximum_is_least"]

#: What no exchange costs.
NEVER = np.int64(1) << 60
#: Passes before predecessors are kept, and passes between two looks for a circle among them.
_PLAIN, _LOOK_EVERY = 12, 8
#: Fullest brokers whose reach is looked at one by one.
_FULLEST_LOOKED_AT = 32


@dataclass(frozen=True, eq=False)
class Graph:
    """Exchanges between B brokers, and what loads may be.

    Attributes:
        cost: (B, B) int64 what an exchange adds to the moves; ``NEVER`` where there is none.
        load: (B,) int64.
        low: (B,) or one number: no load may be below.
        high: (B,) or one number: none may be above.
        more: (B,) bool, brokers that may hold one more, as far as other limits go; None: all.
        worse: (B,) bool, brokers whose loads do not count and that are worse than any load; None: none.
    """

    cost: Longs
    load: Longs
    low: Longs | int = 0
    high: Longs | int = int(NEVER)
    more: BoolArray | None = None
    worse: BoolArray | None = None

    @property
    def edges(self) -> BoolArray:
        """(B, B) bool, whether there is an exchange."""
        return np.asarray(self.cost < NEVER, np.bool_)

    @property
    def _weight(self) -> int:
        """More than a circle can change of the sum of squares: it begins and ends one path."""
        return 2 * int(np.ptp(self.load)) + 3 if self.load.size else 1

    @property
    def _many(self) -> int:
        """More than a circle can change of the moves."""
        return 2 * len(self.load) + 1

    def fewest_moves(self) -> bool:
        """Whether no loads within the limits are reached with fewer moves."""
        return self._circle(move=1, square=0) is None

    def fewest_moves_then_squares(self) -> bool:
        """Whether, of those with as few moves, none have a smaller sum of squares."""
        return self._circle(move=self._weight, square=1) is None

    def least_squares(self) -> bool:
        """Whether no loads within the limits have a smaller sum of squares, whatever moves."""
        return self._circle(move=0, square=1) is None

    def least_squares_then_moves(self) -> bool:
        """Whether, of the least squares, none take fewer moves."""
        return self._circle(move=1, square=self._many) is None

    def within(self, *, spent: bool, least: int = 0) -> bool:
        """Whether no plan has as few moves and a smaller sum of squares, shown for some price of a move.

        Args:
            spent: whether more moves were not allowed; else only a price of nothing shows it.
            least: the least price; from 1 on no plan has fewer moves and as small a sum, either.
        """
        # Moves are priced in parts of a square, so that a price of nearly nothing is one, too.
        square, low, high = self._many, least, self._many * self._weight
        if not spent:
            return self.least_squares()
        load = self.load
        guess = max(least, square * (int(np.ptp(load)) - 1)) if load.size else least
        while low <= high:
            circle = self._circle(move=guess, square=square)
            if circle is None:
                return True
            moves = sum(int(self.cost[a, b]) for a, b in circle if max(a, b) < len(load))
            if not moves:
                return False
            low, high = (guess + 1, high) if moves > 0 else (low, guess - 1)
            guess = (low + high) // 2
        return False

    def _circle(self, *, move: int, square: int) -> list[tuple[int, int]] | None:
        """A circle that is cheaper, as its arcs, the last node standing for the rest; None where there is none."""
        count, load = len(self.load), self.load
        price = np.full((count + 1, count + 1), NEVER)
        price[:count, :count] = np.where(self.edges, self.cost * move, NEVER)
        lowest = int(load.min()) if count else 0
        more, fewer = load < self.high, load > self.low
        if self.more is not None:
            more &= self.more
        up, down = square * (2 * (load - lowest) + 1), square * (2 * (load - lowest) - 1)
        if self.worse is not None:
            far = 2 * square * self._weight
            up, down = np.where(self.worse, far, up), np.where(self.worse, far, down)
        price[:count, count][more] = up[more]
        price[count, :count][fewer] = -down[fewer]
        return circle_of(price)


def circle_of(price: Longs) -> list[tuple[int, int]] | None:
    """A circle of arcs (V, V) whose prices add up to less than nothing; None where there is none."""
    nodes = len(price)
    distance, parent = np.zeros(nodes, np.int64), np.full(nodes, -1, np.int64)
    for step in range(_PLAIN + nodes):  # what gets shorter for as many passes as there are nodes goes round
        through = distance[:, None] + price
        if step < _PLAIN:
            shorter = np.minimum(distance, through.min(axis=0))
            if np.array_equal(shorter, distance):
                return None
        else:
            by = through.argmin(axis=0)
            best = through[by, np.arange(nodes)]
            better = best < distance
            if not better.any():
                return None
            shorter, parent = np.where(better, best, distance), np.where(better, by, parent)
            if step % _LOOK_EVERY == 0 and (found := _closed(parent)) is not None:
                return found
        distance = shorter
    return _closed(parent)


def _closed(parent: Longs) -> list[tuple[int, int]] | None:
    """The arcs of a circle among predecessors, which is a negative one; None where following them ends everywhere."""
    nodes = len(parent)
    jump = np.append(np.where(parent < 0, nodes, parent), nodes)
    for _ in range(nodes.bit_length() + 1):
        jump = jump[jump]
    on = np.flatnonzero(jump[:-1] != nodes)
    if not on.size:
        return None
    first = at = int(jump[on[0]])  # so far back that it lies on the circle
    arcs: list[tuple[int, int]] = []
    while not arcs or at != first:
        arcs.append((int(parent[at]), at))
        at = int(parent[at])
    return arcs


def maximum_is_least(edges: BoolArray, load: Longs, ends: BoolArray) -> bool:
    """Whether no exchanges whatever bring the greatest load down, as far as counting shows.

    Args:
        edges: (B, B) bool, where an exchange can pass one unit of load.
        load: (B,) int64.
        ends: (B,) bool, brokers that can take one unit more.

    Returns:
        True where proven. O(k B) for the k fullest brokers looked at.
    """
    top = int(load.max())
    fullest = np.flatnonzero(load == top)
    for starts in (*fullest[:_FULLEST_LOOKED_AT, None], fullest):
        inside = np.zeros(len(load), np.bool_)
        inside[starts] = True
        stack = starts.tolist()
        while stack:
            found = np.flatnonzero(edges[stack.pop()] & ~inside)
            inside[found] = True
            stack.extend(found.tolist())
        room = np.maximum(top - 1 - load, 0)[inside & ends].sum()
        if int((inside & (load == top)).sum()) > int(room):
            return True
    return False
