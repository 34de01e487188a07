"""Spreads, and the least spread that is possible."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.balance import least_possible_spread, spread_of
from reseat.balance.spread import least_possible_spread_in_groups


@pytest.mark.parametrize(("total", "carriers", "least"), [(7, 3, 1), (6, 3, 0), (0, 5, 0), (1, 1, 0), (2, 3, 1)])
def test_whole_units_can_be_shared_out_to_within_one(total: int, carriers: int, least: int) -> None:
    """Seven replicas over three brokers cannot be evener than 1 apart."""
    assert least_possible_spread(total, carriers) == least


def test_a_small_rack_makes_a_spread_unavoidable() -> None:
    """12 over a rack that holds 2 and two that hold 100: 2, 5, 5."""
    assert least_possible_spread(12, 3, np.array([100, 2, 100])) == 3


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4), st.data())
def test_the_least_spread_with_room_is_the_least_of_all_ways(room: list[int], data: st.DataObject) -> None:
    """Against trying every way to share the units out."""
    total = data.draw(st.integers(0, sum(room)))
    ways = (way for way in itertools.product(*(range(most + 1) for most in room)) if sum(way) == total)
    best = min(max(way) - min(way) for way in ways)

    assert least_possible_spread(total, len(room), np.array(room)) == best


def test_a_spread_says_how_uneven_a_load_is() -> None:
    """Mean, extremes, deviation and what of the spread could be avoided."""
    spread = spread_of(np.array([2, 3, 1]))

    assert spread is not None
    assert (spread.count, spread.mean, spread.least, spread.most, spread.spread) == (3, 2.0, 1.0, 3.0, 2.0)
    assert spread.variation == pytest.approx(0.4082, abs=1e-4)
    assert (spread.least_possible, spread.avoidable) == (0, 2.0)


def test_nobody_to_carry_a_load_has_no_spread_and_no_load_no_variation() -> None:
    """No division by zero, and no invented number."""
    empty = spread_of(np.array([0, 0]))

    assert spread_of(np.array([], np.int64)) is None
    assert empty is not None
    assert empty.variation == 0.0


def test_bytes_have_no_known_least_spread() -> None:
    """Replicas come in lumps: what is avoidable is not claimed."""
    spread = spread_of(np.array([1.5, 2.5]), whole=False)

    assert spread is not None
    assert spread.least_possible is None
    assert spread.avoidable is None


def test_a_rack_of_one_broker_that_all_need_is_no_avoidable_skew() -> None:
    """10 partitions of RF 2 over racks of 1 and 3 brokers: 10 on the one, 3 or 4 on the others."""
    assert least_possible_spread_in_groups(20, np.array([1, 3]), np.array([10, 10])) == 7


@given(st.lists(st.tuples(st.integers(1, 2), st.integers(0, 5)), min_size=1, max_size=3), st.data())
def test_the_least_spread_in_groups_is_the_least_of_all_ways(
    groups: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Against trying every way to share the units out to the carriers."""
    total = data.draw(st.integers(0, sum(room for _, room in groups)))
    owner = [at for at, (size, _) in enumerate(groups) for _ in range(size)]
    ways = itertools.product(range(total + 1), repeat=len(owner))
    best = min(
        max(way) - min(way)
        for way in ways
        if sum(way) == total
        and all(
            sum(n for n, at in zip(way, owner, strict=True) if at == g) <= room for g, (_, room) in enumerate(groups)
        )
    )
    sizes, room = (np.array(column) for column in zip(*groups, strict=True))

    assert least_possible_spread_in_groups(total, sizes, room) == best
