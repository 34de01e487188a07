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

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray
from reseat.planning.flow import UNBOUNDED, Network, fill, first_feasible, level_arcs

__all__ = ["NoRoom", "Placing", "Ties", "effective_racks", "place"]

_Ints = npt.NDArray[np.int64]
_Price = Callable[[_Ints, IntArray], _Ints]

#: Above this many (group, rack) pairs, racks are so many that one filling over all brokers is tried first.
_MANY_RACK_PAIRS = 20_000
#: Above this many arcs the full network would take minutes and gigabytes; then the plan is only bounded.
_FULL_NETWORK_ARCS = 8_000_000
#: Partners that a replica compares before it swaps: enough that a chance of 1 in 3 to fit is missed once in 600.
_PARTNERS = 16
_HARD_ROUNDS = 12
_SOFT_ROUNDS = 5
#: A newcomer on a host that has the partition outweighs any number of replicas of its topic on the broker.
_HOST_PENALTY = 1 << 24
#: Largest table (affected topics x brokers) that the topic tie may take: 80 MB.
_TOPIC_TABLE = 20_000_000


class NoRoom(Exception):
    """The targets cannot take all newcomers under the cap, with the best racks. It never leaves the package."""


@dataclass(frozen=True, eq=False)
class Ties:
    """What tells equally good seats apart.

    Attributes:
        host: (B,) a number for each host; -1 where not told.
        topic: (n,) a number for the topic of each partition, or None: no matter.
        on_broker: (topics, B) replicas of the topic on each broker (those that leave not counted), or None.
    """

    host: IntArray
    topic: npt.NDArray[np.int64] | None = None
    on_broker: IntArray | None = None


@dataclass(frozen=True, eq=False)
class Placing:
    """The newcomers.

    Attributes:
        newcomers: (n, D) int32 broker positions, ascending, padded with -1.
        exact: whether the least sum of squares of loads was reached (for the best racks).
    """

    newcomers: IntArray
    exact: bool


def effective_racks(layout: ClusterLayout) -> tuple[IntArray, bool]:
    """(B,) rack number of each broker, and whether the rack term is on.

    A broker without a rack is a rack of its own. Where no broker has one, all are: then every choice has the same
    rack term, and it is off.
    """
    racks = layout.rack_of.astype(np.int32)
    alone = racks < 0
    racks[alone] = len(layout.racks) + np.arange(int(alone.sum()), dtype=np.int32)
    return racks, bool(layout.racks)


@dataclass(frozen=True, eq=False)
class _Task:
    staying: IntArray  # (n, S)
    needed: _Ints  # (n,)
    rack: IntArray  # (B,)
    loads: _Ints  # (B,)
    targets: _Ints  # (T,) positions
    is_target: BoolArray  # (B,)
    room: _Ints  # (B,)


@dataclass(frozen=True, eq=False)
class _RackChoice:
    """The best rack choices of each group of alike partitions."""

    group: _Ints  # (n,)
    size: _Ints  # (G,)
    base: IntArray  # (G, K)
    extra: _Ints  # (G,)
    open_racks: BoolArray  # (G, K)


@dataclass(eq=False)
class _Seating:
    """One replica a row: the partition it belongs to, the pool in which it may swap, its seat."""

    row: _Ints
    pool: _Ints
    seat: IntArray


def place(
    staying: IntArray,
    needed: npt.NDArray[np.integer],
    rack: IntArray,
    loads: npt.NDArray[np.integer],
    is_target: BoolArray,
    *,
    room: npt.NDArray[np.integer] | None = None,
    ties: Ties | None = None,
) -> Placing:
    """Choose newcomers for n partitions.

    Args:
        staying: (n, S) broker positions that keep the partition, -1 anywhere for none.
        needed: (n,) newcomers that each partition needs, at least 1.
        rack: (B,) rack number of each broker (``effective_racks``).
        loads: (B,) replicas that each broker keeps from all partitions.
        is_target: (B,) bool, brokers that may receive.
        room: (B,) the most that each may receive, or None.
        ties: what tells equally good seats apart, or None.

    Raises:
        NoRoom: under ``room`` no choice has the best racks.
    """
    task = _Task(
        staying=staying,
        needed=np.asarray(needed, np.int64),
        rack=rack,
        loads=np.asarray(loads, np.int64),
        targets=np.flatnonzero(is_target),
        is_target=is_target,
        room=np.full(rack.size, UNBOUNDED) if room is None else np.asarray(room, np.int64),
    )
    seating, exact = _seated(task)
    if ties is not None:
        _untie(task, seating, ties)
    return Placing(_as_columns(seating, task.needed), exact)


def _seated(task: _Task) -> tuple[_Seating, bool]:
    situations, group = _situations(task)
    racks = int(task.rack.max()) + 1
    many = len(situations) * racks > _MANY_RACK_PAIRS
    if many:
        seating = _by_one_filling(task)
        if seating is not None:
            return seating, True
    choice = _rack_choice(task, situations, group, racks)
    relaxed: _Seating | None = None
    if not many:
        relaxed = _by_racks(task, choice)
        if _settle(task, relaxed, task.rack.size, np.arange(task.rack.size, dtype=np.int32)):
            return relaxed, True
    full = _by_full_network(task, choice)
    if full is not None:
        return full, True
    return _by_turns(task, choice), False


# ---- racks -------------------------------------------------------------------------------------------------


def _situations(task: _Task) -> tuple[npt.NDArray[np.int64], _Ints]:
    """Distinct (racks of the staying replicas, whether each is a target, needed), and each partition's."""
    codes = np.append(2 * task.rack + ~task.is_target, NONE).astype(np.int64)[task.staying]
    table = np.column_stack([np.sort(codes, axis=1), task.needed])
    base = int(table.max(initial=0)) + 2
    if float(base) ** table.shape[1] < 2.0**62:
        key = np.zeros(len(table), np.int64)
        for column in table.T:
            key = key * base + (column + 1)
        _, first, group = np.unique(key, return_index=True, return_inverse=True)
    else:
        _, first, group = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return table[first], group.ravel()


def _rack_choice(task: _Task, situations: npt.NDArray[np.int64], group: _Ints, racks: int) -> _RackChoice:
    groups = len(situations)
    held = np.zeros((groups, racks), np.int32)
    closed = np.zeros((groups, racks), np.int32)
    who, slot = np.nonzero(situations[:, :-1] != NONE)
    code = situations[who, slot]
    np.add.at(held, (who, code >> 1), 1)
    np.add.at(closed, (who, code >> 1), (code & 1) == 0)
    open_ = np.bincount(task.rack[task.targets], minlength=racks)[None, :] - closed
    needed = situations[:, -1]
    # Fill every rack up to a level, the highest that does not take more than is needed.
    level = np.zeros(groups, np.int64)
    base = np.zeros((groups, racks), np.int32)
    for step in range(1, int(held.max(initial=0) + needed.max(initial=0)) + 1):
        taken = np.clip(step - held, 0, open_)
        fits = taken.sum(axis=1) <= needed
        if not fits.any():
            break
        base[fits] = taken[fits]
        level[fits] = step
    extra = needed - base.sum(axis=1)
    open_racks = (held <= level[:, None]) & (level[:, None] - held < open_) & (extra > 0)[:, None]
    return _RackChoice(group, np.bincount(group, minlength=groups), base, extra, open_racks)


# ---- the relaxation: own brokers are not excluded ------------------------------------------------------------


def _by_one_filling(task: _Task) -> _Seating | None:
    """Where every partition has a free rack for each newcomer: fill all targets at once, then swap by rack."""
    racks = int(np.unique(task.rack[task.targets]).size)
    if int((task.needed + (task.staying != NONE).sum(axis=1)).max(initial=0)) > racks:
        return None
    total = int(task.needed.sum())
    row = np.repeat(np.arange(len(task.needed)), task.needed)
    seats = _dealt(task.targets, _filled(task, task.targets, total))
    seating = _Seating(row, np.zeros(total, np.int64), seats)
    return seating if _settle(task, seating, 1, task.rack) else None


def _filled(task: _Task, brokers: _Ints, total: int, before: _Ints | None = None) -> _Ints:
    loads, room = task.loads[brokers], task.room[brokers]
    if before is not None:
        loads, room = loads + before, room - before
    try:
        return fill(loads, total, room)
    except ValueError as none:
        raise NoRoom(str(none)) from none


def _dealt(brokers: _Ints, received: _Ints) -> IntArray:
    """Seats in turn: every broker's first seat, then every broker's second, ..."""
    seats = np.repeat(brokers, received)
    turn = np.arange(seats.size) - np.repeat(np.cumsum(received) - received, received)
    return seats[np.argsort(turn, kind="stable")].astype(np.int32)


def _by_racks(task: _Task, choice: _RackChoice) -> _Seating:
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
    row, pool = _rack_of_each(choice, sent)
    order = np.lexsort((row, pool))
    row, pool = row[order], pool[order]
    totals = np.bincount(pool, minlength=racks)
    seat = np.empty(row.size, np.int32)
    start = 0
    by_rack = [task.targets[task.rack[task.targets] == k] for k in range(racks)]
    for k in np.flatnonzero(totals).tolist():
        count = int(totals[k])
        seat[start : start + count] = _dealt(by_rack[k], _filled(task, by_rack[k], count))
        start += count
    return _Seating(row, pool, seat)


def _racks_entered(task: _Task, choice: _RackChoice, forced: _Ints, groups: _Ints, options: _Ints) -> _Ints:
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


def _rack_of_each(choice: _RackChoice, sent: _Ints) -> tuple[_Ints, _Ints]:
    """Deal the racks that groups enter out to their partitions: (row, rack) of each newcomer.

    Each partition of a group takes ``extra`` different racks. A rack is entered at most once a partition, so its
    share of the slots is a run no longer than the group; dealing slots to partitions in turn never gives one twice.
    """
    rows, pools = [], []
    if choice.base.any():
        base = choice.base[choice.group]
        row, pool = np.nonzero(base)
        times = base[row, pool]
        rows.append(np.repeat(row, times))
        pools.append(np.repeat(pool, times))
    group, pool = np.nonzero(sent)
    count = sent[group, pool]
    if group.size:
        slot_group, slot_pool = np.repeat(group, count), np.repeat(pool, count)
        turn = np.arange(slot_group.size) - np.repeat(np.cumsum(count) - count, count)
        turn[choice.extra[slot_group] > 1] = 0
        order = np.lexsort((slot_pool, turn, slot_group))
        slot_group, slot_pool = slot_group[order], slot_pool[order]
        members = np.argsort(choice.group, kind="stable")
        first = np.cumsum(choice.size) - choice.size
        slots = np.bincount(slot_group, minlength=choice.size.size)
        nth = np.arange(slot_group.size) - np.repeat(np.cumsum(slots) - slots, slots)
        rows.append(members[first[slot_group] + nth % choice.size[slot_group]])
        pools.append(slot_pool)
    return np.concatenate(rows).astype(np.int64), np.concatenate(pools).astype(np.int64)


# ---- swaps -------------------------------------------------------------------------------------------------


class _Rules:
    """What a seat costs a replica: a clash with its own partition, and ties. Lower is better, 0 is free."""

    def __init__(self, task: _Task, seating: _Seating, key: IntArray, ties: Ties | None = None) -> None:
        self._seating = seating
        self._key = key
        self._ties = ties
        self._staying = np.append(key, NONE).astype(np.int32)[task.staying]
        if ties is not None:
            self._hosts = np.append(ties.host, NONE).astype(np.int32)[task.staying]
        rows = seating.row
        # The other newcomers of the same partition, -1 padded; none where every partition needs one.
        width = int(task.needed.max(initial=1)) - 1
        self._siblings = np.full((rows.size, width), NONE, np.int64)
        if width:
            order = np.argsort(rows, kind="stable")
            start = np.cumsum(task.needed) - task.needed
            nth = np.empty(rows.size, np.int64)
            nth[order] = np.arange(rows.size) - np.repeat(start, task.needed)
            for j in range(width):
                other = j + (j >= nth)
                there = other < task.needed[rows]
                self._siblings[there, j] = order[start[rows[there]] + other[there]]

    def clashes(self, unit: _Ints, broker: IntArray) -> BoolArray:
        """Whether the replica's own partition is at (the rack or identity of) this broker already."""
        key = self._key[broker]
        row = self._seating.row[unit]
        clash = np.zeros(np.broadcast_shapes(unit.shape, broker.shape), np.bool_)
        for column in self._staying.T:
            clash |= column[row] == key
        for column in self._siblings.T:
            other = column[unit]
            clash |= (other != NONE) & (self._key[self._seating.seat[other]] == key)
        return clash

    def untidy(self, unit: _Ints, broker: IntArray) -> _Ints:
        """The cost of ties: hosts first, then other replicas of the topic on the broker."""
        cost = np.zeros(np.broadcast_shapes(unit.shape, broker.shape), np.int64)
        if self._ties is None:
            return cost
        row = self._seating.row[unit]
        host = self._ties.host[broker]
        same = np.zeros(cost.shape, np.bool_)
        for column in self._hosts.T:
            same |= column[row] == host
        for column in self._siblings.T:
            other = column[unit]
            same |= (other != NONE) & (self._ties.host[self._seating.seat[other]] == host)
        cost += _HOST_PENALTY * (same & (host != NONE))
        if self._ties.on_broker is not None and self._ties.topic is not None:
            cost += self._ties.on_broker[self._ties.topic[row], broker]
        return cost


def _settle(task: _Task, seating: _Seating, pools: int, key: IntArray) -> bool:
    """Swap seats within pools until no replica clashes with its own partition; False where some still do."""
    rules = _Rules(task, seating, key)
    first, size = _pools(seating, pools)
    draw = np.random.default_rng(0)  # which partners are looked at: the same each time
    every = np.arange(seating.row.size)
    bad = every[rules.clashes(every, seating.seat)]
    for _ in range(_HARD_ROUNDS):
        if bad.size == 0:
            return True
        pool = seating.pool[bad]
        partner = first[pool, None] + (draw.random((bad.size, _PARTNERS)) * size[pool, None]).astype(np.int64)
        _swap(seating, bad, partner, lambda unit, seat: rules.clashes(unit, seat).astype(np.int64))
        bad = bad[rules.clashes(bad, seating.seat[bad])]
    for unit in bad.tolist():
        one = np.array([unit])
        if not rules.clashes(one, seating.seat[one])[0]:
            continue
        mine = int(seating.pool[unit])
        partner = np.arange(int(first[mine]), int(first[mine] + size[mine]))[None, :]
        _swap(seating, one, partner, lambda unit, seat: rules.clashes(unit, seat).astype(np.int64))
        if rules.clashes(one, seating.seat[one])[0]:
            return False
    return not rules.clashes(every, seating.seat).any()


def _pools(seating: _Seating, pools: int) -> tuple[_Ints, _Ints]:
    """First replica and number of replicas of each pool; replicas stand sorted by pool."""
    size = np.bincount(seating.pool, minlength=pools)
    return np.cumsum(size) - size, size


def _swap(seating: _Seating, units: _Ints, partners: _Ints, price: _Price) -> int:
    """Let each unit swap seats with the best of its partners, where both together gain; each partition once.

    Args:
        seating: changed in place.
        units: (m,) replicas that would like another seat.
        partners: (m, k) replicas that each may swap with.
        price: what it costs a unit to have a seat, element by element.

    Returns:
        How many swapped.
    """
    mine, theirs = seating.seat[units][:, None], seating.seat[partners]
    unit = units[:, None]
    before = price(unit, mine) + price(partners, theirs)
    after = price(unit, theirs) + price(partners, np.broadcast_to(mine, theirs.shape))
    gain = np.where(seating.row[unit] == seating.row[partners], 0, before - after)
    best = gain.argmax(axis=1)
    at = np.arange(units.size)
    gains = gain[at, best]
    chosen = np.flatnonzero(gains > 0)
    if chosen.size == 0:
        return 0
    chosen = chosen[np.argsort(-gains[chosen], kind="stable")]
    one, two = units[chosen], partners[chosen, best[chosen]]
    # Two swaps that share a partition might spoil each other: the first of each partition goes.
    rows = np.column_stack([seating.row[one], seating.row[two]]).ravel()
    _, first = np.unique(rows, return_index=True)
    leads = np.zeros(rows.size, np.bool_)
    leads[first] = True
    alone = leads.reshape(-1, 2).all(axis=1)
    one, two = one[alone], two[alone]
    seating.seat[one], seating.seat[two] = seating.seat[two], seating.seat[one]
    return int(one.size)


def _untie(task: _Task, seating: _Seating, ties: Ties) -> None:
    """Swaps among seats of one rack, which keep racks and loads as they are: hosts, then topics."""
    order = np.lexsort((seating.row, task.rack[seating.seat]))
    seating.row, seating.seat = seating.row[order], seating.seat[order]
    _, pool = np.unique(task.rack[seating.seat], return_inverse=True)
    seating.pool = pool.ravel()
    own = np.arange(task.rack.size, dtype=np.int32)
    rules = _Rules(task, seating, own, ties)
    first, size = _pools(seating, int(seating.pool[-1]) + 1)
    draw = np.random.default_rng(0)
    rounds = _SOFT_ROUNDS if seating.row.size <= 20_000 else 1
    counts = ties.on_broker
    topic = None if ties.topic is None else ties.topic[seating.row]
    for _ in range(rounds):
        if counts is not None and topic is not None:
            np.add.at(counts, (topic, seating.seat), 1)
        every = np.arange(seating.row.size)
        # A replica counts itself where it sits: 1 is as good as alone.
        bad = every[rules.untidy(every, seating.seat) > (1 if counts is not None else 0)]
        partner = first[seating.pool[bad], None] + (
            draw.random((bad.size, _PARTNERS)) * size[seating.pool[bad], None]
        ).astype(np.int64)
        before = seating.seat.copy()

        def price(unit: _Ints, seat: IntArray, before: IntArray = before) -> _Ints:
            # Itself not counted where it sits; a clash is never worth a tie.
            cost = rules.untidy(unit, seat) - (counts is not None) * (before[unit] == seat)
            priced: _Ints = cost + (rules.clashes(unit, seat).astype(np.int64) << 40)
            return priced

        swapped = _swap(seating, bad, partner, price) if bad.size else 0
        if counts is not None and topic is not None:
            np.subtract.at(counts, (topic, before), 1)
        if swapped == 0:
            return


# ---- the full network --------------------------------------------------------------------------------------


def _by_full_network(task: _Task, choice: _RackChoice) -> _Seating | None:
    """Every partition with its own brokers excluded, solved exactly; None where the network is too large."""
    targets = task.targets
    arcs = int((task.needed > 0).sum()) * targets.size
    if arcs > _FULL_NETWORK_ARCS:
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
    return _Seating(row, np.zeros(row.size, np.int64), seat)


def _by_turns(task: _Task, choice: _RackChoice) -> _Seating:
    """The last resort where the full network is too large: one replica after the other to the least loaded.

    Racks stay exact; loads are good and not proven.
    """
    loads, room = task.loads.astype(np.float64), task.room.copy()
    closed = np.full(loads.shape, np.inf)
    closed[task.targets] = 0
    by_rack = task.rack
    rows, seats = [], []
    for row in range(len(task.needed)):
        group = int(choice.group[row])
        left, extra = choice.base[group].copy(), int(choice.extra[group])
        optional = choice.open_racks[group].copy()
        cost = loads + closed
        cost[task.staying[row][task.staying[row] != NONE]] = np.inf
        cost[room <= 0] = np.inf
        for _ in range(int(task.needed[row])):
            wanted = left[by_rack] > 0
            if extra:
                wanted |= optional[by_rack]
            best = int(np.where(wanted, cost, np.inf).argmin())
            if not (wanted[best] and np.isfinite(cost[best])):
                raise NoRoom("The cap leaves too little room on the brokers that the partitions may go to.")
            k = int(by_rack[best])
            if left[k] > 0:
                left[k] -= 1
            else:
                optional[k] = False
                extra -= 1
            cost[best] = np.inf
            loads[best] += 1
            room[best] -= 1
            rows.append(row)
            seats.append(best)
    return _Seating(np.array(rows, np.int64), np.zeros(len(rows), np.int64), np.array(seats, np.int32))


def _as_columns(seating: _Seating, needed: _Ints) -> IntArray:
    """(n, D) newcomers of each partition, ascending, padded with -1."""
    order = np.lexsort((seating.seat, seating.row))
    row, seat = seating.row[order], seating.seat[order]
    nth = np.arange(row.size) - np.repeat(np.cumsum(needed) - needed, needed)
    columns = np.full((needed.size, int(needed.max(initial=0))), NONE, np.int32)
    columns[row, nth] = seat
    return columns
