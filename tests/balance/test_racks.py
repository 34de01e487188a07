"""Rack terms: sums of squares and violations, against literals and against counting by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import (
    distinct_racks,
    rack_groups,
    rack_squares,
    rack_sum_of_squares,
    rack_violating,
    rack_violations,
    shares_rack_while_free,
)
from reseat.model import Broker, BrokerState, ClusterLayout
from tests.cases import cases


def racked(lists: list[list[int]], racks: dict[int, str | None]) -> ClusterLayout:
    """A layout of one topic with these replica lists and racks."""
    return ClusterLayout.from_assignments(
        {("orders", i): replicas for i, replicas in enumerate(lists)},
        brokers=[Broker(broker, rack=rack) for broker, rack in racks.items()],
    )


def test_sum_of_squares_counts_replicas_of_a_partition_by_rack() -> None:
    """Two replicas in one rack and one in another are 2 * 2 + 1 * 1."""
    layout = racked([[1, 2, 3], [1, 3]], {1: "a", 2: "a", 3: "b"})

    assert rack_squares(layout) is not None
    assert rack_squares(layout).tolist() == [5, 2]
    assert rack_sum_of_squares(layout) == 7


def test_rack_terms_are_off_where_no_broker_has_a_rack() -> None:
    """Nothing is known of racks: no sum, and no violation."""
    layout = racked([[1, 2], [2, 3]], {})

    assert rack_groups(layout) is None
    assert rack_squares(layout) is None
    assert rack_sum_of_squares(layout) is None
    assert distinct_racks(layout) is None
    assert rack_violations(layout) is None


def test_a_broker_without_a_rack_beside_others_is_a_rack_of_its_own() -> None:
    """Brokers 3 and 4 have no rack: each counts apart."""
    layout = racked([[1, 2], [3, 4], [1, 3]], {1: "a", 2: "a", 3: None, 4: None})

    assert rack_squares(layout).tolist() == [4, 2, 2]
    assert rack_violating(layout).tolist() == [True, False, False]


def test_a_violation_is_measured_against_the_racks_that_remain() -> None:
    """With rack b gone, one rack is all that two replicas can reach."""
    layout = racked([[1, 2]], {1: "a", 2: "a", 3: "b"})

    assert rack_violations(layout) == 1
    assert rack_violations(layout, np.array([True, True, False])) == 0


def test_more_replicas_than_racks_is_no_violation_where_all_racks_are_used() -> None:
    """Three replicas over the only two racks."""
    layout = racked([[1, 2, 3], [1, 2]], {1: "a", 2: "a", 3: "b"})

    assert rack_violating(layout).tolist() == [False, True]


def test_a_shared_rack_is_found_only_while_another_is_usable() -> None:
    """The free rack b helps only if its broker can take a replica."""
    layout = racked([[1, 2]], {1: "a", 2: "a", 3: "b"})

    assert shares_rack_while_free(layout, np.array([True, True, True])).tolist() == [True]
    assert shares_rack_while_free(layout, np.array([True, True, False])).tolist() == [False]


def test_a_dead_broker_of_unknown_rack_may_be_in_the_rack_that_seems_free() -> None:
    """[1, 2] share rack a. Rack b is free of [1, 2], and maybe not of [1, 2, 4], as broker 4 may have been there."""
    alive = [Broker(one, rack, state=BrokerState.ALIVE) for one, rack in ((1, "a"), (2, "a"), (3, "b"))]
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2], ("orders", 1): [1, 2, 4]}, brokers=[*alive, Broker(4, state=BrokerState.DEAD)]
    )

    assert shares_rack_while_free(layout, layout.in_state(BrokerState.ALIVE)).tolist() == [True, False]


def test_an_empty_layout_has_no_violation() -> None:
    """Brokers alone: nothing to count."""
    layout = racked([], {1: "a", 2: "b"})

    assert rack_sum_of_squares(layout) == 0
    assert rack_violations(layout) == 0


lists = st.lists(st.lists(st.integers(0, 11), max_size=11), max_size=12)
some_racks = st.dictionaries(st.integers(0, 11), st.sampled_from(["a", "b", "c", None]), max_size=12)


@given(lists, some_racks, st.sets(st.integers(0, 11)))
@settings(max_examples=cases(200))
def test_rack_terms_equal_counting_by_hand(
    assignment: list[list[int]], racks: dict[int, str | None], gone: set[int]
) -> None:
    """Whatever the width, duplicates and unknown racks: the numbers are those of a plain count."""
    layout = racked(assignment, racks)
    rack = {b.id: b.rack if b.rack is not None else f"alone-{b.id}" for b in layout.brokers}
    remaining = np.array([b.id not in gone for b in layout.brokers], bool)
    left = {rack[b.id] for b in layout.brokers if b.id not in gone}
    squares = [sum(n * n for n in Counter(rack[b] for b in replicas).values()) for replicas in assignment]
    wrong = [len({rack[b] for b in replicas}) < min(len(replicas), len(left)) for replicas in assignment]
    free = [
        len({rack[b] for b in replicas}) < len(replicas) and bool(left - {rack[b] for b in replicas})
        for replicas in assignment
    ]

    if any(b.rack is not None for b in layout.brokers):
        assert rack_squares(layout).tolist() == squares
        assert rack_sum_of_squares(layout) == sum(squares)
        assert rack_violating(layout, remaining).tolist() == wrong
        assert shares_rack_while_free(layout, remaining).tolist() == free
    else:
        assert rack_sum_of_squares(layout) is None
        assert not rack_violating(layout, remaining).any()
