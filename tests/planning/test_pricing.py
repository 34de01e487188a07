"""Prices: which lists a flow must hold to be the best over all."""

from __future__ import annotations

import numpy as np

from reseat.planning.solve.column_generation import Swaps, worth_freeing


def _freed(
    load: list[int], swaps: list[tuple[int, int, int, int]], held: tuple[int, ...] = (), most: int = 10
) -> list[int] | None:
    rows = 1 + max((swap[0] for swap in swaps), default=0)
    columns = np.array(swaps, np.int64).reshape(-1, 4).T
    mask = np.zeros(rows, np.bool_)
    mask[list(held)] = True
    found = worth_freeing(Swaps(*columns), mask, np.array(load, np.int64), np.ones(len(load), np.int64), most)
    return None if found is None else found.tolist()


def test_the_documented_example() -> None:
    """Loads 4 and 1: the list that offers 0 -> 1 is worth it; with loads 3 and 2 none is."""
    assert _freed([4, 1], [(0, 0, 1, 0)]) == [0]
    assert _freed([3, 2], [(0, 0, 1, 0)]) == []


def test_a_path_over_lists_that_are_held_counts() -> None:
    """Loads 4, 3, 2: 0 -> 1 alone gains nothing, but list 1, which is held, leads on from 1 to 2."""
    held = [(0, 0, 1, 0), (1, 1, 2, 0)]

    assert _freed([4, 3, 2], [(0, 0, 1, 0)]) == []
    assert _freed([4, 3, 2], held, held=(1,)) == [0]


def test_costs_weigh_against_balance() -> None:
    """Evening 3 and 1 to 2 and 2 gains 2: a change that costs 1 is worth it, one that costs 5 is not."""
    assert _freed([3, 1], [(0, 0, 1, 1)]) == [0]
    assert _freed([3, 1], [(0, 0, 1, 5)]) == []


def test_lists_that_are_held_badly_have_no_prices() -> None:
    """The flow would have passed the unit on: something is wrong, and nothing is claimed."""
    assert _freed([4, 1], [(0, 0, 1, 0)], held=(0,)) is None


def test_not_more_lists_than_asked_for() -> None:
    """Fifty lists of one kind, three wanted: the same three each time."""
    swaps = [(row, row % 2, 2, 0) for row in range(50)]
    freed = _freed([60, 50, 0], swaps, most=3)

    assert freed is not None
    assert len(freed) == 3
    assert freed == _freed([60, 50, 0], swaps, most=3)


def test_a_broker_without_load_gives_nothing() -> None:
    """What holds nothing cannot be relieved."""
    assert _freed([0, 0], [(0, 0, 1, 0)]) == []
