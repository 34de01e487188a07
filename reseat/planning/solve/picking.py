"""What rows pick among candidates: a replica list its first one, a list with too many replicas those that stay.

Promises, in this order:
    1. Each row picks as many as it is to, with the least sum, over racks, of the square of what it has there then.
    2. The least of what dear picks cost and of the sum of squares of loads, weighed.

How: within a row the i-th pick in a rack where c are in any case is at level c + i, and the lowest levels are the best;
only where the last level leaves a choice does the load decide. Rows with the same choice are one node of a flow. Beyond
``GROUPS`` different choices, exchanges better a first pick: a flow between brokers says how many rows exchange the one
for the other. It knows each exchange of a row by itself, so that nothing is better than what it asks for, and once rows
make all of it, or it asks for nothing, that is the best. Where rows clash, the next flow begins with what is left.

Example: rows 0 and 1 pick one of brokers 0 and 1, row 2 one of 0 and 2, each of no load: 0, 1 and 2 in some order.

Complexity: a flow of O(groups C) arcs for C candidates, or a few of one arc for each two brokers with a row in common.
Source: see ``levels``; K. Murota, "Discrete Convex Analysis", 2003, section 6.2 (exchange).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.arrays import row_counts
from reseat.planning.solve.alike import alike
from reseat.planning.solve.flow import UNBOUNDED, Network, fill
from reseat.planning.solve.levels import Levels, around
from reseat.planning.solve.problem import NoRoom

__all__ = ["Picks", "picked"]

#: Different choices up to which one flow holds them all; beyond, flows between brokers are quicker.
GROUPS = 1_000
#: The same up to which it is made all the same where those do not end.
MANY = 40_000
#: The most flows between brokers; two to four are enough as a rule.
_ROUNDS = 24
#: Rows that pick together, where picks need only be good.
_TOGETHER = 1_024


@dataclass(frozen=True, eq=False)
class Picks:
    """n rows that pick among brokers.

    Attributes:
        candidates: (n, C) broker positions, -1 padded anywhere.
        amount: (n,) how many to pick, no more than there are.
        dear: (n, C) bool, picks that cost ``price``; the others cost nothing.
        price: of those.
        square: what one unit of the sum of squares of loads costs.
        base: (B,) load of each broker without any pick.
        counts: (B,) bool, brokers whose loads count.
        rack: (B,) rack of each broker.
        fixed: (n, F) broker positions that each row has in any case, -1 padded anywhere.
        share: the load that every broker that counts ends at, or one above it; then squares are no matter. None: any.
    """

    candidates: IntArray
    amount: Longs
    dear: BoolArray
    price: int
    square: int
    base: Longs
    counts: BoolArray
    rack: IntArray
    fixed: IntArray
    share: int | None = None

    def rows(self, which: Longs, columns: Longs | None = None) -> Picks:
        """The picks of some rows; of each its candidates in the order of ``columns`` (n, C)."""
        candidates, dear = self.candidates[which], self.dear[which]
        if columns is not None:
            candidates = np.take_along_axis(candidates, columns, axis=1)
            dear = np.take_along_axis(dear, columns, axis=1)
        return replace(self, candidates=candidates, amount=self.amount[which], dear=dear, fixed=self.fixed[which])

    def loads(self, chosen: BoolArray) -> Longs:
        """(B,) loads with these picks (n, C)."""
        loads: Longs = self.base + np.bincount(self.candidates[chosen], minlength=len(self.base))
        return loads

    @property
    def racks(self) -> tuple[IntArray, IntArray]:
        """(n, C), (n, F) racks of the candidates, and of what rows have in any case."""
        racks = np.append(self.rack, NONE).astype(np.int32)
        return racks[self.candidates], racks[self.fixed]


def picked(picks: Picks, *, surely: bool = False, start: BoolArray | None = None) -> BoolArray:
    """(n, C) what each row picks; among many choices perhaps not the best, unless it is to be that surely.

    Then a flow over all rows is made where flows between brokers do not end. ``start`` (n, C) are picks with the best
    racks that are to be bettered.

    Raises:
        NoRoom: no picks have the share that is asked for.
    """
    if start is not None and (chosen := _by_exchanges(picks, start.copy(), surely=surely)) is not None:
        return chosen
    every = np.arange(len(picks.candidates))
    unheld = np.iinfo(np.int32).max
    columns = np.argsort(np.where(picks.candidates == NONE, unheld, picks.candidates), axis=1, kind="stable")
    each = picks.rows(every, columns)
    alike_in = (*each.candidates.T, *np.sort(each.racks[1], axis=1).T, each.amount, *np.packbits(each.dear, axis=1).T)
    first, group, size = alike(alike_in)
    chosen = None
    if first.size > GROUPS:
        chosen = _by_exchanges(each, _first_picks(each), surely=surely or first.size <= MANY)
    if chosen is None:
        groups = each.rows(first)
        row, column = _dealt(groups, group, size, _flowed(groups, size))
        chosen = np.zeros(columns.shape, np.bool_)
        chosen[row, column] = True
    back: BoolArray = np.zeros(columns.shape, np.bool_)
    np.put_along_axis(back, columns, chosen, axis=1)
    return back


def _by_exchanges(picks: Picks, chosen: BoolArray, *, surely: bool) -> BoolArray | None:
    """These picks bettered by exchanges that flows between brokers ask for: the best, else close to it, or None."""
    whole = any(_traded(picks, chosen) for _ in range(_ROUNDS))
    return chosen if whole or not surely else None


def _first_picks(picks: Picks) -> BoolArray:
    """(n, C) picks with the best racks, then few dear ones, each the least loaded so far: what the flow starts from."""
    chosen = np.zeros(picks.candidates.shape, np.bool_)
    racks, fixed = picks.racks
    load = np.append(picks.base, 0).astype(np.float64)
    heaviest = 4.0 * (float(load.max()) + len(chosen) + 1)  # above any load; twice that parts one rack level from two
    rows = np.random.default_rng(0).permutation(len(chosen))
    # Who has no cheap choice comes first, all at once.
    open_ = (row_counts((picks.candidates != NONE) & ~picks.dear) > picks.amount)[rows]
    parts = np.split(rows[open_], range(_TOGETHER, int(open_.sum()), _TOGETHER))
    for at in (rows[~open_], *parts):
        candidates, here = picks.candidates[at], racks[at]
        inside = (fixed[at][:, :, None] == here[:, None, :]).sum(axis=1)
        taken = candidates == NONE
        for turn in range(int(picks.amount[at].max(initial=0))):
            price = load[candidates] + heaviest * (picks.dear[at] + 2.0 * inside)
            price[taken] = np.inf
            some = np.flatnonzero(picks.amount[at] > turn)
            best = price[some].argmin(axis=1)
            taken[some, best] = chosen[at[some], best] = True
            inside[some] += here[some] == here[some, best][:, None]
            np.add.at(load, candidates[some, best], 1.0)
    return chosen


def _exchanges(picks: Picks, chosen: BoolArray) -> tuple[IntArray, IntArray, IntArray]:
    """Every pick that could be another one at equal racks: (m,) rows, and the columns of both."""
    here, fixed = picks.racks
    width = here.shape[1]
    inside = np.stack(
        [row_counts(fixed == here[:, [j]]) + row_counts((here == here[:, [j]]) & chosen) for j in range(width)],
        axis=1,
    )
    parts = [np.empty((3, 0), np.int32)]
    for i, j in itertools.permutations(range(width), 2):
        equal = (here[:, i] == here[:, j]) | (inside[:, i] == inside[:, j] + 1)
        rows = np.flatnonzero(equal & chosen[:, i] & ~chosen[:, j] & (picks.candidates[:, j] != NONE))
        parts.append(np.stack([rows, np.full(rows.size, i), np.full(rows.size, j)]).astype(np.int32))
    row, gives, takes = np.concatenate(parts, axis=1)
    return row, gives, takes


def _traded(picks: Picks, chosen: BoolArray) -> bool:
    """Make exchanges (``chosen`` (n, C) changes) that a flow asks for, and say whether all were made.

    The flow knows of each two brokers how many rows can give a pick of the one for the other, and leaves aside that a
    row makes one exchange: nothing is better than what it asks for, and where all is made, that is the best.

    Raises:
        NoRoom: no picks have the share that is asked for.
    """
    row, gives, takes = _exchanges(picks, chosen)
    brokers = len(picks.base)
    node = np.append(np.where(picks.counts, np.arange(brokers), picks.counts.argmin()), NONE).astype(np.int32)
    broker = node[picks.candidates]
    source, target = broker[row, gives], broker[row, takes]
    dearer = picks.dear.view(np.int8)[row, takes] - picks.dear.view(np.int8)[row, gives]
    first, kind, size = alike((source, target, dearer))
    source, target = source[first], target[first]
    # Of equal ones the fewest exchanges: an improving circle has no more than brokers.
    finer = brokers + 1
    cost = 1 + finer * picks.price * dearer[first].astype(np.int64)
    counted, load = np.flatnonzero(picks.counts), picks.loads(chosen)

    def flow(levels: Levels) -> Longs | None:
        network = Network()
        nodes, sink = network.nodes(brokers), network.nodes(1)
        asked = network.arcs(nodes[source], nodes[target], size, cost)
        levels.hang(network, nodes[counted], sink, load[counted])
        if counted.size < brokers:  # all that do not count are one
            rest = int(load[~picks.counts].sum())
            network.supply(nodes[picks.counts.argmin()], rest)
            network.supply(sink, -rest)
            network.arcs(nodes[picks.counts.argmin()], sink, UNBOUNDED)
        solved = network.solve()
        return None if solved is None else solved[asked]

    def loads(asked: Longs) -> Longs:
        change = (np.bincount(at, weights=asked, minlength=brokers) for at in (target, source))
        after: Longs = load + np.subtract(*change).astype(np.int64)
        return after[counted]

    ends = load[counted]
    if picks.share is None:
        window = np.zeros_like(ends), np.full_like(ends, int(load.sum()))
        wide = first.size // max(1, 8 * ends.size)  # levels cost little beside exchanges
        levels = partial(Levels, square=finer * picks.square)
        asked = around(flow, loads, ends, levels, window, margin=wide)
    elif (asked := flow(Levels(np.full_like(ends, picks.share), np.full_like(ends, picks.share + 1)))) is None:
        raise NoRoom("No picks have this share.")
    if asked is None:
        return False
    free, live = np.ones(len(chosen), np.bool_), np.flatnonzero((asked > 0)[kind])
    while (live := live[free[row[live]] & (asked[kind[live]] > 0)]).size:
        wanted = np.bincount(row[live], minlength=len(chosen))
        live = live[np.lexsort((wanted[row[live]], kind[live]))]  # who is asked once goes first
        made = live[np.arange(live.size) - np.searchsorted(kind[live], kind[live]) < asked[kind[live]]]
        made = made[np.unique(row[made], return_index=True)[1]]
        chosen[row[made], gives[made]], chosen[row[made], takes[made]] = False, True
        free[row[made]] = False
        asked -= np.bincount(kind[made], minlength=asked.size)
    return not asked.any()


def _levels(picks: Picks) -> tuple[Longs, Longs]:
    """(n, C) number of each candidate's rack within its row (the column where it occurs first), and rack level.

    The candidate that is i-th of its rack (from 0) stands for a pick at level c + i, where c replicas are fixed there.
    """
    here, fixed = picks.racks
    leader = np.zeros(here.shape, np.int64)
    level = np.zeros(here.shape, np.int64)
    for column in range(here.shape[1]):
        same = here[:, : column + 1] == here[:, column : column + 1]
        leader[:, column] = same.argmax(axis=1)
        level[:, column] = same.sum(axis=1) - 1 + (fixed == here[:, column : column + 1]).sum(axis=1)
    level[picks.candidates == NONE] = np.iinfo(np.int32).max
    return leader, level


def _flowed(picks: Picks, size: Longs) -> Longs:
    """(g, C) how many of the ``size`` (g,) rows of each group pick each candidate."""
    groups, width = picks.candidates.shape
    leader, level = _levels(picks)
    at = np.arange(groups)
    last = np.where(picks.amount > 0, np.sort(level, axis=1)[at, np.maximum(picks.amount - 1, 0)], -1)
    held = picks.candidates != NONE
    forced, optional = held & (level < last[:, None]), held & (level == last[:, None])
    total = int((picks.amount * size).sum())

    # Brokers that count, and one that stands for all others. A rack with one candidate is that broker itself, others
    # are nodes; candidates of a rack from which nothing is picked need no arc.
    counted = np.flatnonzero(picks.counts)
    place = np.full(len(picks.base) + 1, counted.size)
    place[counted] = np.arange(counted.size)
    place = place[picks.candidates]
    alone = held & (np.stack([(leader == column).sum(axis=1) for column in range(width)], axis=1) == 1)
    alone = np.take_along_axis(alone, leader, axis=1) & held
    rack = at[:, None] * width + leader
    used = np.zeros(groups * width, np.bool_)
    used[rack[(forced | optional) & ~alone]] = True
    sure, out, choose = np.nonzero(forced), np.nonzero(held & ~alone & used[rack]), np.nonzero(optional)
    cost = picks.price * picks.dear

    def flow(levels: Levels) -> Longs | None:
        network = Network()
        hubs, racks = network.nodes(groups), np.full(used.size, NONE)
        racks[used] = network.nodes(int(used.sum()))
        brokers, sink = network.nodes(counted.size + 1), network.nodes(1)
        node = np.where(alone, brokers[place], racks[rack])
        network.supply(node[sure], size[sure[0]])
        network.supply(hubs, (picks.amount - forced.sum(axis=1)) * size)
        network.supply(sink, -total)
        leaves = network.arcs(node[out], brokers[place[out]], size[out[0]], cost[out])
        enters = network.arcs(hubs[choose[0]], node[choose], size[choose[0]], np.where(alone, cost, 0)[choose])
        levels.hang(network, brokers[:-1], sink, base)
        network.arcs(brokers[-1:], sink, total)
        solved = network.solve()
        if solved is None:
            return None
        sent: Longs = (forced & alone) * size[:, None]
        sent[out] = solved[leaves]
        single = alone[choose]
        sent[choose[0][single], choose[1][single]] = solved[enters][single]
        return sent

    def loads(sent: Longs) -> Longs:
        got = np.bincount(place[held], weights=sent[held], minlength=counted.size + 1)[:-1]
        after: Longs = base + got.astype(np.int64)
        return after

    base = picks.base[counted]
    if picks.share is not None:
        sent = flow(Levels(np.full_like(base, picks.share), np.full_like(base, picks.share + 1)))
        if sent is None:
            raise NoRoom("No picks have this share.")
        return sent
    most = loads(np.broadcast_to(size[:, None], held.shape)) - base
    # Where brokers would end if every row could pick everything.
    near = base + fill(base, min(total, int(most.sum())), most)
    # Levels cost little beside candidates: as many as these.
    margin = int(np.count_nonzero(held)) // max(1, 2 * counted.size)
    window = base, base + most
    sent = around(flow, loads, near, lambda low, high: Levels(low, high, square=picks.square), window, margin=margin)
    if sent is None:
        raise AssertionError(
            "Levels that hold every load have a flow, as every row has as many candidates as it picks."
        )
    return sent


def _dealt(groups: Picks, group: Longs, size: Longs, sent: Longs) -> tuple[Longs, Longs]:
    """(row, column) of each pick: what a group sends is dealt to its rows in turn, cheap picks first.

    Candidates of a rack stand together, and nobody is picked more often than there are rows: dealing in turn gives no
    row a candidate twice, and each row as many of a rack as any other, or one more.
    """
    leader, _ = _levels(groups)
    number, column = np.nonzero(sent)
    rack = leader[number, column]
    order = np.lexsort((column, rack, groups.dear[number, rack], number))
    number, column = number[order], column[order]
    count = sent[number, column]
    owner, slot = np.repeat(number, count), np.repeat(column, count)
    total = np.bincount(owner, minlength=len(size))
    nth = np.arange(owner.size) - np.repeat(np.cumsum(total) - total, total)
    members, start = np.argsort(group, kind="stable"), np.cumsum(size) - size
    return members[start[owner] + nth % size[owner]], slot
