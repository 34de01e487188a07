"""The best replica sets of a problem: the evenest with the fewest moves, or less of it for fewer moves.

Promises, of all sets that the problem allows:
    - ``evenest``: the least difference between the fullest and the emptiest broker that counts; then the fewest moves;
      then the least sum of squares of replica counts.
    - ``at``: the least sum of squares plus a price for each move that nothing asks for; without a price the fewest
      moves, then the least sum. ``within`` finds the price for a number of moves.
    - ``with_moves``: the least sum of squares with at most so many moves; then the fewest moves. Only where no broker
      must give and receive at once; else none is found.

Needs: brokers enough for each partition; ``NoRoom`` is raised where limits leave none.

How: the least majorised loads have the smallest fullest and the greatest emptiest broker at once, so that each end of
the window of loads is searched for by itself, by flows. Within it moves cost most, and levels of loads the rest.
    *Relax, deal, swap.* See ``pools``. Where that succeeds the relaxation was the truth.
    *Exact.* Small problems, and those where it does not succeed, have each partition's own arcs (``partition_arcs``);
    of equal flows one that copies the fewest bytes is taken.
    *Levels.* Each broker has levels around where it would end if racks were no matter, and then around where it ended.

Example: brokers 0 and 1 hold 3 and 1 of four partitions with one replica each: one of the three moves.

Complexity: a few flows. Source: ``flow``; K. Murota, "Discrete Convex Analysis", 2003, chapters 6 and 9.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from reseat.model import BoolArray, Longs
from reseat.model.arrays import row_any
from reseat.planning.solve.flow import fill
from reseat.planning.solve.levels import Levels, around
from reseat.planning.solve.partition_arcs import PartitionArcs
from reseat.planning.solve.pools import Pools
from reseat.planning.solve.problem import Found, NoRoom, Problem

__all__ = ["Solver"]

_Network = Pools | PartitionArcs
_Priced = Callable[[Longs, Longs], Levels]
#: Partitions times brokers up to which each partition has arcs of its own: some milliseconds.
_OWN_ARCS = 4_000
#: The same where relaxing did not succeed: a few seconds.
MOST_OWN_ARCS = 4_000_000


@dataclass(frozen=True, eq=False)
class Solver:
    """Replica sets to choose. The networks are made once.

    Attributes:
        problem: what may be chosen.
        own_arcs: partitions times brokers up to which no relaxation is tried.
    """

    problem: Problem
    own_arcs: int = _OWN_ARCS

    def evenest(self) -> Found | None:
        """The evenest sets with the fewest moves; None where they were not found in reasonable time.

        Raises:
            NoRoom: limits leave no sets.
        """

        def start(network: _Network) -> tuple[Longs, Longs, Longs]:
            low, high, ends = self._window(network)
            return ends, *self._limited(low, high)

        return self._searched(start, Levels.moves_first)

    def least_spread(self) -> tuple[int, int] | None:
        """The emptiest and the fullest broker that counts at the least spread; None where it was not found.

        Raises:
            NoRoom: limits leave no sets.
        """
        network = next(self._networks(), None)
        if isinstance(network, PartitionArcs):  # every flow of it has sets: no cost is needed to know how far loads go
            return self._window(network)[:2]
        found = self.evenest()
        after = None if found is None else self.problem.loads_with(found)[self.problem.targets]
        return None if after is None else (int(after.min()), int(after.max()))

    def at(self, tolerance: int | None, window: tuple[Longs, Longs] | None = None) -> Found | None:
        """The sets with the least moves and sum of squares, weighed; None where they were not found.

        Args:
            tolerance: the difference of two loads, at least 1, up to which no replica moves for balance; None: none
                ever does, only what nothing else allows.
            window: (T,) the least and (T,) the greatest load of each broker that counts; None: any.

        Raises:
            NoRoom: limits leave no sets.

        Returns:
            Of all sets those with the least sum of squares of loads plus ``2 tolerance - 1`` for each move; so no sets
            have fewer moves and no larger sum of squares, nor the reverse.
        """
        # From load a to b one move saves 2 (a - b) - 2 squares.
        levels = Levels.moves_first if tolerance is None else partial(Levels, move=2 * tolerance - 1, square=1)
        least, most = self._limited(*((0, self._total) if window is None else window))
        if (least > most).any():
            raise NoRoom("No sets keep every limit.")
        return self._searched(lambda _: (self._ends(tolerance), least, most), levels)

    def least_loads(self) -> Longs | None:
        """(B,) loads of the sets of ``at(None)``; None where they were not found.

        Raises:
            NoRoom: limits leave no sets.
        """
        if (pools := next(self._networks(), None)) is self._pools and pools is not None and pools.always_realised:
            low, high = self._limited(self._loads, self._total)  # nobody ends with less: nothing leaves
            flow = self._around(pools, Levels.moves_first, self._filled, np.minimum(low, high), high)
            return None if flow is None else pools.loads(flow)  # type: ignore[arg-type]
        found = self.at(None)
        return None if found is None else self.problem.loads_with(found)

    def with_moves(self, moves: int | None) -> Found | None:
        """The sets with the least sum of squares of at most so many moves; None where they were not found.

        Args:
            moves: those among them that come in any case; None: any number.
        """
        budget = None if moves is None else moves - int(self.problem.need.sum())
        if budget is not None and budget < 0:
            return None
        start = self._ends(1 if moves is None else self.least_within(moves)), *self._limited(0, self._total)
        found = self._searched(lambda _: start, lambda low, high: Levels.within(low, high, budget))
        return None if found is None or (moves is not None and self.problem.moves(found) > moves) else found

    def within(self, most: int, fits: Callable[[Found], bool] | None = None) -> Found | None:
        """The sets at the least tolerance that makes at most so many moves (see ``at``).

        Args:
            most: moves; about how many, where ``fits`` decides.
            fits: whether sets are within another limit, as those with fewer moves are too.

        Returns:
            None where even what nothing else allows takes more, or where sets were not found.
        """

        def enough(made: Found) -> bool:
            return self.problem.moves(made) <= most if fits is None else fits(made)

        def holds(tolerance: int) -> bool:
            return (made := self._priced(tolerance)) is not None and enough(made)

        # Where racks are no matter the first guess is right, and its moves, or its neighbour, show it.
        at = self.least_within(most)
        if (made := self._priced(at)) is not None and enough(made):
            if fits is None and self.problem.moves(made) == self.foreseen(at):
                return made
            fewer = _first(0, at - 1, lambda less: less == at - 1 or not holds(at - 1 - less))
            return self._priced(at - (fewer or 0))
        if (alone := self._priced(None)) is not None and not enough(alone):
            return None
        # No two loads differ by more, whatever racks ask for.
        widest = int(self._loads.max(initial=0) + self.problem.need.sum())
        least = _first(at + 1, max(widest, at) + 1, holds)
        return alone if least is None else self._priced(least)

    def _priced(self, tolerance: int | None) -> Found | None:
        """As ``at``, found once."""
        if tolerance not in self._found:
            self._found[tolerance] = self.at(tolerance)
        return self._found[tolerance]

    @cached_property
    def _found(self) -> dict[int | None, Found | None]:
        return {}

    def moves_until(self, fullest: int) -> int:
        """About the fewest moves after which no broker has more replicas, told from the loads alone."""
        at = _first(1, self._widest, lambda one: self._worth_moving(self._widest + 1 - one)[1] <= fullest)
        tolerance = self._widest + 1 - (at or self._widest)
        return self.foreseen(tolerance)

    def foreseen(self, tolerance: int) -> int:
        """Moves at this tolerance, told from the loads alone."""
        return int(self.problem.need.sum()) + self._worth_moving(tolerance)[0]

    def _networks(self) -> Iterator[_Network]:
        """The networks to try, the quicker one first."""
        rows, targets = self._concerned, int(self.problem.targets.sum())
        if rows * targets > self.own_arcs and not self.problem.regions and self._pools is not None:
            yield self._pools
        if rows * (targets + self.problem.racks) <= MOST_OWN_ARCS:
            yield self._arcs

    @cached_property
    def _concerned(self) -> int:
        """Partitions of which something may move or come."""
        return int(np.count_nonzero(row_any(self.problem.movable) | (self.problem.need > 0)))

    @cached_property
    def _pools(self) -> Pools | None:
        return Pools.of(self.problem)

    @cached_property
    def _arcs(self) -> PartitionArcs:
        return PartitionArcs(self.problem)

    def _limited(self, low: int | Longs, high: int | Longs) -> tuple[Longs, Longs]:
        """(T,) least and greatest loads, within what brokers may hold."""
        targets = self.problem.targets
        nothing = np.zeros(int(targets.sum()), np.int64)
        most = nothing + high
        return nothing + low, most if self.problem.most is None else np.minimum(most, self.problem.most[targets])

    @cached_property
    def _loads(self) -> Longs:
        """(T,) loads of the brokers that count, without what must go."""
        return self.problem.loads[self.problem.targets]

    @property
    def _total(self) -> int:
        """Replicas that brokers that count hold in the end."""
        return int(self._loads.sum() + self.problem.need.sum())

    @cached_property
    def _filled(self) -> Longs:
        """(T,) loads once what comes in any case is where it is evenest, as if racks mattered only to what has one."""
        filled, rest = self._loads.copy(), int(self.problem.need.sum())
        network = next(self._networks(), None) if rest else None
        if isinstance(network, Pools):
            rack, forced = network.rack[self.problem.targets], network.without_choice
            for one in np.flatnonzero(forced).tolist():
                if (inside := self._receives & (rack == one)).any():
                    filled[inside] += fill(filled[inside], int(forced[one]))
                    rest -= int(forced[one])
        if self._receives.any():
            filled[self._receives] += fill(filled[self._receives], rest)
        return filled

    @cached_property
    def _gives(self) -> BoolArray:
        """(T,) brokers of which something may move, as far as racks are known."""
        network = next(self._networks(), None)
        if isinstance(network, Pools) and not network.own.size:
            return row_any(network.able[self.problem.targets] > 0)
        lists = self.problem.lists[self.problem.movable]
        return np.bincount(lists, minlength=len(self.problem.targets))[self.problem.targets] > 0

    @cached_property
    def _receives(self) -> BoolArray:
        """(T,) brokers that may receive."""
        return np.asarray(np.logical_or.reduce(self.problem.open_to)[self.problem.targets], np.bool_)

    @cached_property
    def _widest(self) -> int:
        """The greatest difference of two loads between which something may move, at least 1."""
        gives, receives = self._filled[self._gives], self._filled[self._receives]
        return max(1, int(gives.max() - receives.min())) if gives.size and receives.size else 1

    def _ends(self, tolerance: int | None) -> Longs:
        """(T,) where brokers would end at this tolerance if racks were no matter."""
        if tolerance is None:
            return self._filled
        _, highest, lowest = self._worth_moving(tolerance)
        ends = np.where(self._gives, np.minimum(self._filled, highest), self._filled)
        return np.where(self._receives, np.maximum(ends, lowest), ends)

    def least_within(self, most: int) -> int:
        """The least tolerance for ``at`` that makes at most so many moves, told from the loads alone."""
        more = most - int(self.problem.need.sum())
        return _first(1, self._widest, lambda one: self._worth_moving(one)[0] <= more) or self._widest

    def _worth_moving(self, tolerance: int) -> tuple[int, int, int]:
        """(moves, fullest, emptiest) once replicas went from the fullest to the emptiest while those differ by more.

        The k-th replica to go leaves from the k-th highest place above some level, and takes the k-th lowest below
        another: the least level above which no more sit than there is room for below.
        """
        above, below = self._heights
        room = np.zeros(above.size, np.int64)
        room[tolerance - 1 :] = below[: max(0, above.size - tolerance + 1)]
        at = 1 + int((above[1:] <= room[1:]).argmax())
        moves = max(int(above[at]), min(int(above[at - 1]), int(below[max(0, at - tolerance)])))
        return moves, at - 1 - (int(above[at - 1]) <= moves), at - 1 - tolerance

    @cached_property
    def _heights(self) -> tuple[Longs, Longs]:
        """Of each level from -1 to the highest load, replicas above it that may go, and room below it that may fill."""
        size = int(self._filled.max(initial=0)) + 1
        gives, takes = (
            np.cumsum(np.bincount(self._filled[some], minlength=size)) for some in (self._gives, self._receives)
        )
        higher = gives[-1] - np.concatenate([[0], gives])
        return np.cumsum(higher[::-1])[::-1], np.concatenate([[0, 0], np.cumsum(takes)[:-1]])

    def _searched(self, start: Callable[[_Network], tuple[Longs, Longs, Longs]], levels: _Priced) -> Found | None:
        """The sets of least cost, by the first network that finds some; ``start`` as what ``_around`` is given last."""
        for network in self._networks():
            flow = self._around(network, levels, *start(network))
            found = None if flow is None else network.realised(flow)  # type: ignore[arg-type]
            if found is not None:
                return found
        return None

    def _around(self, network: _Network, levels: _Priced, ends: Longs, least: Longs, most: Longs) -> object | None:
        """The flow of least cost, levels around these ends at first; all (T,), loads at least and at most."""

        def loads(flow: object) -> Longs:
            return network.loads(flow)[self.problem.targets]  # type: ignore[arg-type]

        return around(network.flow, loads, ends, levels, (least, most))

    def _window(self, network: _Network) -> tuple[int, int, Longs]:
        """The greatest least load and the least greatest one, and (T,) where brokers may end between them."""
        levels = partial(Levels, square=1)
        flow = self._around(network, levels, self._ends(1), *self._limited(0, self._total))
        if flow is None:
            raise NoRoom("No sets keep every limit.")
        loads = network.loads(flow)[self.problem.targets]  # type: ignore[arg-type]
        return int(loads.min()), int(loads.max()), loads


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """The least number from ``low`` to ``high`` of which it holds, as it does of all above; None where of none."""
    at, step = low, 1
    while at < high and not holds(at):  # it lies near the beginning, as a rule
        low, at, step = at + 1, min(high, at + step), 2 * step
    if at >= high and not holds(high):
        return None
    return low + bisect_left(range(low, min(at, high)), True, key=holds)
