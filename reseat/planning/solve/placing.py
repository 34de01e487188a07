"""Where replicas without a seat go: racks first, then load, exactly.

Promises, in this order:
    1. Every partition gets the newcomers it needs, each on a target broker that it is not yet on.
    2. Least sum, over partitions and racks, of the square of the partition's replicas in that rack.
    3. Among those, the least sum of squares of the loads of the targets.
    4. Ties, as far as exchanges of equals reach: no newcomer on a host that has the partition, then a topic's
       partitions spread over brokers. Never at the cost of 1 to 3.

Needs: every partition has enough open targets, and its staying replicas name each broker once.

How:
    Racks. A partition's rack term is separable and convex, so its best choices are known at once: a level that
    racks are filled up to (``base``, taken in every best choice) and ``extra`` more replicas, each in a different
    rack of ``open_racks``. Only these are modelled: any flow then has the least rack term, and only loads cost.
    Partitions with the same racks and open counts are one group.

    Loads. First a relaxation: own brokers are not excluded. Its optimum is cheap (a flow of groups into racks, or
    one filling where racks are many), and it bounds what any plan can reach. It is then realised: seats of a rack
    are dealt out in turn, and a replica that may not take its seat swaps with another. If all find a seat, the
    bound is reached and the plan is optimal. If not, the full network is solved: (partitions with the same open
    brokers) -> (partition, rack) where more than one replica may enter -> broker -> levels.

Example: brokers 1 (rack a), 2, 3 (rack b) with loads 5, 2, 1; a partition that stays on 1 and needs one: rack b is
    free, so base is none, extra 1, open_racks {b}; broker 3 takes it.

Complexity: O(n R log n) plus a flow of (groups x racks + levels) arcs; the full network has at most n B arcs.
Source: exchanges in discrete convex optimisation: K. Murota, "Discrete Convex Analysis", 2003, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, FloatArray, IntArray
from reseat.planning.solve.bin_packing import by_turns, evened
from reseat.planning.solve.flow import UNBOUNDED, Network, fill, first_feasible, level_arcs
from reseat.planning.solve.rack_choice import NoRoom, RackChoice, Task, rack_choice, rack_of_each, situations
from reseat.planning.solve.rounding import Seating, Ties, as_columns, dealt, repair_conflicts, untie

__all__ = ["Placing", "place", "place_by_weight"]

_Ints = npt.NDArray[np.int64]

#: Above this many (group, rack) pairs, racks are so many that one filling over all brokers is tried first.
MANY_RACK_PAIRS = 20_000
#: Above this many arcs the full network would take minutes and gigabytes; then the plan is only bounded.
FULL_NETWORK_ARCS = 8_000_000


@dataclass(frozen=True, eq=False)
class Placing:
    """The newcomers.

    Attributes:
        newcomers: (n, D) int32 broker positions, ascending, padded with -1.
        exact: whether the least sum of squares of loads was reached (for the best racks).
    """

    newcomers: IntArray
    exact: bool


def place(
    staying: IntArray,
    needed: npt.NDArray[np.integer],
    rack: IntArray,
    is_target: BoolArray,
    *,
    loads: npt.NDArray[np.integer],
    room: npt.NDArray[np.integer] | None = None,
    ties: Ties | None = None,
) -> Placing:
    """Choose newcomers for n partitions.

    Args:
        staying: (n, S) broker positions that keep the partition, -1 anywhere for none.
        needed: (n,) newcomers that each partition needs, at least 1.
        rack: (B,) rack number of each broker (``effective_racks``).
        is_target: (B,) bool, brokers that may receive.
        loads: (B,) replicas that each broker keeps from all partitions.
        room: (B,) the most that each may receive, or None.
        ties: what tells equally good seats apart, or None.

    Raises:
        NoRoom: under ``room`` no choice has the best racks.
    """
    task = _task(staying, needed, rack, is_target, loads=loads, room=room)
    seating, exact = _seated(task)
    if ties is not None:
        untie(task, seating, ties)
    return Placing(as_columns(seating, task.needed), exact)


def place_by_weight(
    staying: IntArray,
    needed: npt.NDArray[np.integer],
    rack: IntArray,
    is_target: BoolArray,
    *,
    loads: FloatArray,
    weight: FloatArray,
    room: npt.NDArray[np.integer] | None = None,
) -> Placing:
    """Choose newcomers with the best racks and even weights (good, never claimed to be exact).

    Args:
        staying: as ``place``.
        needed: as ``place``.
        rack: as ``place``.
        is_target: as ``place``.
        loads: (B,) weight that each broker keeps.
        weight: (n,) what one replica of each partition weighs.
        room: as ``place``.

    Raises:
        NoRoom: under ``room`` no seat was left with the best racks.
    """
    task = _task(staying, needed, rack, is_target, loads=np.zeros(rack.size, np.int64), room=room)
    kinds, group = situations(task)
    seating = by_turns(task, rack_choice(task, kinds, group, int(rack.max()) + 1), weight, loads)
    evened(task, seating, weight, loads)
    return Placing(as_columns(seating, task.needed), False)


def _task(
    staying: IntArray,
    needed: npt.NDArray[np.integer],
    rack: IntArray,
    is_target: BoolArray,
    *,
    loads: npt.NDArray[np.integer],
    room: npt.NDArray[np.integer] | None,
) -> Task:
    return Task(
        staying=staying,
        needed=np.asarray(needed, np.int64),
        rack=rack,
        loads=np.asarray(loads, np.int64),
        targets=np.flatnonzero(is_target),
        is_target=is_target,
        room=np.full(rack.size, UNBOUNDED) if room is None else np.asarray(room, np.int64),
    )


def _seated(task: Task) -> tuple[Seating, bool]:
    kinds, group = situations(task)
    racks = int(task.rack.max()) + 1
    many = len(kinds) * racks > MANY_RACK_PAIRS
    if many:
        seating = _by_one_filling(task)
        if seating is not None:
            return seating, True
    choice = rack_choice(task, kinds, group, racks)
    relaxed: Seating | None = None
    if not many:
        relaxed = _by_racks(task, choice)
        if repair_conflicts(task, relaxed, task.rack.size, np.arange(task.rack.size, dtype=np.int32)):
            return relaxed, True
    full = _by_full_network(task, choice)
    if full is not None:
        return full, True
    weight = np.ones(len(task.needed))
    return by_turns(task, choice, weight, task.loads.astype(np.float64)), False


# ---- the relaxation: own brokers are not excluded ------------------------------------------------------------


def _by_one_filling(task: Task) -> Seating | None:
    """Where every partition has a free rack for each newcomer: fill all targets at once, then swap by rack."""
    racks = int(np.unique(task.rack[task.targets]).size)
    if int((task.needed + (task.staying != NONE).sum(axis=1)).max(initial=0)) > racks:
        return None
    total = int(task.needed.sum())
    row = np.repeat(np.arange(len(task.needed)), task.needed)
    seats = dealt(task.targets, _filled(task, task.targets, total))
    seating = Seating(row, np.zeros(total, np.int64), seats)
    return seating if repair_conflicts(task, seating, 1, task.rack) else None


def _filled(task: Task, brokers: _Ints, total: int, before: _Ints | None = None) -> _Ints:
    loads, room = task.loads[brokers], task.room[brokers]
    if before is not None:
        loads, room = loads + before, room - before
    try:
        return fill(loads, total, room)
    except ValueError as none:
        raise NoRoom(str(none)) from none


def _by_racks(task: Task, choice: RackChoice) -> Seating:
    """The relaxed optimum by racks, with seats dealt out in turn: own brokers may still clash."""
    racks = choice.base.shape[1]
    forced = (choice.size[:, None] * choice.base).sum(axis=0)
    settled = (choice.open_racks.sum(axis=1) == choice.extra)[:, None] & choice.open_racks
    forced += (choice.size[:, None] * settled).sum(axis=0)
    groups, options = np.nonzero(choice.open_racks & ~settled)
    entering = np.zeros(groups.size, np.int64)
    if groups.size:
        entering = _racks_entered(task, choice, forced, groups, options)
    sent = np.zeros(choice.base.shape, np.int64)
    sent[settled] = np.broadcast_to(choice.size[:, None], settled.shape)[settled]
    sent[groups, options] = entering
    row, pool = rack_of_each(choice, sent)
    order = np.lexsort((row, pool))
    row, pool = row[order], pool[order]
    totals = np.bincount(pool, minlength=racks)
    seat = np.empty(row.size, np.int32)
    start = 0
    by_rack = [task.targets[task.rack[task.targets] == k] for k in range(racks)]
    for k in np.flatnonzero(totals).tolist():
        count = int(totals[k])
        seat[start : start + count] = dealt(by_rack[k], _filled(task, by_rack[k], count))
        start += count
    return Seating(row, pool, seat)


def _racks_entered(task: Task, choice: RackChoice, forced: _Ints, groups: _Ints, options: _Ints) -> _Ints:
    """How many replicas of each group enter each rack it may choose, for the least sum of squares of loads."""
    racks = forced.size
    free = np.unique(groups)
    place_of = np.full(len(choice.size), NONE, np.int64)
    place_of[free] = np.arange(free.size)
    supply = choice.size[free] * choice.extra[free]
    total = int(supply.sum())
    if total == 0:
        return np.zeros(groups.size, np.int64)
    loads = task.loads.copy()
    room = task.room.copy()
    for k in range(racks):
        inside = task.targets[task.rack[task.targets] == k]
        before = _filled(task, inside, int(forced[k]))
        loads[inside] += before
        room[inside] -= before
    reach = np.isin(task.rack[task.targets], np.unique(options))
    brokers = task.targets[reach]
    received = _filled_or_none(loads[brokers], room[brokers], total)

    def attempt(top: int) -> _Ints | None:
        network = Network()
        sources, entries, sink = network.nodes(free.size), network.nodes(racks), network.nodes(1)
        network.arcs(sources[place_of[groups]], entries[options], choice.size[groups])
        who, level = level_arcs(loads[brokers], np.minimum(room[brokers], total), top)
        # Brokers of a rack at the same level are alike: one arc with their number as capacity.
        floor = int(level.min()) if level.size else 0
        span = int(level.max()) - floor + 1 if level.size else 1
        key, capacity = np.unique(task.rack[brokers[who]].astype(np.int64) * span + (level - floor), return_counts=True)
        network.arcs(entries[key // span], sink, capacity, 2 * (key % span) + 1)
        network.supply(sources, supply)
        network.supply(sink, -total)
        return network.solve()

    lowest = int((loads[brokers] + received)[received > 0].max())
    flow = first_feasible(lowest, int(loads[brokers].max()) + total, attempt)
    if flow is None:
        raise NoRoom("The cap leaves too little room in the racks that the partitions need.")
    return flow[: groups.size]


def _filled_or_none(loads: _Ints, room: _Ints, total: int) -> _Ints:
    try:
        return fill(loads, total, np.minimum(room, total))
    except ValueError as none:
        raise NoRoom(str(none)) from none


# ---- the full network --------------------------------------------------------------------------------------


def _by_full_network(task: Task, choice: RackChoice) -> Seating | None:
    """Every partition with its own brokers excluded, solved exactly; None where the network is too large."""
    targets = task.targets
    arcs = int((task.needed > 0).sum()) * targets.size
    if arcs > FULL_NETWORK_ARCS:
        return None
    extra, base = choice.extra[choice.group], choice.base[choice.group]
    single = (task.needed == 1) & (extra == 1)
    rack_of = task.rack[targets]
    position = np.full(task.rack.size + 1, targets.size, np.int64)
    position[targets] = np.arange(targets.size)

    def open_brokers(rows: _Ints) -> BoolArray:
        mask = np.ones((rows.size, targets.size + 1), np.bool_)
        mask[np.arange(rows.size)[:, None], position[task.staying[rows]]] = False
        return mask[:, :-1]

    # Partitions that need one: alike where the same brokers are open.
    ones = np.flatnonzero(single)
    open_ones = open_brokers(ones) & choice.open_racks[choice.group[ones]][:, rack_of]
    packed = np.packbits(open_ones, axis=1)
    _, first, alike, size = np.unique(packed, axis=0, return_index=True, return_inverse=True, return_counts=True)
    alike = alike.ravel()
    who, broker = np.nonzero(open_ones[first])
    # Partitions that need more, or must enter a rack: a node for each (partition, rack).
    others = np.flatnonzero(~single)
    relevant = (base[others] > 0) | choice.open_racks[choice.group[others]]
    pair_row, pair_rack = np.nonzero(relevant)
    pair_base = base[others][pair_row, pair_rack].astype(np.int64)
    pair_open = choice.open_racks[choice.group[others[pair_row]], pair_rack]
    pair, pair_broker = np.nonzero(open_brokers(others[pair_row]) & (rack_of[None, :] == pair_rack[:, None]))
    total = int(task.needed.sum())
    loads, room = task.loads[targets], np.minimum(task.room[targets], len(task.needed))
    received = _filled_or_none(loads, room, total)

    def attempt(top: int) -> _Ints | None:
        network = Network()
        groups, parts = network.nodes(len(first)), network.nodes(others.size)
        pairs, seats, sink = network.nodes(pair_row.size), network.nodes(targets.size), network.nodes(1)
        network.arcs(groups[who], seats[broker], size[who])
        network.arcs(pairs[pair], seats[pair_broker], 1)
        network.arcs(parts[pair_row[pair_open]], pairs[pair_open], 1)
        at, level = level_arcs(loads, room, top)
        network.arcs(seats[at], sink, 1, 2 * (level - int(loads.min())) + 1)
        network.supply(groups, size)
        network.supply(parts, extra[others])
        network.supply(pairs, pair_base)
        network.supply(sink, -total)
        return network.solve()

    lowest = int((loads + received)[received > 0].max())
    flow = first_feasible(lowest, int(loads.max()) + total, attempt)
    if flow is None:
        raise NoRoom("The cap leaves too little room on the brokers that the partitions may go to.")
    sent = flow[: who.size]
    members = ones[np.argsort(alike, kind="stable")]
    taken = flow[who.size : who.size + pair.size] > 0
    row = np.concatenate([members, others[pair_row[pair[taken]]]])
    seat = np.concatenate([np.repeat(targets[broker], sent), targets[pair_broker[taken]]]).astype(np.int32)
    return Seating(row, np.zeros(row.size, np.int64), seat)
