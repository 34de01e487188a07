"""What a plan may choose, as columns: of each partition some replicas stay, and some places are to be filled.

Every change of replica sets is one of these. A kind of change states it (``kinds``), a rule makes another one of it,
and ``solver.Solver`` finds its best sets; ``proof`` restates it for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from reseat.model import NONE, BoolArray, FloatArray, IntArray, Longs
from reseat.model.arrays import counts_on, newcomers, row_any, row_counts, widened

__all__ = ["Found", "NoRoom", "Problem"]


class NoRoom(Exception):
    """No sets keep every limit. It never leaves the package."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Which replica sets n partitions may have, over B brokers and K racks.

    Attributes:
        lists: (n, R) broker positions today, -1 padded on the right.
        fixed: (n, R) bool, replicas that stay whatever happens; they may be on any broker.
        targets: (B,) bool, brokers that count. What is neither fixed nor must go is on one of them.
        rack: (B,) rack of each broker from 0; all 0 where racks do not count.
        out: (n, R) bool, replicas that must go; None: none must.
        further: (n,) replicas that a partition gets beyond those it has; None: none does.
        receivers: (C, B) bool, who may receive, a row a class of partitions; None: all targets, one class.
        late: (C, B) bool, last resorts, none of them receivers: who gets what fits nowhere else; None: nobody.
        group: (n,) the class of each partition; None: one class.
        regions: (B,) codes of what racks are in, the coarsest first: replicas spread over these before they do over
            racks; never with ``keeps_racks``, and only partitions' own arcs know of them.
        keeps_racks: whether no partition's racks get less diverse, of what loses or lacks replicas than those of them
            that come can reach; else each is as diverse as it can be.
        base: (B,) replicas of other partitions on each broker; None: there are no others.
        room: (B,) the most that each may receive; None: no limit.
        most: (B,) the most that each may hold; None: no limit.
        most_bytes: (B,) the most bytes that each may hold, for who weighs them (``by_weight``); None: no limit.
        size: (n,) bytes that a move copies, NaN where not told, or None.
    """

    lists: IntArray
    fixed: BoolArray
    targets: BoolArray
    rack: IntArray
    out: BoolArray | None = None
    further: Longs | None = None
    receivers: BoolArray | None = None
    late: BoolArray | None = None
    group: Longs | None = None
    regions: tuple[Longs, ...] = ()
    keeps_racks: bool = False
    base: Longs | None = None
    room: Longs | None = None
    most: Longs | None = None
    most_bytes: FloatArray | None = None
    size: FloatArray | None = None

    @property
    def racks(self) -> int:
        """K, how many racks there are."""
        return int(self.rack.max(initial=0)) + 1

    @cached_property
    def open_to(self) -> BoolArray:
        """(C, B) bool: ``receivers``, of each class."""
        return self.targets[None, :] if self.receivers is None else self.receivers

    @cached_property
    def of_class(self) -> Longs:
        """(n,) ``group``, of each partition."""
        return np.zeros(len(self.lists), np.int64) if self.group is None else self.group

    @cached_property
    def staying(self) -> IntArray:
        """(n, R) the lists without what must go."""
        return self.lists if self.out is None else np.where(self.out, np.int32(NONE), self.lists)

    @cached_property
    def movable(self) -> BoolArray:
        """(n, R) bool: replicas that may move and need not."""
        found: BoolArray = (self.staying != NONE) & ~self.fixed
        return found

    @cached_property
    def going(self) -> tuple[Longs, Longs]:
        """(m,) rows and columns of the replicas that must go."""
        nothing = np.empty(0, np.int64)
        if self.out is None:
            return nothing, nothing
        flat = np.flatnonzero(self.out)
        width = max(1, self.lists.shape[1])
        return flat // width, flat % width

    @cached_property
    def need(self) -> Longs:
        """(n,) newcomers that each partition gets in any case."""
        need = np.zeros(len(self.lists), np.int64) if self.further is None else self.further
        return need if self.out is None else need + row_counts(self.out)

    @cached_property
    def loads(self) -> Longs:
        """(B,) replicas on each broker, without those that must go."""
        loads = counts_on(self.staying, len(self.targets))
        return loads if self.base is None else loads + self.base

    def loads_with(self, found: Found) -> Longs:
        """(B,) replicas on each broker once these sets are there."""
        before, after = (counts_on(one, len(self.targets)) for one in (self.staying[found.rows], found.lists))
        return self.loads - before + after

    def lists_with(self, found: Found) -> IntArray:
        """(n, R) all lists once these sets are there."""
        lists = self.lists.copy()
        lists[found.rows] = found.lists
        return lists

    def moves(self, found: Found) -> int:
        """Replicas that are copied."""
        if found.moves is not None:
            return found.moves
        return int(newcomers(self.lists[found.rows], found.lists).sum())

    def part(self, rows: Longs, base: Longs) -> Problem:
        """The problem of some partitions (n,), beside (B,) replicas of others."""
        per_row = ("lists", "fixed", "out", "further", "group", "size")
        own: dict[str, Any] = {
            name: None if (whole := getattr(self, name)) is None else whole[rows] for name in per_row
        }
        return replace(self, base=base, **own)

    def filled(self, rows: Longs, vacated: BoolArray, came: IntArray) -> IntArray:
        """The lists of these rows with newcomers in the vacated places, from left to right, and then appended.

        Args:
            rows: (m,) rows.
            vacated: (m, R) bool, places that are given up.
            came: (m, D) newcomers, in their order, -1 padded; as many in each row as it has such places.
        """
        lists = self.lists[rows]
        if self.further is not None and (most := int(self.further[rows].max(initial=0))):
            lists = widened(lists, lists.shape[1] + most)
            held = (lists != NONE).sum(axis=1)
            at = np.arange(lists.shape[1])
            vacated = widened(vacated, lists.shape[1], False)
            vacated |= (at >= held[:, None]) & (at < (held + self.further[rows])[:, None])
        lists[vacated] = came[came != NONE]  # both row by row, as many in each
        return lists


@dataclass(frozen=True, eq=False)
class Found:
    """New replica sets.

    Attributes:
        rows: (m,) partitions whose set changes, ascending.
        lists: (m, R') their lists, newcomers in the vacated places from left to right, the lowest broker first.
        moves: replicas that are copied, where they were counted already.
    """

    rows: Longs
    lists: IntArray
    moves: int | None = None

    @classmethod
    def nothing(cls, problem: Problem) -> Found:
        """No set changes."""
        return cls(np.empty(0, np.int64), problem.lists[:0])

    def in_order(self, problem: Problem) -> Found:
        """The same sets of a problem without rows whose set stays, newcomers of each list ascending."""
        new = newcomers(problem.lists[self.rows], self.lists)
        if self.moves == int(np.count_nonzero(new)):  # all that was put somewhere, in order
            return self
        changed = row_any(new) | ((self.lists != NONE).sum(axis=1) != (problem.lists[self.rows] != NONE).sum(axis=1))
        rows, lists, new = self.rows[changed], self.lists[changed].copy(), new[changed]
        row, _ = np.nonzero(new)
        lists[new] = lists[new][np.lexsort((lists[new], row))]
        return Found(rows, lists, int(np.count_nonzero(new)))
