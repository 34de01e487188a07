"""One replica after the other: placing by weight, where no flow is exact.

Promises, in this order:
    1. Racks are the best (every seat is one that ``rack_choice`` allows).
    2. Loads are even as found. No optimum is claimed: it is NP-hard; ``lifted`` is a bound that no plan passes.

Needs: weights of at least 0; where all weigh 1 it is the last resort for networks too large to be solved.

How: largest processing time first (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969): each replica goes
to the open broker that carries least. Then, from the fullest broker down, the one move or swap within a rack that
lowers the sum of squares most, until none does or the bound is as good as met.

Example: weights 5, 4, 3, 3, 3 for two empty brokers: 5 + 3 and 4 + 3 + 3, then swapped to 9 and 9 (5 + 4, 3 + 3 + 3).

Complexity: O(m B) to place m replicas, O(m + B) for each step of evening, at most ``_STEPS`` of them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import NONE, FloatArray
from reseat.planning.solve.alike import Kinds
from reseat.planning.solve.by_weight import lifted
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rounding import Rules, Seating, as_columns

__all__ = ["placed_by_weight"]

#: Steps of evening: each looks at one broker; what is still to gain after so many is far below one replica.
_STEPS = 400
#: A sum of squares this close to the bound, as a share of it, cannot be bettered by anything that matters.
_MET = 1e-6
#: Exchanges of one broker that are looked at in one step: 32 MB a table.
_EXCHANGES = 4_000_000
#: A gain below this share of the whole is rounding and not progress.
_ROUNDING = 1e-12


def placed_by_weight(problem: Problem, weight: FloatArray, loads: FloatArray, *, even: bool = True) -> Found:
    """Place newcomers with the best racks and even weights (good, never claimed to be exact).

    Args:
        problem: what needs newcomers; nothing else of it moves.
        weight: (n,) what one replica of each partition weighs.
        loads: (B,) weight that each broker carries.
        even: whether they are exchanged afterwards while that helps.

    Raises:
        NoRoom: the room of a rack runs out.
    """
    if problem.most is not None:  # as many as it may hold are as many as it may receive: nothing else moves
        most = problem.most - problem.loads
        problem = replace(problem, room=most if problem.room is None else np.minimum(problem.room, most), most=None)
    seating = _by_turns(problem, weight, loads)
    if even:
        _evened(problem, seating, weight, loads)
    rows = np.flatnonzero(problem.need)
    came = as_columns(seating, problem.need)[rows]
    vacated = np.zeros((rows.size, problem.lists.shape[1]), np.bool_) if problem.out is None else problem.out[rows]
    return Found(rows, problem.filled(rows, vacated, came), relaxed=False)


def _by_turns(problem: Problem, weight: FloatArray, loads: FloatArray) -> Seating:
    """Seats for newcomers, the heaviest first."""
    kinds = Kinds.of_problem(problem, problem.rack)
    choice = kinds.completion
    carried = loads.astype(np.float64)
    room = np.full(carried.size, problem.need.sum() + 1) if problem.room is None else problem.room.copy()
    closed = np.where(problem.open_to, 0, np.inf)
    rows, seats = [], []
    for row in np.argsort(-weight, kind="stable").tolist():
        kind = int(kinds.of[row])
        base, optional = choice.base[kind].copy(), choice.open_racks[kind].copy()
        extra = int(choice.extra[kind])
        cost = carried + closed[kinds.group[kind]]
        cost[problem.staying[row][problem.staying[row] != NONE]] = np.inf
        cost[room <= 0] = np.inf
        for _ in range(int(problem.need[row])):
            wanted = base[problem.rack] > 0
            if extra:
                wanted |= optional[problem.rack]
            best = int(np.where(wanted, cost, np.inf).argmin())
            if not (wanted[best] and np.isfinite(cost[best])):
                raise NoRoom("The cap leaves too little room on the brokers that the partitions may go to.")
            rack = int(problem.rack[best])
            if extra and optional[rack]:
                # The last replica of a rack that may take one more is the optional one.
                if base[rack] > 0:
                    base[rack] -= 1
                else:
                    optional[rack] = False
                    extra -= 1
            else:
                base[rack] -= 1
            cost[best] = np.inf
            carried[best] += weight[row]
            room[best] -= 1
            rows.append(row)
            seats.append(best)
    return Seating(np.array(rows, np.int64), np.zeros(len(rows), np.int64), np.array(seats, np.int32))


def _evened(problem: Problem, seating: Seating, weight: FloatArray, loads: FloatArray) -> None:
    """Move and swap seats within racks while the sum of squares of the loads falls; changes ``seating``."""
    rack, brokers = problem.rack, len(problem.rack)
    pool_of = np.zeros(brokers, np.int64) if np.unique(rack).size == brokers else rack.astype(np.int64)
    rules = Rules(problem.staying, problem.need, seating, np.arange(brokers, dtype=np.int32))
    targets = np.flatnonzero(problem.open_to.any(axis=0))
    room = np.full(brokers, seating.row.size + 1) if problem.room is None else problem.room
    sizes = weight[seating.row]
    carried = loads + np.bincount(seating.seat, weights=sizes, minlength=brokers)
    received = np.bincount(seating.seat, minlength=brokers)
    enough = _ROUNDING * float((carried**2).sum())
    met = float((lifted(loads[targets], float(sizes.sum())) ** 2).sum()) * (1 + _MET)
    draw = np.random.default_rng(0)  # which exchanges are looked at where there are too many: the same each time
    stuck = np.ones(brokers, np.bool_)
    stuck[np.unique(seating.seat)] = False
    for _ in range(_STEPS):
        if stuck.all() or float((carried[targets] ** 2).sum()) <= met:
            return
        fullest = int(np.where(stuck, -np.inf, carried).argmax())
        mine = np.flatnonzero(seating.seat == fullest)
        # Moves to another broker of the pool, and swaps with a replica that sits on one.
        brokers = targets[
            (pool_of[targets] == pool_of[fullest]) & (targets != fullest) & (received[targets] < room[targets])
        ]
        others = np.flatnonzero((pool_of[seating.seat] == pool_of[fullest]) & (seating.seat != fullest))
        most = _EXCHANGES // max(1, mine.size)
        if others.size > most:
            others = np.sort(draw.choice(others, most, replace=False))
        where = np.concatenate([brokers, seating.seat[others]]).astype(np.int32)
        back = np.concatenate([np.zeros(brokers.size), sizes[others]])
        shift = sizes[mine][:, None] - back[None, :]
        gain = 2 * shift * (carried[fullest] - carried[where][None, :] - shift)
        gain[rules.clashes(mine[:, None], np.broadcast_to(where, gain.shape))] = 0
        if problem.group is not None:
            gain[~problem.open_to[problem.group[seating.row[mine]]][:, where]] = 0
        if others.size:
            swaps = gain[:, brokers.size :]
            swaps[rules.clashes(others[None, :], np.full(swaps.shape, fullest, np.int32))] = 0
            swaps[:, ~problem.open_to[problem.of_class[seating.row[others]], fullest]] = 0
            swaps[seating.row[mine][:, None] == seating.row[others][None, :]] = 0
        if gain.size == 0 or float(gain.max()) <= enough:
            stuck[fullest] = True
            continue
        one, at = np.unravel_index(int(gain.argmax()), gain.shape)
        unit, target = int(mine[one]), int(where[at])
        moved = float(shift[one, at])
        seating.seat[unit] = target
        if at >= brokers.size:
            seating.seat[others[at - brokers.size]] = fullest
        else:
            received[target] += 1
            received[fullest] -= 1
        carried[fullest] -= moved
        carried[target] += moved
        stuck[target] = False
