"""Replica sets that are as even as can be, with the fewest moves: every replica may move, none has to.

Promises, in this order, over all replica sets in which nothing fixed moves and each partition keeps its number:
    1. The least sum, over partitions and racks, of the square of the partition's replicas in that rack.
    2. The least difference between the fullest and the emptiest broker that counts.
    3. The fewest replicas that move.
    4. The least sum of squares of replica counts.
``Rebalancing.at`` gives sets with fewer moves than that, in the place of 2 to 4: each has the least sum of squares for
its moves, and the first moves no more than racks need.

Needs: fixed replicas (of partitions that cannot move, and on brokers that do not count) name each broker once.

How: which windows of loads (emptiest, fullest) can be reached is a question of flows, and the least majorised loads
have the smallest fullest and the greatest emptiest broker at once, so that each end is searched for by itself. Within
the window moves cost most, and levels of loads the rest.
    *Relax.* A replica goes from its broker into the pool of a rack, and from there to a broker. How many replicas of a
    broker may enter a rack without their partition's racks getting worse is counted once; partitions that are not at
    their best on racks have nodes of their own. What is not held against the relaxation is that one partition may be
    asked twice, and may hold the broker already: so it needs no more moves than the truth.
    *Deal, swap.* Partitions are picked for the flow, each once; the smallest ones where sizes are told. Brokers of the
    pool are dealt out and swapped until nobody has one twice (``rounding``). Where that succeeds the relaxation was the
    truth. Small layouts, and those where it does not succeed, have each partition's own arcs; of equal flows one that
    copies the fewest bytes is taken.

Example: brokers 0 and 1 hold 3 and 1 of four partitions with one replica each: one of the three moves.

Complexity: O(P R K) to count, flows of O(B K + V (R + K)) arcs for V partitions that are not at their best on racks,
or of O(P B). Source: ``flow``; K. Murota, "Discrete Convex Analysis", 2003, section 6.2 (exchange), for the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE
from reseat.planning.solve.flow import Network
from reseat.planning.solve.rack_pools import Pools
from reseat.planning.solve.replica_sets import Load, Rebalanced, Sets, hang_levels

__all__ = ["Rebalanced", "Rebalancing", "Sets"]

_Ints = npt.NDArray[np.int64]
#: Partitions times brokers up to which each partition has arcs of its own: 0.1 s.
_OWN_ARCS = 60_000
#: The same where relaxing did not succeed: a few seconds.
_MOST_OWN_ARCS = 4_000_000
#: How far loads may go beyond those of today at first, where there is no window, and how much farther each time.
_MARGIN, _WIDER = 8, 8


@dataclass(frozen=True, eq=False)
class Rebalancing:
    """Replica sets to choose: the best balance, or less of it for fewer moves. The networks are made once.

    Attributes:
        sets: what is there.
        own_arcs: partitions times brokers up to which no relaxation is tried.
    """

    sets: Sets
    own_arcs: int = _OWN_ARCS

    def evenest(self) -> Rebalanced | None:
        """The sets of the four promises; None where they were not found in reasonable time."""
        for network in self.networks():
            window = _window(self.sets, network.flow)
            found = None if window is None else network.realised(*window)
            if found is not None:
                return found
        return None

    def at(self, tolerance: int | None) -> Rebalanced | None:
        """The sets at their best on racks with the least moves and sum of squares, weighed; None where not found.

        Args:
            tolerance: the difference of two loads, at least 1, up to which no replica moves for balance; None: none
                ever does, only for racks.

        Returns:
            Of all sets those with the least sum of squares of loads plus ``2 tolerance - 1`` for each move; so no sets
            have fewer moves and no larger sum of squares, nor the reverse.
        """
        sets = self.sets
        loads = sets.loads[sets.targets]
        low_end = high_end = loads
        if tolerance is not None:
            _, highest, lowest = _worth_moving(loads, tolerance)
            low_end, high_end = np.minimum(loads, highest), np.maximum(loads, lowest)
        for network in self.networks():
            margin = _MARGIN
            while margin < _MARGIN * _WIDER * (1 + int(loads.sum())):
                # Where no broker comes up to an end of its window, a wider one changes nothing: levels are convex.
                low, high = np.maximum(low_end - margin, 0), high_end + margin
                found = network.realised(low, high, tolerance)
                if found is not None:
                    after = sets.loads_with(found.rows, found.lists)[sets.targets]
                    if (after < high).all() and ((after > low) | (low == 0)).all():
                        return found
                margin *= _WIDER
        return None

    def within(self, most: int) -> tuple[Rebalanced, int | None] | None:
        """The sets at the least tolerance that makes at most so many moves, and that tolerance (see ``at``).

        Returns:
            None where even racks alone take more, or where a plan was not found.
        """
        found: dict[int, Rebalanced | None] = {}

        def holds(tolerance: int) -> bool:
            if tolerance not in found:
                found[tolerance] = self.at(tolerance)
            return (made := found[tolerance]) is not None and self.sets.moves(made) <= most

        loads = self.sets.loads[self.sets.targets]
        widest = max(1, int(np.ptp(loads)))
        # Where racks are no matter the first guess is right, and its neighbour shows it.
        at, least = self._least_within(most), None
        if holds(at):
            fewer = _first(0, at - 1, lambda less: less == at - 1 or not holds(at - 1 - less))
            least = at - (fewer or 0)
        else:
            least = _first(at + 1, 2 * widest, holds)
        if least is not None and (made := found[least]) is not None:
            return made, least
        racks_alone = self.at(None)
        return None if racks_alone is None or self.sets.moves(racks_alone) > most else (racks_alone, None)

    def tolerances(self, moves: Sequence[int], fullest: int) -> list[int]:
        """Tolerances for ``at``, descending; told from the loads alone, as if racks were no matter.

        Args:
            moves: of each number, the tolerance that makes about so many.
            fullest: and the one that makes the fewest moves after which no broker has more replicas.
        """
        loads = self.sets.loads[self.sets.targets]
        widest = max(1, int(np.ptp(loads)))
        chosen = {self._least_within(most) for most in moves}
        at = _first(1, widest, lambda one: _worth_moving(loads, widest + 1 - one)[1] <= fullest)
        return sorted(chosen if at is None else {*chosen, widest + 1 - at}, reverse=True)

    def _least_within(self, most: int) -> int:
        """The least tolerance that makes at most so many moves, where racks are no matter."""
        loads = self.sets.loads[self.sets.targets]
        widest = max(1, int(np.ptp(loads)))
        return _first(1, widest, lambda one: _worth_moving(loads, one)[0] <= most) or widest

    def networks(self) -> Iterator[Pools | _Each]:
        """The networks to try, the quicker one first."""
        own = self.sets.task.needed.size * self.sets.task.targets.size
        if own > self.own_arcs:
            yield self._pools
        if own <= _MOST_OWN_ARCS:
            yield self._each

    @cached_property
    def _pools(self) -> Pools:
        return Pools.of(self.sets)

    @cached_property
    def _each(self) -> _Each:
        return _Each(self.sets)


def _worth_moving(loads: _Ints, tolerance: int) -> tuple[int, int, int]:
    """(moves, fullest, emptiest) once replicas went from the fullest to the emptiest while those differ by more.

    The k-th replica to go leaves from the k-th highest place above some level, and takes the k-th lowest below another.
    """

    def above(level: int) -> int:
        return int((loads - level).clip(min=0).sum())

    def below(level: int) -> int:
        return int((level - loads).clip(min=0).sum())

    low, high = int(loads.min(initial=0)), int(loads.max(initial=0))
    while low < high:  # the least level above which no more sit than there is room for below
        middle = (low + high) // 2
        if above(middle) <= below(middle - tolerance + 1):
            high = middle
        else:
            low = middle + 1
    moves = max(above(low), min(above(low - 1), below(low - tolerance)))
    return moves, low - (above(low - 1) <= moves), low - tolerance


def _window(sets: Sets, flow: Callable[[int, int, bool], object | None]) -> tuple[int, int] | None:
    """The greatest least load and the least greatest one; None where even the widest window cannot be reached."""
    total = sets.total
    low, rest = divmod(total, int(sets.targets.sum()))
    high = low + (rest > 0)
    if flow(low, high, False) is not None:
        return low, high
    top = _first(high, total, lambda most: flow(0, most, False) is not None)
    if top is None:
        return None
    short = _first(0, low, lambda less: flow(low - less, top, False) is not None)
    return None if short is None else (low - short, top)


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int | None:
    """The least number from ``low`` to ``high`` of which it holds, as it does of all above; None where of none."""
    step = 1
    at = low
    while at < high and not holds(at):  # it lies near the beginning, as a rule
        low, at, step = at + 1, min(high, at + step), 2 * step
    if at >= high and not holds(high):
        return None
    high = min(at, high)
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


class _Each:
    """The network with each partition's own arcs: exact, and small enough for small layouts only."""

    def __init__(self, sets: Sets) -> None:
        self._sets = sets
        task, choice = sets.task, sets.choice
        self._rows = np.flatnonzero(task.needed)
        group = choice.group[self._rows]
        self._base, self._extra = choice.base[group], choice.extra[group]
        self._open = choice.open_racks[group]
        count, brokers = len(self._rows), task.targets
        held = np.zeros((count, len(sets.targets) + 1), np.int8)
        np.put_along_axis(held, task.staying[self._rows].astype(np.int64), 2, axis=1)
        loose = np.where(sets.loose, sets.lists, NONE)[self._rows].astype(np.int64)
        np.put_along_axis(held, loose, 1, axis=1)
        self._held = held[:, brokers]
        self._row, self._at = np.nonzero(self._held != 2)
        self._holds = self._held[self._row, self._at] == 1

    def flow(self, low: Load, high: Load, cost: bool, tolerance: int | None = None) -> _Ints | None:
        """(m,) whether each (partition, broker) that may be is; None where no sets have such loads."""
        sets, task = self._sets, self._sets.task
        count, racks = len(self._rows), sets.racks
        network = Network()
        rows, cells = network.nodes(count), network.nodes(count * racks).reshape(count, racks)
        brokers, sink = network.nodes(task.targets.size), network.nodes(1)
        network.supply(rows, self._extra)
        network.supply(cells, self._base)
        row, rack = np.nonzero(self._open)
        network.arcs(rows[row], cells[row, rack])
        fixed = sets.loads[task.targets] - (self._held == 1).sum(axis=0)
        loads = fixed.astype(np.int64)
        total = int(task.needed.sum())
        price = hang_levels(network, (brokers, sink), loads, (low, high), cost=cost, tolerance=tolerance)
        network.supply(sink, -total)
        tails = cells[self._row, sets.rack[task.targets[self._at]]]
        sits = network.arcs(tails, brokers[self._at], 1, np.where(self._holds, 0, price))
        if cost and sets.size is not None and (largest := np.nanmax(sets.size, initial=0)) > 0:
            amounts = np.nan_to_num(sets.size[self._rows][self._row] / largest, nan=1.0)
            network.prefer(sits, np.where(self._holds, 0.0, amounts), total)
        solved = network.solve() if cost else network.route()
        return None if solved is None else solved[sits]

    def realised(self, low: Load, high: Load, tolerance: int | None = None) -> Rebalanced | None:
        """The sets of the flow with the fewest moves, or with moves and levels weighed."""
        sets, solved = self._sets, self.flow(low, high, True, tolerance)
        if solved is None:
            return None
        sits = solved > 0
        goes, comes = ~sits & self._holds, sits & ~self._holds
        changed = np.unique(self._row[comes])
        rows = self._rows[changed]
        brokers = sets.task.targets[self._at]
        lists = sets.lists[rows].copy()
        place = np.full(len(self._rows), NONE)
        place[changed] = np.arange(changed.size)
        leaves = np.zeros((changed.size, len(sets.targets) + 1), np.bool_)
        leaves[place[self._row[goes]], brokers[goes]] = True
        row, column = sets.going
        leaves[np.searchsorted(rows, row), sets.lists[row, column]] = True
        row, column = np.nonzero(np.take_along_axis(leaves, lists.astype(np.int64), axis=1))
        lists[row, column] = brokers[comes]  # both by row, as many in each
        return Rebalanced(rows, lists, relaxed=False)
