"""Confluent's observers: reassignment JSON names none, so that a plan leaves partitions that have some as they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance.board import board_data
from reseat.model import Broker, ClusterLayout, Options, Severity, Wish
from reseat.planning import judge, plan
from reseat.resilience import loss

#: Two racks; the second and third partition have an observer in the other rack, the fourth one on the drained broker.
LISTS = {("orders", 0): [2, 1, 4], ("orders", 1): [2, 3, 5], ("orders", 2): [1, 3, 6], ("pay", 0): [1, 3, 2]}


def observed(lists: dict[tuple[str, int], list[int]] = LISTS) -> ClusterLayout:
    """Six brokers in two racks, all in sync; the last replica of the second to fourth partition is an observer."""
    layout = ClusterLayout.from_assignments(
        lists, brokers=[Broker(broker, rack="east" if broker < 4 else "west") for broker in range(1, 7)]
    )
    last = np.zeros(layout.replicas.shape, np.bool_)
    last[1:, 2] = True
    return replace(layout, observers=last)


def test_a_drain_leaves_partitions_with_observers_and_says_so() -> None:
    """An observer became the preferred leader, and by the JSON an ordinary replica."""
    made = plan(observed(), Wish(remove=(2,)))
    changed = {name for name, ids in made.proposed.assignments().items() if ids != LISTS[name]}
    (caution,) = [one for one in made.certificate.cautions if one.kind == "held_by_observers"]

    assert changed == {("orders", 0)}
    assert made.certificate.moves == 1
    assert made.certificate.moves_proven
    assert made.certificate.faults == ()
    assert caution.severity is Severity.ATTENTION
    assert caution.sentence == (
        "2 partitions have observers and keep their replica lists: 2 replicas stay on broker 2, which is not drained "
        "completely."
    )


@pytest.mark.parametrize(
    "wish",
    [
        Wish(rebalance=True),
        Wish(leaders_only=True),
        Wish(remove=(1,), add=((9, "east"),), replace=((1, 9),)),
        Wish(topics=("orders", "pay"), replication_factor=2),
        Wish(remove=(6,), options=Options(keep_unmovable=True)),
    ],
)
def test_no_kind_of_plan_changes_them(wish: Wish) -> None:
    """Whatever is wished, and each says that they stay."""
    layout = observed({("orders", 0): [1, 2, 3], **{key: ids for key, ids in LISTS.items() if key != ("orders", 0)}})
    made = plan(layout, wish)
    kept = made.proposed.assignments()

    assert [kept[key] for key in list(LISTS)[1:]] == [LISTS[key] for key in list(LISTS)[1:]]
    assert "held_by_observers" in [one.kind for one in made.certificate.cautions]


def test_healing_leaves_them_as_a_plan_does() -> None:
    """What is lost with a broker is copied again by such a plan."""
    healing = loss(observed(), (2,)).healing

    assert healing is not None
    assert healing.moves == plan(observed(), Wish(remove=(2,))).certificate.moves == 1


def test_a_plan_of_another_tool_that_changes_some_is_told_what_becomes_of_them() -> None:
    """It may name them in a way that nobody here reads; what Reseat would send does not."""
    proposed = observed(LISTS | {("orders", 1): [1, 3, 5]})
    found = judge(observed(), proposed, Wish())

    assert found.faults == ("orders-1 would change, and is to keep its replica list.",)
    assert [one.sentence for one in found.cautions] == [
        "1 partition with observers changes: a reassignment that names no observers makes them ordinary replicas, "
        "which may lead."
    ]


def test_the_board_counts_what_stays_for_its_observers() -> None:
    """Of each broker the replicas that a drain leaves there."""
    assert board_data(observed(), Wish(), None)["brokers"]["stuck"] == [2, 2, 3, 0, 1, 1]
