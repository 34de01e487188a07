"""What is refused before planning, and in which words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Wish
from reseat.planning import plan, remove_brokers

LAYOUT = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3], ("audit", 0): [1, 2, 3]},
)


def test_an_unknown_broker_is_refused() -> None:
    """The sentence names it, and the choices name those that are known."""
    with pytest.raises(WishRefused, match="Broker 9 is not in this layout of 3 brokers") as refused:
        remove_brokers(LAYOUT, [1, 9])

    assert refused.value.brokers == (9,)
    assert "1, 2 and 3" in refused.value.choices[0]


def test_a_replication_factor_above_the_brokers_left_is_refused() -> None:
    """Topic audit needs three brokers and two are left: only it is named, with the ways out."""
    with pytest.raises(WishRefused, match="Replication factor 3 needs as many brokers, but only 2 brokers") as refused:
        remove_brokers(LAYOUT, [1])

    assert refused.value.topics == ("audit",)
    assert refused.value.choices == (
        "Add a broker first.",
        "Lower the replication factor of this topic to at most 2 first.",
        "Leave this topic out.",
    )


def test_leaving_the_topic_out_is_a_way_out() -> None:
    """The choice that was offered works."""
    made = remove_brokers(LAYOUT.without_topics(["audit"]), [1])

    assert made.certificate.moves == 1


def test_dead_brokers_do_not_count_as_left() -> None:
    """Broker 3 is dead, so that a partition on 1 and 2 finds no third."""
    layout = LAYOUT.without_topics(["audit"]).with_brokers([Broker(3, state=BrokerState.DEAD)])

    with pytest.raises(WishRefused, match="only 1 broker that can hold replicas is left") as refused:
        remove_brokers(layout, [1])

    assert refused.value.topics == ("orders",)


def test_removing_every_broker_is_refused() -> None:
    """Nothing would be left to hold data."""
    with pytest.raises(WishRefused, match="All 3 brokers would be drained"):
        remove_brokers(LAYOUT, [1, 2, 3])


def test_leaving_only_dead_brokers_is_refused() -> None:
    """The one that would remain cannot receive anything."""
    layout = LAYOUT.with_brokers([Broker(3, state=BrokerState.DEAD)])

    with pytest.raises(WishRefused, match="The 1 broker that would remain is known to be dead"):
        remove_brokers(layout, [1, 2])


def test_a_broker_twice_in_a_list_is_refused_with_both_places() -> None:
    """Broker 1 is the first and the third replica of orders-0."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2, 1], ("orders", 1): [2, 3, 1]})

    with pytest.raises(WishRefused, match="orders-0 names broker 1 twice, as replica 1 and as replica 3") as refused:
        remove_brokers(layout, [3])

    assert refused.value.topics == ("orders",)


def test_an_order_that_is_not_told_is_refused_until_it_is_said() -> None:
    """The person may say that the order shown is the assignment order."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2], ("orders", 1): [2, 3]}, order_told=False)

    with pytest.raises(WishRefused, match="does not keep the order") as refused:
        remove_brokers(layout, [1])

    said = replace(layout, order_told=np.ones(1, np.bool_))

    assert refused.value.topics == ("orders",)
    assert remove_brokers(said, [1]).certificate.moves == 1


def test_adding_a_broker_that_is_there_is_refused() -> None:
    """Its id is taken."""
    with pytest.raises(WishRefused, match="Broker 2 is already in the layout"):
        plan(LAYOUT, Wish(remove=(1,), add=((2, "a"),)))


def test_an_empty_wish_is_refused() -> None:
    """There is nothing to plan, and the choices say what could be."""
    with pytest.raises(WishRefused, match="No change requested"):
        plan(LAYOUT, Wish())


def test_brokers_and_a_factor_are_two_plans() -> None:
    """One plan changes either brokers or a replication factor."""
    with pytest.raises(WishRefused, match="either brokers or a replication factor"):
        plan(LAYOUT, Wish(remove=(1,), replication_factor=2, topics=("audit",)))


def test_a_factor_without_topics_is_refused() -> None:
    """Both are needed."""
    with pytest.raises(WishRefused, match="needs both the topics and the factor"):
        plan(LAYOUT, Wish(topics=("audit",)))
