"""The relaxed network of a rebalance: replicas go from brokers into the pools of racks, and from there to brokers.

How, and source: see ``rebalancing``, which asks it first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray
from reseat.model.arrays import on_brokers
from reseat.planning.solve.flow import UNBOUNDED, Network
from reseat.planning.solve.replica_sets import Load, Rebalanced, Sets, hang_levels
from reseat.planning.solve.rounding import Seating, as_columns, dealt, repair_conflicts

__all__ = ["Pools"]

_Ints = npt.NDArray[np.int64]
#: Cells of the (partitions, racks) tables held at a time.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class _PoolFlow:
    """What moves.

    Attributes:
        regular: (B, K) replicas of partitions at their best on racks that leave a broker for a rack.
        leaving: (m,) replicas of the others that leave, in the order of their arcs.
        entering: (V, K) replicas of the others that enter a rack.
        received: (B,) replicas that each broker receives.
    """

    regular: _Ints
    leaving: _Ints
    entering: _Ints
    received: _Ints


@dataclass(frozen=True, eq=False)
class Pools:
    """The relaxed network.

    Attributes:
        sets: the replica sets.
        uneven: (V,) partitions that are not at their best on racks, and those of which replicas must go.
        inside: (V, K) their replicas in each rack, without those that must go.
        able: (B, K) replicas of the others that may leave a broker for a rack.
    """

    sets: Sets
    uneven: _Ints
    inside: _Ints
    able: _Ints

    @classmethod
    def of(cls, sets: Sets) -> Pools:
        """Count what may go where."""
        count, racks, brokers = len(sets.lists), sets.racks, len(sets.targets)
        able = np.zeros((brokers, racks), np.int64)
        uneven: list[_Ints] = []
        inside_of: list[_Ints] = [np.zeros((0, racks), np.int64)]
        step = max(1, _CELLS // racks)
        for first in range(0, count, step):
            part = slice(first, first + step)
            inside, room, bad = _in_racks(sets, part)
            uneven.append(first + np.flatnonzero(bad))
            inside_of.append(inside[bad])
            lists, loose = sets.lists[part], sets.loose[part] & ~bad[:, None]
            for column in range(lists.shape[1]):
                row = np.flatnonzero(loose[:, column])
                broker = lists[row, column]
                order = np.argsort(broker, kind="stable")
                row, broker = row[order], broker[order]
                if not row.size:
                    continue
                enters = _may_enter(inside[row], room[row], sets.rack[broker])
                givers, runs = np.unique(broker, return_index=True)
                able[givers] += np.add.reduceat(enters, runs, axis=0, dtype=np.int64)
        which = np.concatenate(uneven) if uneven else np.empty(0, np.int64)
        return cls(sets, which, np.concatenate(inside_of), able)

    def flow(self, low: Load, high: Load, cost: bool, tolerance: int | None = None) -> _PoolFlow | None:
        """The relaxed flow, of least cost or any; None where there is none."""
        sets, task, choice = self.sets, self.sets.task, self.sets.choice
        network, racks = Network(), sets.racks
        brokers, pools, sink = network.nodes(task.targets.size), network.nodes(racks), network.nodes(1)
        price = hang_levels(
            network, (brokers, sink), sets.loads[task.targets], (low, high), cost=cost, tolerance=tolerance
        )
        place = np.full(len(sets.targets) + 1, NONE, np.int64)
        place[task.targets] = np.arange(task.targets.size)
        giver, rack = np.nonzero(self.able[task.targets])
        out = network.arcs(brokers[giver], pools[rack], self.able[task.targets][giver, rack], price)
        into = network.arcs(pools[sets.rack[task.targets]], brokers, UNBOUNDED)
        # A partition that is not at its best: replicas leave for its cells, a cell a rack, and enter racks from there;
        # its hub keeps one more in some of the open ones.
        cells = network.nodes(len(self.uneven) * racks).reshape(-1, racks)
        hubs = network.nodes(len(self.uneven))
        row, column = self._may_leave()
        holder = sets.lists[self.uneven[row], column]
        network.supply(sink, -sets.going[0].size)
        leave = network.arcs(brokers[place[holder]], cells[row, sets.rack[holder]], 1, price)
        group = choice.group[self.uneven]
        fixed = np.zeros((len(self.uneven), racks), np.int64)
        frow, fcolumn = np.nonzero(sets.fixed[self.uneven])
        np.add.at(fixed, (frow, sets.rack[sets.lists[self.uneven[frow], fcolumn]]), 1)
        least = fixed + choice.base[group]
        # What leaves a rack in the end: all above the least, or one fewer in as many open racks as there are extras.
        over = self.inside - least
        network.supply(cells, -over)
        network.supply(hubs, choice.extra[group])
        srow, srack = np.nonzero(choice.open_racks[group])
        network.arcs(hubs[srow], cells[srow, srack], 1)
        enter = network.arcs(cells, pools, UNBOUNDED)
        solved = network.solve() if cost else network.route()
        if solved is None:
            return None
        regular = np.zeros(self.able.shape, np.int64)
        regular[task.targets[giver], rack] = solved[out]
        received = np.zeros(len(sets.targets), np.int64)
        received[task.targets] = solved[into]
        return _PoolFlow(regular, solved[leave], solved[enter].reshape(over.shape), received)

    def realised(self, low: Load, high: Load, tolerance: int | None = None) -> Rebalanced | None:
        """The sets that the cheapest flow means; None where no partitions and brokers were found for it."""
        flow = self.flow(low, high, True, tolerance)
        if flow is None:
            return None
        regular = self._picked(flow.regular)
        if regular is None:
            return None
        sets, racks = self.sets, self.sets.racks
        row, column = self._may_leave()
        left = flow.leaving > 0
        rows = np.concatenate([regular[0], self.uneven[row[left]], sets.going[0]])
        columns = np.concatenate([regular[1], column[left], sets.going[1]])
        entering_row, entering_rack = np.nonzero(flow.entering)
        times = flow.entering[entering_row, entering_rack]
        unit_row = np.concatenate([regular[0], np.repeat(self.uneven[entering_row], times)])
        unit_pool = np.concatenate([regular[2], np.repeat(entering_rack, times)])
        changed = np.unique(rows)
        lists = sets.lists[changed].copy()
        vacated = np.zeros(lists.shape, np.bool_)
        vacated[np.searchsorted(changed, rows), columns] = True
        order = np.lexsort((unit_row, unit_pool))
        unit_row, unit_pool = np.searchsorted(changed, unit_row[order]), unit_pool[order]
        seats = [
            dealt(inside, flow.received[inside])
            for k in range(racks)
            if (inside := np.flatnonzero(sets.targets & (sets.rack == k))).size
        ]
        seating = Seating(unit_row, unit_pool, np.concatenate(seats))
        needed = vacated.sum(axis=1).astype(np.int64)
        task = replace(sets.task, staying=np.where(vacated, NONE, lists).astype(np.int32), needed=needed)
        if not repair_conflicts(task, seating, racks, np.arange(len(sets.targets), dtype=np.int32)):
            return None
        newcomers = as_columns(seating, needed)
        nth = np.cumsum(vacated, axis=1) - 1
        at, slot = np.nonzero(vacated)
        lists[at, slot] = newcomers[at, nth[at, slot]]
        return Rebalanced(changed, lists, relaxed=True)

    def _may_leave(self) -> tuple[_Ints, _Ints]:
        """(m,) partitions of ``uneven``, by number there, and columns of what may leave but need not."""
        sets = self.sets
        loose = sets.loose[self.uneven]
        row, column = np.nonzero(loose if sets.out is None else loose & ~sets.out[self.uneven])
        return row, column

    def _picked(self, flow: _Ints) -> tuple[_Ints, _Ints, _Ints] | None:
        """(n,) rows, columns and racks to enter of the replicas that leave partitions at their best, a row once."""
        sets, nothing = self.sets, np.empty(0, np.int64)
        gives: BoolArray = flow.sum(axis=1) > 0
        if not gives.any():
            return nothing, nothing, nothing
        width = sets.lists.shape[1]
        leaves = on_brokers(np.where(sets.loose, sets.lists, NONE), gives)
        leaves[self.uneven] = False
        flat = np.flatnonzero(leaves)
        giver = sets.lists[flat // width, flat % width]
        order = np.argsort(giver, kind="stable")
        flat, giver = flat[order], giver[order]
        first = np.searchsorted(giver, np.arange(len(sets.targets) + 1))
        used = np.zeros(len(sets.lists), np.bool_)
        picked: list[_Ints] = [nothing]
        pools: list[_Ints] = [nothing]
        # Those with the least choice first.
        broker, goal = np.nonzero(flow)
        spare = self.able[broker, goal] - flow[broker, goal]
        for one in np.argsort(spare, kind="stable").tolist():
            a, k = int(broker[one]), int(goal[one])
            mine = flat[first[a] : first[a + 1]]
            mine = mine[~used[mine // width]]
            inside, room, _ = _in_racks(sets, mine // width)
            able = mine[_may_enter(inside, room, np.full(mine.size, sets.rack[a]))[:, k]]
            count = int(flow[a, k])
            if able.size < count:
                return None
            if sets.size is None:
                able = able[np.linspace(0, able.size - 1, count).astype(np.int64)]  # so that no topic gives everything
            else:
                able = able[np.argsort(sets.size[able // width], kind="stable")[:count]]
            used[able // width] = True
            picked.append(able)
            pools.append(np.full(count, k))
        at = np.concatenate(picked)
        return at // width, at % width, np.concatenate(pools)


def _in_racks(sets: Sets, part: slice | _Ints) -> tuple[_Ints, BoolArray, BoolArray]:
    """(n, K) replicas in each rack, whether it has a broker left that may take one, (n,) not at their best on racks."""
    lists, loose, racks = sets.lists[part], sets.loose[part], sets.racks
    stays = lists != NONE if sets.out is None else (lists != NONE) & ~sets.out[part]
    row, column = np.nonzero(stays)
    broker = lists[row, column]
    cell = row * racks + sets.rack[broker]
    inside = np.bincount(cell, minlength=len(lists) * racks).reshape(len(lists), racks)
    taken = np.bincount(cell[sets.targets[broker]], minlength=len(lists) * racks).reshape(len(lists), racks)
    room = np.bincount(sets.rack[sets.targets], minlength=racks) > taken
    lowest = np.where(room, inside, UNBOUNDED).min(axis=1)
    own = np.where(loose, np.take_along_axis(inside, sets.rack[lists].astype(np.int64), axis=1), 0)
    bad: BoolArray = own.max(axis=1, initial=0) > lowest + 1
    return inside, room, bad if sets.out is None else bad | sets.out[part].any(axis=1)


def _may_enter(inside: _Ints, room: BoolArray, own: npt.NDArray[np.integer]) -> BoolArray:
    """(m, K) racks that a replica in rack ``own`` (m,) may enter while its partition stays at its best on racks."""
    every = np.arange(len(own))
    enters: BoolArray = inside == (inside[every, own] - 1)[:, None]
    enters[every, own] = True
    return enters & room
