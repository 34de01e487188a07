"""The oracle of the solver's tests: every choice of sets that a small problem allows, tried one by one.

It shares nothing with the solver but the problem: sets are listed with ``itertools``, their outcomes added up.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from reseat.model import BoolArray
from reseat.planning.solve.problem import Found, Problem

Ints = npt.NDArray[np.int64]
#: Outcomes of a problem that are held at a time.
MOST_OUTCOMES = 60_000


def sets_of(problem: Problem, row: int) -> list[frozenset[int]]:
    """Every set that a partition may have, racks as the problem has it."""
    group = 0 if problem.group is None else int(problem.group[row])
    at = range(problem.lists.shape[1])
    held = [int(b) for b in problem.lists[row] if b >= 0]
    going = [] if problem.out is None else [int(problem.lists[row, j]) for j in at if problem.out[row, j]]
    staying = [b for b in held if b not in going]
    fixed = [int(problem.lists[row, j]) for j in at if problem.fixed[row, j] and int(problem.lists[row, j]) in staying]
    further = 0 if problem.further is None else int(problem.further[row])
    takers = {int(b) for b in np.flatnonzero(problem.open_to[group])}
    count = len(held) + further
    every = [fixed + list(some) for some in _some(sorted((takers | set(staying)) - set(fixed)), count - len(fixed))]
    vectors = {frozenset(one): _racks(problem, one) for one in every}
    if not vectors:
        return []
    if not problem.keeps_racks:
        least = min(_squares(vector) for vector in vectors.values())
        return [one for one, vector in vectors.items() if _squares(vector) == least]
    bound = _racks(problem, held)
    if going or further:
        ends = [
            _racks(problem, staying + list(some)) for some in _some(sorted(takers - set(staying)), count - len(staying))
        ]
        if not ends:
            return []
        bound = min(ends, key=_squares)
    return [one for one, vector in vectors.items() if _no_less_diverse(vector, bound)]


def _some(brokers: Sequence[int], count: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations(brokers, count))


def _racks(problem: Problem, brokers: Sequence[int]) -> list[int]:
    """Replicas by rack, the most first."""
    codes = [int(problem.rack[b]) for b in brokers]
    return sorted((codes.count(rack) for rack in range(problem.racks)), reverse=True)


def _squares(vector: Sequence[int]) -> int:
    return sum(count * count for count in vector)


def _no_less_diverse(vector: Sequence[int], bound: Sequence[int]) -> bool:
    """Whether the fullest racks together hold no more than in the bound, however many of them are taken."""
    return all(sum(vector[:k]) <= sum(bound[:k]) for k in range(1, len(bound) + 1))


def outcomes_of(problem: Problem) -> Ints | None:
    """(n, 1 + targets) moves and loads of every choice within the limits, each once; None where there are too many."""
    brokers, targets = range(len(problem.targets)), np.flatnonzero(problem.targets).tolist()
    base = np.zeros(len(problem.targets), np.int64) if problem.base is None else problem.base
    out = np.concatenate([[0], base[targets], np.zeros(len(problem.targets), np.int64)])[None]
    for row in range(len(problem.lists)):
        held = set(problem.lists[row].tolist())
        sets = sets_of(problem, row)
        if not sets:
            return out[:0, : 1 + len(targets)]
        table = [[len(one - held), *(t in one for t in targets), *(b in one - held for b in brokers)] for one in sets]
        out = np.unique((out[:, None] + np.array(table, np.int64)[None]).reshape(-1, out.shape[1]), axis=0)
        if len(out) > MOST_OUTCOMES:
            return None
    loads, received = out[:, 1 : 1 + len(targets)], out[:, 1 + len(targets) :]
    fits = np.ones(len(out), np.bool_)
    if problem.room is not None:
        fits &= (received <= problem.room).all(axis=1)
    if problem.most is not None:
        fits &= (loads <= problem.most[targets]).all(axis=1)
    return out[fits, : 1 + len(targets)]


def value_of(problem: Problem, found: Found) -> tuple[int, int, int]:
    """(spread, moves, sum of squares) of what was found, once each of its sets is shown to be allowed."""
    now = [{int(b) for b in row if b >= 0} for row in problem.staying]
    for row, members in zip(found.rows.tolist(), found.lists.tolist(), strict=True):
        now[row] = {b for b in members if b >= 0}
        assert len(now[row]) == sum(b >= 0 for b in members)
    for row, one in enumerate(now):
        assert one in sets_of(problem, row), (problem, row, one)
    loads = np.array([sum(b in one for one in now) for b in range(len(problem.targets))])
    loads = (loads if problem.base is None else loads + problem.base)[problem.targets]
    moves = sum(len(one - set(problem.lists[row].tolist())) for row, one in enumerate(now))
    return int(np.ptp(loads)), moves, int((loads**2).sum())


def random_problem(rng: np.random.Generator) -> Problem:
    """A small problem of any kind: drains, growth, classes that receive, limits, pins, racks of every sort."""
    brokers, rows = int(rng.integers(3, 6)), int(rng.integers(1, 5))
    width = int(rng.integers(1, min(4, brokers) + 1))
    lists = np.full((rows, width), -1, np.int32)
    for row in range(rows):
        some = int(rng.integers(1, width + 1))
        lists[row, :some] = rng.choice(brokers, some, replace=False)
    targets = rng.random(brokers) < 0.8
    targets[0] |= not targets.any()
    racks = [np.zeros(brokers), rng.integers(0, 3, brokers), np.arange(brokers)][int(rng.integers(3))]
    held = lists >= 0
    pinned = (rng.random(rows) < 0.15)[:, None]
    out = held & np.append(~targets & (rng.random(brokers) < 0.6), False)[lists] & ~pinned
    fixed = held & ~out & (~np.append(targets, False)[lists] | pinned)
    receivers: BoolArray | None = None
    group: Ints | None = None
    if rng.random() < 0.5:
        classes = int(rng.integers(1, 3))
        receivers = targets & (rng.random((classes, brokers)) < 0.6)
        group = rng.integers(0, classes, rows)
        if rng.random() < 0.5:  # what is elsewhere must go there
            there = np.append(receivers, np.zeros((classes, 1), np.bool_), axis=1)[group[:, None], lists]
            out |= held & ~there & ~fixed & (rng.random(rows) < 0.5)[:, None]
    return Problem(
        lists=lists,
        fixed=fixed,
        targets=targets,
        rack=racks.astype(np.int32),
        out=out if out.any() else None,
        further=rng.integers(0, 2, rows) if rng.random() < 0.3 else None,
        receivers=receivers,
        group=group,
        keeps_racks=bool(rng.random() < 0.5),
        base=rng.integers(0, 4, brokers) if rng.random() < 0.2 else None,
        room=rng.integers(0, 3, brokers) if rng.random() < 0.3 else None,
        most=rng.integers(1, 5, brokers) if rng.random() < 0.2 else None,
    )
