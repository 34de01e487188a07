"""The exact curve of small layouts, against every plan there is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.planning.kinds.partition_flow import points
from reseat.planning.kinds.remove import prepared
from tests.planning.brute_force import rack_names, rack_squares, targets_of

Lists = dict[tuple[str, int], list[int]]


def every_plan(layout: ClusterLayout, out: int) -> dict[int, int]:
    """The least sum of squares by number of moves, over all plans in which each partition's racks are at their best.

    Empty where some partition could sit better over racks than the displaced replicas alone allow.
    """
    targets, racks = targets_of(layout, [out]), rack_names(layout)
    choices: list[list[tuple[frozenset[int], int]]] = []
    for members in layout.assignments().values():
        stuck = [i for i in members if i not in targets and i != out]
        free = len(members) - len(stuck)
        ways = [frozenset(way) for way in itertools.combinations(targets, free)]
        cost = {way: rack_squares([*stuck, *way], racks) for way in ways}
        kept = frozenset(members) & frozenset(targets)
        if min(cost.values()) < min(cost[way] for way in ways if kept <= way):
            return {}
        choices.append([(way, len(way - set(members))) for way in ways if cost[way] == min(cost.values())])
    best: dict[int, int] = {}
    for plan in itertools.product(*choices):
        moves = sum(moved for _, moved in plan)
        loads = [sum(target in way for way, _ in plan) for target in targets]
        best[moves] = min(best.get(moves, 10**9), sum(load**2 for load in loads))
    return best


@st.composite
def clusters(draw: st.DrawFn) -> ClusterLayout:
    """Up to five brokers, perhaps one dead, in up to three racks or none, with up to four partitions."""
    count = draw(st.integers(3, 5))
    ids = list(range(1, count + 1))
    racks = draw(st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=count, max_size=count))
    dead = draw(st.sampled_from([0, 0, *ids[1:]]))
    brokers = [
        Broker(i, rack, state=BrokerState.DEAD if i == dead else BrokerState.ALIVE)
        for i, rack in zip(ids, racks, strict=True)
    ]
    lists: Lists = {}
    for partition in range(draw(st.integers(1, 4))):
        lists["t", partition] = draw(st.lists(st.sampled_from(ids), min_size=1, max_size=2, unique=True))
    return ClusterLayout.from_assignments(lists, brokers=brokers)


@settings(max_examples=250)
@given(clusters())
def test_each_point_is_the_evenest_of_all_plans_with_as_many_moves(layout: ClusterLayout) -> None:
    """Points begin with the fewest moves, end with the best balance, and no plan with so many moves is evener."""
    if any(
        sum(i in targets_of(layout, [1]) for i in ids) + (1 in ids) > len(targets_of(layout, [1]))
        for ids in layout.assignments().values()
    ):
        return  # more replicas than brokers: refused before
    best, found = every_plan(layout, 1), points(prepared(layout, [1]))

    assert bool(found) == bool(best)
    if not best:
        return
    assert found[0].point.moves == min(best)
    assert found[-1].point.replica_sum_of_squares == min(best.values())
    assert found[-1].point.moves == min(moves for moves, squares in best.items() if squares == min(best.values()))
    for one in found:
        assert one.point.replica_sum_of_squares == best[one.point.moves]


def test_lists_keep_their_order_and_newcomers_take_vacated_places() -> None:
    """Only members that go are replaced, in place; nobody is listed twice."""
    layout = ClusterLayout.from_assignments({("t", i): [1, 2] for i in range(4)} | {("u", 0): [3, 4]})
    for one in points(prepared(layout, [4])):
        before, after = layout.replicas[one.rows], one.lists

        assert (before != after).any(axis=1).all()
        assert all(len(set(row)) == len(row) for row in after.tolist())
        assert np.count_nonzero(before != after) == one.point.moves


@pytest.mark.parametrize("partitions", [60_000])
def test_a_large_layout_is_left_to_the_aggregated_network(partitions: int) -> None:
    """Above the limit of arcs there is no answer instead of a slow one."""
    replicas = (np.arange(partitions)[:, None] + np.arange(2)) % 6
    layout = ClusterLayout.from_columns(
        topics=["t"], topic_of=np.zeros(partitions), partition=np.arange(partitions), replicas=replicas
    )

    assert points(prepared(layout, [0])) == ()
