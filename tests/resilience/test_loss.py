"""The loss of any set of brokers: against its definitions, the election's preview and the planner's certificate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.balance import measure
from reseat.election import Mode, safe_to_restart, stop
from reseat.errors import WishRefused
from reseat.model import NOT_TOLD, Broker, BrokerState, ClusterLayout
from reseat.planning import remove_brokers
from reseat.resilience import loss, pair
from reseat.resilience.losses import from_layout
from tests.cases import cases
from tests.resilience.layouts import at_once, layouts, losing

CHAIN = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2], ("orders", 1): [2, 3]},
    leaders={("orders", 0): 1, ("orders", 1): 2},
    size_bytes={("orders", 0): 10.0, ("orders", 1): 100.0},
)


def test_the_documented_example() -> None:
    """Broker 2 lost: 3 takes over partition 1, nothing is offline, both partitions get a replica again."""
    found = loss(CHAIN, [2])

    assert (found.lost, found.rack) == ((2,), None)
    assert found.offline_partitions == 0
    assert found.below_min_isr is None
    assert (found.leaders_moved, found.leaders_to) == (1, ((3, 1),))
    assert found.healing is not None
    assert (found.healing.moves, found.healing.bytes_to_move, found.healing.least_spread) == (2, 110, 0)
    assert found.healing.racks_kept is None


def test_what_has_no_leader_is_offline_whatever_else_is_unknown() -> None:
    """As Overview counts it: that a replica is on a live broker and its ISR is unknown brings no leader back."""
    layout = ClusterLayout.from_assignments(
        {("t", 0): [1, 2], ("t", 1): [2, 1]},
        brokers=[Broker(broker, state=BrokerState.ALIVE) for broker in (1, 2, 3)],
        leaders={("t", 0): None, ("t", 1): 2},
    )

    assert measure(layout).offline == 1
    assert loss(layout, ()).offline_partitions == 1
    assert loss(layout, [3]).offline_partitions == 1
    assert from_layout(layout, "kraft").already["offline_partitions"] == 1


@given(st.data(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(150))
def test_a_restart_does_what_a_stop_does(data: st.DataObject, mode: Mode) -> None:
    """One question: what goes offline, and what falls below min ISR, without this broker."""
    layout = data.draw(layouts(odd=False))
    for answer in safe_to_restart(layout, mode=mode):
        stopped = stop(layout, [answer.broker_id], mode=mode)

        assert answer.goes_offline == len(stopped.offline)
        assert answer.falls_below_min_isr == len(stopped.below_min_isr)


def test_a_pair_that_holds_a_partition_takes_it_offline() -> None:
    """Brokers 1 and 2 lost: partition 0 is gone, and one broker cannot hold two replicas of one partition."""
    found = pair(CHAIN, 2, 1)

    assert found.lost == (1, 2)
    assert found.offline_partitions == 1
    assert (found.leaders_moved, found.leaders_to) == (1, ((3, 1),))
    assert found.healing is not None
    assert found.healing.moves is None
    assert found.healing.bytes_to_move is None
    assert found.healing.least_spread is None


def test_only_the_isr_takes_over_and_a_minimum_counts_what_is_left_of_it() -> None:
    """[1, 2, 3] with ISR 1, 3 and a minimum of 2: lose 1, and 3 leads below the minimum; lose 2, and nothing is new."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2, 3]}, leaders={("orders", 0): 1}, in_sync={("orders", 0): [1, 3]}
    )
    layout = replace(layout, min_in_sync=np.array([2], np.int32))
    one, two = loss(layout, [1]), loss(layout, [2])

    assert (one.offline_partitions, one.below_min_isr, one.leaders_to) == (0, 1, ((3, 1),))
    assert (two.offline_partitions, two.below_min_isr, two.leaders_moved) == (0, 0, 0)
    assert loss(layout, [1, 3]).offline_partitions == 1


def test_what_is_offline_already_is_counted_too() -> None:
    """The state after the loss: a partition without a leader, its last in sync on a dead broker, stays offline."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2], ("orders", 1): [2, 3]},
        brokers=[Broker(1, state=BrokerState.DEAD), Broker(2, state=BrokerState.ALIVE)],
        leaders={("orders", 0): None, ("orders", 1): 2},
        in_sync={("orders", 0): [1], ("orders", 1): [2, 3]},
    )

    assert loss(layout, []).offline_partitions == 1
    assert loss(layout, [3]).offline_partitions == 1
    assert loss(layout, [2]).offline_partitions == 1
    assert loss(layout, [2, 3]).offline_partitions == 2


def test_numbers_that_nobody_tells_are_none() -> None:
    """Replica lists alone: no leader, no ISR, no minimum, no size, no rack."""
    found = loss(ClusterLayout.from_assignments({("orders", 0): [1, 2]}, brokers=[Broker(3)]), [1])

    assert found.offline_partitions == 0
    assert found.below_min_isr is None
    assert found.leaders_moved is None
    assert found.leaders_to == ()
    assert found.healing is not None
    assert found.healing.moves == 1
    assert found.healing.bytes_to_move is None
    assert found.healing.racks_kept is None


def test_with_kraft_an_eligible_replica_takes_over() -> None:
    """ISR 1, ELR 2: a ZooKeeper controller leaves it offline when 1 is lost, a KRaft controller elects 2 (KIP-966)."""
    layout = ClusterLayout.from_columns(
        topics=["orders"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2]],
        brokers=[Broker(1, state=BrokerState.ALIVE), Broker(2, state=BrokerState.ALIVE)],
        leader=[1],
        in_sync=[[True, False]],
        eligible=[[False, True]],
    )

    assert loss(layout, [1]).offline_partitions == 1
    assert loss(layout, [1], mode="kraft").offline_partitions == 0
    assert loss(layout, [1], mode="kraft").leaders_to == ((2, 1),)


def test_a_rack_that_empties_is_not_kept() -> None:
    """Three racks, three replicas: with c's only broker lost two racks are left; with one of a's two, all three are."""
    racks = {1: "a", 2: "a", 3: "b", 4: "b", 5: "c"}
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 3, 5]}, brokers=[Broker(i, rack=rack) for i, rack in racks.items()]
    )
    kept = {i: loss(layout, [i]).healing for i in racks}

    assert {i: found.racks_kept for i, found in kept.items() if found} == {1: True, 2: True, 3: True, 4: True, 5: False}
    assert [found.moves for found in kept.values() if found] == [1, 0, 1, 0, 1]


def test_an_unknown_broker_is_refused() -> None:
    """With the ids that there are."""
    with pytest.raises(WishRefused, match=r"Broker 9 is not in this layout\."):
        loss(CHAIN, [9])


@given(st.data(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(120), deadline=None)
def test_it_says_what_the_definitions_say(data: st.DataObject, mode: Mode) -> None:
    """Partition by partition, whatever the source tells."""
    layout = data.draw(layouts())
    lost = data.draw(losing(layout))
    found = loss(layout, lost, mode=mode)
    offline, below, moved, heirs = at_once(layout, lost, kraft=mode == "kraft")

    assert found.lost == tuple(sorted(lost))
    assert found.offline_partitions == offline
    assert found.below_min_isr == below
    assert found.leaders_moved == moved
    assert dict(found.leaders_to) == heirs


@given(st.data(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(100), deadline=None)
def test_it_agrees_with_the_preview_of_a_stop(data: st.DataObject, mode: Mode) -> None:
    """All brokers alive and every leader told and in sync: offline and below are the preview's, or were before it."""
    layout = data.draw(layouts(odd=False))
    layout = replace(layout, brokers=tuple(replace(b, state=BrokerState.ALIVE) for b in layout.brokers))
    isr = layout.replicas >= 0 if layout.in_sync is None else layout.in_sync
    first = np.where(isr.any(axis=1), np.take_along_axis(layout.replicas, isr.argmax(axis=1)[:, None], 1)[:, 0], -1)
    layout = replace(layout, leader=first.astype(np.int32), observers=None, eligible=None, last_known_eligible=None)
    lost = data.draw(losing(layout))
    preview, before = stop(layout, lost, mode=mode), loss(layout, [], mode=mode)
    found = loss(layout, lost, mode=mode)

    assert found.offline_partitions - before.offline_partitions == len(preview.offline)
    assert (found.leaders_moved or 0) == np.count_nonzero(preview.election.changed) - len(preview.offline)
    if found.below_min_isr is not None and before.below_min_isr == 0:
        assert found.below_min_isr == len(preview.below_min_isr) + len(preview.offline)


def test_what_has_no_live_copy_already_heals_by_no_copy() -> None:
    """orders-0 has no leader before broker 2 is lost: one replica of the two is copied, that of orders-1."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [2], ("orders", 1): [2]},
        brokers=[Broker(2), Broker(9)],
        leaders={("orders", 0): None, ("orders", 1): 2},
    )
    healing = loss(layout, frozenset({2})).healing

    assert healing is not None
    assert healing.moves == remove_brokers(layout, {2}).certificate.moves == 1


def test_what_the_others_hold_already_counts_in_the_balance_after_healing() -> None:
    """Broker 1 holds much beside, and little together with what is lost: newcomers go to the others first."""
    lists = {("t", p): [0, 1 + p % 2] for p in range(8)} | {("u", p): [1, 2 + p % 3] for p in range(12)}
    layout = ClusterLayout.from_assignments(lists, brokers=[Broker(i) for i in range(6)])
    for lost in ({0}, {1}, {0, 3}, {2, 5}):
        healing, certificate = loss(layout, frozenset(lost)).healing, remove_brokers(layout, lost).certificate

        assert healing is not None
        assert (healing.moves, healing.least_spread) == (certificate.moves, certificate.replica_spread)


@given(st.data())
@settings(max_examples=cases(100), deadline=None)
def test_healing_is_what_the_planner_certifies(data: st.DataObject) -> None:
    """Moves, bytes and spread of taking the same brokers out; none where no available broker can take them."""
    layout = data.draw(layouts())
    lost = data.draw(losing(layout))
    healing = loss(layout, lost).healing
    assert healing is not None
    try:
        certificate = remove_brokers(layout, lost).certificate
    except WishRefused:
        assert healing.moves is None or (healing.moves == 0 and healing.least_spread is None)
        return
    if certificate.last_resorts or all(b.state.unavailable or b.id in lost for b in layout.brokers):
        assert not healing.moves
        return

    assert healing.moves == certificate.moves == certificate.least_moves
    assert healing.bytes_to_move == certificate.bytes_to_move
    assert healing.least_spread == certificate.replica_spread
    assert certificate.replica_balance_proven


@given(st.data())
@settings(max_examples=cases(100), deadline=None)
def test_racks_are_kept_where_the_plan_keeps_them(data: st.DataObject) -> None:
    """The planner's lists lie on as many racks as before exactly where it is said that they can."""
    layout = data.draw(layouts())
    lost = data.draw(losing(layout))
    healing = loss(layout, lost).healing
    assert healing is not None
    try:
        plan = remove_brokers(layout, lost)
    except WishRefused:
        return
    if plan.certificate.last_resorts:
        return
    racks = {b.id: b.rack if b.rack is not None else b.id for b in layout.brokers}
    before, after = plan.current.assignments(), plan.proposed.assignments()
    kept = all(len({racks[i] for i in after[key]}) >= len({racks[i] for i in before[key]}) for key in before)

    assert healing.racks_kept == (kept if layout.racks else None)


def test_a_leader_that_is_not_told_moves_nothing() -> None:
    """Partition 1 tells a leader, partition 0 does not: only the one that is told is counted."""
    layout = replace(CHAIN, leader=np.array([NOT_TOLD, 1], np.int32))

    assert loss(layout, [1]).leaders_moved == 0
    assert loss(layout, [2]).leaders_moved == 1
