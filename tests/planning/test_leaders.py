"""The order of replica lists: even preferred leaders first, then few changes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.planning.solve import leaders, picking
from reseat.planning.solve.leaders import leader_first, preferred_leaders
from tests.cases import case_numbers, cases


def _chosen(lists: list[list[int]], present: list[int], fixed: list[int], dead: tuple[int, ...] = ()) -> list[int]:
    may_lead = np.ones(len(fixed), np.bool_)
    may_lead[list(dead)] = False
    table = np.array(lists, np.int32).reshape(len(lists), len(lists[0]) if lists else 2)
    return preferred_leaders(
        table, np.array(present, np.int32), np.array(fixed), may_lead, np.zeros_like(may_lead)
    ).tolist()


def test_leaders_even_out() -> None:
    """Three lists that all start with broker 0: each broker ends with one, and one list keeps its first."""
    chosen = _chosen([[0, 1], [0, 1], [0, 2]], [0, 0, 0], [0, 0, 0])

    assert sorted(chosen) == [0, 1, 2]
    assert chosen[2] == 2


def test_counts_of_unchanged_partitions_are_part_of_the_balance() -> None:
    """Broker 0 leads four elsewhere, so both lists go to broker 1."""
    assert _chosen([[0, 1], [0, 1]], [0, 0], [4, 0]) == [1, 1]


def test_nothing_changes_without_need() -> None:
    """Lists that are even already keep their leaders, whichever order they are in."""
    assert _chosen([[0, 1], [1, 0], [2, 0]], [0, 1, 2], [0, 0, 0]) == [0, 1, 2]


def test_a_dead_broker_is_named_only_where_the_list_has_no_other() -> None:
    """Broker 0 is dead: it hands over to 1, and stays first where it is alone."""
    assert _chosen([[0, 1], [0, -1]], [0, 0], [0, 0], dead=(0,)) == [1, 0]


def test_a_list_of_dead_brokers_keeps_its_first() -> None:
    """Where nobody may lead, the present first stays, though not at the front of what is given."""
    assert _chosen([[0, 1]], [1], [0, 0, 0], dead=(0, 1)) == [1]


def test_a_leader_that_left_the_list_is_replaced() -> None:
    """The present first, broker 2, is not in the new list."""
    assert _chosen([[0, 1]], [2], [1, 0, 0]) == [1]


def test_no_lists_no_leaders() -> None:
    """An empty table gives an empty answer; an empty list has nobody."""
    assert _chosen([], [], [0, 0]) == []
    assert _chosen([[-1, -1]], [-1], [0, 0]) == [-1]


def test_many_replicas_in_a_list() -> None:
    """Twelve replicas a list, too many for a packed key: still even, still few changes."""
    lists = [list(range(12)) for _ in range(12)]
    chosen = _chosen(lists, [0] * 12, [0] * 40)

    assert sorted(chosen) == list(range(12))
    assert chosen.count(0) == 1


def test_the_chosen_leader_moves_to_the_front() -> None:
    """The others keep their order, and padding stays on the right."""
    lists = np.array([[5, 3, 4], [7, 8, -1]], np.int32)
    order = leader_first(lists, np.array([4, 8], np.int32))

    assert np.take_along_axis(lists, order, axis=1).tolist() == [[4, 5, 3], [8, 7, -1]]


@st.composite
def _cases(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[int], tuple[int, ...]]:
    brokers = draw(st.integers(2, 4))
    lists = draw(
        st.lists(st.lists(st.integers(0, brokers - 1), min_size=1, max_size=3, unique=True), min_size=1, max_size=5)
    )
    present = [draw(st.integers(0, brokers - 1)) for _ in lists]
    fixed = draw(st.lists(st.integers(0, 3), min_size=brokers, max_size=brokers))
    dead = tuple(draw(st.sets(st.integers(0, brokers - 1), max_size=1)))
    return [members + [-1] * (3 - len(members)) for members in lists], present, fixed, dead


@pytest.mark.parametrize(("many", "very_many"), [(0, 40_000), (2_000, 40_000), (2_000, 0)])
@settings(max_examples=cases(120), deadline=None)
@given(case=_cases())
def test_the_best_of_all_orders(
    many: int, very_many: int, case: tuple[list[list[int]], list[int], list[int], tuple[int, ...]]
) -> None:
    """Least sum of squares, then fewest changes, against every way to choose the firsts; in each way to find it."""
    lists, present, fixed, dead = case

    def value(firsts: tuple[int, ...]) -> tuple[int, int]:
        counts = [(fixed[b] + firsts.count(b)) ** 2 for b in range(len(fixed)) if b not in dead]
        return sum(counts), sum(a != b for a, b in zip(firsts, present, strict=True))

    choices = [[b for b in members if b >= 0 and b not in dead] or [members[0]] for members in lists]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(leaders, "MANY_LISTS", many)
        patch.setattr(picking, "GROUPS", very_many)
        chosen = tuple(_chosen(lists, present, fixed, dead))

    assert all(first in members for first, members in zip(chosen, lists, strict=True))
    assert value(chosen)[0] == min(value(way)[0] for way in itertools.product(*choices))
    assert value(chosen) == min(value(way) for way in itertools.product(*choices))


def test_exchanges_between_brokers_are_the_best_over_all() -> None:
    """3,000 lists whose leaders cannot be even: the same value as one flow over all."""
    draw = np.random.default_rng(5)
    lists = np.argsort(draw.random((3_000, 20)) * np.linspace(0.3, 1, 20), axis=1)[:, :3].astype(np.int32)
    present = draw.integers(0, 20, 3_000).astype(np.int32)
    fixed = np.arange(20) ** 2 * 10
    may_lead = np.arange(20) != 7

    def value(chosen: np.ndarray) -> tuple[int, int]:
        counts = (fixed + np.bincount(chosen, minlength=20))[may_lead]
        return int((counts**2).sum()), int((chosen != present).sum())

    with pytest.MonkeyPatch.context() as patch:
        whole = preferred_leaders(lists, present, fixed, may_lead, np.zeros_like(may_lead))
        patch.setattr(picking, "GROUPS", 0)
        few = preferred_leaders(lists, present, fixed, may_lead, np.zeros_like(may_lead))

    assert np.ptp((fixed + np.bincount(whole, minlength=20))[may_lead]) > 1
    assert value(few) == value(whole)


@pytest.mark.parametrize("seed", case_numbers(40))
def test_blocks_of_brokers_are_the_best_over_all(seed: int) -> None:
    """Brokers that lead little with all of their lists, or much without any: as good as one flow over all."""
    draw = np.random.default_rng(seed)
    brokers, rows = int(draw.integers(6, 30)), int(draw.integers(50, 1_500))
    weight = draw.random(brokers) ** int(draw.integers(1, 4)) + 0.01
    lists = np.argsort(draw.random((rows, brokers)) ** (1 / weight), axis=1)[:, ::-1][:, :3].astype(np.int32)
    present = np.where(draw.random(rows) < 0.7, lists[:, 0], brokers - 1).astype(np.int32)
    fixed = draw.integers(0, 1 + int(draw.integers(1, 4)) * rows // brokers, brokers)
    may_lead = draw.random(brokers) < 0.9

    def value(many: int) -> tuple[int, int]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(leaders, "MANY_LISTS", many)
            chosen = preferred_leaders(lists, present, fixed, may_lead, np.zeros_like(may_lead))
        counts = (fixed + np.bincount(chosen, minlength=brokers))[may_lead]
        return int((counts**2).sum()), int((chosen != present).sum())

    assert value(0) == value(rows + 1)
