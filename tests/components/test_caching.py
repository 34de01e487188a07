"""What is kept is found by what its arguments hold, and by nothing less."""

from __future__ import annotations

from dataclasses import replace

import pytest

from components.state import caching
from reseat.election import Move, MoveKind, preferred, stop, walk
from reseat.errors import WishRefused
from reseat.model import ClusterLayout, Wish


def one() -> ClusterLayout:
    """Four partitions on three brokers; a new object each time."""
    return ClusterLayout.from_assignments({("orders", at): [at % 3, (at + 1) % 3] for at in range(4)})


def test_equal_layouts_share_a_result():
    """Another session's layout of the same content finds what is there."""
    first, second = one(), one()

    assert first is not second
    assert caching.plan_for(first, Wish(remove=(0,))) is caching.plan_for(second, Wish(remove=(0,)))
    assert caching.balance_of(first) is caching.balance_of(second)


def test_another_wish_layout_or_order_has_a_result_of_its_own():
    """All that a result depends on names it."""
    layout = one()

    assert caching.plan_for(layout, Wish(remove=(1,))) is not caching.plan_for(layout, Wish(remove=(0,)))
    assert caching.kept(preferred)(layout, "kraft") is not caching.kept(preferred)(layout, "zookeeper")
    assert caching.kept(stop)(layout, (0, 1), unclean=False) is not caching.kept(stop)(layout, (0, 1), unclean=True)


def test_moves_of_another_kind_are_another_walk():
    """A stop and a return of the same broker hold the same numbers."""
    layout = one()
    kinds = list(MoveKind)[:2]
    walks = [caching.kept(walk, 4)(layout, (Move(kind, (0,)),)) for kind in kinds]

    assert walks[0] is not walks[1]


def test_an_error_is_passed_through_and_not_kept():
    """What is refused is refused each time, by the same words."""
    layout = one()
    for _ in range(2):
        with pytest.raises(WishRefused):
            caching.plan_for(layout, replace(Wish(), remove=(0, 1)))
