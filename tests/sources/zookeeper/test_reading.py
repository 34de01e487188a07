"""What is read from a real ZooKeeper, node by node."""

from __future__ import annotations

from reseat.model import NONE, NOT_TOLD, Broker, BrokerState, Consistency
from reseat.sources.zookeeper import read_zookeeper_cluster
from tests.servers.zookeeper import ZooKeeperServer
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, writer


def test_topic_ids_and_a_migration_to_kraft_are_told(zookeeper) -> None:
    """The id in a topic's node, where it is one; and that /migration is there, as a finding."""
    with writer(zookeeper, "/ids") as client:
        put(client, "/brokers/ids/1", registration(1))
        for name, told in (("made", {"topic_id": "GvM4aAsBTqaL1w2z9zH0Aw"}), ("old", {}), ("odd", {"topic_id": 7})):
            put(client, f"/brokers/topics/{name}", {"version": 3, "partitions": {"0": [1]}, **told})
        put(client, "/migration", {"version": 0, "kraft_controller_id": 3000})

    snapshot = read_zookeeper_cluster(connection_to(zookeeper, "/ids"))

    assert snapshot.layout.topics == ("made", "odd", "old")
    assert snapshot.layout.topic_ids == ("GvM4aAsBTqaL1w2z9zH0Aw", "", "")
    assert [found.places for found in snapshot.findings if found.kind == "migrating_to_kraft"] == [("/migration",)]


def test_a_cluster_is_read_with_everything_that_its_nodes_tell(zookeeper: ZooKeeperServer) -> None:
    """Brokers with racks, lists in order with gaps in the ids, leaders, epochs, ISR, controller, id and configs."""
    with writer(zookeeper, "/whole") as client:
        put(client, "/brokers/ids/1", registration(1, "a", version=5, features={}))
        put(client, "/brokers/ids/2", registration(2, "b"))
        put_topic(
            client,
            "orders",
            {0: [1, 2, 3], 21: [2, 1]},
            states={0: (1, [1, 2]), 21: (-1, [])},
            version=3,
            topic_id="x",
            adding_replicas={"0": [3]},
            removing_replicas={"0": [1]},
        )
        put_topic(client, "a.b-c_d", {7: [3]}, states={})
        put(client, "/controller", {"version": 1, "brokerid": 2, "timestamp": "1"})
        put(client, "/controller_epoch", b"17")
        put(client, "/cluster/id", {"version": "1", "id": "3Db5QLSqSZieL3rJBUUegA"})
        put(client, "/config/topics/orders", {"version": 1, "config": {"min.insync.replicas": "2", "x": "y"}})
        put(client, "/config/brokers/<default>", {"version": 1, "config": {"min.insync.replicas": "1"}})
        put(client, "/config/brokers/1", {"version": 1, "config": {"leader.replication.throttled.rate": "1000"}})
        put(client, "/admin/delete_topics/a.b-c_d", b"")

    snapshot = read_zookeeper_cluster(connection_to(zookeeper, "/whole", name="shop"))
    layout = snapshot.layout

    assert layout.assignments() == {("a.b-c_d", 7): [3], ("orders", 0): [1, 2, 3], ("orders", 21): [2, 1]}
    assert layout.brokers == (
        Broker(1, "a", "host-1", 9092, BrokerState.ALIVE),
        Broker(2, "b", "host-2", 9092, BrokerState.ALIVE),
        Broker(3, state=BrokerState.DEAD),
    )
    assert layout.leader_ids.tolist() == [NOT_TOLD, 1, NONE]
    assert layout.leader_epoch.tolist() == [NOT_TOLD, 0, 0]
    assert layout.in_sync is not None
    assert layout.in_sync.tolist() == [[False, False, False], [True, True, False], [False, False, False]]
    assert layout.in_sync_told is not None
    assert layout.in_sync_told.tolist() == [False, True, True]
    assert layout.adding is not None
    assert layout.adding.tolist() == [[False] * 3, [False, False, True], [False] * 3]
    assert layout.removing is not None
    assert layout.removing.tolist() == [[False] * 3, [True, False, False], [False] * 3]
    assert layout.min_in_sync is not None
    assert layout.min_in_sync.tolist() == [1, 2]
    assert (snapshot.protocol, snapshot.cluster, snapshot.metadata) == ("zookeeper", "shop", "zookeeper")
    assert (snapshot.controller, snapshot.cluster_id) == (2, "3Db5QLSqSZieL3rJBUUegA")
    assert snapshot.consistency is Consistency.CONSISTENT
    assert snapshot.topic_configs == {"orders": {"min.insync.replicas": "2"}}
    assert snapshot.broker_configs[1] == {"min.insync.replicas": "1", "leader.replication.throttled.rate": "1000"}
    assert snapshot.broker_configs[3] == {"min.insync.replicas": "1"}
    assert snapshot.facts["version_at_least"] == "2.8"
    assert snapshot.facts["controller_epoch"] == 17
    assert {finding.kind for finding in snapshot.findings} == {"state_missing", "topic_being_deleted"}


def test_a_reassignment_before_kafka_2_4_is_told_by_the_admin_node(zookeeper: ZooKeeperServer) -> None:
    """Targets not there yet are pending; what is not a target leaves, what is not in sync yet is being added."""
    with writer(zookeeper, "/old") as client:
        for broker in (1, 2, 3, 4):
            put(client, f"/brokers/ids/{broker}", registration(broker))
        put_topic(client, "begun", {0: [3, 4, 1]}, states={0: (1, [1, 4])})
        put_topic(client, "waiting", {0: [1, 2]})
        put_topic(client, "idle", {0: [1, 2]})
        wanted = [
            {"topic": "begun", "partition": 0, "replicas": [3, 4]},
            {"topic": "waiting", "partition": 0, "replicas": [3, 2]},
            {"topic": "nowhere", "partition": 0, "replicas": [1]},
        ]
        put(client, "/admin/reassign_partitions", {"version": 1, "partitions": wanted})
        put(client, "/admin/preferred_replica_election", {"version": 1, "partitions": []})

    snapshot = read_zookeeper_cluster(connection_to(zookeeper, "/old"))
    layout = snapshot.layout

    assert snapshot.pending == {("begun", 0): (3, 4), ("waiting", 0): (3, 2), ("nowhere", 0): (1,)}
    assert layout.topics == ("begun", "idle", "waiting")
    assert layout.adding is not None
    assert layout.adding.tolist() == [[True, False, False], [False] * 3, [False] * 3]
    assert layout.removing is not None
    assert layout.removing.tolist() == [[False, False, True], [False] * 3, [False] * 3]
    assert layout.target().assignments()["begun", 0] == [3, 4]
    assert {f.kind for f in snapshot.findings} == {
        "reassignment_of_unknown_partition",
        "preferred_election_under_way",
    }


def test_an_empty_cluster_is_a_cluster(zookeeper: ZooKeeperServer) -> None:
    """Brokers without topics, and a cluster all of whose brokers are dead."""
    with writer(zookeeper, "/young") as client:
        put(client, "/brokers/ids/1", registration(1))
    with writer(zookeeper, "/dead") as client:
        client.ensure_path("/brokers/ids")
        put_topic(client, "orders", {0: [1, 2]}, states={0: (-1, [1])})

    young = read_zookeeper_cluster(connection_to(zookeeper, "/young"))
    dead = read_zookeeper_cluster(connection_to(zookeeper, "/dead"))

    assert (young.layout.partition_count, [b.id for b in young.layout.brokers]) == (0, [1])
    assert {broker.state for broker in dead.layout.brokers} == {BrokerState.DEAD}
    assert young.consistency is dead.consistency is Consistency.CONSISTENT
