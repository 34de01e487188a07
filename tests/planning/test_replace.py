"""One broker for another: it takes its place in every list, and nothing else changes but where both are there."""

from __future__ import annotations

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Wish
from reseat.planning import plan
from tests.cases import case_numbers
from tests.planning.brute_force import random_layout

LAYOUT = ClusterLayout.from_assignments(
    {("t", 0): [1, 2], ("t", 1): [2, 3], ("t", 2): [3, 1]},
    brokers=[Broker(1, "a"), Broker(2, "b"), Broker(3, "c")],
)


def test_a_new_broker_takes_every_place_of_the_old_one() -> None:
    """At the same position, so that it leads what the other led."""
    made = plan(LAYOUT, Wish(remove=(1,), add=((9, "a"),), replace=((1, 9),)))

    assert made.proposed.assignments() == {("t", 0): [9, 2], ("t", 1): [2, 3], ("t", 2): [3, 9]}
    assert made.certificate.moves == 2
    assert made.certificate.moves_proven
    assert made.certificate.valid
    assert made.certificate.sentences == (
        "2 replicas move, the proven minimum.",
        "Broker 9 takes the place of broker 1 in 2 lists, at the same position.",
    )


def test_where_both_are_there_it_is_planned_as_a_drain() -> None:
    """Broker 2 holds partition 0 already: its replica on broker 1 goes to the broker that is left."""
    made = plan(LAYOUT, Wish(remove=(1,), replace=((1, 2),)))
    proposed = made.proposed.assignments()

    assert proposed["t", 2] == [3, 2]
    assert sorted(proposed["t", 0]) == [2, 3]
    assert made.certificate.moves == 2
    assert made.certificate.sentences[1:] == (
        "Broker 2 takes the place of broker 1 in 1 list, at the same position.",
        "1 replica goes to other brokers, as in a drain.",
    )


@pytest.mark.parametrize("seed", case_numbers(60))
def test_no_list_changes_but_by_that_place(seed: int) -> None:
    """Of any layout: as many moves as replicas leave, each list without both as it was but for one name."""
    rng = np.random.default_rng(seed)
    layout = random_layout(
        rng, brokers=int(rng.integers(4, 7)), partitions=int(rng.integers(1, 8)), deepest=2, dead=False
    )
    old = int(rng.choice(layout.broker_ids))
    new = int(rng.choice([i for i in (*layout.broker_ids.tolist(), 99) if i != old]))
    wish = Wish(remove=(old,), add=((99, None),) if new == 99 else (), replace=((old, new),))
    made = plan(layout, wish)
    before, after = layout.assignments(), made.proposed.assignments()

    assert made.certificate.valid
    assert made.certificate.moves == sum(old in members for members in before.values())
    for key, members in before.items():
        if new not in members:
            assert after[key] == [new if broker == old else broker for broker in members]
        elif old not in members:
            assert after[key] == members
        else:
            assert old not in after[key]


@pytest.mark.parametrize(
    ("wish", "why"),
    [
        (Wish(remove=(1,), replace=((1, 9),)), "broker 9 is not in this layout and is not added"),
        (Wish(remove=(1, 2), replace=((1, 2),), add=((9, "a"), (8, "b"))), "broker 2 is drained itself"),
        (Wish(remove=(1, 2), replace=((1, 9), (2, 9)), add=((9, "a"), (8, "b"))), "broker 9 would take two places"),
    ],
)
def test_who_cannot_take_a_place_is_refused(wish: Wish, why: str) -> None:
    """With the reason, and what to do instead."""
    with pytest.raises(WishRefused, match=why):
        plan(LAYOUT, wish)


def test_a_dead_broker_takes_no_place() -> None:
    """It would get data that nobody can copy to it."""
    layout = LAYOUT.with_brokers([Broker(9, "a", state=BrokerState.DEAD)])
    with pytest.raises(WishRefused, match="broker 9 is known to be dead"):
        plan(layout, Wish(remove=(1,), replace=((1, 9),)))


def test_who_is_put_back_is_replaced_by_nobody() -> None:
    """A pair whose broker does not leave any more means nothing."""
    assert Wish(replace=((1, 9),)).places == ()
    assert Wish(replace=((1, 9),)).is_empty
