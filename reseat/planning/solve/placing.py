"""Where replicas without a seat go: racks first, then load, exactly; nothing else moves.

Promises, in this order:
    1. Every partition gets the newcomers it needs, each on a broker that it is not yet on.
    2. Brokers that are fenced or shutting down are last resorts: no plan sends fewer replicas there. A partition takes
       one only where every broker that receives holds it, or is about to.
    3. Least sum, over partitions and racks, of the square of the partition's replicas in that rack; of the brokers that
       receive and of the last resorts each for itself, as is 4.
    4. Among those, the least sum of squares of the loads of the targets, unless that is too large to be solved.
    5. Ties, as far as exchanges of equals reach: no newcomer on a host that has the partition, then a topic's
       partitions spread over brokers. Never at the cost of 1 to 4.

How: ``solver``, without a move that need not be. Where that is too large, one after the other (``bin_packing``).
A partition that is short takes every broker that is open to it, without a choice, and what is missing among the last
resorts; all others choose among the brokers that receive: two problems, and neither touches the loads of the other.

Example: brokers 1, 2 and 3, broker 4 is fenced; {0: [1, 2], 1: [2, 3, 1]} without broker 1: partition 0 takes broker 3,
and partition 1, to which none is left, takes broker 4.

Complexity: that of ``solver``; O(n (R + B)) for the partitions that are short.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from reseat.model import NONE, BoolArray, Longs
from reseat.model.arrays import counts_on, widened
from reseat.planning.solve.bin_packing import placed_by_weight
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.rounding import Ties, untie
from reseat.planning.solve.solver import Solver

__all__ = ["lacking", "placed", "solved_in_parts"]


def placed(problem: Problem, ties: Ties | None = None) -> Found:
    """The newcomers of a problem.

    Raises:
        NoRoom: limits leave no seats with the best racks.
    """
    found = Solver(problem, own_arcs=0).at(None)
    if problem.regions:  # neither what places one by one nor what exchanges equals knows of them
        if found is None:
            raise NoRoom("No sets were found.")
        return found
    if found is None:
        counted = replace(problem, most_bytes=None)
        found = placed_by_weight(counted, np.ones(len(problem.lists)), problem.loads.astype(np.float64))
    return found if ties is None else untie(problem, found, ties.of(found.rows))


def lacking(problem: Problem) -> Longs:
    """(n,) newcomers of each partition for which no broker that receives is left."""
    open_ = np.append(problem.open_to, np.zeros((len(problem.open_to), 1), np.bool_), axis=1)
    group = problem.of_class
    taken = open_[group[:, None], problem.staying].sum(axis=1)
    lack: Longs = (problem.need - (problem.open_to.sum(axis=1)[group] - taken)).clip(min=0)
    return lack


def solved_in_parts(solve: Callable[[Problem, Longs, Longs], Found], problem: Problem) -> Found:
    """Newcomers on brokers that receive, and on last resorts what fits nowhere else.

    Args:
        solve: sets of a part, given the part, its rows of all, and of newcomers that had no choice (k,) the row of all
            and (k,) the broker, two rows of one array.
        problem: what needs newcomers.

    Raises:
        NoRoom: limits leave too little.
    """
    lack = lacking(problem)
    nothing = np.empty((2, 0), np.int64)
    if not lack.any() or problem.late is None:
        return solve(problem, np.arange(len(lack)), nothing)
    short, plain = np.flatnonzero(lack), np.flatnonzero(lack == 0)
    brokers = np.flatnonzero(problem.open_to.any(axis=0))
    open_ = ~(problem.staying[short][:, :, None] == brokers).any(axis=1)
    open_ &= problem.open_to[problem.of_class[short]][:, brokers]
    at, column = np.nonzero(open_)
    forced = np.stack([short[at], brokers[column]])
    late = solve(_late(problem, short, np.where(open_, brokers, NONE), problem.late), short, nothing)
    found = [Found(short[late.rows], late.lists)]
    if plain.size:
        took = np.bincount(forced[1], minlength=len(problem.targets))
        room = None if problem.room is None else problem.room - took
        if room is not None and room.min() < 0:
            raise NoRoom("Partitions to which few brokers are left need more of them than the cap allows.")
        elsewhere = problem.loads - counts_on(problem.staying[plain], len(took))
        rest = solve(replace(problem.part(plain, elsewhere + took), room=room), plain, forced)
        found.append(Found(plain[rest.rows], rest.lists))
    width = max(one.lists.shape[1] for one in found)
    rows, lists = np.concatenate([one.rows for one in found]), [widened(one.lists, width) for one in found]
    order = np.argsort(rows)
    return Found(rows[order], np.concatenate(lists)[order]).in_order(problem)


def _late(problem: Problem, rows: Longs, forced: Longs, resorts: BoolArray) -> Problem:
    """The problem of what these rows still lack once they have the brokers ``forced`` (n, D): last resorts alone."""
    width = problem.lists.shape[1]
    further = np.zeros(rows.size, np.int64) if problem.further is None else problem.further[rows]
    lists = widened(problem.lists[rows], width + int(further.max(initial=0))).copy()
    out = np.zeros(lists.shape, np.bool_)
    if problem.out is not None:
        out[:, :width] = problem.out[rows]
    fixed = (lists != NONE) & ~out
    for column in np.sort(np.where(forced == NONE, np.iinfo(np.int64).max, forced), axis=1).T:
        here = np.flatnonzero(column != np.iinfo(np.int64).max)
        goes = out[here].any(axis=1)
        place = np.where(goes, out[here].argmax(axis=1), (lists[here] == NONE).argmax(axis=1))
        lists[here, place] = column[here]
        out[here, place], fixed[here, place] = False, True
        further[here[~goes]] -= 1
    elsewhere = problem.loads - counts_on(problem.staying[rows], len(problem.rack))
    return replace(
        problem,
        lists=lists,
        fixed=fixed,
        targets=np.logical_or.reduce(resorts),
        receivers=resorts,
        late=None,
        group=problem.of_class[rows],
        out=out,
        further=further,
        base=elsewhere,
        size=None,
    )
