"""The network with each partition's own arcs: exact, and small enough for small layouts only.

How: a partition's replicas are dealt by levels: as many racks as hold more than l replicas in a set that is as diverse
as it is to be take one from level l, so that no set that is less diverse can be dealt, and every other can (Gale and
Ryser). From its rack a replica goes to a broker, at a price where it is not there today. Where racks are in
regions, each further replica of a region, and then of a rack, costs more than all that comes after them, and a flow
that does not cost the least that racks can is none.

Complexity: a flow of O(n (L K + B)) arcs for L levels. Source: H. J. Ryser, "Combinatorial properties of matrices of
zeros and ones", 1957.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, FloatArray, Longs
from reseat.planning.solve.alike import Kinds
from reseat.planning.solve.flow import Network
from reseat.planning.solve.levels import Levels
from reseat.planning.solve.problem import Found, Problem

__all__ = ["PartitionArcs"]


@dataclass(frozen=True, eq=False)
class PartitionArcs:
    """The exact network of a problem."""

    problem: Problem

    @cached_property
    def _rows(self) -> Longs:
        """(m,) partitions of which something may move, or must come."""
        return np.flatnonzero(self.problem.movable.any(axis=1) | (self.problem.need > 0))

    @cached_property
    def _targets(self) -> Longs:
        return np.flatnonzero(self.problem.targets)

    @cached_property
    def _held(self) -> npt.NDArray[np.int8]:
        """(m, T) 2 where the partition is for good, or may not be; 1 where it is and may leave; 0 where it may come."""
        problem, rows = self.problem, self._rows
        held = np.zeros((rows.size, len(problem.targets) + 1), np.int8)
        held[:, :-1] = np.where(problem.open_to, 0, 2)[problem.of_class[rows]]
        for mask, mark in ((problem.movable[rows], 1), ((problem.lists[rows] != NONE) & ~problem.movable[rows], 2)):
            np.put_along_axis(held, np.where(mask, problem.lists[rows], NONE).astype(np.int64), mark, axis=1)
        return held[:, self._targets]

    @cached_property
    def _sits(self) -> tuple[Longs, Longs, BoolArray]:
        """(a,) rows and targets of every place that may be taken, and whether it is today."""
        row, at = np.nonzero(self._held != 2)
        return row, at, self._held[row, at] == 1

    @cached_property
    def _kinds(self) -> Kinds:
        return Kinds.of_problem(self.problem, self.problem.rack)

    @cached_property
    def _amounts(self) -> FloatArray:
        """(m,) of equal plans those are preferred that move less of this: bytes, or drawn, so that topics share."""
        size, rows = self.problem.size, self._rows
        if size is None or not (largest := np.nanmax(size, initial=0)) > 0:
            return np.random.default_rng(0).random(rows.size)
        return np.nan_to_num(size[rows] / largest, nan=1.0)

    @cached_property
    def _least_rank(self) -> int:
        """What regions and racks cost where loads are no matter."""
        nobody = np.zeros(self._targets.size, np.int64)
        most = nobody + int(self.problem.loads.sum() + self.problem.need.sum())
        return self._flow(Levels(nobody, most))[1]

    def _dealt(
        self, network: Network, cells: Longs, used: BoolArray, total: Longs, unit: int
    ) -> list[tuple[slice, Longs]]:
        """Deal (m,) replicas of each partition over regions and from there over racks; arcs and what each costs."""
        problem, (here, rack) = self.problem, np.nonzero(used)
        deepest = int(total.max(initial=1))
        weight, above, dealt = (deepest**2 + 1) ** len(problem.regions), network.nodes(len(cells)), []
        network.supply(above, total)
        tails = above[here]
        for codes in (*problem.regions, None):
            first, group = np.arange(here.size), np.arange(here.size)
            heads = cells[here, rack]
            if codes is not None:
                of_rack = np.zeros(problem.racks, np.int64)
                of_rack[problem.rack] = codes
                keys = here * (int(codes.max(initial=0)) + 1) + of_rack[rack]
                _, first, group = np.unique(keys, return_index=True, return_inverse=True)
                heads = network.nodes(first.size)
            cost = np.broadcast_to(weight * (2 * np.arange(deepest) + 1), (first.size, deepest))
            dealt.append((network.arcs(tails[first][:, None], heads[:, None], 1, unit * cost), cost.ravel()))
            tails, weight = heads[group], weight // (deepest**2 + 1)
        return dealt

    def flow(self, levels: Levels) -> Longs | None:
        """(a,) whether each place is taken; None where no sets have such loads."""
        taken, rank = self._flow(levels)
        return None if self.problem.regions and rank > self._least_rank else taken

    def _flow(self, levels: Levels) -> tuple[Longs | None, int]:
        """The same, and what regions and racks cost with it."""
        problem, rows, kinds = self.problem, self._rows, self._kinds
        count, racks = rows.size, problem.racks
        kind = kinds.of[rows]
        row, at, holds = self._sits
        network = Network()
        cells = network.nodes(count * racks).reshape(count, racks)
        brokers, sink = network.nodes(self._targets.size), network.nodes(1)
        fixed = (kinds.held - kinds.movable)[kind]
        network.supply(cells, -fixed)
        used = fixed > 0
        used[row, problem.rack[self._targets[at]]] = True
        total, ranked = kinds.held[kind].sum(axis=1) + kinds.need[kind], []
        if problem.regions:
            # A circle that improves passes each broker once, and what takes their loads once.
            width = int(levels.high.max(initial=0) - levels.low.min(initial=0))
            unit = 2 * len(self._targets) * levels.move + levels.square * (2 * width + 1) + 1
            ranked = self._dealt(network, cells, used, total, unit)
        else:
            dealt = kinds.levels[kind]
            steps = network.nodes(dealt.size).reshape(dealt.shape)
            network.supply(steps, dealt)
            here, rack = np.nonzero(used)
            tails = steps[here]
            network.arcs(tails, np.broadcast_to(cells[here, rack][:, None], tails.shape))
        loads = problem.loads[self._targets]
        levels.hang(network, brokers, sink, loads)
        movable = (self._held == 1).sum(axis=0)
        network.supply(brokers, -movable)  # what may leave comes over its partition's arcs, or does not
        network.supply(sink, -int(problem.need.sum()))
        doors = brokers
        if problem.room is not None:
            doors = network.nodes(self._targets.size)
            network.arcs(doors, brokers, problem.room[self._targets])
        tails = cells[row, problem.rack[self._targets[at]]]
        sits = network.arcs(tails, np.where(holds, brokers[at], doors[at]), 1, np.where(holds, 0, levels.move))
        priced = levels.move or levels.square
        if priced:
            network.prefer(sits, np.where(holds, 0.0, self._amounts[row]), int(total.sum() - fixed.sum()))
        solved = network.solve() if priced or ranked else network.route()
        if solved is None:
            return None, 0
        return solved[sits], sum(int(solved[arcs] @ cost) for arcs, cost in ranked)

    def loads(self, solved: Longs) -> Longs:
        """(B,) replicas on each broker after a flow."""
        after, (_, at, holds) = self.problem.loads.copy(), self._sits
        np.add.at(after, self._targets[at], (solved > 0).astype(np.int64) - holds)
        return after

    def realised(self, solved: Longs) -> Found:
        """The sets of a flow."""
        problem, targets = self.problem, self._targets
        row, at, holds = self._sits
        sits = solved > 0
        goes, comes = ~sits & holds, sits & ~holds
        changed = np.unique(row[goes | comes])
        rows = self._rows[changed]
        place = np.full(len(self._rows), NONE)
        place[changed] = np.arange(changed.size)
        leaves = np.zeros((changed.size, len(problem.targets) + 1), np.bool_)
        leaves[place[row[goes]], targets[at[goes]]] = True
        vacated = np.take_along_axis(leaves, problem.lists[rows].astype(np.int64), axis=1)
        if problem.out is not None:
            vacated |= problem.out[rows]
        count = np.bincount(place[row[comes]], minlength=changed.size)
        came = np.full((changed.size, int(count.max(initial=0))), NONE, np.int32)
        nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        came[place[row[comes]], nth] = targets[at[comes]]  # both by row
        return Found(rows, problem.filled(rows, vacated, came)).in_order(problem)
