"""Every broker and every rack lost, against the loss of each."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.election import Mode
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.resilience import loss, racks, singles
from tests.cases import cases
from tests.resilience.layouts import layouts

RACKED = ClusterLayout.from_assignments(
    {("orders", 0): [1, 2, 3], ("orders", 1): [3, 4, 1], ("orders", 2): [2, 1]},
    brokers=[Broker(1, rack="a"), Broker(2, rack="a"), Broker(3, rack="b"), Broker(4, rack="b")],
    leaders={("orders", 0): 1, ("orders", 1): 3, ("orders", 2): 2},
    in_sync={("orders", 0): [1, 2, 3], ("orders", 1): [3, 4, 1], ("orders", 2): [2, 1]},
)


def test_each_broker_of_a_small_cluster() -> None:
    """Who takes over: the next in the list. Moves: what each holds."""
    found = singles(RACKED)

    assert [one.lost for one in found] == [(1,), (2,), (3,), (4,)]
    assert [one.offline_partitions for one in found] == [0, 0, 0, 0]
    assert [one.leaders_to for one in found] == [((2, 1),), ((1, 1),), ((4, 1),), ()]
    assert [one.healing.moves for one in found if one.healing] == [3, 2, 2, 1]


def test_each_rack_of_a_small_cluster() -> None:
    """Rack a holds all of partition 2, and half of the cluster; without it three replicas have no three brokers."""
    a, b = racks(RACKED)

    assert (a.rack, a.lost, a.offline_partitions, a.leaders_to) == ("a", (1, 2), 1, ((3, 1),))
    assert (b.rack, b.lost, b.offline_partitions, b.leaders_to) == ("b", (3, 4), 0, ((1, 1),))
    assert a.healing is not None
    assert a.healing.moves is None


def test_with_kraft_one_in_sync_takes_over_before_an_eligible_one() -> None:
    """Broker 1 stands first in the list, and is eligible only (KIP-966): of 2 and 3, which are in sync, 3 is left."""
    layout = ClusterLayout.from_columns(
        topics=["orders"],
        topic_of=[0],
        partition=[0],
        replicas=[[1, 2, 3]],
        brokers=[Broker(one, state=BrokerState.ALIVE) for one in (1, 2, 3)],
        leader=[2],
        in_sync=[[False, True, True]],
        eligible=[[True, False, False]],
    )

    assert [one.leaders_to for one in singles(layout, mode="kraft")] == [(), ((3, 1),), ()]


def test_some_of_them_only() -> None:
    """The same answers, only those asked for: how the pipeline shares them out."""
    assert singles(RACKED, among=[4, 2]) == [singles(RACKED)[1], singles(RACKED)[3]]
    assert racks(RACKED, among=["b"]) == racks(RACKED)[1:]
    assert singles(RACKED, among=[]) == []


def test_brokers_without_a_rack_are_in_no_rack() -> None:
    """Racks are those that brokers name; where none does there are none."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, brokers=[Broker(1, rack="a"), Broker(2)])

    assert [(one.rack, one.lost) for one in racks(layout)] == [("a", (1,))]
    assert racks(ClusterLayout.from_assignments({("orders", 0): [1, 2]})) == []


def test_a_cluster_of_one_broker_and_one_of_no_topic() -> None:
    """Losing the only broker loses all; losing one that holds nothing loses nothing."""
    alone = ClusterLayout.from_assignments({("orders", 0): [1]}, leaders={("orders", 0): 1})
    empty = ClusterLayout.from_assignments({}, brokers=[Broker(1), Broker(2)])
    (one,) = singles(alone)

    assert (one.offline_partitions, one.leaders_moved) == (1, 0)
    assert one.healing is not None
    assert one.healing.moves is None
    assert [found.offline_partitions for found in singles(empty)] == [0, 0]
    assert [found.healing.moves for found in singles(empty) if found.healing] == [0, 0]
    assert singles(ClusterLayout.from_assignments({})) == []


@given(layouts(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(120), deadline=None)
def test_every_broker_as_if_it_alone_were_asked_about(layout: ClusterLayout, mode: Mode) -> None:
    """Counting all at once gives what ``loss`` gives for each."""
    assert singles(layout, mode=mode) == [loss(layout, [b.id], mode=mode) for b in layout.brokers]


@given(layouts(), st.sampled_from(["zookeeper", "kraft"]))
@settings(max_examples=cases(120), deadline=None)
def test_every_rack_as_if_it_alone_were_asked_about(layout: ClusterLayout, mode: Mode) -> None:
    """Counting all at once gives what ``loss`` gives for each rack's brokers."""
    for one in racks(layout, mode=mode):
        there = [b.id for b in layout.brokers if b.rack == one.rack]
        alone = loss(layout, there, mode=mode)

        assert one.lost == tuple(there)
        assert (one.offline_partitions, one.below_min_isr) == (alone.offline_partitions, alone.below_min_isr)
        assert (one.leaders_moved, one.leaders_to) == (alone.leaders_moved, alone.leaders_to)
        assert one.healing == alone.healing


@given(layouts())
@settings(max_examples=cases(60), deadline=None)
def test_lists_that_name_a_broker_twice_are_in_no_plan(layout: ClusterLayout) -> None:
    """Nothing is refused: what happens at once is told, and that no plan can be made."""
    if layout.target().duplicates.size:
        assert all(one.healing is not None and one.healing.moves is None for one in singles(layout))
