"""Arguments by exchange and by circles, on graphs of a few brokers that one can draw."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reseat.planning.proof.circles import NEVER, Graph, circle_of, maximum_is_least
from reseat.planning.proof.exchange import Choice, exchanges, no_less_diverse


def graph(brokers: int, *edges: tuple[int, int]) -> np.ndarray:
    """(B, B) bool with these edges."""
    out = np.zeros((brokers, brokers), np.bool_)
    for source, target in edges:
        out[source, target] = True
    return out


def left_open(kept: np.ndarray, chosen: np.ndarray, **rest: Any) -> Choice:
    """The choice of partitions that keep (n, K) brokers and got (n, C) others."""
    lists = np.concatenate((kept, chosen), axis=1)
    return Choice(lists, (np.arange(lists.shape[1]) >= kept.shape[1]) & (lists >= 0), **rest)


def priced(load: list[int], *arcs: tuple[int, int, int], **limits: object) -> Graph:
    """Exchanges (source, target, moves that it adds) between brokers with these loads."""
    cost = np.full((len(load), len(load)), NEVER)
    for source, target, moves in arcs:
        cost[source, target] = moves
    return Graph(cost, np.array(load), **limits)  # type: ignore[arg-type]


class TestSquares:
    def test_a_path_to_a_load_two_lower_is_an_objection(self) -> None:
        """0 leads over 1 to 2, which holds two less; with one less it is none; 3 leads nowhere."""
        assert not priced([5, 4, 3, 9], (0, 1, 0), (1, 2, 0)).least_squares()
        assert priced([4, 4, 3, 9], (0, 1, 0), (1, 2, 0)).least_squares()

    def test_full_brokers_are_passed_through_but_are_no_end(self) -> None:
        """1 can take nothing more: that 0 leads to it is no matter, and that it leads on to 2 is."""
        full = np.array([True, False, True])

        assert priced([5, 1, 4], (0, 1, 0), (1, 2, 0), more=full).least_squares()
        assert not priced([5, 1, 3], (0, 1, 0), (1, 2, 0), more=full).least_squares()

    def test_a_broker_that_does_not_count_is_left_for_any_other(self) -> None:
        """What sits on 1 could sit on 0, however much that holds."""
        assert not priced([9, 1], (1, 0, 0), worse=np.array([False, True])).least_squares()
        assert priced([9, 1], (0, 1, 0), worse=np.array([False, True])).least_squares()


class TestMoves:
    def test_a_move_that_can_be_taken_back_within_the_limits_was_none_too_few(self) -> None:
        """A replica of 0 could go back to 1: 3 and 2 would do where loads are 2 to 3, not where they are even."""
        assert not priced([3, 2], (0, 1, -1), low=2, high=3).fewest_moves()
        assert priced([3, 3], (0, 1, -1), low=3, high=3).fewest_moves()

    def test_moves_count_before_squares_and_squares_before_moves_as_asked(self) -> None:
        """One move from 5 to 1 lessens the squares: that is better only where squares come first."""
        apart = priced([5, 1], (0, 1, 1))

        assert apart.fewest_moves_then_squares()
        assert not apart.least_squares_then_moves()

    @pytest.mark.parametrize(("load", "best"), [([5, 3], True), ([6, 2], True), ([6, 4, 1], False)])
    def test_so_many_moves_are_best_at_some_price(self, load: list[int], best: bool) -> None:
        """From 0 to 1 any replica may go, none back, and one from 0 to 2: with as many moves 6, 4, 1 is no best."""
        arcs = [(0, 1, 1)] if len(load) == 2 else [(0, 1, 1), (1, 0, -1), (0, 2, 1)]

        assert priced(load, *arcs).within(spent=True) is best

    def test_the_one_price_at_which_nothing_is_cheaper_is_found(self) -> None:
        """A move more gains as many squares as a move fewer loses: at that price alone the plan is the best."""
        for gain in range(12):
            for other in range(4):
                loads = [other + gain + 1, other, 9, 9 + gain - 1, 4 * other]
                ways = [(0, 1, 1), (2, 3, -1)]

                assert priced(loads, *ways).within(spent=True)
                loads[0] += 1  # now a move more gains more than a move fewer loses
                assert not priced(loads, *ways).within(spent=True)

    def test_where_more_moves_were_allowed_only_the_least_squares_are_best(self) -> None:
        """5 and 3 could be 4 and 4."""
        assert not priced([5, 3], (0, 1, 1)).within(spent=False)
        assert priced([4, 4], (0, 1, 1)).within(spent=False)

    @pytest.mark.parametrize("base", [0, 1, 5, 1_000])
    def test_who_does_not_count_is_worse_than_any_load(self, base: int) -> None:
        """However much the others hold: a replica should leave it if it can, and none should go there."""
        worse = np.array([False, False, True])
        stays = replace(priced([base + 1, base + 1, base + 1], (0, 2, 0)), worse=worse)
        leaves = replace(priced([base + 1, base + 2, base + 1], (2, 0, 0)), worse=worse)

        assert stays.least_squares()
        assert stays.least_squares_then_moves()
        assert not leaves.least_squares()
        assert not leaves.least_squares_then_moves()

    def test_a_needless_move_is_no_objection_unless_moves_count_too(self) -> None:
        """1 could give back what came, for the same squares."""
        needless = priced([3, 4], (1, 0, -1))

        assert needless.within(spent=True)
        assert not needless.within(spent=True, least=1)


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
        """Whether arcs (source, target, cost) leave nothing with as small a sum of squares and cheaper."""
        return priced(load, *arcs).least_squares_then_moves()

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
        racks, edges = exchanges(
            left_open(
                kept=np.array([[0]]),
                chosen=np.array([[2]]),
                others=None,
                targets=np.ones(4, np.bool_),
                rack=np.array([0, 0, 1, 2]),
            )
        )

        assert racks.tolist() == [True]
        assert np.argwhere(edges).tolist() == [[2, 3]]

    def test_crowded_rack_is_not_least(self) -> None:
        """Kept 0 and chosen 1 share rack a while rack b is empty."""
        racks, _ = exchanges(
            left_open(
                kept=np.array([[0]]),
                chosen=np.array([[1]]),
                others=None,
                targets=np.ones(3, np.bool_),
                rack=np.array([0, 0, 1]),
            )
        )

        assert racks.tolist() == [False]

    def test_a_given_other_in_an_emptier_rack_is_better(self) -> None:
        """Kept 1 and chosen 2 share rack a; broker 0 of rack b could have stayed instead, and 3 of rack a no better."""
        for other, good in ((0, False), (3, True)):
            racks, _ = exchanges(
                left_open(
                    kept=np.array([[1]]),
                    chosen=np.array([[2]]),
                    others=np.array([[other]]),
                    targets=np.ones(4, np.bool_),
                    rack=np.array([1, 0, 0, 0]),
                )
            )

            assert racks.tolist() == [good]

    def test_a_rack_whose_only_broker_is_held_is_not_open(self) -> None:
        """Three replicas in rack a and one on broker 0, which is all of rack b: nothing could be better."""
        for held, good in (([0, 2, 3], True), ([2, 3, -1], False)):
            racks, _ = exchanges(
                left_open(
                    kept=np.array([held]),
                    chosen=np.array([[1]]),
                    others=None,
                    targets=np.ones(4, np.bool_),
                    rack=np.array([1, 0, 0, 0]),
                )
            )

            assert racks.tolist() == [good]

    def test_only_the_given_others_count(self) -> None:
        """Of three members one goes; only it could have stayed instead."""
        _, edges = exchanges(
            left_open(
                kept=np.array([[0]]),
                chosen=np.array([[1]]),
                others=np.array([[2]]),
                targets=np.ones(5, np.bool_),
                rack=np.zeros(5, np.int64),
            )
        )

        assert np.argwhere(edges).tolist() == [[1, 2]]

    def test_broker_is_closed_only_where_every_partition_holds_it(self) -> None:
        """Partition 0 holds broker 1, partition 1 does not: the replica of partition 1 may go there."""
        _, edges = exchanges(
            left_open(
                kept=np.array([[1], [-1]]),
                chosen=np.array([[0], [0]]),
                others=None,
                targets=np.array([True, True, False]),
                rack=np.zeros(3, np.int64),
            )
        )

        assert np.argwhere(edges).tolist() == [[0, 1]]


class TestDiversity:
    @pytest.mark.parametrize(
        ("inside", "bound", "kept"),
        [
            ([0, 2, 1], [2, 1, 0], True),
            ([1, 1, 1], [2, 1, 0], True),
            ([3, 0, 0], [2, 1, 0], False),
            ([3, 3, 0], [4, 1, 1], False),  # as many squares, and neither is the other's better
            ([4, 1, 1], [3, 3, 0], False),
        ],
    )
    def test_fuller_racks_together_hold_no_more(self, inside: list[int], bound: list[int], kept: bool) -> None:
        """In any order of racks, and however many of the fullest are taken."""
        assert no_less_diverse(np.array([inside]), np.array([bound])).tolist() == [kept]

    def edges(self, bound: list[int] | None) -> list[list[int]]:
        """A partition on 0 and 1 in rack a and 2 in rack b, the last chosen; 3 is in rack b, 4 in rack c, 5 in a."""
        racks, edges = exchanges(
            left_open(
                kept=np.array([[0, 1]]),
                chosen=np.array([[2]]),
                others=None,
                targets=np.ones(6, np.bool_),
                rack=np.array([0, 0, 1, 1, 2, 0]),
                keeps_racks=True,
                bound=None if bound is None else np.array([bound]),
            )
        )
        assert racks.all()
        return np.argwhere(edges).tolist()

    def test_a_replica_enters_racks_that_hold_fewer_and_those_that_its_bound_leaves_room_for(self) -> None:
        """As diverse as its bound, it may not crowd rack a; where all three were in one rack, it may."""
        assert self.edges(None) == self.edges([2, 1, 0]) == [[2, 3], [2, 4]]
        assert self.edges([3, 0, 0]) == [[2, 3], [2, 4], [2, 5]]


class TestLongSearches:
    """Searches that take more passes than the first look for a circle among predecessors."""

    def row(self, brokers: int, *arcs: tuple[int, int, int]) -> np.ndarray:
        """Prices of arcs between so many nodes."""
        price = np.full((brokers, brokers), NEVER)
        for source, target, cost in arcs:
            price[source, target] = cost
        return price

    def test_a_long_way_is_no_circle(self) -> None:
        """Sixty brokers in a row, each one change cheaper than the one before: a way, however long, and its end."""
        assert circle_of(self.row(60, *((at, at + 1, -1) for at in range(59)))) is None

    def test_a_circle_of_cost_nothing_beside_a_long_way_is_no_objection(self) -> None:
        """Two brokers that could trade for nothing, or at a price, are not what the long way leads to."""
        way = [(at, at + 1, -1) for at in range(59)]
        for price in (0, 1):
            assert circle_of(self.row(62, *way, (60, 61, price), (61, 60, price))) is None

    def test_a_long_way_that_can_be_taken_back_at_its_price_is_no_objection(self) -> None:
        """Down the row each change saves one, and up again each costs one: no way round is cheaper."""
        both = [arc for at in range(59) for arc in ((at + 1, at, -1), (at, at + 1, 1))]

        assert circle_of(self.row(60, *both)) is None

    @pytest.mark.parametrize("length", [2, 3, 7, 8, 9, 63, 64, 65])
    def test_a_long_circle_that_costs_less_is_found(self, length: int) -> None:
        """Brokers in a ring, whose changes together save one, and a way that leads into it: the ring is told."""
        ring = [(at, (at + 1) % length, -1 if at == 0 else 0) for at in range(length)]
        found = circle_of(self.row(length + 1, *ring, (length, 0, 0)))

        assert found is not None
        assert sorted(found) == sorted((source, target) for source, target, _ in ring)
