"""A rebalance by topic: each topic's replicas evenly over brokers, then all of them.

Promises, in this order:
    1. Partitions sit on racks as in a rebalance without it.
    2. Of each topic the least spread over the brokers that count. Topics share nothing but the cluster's load, so that
       all have their least at once; the checker proves each for itself.
    3. Then replicas of all topics as evenly as found, by few moves: topics are planned one after the other, the largest
       first, and each once more when the loads of all others are there. No claim is made of it.

Where fewer moves or bytes are allowed than that takes, topics are evened one after the other, the one with the largest
spread first, as the others stand by then and as far as the limits reach; of the rest racks alone change.

How: a topic is the problem of its partitions alone. Its least window of loads is found by itself, then the least sum of
squares of all loads within that window, each move at a price that no move pays which evens nothing out.

Example: two topics of two partitions with one replica each, a on brokers 0 and 0, b on 1 and 1: one replica of each
moves, though brokers are even to begin with.

Complexity: that of ``solver`` twice a topic, and a search for its window by flows without costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np

from reseat.model import ClusterLayout, IntArray, Longs
from reseat.model.arrays import counts_on, widened
from reseat.planning.solve.problem import Found, NoRoom, Problem
from reseat.planning.solve.solver import Solver

__all__ = ["Topics"]

_Found = TypeVar("_Found")


class Topics:
    """Topics, the largest first, of a problem over all partitions of a layout."""

    def __init__(self, layout: ClusterLayout, problem: Problem) -> None:
        self._problem = problem
        topics = (np.asarray(layout.rows_of_topic(name), np.int64) for name in layout.topics)
        self._rows = sorted(topics, key=len, reverse=True)
        # Of each the fewest and the most on a broker at its least spread.
        self._windows = [_window(problem, rows) for rows in self._rows]

    def evened(self) -> Found:
        """The sets for each topic's least spread, and then as even as found.

        Raises:
            NoRoom: limits leave no sets, or those of a topic were not found.
        """
        self._begin(self._problem.lists, self._problem.staying)
        for _ in range(2):  # once more with the loads that all others have by then
            for at in range(len(self._rows)):
                self._even(at)
        return self._found()

    def one_by_one(self, first: Found) -> Iterator[Found]:
        """Sets with one topic more at its least spread each, the one with the largest spread first.

        ``first`` is what comes before all topics: racks alone.

        Raises:
            NoRoom: as ``evened``.
        """
        lists = self._problem.lists_with(first)
        self._begin(lists, lists)
        spread = [int(np.ptp(own[self._problem.targets])) for own in self._own]
        yield self._found()
        for at in sorted(range(len(spread)), key=spread.__getitem__, reverse=True):
            low, high = self._windows[at]
            if spread[at] > high - low:
                self._even(at)
                yield self._found()

    def _begin(self, lists: IntArray, placed: IntArray) -> None:
        """Topics lie as ``placed`` (P, R) says, in these lists (P, R)."""
        self._lists, brokers = lists.copy(), len(self._problem.targets)
        self._own = [counts_on(placed[rows], brokers) for rows in self._rows]
        self._loads = counts_on(placed, brokers)

    def _even(self, at: int) -> None:
        """Give a topic its least spread, beside the others as they lie by now."""
        rows, rest = self._rows[at], self._loads - self._own[at]
        found = _within(self._problem.part(rows, rest), *self._windows[at], rest=rest)
        self._lists[rows] = self._problem.lists[rows]
        self._lists[rows[found.rows]] = widened(found.lists, self._lists.shape[1])
        self._own[at] = counts_on(self._lists[rows], len(rest))
        self._loads = rest + self._own[at]

    def _found(self) -> Found:
        """The sets of all partitions that change."""
        changed = np.flatnonzero((self._lists != self._problem.lists).any(axis=1))
        return Found(changed, self._lists[changed]).in_order(self._problem)


def _window(problem: Problem, rows: Longs) -> tuple[int, int]:
    """The emptiest and the fullest broker of the topic with these partitions, at its least spread."""
    part = problem.part(rows, np.zeros(len(problem.targets), np.int64))
    return _sure(Solver(replace(part, most=None)).least_spread())


def _within(part: Problem, low: int, high: int, *, rest: Longs) -> Found:
    """The evenest of all loads with the topic's between these; where a capacity forbids that, without them."""
    others, solver = rest[part.targets], Solver(part, own_arcs=60_000)  # which find the fewest bytes
    try:
        return _sure(solver.at(1, (others + low, others + high)))
    except NoRoom:
        if part.most is None:
            raise
        return _sure(solver.at(1))


def _sure(found: _Found | None) -> _Found:
    if found is None:
        raise NoRoom("A topic's sets were not found.")
    return found
