"""Who takes which seat: seats are dealt out in turn, then swapped until nobody sits where it may not.

Promises:
    1. ``repair_conflicts`` changes neither how many replicas a broker receives nor, within a pool, the racks entered,
       and says whether every replica then has a seat that its partition may use.
    2. ``untie`` makes seats tidier (hosts first, then topics spread over brokers) and breaks nothing of this.
    3. The same input gives the same seats: partners are drawn from a generator with a fixed seed.

Needs: seats and replicas of each pool are equally many.

How: a replica that clashes looks at a few partners of its pool and swaps with the one by which both gain most. Swaps
of one round share no partition, so that none spoils another. What is left looks at every partner.

Example: seats 1, 2 for partitions that stay on 1 and on 3: the first clashes, swaps, and both sit well.

Complexity: O(m R) a round for m replicas; O(m R) for each that is left after the rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Longs
from reseat.model.arrays import newcomers, row_counts, row_keys, split_keys
from reseat.planning.solve.problem import Found, Problem

__all__ = ["Rules", "Seating", "Ties", "as_columns", "dealt", "repair_conflicts", "untie"]

_Price = Callable[[Longs, IntArray], Longs]

#: Partners that a replica compares before it swaps: enough that a chance of 1 in 3 to fit is missed once in 600.
_PARTNERS = 16
_HARD_ROUNDS = 12
_SOFT_ROUNDS = 5
#: Above this many replicas one round of tidying has to do.
_MANY = 20_000
#: Replicas that look at their partners together, which bounds the memory of that.
_AT_ONCE = 100_000
#: Largest table (topics x brokers) that spreading topics may take, in entries: 80 MB.
_TOPIC_TABLE = 20_000_000
#: A newcomer on a host that has the partition outweighs any number of replicas of its topic on the broker.
_HOST_PENALTY = 1 << 24


@dataclass(frozen=True, eq=False)
class Ties:
    """What tells equally good seats apart.

    Attributes:
        host: (B,) a number for each host of several brokers; -1 for others; None: there is none.
        topic: (n,) a number for the topic of each partition, or None: no matter.
        on_broker: (topics, B) replicas of the topic on each broker (those that leave not counted), or None.
    """

    host: IntArray | None
    topic: Longs | None = None
    on_broker: IntArray | None = None

    @classmethod
    def of_layout(cls, layout: ClusterLayout, rows: Longs) -> Ties:
        """The ties of partitions (n,) of a layout: hosts, and how many replicas of its topic each broker has."""
        names = np.array([broker.host or "" for broker in layout.brokers])
        _, number, brokers_on = np.unique(names, return_inverse=True, return_counts=True)
        shared = (brokers_on[number] > 1) & (names != "")
        host = np.where(shared, number, NONE).astype(np.int32) if shared.any() else None
        concerned, topic = np.unique(layout.topic_of[rows], return_inverse=True)
        brokers = len(layout.brokers)
        if concerned.size * brokers > _TOPIC_TABLE:
            return cls(host)
        number = np.full(len(layout.topics), NONE, np.int32)
        number[concerned] = np.arange(concerned.size, dtype=np.int32)
        of_row = number[layout.topic_of]
        among = np.flatnonzero(of_row != NONE)
        lists, base = layout.replicas[among], of_row[among]
        counts = np.zeros((concerned.size, brokers + 1), np.int32)
        first = base * (brokers + 1)
        for column in lists.T:
            at = first + np.where(column < 0, brokers, column)
            counts += np.bincount(at, minlength=counts.size).reshape(counts.shape)
        return cls(host, topic.ravel(), counts[:, :-1])

    def of(self, rows: Longs) -> Ties:
        """The ties of some of the partitions."""
        return Ties(self.host, None if self.topic is None else self.topic[rows], self.on_broker)


@dataclass(eq=False)
class Seating:
    """One replica a row: the partition it belongs to, the pool in which it may swap, its seat."""

    row: Longs
    pool: Longs
    seat: IntArray


def dealt(brokers: Longs, received: Longs) -> IntArray:
    """Seats in turn: every broker's first seat, then every broker's second, ..."""
    seats = np.repeat(brokers, received)
    turn = np.arange(seats.size) - np.repeat(np.cumsum(received) - received, received)
    return seats[np.argsort(turn, kind="stable")].astype(np.int32)


class Rules:
    """What a seat costs a replica: a clash with its own partition, and ties. Lower is better, 0 is free."""

    def __init__(
        self, staying: IntArray, needed: Longs, seating: Seating, key: IntArray, ties: Ties | None = None
    ) -> None:
        self._seating = seating
        self._key = key
        self._ties = ties
        self._staying = np.append(key, NONE).astype(np.int32)[staying]
        if ties is not None and ties.host is not None:
            self._hosts = np.append(ties.host, NONE).astype(np.int32)[staying]
        rows = seating.row
        # The other newcomers of the same partition, -1 padded; none where every partition needs one.
        width = int(needed.max(initial=1)) - 1
        self._siblings = np.full((rows.size, width), NONE, np.int64)
        if width:
            order = np.argsort(rows, kind="stable")
            start = np.cumsum(needed) - needed
            nth = np.empty(rows.size, np.int64)
            nth[order] = np.arange(rows.size) - np.repeat(start, needed)
            for j in range(width):
                other = j + (j >= nth)
                there = other < needed[rows]
                self._siblings[there, j] = order[start[rows[there]] + other[there]]

    def clashes(self, unit: Longs, broker: IntArray) -> BoolArray:
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

    def untidy(self, unit: Longs, broker: IntArray) -> Longs:
        """The cost of ties: hosts first, then other replicas of the topic on the broker."""
        cost = np.zeros(np.broadcast_shapes(unit.shape, broker.shape), np.int64)
        if self._ties is None:
            return cost
        row = self._seating.row[unit]
        if self._ties.host is not None:
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


def repair_conflicts(staying: IntArray, needed: Longs, seating: Seating, pools: int, key: IntArray) -> bool:
    """Swap seats within pools until no replica clashes with its own partition; False where some still do.

    Args:
        staying: (n, S) broker positions that keep each partition, -1 anywhere for none.
        needed: (n,) newcomers of each.
        seating: their seats, by pool; changed in place.
        pools: how many pools there are.
        key: (B,) what no partition may have twice: brokers, or their racks.
    """
    rules = Rules(staying, needed, seating, key)

    def price(unit: Longs, seat: IntArray) -> Longs:
        return rules.clashes(unit, seat).astype(np.int64)

    first, size = _pools(seating, pools)
    draw = np.random.default_rng(0)  # which partners are looked at: the same each time
    every = np.arange(seating.row.size)
    bad = every[rules.clashes(every, seating.seat)]
    for _ in range(_HARD_ROUNDS):
        if bad.size == 0:
            return True
        pool = seating.pool[bad]
        partner = first[pool, None] + (draw.random((bad.size, _PARTNERS)) * size[pool, None]).astype(np.int64)
        _swap(seating, bad, partner, price)
        bad = bad[rules.clashes(bad, seating.seat[bad])]
    for unit in bad.tolist():
        one = np.array([unit])
        if not rules.clashes(one, seating.seat[one])[0]:
            continue
        mine = int(seating.pool[unit])
        partner = np.arange(int(first[mine]), int(first[mine] + size[mine]))[None, :]
        _swap(seating, one, partner, price)
        if rules.clashes(one, seating.seat[one])[0]:
            return False
    return not rules.clashes(every, seating.seat).any()


def _pools(seating: Seating, pools: int) -> tuple[Longs, Longs]:
    """First replica and number of replicas of each pool; replicas stand sorted by pool."""
    size = np.bincount(seating.pool, minlength=pools)
    return np.cumsum(size) - size, size


def _swap(seating: Seating, units: Longs, partners: Longs, price: _Price) -> int:
    """Let each unit (m,) swap seats with the best of its partners (m, k), where both gain; each partition once.

    ``price`` says what it costs a unit to have a seat, element by element; ``seating`` is changed in place.

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
    first = np.zeros(int(rows.max()) + 1, np.int64)
    first[rows[::-1]] = np.arange(rows.size)[::-1]
    alone = (first[rows] == np.arange(rows.size)).reshape(-1, 2).all(axis=1)
    one, two = one[alone], two[alone]
    seating.seat[one], seating.seat[two] = seating.seat[two], seating.seat[one]
    return int(one.size)


def untie(problem: Problem, found: Found, ties: Ties) -> Found:
    """Swaps among newcomers of one rack, which keep racks and loads as they are: hosts, then topics."""
    came = newcomers(problem.lists[found.rows], found.lists)
    if not came.any():
        return found
    group = problem.of_class[found.rows]
    # Where every broker is a rack of its own, any exchange keeps the racks as they are.
    brokers = len(problem.rack)
    together = np.zeros(brokers, np.int32) if np.unique(problem.rack).size == brokers else problem.rack
    row, column = np.nonzero(came)
    seat = found.lists[row, column]
    mixed = group[row] * brokers + together[seat]
    order = np.lexsort((row, mixed))
    _, pool = np.unique(mixed[order], return_inverse=True)
    seating = Seating(row[order], pool.ravel(), seat[order])
    staying, needed = np.where(came, np.int32(NONE), found.lists), row_counts(came).astype(np.int64)
    rules = Rules(staying, needed, seating, np.arange(brokers, dtype=np.int32), ties)
    first, size = _pools(seating, int(seating.pool[-1]) + 1)
    draw = np.random.default_rng(0)
    rounds = _SOFT_ROUNDS if seating.row.size <= _MANY else 1
    counts = ties.on_broker
    topic = None if ties.topic is None else ties.topic[seating.row]
    every = np.arange(seating.row.size)
    # A replica counts itself where it sits: 1 is as good as alone.
    alone = 0 if counts is None or topic is None else 1
    for _ in range(rounds):
        _count(counts, topic, seating.seat, 1)
        bad = every[rules.untidy(every, seating.seat) > alone]
        swapped = 0
        for start in range(0, bad.size, _AT_ONCE):
            units = bad[start : start + _AT_ONCE]
            partner = first[seating.pool[units], None] + (
                draw.random((units.size, _PARTNERS)) * size[seating.pool[units], None]
            ).astype(np.int64)
            before = seating.seat.copy()

            def price(unit: Longs, seat: IntArray, before: IntArray = before) -> Longs:
                # Itself not counted where it sits; a clash is never worth a tie.
                cost = rules.untidy(unit, seat) - alone * (before[unit] == seat)
                priced: Longs = cost + (rules.clashes(unit, seat).astype(np.int64) << 40)
                return priced

            some = _swap(seating, units, partner, price)
            swapped += some
            if alone and some:
                other = np.flatnonzero(before != seating.seat)
                _count(counts, topic, before, -1, other)
                _count(counts, topic, seating.seat, 1, other)
        _count(counts, topic, seating.seat, -1)
        if swapped == 0:
            break
    if ties.host is not None:
        _leave_hosts(problem, group, seating, rules, together)
    lists, seats = found.lists.copy(), as_columns(seating, needed)
    lists[came] = seats[seats != NONE]  # both row by row, from left to right
    return Found(found.rows, lists)


def _count(
    counts: IntArray | None, topic: Longs | None, seat: IntArray, by: int, units: Longs | slice = slice(None)
) -> None:
    """Count newcomers of each topic on each broker in, or out again."""
    if counts is not None and topic is not None:
        np.add.at(counts, (topic[units], seat[units]), by)


def _leave_hosts(problem: Problem, group: Longs, seating: Seating, rules: Rules, together: IntArray) -> None:
    """Move replicas off a host that has their partition, so that the sum of squares stays the same.

    To a broker that ends one lower; or to one that ends as high, while a replica of one that ends one higher takes the
    seat.
    """
    every = np.arange(seating.row.size)
    bad = every[rules.untidy(every, seating.seat) >= _HOST_PENALTY][:_MANY]
    if bad.size == 0:
        return
    received = np.bincount(seating.seat, minlength=together.size)
    load = problem.loads + received
    room = np.full(load.size, load.sum() + 1) if problem.room is None else problem.room
    most = np.full(load.size, load.sum() + 1) if problem.most is None else problem.most

    def fits(unit: int, brokers: Longs) -> Longs:
        options = brokers[problem.open_to[group[seating.row[unit]]][brokers]].astype(np.int32)
        one = np.full(options.size, unit)
        free = ~rules.clashes(one, options) & (rules.untidy(one, options) < _HOST_PENALTY)
        found: Longs = options[free & (received < room)[options] & (load < most)[options]]
        return found

    def sits(unit: int, target: int) -> None:
        for counts in (received, load):
            counts[seating.seat[unit]] -= 1
            counts[target] += 1
        seating.seat[unit] = target

    for unit in bad.tolist():
        seat = int(seating.seat[unit])
        near = np.flatnonzero(together == together[seat])
        lower = fits(unit, near[load[near] == load[seat] - 1])
        if lower.size:
            sits(unit, int(lower[0]))
            continue
        level = fits(unit, near[load[near] == load[seat]])
        higher = every[(load[seating.seat] == load[seat] + 1) & (together[seating.seat] == together[seat])]
        for other in higher[: _PARTNERS if level.size else 0].tolist():
            if fits(other, np.array([seat])).size and seating.row[other] != seating.row[unit]:
                sits(unit, int(level[0]))
                sits(other, seat)
                break


def as_columns(seating: Seating, needed: Longs) -> IntArray:
    """(n, D) newcomers of each partition, ascending, padded with -1."""
    row, seat = split_keys(np.sort(row_keys(seating.row, seating.seat)))
    nth = np.arange(row.size) - np.repeat(np.cumsum(needed) - needed, needed)
    columns = np.full((needed.size, int(needed.max(initial=0))), NONE, np.int32)
    columns[row, nth] = seat
    return columns
