"""Arguments by exchange, on graphs of a few brokers that one can draw."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reseat.planning.proof.exchange import (
    Choice,
    Relocation,
    exchanges,
    has_cycle,
    least_reachable,
    least_squares_with_moves,
    maximum_is_least,
    no_cheaper_rearrangement,
    relocations,
)


def graph(brokers: int, *edges: tuple[int, int]) -> np.ndarray:
    """(B, B) bool with these edges."""
    out = np.zeros((brokers, brokers), np.bool_)
    for source, target in edges:
        out[source, target] = True
    return out


def test_paths_lead_to_the_least_load() -> None:
    """0 leads over 1 to 2; 3 leads nowhere."""
    reach = least_reachable(graph(4, (0, 1), (1, 2)), np.array([5, 4, 3, 9]))

    assert reach.tolist() == [3, 3, 3, 9]


def test_full_brokers_are_passed_through_but_are_no_end() -> None:
    """1 can take nothing more, so that 0 leads to 2; without an end the number for "nowhere" is given."""
    load, ends = np.array([5, 1, 3]), np.array([True, False, True])

    reach = least_reachable(graph(3, (0, 1), (1, 2)), load, ends, unreached=99)

    assert reach.tolist() == [3, 3, 3]
    assert least_reachable(graph(3), load, ends, unreached=99).tolist() == [5, 99, 3]


@pytest.mark.parametrize(
    ("load", "proven"),
    [
        ([4, 4, 2, 0], True),  # two too many for the one place on broker 2
        ([4, 3, 2, 0], False),  # one too many, and one place
        ([4, 4, 1, 0], False),  # two places
        ([4, 4, 3, 0], True),  # none
    ],
)
def test_closed_sets_are_counted(load: list[int], proven: bool) -> None:
    """0 and 1 lead to 2 alone; broker 3 is empty and nobody leads there."""
    edges = graph(4, (0, 2), (1, 2))

    assert maximum_is_least(edges, np.array(load), np.ones(4, np.bool_)) is proven


class TestRearrangements:
    def proven(self, load: list[int], *arcs: tuple[int, int, int]) -> bool:
        """Whether arcs (source, target, cost) leave nothing cheaper."""
        source, target, cost = np.array(arcs, np.int64).reshape(-1, 3).T
        return no_cheaper_rearrangement(source, target, cost, np.array(load))

    def test_cycle_that_costs_less_is_found(self) -> None:
        """0 and 1 trade, and both old leaders come back."""
        assert not self.proven([3, 3], (0, 1, -1), (1, 0, -1))

    def test_cycle_that_costs_more_is_no_objection(self) -> None:
        """One change undone for two made."""
        assert self.proven([3, 3, 3], (0, 1, -1), (1, 2, 1), (2, 0, 1))

    def test_path_to_a_load_one_lower_is_a_rearrangement(self) -> None:
        """Loads 4 and 3 become 3 and 4: the same squares, one change less."""
        assert not self.proven([4, 3], (0, 1, -1))

    @pytest.mark.parametrize("load", [[3, 3], [3, 4], [3, 5]])
    def test_path_to_other_loads_is_not(self, load: list[int]) -> None:
        """It would make the squares worse."""
        assert self.proven(load, (0, 1, -1))

    def test_two_paths_of_different_levels_are_weighed_apart(self) -> None:
        """What one gains the other need not pay for: the cheaper one stands alone."""
        assert not self.proven([6, 5, 3, 2], (0, 1, -1), (2, 3, 1))
        assert self.proven([6, 5, 3, 2], (0, 1, 1), (2, 3, 1))


class TestExchanges:
    def test_equal_cost_between_racks(self) -> None:
        """Brokers 0, 1 in rack a, 2 in rack b, 3 in rack c; kept 0, chosen 2: the empty rack c costs the same."""
        found = exchanges(
            Choice(
                kept=np.array([[0]]),
                chosen=np.array([[2]]),
                others=None,
                targets=np.ones(4, np.bool_),
                rack=np.array([0, 0, 1, 2]),
            )
        )

        assert found.racks_least.tolist() == [True]
        assert np.argwhere(found.edges).tolist() == [[2, 3]]

    def test_crowded_rack_is_not_least(self) -> None:
        """Kept 0 and chosen 1 share rack a while rack b is empty."""
        found = exchanges(
            Choice(
                kept=np.array([[0]]),
                chosen=np.array([[1]]),
                others=None,
                targets=np.ones(3, np.bool_),
                rack=np.array([0, 0, 1]),
            )
        )

        assert found.racks_least.tolist() == [False]

    def test_only_the_given_others_count(self) -> None:
        """Of three members one goes; only it could have stayed instead."""
        found = exchanges(
            Choice(
                kept=np.array([[0]]),
                chosen=np.array([[1]]),
                others=np.array([[2]]),
                targets=np.ones(5, np.bool_),
                rack=np.zeros(5, np.int64),
            )
        )

        assert np.argwhere(found.edges).tolist() == [[1, 2]]

    def test_broker_is_closed_only_where_every_partition_holds_it(self) -> None:
        """Partition 0 holds broker 1, partition 1 does not: the replica of partition 1 may go there."""
        found = exchanges(
            Choice(
                kept=np.array([[1], [-1]]),
                chosen=np.array([[0], [0]]),
                others=None,
                targets=np.array([True, True, False]),
                rack=np.zeros(3, np.int64),
            )
        )

        assert np.argwhere(found.edges).tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("loads", "displaced", "moves", "least"),
    [
        ([6, 2, 1], 1, 1, 44),  # 6, 2, 2
        ([6, 2, 1], 1, 2, 38),  # 5, 2, 3
        ([6, 2, 1], 1, 3, 34),  # 4, 3, 3
        ([6, 2, 1], 1, 9, 34),
        ([4, 4], 0, 5, 32),
        ([], 0, 0, 0),
        ([0, 0, 7], 2, 2, 51),  # 1, 1, 7
    ],
)
def test_what_no_number_of_moves_can_better(loads: list[int], displaced: int, moves: int, least: int) -> None:
    """The emptiest are lifted and the fullest lowered, until all are even."""
    assert least_squares_with_moves(np.array(loads, np.int64), displaced, moves) == least


def test_the_bound_on_moves_is_the_least_of_all_ways() -> None:
    """Held against every way to lift and lower three brokers."""
    ways = [np.array(way) for way in itertools.product(range(-3, 5), repeat=3)]
    for loads in ([5, 1, 0], [3, 3, 2], [4, 0, 4]):
        for displaced in range(3):
            for moves in range(displaced, displaced + 3):
                allowed = [
                    way
                    for way in ways
                    if way.sum() == displaced and way.clip(min=0).sum() <= moves and (loads + way >= 0).all()
                ]

                assert least_squares_with_moves(np.array(loads), displaced, moves) == min(
                    int(((loads + way) ** 2).sum()) for way in allowed
                )


class TestRelocations:
    """Brokers 0 and 1 hold a partition; brokers 2 and 3 join."""

    def edges(self, taker: list[int], members: list[int], allowed: list[list[bool]]) -> list[list[int]]:
        """The edges of one partition: who took over from 0 and 1, who holds it now, and who may go where."""
        moved = Relocation(
            holders=np.array([[0, 1]]),
            taker=np.array([taker]),
            members=np.array([members]),
            joining=np.array([2, 3]),
            allowed=np.array([allowed]),
        )
        return np.argwhere(relocations(moved, 4)).tolist()

    def test_a_replica_that_stayed_may_go_to_a_free_broker(self) -> None:
        """Nobody went: each may go where it is allowed to."""
        assert self.edges([-1, -1], [0, 1], [[True, True], [False, True]]) == [[0, 2], [0, 3], [1, 3]]

    def test_one_that_stayed_may_go_although_it_cannot_push_the_one_that_went(self) -> None:
        """0 went to 2 and may go nowhere else; 1, which may go to 3 alone, is not in its way."""
        assert self.edges([2, -1], [2, 1], [[True, False], [False, True]]) == [[1, 3], [2, 0]]

    def test_one_that_stayed_may_push_another_back_or_on(self) -> None:
        """1 takes the place on 2, and what went there goes back to 0 or on to 3: one unit from 1 to 0, or to 3."""
        assert self.edges([2, -1], [2, 1], [[True, True], [True, False]]) == [[1, 0], [1, 3], [2, 0], [2, 3]]


class TestLongSearches:
    """Searches that take more passes than the first look for a circle among predecessors."""

    def test_a_long_way_is_no_circle(self) -> None:
        """Sixty brokers in a row, each one change cheaper than the one before: a way, however long, and its end."""
        source = np.arange(59)

        assert no_cheaper_rearrangement(source, source + 1, np.full(59, -1), np.arange(60) * 3)

    def test_a_circle_of_cost_nothing_beside_a_long_way_is_no_objection(self) -> None:
        """Two brokers that could trade for nothing, or at a price, are not what the long way leads to."""
        way, trade = np.arange(59), np.array([60, 61])
        source = np.concatenate((way, trade))
        target = np.concatenate((way + 1, trade[::-1]))

        for price in (0, 1):
            cost = np.concatenate((np.full(59, -1), np.full(2, price)))
            assert no_cheaper_rearrangement(source, target, cost, np.arange(62) * 3)

    def test_a_long_way_that_can_be_taken_back_at_its_price_is_no_objection(self) -> None:
        """Down the row each change saves one, and up again each costs one: no way round is cheaper."""
        low = np.arange(59)
        source, target = np.concatenate((low + 1, low)), np.concatenate((low, low + 1))

        assert no_cheaper_rearrangement(source, target, np.repeat([-1, 1], 59), np.arange(60) * 3)

    def test_a_long_circle_that_costs_less_is_found(self) -> None:
        """Sixty brokers in a ring: all changes together save one."""
        source = np.arange(60)
        cost = np.where(source == 0, -1, 0)

        assert not no_cheaper_rearrangement(source, (source + 1) % 60, cost, np.arange(60) * 3)

    @pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 9, 63, 64, 65])
    def test_circles_among_predecessors_are_told_from_ways(self, length: int) -> None:
        """A way of any length ends; the same closed does not, also with a way that leads into it."""
        way = np.arange(-1, length - 1)
        closed = np.where(way < 0, length - 1, way)

        assert not has_cycle(way)
        assert has_cycle(closed)
        assert has_cycle(np.append(closed, 0))
