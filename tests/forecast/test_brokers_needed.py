"""How many brokers, by rack, and how many moves: every answer beside an exhaustive search on small cases."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.forecast.brokers_needed import fits, least_brokers, least_moves
from tests.cases import cases

FACTORS = st.dictionaries(st.integers(1, 4), st.integers(1, 2), min_size=1, max_size=2)


def placed(factors, brokers, most):
    """Whether some placement of all partitions exists, by trying each: as many racks as can be, evenly."""
    racks = [rack for rack, number in enumerate(brokers) for _ in range(number)]
    groups = len(brokers)
    if groups == 1:
        racks, groups = list(range(brokers[0])), brokers[0]
    loads = {(0,) * len(racks)}
    for factor, count in factors.items():
        lists = []
        for one in itertools.combinations(range(len(racks)), factor):
            held = [sum(racks[broker] == rack for broker in one) for rack in range(groups)]
            if groups and all(factor // groups <= number <= -(-factor // groups) for number in held):
                lists.append(one)
        for _ in range(count):
            loads = {
                tuple(load + (broker in one) for broker, load in enumerate(before)) for before in loads for one in lists
            }
            loads = {load for load in loads if max(load, default=0) <= most}
    return bool(loads)


@settings(max_examples=cases(60))
@given(FACTORS, st.lists(st.integers(1, 2), min_size=1, max_size=3), st.integers(1, 4))
def test_a_placement_exists_where_it_is_said(factors, brokers, most):
    """And none where it is not."""
    assert fits(factors, brokers, most) == placed(factors, brokers, most)


@settings(max_examples=cases(60))
@given(
    st.dictionaries(st.integers(1, 4), st.integers(1, 6), min_size=1, max_size=3),
    st.lists(st.integers(0, 3), min_size=1, max_size=3),
    st.integers(4, 9),
)
def test_no_fewer_brokers_do_in_whichever_racks(factors, brokers, most):
    """Every way of adding fewer is tried."""
    found = least_brokers(factors, brokers, most)

    assert found is not None
    assert fits(factors, found, most)
    assert all(now >= before for now, before in zip(found, brokers, strict=True))
    for more in range(sum(found) - sum(brokers)):
        for added in itertools.product(range(more + 1), repeat=len(brokers)):
            if sum(added) == more:
                assert not fits(factors, [a + b for a, b in zip(brokers, added, strict=True)], most)


def test_ten_partitions_of_three_need_two_brokers_a_rack():
    """The example."""
    assert least_brokers({3: 10}, (1, 1, 1), 6) == (2, 2, 2)


@pytest.mark.parametrize(("brokers", "most"), [((), 5), ((1, 2), 0)])
def test_no_number_of_brokers_does(brokers, most):
    """Where there is no rack, or nothing may be held."""
    assert least_brokers({3: 10}, brokers, most) is None


def fewest(loads, growth, most, joins):
    """The fewest moves by trying all; None where no way keeps every broker under its most.

    ``growth`` replicas come in each interval, evenly onto the brokers there; ``joins`` brokers join before each, empty.
    """
    best = {tuple(loads): 0}
    for come, more in zip(growth, joins, strict=True):
        after = {}
        for held, cost in best.items():
            there = (*held, *[0] * more)
            each = come // len(there)
            for then in arranged(sum(there), len(there), most - each):
                moved = sum(max(0, b - a) for b, a in zip(there, then, strict=True))
                grown = tuple(load + each for load in then)
                after[grown] = min(after.get(grown, 10**9), cost + moved)
        best = after
    return min(best.values(), default=None)


def arranged(total, brokers, most):
    """All ways of holding so many on so many brokers."""
    if brokers == 1:
        return [(total,)] if 0 <= total <= most else []
    return [(n, *rest) for n in range(min(total, most) + 1) for rest in arranged(total - n, brokers - 1, most)]


@settings(max_examples=cases(60))
@given(st.lists(st.integers(0, 5), min_size=1, max_size=2), st.integers(0, 1), st.integers(0, 1), st.integers(3, 9))
def test_adding_all_at_once_moves_the_fewest(loads, more, each, most):
    """Of all ways to move, and whether the brokers join before the first of two intervals or the second."""
    total = len(loads) + more
    come = [each * math.lcm(len(loads), total)] * 2
    at_once = fewest(loads, come, most, [more, 0])
    later = fewest(loads, come, most, [0, more])
    fit = sum(loads) + sum(come) <= most * total

    assert fit == (at_once is not None)
    assert not fit or at_once == sum(least_moves([([*loads, *[0] * more], [sum(come) / total] * total)], most))
    assert later is None or (at_once is not None and at_once <= later)


@settings(max_examples=cases(100))
@given(st.lists(st.integers(0, 5), min_size=1, max_size=2), st.integers(0, 1), st.integers(0, 1), st.integers(3, 9))
def test_brokers_that_join_later_leave_more_to_move(loads, more, each, most):
    """Before the second interval: no way moves fewer than are told, stage by stage."""
    total = len(loads) + more
    come = each * math.lcm(len(loads), total)
    found = fewest(loads, [come] * 2, most, [0, more])
    stages = [(loads, [come / len(loads)] * len(loads)), ([0] * more, [come / total] * total)]

    assert found is None or found == sum(least_moves(stages, most))
