"""The evenest placement one could make, for comparison with what Kafka's algorithms give.

What it promises, in this order: no broker twice in a list; every list on as many racks as it can be; replica counts
over brokers that differ by at most one where no broker has a rack, or where racks are of equal size and at least as
many as replicas; leaders within one of each other where some order of the same lists allows it; beyond that a good
spread of each topic and of neighbours (how many partitions two brokers share), which no proof stands behind.

What it needs: the whole list of topics at once. That is why Kafka does not do it: a topic is placed when it is made,
and those that come later are not known then; a random start is even on average without any memory.

How it works: partition by partition, each replica goes to the broker that is best by: a rack with no replica of the
list; that rack's fewest replicas a broker; the broker's fewest replicas; fewest of this topic; fewest partitions shared
with the brokers already in the list. The broker of the list that leads least so far comes first. Then leaders are
evened: as long as a broker leads two more than another and a chain of partitions leads from it to that one, the first
replicas along the chain are exchanged, which moves no replica.

Example: brokers 0, 1, 2, one topic of 3 partitions with 2 replicas: every broker has 2 replicas and leads 1.

Complexity: O(P R n) for placing, O(n^2) for each exchange. Meant for comparisons of some ten thousand partitions.

Source: greedy balancing and augmenting paths; the pairing term is that of balanced block designs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from reseat.errors import PlacementRefused
from reseat.model import Broker, Longs
from reseat.placement.placed import Placement, check_size
from reseat.placement.striped import refuse_repeated

__all__ = ["place_evenest"]


def place_evenest(brokers: Sequence[Broker], topics: Sequence[tuple[int, int]]) -> tuple[Placement, ...]:
    """Place several topics as evenly as can be.

    Args:
        brokers: the brokers, racks or not; a broker without rack beside others counts as a rack of its own.
        topics: (partitions, replication factor) of each topic.

    Returns:
        A placement for each topic.

    Raises:
        PlacementRefused: a topic with no partition or no replica, more replicas than brokers, a broker given twice, or
            too many replicas.
    """
    refuse_repeated(brokers)
    for partitions, factor in topics:
        if partitions <= 0 or factor <= 0:
            raise PlacementRefused(f"{partitions} partitions with {factor} replicas: both must be larger than 0.")
        if factor > len(brokers):
            raise PlacementRefused(f"{factor} replicas need as many brokers; there are {len(brokers)}.")
    check_size(sum(partitions for partitions, _ in topics), max((factor for _, factor in topics), default=0))
    ordered = sorted(brokers, key=lambda broker: broker.id)
    ids = np.array([broker.id for broker in ordered], np.int32)
    lists = _even_leaders(_placed(ordered, topics), len(ordered))
    out, begin = [], 0
    for partitions, factor in topics:
        places = np.array(lists[begin : begin + partitions], np.int32).reshape(partitions, factor)
        out.append(Placement(ids[places], order=tuple(ids.tolist())))
        begin += partitions
    return tuple(out)


def _placed(brokers: Sequence[Broker], topics: Sequence[tuple[int, int]]) -> list[list[int]]:
    count = len(brokers)
    names: list[str | int | None] = [broker.rack if broker.rack is not None else broker.id for broker in brokers]
    if all(broker.rack is None for broker in brokers):
        names = [None] * count
    code = {name: number for number, name in enumerate(dict.fromkeys(names))}
    rack = [code[name] for name in names]
    members = [[place for place in range(count) if rack[place] == number] for number in range(len(code))]
    held, leads, in_rack = [0] * count, [0] * count, [0] * len(code)
    shared = [[0] * count for _ in range(count)]
    lists: list[list[int]] = []
    # Plain lists: with the few brokers of a comparison they are ten times as fast as one array operation each.
    for partitions, factor in topics:
        of_topic = [0] * count
        for _ in range(partitions):
            chosen: list[int] = []
            free = [len(places) for places in members]
            for _ in range(factor):
                ranks = [
                    (not free[number], len(code) > 1 and free[number] < len(places), in_rack[number] / len(places))
                    for number, places in enumerate(members)
                ]
                top = min(ranks)
                best = min(
                    (held[place], of_topic[place], sum(shared[place][other] for other in chosen), place)
                    for number, places in enumerate(members)
                    if ranks[number] == top
                    for place in places
                    if place not in chosen
                )[-1]
                for other in chosen:
                    shared[best][other] += 1
                    shared[other][best] += 1
                held[best] += 1
                of_topic[best] += 1
                in_rack[rack[best]] += 1
                free[rack[best]] -= 1
                chosen.append(best)
            front = min(range(factor), key=lambda at: leads[chosen[at]])
            chosen[0], chosen[front] = chosen[front], chosen[0]
            leads[chosen[0]] += 1
            lists.append(chosen)
    return lists


def _even_leaders(lists: list[list[int]], count: int) -> list[list[int]]:
    """Exchange first replicas along shortest chains until no broker leads two more than one that a chain reaches."""
    leads = np.bincount([chosen[0] for chosen in lists], minlength=count)
    led: list[set[int]] = [set() for _ in range(count)]
    for row, chosen in enumerate(lists):
        led[chosen[0]].add(row)
    while True:
        for fullest in np.argsort(-leads, kind="stable").tolist():
            chain = _chain(lists, led, leads, fullest)
            if chain:
                break
        else:
            return lists
        for row, taker in chain:
            giver = lists[row][0]
            at = lists[row].index(taker)
            lists[row][0], lists[row][at] = taker, giver
            led[giver].discard(row)
            led[taker].add(row)
            leads[giver] -= 1
            leads[taker] += 1


def _chain(lists: list[list[int]], led: list[set[int]], leads: Longs, giver: int) -> list[tuple[int, int]]:
    """(row, new leader) along a shortest chain to a broker that leads at least two fewer; empty where there is none."""
    if leads[giver] < leads.min() + 2:
        return []
    came: dict[int, tuple[int, int]] = {giver: (-1, -1)}
    queue = deque([giver])
    while queue:
        broker = queue.popleft()
        if leads[broker] <= leads[giver] - 2:
            chain = []
            while came[broker][0] >= 0:
                row, before = came[broker]
                chain.append((row, broker))
                broker = before
            return chain
        for row in sorted(led[broker]):
            for other in lists[row][1:]:
                if other not in came:
                    came[other] = (row, broker)
                    queue.append(other)
    return []
