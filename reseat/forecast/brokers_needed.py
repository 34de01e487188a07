"""How many brokers, by rack, hold so many replicas with none above its most; and how many moves that takes.

What it promises:
    1. ``fits`` says whether there is a placement at all: each partition's replicas on as many racks as can be, evenly
       (rack diversity as plans have it), no two on one broker, and no broker above its most.
    2. ``least_brokers`` is the smallest number of brokers with which it fits, those that are there included; among
       those as even over racks as can be.
    3. ``least_moves`` is the fewest replicas that must leave brokers, stage by stage, so that none is ever above its
       most although new replicas come evenly onto all of them.

What it needs: partitions by replication factor, brokers by rack. Without any rack each broker is one by itself.

How: a partition of r replicas has r // k in each of k racks, and one more in r % k of them, which may not be in a rack
with no further broker for it. Partitions of one factor are alike: as extras of theirs that a rack takes, any number up
to theirs will do. So what is left is a flow of extras from factors to racks with what the racks have room for.
Within a rack, brokers can always be filled evenly. All racks are alike but for the brokers that they have, so that a
broker more helps most where there are fewest: brokers are added there, as few as do, by bisection.
Moves wait until a broker would be above its most in the stage, and go where most room is left: a replica that moves
early, or to a fuller broker, may have to move again.

Example: 10 partitions of 3 replicas in racks a, b, c with one broker each, at most 6 on a broker: 30 replicas, 10 in
each rack, need 2 brokers a rack.

Complexity: a flow of (factors + racks) nodes, O(log n) times.

Source: D. Gale, "A theorem on flows in networks" (1957); integrality of transportation polytopes.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence

__all__ = ["fits", "least_brokers", "least_moves"]

#: More brokers than these no cluster has.
_MOST = 100_000
#: What is rounding of a sum of shares of replicas.
_ROUNDING = 1e-6


def fits(factors: Mapping[int, int], brokers: Sequence[int], most: int) -> bool:
    """Whether the replicas fit.

    Args:
        factors: partitions by replication factor.
        brokers: brokers of each rack, or one number where there are no racks; then each broker is a rack.
        most: replicas that one broker may hold.
    """
    if len(brokers) == 1:
        total = sum(factor * count for factor, count in factors.items())
        return max(factors, default=0) <= brokers[0] and total <= most * brokers[0]
    racks = len(brokers)
    room = [number * most for number in brokers]
    extras: list[tuple[int, int, list[int]]] = []
    for factor, count in factors.items():
        each, more = divmod(factor, racks)
        if each > min(brokers):
            return False
        room = [left - each * count for left in room]
        if more and count:
            extras.append((count, more, [rack for rack, number in enumerate(brokers) if number > each]))
    if min(room) < 0:
        return False
    return _flows(extras, room)


def _flows(extras: Sequence[tuple[int, int, list[int]]], room: Sequence[int]) -> bool:
    """Whether racks can take all extras: (partitions, extras of each, racks that may take one) of each factor."""
    from ortools.graph.python import max_flow

    flow = max_flow.SimpleMaxFlow()
    source, sink, first = 0, 1, 2 + len(extras)
    wanted = 0
    for node, (count, more, racks) in enumerate(extras, 2):
        wanted += count * more
        flow.add_arc_with_capacity(source, node, count * more)
        for rack in racks:
            flow.add_arc_with_capacity(node, first + rack, count)
    for rack, left in enumerate(room):
        flow.add_arc_with_capacity(first + rack, sink, left)
    return not wanted or (flow.solve(source, sink) == flow.OPTIMAL and flow.optimal_flow() == wanted)  # type: ignore[no-untyped-call]


def least_brokers(factors: Mapping[int, int], brokers: Sequence[int], most: int) -> tuple[int, ...] | None:
    """The fewest brokers by rack with which it fits; None where no number does.

    Args:
        factors: partitions by replication factor.
        brokers: brokers that each rack has, which stay; one number where there are no racks.
        most: replicas that one broker may hold.
    """
    if not brokers or most < 1:
        return None
    low, high = 0, 1
    while not fits(factors, _raised(brokers, high), most):
        if high > _MOST:
            return None
        low, high = high, high * 2
    if fits(factors, brokers, most):
        return tuple(brokers)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(factors, _raised(brokers, middle), most) else (middle, high)
    return _raised(brokers, high)


def _raised(brokers: Sequence[int], more: int) -> tuple[int, ...]:
    """So many brokers more, each in a rack that has fewest then; the first of equals."""
    out = list(brokers)
    level = sorted(out)
    # All that are below a level are raised to it at once; what is left over goes to the first of them.
    for low in range(1, len(level) + 1):
        reach = level[low] if low < len(level) else None
        needed = None if reach is None else reach * low - sum(level[:low])
        if needed is None or needed > more:
            base, rest = divmod(more + sum(level[:low]), low)
            lowest = sorted(range(len(out)), key=lambda rack: (out[rack], rack))[:low]
            for place, rack in enumerate(sorted(lowest)):
                out[rack] = base + (place < rest)
            return tuple(out)
    return tuple(out)


def least_moves(stages: Sequence[tuple[Sequence[int], Sequence[float]]], most: int) -> tuple[int, ...]:
    """The fewest replicas that leave brokers in each stage so that none is above its most at the end of it.

    Args:
        stages: of each, replicas of the brokers that join before it (before the first: those that are there), and new
            replicas that come onto every broker, in the order in which they joined.
        most: replicas that one broker may hold; at the end of every stage all have room for what is there.
    """
    held: list[float] = []
    moves = []
    for joined, growth in stages:
        held += joined
        over = [max(0, math.ceil(load + more - most - _ROUNDING)) for load, more in zip(held, growth, strict=True)]
        held = [load - out for load, out in zip(held, over, strict=True)]
        room = [(load + more - most, place) for place, (load, more) in enumerate(zip(held, growth, strict=True))]
        heapq.heapify(room)
        for _ in range(sum(over)):
            _, place = heapq.heapreplace(room, (room[0][0] + 1, room[0][1]))
            held[place] += 1
        held = [load + more for load, more in zip(held, growth, strict=True)]
        moves.append(sum(over))
    return tuple(moves)
