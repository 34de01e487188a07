"""Plans around cordoned brokers: Kafka refuses every list that names one, so no plan makes one (KIP-1066)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reseat.balance import findings, measure
from reseat.errors import WishRefused
from reseat.model import Broker, BrokerState, ClusterLayout, Options, Severity, Wish
from reseat.planning import plan
from reseat.planning.judge import judge
from tests.cases import case_numbers
from tests.planning.brute_force import best_of, numbers_of, options_of, random_layout, targets_of

KINDS = {
    "drain": Wish(remove=(1,)),
    "drain and rebalance": Wish(remove=(1,), rebalance=True),
    "drain, lists ordered anew": Wish(remove=(1,), options=Options(reorder_all=True)),
    "drain by bytes": Wish(remove=(1,), options=Options(by_bytes=True)),
    "add": Wish(add=((9, "a"),)),
    "replace": Wish(remove=(1,), add=((9, "a"),), replace=((1, 9),)),
    "rebalance": Wish(rebalance=True),
    "racks": Wish(mend_racks=True),
    "mend": Wish(mend=True),
    "leaders": Wish(leaders_only=True),
    "more replicas": Wish(topics=("t0",), replication_factor=3),
    "fewer replicas": Wish(topics=("t0",), replication_factor=1),
}


def cordoning(layout: ClusterLayout, *brokers: int) -> ClusterLayout:
    """The layout with these brokers cordoned and all others alive."""
    return layout.with_brokers(
        replace(b, state=BrokerState.CORDONED if b.id in brokers else BrokerState.ALIVE) for b in layout.brokers
    )


def small(*lists: list[int], cordoned: tuple[int, ...]) -> ClusterLayout:
    """Topic ``t`` with these lists over brokers 1 to 6 in racks a, b, c."""
    brokers = [Broker(i, "abc"[(i - 1) % 3]) for i in range(1, 7)]
    led = {("t", p): ids[0] for p, ids in enumerate(lists)}
    layout = ClusterLayout.from_assignments(
        {("t", p): ids for p, ids in enumerate(lists)},
        brokers=brokers,
        leaders=led,
        in_sync={("t", p): ids for p, ids in enumerate(lists)},
    )
    return cordoning(layout, *cordoned)


def of_kind(kind: str, layout: ClusterLayout) -> Wish:
    """A wish of this kind that is about the first broker, and the first topic, of a layout."""
    first, wish = int(layout.broker_ids[0]), KINDS[kind]
    return replace(
        wish,
        remove=(first,) if wish.remove else (),
        replace=((first, 9),) if wish.replace else (),
        topics=layout.topics[:1] if wish.topics else (),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", case_numbers(12))
def test_no_plan_makes_a_list_with_a_cordoned_broker(kind: str, seed: int) -> None:
    """Of each kind: lists that name one stay to the letter, no other gets one, and the checker finds no fault."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=6, partitions=int(rng.integers(3, 9)), dead=False)
    ids = layout.broker_ids.tolist()
    wish = of_kind(kind, layout)
    closed = set(ids[-2:])
    try:
        made = plan(cordoning(layout, *closed), wish)
    except WishRefused:  # beside the cordoned ones there is no room
        return
    before, after = made.current.assignments(), made.proposed.assignments()
    held = {key for key, lists in before.items() if closed & set(lists)}

    assert made.certificate.faults == ()
    assert {key: after[key] for key in held} == {key: before[key] for key in held}
    assert not any(closed & set(after[key]) for key in after.keys() - held)


@pytest.mark.parametrize("seed", case_numbers(30))
def test_a_drain_beside_a_cordoned_broker_is_the_best(seed: int) -> None:
    """Against every plan that leaves alone what the cordoned broker holds."""
    rng = np.random.default_rng(seed)
    layout = random_layout(rng, brokers=5, partitions=int(rng.integers(2, 6)), dead=False)
    out, closed = (int(layout.broker_ids[0]),), int(layout.broker_ids[-1])
    cordoned = cordoning(layout, closed)
    free = {
        key: [one for one in sets if closed not in one]
        for key, sets in options_of(layout, out).items()
        if closed not in layout.assignments()[key]
    }
    targets = [broker for broker in targets_of(layout, out) if broker != closed]
    best = best_of(layout, free, targets, None, [])
    if best is None:
        with pytest.raises(WishRefused):
            plan(cordoned, Wish(remove=out))
        return
    made = plan(cordoned, Wish(remove=out))
    rack, replicas = numbers_of(layout.with_brokers(cordoned.brokers), made.proposed.assignments(), (*out, closed))[:2]

    assert made.certificate.faults == ()
    assert (rack, replicas) == (best.rack, best.replicas)
    assert made.certificate.replica_balance_proven


def test_what_a_cordon_holds_is_said_first_with_what_is_not_drained() -> None:
    """4 of 5 partitions of the drained broker move; the fifth has a replica on the cordoned one, and is counted."""
    layout = small([1, 2, 3], [1, 3], [1, 6], [1, 5], [4, 1], [2, 6], cordoned=(6,))
    (caution,) = plan(layout, Wish(remove=(1,))).certificate.cautions

    assert caution.kind == "held_by_cordon"
    assert caution.severity is Severity.ATTENTION
    assert caution.sentence == (
        "1 partition has a replica on cordoned broker 6 and keeps its replica list: 1 replica stays on broker 1, which "
        "is not drained completely."
    )


def test_a_cordoned_broker_is_drained_like_any_other_and_the_way_back_waits() -> None:
    """Lists that no longer name it are taken; those of the rollback do, and are refused until the cordon is lifted."""
    made = plan(small([6, 2], [1, 6], [2, 3], cordoned=(6,)), Wish(remove=(6,)))
    (caution,) = made.certificate.cautions

    assert made.certificate.moves == 2
    assert not any(6 in ids for ids in made.proposed.assignments().values())
    assert caution.sentence == (
        "The rollback moves 2 replicas back to broker 6, which is cordoned: it is refused until this broker is not "
        "cordoned."
    )


def test_a_change_that_has_cordoned_brokers_alone_to_go_to_is_refused() -> None:
    """It says that they are cordoned."""
    layout = small([1, 2], cordoned=(2, 3, 4, 5, 6))

    with pytest.raises(WishRefused, match=r"Brokers 2, 3, 4, 5 and 6 are cordoned, and no other live broker would"):
        plan(layout, Wish(remove=(1,)))
    with pytest.raises(WishRefused, match="broker 6 is cordoned"):
        plan(small([1, 2], cordoned=(6,)), Wish(remove=(1,), replace=((1, 6),)))


def test_a_plan_from_elsewhere_that_names_a_cordoned_broker_has_a_fault() -> None:
    """A newcomer there, a replica kept there and a mere reorder; one that leaves it is sound."""
    layout = small([1, 2], [1, 6], [2, 3], cordoned=(6,))

    def faults(partition: int, ids: list[int]) -> tuple[str, ...]:
        return judge(layout, ClusterLayout.from_assignments({("t", partition): ids})).faults

    refused = "would name broker 6, which is cordoned: Kafka refuses the list."
    assert faults(0, [1, 6]) == (f"t-0 {refused}",)
    assert faults(1, [2, 6]) == (f"t-1 {refused}",)
    assert faults(1, [6, 1]) == (f"t-1 {refused}",)
    assert faults(1, [1, 3]) == ()


def test_a_cordoned_broker_is_found_and_carries_no_spread() -> None:
    """What it holds is counted; once it is empty it is ready to be switched off, and no skew is made of it."""
    lists = [[1, 2], [2, 3], [3, 4], [4, 5], [5, 1]]
    full, empty = small(*lists, [1, 6], cordoned=(6,)), small(*lists, cordoned=(6,))
    (held,) = [one for one in findings(full) if one.kind == "cordoned"]
    (free,) = [one for one in findings(empty) if one.kind == "cordoned"]

    assert held.severity is Severity.ATTENTION
    assert held.rows.tolist() == [5]
    assert held.sentence == (
        "Broker 6 is cordoned: no new replica is placed there. Of 1 partition with a replica there Kafka refuses every "
        "list that keeps it: a change of order and a rollback, too."
    )
    assert free.severity is Severity.NOTE
    assert free.sentence.endswith("It holds no replica and can be switched off; lift the cordon before unregistering.")
    assert not {"replica_skew", "empty_broker"} & {one.kind for one in findings(empty)}
    assert measure(empty).by_broker.replica_spread.spread == 0
