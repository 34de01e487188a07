"""Writing through ZooKeeper's nodes, on a real ZooKeeper in which the test plays the controller and the others."""

from __future__ import annotations

import itertools
import json
import logging
import traceback

import pytest
from kazoo.client import KazooClient
from kazoo.exceptions import ConnectionLoss
from kazoo.protocol.serialization import Create, Transaction
from kazoo.security import make_acl, make_digest_acl

from reseat.errors import ClusterUnreachable, WishRefused
from reseat.operate.targets.opening import open_target
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Election, Throttles
from reseat.operate.targets.zookeeper import ZooKeeperTarget
from reseat.operate.targets.zookeeper_session import NODE_BYTES, ZooKeeperSession
from reseat.sources.connection import Connection, Secret
from reseat.sources.zookeeper.client import open_client
from tests.servers.zookeeper import start_zookeeper
from tests.sources.zookeeper.nodes_of import put, put_topic, registration, state, writer

REASSIGN, ELECT = "/admin/reassign_partitions", "/admin/preferred_replica_election"
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def zookeeper(tmp_path_factory):
    """A ZooKeeper alone."""
    server = start_zookeeper(tmp_path_factory.mktemp("zookeeper"))
    yield server
    server.stop()


@pytest.fixture
def chroot():
    """A path of the test's own."""
    return f"/kafka-{next(NUMBERS)}"


@pytest.fixture
def kafka(zookeeper, chroot):
    """What Kafka 2.8 keeps of a cluster of four brokers and a topic, and somebody who writes there beside us."""
    with writer(zookeeper, chroot) as client:
        put(client, "/cluster/id", {"version": "1", "id": "a-cluster"})
        for broker in (1, 2, 3, 4):
            put(client, f"/brokers/ids/{broker}", registration(broker))
        put_topic(
            client,
            "orders",
            {0: [1, 2], 1: [2, 3]},
            version=3,
            adding_replicas={},
            removing_replicas={},
            topic_id="AAAAAAAAAAAAAAAAAAAAAQ",
        )
        for path in ("/config/topics", "/config/brokers", "/config/changes", "/admin/delete_topics"):
            client.ensure_path(path)
        yield client


@pytest.fixture
def connection(zookeeper, chroot):
    """How the cluster is reached."""
    return Connection(zookeeper=(zookeeper.hosts,), chroot=chroot, timeout_seconds=5)


@pytest.fixture
def target(kafka, connection):
    """The cluster, open for writing."""
    opened = ZooKeeperTarget(connection)
    yield opened
    opened.close()


def told(client: KazooClient, path: str) -> object:
    """What a node says, None where there is none."""
    return json.loads(client.get(path)[0]) if client.exists(path) else None


def changes(client: KazooClient) -> list[str]:
    """What brokers were told to look at, in order."""
    return [
        told(client, f"/config/changes/{name}")["entity_path"]
        for name in sorted(client.get_children("/config/changes"))
    ]


class Unsteady(KazooClient):
    """A client whose next writes lose their connection: before they are sent, or after they are carried out."""

    plan: list[str]

    def _call(self, request, answer):
        if isinstance(request, Create | Transaction) and self.plan:
            if self.plan.pop(0) == "after":
                done = self.handler.async_result()
                super()._call(request, done)
                done.get(timeout=5)
            answer.set_exception(ConnectionLoss())
            return False
        return super()._call(request, answer)


def unsteady(connection: Connection, plan: list[str]) -> ZooKeeperTarget:
    """A target whose creations are lost as planned: ``before`` or ``after`` they are carried out."""

    def opened(_: Connection) -> KazooClient:
        client = Unsteady(connection.zookeeper[0] + connection.chroot)
        client.plan = plan
        client.start()
        return client

    return ZooKeeperTarget(connection, session=ZooKeeperSession(connection, opened=opened))


# ---- reading ----------------------------------------------------------------------------------------------------


def test_the_cluster_is_told_as_its_nodes_have_it(target) -> None:
    """Id, brokers alive, replicas, leader and ISR; a partition that is not there is absent."""
    assert target.cluster_id() == "a-cluster"
    assert target.alive() == {1, 2, 3, 4}
    assert target.assignments([("orders", 1), ("orders", 7), ("nowhere", 0)]) == {
        ("orders", 1): Assignment((2, 3), leader=2, in_sync=(2, 3))
    }
    assert target.reassigning() == {}


def test_every_reassignment_is_told_whoever_began_it_and_where_it_stands(kafka, target) -> None:
    """One that the topic's node tells (KIP-455), one that waits in the node, one that old Kafka works at."""
    put_topic(kafka, "new", {0: [3, 1, 2]}, adding_replicas={"0": [3]}, removing_replicas={"0": [2]})
    put_topic(kafka, "old", {0: [3, 1, 2]}, states={0: (1, [1, 2])})
    wanted = [
        {"topic": "orders", "partition": 0, "replicas": [4, 1]},
        {"topic": "old", "partition": 0, "replicas": [3, 1]},
    ]
    put(kafka, REASSIGN, {"version": 1, "partitions": [*wanted, {"topic": "gone", "partition": 0, "replicas": [1]}]})
    under_way = target.reassigning()

    assert under_way == {
        ("gone", 0): Assignment((), adding=(1,)),
        ("new", 0): Assignment((3, 1, 2), (3,), (2,), 3, (3, 1, 2)),
        ("old", 0): Assignment((3, 1, 2), (3,), (2,), 1, (1, 2)),
        ("orders", 0): Assignment((1, 2), (4,), (2,), 1, (1, 2)),
    }
    assert all(one.under_way for one in under_way.values())


def test_a_reassignment_node_that_is_not_understood_is_said_and_left(kafka, target) -> None:
    """Nothing is told as "nothing under way" that cannot be told."""
    put(kafka, REASSIGN, b"{not json")
    with pytest.raises(ClusterUnreachable, match="is not JSON") as refused:
        target.reassigning()

    assert refused.value.reason == "configuration"
    assert kafka.get(REASSIGN)[0] == b"{not json"


# ---- reassigning ------------------------------------------------------------------------------------------------


def test_a_reassignment_is_the_node_that_kafkas_tool_writes(kafka, target) -> None:
    """Version, topic, partition and replicas, nothing else: old brokers refuse a key that they do not know."""
    answers = target.reassign({("orders", 0): [3, 1], ("orders", 1): [4, 2]})

    assert answers == {("orders", 0): None, ("orders", 1): None}
    assert told(kafka, REASSIGN) == {
        "version": 1,
        "partitions": [
            {"topic": "orders", "partition": 0, "replicas": [3, 1]},
            {"topic": "orders", "partition": 1, "replicas": [4, 2]},
        ],
    }


def test_what_kafka_would_drop_in_silence_is_answered_and_left_out(kafka, target) -> None:
    """No such partition, an empty list, a broker twice, a broker that is not alive; one that is dead may stay."""
    kafka.delete("/brokers/ids/2")
    asked = {
        ("orders", 0): [4, 2],
        ("orders", 1): [],
        ("orders", 9): [1],
        ("nowhere", 0): [1],
    }
    answers = target.reassign(asked) | target.reassign({("orders", 1): [3, 3]}) | target.reassign({("orders", 1): [77]})

    assert answers == {
        ("orders", 0): None,
        ("orders", 1): "INVALID_REPLICA_ASSIGNMENT",
        ("orders", 9): "UNKNOWN_TOPIC_OR_PARTITION",
        ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
    }
    assert [one["replicas"] for one in told(kafka, REASSIGN)["partitions"]] == [[4, 2]]


def test_a_list_of_another_length_is_refused_where_factors_are_kept(kafka, target) -> None:
    """As brokers do for the Admin protocol (KIP-860)."""
    assert target.reassign({("orders", 0): [1, 2, 3]}, keeps_factor=True) == {
        ("orders", 0): "INVALID_REPLICATION_FACTOR"
    }
    assert kafka.exists("/admin/reassign_partitions") is None
    assert target.reassign({("orders", 0): [3, 1]}, keeps_factor=True) == {("orders", 0): None}


def test_somebody_elses_reassignment_is_never_touched(kafka, target) -> None:
    """The node is left as it is, and every partition is answered with REASSIGNMENT_IN_PROGRESS."""
    theirs = {"version": 1, "partitions": [{"topic": "orders", "partition": 1, "replicas": [1, 4]}]}
    put(kafka, REASSIGN, theirs)

    assert target.reassign({("orders", 0): [3, 1]}) == {("orders", 0): "REASSIGNMENT_IN_PROGRESS"}
    assert told(kafka, REASSIGN) == theirs


def test_a_batch_beyond_the_limit_is_not_sent(kafka, target) -> None:
    """ZooKeeper would close the connection without a word."""
    name = "t" * 240
    count = NODE_BYTES // 250
    put_topic(kafka, name, dict.fromkeys(range(count), (1, 2)), states={})

    assert set(target.reassign({(name, one): [2, 1] for one in range(count)}).values()) == {"MESSAGE_TOO_LARGE"}
    assert not kafka.exists(REASSIGN)


@pytest.mark.parametrize("plan", [["after"], ["before"], ["before", "before", "after"]], ids="-".join)
def test_a_lost_answer_is_found_out_by_reading(kafka, connection, plan) -> None:
    """Whether the node was made before the connection broke or not, it is there once, and the answer says so."""
    faults = list(plan)
    target = unsteady(connection, faults)
    answer = target.reassign({("orders", 0): [3, 1]})
    target.close()

    assert faults == []
    assert answer == {("orders", 0): None}
    assert told(kafka, REASSIGN)["partitions"] == [{"topic": "orders", "partition": 0, "replicas": [3, 1]}]


def test_a_lost_answer_is_not_taken_for_ours_where_the_node_is_another_ones(kafka, connection) -> None:
    """Nothing of ours was written, and somebody else was quicker."""
    target = unsteady(connection, ["before"])
    theirs = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [4, 1]}]}
    put(kafka, REASSIGN, theirs)
    answer = target.reassign({("orders", 0): [3, 1]})
    target.close()

    assert answer == {("orders", 0): "REASSIGNMENT_IN_PROGRESS"}
    assert told(kafka, REASSIGN) == theirs


def test_a_lost_answer_whose_reassignment_is_done_already_is_accepted_and_not_sent_again(kafka, connection) -> None:
    """The controller was quicker than the reconnecting."""
    target = unsteady(connection, ["before"])
    put_topic(kafka, "orders", {0: [3, 1], 1: [2, 3]})
    answer = target.reassign({("orders", 0): [3, 1]})
    target.close()

    assert answer == {("orders", 0): None}
    assert not kafka.exists(REASSIGN)


def test_nothing_is_written_while_the_cluster_migrates_to_kraft(kafka, target) -> None:
    """Neither list, election, topic nor throttle: a node would wait, and act once the migration is taken back."""
    kafka.create("/migration", b'{"version":0,"kraft_controller_id":3000}')
    writes = (
        lambda: target.reassign({("orders", 0): [3, 1]}),
        lambda: target.elect(Election.PREFERRED, [("orders", 0)]),
        lambda: target.create_topic("new", {0: [1, 2]}, {}),
        lambda: target.set_throttles(Throttles(leader_replicas={"orders": "0:1"})),
    )
    assert target.migrating()
    for write in writes:
        with pytest.raises(ClusterUnreachable, match="migration from ZooKeeper to KRaft") as refused:
            write()
        assert refused.value.reason == "configuration"
    written = [
        path
        for path in ("/admin/reassign_partitions", "/admin/preferred_replica_election", "/brokers/topics/new")
        if kafka.exists(path)
    ]
    assert written == changes(kafka) == []
    assert target.assignments([("orders", 1)]) == {("orders", 1): Assignment((2, 3), leader=2, in_sync=(2, 3))}

    kafka.delete("/migration")

    assert not target.migrating()
    assert target.reassign({("orders", 0): [3, 1]}) == {("orders", 0): None}


def test_nothing_can_be_taken_back_by_the_node(kafka, target) -> None:
    """Removing it would stop nothing; it is left alone, and the answer says that this way cannot."""
    target.reassign({("orders", 0): [3, 1]})

    assert not target.can_cancel
    assert target.cancel([("orders", 0)]) == {("orders", 0): "UNSUPPORTED_VERSION"}
    assert kafka.exists(REASSIGN)


# ---- permissions ------------------------------------------------------------------------------------------------


def test_nodes_are_no_more_open_than_their_parents(kafka, connection) -> None:
    """On a secured cluster each new node has its parent's ACL: the brokers' user may all, the world may read."""
    closed = [make_digest_acl("kafka", "k", all=True), make_acl("world", "anyone", read=True)]
    for path in ("/admin", "/brokers/topics", "/config/topics", "/config/brokers", "/config/changes"):
        kafka.set_acls(path, closed)
    credentials = Connection(
        zookeeper=connection.zookeeper, chroot=connection.chroot, zookeeper_digest=Secret("kafka:k")
    )
    target = ZooKeeperTarget(credentials)
    target.reassign({("orders", 0): [3, 1]})
    target.create_topic("new", {0: [1]}, {})
    target.set_throttles(Throttles({1: "5"}))
    target.close()
    made = [REASSIGN, "/brokers/topics/new", "/config/topics/new", "/config/brokers/1"]
    made += [f"/config/changes/{name}" for name in kafka.get_children("/config/changes")]

    kafka.add_auth("digest", "kafka:k")  # who lacks ADMIN is shown "x" for every digest

    assert len(made) == 5
    assert [sorted(kafka.get_acls(path)[0]) for path in made] == [sorted(closed)] * 5


def test_without_permission_nothing_is_made_and_the_path_is_named(kafka, target) -> None:
    """Neither where creating is forbidden nor where the parent's ACL may not even be read."""
    kafka.set_acls("/admin", [make_acl("world", "anyone", read=True)])
    kafka.set_acls("/config/brokers", [make_digest_acl("kafka", "k", all=True)])
    with pytest.raises(ClusterUnreachable, match=REASSIGN) as admin:
        target.reassign({("orders", 0): [3, 1]})
    with pytest.raises(ClusterUnreachable, match="/config/brokers") as config:
        target.set_throttles(Throttles({1: "5"}))

    assert (admin.value.reason, config.value.reason) == ("authorization", "authorization")
    assert not kafka.exists(REASSIGN)
    assert not kafka.exists("/config/brokers/1")
    assert changes(kafka) == []


def test_permissions_that_are_shown_in_part_are_not_copied(kafka, connection) -> None:
    """ZooKeeper hides digests from who lacks ADMIN: a node made with what is shown would lock the brokers out."""
    mine = make_digest_acl("me", "m", read=True, write=True, create=True, delete=True)
    kafka.set_acls("/admin", [make_digest_acl("kafka", "k", all=True), mine])
    named = Connection(zookeeper=connection.zookeeper, chroot=connection.chroot, zookeeper_digest=Secret("me:m"))
    target = ZooKeeperTarget(named)
    with pytest.raises(ClusterUnreachable, match="lock the brokers out") as refused:
        target.reassign({("orders", 0): [3, 1]})
    target.close()
    kafka.add_auth("digest", "kafka:k")

    assert refused.value.reason == "authorization"
    assert not kafka.exists(REASSIGN)


# ---- settings ---------------------------------------------------------------------------------------------------


def test_throttles_are_set_beside_other_settings_and_put_back_exactly(kafka, target) -> None:
    """Every other key stays, brokers are told of each change, and what was not set is not set afterwards."""
    put(
        kafka,
        "/config/brokers/1",
        {"version": 1, "config": {"password": "x", "leader.replication.throttled.rate": "9"}},
    )
    put(kafka, "/config/topics/orders", {"version": 1, "config": {"retention.ms": "5"}})
    before = target.throttles([1, 2], ["orders", "nowhere"])
    target.set_throttles(Throttles({1: "1000", 2: "1000"}, {2: "1000"}, {"orders": "0:1"}, {"nowhere": "0:1"}))
    set_now = [
        told(kafka, path)["config"] for path in ("/config/brokers/1", "/config/brokers/2", "/config/topics/orders")
    ]
    first = changes(kafka)
    target.set_throttles(before)
    target.set_throttles(before)

    assert before == Throttles({1: "9", 2: None}, {1: None, 2: None}, {"orders": None}, {"orders": None})
    assert set_now == [
        {"password": "x", "leader.replication.throttled.rate": "1000"},
        {"leader.replication.throttled.rate": "1000", "follower.replication.throttled.rate": "1000"},
        {"retention.ms": "5", "leader.replication.throttled.replicas": "0:1"},
    ]
    assert first == ["brokers/1", "brokers/2", "topics/orders"]
    assert target.throttles([1, 2], ["orders", "nowhere"]) == before
    assert told(kafka, "/config/brokers/1")["config"] == {"password": "x", "leader.replication.throttled.rate": "9"}
    assert told(kafka, "/config/topics/orders")["config"] == {"retention.ms": "5"}
    assert changes(kafka) == first * 2
    assert not kafka.exists("/config/topics/nowhere")


def test_settings_that_no_node_holds_are_refused_in_words(kafka, target) -> None:
    """Too long a list: ZooKeeper would end the session, time and again; nothing is written."""
    many = ",".join(f"{partition}:1001" for partition in range(100_000))
    with pytest.raises(ClusterUnreachable, match="900,000 is the limit of a ZooKeeper node") as refused:
        target.set_throttles(Throttles(leader_replicas={"orders": many}))

    assert refused.value.reason == "configuration"
    assert target.throttles([], ["orders"]).leader_replicas == {"orders": None}
    assert changes(kafka) == []


def test_a_setting_that_somebody_else_changes_meanwhile_is_kept(kafka, connection) -> None:
    """The write is refused because the node has another version, and done again on what is there then."""
    put(kafka, "/config/brokers/1", {"version": 1, "config": {}})

    class Late(KazooClient):
        """Before its first write somebody else writes."""

        def _call(self, request, answer):
            if isinstance(request, Transaction) and told(kafka, "/config/brokers/1")["config"] == {}:
                kafka.set("/config/brokers/1", b'{"version":1,"config":{"log.cleaner.threads":"2"}}')
            return super()._call(request, answer)

    def opened(_: Connection) -> KazooClient:
        client = Late(connection.zookeeper[0] + connection.chroot)
        client.start()
        return client

    target = ZooKeeperTarget(connection, session=ZooKeeperSession(connection, opened=opened))
    target.set_throttles(Throttles({1: "5"}))
    target.close()

    assert told(kafka, "/config/brokers/1")["config"] == {
        "log.cleaner.threads": "2",
        "leader.replication.throttled.rate": "5",
    }


@pytest.mark.parametrize("plan", [["after"], ["before"], ["before", "after"]], ids="-".join)
def test_a_setting_whose_answer_was_lost_is_written_and_told_once(kafka, connection, plan) -> None:
    """Both in one: a setting that is written and not told would look as if it were in force."""
    faults = list(plan)
    target = unsteady(connection, faults)
    target.set_throttles(Throttles({1: "5"}))
    target.close()

    assert faults == []
    assert told(kafka, "/config/brokers/1")["config"] == {"leader.replication.throttled.rate": "5"}
    assert changes(kafka) == ["brokers/1"]


@pytest.mark.parametrize("plan", [["after"], ["before"]], ids="-".join)
def test_a_topic_whose_answer_was_lost_is_made_once(kafka, connection, plan) -> None:
    """What is there afterwards tells whether it was made."""
    faults = list(plan)
    target = unsteady(connection, faults)
    answer = target.create_topic("new", {10: [1, 2]}, {})
    target.close()

    assert faults == []
    assert answer is None
    assert told(kafka, "/brokers/topics/new")["partitions"] == {"10": [1, 2]}


def test_a_node_that_is_not_as_kafka_writes_it_is_not_overwritten(kafka, target) -> None:
    """Whatever it holds, it may be somebody's only copy."""
    put(kafka, "/config/brokers/1", b"?!")
    with pytest.raises(ClusterUnreachable, match="/config/brokers/1"):
        target.set_throttles(Throttles({1: "5"}))

    assert kafka.get("/config/brokers/1")[0] == b"?!"


# ---- elections and topics ---------------------------------------------------------------------------------------


def test_an_election_is_answered_by_the_leaders_before_and_after(kafka, connection) -> None:
    """The controller takes the node away; who leads then tells whether the election was needed and possible."""
    put_topic(kafka, "led", {0: [1, 2], 1: [2, 1], 2: [3, 2]}, states={0: (2, [1, 2]), 1: (2, [2, 1]), 2: (2, [2])})

    def controller(_: float) -> None:
        asked = told(kafka, ELECT)
        assert asked == {"version": 1, "partitions": [{"topic": "led", "partition": one} for one in (0, 1, 2)]}
        put(kafka, "/brokers/topics/led/partitions/0/state", state(1, [1, 2], 1))
        kafka.delete(ELECT)

    target = ZooKeeperTarget(connection, patience=Patience(30, wait=controller))
    answers = target.elect(Election.PREFERRED, [("led", 0), ("led", 1), ("led", 2), ("nowhere", 0)])
    with pytest.raises(WishRefused, match="unclean"):
        target.elect(Election.UNCLEAN, [("led", 2)])
    target.close()

    assert answers == {
        ("led", 0): "NONE",
        ("led", 1): "ELECTION_NOT_NEEDED",
        ("led", 2): "PREFERRED_LEADER_NOT_AVAILABLE",
        ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
    }


def test_an_election_that_no_controller_holds_is_said(kafka, connection) -> None:
    """The node stays, for the next controller, and the sentence says so; another one's is not overwritten."""
    seconds = itertools.count()
    target = ZooKeeperTarget(
        connection, patience=Patience(3, pause=1, clock=lambda: next(seconds), wait=lambda _: None)
    )
    with pytest.raises(ClusterUnreachable, match="election takes place once there is a controller") as waiting:
        target.elect(Election.PREFERRED, [("orders", 0)])
    with pytest.raises(ClusterUnreachable, match="another election is waiting there"):
        target.elect(Election.PREFERRED, [("orders", 1)])
    target.close()

    assert waiting.value.reason == "timeout"
    assert told(kafka, ELECT)["partitions"] == [{"topic": "orders", "partition": 0}]


def test_a_topic_is_two_nodes_made_together(kafka, target) -> None:
    """Ids with gaps, lists of unequal length, in the version of the others; settings left by another are replaced."""
    put(kafka, "/config/topics/new", {"version": 1, "config": {"retention.ms": "1"}})
    answer = target.create_topic("new", {10: [1, 2], 33: [3]}, {"cleanup.policy": "compact"})

    assert answer is None
    assert told(kafka, "/brokers/topics/new") == {
        "version": 2,
        "partitions": {"10": [1, 2], "33": [3]},
        "adding_replicas": {},
        "removing_replicas": {},
    }
    assert told(kafka, "/config/topics/new") == {"version": 1, "config": {"cleanup.policy": "compact"}}


def test_a_topic_of_an_old_cluster_is_written_in_the_oldest_form(kafka, target) -> None:
    """Where the others have version 1, so has the new one."""
    kafka.delete("/brokers/topics/orders", recursive=True)
    put_topic(kafka, "old", {0: [1]})

    assert target.create_topic("new", {0: [1]}, {}) is None
    assert told(kafka, "/brokers/topics/new") == {"version": 1, "partitions": {"0": [1]}}


@pytest.mark.parametrize(
    ("name", "lists", "words"),
    [
        ("orders", {0: [1]}, "Topic 'orders' already exists."),
        ("dying", {0: [1]}, "Topic 'dying' is marked for deletion."),
        ("../config", {0: [1]}, "one or more characters other than"),
        ("..", {0: [1]}, "is not allowed"),
        ("", {0: [1]}, "empty"),
        ("n" * 250, {0: [1]}, "249"),
        ("twice", {0: [1, 1]}, "different brokers"),
        ("none", {0: []}, "different brokers"),
        ("below", {-1: [1]}, "-1 is not a partition id"),
    ],
)
def test_what_kafka_would_not_check_on_this_way_is_refused_here(kafka, target, name, lists, words) -> None:
    """Nothing is written: neither a topic's node nor one anywhere else."""
    put(kafka, "/admin/delete_topics/dying", b"")
    before = sorted(kafka.get_children("/brokers/topics")), sorted(kafka.get_children("/config/topics"))
    refusal = target.create_topic(name, lists, {})

    assert refusal is not None
    assert words in refusal
    assert (sorted(kafka.get_children("/brokers/topics")), sorted(kafka.get_children("/config/topics"))) == before


# ---- losing ZooKeeper -------------------------------------------------------------------------------------------


def test_what_could_not_be_sent_is_not_sent_when_zookeeper_is_back(tmp_path) -> None:
    """ZooKeeper dies: the call says so; it comes back: nothing has been written, and the next call works."""
    server = start_zookeeper(tmp_path / "alone")
    try:
        with writer(server) as client:
            put_topic(client, "orders", {0: [1, 2]})
            for broker in (1, 2, 3):
                put(client, f"/brokers/ids/{broker}", registration(broker))
            client.ensure_path("/admin")
        target = ZooKeeperTarget(Connection(zookeeper=(server.hosts,), timeout_seconds=1))
        server.stop(kill=True)
        with pytest.raises(ClusterUnreachable) as away:
            target.reassign({("orders", 0): [3, 1]})
        server.start_again()
        with writer(server) as client:
            written = client.exists(REASSIGN)
            again = target.reassign({("orders", 0): [3, 1]})
            there = client.exists(REASSIGN)
        target.close()
    finally:
        server.stop()

    assert away.value.reason in ("lost", "refused", "timeout")
    assert written is None
    assert again == {("orders", 0): None}
    assert there is not None


def test_a_zookeeper_that_stands_still_while_it_is_written_to_leaves_the_question_open(tmp_path) -> None:
    """The call ends in bounds and says that it is not known; the next one finds the node, or makes it."""
    server = start_zookeeper(tmp_path / "alone")

    class Freezing(KazooClient):
        """Its server stands still as soon as something is written."""

        def _call(self, request, answer):
            if isinstance(request, Create):
                server.freeze()
            return super()._call(request, answer)

    def freezing(connection: Connection) -> KazooClient:
        client = Freezing(server.hosts)
        client.start(timeout=connection.timeout_seconds)
        return client

    openers = iter([freezing])

    def opened(connection: Connection) -> KazooClient:
        return next(openers, open_client)(connection)  # later sessions are plain ones

    try:
        with writer(server) as client:
            put_topic(client, "orders", {0: [1, 2]})
            for broker in (1, 2, 3):
                put(client, f"/brokers/ids/{broker}", registration(broker))
            client.ensure_path("/admin")
        connection = Connection(zookeeper=(server.hosts,), timeout_seconds=1)
        session = ZooKeeperSession(connection, opened=opened)
        target = ZooKeeperTarget(connection, session=session)
        with pytest.raises(ClusterUnreachable, match="Whether it was written is known") as open_question:
            target.reassign({("orders", 0): [3, 1]})
        server.thaw()
        with writer(server) as client:
            again = target.reassign({("orders", 0): [3, 1]})
            written = told(client, REASSIGN)
        target.close()
    finally:
        server.stop()

    assert open_question.value.reason == "lost"
    assert again[("orders", 0)] in (None, "REASSIGNMENT_IN_PROGRESS")
    assert written["partitions"] == [{"topic": "orders", "partition": 0, "replicas": [3, 1]}]


def test_no_secret_is_in_an_error_or_a_log(kafka, connection, caplog) -> None:
    """A digest's password is in no record at any level and in no exception, its chained causes included."""
    caplog.set_level(logging.DEBUG, logger="")
    secret = "s3cret-of-the-brokers"
    named = Connection(
        zookeeper=connection.zookeeper, chroot=connection.chroot, zookeeper_digest=Secret(f"someone:{secret}")
    )
    kafka.set_acls("/admin", [make_digest_acl("kafka", "k", all=True)])
    target = open_target(named)
    with pytest.raises(ClusterUnreachable) as refused:
        target.reassign({("orders", 0): [3, 1]})
    target.close()
    said = "".join(traceback.format_exception(refused.value)) + repr(refused.value)

    assert secret not in said
    assert secret not in caplog.text
