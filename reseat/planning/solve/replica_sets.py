"""Replica sets as columns, of which some replicas may move, and the brokers' loads as levels of a network."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, FloatArray, IntArray
from reseat.planning.solve.flow import UNBOUNDED, Network
from reseat.planning.solve.rack_choice import RackChoice, Task, rack_choice, situations

__all__ = ["Load", "Rebalanced", "Sets", "hang_levels"]

_Ints = npt.NDArray[np.int64]
#: A load of all brokers that count, or (T,) of each.
Load = int | _Ints


@dataclass(frozen=True, eq=False)
class Sets:
    """The replica sets of P partitions over B brokers and K racks.

    Attributes:
        lists: (P, R) broker positions, -1 padded anywhere.
        fixed: (P, R) bool, replicas that stay; what is fixed may be on any broker, what is not is on a target or goes.
        targets: (B,) bool, brokers that receive and count.
        rack: (B,) rack of each broker from 0; all 0 where racks do not count.
        size: (P,) bytes that a move copies, NaN where not told, or None.
        out: (P, R) bool, replicas that must go, on brokers that do not count; None: none must.
    """

    lists: IntArray
    fixed: BoolArray
    targets: BoolArray
    rack: IntArray
    size: FloatArray | None = None
    out: BoolArray | None = None

    @cached_property
    def going(self) -> tuple[_Ints, _Ints]:
        """(m,) rows and columns of the replicas that must go."""
        if self.out is None:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        row, column = np.nonzero(self.out)
        return row, column

    @cached_property
    def total(self) -> int:
        """Replicas that the brokers that count hold in the end."""
        return int(self.loads[self.targets].sum()) + self.going[0].size

    @cached_property
    def loose(self) -> BoolArray:
        """(P, R) replicas that may or must move."""
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

    def moves(self, found: Rebalanced) -> int:
        """Replicas that are copied."""
        before, after = self.lists[found.rows], found.lists
        stays = (after[:, :, None] == before[:, None, :]).any(axis=2)
        return int(((after != NONE) & ~stays).sum())

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


def hang_levels(
    network: Network,
    ends: tuple[_Ints, _Ints],
    loads: _Ints,
    window: tuple[Load, Load],
    *,
    cost: bool,
    tolerance: int | None = None,
) -> int:
    """Hang brokers on the sink so that each ends within its window; returns what a move costs.

    Args:
        network: the network.
        ends: (T,) its nodes for the brokers that count, and the node that takes what they hold.
        loads: (T,) what enters at each broker's own node.
        window: the least load and the greatest, of all or (T,) of each.
        cost: whether levels cost what they add to the sum of squares.
        tolerance: the difference of two loads up to which a move between them is not worth it; None: a move costs more
            than any levels.
    """
    brokers, sink = ends
    low, high = (np.broadcast_to(np.asarray(one, np.int64), brokers.shape) for one in window)
    width, lowest = high - low, int(low.min())
    network.supply(brokers, loads - low)
    network.supply(sink, int(low.sum() - loads.sum()))
    # In one window of one level the sum of squares is the same whoever holds more.
    if not cost or (tolerance is None and int(high.max()) - lowest <= 1):
        network.arcs(brokers, sink, width)
        return 1
    at = np.repeat(np.arange(brokers.size), width)
    level = low[at] + np.arange(at.size) - np.repeat(np.cumsum(width) - width, width) - lowest
    network.arcs(brokers[at], sink, 1, 2 * level + 1)
    if tolerance is not None:
        # From load a to load b a move saves 2 (a - b) - 2.
        return 2 * tolerance - 1
    # A circle that improves passes the sink once: by one level up and one down.
    return 2 * (int(high.max()) - lowest) + 3
