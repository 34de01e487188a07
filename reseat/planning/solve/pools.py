"""The relaxed network: replicas go from brokers into the pools of racks, and from there to brokers.

Promises: what it asks for is no more than any sets need (``flow``), and where ``realised`` finds sets for it, those are
the best.

How: how many replicas of a broker may enter a rack is counted once, kind by kind (``alike``); newcomers that come in
any case enter from a node a kind, and partitions that are not as diverse as they are to be have nodes of their own.
What is not held against the relaxation is that one partition may be asked twice, and may hold the broker already. Then
partitions are picked for the flow, the smallest where sizes are told; brokers of a pool are dealt out and swapped until
nobody has one twice (``rounding``). Where racks are many, partitions that may have
no rack twice form one pool, and racks are kept by swapping.

Complexity: O(n R) and O(brokers x kinds x racks) to count; a flow of O(B K + V (R + K)) arcs for V partitions with
nodes of their own; O(n R) to pick. Source: K. Murota, "Discrete Convex Analysis", 2003, section 6.2 (exchange).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reseat.model import NONE, IntArray, Longs
from reseat.model.arrays import row_counts, row_keys, row_repeats, split_keys, widened
from reseat.planning.solve.alike import Kinds
from reseat.planning.solve.flow import UNBOUNDED, Network
from reseat.planning.solve.levels import Levels
from reseat.planning.solve.problem import Found, Problem
from reseat.planning.solve.rack_choice import rack_of_each
from reseat.planning.solve.rounding import Seating, as_columns, dealt, repair_conflicts

__all__ = ["Pools"]

#: Racks up to which they are told apart.
MANY_RACKS = 64
#: Numbers in a table of brokers by kinds: 64 MB.
_CELLS = 1 << 23
#: Replicas that are looked at for each that goes, the smallest first, before all are.
_LIKELY = 2


@dataclass(frozen=True, eq=False)
class _Flow:
    """What moves.

    Attributes:
        regular: (B, C K) replicas that leave a broker for a pool.
        leaving: (m,) replicas of partitions with nodes of their own that leave, in the order of their arcs.
        entering: (V, K) replicas of these that enter a rack.
        sent: (G, K) newcomers of kinds that enter a rack, beside those that have no choice.
        received: (C, B) replicas that each broker receives from the pool of its rack and of this class.
    """

    regular: Longs
    leaving: Longs
    entering: Longs
    sent: Longs
    received: Longs


@dataclass(frozen=True, eq=False)
class Pools:
    """The relaxed network of a problem.

    Attributes:
        problem: what may be chosen.
        rack: (B,) the racks that are told apart.
        key: (B,) what no partition may have twice.
    """

    problem: Problem
    rack: IntArray
    key: IntArray

    @classmethod
    def of(cls, problem: Problem) -> Pools | None:
        """The network; None where racks are too many, and partitions may have one of them twice."""
        own = np.arange(len(problem.rack), dtype=np.int32)
        if problem.racks <= MANY_RACKS:
            return cls(problem, problem.rack, own)
        codes = np.append(problem.rack, np.int32(NONE))[problem.staying]
        most = (problem.staying != NONE).sum(axis=1) + problem.need
        open_ = np.array([np.unique(problem.rack[one]).size for one in problem.open_to])
        room = open_[problem.of_class]
        if row_repeats(codes).any() or (most > room).any():
            return None
        return cls(problem, np.zeros_like(problem.rack), problem.rack)

    @cached_property
    def kinds(self) -> Kinds:
        """Partitions that are alike."""
        return Kinds.of_problem(self.problem, self.rack)

    @cached_property
    def racks(self) -> int:
        """K."""
        return int(self.rack.max(initial=0)) + 1

    @cached_property
    def own(self) -> Longs:
        """(V,) partitions with nodes of their own."""
        return np.flatnonzero(~self.kinds.even[self.kinds.of])

    @cached_property
    def able(self) -> Longs:
        """(B, C K) movable replicas of the others that may leave a broker for a pool."""
        problem, kinds, racks = self.problem, self.kinds, self.racks
        brokers, classes = len(problem.targets), len(problem.open_to)
        able = np.zeros((brokers, classes * racks), np.int64)
        movable = problem.movable & kinds.even[kinds.of][:, None]
        if not movable.any():
            return able
        step = max(1, _CELLS // max(brokers, 1))
        count = len(kinds.size)
        for first in range(0, count, step):
            span = min(step, count - first)
            inside = movable if span == count else movable & ((kinds.of >= first) & (kinds.of < first + span))[:, None]
            table = np.zeros((brokers, span))
            for column, here in zip(problem.lists.T, inside.T, strict=True):
                row = slice(None) if here.all() else np.flatnonzero(here)
                at = column[row].astype(np.int64) * span + (kinds.of[row] - first)
                table += np.bincount(at, minlength=brokers * span).reshape(brokers, span)
            part = slice(first, first + span)
            for rack in np.unique(self.rack[table.any(axis=1)]).tolist():
                mine = np.flatnonzero(self.rack == rack)
                enters = kinds.enters(rack)[part]
                for one in range(classes):
                    of_class = np.flatnonzero(kinds.group[part] == one)
                    found = table[np.ix_(mine, of_class)] @ enters[of_class].astype(np.float64)
                    able[mine, one * racks : (one + 1) * racks] += found.astype(np.int64)
        return able

    @cached_property
    def _choosing(self) -> tuple[Longs, Longs, Longs]:
        """Kinds whose newcomers choose a rack, and (m,) which of these may choose (m,) which rack."""
        kinds = self.kinds
        which = np.flatnonzero(kinds.even & (kinds.need > 0))
        at, rack = np.nonzero(kinds.completion.open_racks[which])
        return which, at, rack

    @cached_property
    def without_choice(self) -> Longs:
        """(K,) newcomers that can enter this rack alone, of partitions without nodes of their own."""
        which, _, _ = self._choosing
        forced: Longs = self.kinds.size[which] @ self.kinds.completion.base[which]
        return forced

    def flow(self, levels: Levels) -> _Flow | None:
        """The relaxed flow, of least cost or any; None where there is none."""
        problem, kinds, racks = self.problem, self.kinds, self.racks
        network, targets = Network(), np.flatnonzero(problem.targets)
        classes = len(problem.open_to)
        brokers, pools, sink = network.nodes(targets.size), network.nodes(classes * racks), network.nodes(1)
        levels.hang(network, brokers, sink, problem.loads[targets])
        network.supply(sink, -int(problem.need.sum()))
        giver, pool = np.nonzero(self.able[targets])
        out = network.arcs(brokers[giver], pools[pool], self.able[targets][giver, pool], levels.move)
        doors = brokers
        if problem.room is not None:
            doors = network.nodes(targets.size)
            network.arcs(doors, brokers, problem.room[targets])
        one, taker = np.nonzero(problem.open_to[:, targets])
        into = network.arcs(pools[one * racks + self.rack[targets[taker]]], doors[taker], UNBOUNDED)
        # Newcomers of kinds: some racks have no choice, others are chosen from a node a kind.
        which, at, rack = self._choosing
        start = kinds.group[which] * racks
        base = kinds.size[which][:, None] * kinds.completion.base[which]
        network.supply(pools[start[:, None] + np.arange(racks)], base)
        hubs = network.nodes(which.size)
        network.supply(hubs, kinds.size[which] * kinds.completion.extra[which])
        enter_kind = network.arcs(hubs[at], pools[start[at] + rack], kinds.size[which[at]])
        # A partition of its own: replicas leave for its cells, a cell a rack, and enter racks from there; its hub keeps
        # one more in some of the open ones.
        leave = enter = slice(0)
        if (own := self.own).size:
            kind, choice = kinds.of[own], kinds.whole.of(kinds.of[own])
            cells = network.nodes(own.size * racks).reshape(-1, racks)
            hubs = network.nodes(own.size)
            row, column = self._may_leave
            holder = problem.lists[own[row], column]
            giving = brokers[np.searchsorted(targets, holder)]
            leave = network.arcs(giving, cells[row, self.rack[holder]], 1, levels.move)
            # What leaves a rack in the end: all above the least, or one fewer in as many open racks as extras.
            network.supply(cells, choice.base - kinds.movable[kind])
            network.supply(hubs, choice.extra)
            srow, srack = np.nonzero(choice.open_racks)
            network.arcs(hubs[srow], cells[srow, srack], 1)
            entry = pools[kinds.group[kind][:, None] * racks + np.arange(racks)]
            enter = network.arcs(cells, entry, UNBOUNDED)
        solved = network.solve() if levels.move or levels.square else network.route()
        if solved is None:
            return None
        regular = np.zeros(self.able.shape, np.int64)
        regular[targets[giver], pool] = solved[out]
        received = np.zeros((classes, len(problem.targets)), np.int64)
        received[one, targets[taker]] = solved[into]
        sent = np.zeros(kinds.held.shape, np.int64)
        sent[which[at], rack] = solved[enter_kind]
        return _Flow(regular, solved[leave], solved[enter].reshape(-1, racks), sent, received)

    @cached_property
    def always_realised(self) -> bool:
        """Whether there are sets for any flow: newcomers alone, each in a rack that the partition is not in."""
        kinds = self.kinds
        entered = kinds.high > kinds.held
        return bool(kinds.even.all() and not kinds.movable.any() and (kinds.high[entered] <= 1).all())

    def loads(self, flow: _Flow) -> Longs:
        """(B,) replicas on each broker after a flow."""
        row, column = self._may_leave
        left = np.flatnonzero(flow.leaving)
        gave = np.bincount(self.problem.lists[self.own[row[left]], column[left]], minlength=len(self.rack))
        after: Longs = self.problem.loads - flow.regular.sum(axis=1) - gave + flow.received.sum(axis=0)
        return after

    @cached_property
    def _may_leave(self) -> tuple[Longs, Longs]:
        """(m,) partitions of ``own``, by number there, and columns of what may leave but need not."""
        row, column = np.nonzero(self.problem.movable[self.own])
        return row, column

    def realised(self, flow: _Flow) -> Found | None:
        """The sets that a flow means; None where no partitions and brokers were found for it."""
        problem, kinds, racks = self.problem, self.kinds, self.racks
        newly = np.flatnonzero((kinds.even & (kinds.need > 0))[kinds.of])  # without nodes of their own
        row, rack = rack_of_each(kinds.completion, kinds.of[newly], flow.sent)
        forced_row, forced_pool = newly[row], kinds.group[kinds.of[newly[row]]] * racks + rack
        picked = self._picked(flow.regular, (forced_row, forced_pool))
        if picked is None:
            return None
        own_row, own_column = self._may_leave
        left = flow.leaving > 0
        rows = np.concatenate([picked[0], self.own[own_row[left]], problem.going[0]])
        columns = np.concatenate([picked[1], own_column[left], problem.going[1]])
        at, rack = np.nonzero(flow.entering)
        at, rack = (np.repeat(one, flow.entering[at, rack]) for one in (at, rack))
        unit_row = np.concatenate([picked[0], forced_row, self.own[at]])
        unit_pool = np.concatenate([picked[2], forced_pool, kinds.group[kinds.of[self.own[at]]] * racks + rack])
        touched = np.zeros(len(problem.lists), np.bool_)
        touched[rows] = touched[unit_row] = True
        changed = np.flatnonzero(touched)
        place = np.empty(touched.size, np.int64)
        place[changed] = np.arange(changed.size)
        vacated = np.zeros((changed.size, problem.lists.shape[1]), np.bool_)
        vacated[place[rows], columns] = True
        unit_pool, unit_row = split_keys(np.sort(row_keys(unit_pool, place[unit_row])))
        seats = [
            dealt(inside, flow.received[one, inside])
            for one, open_ in enumerate(problem.open_to)
            for k in range(racks)
            if (inside := np.flatnonzero(open_ & problem.targets & (self.rack == k))).size
        ]
        seating = Seating(unit_row, unit_pool, np.concatenate(seats) if seats else np.empty(0, np.int32))
        needed = np.bincount(unit_row, minlength=changed.size).astype(np.int64)
        staying = problem.lists[changed]
        staying[place[rows], columns] = NONE
        if not repair_conflicts(staying, needed, seating, len(problem.open_to) * racks, self.key):
            return None
        lists = problem.filled(changed, vacated, as_columns(seating, needed))
        return Found(changed, lists, moves=unit_row.size).in_order(problem)

    @cached_property
    def _by_broker(self) -> tuple[Longs, Longs]:
        """(P R,) replicas, row * R + column, by broker, the smallest first, those that stay last; (B,) their ends."""
        brokers, lists, size = len(self.rack), self.problem.lists, self.problem.size
        giver = np.where(self.problem.movable, lists, np.int32(brokers))
        giver[self.own] = brokers
        small = giver.astype(np.int16) if brokers < np.iinfo(np.int16).max else giver
        rows = np.arange(len(lists))
        if size is not None:  # numbers of 64 bits, sorted ten times as fast: the last digits give way to the row
            digits = len(lists).bit_length()
            rows = np.sort(np.abs(size).view(np.int64) >> digits << digits | rows) & (1 << digits) - 1
        order = np.argsort(small.take(rows, axis=0).ravel(), kind="stable")  # a radix sort, where numbers are small
        ends = np.cumsum(np.bincount(small.ravel(), minlength=brokers)[:brokers])
        nth = order // lists.shape[1]
        return order + (rows.take(nth) - nth) * lists.shape[1], ends

    def _picked(self, flow: Longs, forced: tuple[Longs, Longs]) -> tuple[Longs, Longs, Longs] | None:
        """(m,) rows, columns and pools to enter of replicas that leave; ``forced`` are rows and pools of newcomers."""
        broker, pool = np.nonzero(flow)
        if not broker.size:
            return broker, broker, pool
        search, count = _Picking(self, forced), flow[broker, pool]
        at, into = [], []
        # Those with the least choice first.
        for i in np.argsort(self.able[broker, pool] - count, kind="stable").tolist():
            at.append(search.take(int(broker[i]), int(pool[i]), int(count[i])))
            into.append(np.full(at[-1].size, pool[i]))
            if at[-1].size < count[i]:
                return None
        return *np.divmod(np.concatenate(at), self.problem.lists.shape[1]), np.concatenate(into)


class _Picking:
    """Which replicas go: partitions as they are by now, what entered a rack standing for a broker of it."""

    def __init__(self, pools: Pools, forced: tuple[Longs, Longs]) -> None:
        problem, rack, brokers, racks = pools.problem, pools.rack, len(pools.rack), pools.racks
        self._pools, (row, pool) = pools, forced
        self._rack = np.concatenate([rack, np.arange(racks), [NONE]]).astype(np.int64)
        width = problem.lists.shape[1] + int(problem.need.max(initial=0))
        self._left = np.split(*pools._by_broker)  # of each broker what has not gone
        # Of each class who may receive, and how many of these each rack has; whoever entered a rack is one of them.
        self._there = np.stack([np.bincount(rack[one], minlength=racks) for one in problem.open_to])
        self._any = self._there.size == 1 and int(self._there[0, 0]) > width  # nothing is ever in the way
        if self._any:
            return
        self._now = widened(problem.staying, width).copy()
        order = np.argsort(row, kind="stable")
        row, pool = row[order], pool[order]
        nth = np.arange(row.size) - np.searchsorted(row, row)
        self._now[row, problem.lists.shape[1] + nth] = brokers + pool % racks
        entered = np.broadcast_to(np.arange(racks + 1) < racks, (len(problem.open_to), racks + 1))
        self._open = np.concatenate([problem.open_to, entered], axis=1)

    def take(self, broker: int, pool: int, count: int) -> Longs:
        """So many replicas of a broker, as row * R + column, or as many as there are, that go to this pool."""
        mine, sizes = self._left[broker], self._pools.problem.size is not None
        able = self._able(mine[: _LIKELY * count] if sizes else mine, broker, pool)
        if sizes and able.size < count:
            able = self._able(mine, broker, pool)
        elif not sizes and able.size > count:  # so that no topic gives everything
            able = able[np.arange(count) * (able.size - 1) // max(1, count - 1)]
        goes, stays = mine[able[:count]], np.ones(mine.size, np.bool_)
        stays[able[:count]] = False
        self._left[broker] = mine[stays]
        if not self._any:
            self._now[np.divmod(goes, self._pools.problem.lists.shape[1])] = (
                len(self._pools.rack) + pool % self._pools.racks
            )
        return goes

    def _able(self, mine: Longs, broker: int, pool: int) -> Longs:
        """Places among some of a broker's replicas of those that may go to this pool."""
        if self._any:
            return np.arange(mine.size)
        of_class, goal = divmod(pool, self._pools.racks)
        rows, own = mine // self._pools.problem.lists.shape[1], int(self._pools.rack[broker])
        able, kinds, room = np.ones(rows.size, np.bool_), self._pools.kinds, self._there[of_class, goal]
        if len(self._there) > 1:
            able = kinds.group[kinds.of[rows]] == of_class
        if own != goal or room <= self._now.shape[1]:
            lists = self._now[rows]
            codes = self._rack[lists]
            inside = codes == goal
            if room <= lists.shape[1]:
                able &= row_counts(inside & self._open[of_class][lists]) < room
            if own != goal:
                able &= row_counts(inside) < row_counts(codes == own)
        return np.flatnonzero(able)
