"""The solver finds the best sets of every problem: held against every choice there is, by both of its networks."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from reseat.planning.solve import solver
from reseat.planning.solve.pools import Pools
from reseat.planning.solve.problem import NoRoom, Problem
from reseat.planning.solve.solver import Solver
from tests.planning.every_set import outcomes_of, random_problem, value_of


def held_against_every_choice(problem: Problem, *, relaxed: bool) -> Counter[str]:
    """Every way of solving a problem, by one of the networks; how many found something, and how many nothing."""
    outcomes, told = outcomes_of(problem), Counter[str]()
    if outcomes is None:
        return told
    found_by = Solver(problem, own_arcs=0 if relaxed else 10**9)
    if not len(outcomes):
        if not relaxed:
            with pytest.raises(NoRoom):
                found_by.evenest()
        return told
    moves, squares = outcomes[:, 0], (outcomes[:, 1:] ** 2).sum(axis=1)
    spreads = np.ptp(outcomes[:, 1:], axis=1)
    found = found_by.evenest()
    told["found" if found else "nothing"] += 1
    if found is not None:
        assert value_of(problem, found) == min(zip(spreads, moves, squares, strict=True)), problem
    for tolerance in (None, 1, 2, 3):
        found = found_by.at(tolerance)
        told["found" if found else "nothing"] += 1
        if found is None:
            continue
        _, made, reached = value_of(problem, found)
        if tolerance is None:
            assert (made, reached) == min(zip(moves, squares, strict=True)), problem
        else:
            assert reached + (2 * tolerance - 1) * made == (squares + (2 * tolerance - 1) * moves).min(), problem
    for most in range(int(moves.min()), int(moves.min()) + 4):
        found = found_by.with_moves(most)
        told["found within" if found else "nothing within"] += 1
        if found is not None:
            _, made, reached = value_of(problem, found)
            assert made <= most
            assert reached == squares[moves <= most].min(), (problem, most)
    return told


def swept(seeds: range, monkeypatch: pytest.MonkeyPatch, *, relaxed: bool) -> Counter[str]:
    """As many random problems; without the exact network where relaxing is what is asked for."""
    if relaxed:
        monkeypatch.setattr(solver, "MOST_OWN_ARCS", -1)
    told = Counter[str]()
    for seed in seeds:
        told += held_against_every_choice(random_problem(np.random.default_rng(seed)), relaxed=relaxed)
    return told


@pytest.mark.parametrize("relaxed", [False, True])
def test_nothing_is_better_than_what_it_finds(relaxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drains, growth, classes, limits, pins; the exact network finds all of it, relaxing nearly all."""
    told = swept(range(24), monkeypatch, relaxed=relaxed)

    assert told["found"] > 80
    assert told["nothing"] <= (told["found"] // 8 if relaxed else 0)
    assert told["found within"] > 40 * told["nothing within"] * (not relaxed)


@pytest.mark.slow
@pytest.mark.parametrize("relaxed", [False, True])
def test_nothing_is_better_than_what_it_finds_at_length(relaxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of ten thousand problems."""
    told = swept(range(1_000, 11_000), monkeypatch, relaxed=relaxed)

    assert told["found"] > 34_000  # of 37,895 that there are, which the exact network finds all
    assert told["nothing"] <= (told["found"] // 8 if relaxed else 0)


def test_loads_told_without_sets_are_those_of_the_sets() -> None:
    """Of newcomers alone, in racks that their partitions are not in, and where racks take a partition twice."""
    told = Counter[bool]()
    for seed in range(60):
        draw = np.random.default_rng(seed)
        racks, brokers = int(draw.integers(1, 6)), 12
        lists = np.stack([draw.permutation(brokers)[:3] for _ in range(draw.integers(4, 20))]).astype(np.int32)
        out = lists == int(draw.integers(brokers))
        problem = Problem(
            lists=lists,
            fixed=~out,
            targets=~np.isin(np.arange(brokers), lists[out]),
            rack=(np.arange(brokers) % racks).astype(np.int32),
            out=out,
            base=draw.integers(0, 30, brokers),
        )
        sets, pools = Solver(problem, own_arcs=0).at(None), Pools.of(problem)
        loads = Solver(problem, own_arcs=0).least_loads()
        assert sets is not None
        assert pools is not None
        assert loads is not None
        counts = problem.targets
        assert sorted(loads[counts]) == sorted(problem.loads_with(sets)[counts])
        told[pools.always_realised] += 1

    assert min(told[True], told[False]) >= 10
