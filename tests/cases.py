"""How many random cases a run tries: two fifths of them, and all of them in ``make soak``.

A fault that a sweep is there to find mostly fails many of its cases. What only a rare case would show is left to the
long run.
"""

from __future__ import annotations

import os

import pytest
from _pytest.mark import ParameterSet

__all__ = ["case_numbers", "cases", "sweep"]


def cases(number: int) -> int:
    """How many of so many cases are tried now."""
    return number if os.environ.get("RESEAT_CASES") == "all" else number * 2 // 5


def case_numbers(number: int) -> list[int | ParameterSet]:
    """Parameters, a case each; those that the ordinary run leaves out are slow."""
    few = number * 2 // 5
    return [*range(few), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(few, number))]


def sweep(number: int) -> pytest.MarkDecorator:
    """A test is given how ``many`` cases to try: few, and among the slow ones so many."""
    return pytest.mark.parametrize("many", [number * 2 // 5, pytest.param(number, marks=pytest.mark.slow)])
