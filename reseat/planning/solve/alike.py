"""Rows that are alike as one: equal rows of a table, and partitions that may do the same as far as racks go.

Promises: what holds of racks for a kind of partitions holds of each of its members; an exact choice of brokers is no
matter here.

Needs: (kinds, racks) tables that fit into memory; who has more racks than that looks at no racks (``pools``).

How: members of a kind have in common the racks of their replicas, whether each may move and is on a broker that
receives, how many newcomers they need and who may receive them. A movable replica may go from rack r to rack s while s
holds fewer of the partition than r; every set that is no less diverse is reached by such moves, each allowed by itself
(majorisation: what the racks above any level hold together never grows).

Complexity: O(n R log R) for n partitions, O(kinds x racks) for the tables.
Source: A. W. Marshall, I. Olkin, "Inequalities: Theory of Majorization", 1979, chapters 1 and 2; D. Gale, "A theorem on
flows in networks", 1957, for ``levels``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.planning.solve.problem import Problem
from reseat.planning.solve.rack_choice import RackChoice, rack_choice

__all__ = ["Kinds", "alike"]

#: Up to this value, and so many a row, distinct numbers are found by a table instead of sorting.
_TABLE, _TABLE_A_ROW = 1 << 22, 40


def alike(columns: Iterable[npt.NDArray[np.integer]]) -> tuple[Longs, Longs, Longs]:
    """Rows of a table, given by its columns (n,), that are equal.

    Returns:
        The first row of each kind, kinds by their values; (n,) the kind of each row; how many rows of each.
    """
    key, top = np.zeros(0, np.int64), 1
    for nth, column in enumerate(columns):
        if nth == 0:
            key = np.zeros(len(column), np.int64)
        least = int(column.min(initial=0))
        width = int(column.max(initial=0)) - least + 1
        if top * width >= 1 << 62:
            key = np.unique(key, return_inverse=True)[1].ravel()
            top = int(key.max(initial=0)) + 1
        key, top = key * width + (column - least), top * width
    if top <= min(max(_TABLE, 2 * len(key)), _TABLE_A_ROW * len(key)):
        size = np.bincount(key, minlength=top)
        there = size > 0
        group = (np.cumsum(there) - 1)[key]
        size = size[there]
        first = np.empty(size.size, np.int64)
        first[group[::-1]] = np.arange(len(key) - 1, -1, -1)
        return first, group, size
    _, first, group, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    return first, group.ravel(), size


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of partitions: G of them over K racks.

    Attributes:
        of: (n,) the kind of each partition.
        size: (G,) partitions of each.
        held: (G, K) replicas that stay or may move, by rack.
        movable: (G, K) those that may move.
        free: (G, K) brokers that may receive and have none of it.
        need: (G,) newcomers in any case.
        group: (G,) the class of each.
        keeps_racks: as ``Problem``.
    """

    of: Longs
    size: Longs
    held: IntArray
    movable: IntArray
    free: IntArray
    need: Longs
    group: Longs
    keeps_racks: bool

    @classmethod
    def of_problem(cls, problem: Problem, rack: IntArray) -> Kinds:
        """The kinds of a problem, racks (B,) perhaps others than its own."""
        stay, racks = problem.staying, int(rack.max(initial=0)) + 1
        group = problem.of_class
        able = np.append(problem.open_to, np.zeros((len(problem.open_to), 1), np.bool_), axis=1)
        receives = able[0][stay] if len(able) == 1 else able[group[:, None], stay]
        codes = np.append(4 * rack, np.int32(NONE)).astype(np.int32)[stay]
        codes += 2 * receives.view(np.int8) + problem.movable
        columns = list(codes.T.copy())
        for one, other in itertools.combinations(range(len(columns)), 2):  # each list sorted
            low, high = columns[one], columns[other]
            columns[one], columns[other] = np.minimum(low, high), np.maximum(low, high)
        first, of, size = alike((*columns, problem.need, group))
        tables = np.zeros((3, len(first), racks), np.int32)
        kinds = np.stack([column[first] for column in columns], axis=1) if columns else codes[first]
        who, slot = np.nonzero(kinds != NONE)
        code = kinds[who, slot]
        for table, counts in zip(tables, (np.ones(code.size), code & 1, (code >> 1) & 1), strict=True):
            np.add.at(table, (who, code >> 2), counts.astype(np.int32))
        held, movable, taken = tables
        of_class = group[first]
        there = np.stack([np.bincount(rack[one], minlength=racks) for one in problem.open_to]).astype(np.int32)
        return cls(of, size, held, movable, there[of_class] - taken, problem.need[first], of_class, problem.keeps_racks)

    @cached_property
    def completion(self) -> RackChoice:
        """The best racks of the newcomers, what may move staying."""
        return rack_choice(self.held, self.free, self.need)

    @cached_property
    def whole(self) -> RackChoice:
        """The best racks of newcomers and of all that may move."""
        need = self.need + self.movable.sum(axis=1)
        return rack_choice(self.held - self.movable, self.free + self.movable, need)

    @cached_property
    def even(self) -> BoolArray:
        """(G,) whether the racks are as they are to be once newcomers have theirs, without any other move."""
        if self.keeps_racks:
            return np.ones(len(self.size), np.bool_)
        even: BoolArray = self.completion.squares(self.held) <= self.whole.squares(self.held - self.movable)
        return even

    @cached_property
    def low(self) -> IntArray:
        """(G, K) what each rack holds at least once newcomers have theirs."""
        return self.held + self.completion.base

    @cached_property
    def high(self) -> IntArray:
        """(G, K) and at most."""
        return self.low + self.completion.open_racks

    def enters(self, rack: int) -> BoolArray:
        """(G, K) the racks that a movable replica in ``rack`` may go to; more, never less, where newcomers choose."""
        enters: BoolArray = self.low < self.high[:, [rack]]
        enters[:, rack] = True
        return enters & (self.free > 0)

    @cached_property
    def levels(self) -> Longs:
        """(G, L) how many racks hold more than l replicas, in every set that is as diverse as it is to be."""
        if self.keeps_racks:
            choice, fixed = self.completion, self.held
        else:
            choice, fixed = self.whole, self.held - self.movable
        sure = fixed + choice.base
        top = int(sure.max(initial=0)) + 1
        counts = np.stack([(sure > level).sum(axis=1) for level in range(top)], axis=1).astype(np.int64)
        every = np.arange(len(counts))
        counts[every, np.minimum(choice.level, top - 1)] += choice.extra
        return counts
