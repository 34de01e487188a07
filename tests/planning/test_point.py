"""The point of the curve as part of the wish: one door to the plan, whatever was chosen."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.demo.generate import generate
from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Options, Wish
from reseat.planning import judge, plan

#: Loads 6, 2, 1 once broker 9, with one replica, has left.
SKEWED = ClusterLayout.from_assignments(
    {("a", i): [1] for i in range(6)} | {("b", 0): [2], ("b", 1): [2], ("c", 0): [3], ("d", 0): [9]}
)


def test_a_wish_with_a_point_is_planned_at_it() -> None:
    """Three moves even SKEWED out, and the certificate says which point was wished for."""
    wish = Wish(remove=(9,), point=3)
    made = plan(SKEWED, wish)

    assert (made.certificate.moves, made.certificate.replica_spread) == (3, 1)
    assert made.wish == made.certificate.wish == wish


def test_without_a_point_the_plan_is_as_before() -> None:
    """One move is the least, and the least is what a wish without a point means."""
    assert plan(SKEWED, Wish(remove=(9,))).certificate.moves == 1


def test_brokers_that_join_have_points_too() -> None:
    """A point with fewer moves than the evenest plan; what else was allowed stays in the wish."""
    layout = generate(6, 300)
    wish = Wish(add=((99, None),), options=Options(reorder_all=True, max_moves=40), point=20)
    made = plan(layout, wish)

    assert made.certificate.moves == 20
    assert made.wish == wish


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        (Wish(remove=(9,), point=0), "too few"),
        (Wish(remove=(9,), point=3, options=Options(by_bytes=True)), "by size"),
        (Wish(remove=(9,), point=3, options=Options(receive_cap=0)), "at most 0 replicas"),
        (Wish(replication_factor=2, topics=("a",), point=3), "the change alone needs 6"),
        (Wish(add=((4, None),), options=Options(max_moves=2), point=3), "at most 2 moves"),
    ],
)
def test_a_point_that_is_none_is_refused(wish: Wish, says: str) -> None:
    """It is never left aside in silence: another plan than the one chosen would be drawn."""
    with pytest.raises(WishRefused, match=says):
        plan(SKEWED, wish)


def test_another_change_has_no_point() -> None:
    """A number of moves is a point of one curve: who changes the brokers drops it."""
    assert Wish(remove=(9,), point=3).at(None) == Wish(remove=(9,))
    assert Wish(remove=(9,)).at(3) == Wish(remove=(9,), point=3)


def test_a_plan_at_a_point_is_judged_as_its_own() -> None:
    """The judge compares with Reseat's own plan at the same point, also where brokers join."""
    wish = Wish(add=((99, None),), point=20)
    layout = generate(6, 300)
    made = plan(layout, wish)
    verdict = judge(layout, made.proposed, wish)

    assert verdict.valid
    assert verdict.moves_proven == made.certificate.moves_proven
    assert verdict.replica_spread == made.certificate.replica_spread
    assert np.array_equal(made.proposed.replica_ids, plan(layout, wish).proposed.replica_ids)


def test_a_point_copies_more_data_than_the_least() -> None:
    """Every move of the point is counted in bytes, also those beyond what must move; order alone copies nothing."""
    layout = generate(9, 300, 2, 3, skew=0.5)
    for wish in (Wish(remove=(3,)), Wish(remove=(3,), point=73), Wish(remove=(3,), options=Options(reorder_all=True))):
        made = plan(layout, wish)

        assert made.moves.bytes is not None
        assert made.certificate.bytes_to_move == pytest.approx(made.moves.bytes.sum())
