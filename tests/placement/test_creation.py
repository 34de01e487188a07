"""By which method a topic is made, and where its replicas then go."""

from __future__ import annotations

import pytest

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.placement import JavaRandom, place_kraft, place_striped
from reseat.placement.creation import CreationMethod, creation_method, creation_methods, loads_over_draws, place_topic
from reseat.placement.topic_spec import ClusterDefaults, TopicSpec

FOUR = [Broker(0), Broker(1), Broker(2), Broker(3)]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.10.2", (CreationMethod.ZOOKEEPER_TOOL,)),
        ("2.1", (CreationMethod.ZOOKEEPER_TOOL,)),
        ("2.8.2", (CreationMethod.ADMIN_ZOOKEEPER, CreationMethod.ZOOKEEPER_TOOL)),
        ("3.0", (CreationMethod.ADMIN_ZOOKEEPER,)),
        ("3.9.1", (CreationMethod.ADMIN_KRAFT, CreationMethod.ADMIN_ZOOKEEPER)),
        ("4.1", (CreationMethod.ADMIN_KRAFT,)),
    ],
)
def test_each_version_has_its_ways(version, expected):
    """ZooKeeper alone, the Admin protocol to a ZooKeeper controller, KRaft beside it, KRaft alone."""
    assert creation_methods(version) == expected
    assert creation_method(version) == expected[0]


def test_racks_are_left_aside_through_zookeeper_alone():
    """To 2.8 the tool goes back to ZooKeeper for that; later it has no such method, and the usual one is told."""
    assert creation_method("2.8", disable_rack_aware=True) is CreationMethod.ZOOKEEPER_TOOL
    assert creation_method("3.5", disable_rack_aware=True, kraft=False) is CreationMethod.ADMIN_ZOOKEEPER


def test_a_controller_is_chosen_where_there_are_both():
    """3.9 may run either; before and after there is no choice."""
    assert creation_method("3.9", kraft=False) is CreationMethod.ADMIN_ZOOKEEPER
    assert creation_method("4.0", kraft=False) is CreationMethod.ADMIN_KRAFT
    assert creation_method("2.8", kraft=False) is CreationMethod.ADMIN_ZOOKEEPER


def test_no_version_is_refused():
    """Words are no version."""
    with pytest.raises(PlacementRefused, match="'latest' is not a version"):
        creation_methods("latest")


def test_the_zookeeper_tool_walks_sorted_ids():
    """Whatever order the brokers are told in."""
    placed = place_topic(TopicSpec("a", 8, 2), FOUR[::-1], CreationMethod.ZOOKEEPER_TOOL, draws=JavaRandom(7))

    assert placed.order == (0, 1, 2, 3)
    assert placed.assignment() == place_striped(FOUR, 8, 2, draws=JavaRandom(7)).assignment()


def test_the_admin_protocol_walks_the_order_of_the_controller():
    """Measured on 2.8: brokers 0 to 3 are walked as 0, 2, 3, 1."""
    placed = place_topic(TopicSpec("a", 8, 2), FOUR, CreationMethod.ADMIN_ZOOKEEPER, draws=JavaRandom(7))

    assert placed.order == (0, 2, 3, 1)


def test_kraft_takes_fenced_brokers_and_the_others_do_not():
    """A fenced broker is registered, so KRaft counts it; to a ZooKeeper controller it is not there. Dead is dead."""
    brokers = [Broker(0), Broker(1, state=BrokerState.FENCED), Broker(2, state=BrokerState.DEAD)]
    spec = TopicSpec("a", 3, 2)
    placed = place_topic(spec, brokers, CreationMethod.ADMIN_KRAFT, draws=JavaRandom(1))

    assert placed.assignment() == place_kraft(brokers[:2], 3, 2, draws=JavaRandom(1)).assignment()
    with pytest.raises(PlacementRefused, match="larger than available brokers: 1"):
        place_topic(spec, brokers, CreationMethod.ADMIN_ZOOKEEPER, draws=JavaRandom(1))


def test_some_brokers_without_rack_are_refused_unless_racks_are_disabled():
    """In the tool's words through ZooKeeper, in the controller's through the Admin protocol; KRaft takes them."""
    mixed = [Broker(0, "a"), Broker(1)]
    spec = TopicSpec("a", 2, 1)

    with pytest.raises(PlacementRefused, match="Add --disable-rack-aware"):
        place_topic(spec, mixed, CreationMethod.ZOOKEEPER_TOOL, draws=JavaRandom(1))
    with pytest.raises(PlacementRefused, match="for replica rack aware assignment"):
        place_topic(spec, mixed, CreationMethod.ADMIN_ZOOKEEPER, draws=JavaRandom(1))

    without = TopicSpec("a", 2, 1, disable_rack_aware=True)

    assert not place_topic(without, mixed, CreationMethod.ZOOKEEPER_TOOL, draws=JavaRandom(1)).rack_aware
    assert len(place_topic(spec, mixed, CreationMethod.ADMIN_KRAFT, draws=JavaRandom(1)).replicas) == 2


def test_what_is_left_to_the_cluster_is_what_it_is_configured_for():
    """KIP-464: partitions and replicas may be left out."""
    defaults = ClusterDefaults(num_partitions=5, default_replication_factor=3)
    placed = place_topic(TopicSpec("a"), FOUR, CreationMethod.ADMIN_KRAFT, draws=JavaRandom(1), defaults=defaults)

    assert placed.replicas.shape == (5, 3)


def test_given_replicas_are_taken_as_they_are():
    """Whatever the method."""
    spec = TopicSpec.placed("a", {0: [0, 1], 1: [1, 0]})

    for method in CreationMethod:
        assert place_topic(spec, FOUR, method, draws=JavaRandom(1)).assignment() == {0: [0, 1], 1: [1, 0]}

    with pytest.raises(PlacementRefused, match="consecutive 0-based integer sequence"):
        place_topic(TopicSpec.placed("a", {10: [0], 21: [1]}), FOUR, CreationMethod.ADMIN_KRAFT, draws=JavaRandom(1))


def test_loads_over_draws_are_those_of_each_draw():
    """Row i is the draw with seed i; columns are brokers as they stand, whatever their ids."""
    brokers = [Broker(2), Broker(5), Broker(8)]
    spec = TopicSpec("a", 4, 2)
    replicas, leaders = loads_over_draws(spec, brokers, CreationMethod.ZOOKEEPER_TOOL, rounds=6)
    fourth = place_topic(spec, brokers, CreationMethod.ZOOKEEPER_TOOL, draws=JavaRandom(4)).assignment().values()

    assert replicas.shape == leaders.shape == (6, 3)
    assert replicas[4].tolist() == [sum(broker in row for row in fourth) for broker in (2, 5, 8)]
    assert leaders[4].tolist() == [sum(row[0] == broker for row in fourth) for broker in (2, 5, 8)]
    assert (replicas.sum(axis=1) == 8).all()
