"""A rebalance by topic: each topic's replicas evenly over brokers, then all of them.

Promises, in this order:
    1. Partitions sit on racks as in a rebalance without it.
    2. Of each topic the least spread over the brokers that count. Topics share nothing but the cluster's load, so that
       all have their least at once; the checker proves each for itself.
    3. Then replicas of all topics as evenly as found, by few moves: topics are planned one after the other, the largest
       first, and each once more when the loads of all others are there. No claim is made of it.

How: a topic is the problem of its partitions alone. Its least window of loads is found by itself, then the least sum of
squares of all loads within that window, each move at a price that no move pays which evens nothing out.

Example: two topics of two partitions with one replica each, a on brokers 0 and 0, b on 1 and 1: one replica of each
moves, though brokers are even to begin with.

Complexity: that of ``solver`` twice a topic, and a search for its window by flows without costs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from reseat.model import ClusterLayout, Longs
from reseat.model.arrays import counts_on, widened
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.solver import Solver

__all__ = ["rebalanced_by_topic"]

_Found = TypeVar("_Found")


def rebalanced_by_topic(layout: ClusterLayout, problem: Problem) -> Found:
    """The sets of a problem over all partitions for each topic's least spread, and then as even as found.

    Raises:
        NoRoom: limits leave no sets, or those of a topic were not found.
    """
    topics = [np.asarray(layout.rows_of_topic(name), np.int64) for name in layout.topics]
    topics.sort(key=len, reverse=True)
    windows = [_window(problem, rows) for rows in topics]
    lists, loads = problem.lists.copy(), problem.loads.copy()
    own = [counts_on(problem.staying[rows], len(loads)) for rows in topics]
    for _ in range(2):  # once more with the loads that all others have by then
        for at, (rows, window) in enumerate(zip(topics, windows, strict=True)):
            found = _within(problem.part(rows, loads - own[at]), *window, rest=loads - own[at])
            lists[rows] = problem.lists[rows]
            lists[rows[found.rows]] = widened(found.lists, lists.shape[1])
            after = counts_on(lists[rows], len(loads))
            loads, own[at] = loads + after - own[at], after
    changed = np.flatnonzero((lists != problem.lists).any(axis=1))
    return Found(changed, lists[changed], relaxed=False).in_order(problem)


def _window(problem: Problem, rows: Longs) -> tuple[int, int]:
    """The emptiest and the fullest broker of the topic with these partitions, at its least spread."""
    part = problem.part(rows, np.zeros(len(problem.targets), np.int64))
    return _sure(Solver(replace(part, most=None)).least_spread())


def _within(part: Problem, low: int, high: int, *, rest: Longs) -> Found:
    """The evenest of all loads with the topic's between these; where a capacity forbids that, without them."""
    others = rest[part.targets]
    try:
        return _sure(Solver(part).at(1, (others + low, others + high)))
    except NoRoom:
        if part.most is None:
            raise
        return _sure(Solver(part).at(1))


def _sure(found: _Found | None) -> _Found:
    if found is None:
        raise NoRoom("A topic's sets were not found.")
    return found
