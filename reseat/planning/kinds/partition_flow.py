"""The curve of a small layout, exact: every replica that stays may move, at a price, partition by partition.

Promises, in this order:
    1. A point given is the evenest plan (replica sum of squares over the targets) with so many moves, among all plans
       in which every partition keeps the least rack sum of squares that its replicas can have on the targets.
    2. Where some partition is not as even over racks as it could be, that is another question than the curve's (it
       must not rise, but need not fall): ``points`` then gives nothing.

Needs: a removal small enough to give each partition its own arcs (``MOST_ARCS``).

How: Lagrange. Each newcomer costs ``price`` beside the squares of the loads: partition -> (partition, rack) -> broker
(price where it does not hold the partition today) -> sink with convex level arcs. The flow for a price has the least
``squares + price x moves``; so no plan with as many moves has fewer squares. Small prices buy balance, large prices
save moves. Prices are odd halves of a square, so that a move is never as good as none; the last is so small that all
moves together cost less than a square, which gives the evenest plan of all, with the fewest moves.
A partition's racks hold, in each least sum of squares, everything below one level and then one more in some of the
racks that reach it: the units below are supplied to (partition, rack), the others choose.

Example: loads 6, 2, 1 and one displaced replica. At a price of 99 nothing further moves: 6, 2, 2. At a half one replica
of the first broker goes to each of the others: 4, 3, 3.

Complexity: O(P (T + K)) arcs for P partitions, T targets and K racks, one min-cost flow a price.
Source: H. Everett, "Generalized Lagrange multiplier method", 1963; R. K. Ahuja, T. L. Magnanti, J. B. Orlin, "Network
Flows", 1993, chapters 14 and 16.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, CurvePoint, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.kinds.remove import Removal
from reseat.planning.proposal import bytes_to_copy
from reseat.planning.solve.flow import Network
from reseat.planning.solve.rack_choice import effective_racks

__all__ = ["MOST_ARCS", "Exact", "points"]

_Ints = npt.NDArray[np.int64]

#: Larger networks take more than a tenth of a second a price.
MOST_ARCS = 120_000
#: Prices tried: half the largest, half of that, and so on, down to half a square; then next to nothing.
_MOST_PRICES = 9


@dataclass(frozen=True, eq=False)
class Exact:
    """A point and the lists that reach it.

    Attributes:
        point: moves, sum of squares and spread.
        rows: (n,) partitions whose members change, ascending.
        lists: (n, R) their lists, newcomers in the vacated places.
    """

    point: CurvePoint
    rows: _Ints
    lists: IntArray


def points(removal: Removal) -> tuple[Exact, ...]:
    """The evenest plans at falling prices of a move, by ascending moves, from the fewest to the evenest of all.

    Returns:
        Nothing where the layout is too large, or a partition is not as even over racks as its replicas could be.
    """
    network = _Partitions.of(removal)
    if network is None:
        return ()
    found: dict[int, Exact] = {}
    # Above four times the largest difference of loads no further move is worth its price.
    top = 4 * (int(removal.kept[removal.targets].max(initial=0)) + removal.displaced) + 5
    halves = sorted({1, *((top >> step) | 1 for step in range(_MOST_PRICES))}, reverse=True)
    unit = int(network.movable.sum()) + 1
    for price in (*(half * unit for half in halves), 1):
        exact = network.solved(price, 2 * unit)
        if exact is None:
            return ()
        found.setdefault(exact.point.moves, exact)
    return tuple(found[moves] for moves in sorted(found))


@dataclass(frozen=True, eq=False)
class _Partitions:
    """The network in columns: P partitions, K racks, T targets, B brokers.

    Attributes:
        removal: what leaves.
        targets: (T,) positions of the brokers that may hold what moves.
        rack: (B,) rack numbers; all 0 where racks do not count.
        movable: (P,) replicas that must move or may.
        forced: (P, K) of them, those that each rack holds in every best choice of racks.
        choosing: (P, K) bool, racks that can hold one more.
        holds: (P, T) bool, targets that hold the partition today.
    """

    removal: Removal
    targets: _Ints
    rack: _Ints
    movable: _Ints
    forced: _Ints
    choosing: npt.NDArray[np.bool_]
    holds: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, removal: Removal) -> _Partitions | None:
        layout = removal.layout
        targets = np.flatnonzero(removal.targets)
        count = layout.partition_count
        numbers, on = effective_racks(layout)
        rack = numbers.astype(np.int64) if on else np.zeros(len(layout.brokers), np.int64)
        racks = int(rack.max(initial=0)) + 1
        if not targets.size or count * (targets.size + racks) > MOST_ARCS:
            return None
        if on_brokers(layout.replicas[removal.pinned], removal.targets).any():
            return None  # loads are the flow's alone: it does not know of replicas that targets hold and cannot give
        held = np.zeros((count, len(layout.brokers) + 1), np.bool_)
        np.put_along_axis(held, removal.open_replicas.astype(np.int64), True, axis=1)
        held = held[:, :-1]
        stuck = held & ~removal.targets & ~removal.leaving  # on dead brokers: they stay where they are
        by_rack = np.zeros((len(layout.brokers), racks), np.int64)
        by_rack[np.arange(len(layout.brokers)), rack] = 1
        fixed = stuck.astype(np.int64) @ by_rack
        room = np.broadcast_to(removal.targets.astype(np.int64) @ by_rack, (count, racks))
        movable = held.sum(axis=1) - stuck.sum(axis=1)
        best = _filled(fixed, room, movable)
        kept = (held & removal.targets).astype(np.int64) @ by_rack + fixed
        must = _filled(kept, room - (kept - fixed), movable - (kept - fixed).sum(axis=1))
        if ((best**2).sum(axis=1) < (must**2).sum(axis=1)).any():
            return None
        level = np.where(best > fixed, best, 0).max(axis=1, keepdims=True)  # the highest that any rack is filled to
        forced = np.clip(np.minimum(level - 1, fixed + room) - fixed, 0, None)
        choosing = (fixed < level) & (fixed + room >= level)
        return cls(removal, targets, rack, movable, forced, choosing, held[:, targets])

    def solved(self, price: int, weight: int) -> Exact | None:
        """The plan with the least ``weight x squares + price x moves``, or None where there is no plan."""
        count, racks = self.forced.shape
        network = Network()
        partitions, cells = network.nodes(count), network.nodes(count * racks).reshape(count, racks)
        brokers, sink = network.nodes(self.targets.size), network.nodes(1)
        network.supply(partitions, self.movable - self.forced.sum(axis=1))
        network.supply(cells.ravel(), self.forced.ravel())
        network.supply(sink, -int(self.movable.sum()))
        row, rack = np.nonzero(self.choosing)
        network.arcs(partitions[row], cells[row, rack])
        tails = cells[:, self.rack[self.targets]]
        heads = np.broadcast_to(brokers, tails.shape)
        sits = network.arcs(tails.ravel(), heads.ravel(), 1, np.where(self.holds, 0, price).ravel())
        highest = int(min(self.movable.sum(), self.removal.kept.max(initial=0) + self.removal.displaced)) + 1
        levels = np.arange(highest)
        network.arcs(np.repeat(brokers, highest), sink, 1, np.tile(weight * (2 * levels + 1), self.targets.size))
        flow = network.solve()
        if flow is None:
            return None
        return self._exact(flow[sits].reshape(count, -1) > 0)

    def _exact(self, sits: npt.NDArray[np.bool_]) -> Exact:
        layout, removal = self.removal.layout, self.removal
        comes = sits & ~self.holds
        stays = np.zeros((layout.partition_count, len(layout.brokers) + 1), np.bool_)
        stays[:, self.targets] = sits & self.holds
        dead = np.flatnonzero(~removal.targets & ~removal.leaving)
        stays[:, dead] = True
        rows = np.flatnonzero(comes.any(axis=1))
        lists = layout.replicas[rows].copy()
        vacated = (lists != NONE) & ~np.take_along_axis(stays[rows], lists.astype(np.int64), axis=1)
        row, column = np.nonzero(vacated)
        _, seat = np.nonzero(comes[rows])  # both in the order of rows, as many in each
        lists[row, column] = self.targets[seat]
        loads = sits.sum(axis=0)
        point = CurvePoint(
            int(comes.sum()),
            int((loads.astype(np.int64) ** 2).sum()),
            int(np.ptp(loads)),
            bytes_to_move=bytes_to_copy(layout, rows, lists),
        )
        return Exact(point, rows, lists)


def _filled(start: _Ints, room: _Ints, units: _Ints) -> _Ints:
    """(P, K) counts once each partition's units went, one by one, to its emptiest rack with room: least squares."""
    counts, left = start.copy(), room.copy()
    everyone = np.arange(len(start))
    for nth in range(int(units.max(initial=0))):
        goal = np.where(left > 0, counts, np.iinfo(np.int64).max).argmin(axis=1)
        adds = (units > nth) & (left[everyone, goal] > 0)
        counts[everyone[adds], goal[adds]] += 1
        left[everyone[adds], goal[adds]] -= 1
    return counts
