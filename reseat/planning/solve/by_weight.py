"""Replica sets of which the brokers carry weights as even as found: replicas move and change places by size.

Promises:
    1. Racks stay as good as the sets it starts from: no partition's sum of squares over racks rises.
    2. Every move or exchange brings the brokers' weights closer to ``goals``, which no plan with these racks can
       better; no optimum is claimed, as evening out weights is bin packing, NP-hard.
    3. No broker receives that holds as many replicas as the fullest did, or as an even share.

How: the broker that is farthest from its goal gives to, or takes from, one of those farthest on the other side: by
the move, or exchange of two replicas, that brings both closest for what is copied, until every broker is within a
tolerance, or nothing helps.

Example: brokers 0 and 1 hold 5, 4, 3 and 2, 1, 1 bytes: goals are 8 and 8, and 4 goes: no replica is closer to it.

Complexity: O(P R log(P R)) to sort, and O(m) a step for m replicas on a broker. Source: the goals are the continuous
relaxation of T. Ibaraki, N. Katoh, "Resource Allocation Problems", 1988, chapter 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reseat.model import NONE, BoolArray, FloatArray, IntArray, Longs
from reseat.model.arrays import counts_on, in_place
from reseat.planning.solve.alike import Kinds
from reseat.planning.solve.problem import Found, Problem

__all__ = ["ROUNDING", "WITHIN", "Evening", "exchanged", "goals", "least_copied", "lifted", "weight_on"]

#: What is rounding of a sum of bytes.
ROUNDING = 0.5
#: How near its goal a broker is to come, as a share of the mean: what is nearer is not worth a copy.
WITHIN = 0.01
#: The same of newcomers, which are copied in any case: sums of squares come within a millionth of the bound.
_NEARLY = 0.001
#: How much closer a step must bring two brokers in all, in shares of that.
_WORTH = 0.25
#: Replicas of one broker that are looked at for an exchange; partners that a broker tries, and first; candidates.
_LOOKED_AT, _PARTNERS, _FIRST, _TRIED = 512, 48, 8, 48
#: Passes of halving that find a level: the mean to one part in 10^18.
_HALVINGS = 60


def goals(problem: Problem, weight: FloatArray) -> FloatArray:
    """(B,) what each target would carry in the evenest plan if replicas could be cut as finely as one likes.

    Args:
        problem: what is there.
        weight: (P,) of each replica of a partition.

    Returns:
        The levels of the least sum of squares, each rack within the least and the most that its partitions may put
        there; so no plan with the best racks has a smaller sum. 0 for brokers that do not count.
    """
    kinds, rack = Kinds.of_problem(problem, problem.rack), problem.rack[problem.targets]
    choice, of_kind = kinds.whole, np.bincount(kinds.of, weights=weight, minlength=len(kinds.size))
    fixed = weight_on(np.where(problem.fixed, problem.lists, NONE), weight, len(problem.targets))
    least = of_kind @ choice.base + np.bincount(rack, weights=fixed[problem.targets], minlength=problem.racks)
    most = least + of_kind @ choice.open_racks
    total = float((of_kind * (kinds.need + kinds.movable.sum(axis=1))).sum() + fixed[problem.targets].sum())

    def shares(level: float) -> FloatArray:
        filled = np.bincount(rack, weights=np.maximum(fixed[problem.targets], level), minlength=problem.racks)
        return np.clip(filled, least, most).astype(np.float64)

    low, high = 0.0, total + 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if shares(middle).sum() <= total else (low, middle)
    share = shares(low)
    out = np.zeros(len(problem.targets))
    for number in range(problem.racks):
        here = np.flatnonzero(problem.targets & (problem.rack == number))
        out[here] = lifted(fixed[here], max(0.0, float(share[number]) - float(fixed[here].sum())))
    return out


def lifted(loads: FloatArray, spare: float) -> FloatArray:
    """(B,) the loads with the least sum of squares once ``spare`` more, cut as finely as one likes, came to them."""
    if not loads.size:
        return loads
    ordered = np.sort(loads)
    filled = ordered * np.arange(1, loads.size + 1) - np.cumsum(ordered)  # what lifts all below up to each one
    below = int(np.flatnonzero(filled <= spare).max()) + 1
    level: FloatArray = np.maximum(loads, (spare + float(ordered[:below].sum())) / below)
    return level


def weight_on(lists: IntArray, weight: FloatArray, brokers: int) -> FloatArray:
    """(B,) what each broker carries with these lists (P, R), each replica of a partition weighing ``weight`` (P,)."""
    row, column = np.nonzero(lists != NONE)
    return np.bincount(lists[row, column], weights=weight[row], minlength=brokers).astype(np.float64)


def least_copied(problem: Problem, weight: FloatArray, after: FloatArray) -> float:
    """What every plan copies after which each target carries no less and no more than some does in ``after`` (B,)."""
    before = weight_on(problem.lists, weight, len(problem.targets))
    low, high = after[problem.targets].min(initial=np.inf), after[problem.targets].max(initial=0.0)
    before_on = before[problem.targets]
    goes = float(weight[problem.going[0]].sum())
    return max(float((low - before_on).clip(min=0).sum()), goes + float((before_on - high).clip(min=0).sum()))


@dataclass(frozen=True, eq=False)
class Evening:
    """Replica sets with evener weights, and the steps that lead there.

    Attributes:
        problem: what is there.
        start: sets at their best on racks.
        weight: (P,) of each replica of a partition.
    """

    problem: Problem
    start: Found
    weight: FloatArray

    @cached_property
    def aim(self) -> FloatArray:
        """As ``goals``."""
        return goals(self.problem, self.weight)

    @cached_property
    def _search(self) -> _Search:
        """All steps, done."""
        problem, lists = self.problem, self.problem.lists_with(self.start)
        brokers, targets = len(problem.targets), problem.targets
        held = counts_on(lists, brokers)
        even = max(int(held[targets].max(initial=0)), -(-int(held[targets].sum()) // int(targets.sum())))
        room = np.full(brokers, even) if problem.most is None else np.minimum(problem.most, even)
        carried = weight_on(lists, self.weight, brokers)
        search = _Search(problem, lists, self.weight, self.aim, carried, room, WITHIN, problem.moves(self.start))
        search.run()
        return search

    def within(self, most: int | None) -> Found:
        """The sets after the last step at which at most so many replicas move, those of ``start`` among them."""
        lists, search = self.problem.lists_with(self.start), self._search
        fits = [end for end, moves in search.steps if most is None or moves <= most]
        for slot, broker in search.path[: fits[-1] if fits else 0]:
            lists.reshape(-1)[slot] = broker
        before = self.problem.lists
        changed = np.flatnonzero((np.sort(lists, axis=1) != np.sort(before, axis=1)).any(axis=1))
        return Found(changed, in_place(before[changed], lists[changed]))


def exchanged(problem: Problem, start: Found, weight: FloatArray, loads: FloatArray) -> Found:
    """The newcomers of ``start``, beside (B,) what brokers carry, moved and exchanged until sums are even."""
    lists, brokers, targets = problem.lists_with(start), len(problem.targets), problem.targets
    came, aim = weight_on(np.where(problem.fixed, NONE, lists), weight, brokers), np.zeros(brokers)
    aim[targets] = lifted(loads[targets], float(came[targets].sum()))
    room = counts_on(problem.staying, brokers) + (lists.size if problem.room is None else problem.room)
    _Search(problem, lists, weight, aim, loads + came, room, _NEARLY).run()
    return Found(start.rows, in_place(problem.lists[start.rows], lists[start.rows]))


@dataclass(frozen=True, slots=True)
class _Step:
    """A replica that moves, the giver's ``at``-th; and one that comes back, the taker's ``back``-th, or None."""

    giver: int
    taker: int
    at: int
    back: int | None
    score: float


@dataclass(eq=False)
class _Search:
    """Moves and exchanges of single replicas; changes ``lists``.

    Attributes:
        problem: what is there.
        lists: (P, R) as they are now.
        weight: (P,) of each replica of a partition.
        aim: (B,) what each target should carry.
        carried: (B,) what each carries.
        room: (B,) the most replicas that each may hold.
        within: how near its aim a broker is to come, as a share of the mean.
        moves: replicas that move by now.
    """

    problem: Problem
    lists: IntArray
    weight: FloatArray
    aim: FloatArray
    carried: FloatArray
    room: Longs
    within: float
    moves: int = 0

    def __post_init__(self) -> None:
        brokers = len(self.problem.targets)
        self.near = self.within * float(self.aim[self.problem.targets].mean())
        self.held = counts_on(self.lists, brokers)
        self.limit = np.full(brokers, np.inf) if self.problem.most_bytes is None else self.problem.most_bytes
        slot = np.flatnonzero((~self.problem.fixed & (self.lists != NONE) & (self.weight > 0)[:, None]).ravel())
        on, size = self.lists.ravel()[slot], self.weight[slot // max(1, self.lists.shape[1])]
        order = np.lexsort((slot, size, on))
        ends = np.cumsum(np.bincount(on, minlength=brokers))[:-1]
        # Of each broker the loose replicas on it as row * R + column, and their weights, the lightest first.
        self.slots = np.split(slot[order], ends)
        self.sizes = np.split(size[order], ends)
        # Which slot went to which broker; and after each step, how many of these and how many moves there are.
        self.path: list[tuple[int, int]] = []
        self.steps: list[tuple[int, int]] = []

    def run(self) -> None:
        """Until all are near their aims, or nothing helps."""
        stuck = ~self.problem.targets
        while True:
            off = self.carried - self.aim
            worst = int(np.where(stuck, 0.0, np.abs(off)).argmax())
            if stuck[worst] or abs(off[worst]) <= self.near:
                return
            step = self._best_of(worst, off)
            if step is None:
                stuck[worst] = True
                continue
            back = None if step.back is None else int(self.slots[step.taker][step.back])
            self._put(step.giver, step.at, step.taker)
            if back is not None:
                self._put(step.taker, int(np.flatnonzero(self.slots[step.taker] == back)[0]), step.giver)
            self.steps.append((len(self.path), self.moves))
            stuck[[step.giver, step.taker]] = False

    def _best_of(self, broker: int, off: FloatArray) -> _Step | None:
        """The step that serves this broker and another best, one of those farthest on the other side if any does."""
        gives = off[broker] > 0
        others = np.flatnonzero(self.problem.targets & ((off < 0) if gives else (off > 0)))
        others = others[np.argsort(-np.abs(off[others]), kind="stable")][:_PARTNERS]
        for some in (others[:_FIRST], others[_FIRST:]):
            pairs = [(broker, other) if gives else (other, broker) for other in some.tolist()]
            found = [step for a, b in pairs for step in self._steps(a, b)]
            if found:
                return max(found, key=lambda step: step.score)
        return None

    def _steps(self, giver: int, taker: int) -> Iterator[_Step]:
        """The moves, and the exchange, that suit this pair best."""
        over, under = self.carried[giver] - self.aim[giver], self.aim[taker] - self.carried[taker]
        mine, theirs = self.sizes[giver], self.sizes[taker]
        least = min(over, under)
        at = int(np.searchsorted(mine, least, side="right"))
        if self.held[taker] < self.room[taker]:
            # The largest that overshoots neither, and the smallest that overshoots one.
            for tried in (np.arange(at - 1, max(-1, at - 1 - _TRIED), -1), np.arange(at, min(mine.size, at + _TRIED))):
                score = self._score(over, under, mine[tried], mine[tried])
                good = (score > 0) & self._may_go(self.slots[giver][tried], giver, taker)
                good &= self.carried[taker] + mine[tried] <= self.limit[taker]
                for found in np.flatnonzero(good)[:1].tolist():
                    yield _Step(giver, taker, int(tried[found]), None, float(score[found]))
        if not theirs.size:
            return
        first = max(0, mine.size - _LOOKED_AT)
        mine = mine[first:]
        near = np.searchsorted(theirs, mine - least)[:, None] + np.arange(-2, 2)
        back = np.clip(near, 0, theirs.size - 1)
        score = self._score(over, under, mine[:, None] - theirs[back], mine[:, None] + theirs[back])
        one, two = np.unravel_index(np.argsort(-score, axis=None, kind="stable")[:_TRIED], score.shape)
        scores, sizes = score[one, two], mine[one] - theirs[back[one, two]]
        one, two = first + one, back[one, two]
        mine_at, theirs_at = self.slots[giver][one], self.slots[taker][two]
        width = self.lists.shape[1]
        good = (scores > 0) & (mine_at // width != theirs_at // width)
        good &= self._may_go(mine_at, giver, taker) & self._may_go(theirs_at, taker, giver)
        good &= self.carried[taker] + sizes <= self.limit[taker]
        for found in np.flatnonzero(good)[:1].tolist():
            yield _Step(giver, taker, int(one[found]), int(two[found]), float(scores[found]))

    def _score(self, over: float, under: float, shift: FloatArray, copied: FloatArray) -> FloatArray:
        """How much closer to the aims both are then, times the square of that for each byte copied; 0: not worth it."""
        closer = over + under - np.abs(over - shift) - np.abs(under - shift)
        worth: FloatArray = np.where(closer >= _WORTH * self.near, closer, 0.0)
        return worth**3 / (copied + self.near * _WORTH) ** 2

    def _may_go(self, slots: Longs, giver: int, taker: int) -> BoolArray:
        """(n,) which of these replicas may go there: not held already, and racks as good as before."""
        lists = self.lists[slots // self.lists.shape[1]]
        free: BoolArray = ~(lists == taker).any(axis=1)
        if self.problem.group is not None:
            free &= self.problem.open_to[self.problem.group[slots // self.lists.shape[1]], taker]
        rack = self.problem.rack
        if rack[giver] != rack[taker]:
            racks = np.append(rack, NONE)[lists]
            free &= (racks == rack[taker]).sum(axis=1) < (racks == rack[giver]).sum(axis=1)
        return free

    def _put(self, giver: int, at: int, taker: int) -> None:
        """Move the giver's ``at``-th replica."""
        slot, size = int(self.slots[giver][at]), self.sizes[giver][at]
        row, column = divmod(slot, self.lists.shape[1])
        self.slots[giver], self.sizes[giver] = np.delete(self.slots[giver], at), np.delete(self.sizes[giver], at)
        place = int(np.searchsorted(self.sizes[taker], size))
        self.slots[taker] = np.insert(self.slots[taker], place, slot)
        self.sizes[taker] = np.insert(self.sizes[taker], place, size)
        self.lists[row, column] = taker
        self.path.append((slot, taker))
        self.moves += int(taker not in self.problem.lists[row]) - int(giver not in self.problem.lists[row])
        self.carried[giver] -= size
        self.carried[taker] += size
        self.held[giver] -= 1
        self.held[taker] += 1
