"""What added brokers can take, as a problem: loads, what is aimed at, bounds, and moves as columns.

Source: as ``reseat.planning.kinds.add``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.balance.racks import rack_groups
from reseat.model import (
    NONE,
    BoolArray,
    ClusterLayout,
    IntArray,
)
from reseat.model.arrays import on_brokers
from reseat.planning.preconditions import (
    usable,
)
from reseat.planning.solve.convex_flow import ConvexNetwork, Flow, Terminals, evenest_flow, least_flow

__all__ = ["Limits", "Shifts", "State", "Value", "Whole", "allowed", "best_flow", "capped", "terminals_of"]

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class State:
    """Who sits where, and who may give and take. B brokers, P partitions, R replicas.

    Attributes:
        replicas: (P, R) broker positions, -1 padded; blank where the partition stays where it is.
        load: (B,) replicas of each broker, also those.
        gives: (B,) bool, brokers that are not added, and available.
        takes: (B,) bool, added brokers that are available; all of them where none is.
        rack: (B,) rack of each broker; all 0 where no broker has one, so that every move stays in its rack.
    """

    replicas: IntArray
    load: Whole
    gives: BoolArray
    takes: BoolArray
    rack: IntArray

    @classmethod
    def of(cls, layout: ClusterLayout, added: Whole, unmovable: BoolArray) -> State:
        """The state of a layout; ``added`` are broker positions, ``unmovable`` (P,) partitions that stay."""
        count = len(layout.brokers)
        takes = np.zeros(count, np.bool_)
        takes[added] = True
        well = usable(layout)
        # Where none of those that join is available, these are what is left to move onto.
        if (takes & well).any():
            takes &= well
        groups = rack_groups(layout)
        return cls(
            replicas=np.where(unmovable[:, None], np.int32(NONE), layout.replicas)
            if unmovable.any()
            else layout.replicas,
            load=_loads(layout.replicas, count),
            gives=well & ~takes,
            takes=takes,
            rack=np.zeros(count, np.int32) if groups is None else groups,
        )

    def after(self, replicas: IntArray) -> State:
        """The same brokers with other replica lists."""
        gained = _loads(replicas, len(self.load)) - _loads(self.replicas, len(self.load))
        return replace(self, replicas=replicas, load=self.load + gained)

    @property
    def counted(self) -> BoolArray:
        """(B,) bool: brokers whose loads count."""
        return self.gives | self.takes

    @property
    def givers(self) -> Whole:
        """Positions of the brokers that give."""
        return np.flatnonzero(self.gives)

    @property
    def takers(self) -> Whole:
        """Positions of the added brokers."""
        return np.flatnonzero(self.takes)


def _loads(replicas: IntArray, brokers: int) -> Whole:
    return np.bincount(replicas.ravel() + 1, minlength=brokers + 1)[1:].astype(np.int64)


@dataclass(frozen=True)
class Value:
    """How good a plan is.

    Attributes:
        capped: whether fewer moves were allowed than the least spread needs; then squares are the aim.
        spread: fullest minus emptiest broker.
        moves: replicas that move.
        squares: sum of squares of replica counts.
    """

    capped: bool
    spread: int
    moves: int
    squares: int

    @classmethod
    def of(cls, load: Whole, moves: int, *, capped: bool) -> Value:
        """The value of these loads of the brokers that count."""
        return cls(capped, int(np.ptp(load)) if load.size else 0, moves, int((load * load).sum()))

    def equals(self, other: Value) -> bool:
        """Whether both are equally good."""
        if self.capped or other.capped:
            return (self.capped, self.squares) == (other.capped, other.squares)
        return self == other


def terminals_of(state: State, giver_node: Whole, taker_node: Whole, most: Whole) -> Terminals:
    """Givers, then takers. ``most`` is what each giver can give."""
    givers, takers = state.givers, state.takers
    gives = np.repeat([True, False], [len(givers), len(takers)])
    load = state.load[np.concatenate([givers, takers])]
    # A partition sits on a broker once, so that a taker takes at most the partitions that it does not hold.
    room = np.minimum(len(state.replicas) - state.load[takers], int(most.sum()))
    return Terminals(
        node=np.concatenate([giver_node, taker_node]),
        gives=gives,
        load=load,
        step=np.where(gives, -1, 1),
        low=np.zeros(len(load), np.int64),
        high=np.concatenate([most, room]),
    )


_Found = TypeVar("_Found")


@dataclass(frozen=True)
class Limits:
    """What is allowed.

    Attributes:
        moves: most moves; where given, the aim is the least sum of squares with so many. None: the least spread.
        receive: the most that one broker may receive.
    """

    moves: int | None = None
    receive: int | None = None


def capped(terminals: Terminals, limits: Limits) -> Terminals:
    """Terminals of which none receives more than the limits allow."""
    if limits.receive is None:
        return terminals
    high = np.where(terminals.gives, terminals.high, np.minimum(terminals.high, limits.receive))
    return replace(terminals, high=high)


def best_flow(arcs: ConvexNetwork, terminals: Terminals, limits: Limits) -> tuple[Flow, Value]:
    """The best flow in the order of the promises, and its value."""
    evenest = _required(evenest_flow(arcs, terminals))
    if limits.moves is not None:
        # Each further move gains less than the one before, down to the evenest: so take all that are allowed.
        moves = min(limits.moves, int(evenest.units[terminals.gives].sum()))
        flow = _required(evenest_flow(arcs, terminals, moves))
        return flow, Value.of(terminals.loads_after(flow.units), moves, capped=True)
    load = terminals.loads_after(evenest.units)
    low, high = (int(load.min()), int(load.max())) if load.size else (0, 0)
    # Units that lift a broker to the low end of the window and to its high end, by who gives and who takes.
    most = np.where(terminals.gives, terminals.load - low, high - terminals.load)
    fewest = np.where(terminals.gives, terminals.load - high, low - terminals.load)
    window = replace(
        terminals, low=np.maximum(terminals.low, fewest), high=np.minimum(terminals.high, np.maximum(most, 0))
    )
    moves = _required(least_flow(arcs, window))
    flow = _required(evenest_flow(arcs, window, moves))
    return flow, Value.of(terminals.loads_after(flow.units), moves, capped=False)


def _required(answer: _Found | None) -> _Found:
    if answer is None:
        raise AssertionError("The best balanced flow lies in the window, so that a flow exists.")
    return answer


@dataclass(frozen=True, eq=False)
class Shifts:
    """Replicas that move: n of them.

    Attributes:
        row: (n,) partition.
        column: (n,) place of the leaving replica in the partition's list.
        target: (n,) position of the broker that receives it.
    """

    row: Whole
    column: Whole
    target: Whole

    def __len__(self) -> int:
        return len(self.row)

    def applied(self, replicas: IntArray) -> IntArray:
        """The replica lists after these moves, newcomers in the vacated places."""
        moved = replicas.copy()
        moved[self.row, self.column] = self.target
        return moved

    @classmethod
    def joined(cls, parts: Sequence[Shifts]) -> Shifts:
        """All of them."""
        return cls(
            *(
                np.concatenate([np.empty(0, np.int64), *(getattr(part, name) for part in parts)])
                for name in ("row", "column", "target")
            )
        )


def allowed(state: State, lists: IntArray, column: Whole, target: Whole) -> BoolArray:
    """Whether each list may pass its replica at ``column`` on: not held yet, and racks no worse."""
    at = np.arange(len(lists))
    racks = np.append(state.rack, np.int32(NONE))[lists]
    source_rack, target_rack = racks[at, column], state.rack[target]
    there = (racks == target_rack[:, None]).sum(axis=1)
    here = (racks == source_rack[:, None]).sum(axis=1)
    fine = (source_rack == target_rack) | (there + 1 <= here)
    allowed: BoolArray = fine & ~(lists == target[:, None]).any(axis=1) & on_brokers(lists[at, column], state.gives)
    return allowed
