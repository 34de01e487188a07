"""Replicas that are alike as one class, so that the flow onto added brokers is small; then partitions for its units.

It is a relaxation: it does not know that a partition may sit on a broker once, so what it finds is a bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import (
    NONE,
    BoolArray,
)
from reseat.model.arrays import on_brokers
from reseat.planning.solve.addition import Limits, Shifts, State, Value, Whole, allowed, best_flow, capped, terminals_of
from reseat.planning.solve.convex_flow import ConvexNetwork, Flow, Terminals

__all__ = ["Classes", "bound_of", "by_classes", "classes_of"]

#: Rows looked at for each move when partitions are given to units: enough choice, without sorting a million rows.
_ROWS_A_MOVE = 6
_FEWEST_ROWS = 60_000
#: Racks of new brokers whose "may go there" bits are packed into one number before equal ones are merged.
_BITS = 16
#: Up to this value, distinct numbers are found by a table instead of sorting.
_TABLE = 1 << 22


@dataclass(frozen=True, eq=False)
class Classes:
    """Replicas by what they may do: K codes, G groups of takers.

    Attributes:
        code: (P, R) int64 code of each replica; 0 means that it may go nowhere.
        reach: (K, G) bool, the groups that a replica of this code may go to.
        group: (takers,) the group of each taker; a group is the empty takers of a rack, or one that holds replicas.
        uneven: whether a partition is so uneven over racks that moves could pay for one another.
    """

    code: Whole
    reach: BoolArray
    group: Whole
    uneven: bool


def classes_of(state: State, *, wide: bool = False) -> Classes:
    """Merge replicas that may go to the same groups of takers.

    With ``wide``, replicas of partitions that are uneven over racks may go anywhere: every allowed plan is among those.
    """
    replicas, takers = state.replicas, state.takers
    racks = np.append(state.rack, np.int32(NONE))[replicas]
    movable = on_brokers(replicas, state.gives)
    own = np.zeros(replicas.shape, np.int16)
    for j in range(replicas.shape[1]):
        own += racks == racks[:, j : j + 1]
    own[replicas == NONE] = 0

    # An empty taker is held by no partition, so that the empty ones of a rack are alike.
    alone = np.where(state.load[takers] > 0, takers, -1)
    _, first, group = np.unique(np.stack([state.rack[takers], alone]), axis=1, return_index=True, return_inverse=True)
    group = group.ravel()
    there: list[npt.NDArray[np.int16]] = []
    by_rack: dict[int, npt.NDArray[np.int16]] = {}
    for at in first.tolist():
        rack = int(state.rack[takers[at]])
        if rack not in by_rack:
            by_rack[rack] = (racks == rack).sum(axis=1, dtype=np.int16)
        there.append(by_rack[rack])
    fullest = own.max(axis=1, initial=0)
    emptiest = np.minimum.reduce(list(by_rack.values())) if by_rack else fullest
    uneven = fullest >= emptiest + 2

    def bits() -> Iterator[BoolArray]:
        for at, inside in zip(first.tolist(), there, strict=True):
            taker = int(takers[at])
            may = (racks == state.rack[taker]) | (own > inside[:, None])
            if wide:
                may |= uneven[:, None]
            may &= movable
            if state.load[taker]:
                may &= ~(replicas == taker).any(axis=1)[:, None]
            yield may

    code, reach = _merge(bits(), replicas.shape, len(first))
    return Classes(code=code, reach=reach, group=group, uneven=bool((uneven & movable.any(axis=1)).any()))


def _merge(bits: Iterator[BoolArray], shape: tuple[int, ...], count: int) -> tuple[Whole, BoolArray]:
    """Number the distinct columns of ``count`` bits a cell; number 0 is the one without any bit."""
    code = np.zeros(shape, np.int64)
    reach = np.zeros((1, 0), np.bool_)
    for start in range(0, count, _BITS):
        width = min(_BITS, count - start)
        for _ in range(width):
            code = (code << 1) | next(bits)
        code, seen = _renumbered(code)
        fresh = (seen[:, None] >> np.arange(width - 1, -1, -1)) & 1
        reach = np.concatenate([reach[seen >> width], fresh.astype(np.bool_)], axis=1)
    return code, reach


def _renumbered(code: Whole) -> tuple[Whole, Whole]:
    """Dense numbers for distinct values in ascending order, 0 always among them; and the values."""
    top = int(code.max(initial=0))
    if top < _TABLE:
        seen = np.bincount(code.ravel(), minlength=1) > 0
        seen[0] = True
        return (np.cumsum(seen) - 1)[code], np.flatnonzero(seen)
    values, inverse = np.unique(np.append(code.ravel(), 0), return_inverse=True)
    return inverse[:-1].reshape(code.shape), values


def _class_flow(state: State, classes: Classes) -> tuple[ConvexNetwork, Terminals, Whole, Whole]:
    """The relaxation: givers -> codes -> groups -> takers. Returns also (giver, code) of the first arcs."""
    givers, codes, groups = state.givers, len(classes.reach), classes.reach.shape[1]
    place = np.full(len(state.load) + 1, NONE, np.int64)
    place[givers] = np.arange(len(givers))
    at = place[state.replicas]
    inside = (at >= 0) & (classes.code > 0)
    counts = np.bincount(at[inside] * codes + classes.code[inside], minlength=len(givers) * codes)
    used = np.flatnonzero(counts)
    giver, code = used // codes, used % codes
    tail_code, head_group = np.nonzero(classes.reach)
    first_code, first_group = len(givers), len(givers) + codes
    whole = np.full(len(tail_code), int(counts.sum()), np.int64)
    arcs = ConvexNetwork(
        nodes=first_group + groups,
        tail=np.concatenate([giver, first_code + tail_code]),
        head=np.concatenate([first_code + code, first_group + head_group]),
        capacity=np.concatenate([counts[used], whole]),
    )
    most = np.bincount(giver, weights=counts[used], minlength=len(givers)).astype(np.int64)
    terminals = terminals_of(state, np.arange(len(givers)), first_group + classes.group, most)
    return arcs, terminals, giver, code


def by_classes(state: State, classes: Classes, limits: Limits) -> tuple[Shifts, Value]:
    """Solve over classes and give each unit a partition; and the value that was aimed at."""
    arcs, terminals, giver, code = _class_flow(state, classes)
    flow, aim = best_flow(arcs, capped(terminals, limits), limits)
    return _dealt(state, classes, flow, giver, code), aim


def bound_of(state: State, wide: Classes, limits: Limits) -> Value:
    """What no allowed plan can better: classes that know neither partitions nor how uneven ones pay for moves."""
    arcs, terminals, _, _ = _class_flow(state, wide)
    return best_flow(arcs, capped(terminals, limits), limits)[1]


def _dealt(state: State, classes: Classes, flow: Flow, giver: Whole, code: Whole) -> Shifts:
    """Give units of a class flow partitions: first one a partition, then further ones where that is allowed."""
    codes, groups = classes.reach.shape
    leaving = flow.on_arc[: len(giver)]
    entering = np.zeros((codes, groups), np.int64)
    entering[np.nonzero(classes.reach)] = flow.on_arc[len(giver) :]
    received = flow.units[len(state.givers) :]

    # Units in the order of their code, each with the broker it leaves ...
    by_code = np.argsort(code, kind="stable")
    unit_class = np.repeat(by_code, leaving[by_code])
    # ... and in the same order the group it enters; in the order of the groups, the broker that it reaches there.
    unit_group = np.repeat(np.tile(np.arange(groups), codes), entering.ravel())
    by_group = np.argsort(classes.group, kind="stable")
    target = np.empty(len(unit_class), np.int64)
    target[np.argsort(unit_group, kind="stable")] = np.repeat(state.takers[by_group], received[by_group])
    return _assigned(state, classes, state.givers[giver[unit_class]], code[unit_class], target)


def _assigned(state: State, classes: Classes, source: Whole, code: Whole, target: Whole) -> Shifts:
    """Find a partition for each unit (broker it leaves, class, broker it reaches); some may stay without."""
    unit_key = source * len(classes.reach) + code
    for rows in _row_choices(len(state.replicas), len(source)):
        shifts = _drawn(state, classes, rows, unit_key, target)
        if len(shifts) == len(source):
            break
    return shifts


def _row_choices(count: int, moves: int) -> Iterator[Whole]:
    """Rows to look at: some, evenly spread over topics, then all."""
    some = max(_FEWEST_ROWS, moves * _ROWS_A_MOVE)
    if some < count:
        yield np.unique(np.linspace(0, count - 1, some).astype(np.int64))
    yield np.arange(count)


def _drawn(state: State, classes: Classes, rows: Whole, unit_key: Whole, target: Whole) -> Shifts:
    """As ``_assigned``, among these rows; ``unit_key`` is broker and code in one number."""
    codes = len(classes.reach)
    original = state.replicas[rows]
    lists = original.copy()
    touched = np.zeros(len(rows), np.bool_)
    left = np.argsort(unit_key, kind="stable")
    found: list[Shifts] = []
    # First partitions of the unit's class that pass nothing on yet; then such of any class that may; then any that may,
    # also if they passed something on already.
    for any_class, again in ((False, False), (True, False), (True, True)):
        if not left.size:
            break
        scale = codes if any_class else 1
        cells = original if any_class else np.where(original >= 0, original * codes + classes.code[rows], NONE)
        lookup = np.zeros(len(state.load) * codes // scale + 1, np.bool_)
        lookup[unit_key[left] // scale] = True
        where, column = np.nonzero(lookup[cells])
        key = cells[where, column]
        # Members of a class in an order that does not follow topics, the same each time.
        free = np.lexsort((_scattered(rows[where]), key))
        while left.size and free.size:
            wanted, have = unit_key[left] // scale, key[free]
            nth = np.arange(left.size) - np.searchsorted(wanted, wanted)
            at = np.searchsorted(have, wanted) + nth
            has = at < np.searchsorted(have, wanted, "right")
            units, pick = left[has], free[at[has]]
            if not units.size:
                break
            row = where[pick]
            good = again | ~touched[row]
            good &= allowed(state, lists[row], column[pick], target[units])
            taken = np.zeros(row.size, np.bool_)
            taken[np.unique(np.where(good, row, -1 - np.arange(row.size)), return_index=True)[1]] = True
            taken &= good
            lists[row[taken], column[pick[taken]]] = target[units[taken]]
            touched[row[taken]] = True
            found.append(Shifts(rows[row[taken]], column[pick[taken]], target[units[taken]]))
            left = _without(left, units[taken], len(unit_key))
            free = _without(free, pick, len(where))
    return Shifts.joined(found)


def _without(numbers: Whole, gone: Whole, count: int) -> Whole:
    """``numbers``, all below ``count``, without those of ``gone``, in their order."""
    stays = np.ones(count, np.bool_)
    stays[gone] = False
    return numbers[stays[numbers]]


def _scattered(rows: Whole) -> Whole:
    """Numbers that order rows without following them (Fibonacci hashing)."""
    mixed: Whole = (rows * 2654435769) & 0xFFFFFFFF
    return mixed
