"""Who is named first: the order of replica lists that evens preferred leaders. No data moves.

Promises, in this order:
    1. A broker that may not lead (dead, leaving) is named first only where a list has no other; there a last resort
       (fenced, shutting down) is, and none changes in vain.
    2. The least sum of squares of preferred-leader counts over the brokers that count, over all orders of the
       given lists, the counts of all other partitions standing as they are.
    3. Among those, the fewest partitions whose preferred leader changes.

Needs: the replica sets. It is the best for these sets; another choice of sets may allow evener leaders.

How: each list is a unit of flow to one of its brokers, the level arcs of a broker cost ``2 l + 1`` times a weight,
an arc to another broker than the present first costs 1. The weight need only outweigh one cycle: an improving
cycle passes each broker once, so it changes at most B lists, and it lowers the sum of squares by at least 2 (its
parity is fixed by its total). A weight of B therefore keeps the order of the two aims. Equal lists are one node.

Example: lists [0, 1], [0, 1], [0, 2] and no other partition: counts 1, 1, 1, by naming 1 first in one of the first two
and 2 in the third; no order is as even with fewer changes.

With many lists, a choice that is even to one is looked for first: that is the best there is, and needs no costs. With
very many the flow holds only those lists that ``column_generation`` finds worth it, and the prices prove that it is the
best over all.

Complexity: one flow of n R + (levels) arcs. Source: see ``flow``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray
from reseat.model.arrays import on_brokers
from reseat.planning.solve.column_generation import Loads, Swaps, worth_freeing
from reseat.planning.solve.flow import UNBOUNDED, Network, fill, first_feasible, level_arcs

__all__ = ["leader_first", "preferred_leaders"]

_Ints = npt.NDArray[np.int64]

#: From so many lists on, a perfectly even choice is looked for first: a flow without costs is several times faster.
MANY_LISTS = 2_000
#: From so many lists on, a flow over few of them at a time is quicker than one over all.
VERY_MANY_LISTS = 40_000
#: Lists added to that flow in a round, and rounds after which it is given up for the flow over all.
ADDED, _ROUNDS = 20_000, 24
#: Lists that take their first choice together, where it need only be good.
_TOGETHER = 512
#: Lists that a broker above its share offers, for each that must change.
_CHOICE = 8


def preferred_leaders(
    lists: IntArray,
    present: IntArray,
    fixed: npt.NDArray[np.integer],
    may_lead: BoolArray,
    resorts: BoolArray,
    *,
    rank: _Ints | None = None,
) -> IntArray:
    """Choose the preferred leader of each of these lists.

    Args:
        lists: (n, R) broker positions, padded with -1: the replica sets; their order does not matter.
        present: (n,) position of the broker that is first today (it need not be in the new list).
        fixed: (B,) preferred-leader counts of all other partitions, by broker position.
        may_lead: (B,) bool, brokers that count and may be named first: remaining and available.
        resorts: (B,) bool, those that are named first where a list has no such broker.
        rank: (B,) which brokers come before others, the lowest first: of each list only those of its lowest rank may
            be named first. None: all are alike.

    Returns:
        (n,) int32 position of the broker to name first. A list without a broker that may lead keeps its present
        first where that is still in the list and no last resort is, or it is one; else the first last resort of
        ``lists``, or the first entry.
    """
    if lists.size == 0:
        return np.full(len(lists), NONE, np.int32)
    able = on_brokers(lists, may_lead)
    if rank is not None and np.ptp(rank):
        ranks = np.where(able, rank[lists], np.iinfo(np.int64).max)
        able &= ranks == ranks.min(axis=1, keepdims=True)
    has_choice = able.any(axis=1)
    free, rest = np.flatnonzero(has_choice), np.flatnonzero(~has_choice)
    chosen = np.empty(len(lists), np.int32)
    chosen[rest] = _without_choice(lists[rest], present[rest], resorts)
    if free.size == 0:
        return chosen
    options = np.where(able[free], lists[free], NONE)
    today = np.where((options == present[free, None]).any(axis=1), present[free], NONE)
    if free.size >= MANY_LISTS:
        even = _perfectly_even(options, today, np.asarray(fixed, np.int64), may_lead)
        if even is not None:
            chosen[free] = even
            return chosen
    if free.size >= VERY_MANY_LISTS:
        found = _by_few(options, today, np.asarray(fixed, np.int64), may_lead)
        if found is not None:
            chosen[free] = found
            return chosen
    chosen[free] = _evenest(options, today, np.asarray(fixed, np.int64), may_lead)
    return chosen


def _without_choice(lists: IntArray, present: IntArray, resorts: BoolArray) -> IntArray:
    """(n,) the broker named first where none that may lead is in the list: the present one, a last resort before it."""
    held: BoolArray = lists != NONE
    late: BoolArray = on_brokers(lists, resorts)
    options = late | (held & ~late.any(axis=1, keepdims=True))
    stays = (options & (lists == present[:, None])).any(axis=1)
    first = lists[np.arange(len(lists)), options.argmax(axis=1)]
    return np.where(stays, present, first).astype(np.int32)


def _evenest(options: IntArray, today: IntArray, fixed: _Ints, may_lead: BoolArray) -> IntArray:
    """The choice by one flow over all lists: (n, R) brokers that may be named first, (n,) the present one or -1."""
    brokers = len(may_lead)
    options = np.sort(options, axis=1)
    first, group, size = _equal_rows(np.column_stack([options, today]), brokers)
    sets, today = options[first], today[first]

    counted = np.flatnonzero(may_lead)
    place = np.full(brokers + 1, NONE, np.int64)
    place[counted] = np.arange(counted.size)
    loads = fixed[counted]
    node, slot = np.nonzero(sets != NONE)
    head = place[sets[node, slot]]
    room = np.bincount(head, weights=size[node], minlength=counted.size).astype(np.int64)
    changes = (sets[node, slot] != today[node]) & (today[node] != NONE)
    weight = brokers + 1
    total = len(options)
    received = fill(loads, total, room)

    def attempt(top: int) -> _Ints | None:
        below = np.flatnonzero(loads[head] < top)  # nobody rises above the top, so that the others need no arc
        if np.unique(node[below]).size < len(sets):
            return None
        network = Network()
        sources, targets, sink = network.nodes(len(sets)), network.nodes(counted.size), network.nodes(1)
        network.arcs(sources[node[below]], targets[head[below]], size[node[below]], changes[below])
        who, level = level_arcs(loads, room, top)
        network.arcs(targets[who], sink, 1, weight * (2 * (level - int(loads.min())) + 1))
        network.supply(sources, size)
        network.supply(sink, -total)
        flow = network.solve()
        if flow is None:
            return None
        sent = np.zeros(node.size, np.int64)
        sent[below] = flow[: below.size]
        return sent

    lowest = int((loads + received)[received > 0].max())
    sent = first_feasible(lowest, int(loads.max()) + total, attempt)
    if sent is None:
        raise AssertionError("Every list has a broker that may lead, so that a flow exists.")
    # Members of a group are alike: its flow is dealt out to them in row order, present leaders first.
    order = np.lexsort((changes, node))
    dealt = np.repeat(sets[node, slot][order], sent[order])
    chosen = np.empty(total, np.int32)
    chosen[np.argsort(group, kind="stable")] = dealt
    return chosen


def _by_few(options: IntArray, today: IntArray, fixed: _Ints, may_lead: BoolArray) -> IntArray | None:
    """The same choice by flows over few lists, proven best over all by their prices; None where rounds run out."""
    brokers = len(may_lead)
    chosen = _first_choice(options, today, fixed)
    weight = np.where(may_lead, brokers + 1, 0)
    row, slot = np.nonzero(options != NONE)
    option = options[row, slot]
    row = row.astype(np.int32)
    price = ((option != today[row]) & (today[row] != NONE)).astype(np.int8)
    held = np.zeros(len(options), np.bool_)
    for _ in range(_ROUNDS):
        now = ((chosen != today) & (today != NONE)).astype(np.int8)
        other = option != chosen[row]
        swaps = Swaps(row[other], chosen[row[other]], option[other], price[other] - now[row[other]])
        load = fixed + np.bincount(chosen, minlength=brokers)
        more = worth_freeing(swaps, held, Loads(load, weight), ADDED)
        if more is None:
            return None
        if not more.size:
            return chosen
        held[more] = True
        rest = fixed + np.bincount(chosen[~held], minlength=brokers)
        chosen[held] = _evenest(options[held], today[held], rest, may_lead)
    return None


def _first_choice(options: IntArray, today: IntArray, fixed: _Ints) -> IntArray:
    """The present first replica where there is one, else the option that is named least so far."""
    chosen = today.astype(np.int32)
    load = fixed + np.bincount(chosen[chosen != NONE], minlength=len(fixed))
    open_ = np.append(load, np.iinfo(np.int64).max)
    homeless = np.random.default_rng(0).permutation(np.flatnonzero(chosen == NONE))
    for start in range(0, homeless.size, _TOGETHER):
        rows = homeless[start : start + _TOGETHER]
        best = open_[options[rows]].argmin(axis=1)
        chosen[rows] = options[rows, best]
        np.add.at(open_, chosen[rows], 1)
    return chosen


def _perfectly_even(options: IntArray, today: IntArray, fixed: _Ints, may_lead: BoolArray) -> IntArray | None:
    """The choice where leaders can be even to one: no costs, so a flow without costs; None where it is not found.

    Even to one is the least sum of squares there is. Brokers above their share must hand over what is above it (the
    larger share going to brokers that have it already), and one more for each list without a present leader that finds
    no room, however well the others are housed. No choice changes fewer, and no other changes are offered.
    """
    brokers = np.flatnonzero(may_lead)
    place = np.full(may_lead.size + 1, NONE, np.int64)
    place[brokers] = np.arange(brokers.size)
    loads, keeps = fixed[brokers], place[today]
    kept = keeps >= 0
    counts = loads + np.bincount(keeps[kept], minlength=brokers.size)
    share, larger = divmod(int(loads.sum()) + len(today), brokers.size)
    must = loads > share
    if int(loads.max()) > share + (larger > 0) or int(must.sum()) > larger:
        return None
    rank = np.lexsort((np.arange(brokers.size), -counts, ~must))
    raised = rank[counts[rank] > share][:larger]
    most = np.full(brokers.size, share)
    most[raised] += 1
    excess = np.maximum(counts - most, 0)
    lacking = np.maximum(share - counts, 0)
    left = larger - raised.size
    taker = np.append((counts < share) | ((counts == share) & (left > 0)), False)

    heads = place[options]
    fits = taker[heads]
    # Lists without a present leader take what room they find; one that finds none makes a broker hand over another.
    homeless = np.flatnonzero(~kept)
    passed = homeless[~_housed(heads[homeless], fits[homeless], lacking, left)]
    pass_node, pass_slot = np.nonzero(heads[passed] >= 0)
    entered = heads[passed[pass_node], pass_slot]
    hands_over = excess + np.bincount(entered, minlength=brokers.size)
    giver = np.flatnonzero(kept & fits.any(axis=1))
    giver = giver[hands_over[keeps[giver]] > 0]
    # A few times as many lists as must change are choice enough; which ones is drawn, the same each time.
    giver = giver[np.argsort(np.random.default_rng(0).random(giver.size))]
    giver = giver[np.argsort(keeps[giver], kind="stable")]
    start = np.searchsorted(keeps[giver], keeps[giver])
    giver = giver[np.arange(giver.size) - start < _CHOICE * hands_over[keeps[giver]] + _CHOICE]
    rows = np.concatenate([homeless, giver])

    network = Network()
    nodes, ends = network.nodes(rows.size), network.nodes(brokers.size)
    givers, spare, sink = network.nodes(brokers.size), network.nodes(1), network.nodes(1)
    node, slot = np.nonzero(fits[rows])
    target = heads[rows[node], slot]
    arcs = network.arcs(nodes[node], ends[target], 1)
    network.arcs(givers[keeps[giver]], nodes[homeless.size :], 1)
    passing = network.arcs(nodes[np.searchsorted(homeless, passed[pass_node])], givers[entered], 1)
    network.arcs(ends, sink, lacking)
    network.arcs(ends, spare, 1)
    network.arcs(spare, sink, left)
    network.supply(nodes[: homeless.size], 1)
    network.supply(givers, excess)
    network.supply(sink, -(int(lacking.sum()) + left))
    flow = network.route()
    if flow is None:
        return None
    chosen = today.copy()
    taken = flow[arcs] > 0
    chosen[rows[node[taken]]] = brokers[target[taken]]
    through = flow[passing] > 0
    chosen[passed[pass_node[through]]] = brokers[entered[through]]
    return chosen.astype(np.int32)


def _housed(heads: _Ints, fits: BoolArray, lacking: _Ints, left: int) -> BoolArray:
    """Which lists find room if as many as possible do: ``lacking`` of each broker, and one more of ``left`` of them."""
    network = Network()
    nodes, ends = network.nodes(len(heads)), network.nodes(lacking.size)
    spare, sink = network.nodes(1), network.nodes(1)
    node, slot = np.nonzero(fits)
    arcs = network.arcs(nodes[node], ends[heads[node, slot]], 1)
    network.arcs(ends, sink, lacking)
    network.arcs(ends, spare, 1)
    network.arcs(spare, sink, left)
    network.supply(nodes, 1)
    network.supply(sink, -(int(lacking.sum()) + left))
    flow = network.route(whole=False)
    housed = np.zeros(len(heads), np.bool_)
    if flow is not None:
        housed[node[flow[arcs] > 0]] = True
    return housed


def leader_first(lists: IntArray, chosen: IntArray) -> npt.NDArray[np.int64]:
    """(n, R) the order of columns that moves the chosen leader to the front and keeps the others' order.

    Use with ``numpy.take_along_axis`` on the lists and on every column that goes with them.
    """
    return np.argsort(lists != chosen[:, None], axis=1, kind="stable")


def _equal_rows(table: npt.NDArray[np.integer], brokers: int) -> tuple[_Ints, _Ints, _Ints]:
    """First row of each distinct row, the group of each row, and the size of each group."""
    base = brokers + 1
    if base ** table.shape[1] < UNBOUNDED << 20:
        key = np.zeros(len(table), np.int64)
        for column in table.T:
            key = key * base + (column + 1)
        _, first, group, size = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    else:
        _, first, group, size = np.unique(table, axis=0, return_index=True, return_inverse=True, return_counts=True)
    return first, group.ravel(), size.astype(np.int64)
