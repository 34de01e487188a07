"""Further moves of a removal as one network for the whole layout: the evenest for each number of moves.

How, and source: see ``curve``, which offers its points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, CurvePoint, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.kinds.remove import Removal
from reseat.planning.proposal import bytes_to_copy
from reseat.planning.solve.flow import Network, fill
from reseat.planning.solve.rack_choice import RackChoice, Task, effective_racks, rack_choice, rack_of_each, situations
from reseat.planning.solve.rounding import Seating, as_columns, dealt, repair_conflicts

__all__ = ["PointPlan", "RemovalNetwork"]

_Ints = npt.NDArray[np.int64]
#: Above this many racks they are not told apart: one pool, and racks are kept by swapping.
_MANY_RACKS = 64


@dataclass(frozen=True, eq=False)
class PointPlan:
    """A point of the curve, and the lists that reach it: ``lists[i]`` is that of partition ``rows[i]``."""

    point: CurvePoint
    rows: _Ints
    lists: IntArray


@dataclass(frozen=True, eq=False)
class RemovalNetwork:
    """The aggregated network of a removal.

    Attributes:
        removal: what leaves.
        pools: (B,) the rack of each broker, or 0 for all where racks are not told apart.
        key: (B,) what a partition may not have twice in a pool: brokers, or racks where pools are not racks.
        task: the displaced replicas.
        choice: their best racks; None in one pool.
        crossing: (K, K) replicas that could go from one rack to another without a rise.
    """

    removal: Removal
    pools: _Ints
    key: IntArray
    task: Task
    choice: RackChoice | None
    crossing: _Ints

    @classmethod
    def of(cls, removal: Removal) -> RemovalNetwork:
        """The network of a removal."""
        layout = removal.layout
        rack, on = effective_racks(layout)
        racks = int(rack.max()) + 1
        is_target = removal.targets
        task = Task(
            staying=removal.staying,
            needed=removal.needed,
            rack=rack,
            loads=removal.kept,
            targets=np.flatnonzero(is_target),
            is_target=is_target,
            room=np.full(rack.size, 1 << 40),
        )
        if not on or racks > _MANY_RACKS:
            pools = np.zeros(rack.size, np.int64)
            return cls(removal, pools, rack, task, None, np.zeros((1, 1), np.int64))
        kinds, group = situations(task) if removal.rows.size else (np.empty((0, 2), np.int64), np.empty(0, np.int64))
        choice = rack_choice(task, kinds, group, racks)
        own = np.arange(rack.size, dtype=np.int32)
        return cls(removal, rack.astype(np.int64), own, task, choice, _crossing(removal, rack, choice, racks))

    def most(self) -> int:
        """Further moves after which nothing is evener."""
        flow = self._solve(None)
        return 0 if flow is None else flow.further

    def points(self, further: int) -> PointPlan | None:
        """The best plan with at most so many further moves, or None where it is not found exactly."""
        flow = self._solve(further)
        return None if flow is None else self._realised(flow)

    # ---- the network ---------------------------------------------------------------------------------------

    def _solve(self, further: int | None) -> _Flow | None:
        racks, targets = len(self.crossing), self.task.targets
        loads, pool = self.task.loads[targets], self.pools[targets]
        entering = np.zeros((0, racks), np.int64) if self.choice is None else self._forced()
        network = Network()
        into, out_of = network.nodes(racks), network.nodes(racks)
        hub, sink = network.nodes(1), network.nodes(1)
        displaced = self.removal.displaced
        if self.choice is None:
            groups = options = np.empty(0, np.int64)
            network.supply(into, displaced)
        else:
            sources = network.nodes(len(self.choice.size))
            groups, options = np.nonzero(self.choice.open_racks)
            network.supply(sources, self.choice.size * self.choice.extra)
            network.supply(into, entering.sum(axis=0))
        network.supply(sink, -displaced)
        entry = slice(0, 0)
        if groups.size and self.choice is not None:
            entry = network.arcs(sources[groups], into[options], self.choice.size[groups])
        limit = self.removal.layout.replica_count if further is None else further
        loop = network.arcs(sink, hub, limit, 1)
        # Nobody needs to fall below the emptiest, nor to rise above what the displaced replicas alone could do to a
        # rack: further moves go from fuller brokers to emptier ones.
        highest = self._highest(entering)
        down = self._level_arcs(loads, pool, int(loads.min()), int(loads.max()))
        lower = network.arcs(hub, out_of[down.pool], down.capacity, -(2 * down.level + 1))
        same = network.arcs(out_of, into, limit)
        start, end = np.nonzero(self.crossing)
        cross = network.arcs(out_of[start], into[end], self.crossing[start, end])
        up = self._level_arcs(loads, pool, int(loads.min()), highest, rising=True)
        upper = network.arcs(into[up.pool], sink, up.capacity, 2 * up.level + 1)
        flow = network.solve()
        if flow is None:
            return None
        moved = np.zeros((racks, racks), np.int64)
        moved[start, end] = flow[cross]
        np.fill_diagonal(moved, flow[same])
        sent = np.zeros((0 if self.choice is None else len(self.choice.size), racks), np.int64)
        if groups.size:
            sent[groups, options] = flow[entry]
        further = int(flow[loop][0])
        gain = int((flow[lower] * -(2 * down.level + 1)).sum() + (flow[upper] * (2 * up.level + 1)).sum())
        return _Flow(further, int((loads**2).sum()) + gain, moved, sent)

    def _highest(self, entering: _Ints) -> int:
        targets, highest = self.task.targets, 0
        most = np.array([self.removal.displaced], np.int64)
        if self.choice is not None:
            most = entering.sum(axis=0) + self.choice.size @ self.choice.open_racks
        for k, count in enumerate(most.tolist()):
            loads = self.task.loads[targets[self.pools[targets] == k]]
            if loads.size:
                highest = max(highest, int((loads + fill(loads, count)).max()))
        return highest

    def _forced(self) -> _Ints:
        if self.choice is None:
            return np.zeros((0, len(self.crossing)), np.int64)
        forced: _Ints = self.choice.size[:, None] * self.choice.base.astype(np.int64)
        return forced

    def _level_arcs(self, loads: _Ints, pool: _Ints, low: int, high: int, *, rising: bool = False) -> _Levels:
        """For each pool and level l in [low, high): its brokers that pass from l to l + 1 (or back)."""
        racks, span = len(self.crossing), max(0, high - low)
        held = np.zeros((racks, span + 1), np.int64)
        np.add.at(held, (pool, np.clip(loads - low, 0, span)), 1)
        at_most = np.cumsum(held, axis=1)
        count = at_most[:, :-1] if rising else at_most[:, -1:] - at_most[:, :-1]
        where, level = np.nonzero(count)
        return _Levels(where, level + low, count[where, level])

    # ---- from the network to lists -------------------------------------------------------------------------

    def _realised(self, flow: _Flow) -> PointPlan | None:
        removal, task = self.removal, self.task
        extra = self._leavers(flow.moved)
        if extra is None:
            return None
        rows, columns, pools = extra
        if self.choice is None:
            first = np.repeat(np.arange(task.needed.size), task.needed)
            first_pool = np.zeros(first.size, np.int64)
        else:
            first, first_pool = rack_of_each(self.choice, flow.sent)
        lists = np.concatenate([removal.lists, removal.layout.replicas[rows]])
        vacated = np.concatenate([removal.goes, np.zeros((rows.size, lists.shape[1]), np.bool_)])
        vacated[task.needed.size + np.arange(rows.size), columns] = True
        unit = np.concatenate([first, task.needed.size + np.arange(rows.size)])
        unit_pool = np.concatenate([first_pool, pools])
        order = np.lexsort((unit, unit_pool))
        unit, unit_pool = unit[order], unit_pool[order]
        arriving = np.bincount(unit_pool, minlength=len(self.crossing))
        seats = [
            dealt(inside, fill(task.loads[inside], int(arriving[k])))
            for k in range(len(self.crossing))
            if (inside := task.targets[self.pools[task.targets] == k]).size
        ]
        seating = Seating(unit, unit_pool, np.concatenate(seats))
        whole = replace(
            task,
            staying=np.where(vacated, NONE, lists).astype(np.int32),
            needed=np.concatenate([task.needed, np.ones(rows.size, np.int64)]),
        )
        if not repair_conflicts(whole, seating, len(self.crossing), self.key):
            return None
        newcomers = as_columns(seating, whole.needed)
        nth = np.cumsum(vacated, axis=1) - 1
        row, column = np.nonzero(vacated)
        lists[row, column] = newcomers[row, nth[row, column]]
        loads = task.loads - np.bincount(removal.layout.replicas[rows, columns], minlength=task.rack.size)
        loads = (loads + np.bincount(seating.seat, minlength=task.rack.size))[task.targets]
        every = np.concatenate([removal.rows, rows])
        by_row = np.argsort(every, kind="stable")
        point = CurvePoint(
            moves=removal.displaced + rows.size,
            replica_sum_of_squares=int((loads**2).sum()),
            replica_spread=int(np.ptp(loads)),
            bytes_to_move=bytes_to_copy(removal.layout, every[by_row], lists[by_row]),
        )
        if point.replica_sum_of_squares != flow.squares:
            return None
        received = np.bincount(seating.seat, minlength=task.rack.size)[task.targets]
        if point.replica_spread > 1 and self._may_pass_through(loads, received):
            return None
        return PointPlan(point, every[by_row], lists[by_row])

    def _may_pass_through(self, loads: _Ints, received: _Ints) -> bool:
        """Whether a replica that enters a rack might better make another leave it, which the network prices too high.

        The network adds up what rising and falling brokers of a rack cost. That is right while no broker that rises
        comes up to the fullest of its rack, also by one more; else a broker that receives might as well give.
        """
        pools = self.pools[self.task.targets]
        for k in np.flatnonzero(self.crossing.any(axis=1)).tolist():
            inside = pools == k
            if not inside.any():
                continue
            after, rises = loads[inside], received[inside] > 0
            fullest = int((after - received[inside]).max())
            risen = int(after[rises].max()) if rises.any() else int(after.min())
            if risen + 1 > fullest:
                return True
        return False

    def _leavers(self, moved: _Ints) -> tuple[_Ints, _Ints, _Ints] | None:
        """The replicas that move further: rows, columns, and the pool that each goes to."""
        task, layout = self.task, self.removal.layout
        gives = np.zeros(task.rack.size, np.int64)
        for k in np.flatnonzero(moved.sum(axis=1)).tolist():
            inside = task.targets[self.pools[task.targets] == k]
            # Drained from the top: filling the loads upside down.
            gives[inside] = fill(-task.loads[inside], int(moved[k].sum()), task.loads[inside])
        if not gives.any():
            nothing = np.empty(0, np.int64)
            return nothing, nothing, nothing
        on_giver = on_brokers(self.removal.open_replicas, gives > 0)
        on_giver[self.removal.rows] = False
        width = layout.replicas.shape[1]
        flat = np.flatnonzero(on_giver)
        rows, columns = flat // width, flat % width
        giver = layout.replicas[rows, columns]
        small = giver.astype(np.int16) if task.rack.size < np.iinfo(np.int16).max else giver
        order = np.argsort(small, kind="stable")  # a radix sort, where numbers are small
        rows, columns, giver = rows[order], columns[order], giver[order]
        used = np.zeros(layout.partition_count, np.bool_)
        picked: list[_Ints] = []
        pools: list[_Ints] = []
        first = np.searchsorted(giver, np.arange(task.rack.size + 1))
        left = moved.copy()
        for broker in np.flatnonzero(gives).tolist():
            mine = np.arange(first[broker], first[broker + 1])
            k = int(self.pools[broker])
            missing = int(gives[broker])
            # To other racks first: fewer replicas may go there.
            for goal in [*np.flatnonzero(left[k] * (np.arange(len(left)) != k)).tolist(), k]:
                count = min(missing, int(left[k, goal]))
                if count == 0:
                    continue
                able = mine[~used[rows[mine]]]
                if goal != k:
                    able = able[self._may_cross(rows[able], k, goal)]
                _, once = np.unique(rows[able], return_index=True)
                # Spread over the rows of the broker, so that no topic gives everything.
                able = able[once[np.linspace(0, once.size - 1, min(count, once.size)).astype(np.int64)]]
                used[rows[able]] = True
                picked.append(able)
                pools.append(np.full(able.size, goal))
                left[k, goal] -= able.size
                missing -= able.size
            if missing:
                return None
        at = np.concatenate(picked)
        return rows[at], columns[at].astype(np.int64), np.concatenate(pools)

    def _may_cross(self, rows: _Ints, start: int, goal: int) -> npt.NDArray[np.bool_]:
        racks = np.append(self.task.rack, NONE)[self.removal.layout.replicas[rows]]
        fits: npt.NDArray[np.bool_] = (racks == goal).sum(axis=1) < (racks == start).sum(axis=1)
        return fits


@dataclass(frozen=True, eq=False)
class _Levels:
    pool: _Ints
    level: _Ints
    capacity: _Ints


@dataclass(frozen=True, eq=False)
class _Flow:
    """Further moves, the sum of squares, (K, K) moves from rack to rack, (G, K) displaced replicas into racks."""

    further: int
    squares: int
    moved: _Ints
    sent: _Ints


def _crossing(removal: Removal, rack: IntArray, choice: RackChoice, racks: int) -> _Ints:
    """(K, K) an upper bound of the replicas that could go from rack to rack while no sum of squares rises.

    A partition that is as even over the racks of targets as can be (q or q + 1 in each) must stay so: then at most one
    replica goes from a rack with q + 1 to one with q. Of a partition that is not, all are counted. A partition that
    loses a broker is taken as its displaced replicas leave it: ``base`` taken, and any of ``open_racks`` perhaps.
    """
    layout = removal.layout
    able = np.bincount(rack[removal.targets], minlength=racks) > 0
    staying = ~removal.pinned
    staying[removal.rows] = False
    held, size = _rack_counts(layout.replicas if staying.all() else layout.replicas[staying], rack, racks)
    bound = _crossings(held, np.zeros(held.shape, np.bool_), size, able)
    if removal.rows.size:
        first = np.unique(choice.group, return_index=True)[1]
        lists = removal.staying[first]
        kept = np.zeros((first.size, racks), np.int64)
        who, slot = np.nonzero(lists != NONE)
        np.add.at(kept, (who, rack[lists[who, slot]]), 1)
        bound += _crossings(kept + choice.base, choice.open_racks, choice.size, able)
    np.fill_diagonal(bound, 0)
    return bound


def _rack_counts(lists: IntArray, rack: IntArray, racks: int) -> tuple[_Ints, _Ints]:
    """(k, K) replicas by rack of each kind of list, and (k,) how many lists are of it."""
    table = np.append(rack, NONE)[lists]
    table.sort(axis=1)
    if float(racks + 1) ** table.shape[1] < 2.0**62:
        key = np.zeros(len(table), np.int64)
        for column in table.T:
            key = key * (racks + 1) + (column + 1)
        _, first, size = np.unique(key, return_index=True, return_counts=True)
    else:
        _, first, size = np.unique(table, axis=0, return_index=True, return_counts=True)
    kinds = table[first]
    held = np.zeros((len(kinds), racks), np.int64)
    who, slot = np.nonzero(kinds != NONE)
    np.add.at(held, (who, kinds[who, slot]), 1)
    return held, size


def _crossings(held: _Ints, perhaps: npt.NDArray[np.bool_], size: _Ints, able: npt.NDArray[np.bool_]) -> _Ints:
    """The bound for kinds of partitions: replicas by rack, racks that perhaps hold one more, how many partitions."""
    high, low = held + perhaps, held
    within = able[None, :]
    top = np.where(within, high, 0).max(axis=1, initial=0)
    floor = np.where(within, low, np.iinfo(np.int64).max).min(axis=1, initial=np.iinfo(np.int64).max)
    even = (top - floor <= 1)[:, None, None]
    may = np.where(even, high[:, :, None] > low[:, None, :], high[:, :, None] > 0)
    count = np.where(even, 1, high[:, :, None])
    total: _Ints = (size[:, None, None] * count * (may & able[None, :, None] & able[None, None, :])).sum(axis=0)
    return total
