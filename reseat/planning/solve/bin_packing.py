"""One replica after the other: placing by weight, where no flow is exact.

Promises, in this order:
    1. Racks are the best (every seat is one that ``rack_choice`` allows).
    2. Loads are even, the heaviest replicas placed first and then exchanged while that helps. No optimum is claimed:
       evening out weights is bin packing, NP-hard; ``weight_floor`` gives a bound that no plan can pass.

Needs: weights of at least 0; where all weigh 1 it is the last resort for networks too large to be solved.

How: largest processing time first (R. L. Graham, "Bounds on multiprocessing timing anomalies", 1969): each replica goes
to the open broker that carries least. Then, from the fullest broker down, the one move or swap within a rack that
lowers the sum of squares most, until none does or the bound is as good as met.

Example: weights 5, 4, 3, 3, 3 for two empty brokers: 5 + 3 and 4 + 3 + 3, then swapped to 9 and 9 (5 + 4, 3 + 3 + 3).

Complexity: O(m B) to place m replicas, O(m + B) for each step of evening, at most ``_STEPS`` of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, FloatArray
from reseat.planning.solve.rack_choice import NoRoom, RackChoice, Task
from reseat.planning.solve.rounding import Rules, Seating

__all__ = ["by_turns", "evened", "weight_floor"]

_Ints = npt.NDArray[np.int64]

#: Steps of evening: each looks at one broker; what is still to gain after so many is far below one replica.
_STEPS = 400
#: A sum of squares this close to the bound, as a share of it, cannot be bettered by anything that matters.
_MET = 1e-6
#: Exchanges of one broker that are looked at in one step: 32 MB a table.
_EXCHANGES = 4_000_000
#: A gain below this share of the whole is rounding and not progress.
_ROUNDING = 1e-12


def by_turns(task: Task, choice: RackChoice, weight: FloatArray, loads: FloatArray) -> Seating:
    """Place the partitions' newcomers, heaviest first.

    Args:
        task: what is to be placed (its ``loads`` are not used).
        choice: the best racks.
        weight: (n,) what one replica of each partition weighs.
        loads: (B,) weight that each broker carries.

    Raises:
        NoRoom: the room of a rack runs out.
    """
    carried, room = loads.astype(np.float64), task.room.copy()
    closed = np.full(carried.shape, np.inf)
    closed[task.targets] = 0
    rows, seats = [], []
    for row in np.argsort(-weight, kind="stable").tolist():
        group = int(choice.group[row])
        base, optional = choice.base[group].copy(), choice.open_racks[group].copy()
        extra = int(choice.extra[group])
        cost = carried + closed
        cost[task.staying[row][task.staying[row] != NONE]] = np.inf
        cost[room <= 0] = np.inf
        for _ in range(int(task.needed[row])):
            wanted = base[task.rack] > 0
            if extra:
                wanted |= optional[task.rack]
            best = int(np.where(wanted, cost, np.inf).argmin())
            if not (wanted[best] and np.isfinite(cost[best])):
                raise NoRoom("The cap leaves too little room on the brokers that the partitions may go to.")
            rack = int(task.rack[best])
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


def evened(task: Task, seating: Seating, weight: FloatArray, loads: FloatArray) -> None:
    """Move and swap seats within racks while the sum of squares of the loads falls; changes ``seating``."""
    alone = np.unique(task.rack).size == task.rack.size
    pool_of = np.zeros(task.rack.size, np.int64) if alone else task.rack.astype(np.int64)
    rules = Rules(task, seating, np.arange(task.rack.size, dtype=np.int32))
    sizes = weight[seating.row]
    carried = loads + np.bincount(seating.seat, weights=sizes, minlength=task.rack.size)
    received = np.bincount(seating.seat, minlength=task.rack.size)
    enough = _ROUNDING * float((carried**2).sum())
    met = weight_floor(loads[task.targets], float(sizes.sum())) * (1 + _MET)
    draw = np.random.default_rng(0)  # which exchanges are looked at where there are too many: the same each time
    stuck = np.ones(task.rack.size, np.bool_)
    stuck[np.unique(seating.seat)] = False
    for _ in range(_STEPS):
        if stuck.all() or float((carried[task.targets] ** 2).sum()) <= met:
            return
        fullest = int(np.where(stuck, -np.inf, carried).argmax())
        mine = np.flatnonzero(seating.seat == fullest)
        # Moves to another broker of the pool, and swaps with a replica that sits on one.
        brokers = task.targets[
            (pool_of[task.targets] == pool_of[fullest])
            & (task.targets != fullest)
            & (received[task.targets] < task.room[task.targets])
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
        if others.size:
            swaps = gain[:, brokers.size :]
            swaps[rules.clashes(others[None, :], np.full(swaps.shape, fullest, np.int32))] = 0
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


def weight_floor(loads: FloatArray, total: float) -> float:
    """The least sum of squares of loads if ``total`` more could be cut as finely as one likes."""
    if loads.size == 0:
        return 0.0
    ordered = np.sort(loads)
    filled = ordered * np.arange(1, loads.size + 1) - np.cumsum(ordered)  # what lifts all below up to each one
    below = int(np.flatnonzero(filled <= total).max()) + 1
    level = (total + float(ordered[:below].sum())) / below
    return float((np.maximum(ordered, level) ** 2).sum())
