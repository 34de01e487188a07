"""Replica sets that are as even as can be, with the fewest moves: every replica may move, none has to.

Promises, in this order, over all replica sets in which nothing fixed moves and each partition keeps its number:
    1. The least sum, over partitions and racks, of the square of the partition's replicas in that rack.
    2. The least difference between the fullest and the emptiest broker that counts.
    3. The fewest replicas that move.
    4. The least sum of squares of replica counts.
``mended`` leaves 2 out: it moves no more than racks need.

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
    truth. Small layouts, and those where it does not succeed, have each partition's own arcs.

Example: brokers 0 and 1 hold 3 and 1 of four partitions with one replica each: one of the three moves.

Complexity: O(P R K) to count, flows of O(B K + V (R + K)) arcs for V partitions that are not at their best on racks,
or of O(P B). Source: ``flow``; K. Murota, "Discrete Convex Analysis", 2003, section 6.2 (exchange), for the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, FloatArray, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.solve.flow import UNBOUNDED, Network
from reseat.planning.solve.rack_choice import RackChoice, Task, rack_choice, situations
from reseat.planning.solve.rounding import Seating, as_columns, dealt, repair_conflicts

__all__ = ["Rebalanced", "Sets", "mended", "rebalanced"]

_Ints = npt.NDArray[np.int64]
#: A load of all brokers that count, or (T,) of each.
_Load = int | _Ints
#: Partitions times brokers up to which each partition has arcs of its own: 0.1 s.
_OWN_ARCS = 60_000
#: The same where relaxing did not succeed: a few seconds.
_MOST_OWN_ARCS = 4_000_000
#: How far loads may go beyond those of today at first, where there is no window, and how much farther each time.
_MARGIN, _WIDER = 8, 8
#: Cells of the (partitions, racks) tables held at a time.
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Sets:
    """The replica sets of P partitions over B brokers and K racks.

    Attributes:
        lists: (P, R) broker positions, -1 padded anywhere.
        fixed: (P, R) bool, replicas that stay; what is fixed may be on any broker.
        targets: (B,) bool, brokers that receive and count.
        rack: (B,) rack of each broker from 0; all 0 where racks do not count.
        size: (P,) bytes that a move copies, NaN where not told, or None.
    """

    lists: IntArray
    fixed: BoolArray
    targets: BoolArray
    rack: IntArray
    size: FloatArray | None = None

    @cached_property
    def loose(self) -> BoolArray:
        """(P, R) replicas that may move."""
        found: BoolArray = (self.lists != NONE) & ~self.fixed
        return found

    @cached_property
    def loads(self) -> _Ints:
        """(B,) replicas on each broker."""
        return np.bincount(self.lists.ravel() + 1, minlength=len(self.targets) + 1)[1:]

    def loads_with(self, rows: _Ints, lists: IntArray) -> _Ints:
        """(B,) replicas on each broker once these rows (n,) have these lists (n, R)."""
        count = len(self.targets) + 1
        before, after = (np.bincount(one.ravel() + 1, minlength=count)[1:] for one in (self.lists[rows], lists))
        return self.loads - before + after

    @property
    def racks(self) -> int:
        """K, how many racks there are."""
        return int(self.rack.max(initial=0)) + 1

    @cached_property
    def task(self) -> Task:
        """All that is loose, as if it were to be placed anew."""
        return Task(
            staying=np.where(self.fixed, self.lists, NONE).astype(np.int32),
            needed=self.loose.sum(axis=1).astype(np.int64),
            rack=self.rack,
            loads=self.loads,
            targets=np.flatnonzero(self.targets),
            is_target=self.targets,
            room=np.full(len(self.targets), UNBOUNDED),
        )

    @cached_property
    def choice(self) -> RackChoice:
        """The racks that each partition's loose replicas may have in a best choice."""
        kinds, group = situations(self.task)
        return rack_choice(self.task, kinds, group, self.racks)


@dataclass(frozen=True, eq=False)
class Rebalanced:
    """The new replica sets.

    Attributes:
        rows: (n,) partitions whose set changes, ascending.
        lists: (n, R) their lists, newcomers in the vacated places from left to right, the lowest broker first.
        relaxed: whether the relaxation found them, not each partition's own arcs.
    """

    rows: _Ints
    lists: IntArray
    relaxed: bool


def rebalanced(sets: Sets, *, own_arcs: int = _OWN_ARCS) -> Rebalanced | None:
    """The evenest replica sets with the fewest moves; None where they were not found in reasonable time.

    Args:
        sets: what is there.
        own_arcs: partitions times brokers up to which no relaxation is tried.
    """
    for network in _networks(sets, own_arcs):
        window = _window(sets, network.flow)
        found = None if window is None else network.realised(*window)
        if found is not None:
            return found
    return None


def mended(sets: Sets, *, own_arcs: int = _OWN_ARCS) -> Rebalanced | None:
    """The replica sets at their best on racks with the fewest moves; None where they were not found in reasonable time.

    Args:
        sets: what is there.
        own_arcs: as ``rebalanced``.
    """
    loads = sets.loads[sets.targets]
    for network in _networks(sets, own_arcs):
        margin = _MARGIN
        while margin < _MARGIN * _WIDER * (1 + int(loads.sum())):
            # Where no broker comes up to an end of its window, a wider one changes nothing: levels cost more and more.
            low, high = np.maximum(loads - margin, 0), loads + margin
            found = network.realised(low, high)
            if found is not None:
                after = sets.loads_with(found.rows, found.lists)[sets.targets]
                if (after < high).all() and ((after > low) | (low == 0)).all():
                    return found
            margin *= _WIDER
    return None


def _networks(sets: Sets, own_arcs: int) -> Iterator[_Pools | _Each]:
    """The networks to try, the quicker one first."""
    own = sets.task.needed.size * sets.task.targets.size
    if own > own_arcs:
        yield _Pools.of(sets)
    if own <= _MOST_OWN_ARCS:
        yield _Each(sets)


def _window(sets: Sets, flow: Callable[[int, int, bool], object | None]) -> tuple[int, int] | None:
    """The greatest least load and the least greatest one; None where even the widest window cannot be reached."""
    loads = sets.loads[sets.targets]
    low, rest = divmod(int(loads.sum()), len(loads))
    high = low + (rest > 0)
    if flow(low, high, False) is not None:
        return low, high
    top = _first(high, int(loads.sum()), lambda most: flow(0, most, False) is not None)
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


def _levels(
    network: Network, ends: tuple[_Ints, _Ints], loads: _Ints, window: tuple[_Load, _Load], *, cost: bool
) -> int:
    """Hang brokers on the sink so that each ends within its window; returns what a move costs.

    Args:
        network: the network.
        ends: (T,) its nodes for the brokers that count, and the node that takes what they hold.
        loads: (T,) what enters at each broker's own node.
        window: the least load and the greatest, of all or (T,) of each.
        cost: whether levels cost what they add to the sum of squares.
    """
    brokers, sink = ends
    low, high = (np.broadcast_to(np.asarray(one, np.int64), brokers.shape) for one in window)
    width, lowest = high - low, int(low.min())
    network.supply(brokers, loads - low)
    network.supply(sink, int(low.sum() - loads.sum()))
    # In one window of one level the sum of squares is the same whoever holds more.
    if not cost or int(high.max()) - lowest <= 1:
        network.arcs(brokers, sink, width)
        return 1
    at = np.repeat(np.arange(brokers.size), width)
    level = low[at] + np.arange(at.size) - np.repeat(np.cumsum(width) - width, width) - lowest
    network.arcs(brokers[at], sink, 1, 2 * level + 1)
    # A circle that improves passes the sink once: by one level up and one down.
    return 2 * (int(high.max()) - lowest) + 3


# ---- each partition's own arcs -----------------------------------------------------------------------------


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

    def flow(self, low: _Load, high: _Load, cost: bool) -> _Ints | None:
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
        price = _levels(network, (brokers, sink), loads, (low, high), cost=cost)
        network.supply(sink, -total)
        tails = cells[self._row, sets.rack[task.targets[self._at]]]
        sits = network.arcs(tails, brokers[self._at], 1, np.where(self._holds, 0, price))
        solved = network.solve() if cost else network.route()
        return None if solved is None else solved[sits]

    def realised(self, low: _Load, high: _Load) -> Rebalanced | None:
        """The sets of the flow with the fewest moves."""
        sets, solved = self._sets, self.flow(low, high, True)
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
        row, column = np.nonzero(np.take_along_axis(leaves, lists.astype(np.int64), axis=1))
        lists[row, column] = brokers[comes]  # both by row, as many in each
        return Rebalanced(rows, lists, relaxed=False)


# ---- relaxed: pools of racks -------------------------------------------------------------------------------


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
class _Pools:
    """The relaxed network.

    Attributes:
        sets: the replica sets.
        uneven: (V,) partitions that are not at their best on racks.
        inside: (V, K) their replicas in each rack.
        able: (B, K) replicas of the others that may leave a broker for a rack.
    """

    sets: Sets
    uneven: _Ints
    inside: _Ints
    able: _Ints

    @classmethod
    def of(cls, sets: Sets) -> _Pools:
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

    def flow(self, low: _Load, high: _Load, cost: bool) -> _PoolFlow | None:
        """The relaxed flow, of least cost or any; None where there is none."""
        sets, task, choice = self.sets, self.sets.task, self.sets.choice
        network, racks = Network(), sets.racks
        brokers, pools, sink = network.nodes(task.targets.size), network.nodes(racks), network.nodes(1)
        price = _levels(network, (brokers, sink), sets.loads[task.targets], (low, high), cost=cost)
        place = np.full(len(sets.targets) + 1, NONE, np.int64)
        place[task.targets] = np.arange(task.targets.size)
        giver, rack = np.nonzero(self.able[task.targets])
        out = network.arcs(brokers[giver], pools[rack], self.able[task.targets][giver, rack], price)
        into = network.arcs(pools[sets.rack[task.targets]], brokers, UNBOUNDED)
        # A partition that is not at its best: replicas leave for its cells, a cell a rack, and enter racks from there;
        # its hub keeps one more in some of the open ones.
        cells = network.nodes(len(self.uneven) * racks).reshape(-1, racks)
        hubs = network.nodes(len(self.uneven))
        row, column = np.nonzero(sets.loose[self.uneven])
        holder = sets.lists[self.uneven[row], column]
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

    def realised(self, low: _Load, high: _Load) -> Rebalanced | None:
        """The sets that the cheapest flow means; None where no partitions and brokers were found for it."""
        flow = self.flow(low, high, True)
        if flow is None:
            return None
        regular = self._picked(flow.regular)
        if regular is None:
            return None
        sets, racks = self.sets, self.sets.racks
        row, column = np.nonzero(sets.loose[self.uneven])
        left = flow.leaving > 0
        rows = np.concatenate([regular[0], self.uneven[row[left]]])
        columns = np.concatenate([regular[1], column[left]])
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
    row, column = np.nonzero(lists != NONE)
    broker = lists[row, column]
    cell = row * racks + sets.rack[broker]
    inside = np.bincount(cell, minlength=len(lists) * racks).reshape(len(lists), racks)
    taken = np.bincount(cell[sets.targets[broker]], minlength=len(lists) * racks).reshape(len(lists), racks)
    room = np.bincount(sets.rack[sets.targets], minlength=racks) > taken
    lowest = np.where(room, inside, UNBOUNDED).min(axis=1)
    own = np.where(loose, np.take_along_axis(inside, sets.rack[lists].astype(np.int64), axis=1), 0)
    bad: BoolArray = own.max(axis=1, initial=0) > lowest + 1
    return inside, room, bad


def _may_enter(inside: _Ints, room: BoolArray, own: npt.NDArray[np.integer]) -> BoolArray:
    """(m, K) racks that a replica in rack ``own`` (m,) may enter while its partition stays at its best on racks."""
    every = np.arange(len(own))
    enters: BoolArray = inside == (inside[every, own] - 1)[:, None]
    enters[every, own] = True
    return enters & room
