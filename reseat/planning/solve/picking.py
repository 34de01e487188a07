"""Which replicas stay where partitions have too many: a convex flow over racks first, then over brokers' loads.

How: within a partition the i-th replica that stays in a rack where c must stay is at level c + i, and the lowest levels
are the best; only where the last level leaves a choice does the load decide. Partitions with the same choice are one
node. Beyond 40,000 different choices the flow holds only those that ``column_generation`` finds worth it.

Source: as ``convex_flow``.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.solve.column_generation import Loads, Swaps, worth_freeing
from reseat.planning.solve.convex_flow import ConvexNetwork, Terminals, evenest_flow

__all__ = ["Change", "Pick", "Whole", "replicas_kept", "shrinking"]

Whole = npt.NDArray[np.int64]
#: Different choices up to which one flow holds them all; beyond, flows over few partitions at a time are quicker.
GROUPS = 40_000
#: Partitions added to such a flow in a round, and the most rounds.
ADDED, _ROUNDS = 20_000, 24
#: Partitions that pick together, where picks need only be good.
_TOGETHER = 2_048


@dataclass(frozen=True, eq=False)
class Change:
    """The wish in columns, over the n rows of the topics whose replication factor differs.

    Attributes:
        layout: the layout planned on.
        factor: the replication factor wished for.
        rows: (n,) rows, ascending.
        lists: (n, R) their replicas.
        live: (B,) bool, brokers that receive and count.
        resorts: (B,) bool, brokers that receive what fits nowhere else.
        rack: (B,) rack of each broker; all 0 where no broker has one.
        factors: (n,) the factor of each row, where they differ; None: ``factor`` of all.
    """

    layout: ClusterLayout
    factor: int
    rows: Whole
    lists: IntArray
    live: BoolArray
    resorts: BoolArray
    rack: IntArray
    factors: Whole | None = None

    @property
    def wanted(self) -> Whole:
        """(n,) replicas that each row shall have."""
        return np.full(len(self.rows), self.factor) if self.factors is None else self.factors

    @property
    def held(self) -> Whole:
        """(n,) replicas that each row has."""
        count: Whole = (self.lists != NONE).sum(axis=1).astype(np.int64)
        return count

    @property
    def grows(self) -> BoolArray:
        """(n,) bool: rows that lack replicas; the others have too many."""
        return self.held < self.wanted


@dataclass(frozen=True, eq=False)
class Pick:
    """Rows that must pick some of their candidates.

    Attributes:
        candidates: (n, C) broker positions, -1 padded anywhere.
        fixed: (n, F) broker positions that the row has in any case, -1 padded anywhere.
        amount: (n,) how many to pick.
    """

    candidates: IntArray
    fixed: IntArray
    amount: Whole

    def rows(self, which: npt.NDArray[np.int64]) -> Pick:
        """The pick of some rows."""
        return Pick(self.candidates[which], self.fixed[which], self.amount[which])


def shrinking(change: Change, protected: BoolArray, at: Whole) -> Pick:
    """What the rows ``at``, which have too many replicas, may keep."""
    lists, fixed = change.lists[at], protected[at]
    candidates = np.where((lists != NONE) & ~fixed, lists, NONE)
    return Pick(candidates, np.where(fixed, lists, NONE), change.wanted[at] - fixed.sum(axis=1).astype(np.int64))


def replicas_kept(change: Change, pick: Pick, base: Whole) -> BoolArray:
    """(n, C) what each row picks: lowest rack levels first, then the least sum of squares of loads.

    Args:
        change: the change.
        pick: n rows and their candidates.
        base: (B,) replicas of each broker without any pick.
    """
    ordered = np.argsort(np.where(pick.candidates == NONE, np.iinfo(np.int32).max, pick.candidates), axis=1)
    lists = np.take_along_axis(pick.candidates, ordered, axis=1)
    racks = np.append(change.rack, np.int32(NONE))
    fixed_racks = np.sort(racks[pick.fixed], axis=1)
    key = _key(np.column_stack([lists, fixed_racks, pick.amount]))
    back: BoolArray = np.zeros(lists.shape, np.bool_)
    if len(key) > GROUPS and len(np.unique(key, axis=0)) > GROUPS:
        each = Pick(lists, pick.fixed, pick.amount)
        np.put_along_axis(back, ordered, _picked_by_few(change, each, base), axis=1)
        return back
    _, first, group, size = np.unique(key, axis=0, return_index=True, return_inverse=True, return_counts=True)
    group = group.ravel()
    groups = Pick(lists[first], pick.fixed[first], pick.amount[first])
    sent = _flowed(change, groups, size, base)
    chosen = np.zeros(lists.shape, np.bool_)
    row, column = _dealt(change, groups, group, size, sent)
    chosen[row, column] = True
    np.put_along_axis(back, ordered, chosen, axis=1)
    return back


def _key(table: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows that are equal where those of the table are: one number each, where that is enough."""
    top = int(table.max(initial=0)) + 2
    if float(top) ** table.shape[1] >= 2.0**62:
        return table
    key = np.zeros(len(table), np.int64)
    for column in table.T:
        key = key * top + column + 1
    return key


def _picked_by_few(change: Change, pick: Pick, base: Whole) -> BoolArray:
    """The same picks by flows over few rows at a time: the best over all rows where rounds suffice, else close to it.

    Whether it is the best is the checker's to say.
    """
    chosen = _first_picks(change, pick, base)
    held = np.zeros(len(chosen), np.bool_)
    brokers = len(base)
    weight = change.live.astype(np.int64)
    for _ in range(_ROUNDS):
        load = base + np.bincount(pick.candidates[chosen], minlength=brokers)
        more = worth_freeing(_swaps(change, pick, chosen), held, Loads(load, weight), ADDED)
        if more is None or not more.size:
            break
        held[more] = True
        rest = base + np.bincount(pick.candidates[chosen & ~held[:, None]], minlength=brokers)
        few = np.flatnonzero(held)
        chosen[few] = _flowed(change, pick.rows(few), np.ones(few.size, np.int64), rest) > 0
    return chosen


def _first_picks(change: Change, pick: Pick, base: Whole) -> BoolArray:
    """(n, C) picks with the best racks, each the least loaded broker so far: what the flow starts from."""
    chosen = np.zeros(pick.candidates.shape, np.bool_)
    racks = np.append(change.rack, np.int32(NONE))
    dead = np.append(~change.live, False)
    load = np.append(base, 0).astype(np.float64)
    most = int(pick.amount.max(initial=0))
    heaviest = 4.0 * (float(load.max()) + len(chosen) + 1)  # above any load; twice that parts one rack level from two
    rows = np.random.default_rng(0).permutation(len(chosen))
    for start in range(0, rows.size, _TOGETHER):
        at = rows[start : start + _TOGETHER]
        candidates, here = pick.candidates[at], racks[pick.candidates[at]]
        inside = (racks[pick.fixed[at]][:, :, None] == here[:, None, :]).sum(axis=1)
        taken = candidates == NONE
        for turn in range(most):
            price = load[candidates] + heaviest * (dead[candidates] + 2.0 * inside)
            price[taken] = np.inf
            some = np.flatnonzero(pick.amount[at] > turn)
            best = price[some].argmin(axis=1)
            taken[some, best] = chosen[at[some], best] = True
            inside[some] += here[some] == here[some, best][:, None]
            np.add.at(load, candidates[some, best], 1.0)
    return chosen


def _swaps(change: Change, pick: Pick, chosen: BoolArray) -> Swaps:
    """Every pick that could be another one at equal racks; all dead brokers are one."""
    racks = np.append(change.rack, np.int32(NONE))
    here, fixed = racks[pick.candidates], racks[pick.fixed]
    width = here.shape[1]
    inside = np.stack(
        [(fixed == here[:, [j]]).sum(axis=1) + ((here == here[:, [j]]) & chosen).sum(axis=1) for j in range(width)],
        axis=1,
    )
    grave = int(change.live.argmin())
    broker = np.where(np.append(change.live, True)[pick.candidates], pick.candidates, grave)
    broken = ~np.append(change.live, True)[pick.candidates]
    price = 4 * (int(change.layout.replicas_by_broker.max(initial=0)) + int(pick.amount.sum()) + 1)
    parts: list[tuple[Whole, IntArray, IntArray, Whole]] = []
    for i, j in itertools.permutations(range(width), 2):
        equal = (here[:, i] == here[:, j]) | (inside[:, i] == inside[:, j] + 1)
        rows = np.flatnonzero(equal & chosen[:, i] & ~chosen[:, j] & (pick.candidates[:, j] != NONE))
        cost = price * (broken[rows, j].astype(np.int64) - broken[rows, i])
        parts.append((rows.astype(np.int32), broker[rows, i], broker[rows, j], cost))
    if not parts:
        nothing = np.empty(0, np.int64)
        return Swaps(nothing, nothing, nothing, nothing)
    return Swaps(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _levels(change: Change, pick: Pick) -> tuple[Whole, Whole]:
    """(n, C) number of each candidate's rack within its row (the column where it occurs first), and rack level.

    The candidate that is i-th of its rack (from 0) stands for a pick at level c + i, where c replicas are fixed there.
    """
    racks = np.append(change.rack, np.int32(NONE))
    here, fixed = racks[pick.candidates], racks[pick.fixed]
    leader = np.zeros(here.shape, np.int64)
    level = np.zeros(here.shape, np.int64)
    for column in range(here.shape[1]):
        same = here[:, : column + 1] == here[:, column : column + 1]
        leader[:, column] = same.argmax(axis=1)
        level[:, column] = same.sum(axis=1) - 1 + (fixed == here[:, column : column + 1]).sum(axis=1)
    level[pick.candidates == NONE] = np.iinfo(np.int32).max
    return leader, level


def _flowed(change: Change, pick: Pick, size: Whole, load: Whole) -> Whole:
    """(g, C) how many of the ``size`` (g,) rows of each group pick each candidate."""
    groups, width = pick.candidates.shape
    leader, level = _levels(change, pick)
    reach = np.sort(level, axis=1)
    at = np.arange(groups)
    last = np.where(pick.amount > 0, reach[at, np.maximum(pick.amount - 1, 0)], -1)
    held = pick.candidates != NONE
    forced, optional = held & (level < last[:, None]), held & (level == last[:, None])

    # All dead brokers are one: their loads do not count, and a replica there costs more than any chain of exchanges of
    # live ones can gain.
    total = int((pick.amount * size).sum())
    price = 4 * (int(load.max(initial=0)) + total + 1)
    dead = held & ~on_brokers(pick.candidates, change.live)
    grave = int(np.flatnonzero(~change.live)[0]) if dead.any() else 0
    broker = np.where(dead, grave, pick.candidates)

    # Nodes: the brokers, a hub for each group that has a choice of racks, and a rack of a group. A rack with one
    # candidate is that broker itself. Candidates of a rack from which nothing is picked need no arc.
    brokers = len(load)
    alone = held & (np.stack([(leader == column).sum(axis=1) for column in range(width)], axis=1) == 1)
    alone = np.take_along_axis(alone, leader, axis=1) & held
    rack = at[:, None] * width + leader
    used = np.zeros(groups * width, np.bool_)
    used[rack[(forced | optional) & ~alone]] = True
    node = np.where(alone, broker, (brokers + groups + np.cumsum(used) - 1)[rack])
    supply = np.zeros(brokers + groups + int(used.sum()), np.int64)
    row, column = np.nonzero(forced)
    np.add.at(supply, node[row, column], size[row])
    supply[brokers : brokers + groups] = (pick.amount - forced.sum(axis=1)) * size
    out = np.nonzero(held & ~alone & used[rack])
    choose = np.nonzero(optional)
    arcs = ConvexNetwork(
        nodes=len(supply),
        tail=np.concatenate([node[out], brokers + choose[0]]),
        head=np.concatenate([broker[out], node[choose]]),
        capacity=size[np.concatenate([out[0], choose[0]])],
        supply=supply,
        cost=price * np.concatenate([dead[out], (dead & alone)[choose]]),
    )
    reached = np.unique(np.concatenate([broker[out], broker[alone & (forced | optional)]]))
    flow = evenest_flow(
        arcs,
        Terminals(
            node=reached.astype(np.int64),
            gives=np.zeros(len(reached), np.bool_),
            load=np.where(change.live[reached], load[reached], 0),
            step=np.ones(len(reached), np.int64),
            low=np.zeros(len(reached), np.int64),
            high=np.full(len(reached), total),
        ),
    )
    if flow is None:
        raise AssertionError("Every row has as many candidates as it picks, so that a flow exists.")
    sent: Whole = (forced & alone) * size[:, None]
    sent[out] = flow.on_arc[: len(out[0])]
    single = alone[choose]
    sent[choose[0][single], choose[1][single]] = flow.on_arc[len(out[0]) :][single]
    return sent


def _dealt(change: Change, groups: Pick, group: Whole, size: Whole, sent: Whole) -> tuple[Whole, Whole]:
    """(row, column) of each pick: what a group sends is dealt to its rows in turn.

    Candidates of a rack stand together, and nobody is picked more often than there are rows: dealing in turn gives no
    row a candidate twice, and each row as many of a rack as any other, or one more.
    """
    leader, _ = _levels(change, groups)
    number, column = np.nonzero(sent)
    order = np.lexsort((column, leader[number, column], number))
    number, column = number[order], column[order]
    count = sent[number, column]
    owner, slot = np.repeat(number, count), np.repeat(column, count)
    total = np.bincount(owner, minlength=len(size))
    nth = np.arange(owner.size) - np.repeat(np.cumsum(total) - total, total)
    members, start = np.argsort(group, kind="stable"), np.cumsum(size) - size
    return members[start[owner] + nth % size[owner]], slot
