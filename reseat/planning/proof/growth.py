"""Whether a plan for added brokers is the best: what it passed on to them, and what else it could have passed on.

Promises: True only where no plan that moves onto the joining brokers alone, and makes no partition's racks worse, is
better, objectives in the order of ``reseat.planning.proof.checker.check_addition``.

How: every way to pass one unit of load from broker to broker is an edge (``proofs.relocations``); where one may not be
allowed it is drawn all the same, so that what is proven holds all the more.

Complexity: O(P R^2) for the edges, O(B^2) for the paths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray
from reseat.planning.proof.compared import Change, rack_squares
from reseat.planning.proof.exchange import Relocation, least_reachable, maximum_is_least, relocations

__all__ = ["Growth", "growth_proven"]

IndexArray = npt.NDArray[np.int64]

#: Rows of the (rows, replicas, joining brokers) tables that are held at a time.
_ROWS_AT_ONCE = 1 << 14
#: Rows of the columns that are held at a time: 2 MB a column.
_ROWS_OF_COLUMNS = 1 << 18
#: A load that no broker has.
_FAR = 1 << 40


@dataclass(frozen=True, eq=False)
class Growth:
    """What a plan passed on to brokers that join.

    Attributes:
        joins: (B,) brokers that join.
        gives: (B,) brokers that may give: they count and do not join.
        racks_hold: whether no changed partition's sum of squares over racks rises.
        onto_joining_only: whether replicas went from ``gives`` to ``joins`` and nowhere else.
    """

    joins: BoolArray
    gives: BoolArray
    racks_hold: bool
    onto_joining_only: bool

    @classmethod
    def of(cls, change: Change, joins: BoolArray) -> Growth:
        """What ``change`` passed on."""
        gives = change.targets & ~joins
        onto = bool(joins[change.after[change.comes]].all() and gives[change.before[change.goes]].all())
        before, after = rack_squares(change.before, change.rack), rack_squares(change.after, change.rack)
        return cls(joins, gives, racks_hold=bool((after <= before).all()), onto_joining_only=onto)

    def edges(self, change: Change) -> BoolArray:
        """(B, B) ways to pass one unit of load on, over all partitions; at least those that the wish allows."""
        brokers = len(self.joins)
        edges = np.zeros((brokers, brokers), np.bool_)
        joining = np.flatnonzero(self.joins)
        if not joining.size:
            return edges
        rack = np.zeros(brokers, np.int64) if change.rack is None else change.rack
        holders = np.where(self.gives[change.before] & (change.before != NONE), change.before, NONE)
        for first in range(0, len(change.rows), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            allowed = _allowed(change.before[rows], holders[rows], rack, joining)
            edges |= relocations(
                Relocation(
                    holders=holders[rows],
                    taker=_paired(change.goes[rows], change.comes[rows], change.after[rows], allowed, joining),
                    members=change.after[rows],
                    joining=joining,
                    allowed=allowed,
                ),
                brokers,
            )
        still = ~change.pinned
        still[change.rows] = False
        replicas = change.current.replicas
        for first in range(0, len(still), _ROWS_OF_COLUMNS):
            rows = slice(first, first + _ROWS_OF_COLUMNS)
            lists = replicas[rows] if still[rows].all() else replicas[rows][still[rows]]
            self._add_first_steps(edges, lists, rack, joining)
        return edges

    def _add_first_steps(self, edges: BoolArray, lists: IntArray, rack: IndexArray, joining: IndexArray) -> None:
        """Add what partitions that passed nothing on could pass on; as ``_allowed``, a column at a time."""
        codes, gives = np.append(rack, -1), np.append(self.gives, False)
        columns = [lists[:, at].astype(np.int64) for at in range(lists.shape[1])]
        held = [codes[column] for column in columns]
        able = [gives[column] for column in columns]
        nothing = np.zeros(len(lists), np.int64)
        here = [sum(((other == own) for other in held), nothing) for own in held]
        there = {code: sum(((own == code) for own in held), nothing) for code in np.unique(rack[joining]).tolist()}
        emptiest = np.minimum.reduce(list(there.values()))
        uneven = np.zeros(len(lists), np.bool_)
        for may, count in zip(able, here, strict=True):
            uneven |= may & (count > emptiest + 1)
        # Joining brokers of one rack that hold none of these partitions are alike.
        holding = np.zeros(len(rack) + 1, np.bool_)
        for column in columns:
            holding[column] = True
        alone = holding[joining]
        groups = [(code, joining[~alone & (rack[joining] == code)]) for code in there]
        groups += [(int(rack[broker]), np.array([broker])) for broker in joining[alone].tolist()]
        for code, brokers in groups:
            if not brokers.size:
                continue
            free = np.ones(len(lists), np.bool_)
            if holding[brokers[0]]:
                for column in columns:
                    free &= column != brokers[0]
            found = np.zeros(len(rack), np.bool_)
            for column, own, may, count in zip(columns, held, able, here, strict=True):
                passes = free & may & ((own == code) | (count == there[code] + 1) | uneven)
                found |= np.bincount(column[passes], minlength=len(rack)).astype(np.bool_)
            edges[np.ix_(found, brokers)] = True


def _allowed(lists: IndexArray, holders: IndexArray, rack: IndexArray, joining: IndexArray) -> BoolArray:
    """(n, R, N) whether racks let a replica go there; for partitions that are uneven over racks, always.

    Let m be the replicas that a partition has in a rack. Where m(r) <= m(s) + 1 for every rack r that can give and
    every rack s that can take, each replica that goes from r to s adds at least 2 (m(s) - m(r) + 1) >= 0 to the sum of
    squares, so that in a plan that does not raise it all stay in their rack or have m(r) = m(s) + 1. Where that does
    not hold, one replica may make up for another, and all are let go anywhere.
    """
    codes = np.append(rack, -1)
    held, mine = codes[lists], codes[holders]
    here = (held[:, :, None] == held[:, None, :]).sum(axis=2)
    target = rack[joining]
    there = (held[:, :, None] == target).sum(axis=1)
    gives = holders != NONE
    allowed: BoolArray = (mine[:, :, None] == target) | (here[:, :, None] == there[:, None, :] + 1)
    uneven = np.where(gives, here, 0).max(axis=1, initial=0) > there.min(axis=1, initial=_FAR) + 1
    allowed |= uneven[:, None, None]
    allowed &= gives[:, :, None]
    return allowed


def _paired(
    goes: BoolArray, comes: BoolArray, after: IndexArray, allowed: BoolArray, joining: IndexArray
) -> IndexArray:
    """(n, R) for each replica that goes the broker that took it over, -1 for those that stayed.

    Any pairs that are allowed will do: those of another pairing are reached from it by chains of load zero.
    """
    taker = np.full(goes.shape, NONE, np.int64)
    count = goes.sum(axis=1)
    one = np.flatnonzero(count == 1)
    taker[one, goes[one].argmax(axis=1)] = after[one, comes[one].argmax(axis=1)]
    number = np.searchsorted(joining, after)
    for row in np.flatnonzero(count > 1).tolist():
        leaving, coming = np.flatnonzero(goes[row]).tolist(), np.flatnonzero(comes[row]).tolist()
        options = {i: [j for j in coming if allowed[row, i, number[row, j]]] for i in leaving}
        for i, j in _matched(options).items():
            taker[row, i] = after[row, j]
    return taker


def _matched(options: dict[int, list[int]]) -> dict[int, int]:
    """Pair each key with one of its options, none twice, as far as it goes (augmenting paths; few keys)."""
    holder: dict[int, int] = {}

    def placed(key: int, seen: set[int]) -> bool:
        for option in options[key]:
            if option not in seen:
                seen.add(option)
                if option not in holder or placed(holder[option], seen):
                    holder[option] = key
                    return True
        return False

    for key in options:
        placed(key, set())
    return {key: option for option, key in holder.items()}


def growth_proven(
    change: Change, joins: BoolArray, edges: BoolArray, full: BoolArray, max_moves: int | None
) -> tuple[bool, bool]:
    """Whether spread and then moves are least, and then the sum of squares; with ``max_moves`` the latter alone."""
    load, counted = change.load, change.targets
    if not counted.any():
        return True, True
    ends = counted & ~full
    old, new = counted & ~joins, counted & joins
    # The least load that can take one more, by the kind of broker it is.
    lowest_old = least_reachable(edges, load, ends & old, unreached=_FAR)
    lowest_new = least_reachable(edges, load, ends & new, unreached=_FAR)
    same_kind = np.where(joins, lowest_new, lowest_old)
    even = bool((load - same_kind <= 1)[counted].all())
    if max_moves is not None:
        if change.moves > max_moves:
            return False, False
        # Fewer moves are allowed; more as long as there are any left, else only one for one.
        fewer = (load - lowest_old)[new].max(initial=-_FAR)
        more = (load - lowest_new)[old].max(initial=-_FAR)
        spent = change.moves == max_moves
        return False, bool(even and fewer <= 1 and (fewer + more <= 2 if spent else more <= 1))
    high, low = int(load[counted].max()), int(load[counted].min())
    # Brokers that do not count have no edges; a load in between keeps them out of the extremes.
    known = np.where(counted, load, low)
    stuck_high = maximum_is_least(edges, known, ends)
    stuck_low = bool((full & (load == low)).any()) or maximum_is_least(
        np.ascontiguousarray(edges.T), np.where(counted, -load, -high), counted
    )
    if not (high == low or (stuck_high and stuck_low)):
        return False, False
    # Within these two bounds a move is saved where a joining broker can give back: it above the least, the other below
    # the most.
    saved = new & (load > low) & (lowest_old < high)
    return not saved.any(), bool(not saved.any() and even)
