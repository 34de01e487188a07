"""Aims in an order are the change that has them in this order; every other order is refused by what comes closest."""

from __future__ import annotations

from itertools import permutations

import pytest

from reseat.errors import WishRefused
from reseat.model import Options, Wish
from reseat.model.aims import AIMS, aims_of, with_aims

_NINE = ((9, None),)
CHANGES = (
    Wish(rebalance=True),
    Wish(rebalance=True, options=Options(keep_racks=True, max_moves=7)),
    Wish(rebalance=True, options=Options(even_topics=True)),
    Wish(rebalance=True, options=Options(by_bytes=True)),
    Wish(rebalance=True, remove=(3,), add=_NINE),
    Wish(mend_racks=True),
    Wish(mend=True),
    Wish(leaders_only=True),
    Wish(remove=(3,)),
    Wish(remove=(3,), options=Options(by_bytes=True)),
    Wish(remove=(3,), options=Options(same_rack=True)),
    Wish(remove=(3,), add=_NINE, replace=((3, 9),)),
    Wish(add=_NINE),
    Wish(replication_factor=2, topics=("a",)),
)


@pytest.mark.parametrize("wish", CHANGES)
def test_each_change_has_its_own_order(wish: Wish) -> None:
    """Aims beside the change that they are the aims of change nothing, and none are none."""
    assert with_aims(wish, aims_of(wish)) == wish
    assert with_aims(wish, ()) == wish


@pytest.mark.parametrize(
    ("aims", "wish"),
    [
        ("racks spread moves balance leaders", Wish(rebalance=True)),
        ("racks spread moves", Wish(rebalance=True)),
        ("spread moves balance", Wish(rebalance=True, options=Options(keep_racks=True))),
        ("racks topics spread moves balance", Wish(rebalance=True, options=Options(even_topics=True))),
        ("racks bytes moves", Wish(rebalance=True, options=Options(by_bytes=True))),
        ("racks moves balance", Wish(mend_racks=True)),
        ("racks moves spread balance", Wish(mend_racks=True)),
        ("moves leaders", Wish(leaders_only=True)),
        ("moves spread racks", Wish(leaders_only=True)),
    ],
)
def test_aims_alone_are_a_change(aims: str, wish: Wish) -> None:
    """The plan, certificate and proof of an order are those of the change that has it: it is the same change."""
    assert with_aims(Wish(options=Options(receive_cap=3)), aims.split()).options.receive_cap == 3
    assert with_aims(Wish(), aims.split()) == wish


def test_brokers_that_leave_or_join_have_orders_of_their_own() -> None:
    """A drain counts moves first; where all may move, it is a rebalance without these brokers."""
    drain, joins = Wish(remove=(3,)), Wish(add=_NINE)

    assert with_aims(drain, ("moves", "racks", "balance")) == drain
    assert with_aims(drain, ("moves", "racks", "bytes")) == Wish(remove=(3,), options=Options(by_bytes=True))
    assert with_aims(drain, ("racks", "spread", "moves", "balance")) == Wish(remove=(3,), rebalance=True)
    assert with_aims(joins, ("spread", "moves", "balance")) == joins
    assert with_aims(joins, ("racks", "spread", "moves", "balance")) == Wish(add=_NINE, rebalance=True)


def test_of_four_aims_every_order_is_a_change_or_refused_by_the_closest() -> None:
    """Nine of the 24 orders have a name; of the rest the sentence says the order and the one that comes closest."""
    named, refused = 0, {}
    for order in permutations(("racks", "spread", "moves", "balance")):
        try:
            with_aims(Wish(), order)
            named += 1
        except WishRefused as refusal:
            refused[order] = str(refusal)

    assert (named, len(refused)) == (9, 15)
    assert refused["racks", "balance", "moves", "spread"].startswith(
        "No change has its aims in this order: racks, balance, moves, spread. The closest is rebalance: racks, spread, "
        "moves, balance, leaders. Ask for rebalance without aims."
    )
    assert "closest is rebalance and keep_racks: spread, moves" in refused["spread", "racks", "moves", "balance"]


@pytest.mark.parametrize(
    ("wish", "aims", "says"),
    [
        (
            Wish(),
            ("racks", "evenness"),
            "'evenness' is no aim. Name some of racks, topics, spread, moves, balance, bytes and leaders.",
        ),
        (Wish(), ("racks", "moves", "racks"), "named twice"),
        (Wish(rebalance=True), ("racks", "moves", "balance"), "The closest is rebalance"),
        (Wish(mend=True), ("racks", "spread", "moves"), "The closest is mend"),
        (Wish(replication_factor=2, topics=("a",)), ("racks", "moves"), "The closest is replication_factor"),
    ],
)
def test_what_cannot_be_is_refused(wish: Wish, aims: tuple[str, ...], says: str) -> None:
    """An aim that nobody knows, and an order beside a change that has another one."""
    with pytest.raises(WishRefused) as refused:
        with_aims(wish, aims)

    assert says in str(refused.value)
    assert refused.value.choices
    assert {aim for one in CHANGES for aim in aims_of(one)} == {*AIMS}
