"""Contents that Kafka would not write: findings with their paths, never a crash, and what is understood is kept."""

from __future__ import annotations

import json

import pytest

from reseat.model import NONE, NOT_TOLD, BrokerState, Consistency, Snapshot
from reseat.sources.zookeeper import read_zookeeper_cluster
from reseat.sources.zookeeper.nodes import (
    broker_node,
    config_node,
    partition_state,
    reassignment_node,
    topic_node,
    whole_number,
)
from tests.servers.zookeeper import ZooKeeperServer
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, state, writer

DEEP = b"[" * 50_000 + b"]" * 50_000
LONGEST = "t" * 249
#: ZooKeeper itself refuses control characters, surrogates and slashes; the rest of Unicode may stand in a name.
ODD = "naïve topic <img src=x onerror=alert(1)> %2e%2e"


@pytest.fixture(scope="module")
def read(zookeeper: ZooKeeperServer) -> Snapshot:
    """The reading of a cluster in which hardly a node is as it should be, beside a topic that is."""
    with writer(zookeeper, "/hostile") as client:
        put(client, "/brokers/ids/1", registration(1, "r" * 1_000_000))
        put(client, "/brokers/ids/2", {"version": 5, "host": None, "port": -1, "endpoints": []})
        put(client, "/brokers/ids/3", b"\xff\xfe not json")
        put(client, "/brokers/ids/4", DEEP)
        put(client, "/brokers/ids/5", {"host": 7, "port": "x", "rack": ["a"], "endpoints": "SSL://h:1", "version": 99})
        put(client, "/brokers/ids/007", registration(7))
        put(client, "/brokers/ids/99999999999", registration(9))
        put(
            client,
            "/brokers/ids/6",
            {"version": 4, "host": None, "port": -1, "endpoints": ["SASL://h6:9093"], "rack": "b"},
        )
        put_topic(client, "good", {0: [1, 2]})
        put_topic(client, LONGEST, {0: [1]})
        put_topic(client, ODD, {3: [2]})
        put_topic(client, "twice", {0: [1, 1, 2]}, states={0: (1, [1, 9])})
        put_topic(client, "stray", {0: [1, 2]}, states={0: (8, [8])})
        put_topic(client, "deleting", {0: [1]}, states={0: (-2, [1])})
        put(client, "/brokers/topics/empty", b"")
        put(client, "/brokers/topics/broken", b'{"version":1,"partitions":{"0":[1')
        put(client, "/brokers/topics/list", b"[1,2]")
        put(client, "/brokers/topics/none", b'{"partitions":{}}')
        put(client, "/brokers/topics/deep", DEEP)
        put(
            client,
            "/brokers/topics/mixed",
            {"partitions": {"0": [1, 2], "x": [1], "1": "1,2", "2": [-1], "3": [99999999999], "4": [], "05": [1]}},
        )
        put(client, "/brokers/topics/mixed/partitions/0/state", b"null")
        put(client, "/brokers/topics/wide", {"partitions": {"0": list(range(1_001)), "1": [1]}})
        put(client, "/brokers/topics/wide/partitions/1/state", {"leader": 1, "isr": "all", "leader_epoch": True})
        put(client, "/controller", b'{"brokerid":"one"}')
        put(client, "/controller_epoch", b"\xff")
        put(client, "/cluster/id", b"{}")
        put(client, "/admin/reassign_partitions", {"partitions": [{"topic": "good", "partition": 0}, 7]})
        put(client, "/admin/delete_topics/deleting", b"")
        put(client, "/config/topics/good", {"config": {"min.insync.replicas": "many", "ssl.key.password": "x"}})
        put(client, "/config/topics/twice", b"[]")
        put(client, "/config/brokers/x", b"{}")
    return read_zookeeper_cluster(connection_to(zookeeper, "/hostile"))


def test_what_is_understood_is_kept(read: Snapshot) -> None:
    """Good topics beside broken ones, good partitions beside broken ones, brokers alive whatever they say."""
    layout = read.layout

    assert layout.assignments() == {
        ("deleting", 0): [1],
        ("good", 0): [1, 2],
        ("mixed", 0): [1, 2],
        ("mixed", 4): [],
        (ODD, 3): [2],
        ("stray", 0): [1, 2],
        (LONGEST, 0): [1],
        ("twice", 0): [1, 1, 2],
        ("wide", 1): [1],
    }
    alive = {broker.id: broker for broker in layout.brokers if broker.state is BrokerState.ALIVE}
    assert sorted(alive) == [1, 2, 3, 4, 5, 6]
    assert alive[1].rack == "r" * 1_000_000
    assert (alive[6].host, alive[6].port, alive[6].rack) == ("h6", 9093, "b")
    assert (alive[5].host, alive[5].port, alive[5].rack) == (None, None, None)
    assert read.consistency is Consistency.CONSISTENT
    assert (read.controller, read.cluster_id, read.pending) == (None, None, {})


def test_leaders_are_told_none_or_not_told(read: Snapshot) -> None:
    """-2 in a node means that the topic is being deleted, so none; a broken or missing state is not told."""
    layout = read.layout
    leader = {layout.name_of(row): int(layout.leader_ids[row]) for row in range(layout.partition_count)}

    assert leader["deleting-0"] == NONE
    assert leader["mixed-0"] == leader["mixed-4"] == NOT_TOLD
    assert leader["wide-1"] == 1
    assert leader["stray-0"] == 8


@pytest.mark.parametrize(
    ("kind", "places"),
    [
        ("broker_node_not_understood", [f"/brokers/ids/{broker}" for broker in (1, 2, 3, 4, 5)]),
        (
            "topic_node_not_understood",
            [f"/brokers/topics/{name}" for name in ("broken", "deep", "empty", "list", "mixed", "wide")],
        ),
        (
            "state_not_understood",
            [f"/brokers/topics/{name}/state" for name in ("mixed/partitions/0", "wide/partitions/1")],
        ),
        ("state_missing", ["/brokers/topics/mixed/partitions/4/state"]),
        ("config_node_not_understood", ["/config/topics/twice"]),
        ("duplicate_replicas", ["/brokers/topics/twice"]),
        ("no_replicas", ["/brokers/topics/mixed"]),
        ("in_sync_outside_replicas", ["/brokers/topics/stray", "/brokers/topics/twice"]),
        ("leader_outside_replicas", ["/brokers/topics/stray"]),
        ("topic_being_deleted", ["/admin/delete_topics/deleting"]),
        ("topic_name_refused", [f"/brokers/topics/{ODD}"]),
    ],
)
def test_what_is_not_understood_is_found_with_its_path(read: Snapshot, kind: str, places: list[str]) -> None:
    """One finding a kind of trouble, with the paths of its nodes."""
    found = [finding for finding in read.findings if finding.kind == kind]

    assert len(found) == 1
    assert list(found[0].places) == places


def test_children_that_are_no_ids_are_named(read: Snapshot) -> None:
    """Names below /brokers/ids and /config/brokers that no broker has."""
    odd = {finding.places for finding in read.findings if finding.kind == "odd_node"}

    assert odd == {("/brokers/ids/007", "/brokers/ids/99999999999"), ("/config/brokers/x",)}


def test_no_sentence_quotes_a_node_at_length(read: Snapshot) -> None:
    """Findings stay readable: no million characters, and no value of a configuration that was not asked for."""
    assert max(len(finding.sentence) for finding in read.findings) < 2_000
    assert read.topic_configs == {"good": {"min.insync.replicas": "many"}}


@pytest.mark.parametrize(
    "data",
    [
        None,
        b"",
        b"\xff",
        b"null",
        b"1e999",
        b"{",
        DEEP,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"partitions":{"0":[1e400]}}',
        b'{"leader":1e400,"isr":[1e400],"leader_epoch":-7}',
        json.dumps({"partitions": [[]], "config": {"min.insync.replicas": {}}, "isr": [None], "leader": {}}).encode(),
    ],
)
def test_no_content_raises(data: bytes | None) -> None:
    """Whatever a node holds, every reader of nodes answers."""
    assert not topic_node(data).partition
    assert partition_state(data).isr is None
    assert broker_node(3, data).broker.id == 3
    assert not reassignment_node(data)[0]
    assert set(config_node(data, frozenset({"min.insync.replicas"}))[0]) <= {"min.insync.replicas"}


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0", 0),
        ("10", 10),
        (7, 7),
        (2**31 - 1, 2**31 - 1),
        ("2147483648", None),
        (2**31, None),
        (-1, None),
        ("-1", None),
        ("", None),
        ("01", None),
        ("１", None),
        (True, None),
        (1.0, None),
        (None, None),
    ],
)
def test_ids_are_javas_non_negative_ints(value: object, number: int | None) -> None:
    """Ids as numbers or as keys; nothing that two spellings could mean."""
    assert whole_number(value) == number


def test_a_state_like_kafkas_is_read_as_it_stands() -> None:
    """The quick way and the slow way agree."""
    quick = partition_state(json.dumps(state(3, [3, 1], 7)).encode())
    slow = partition_state(json.dumps(state(3, [3, 1], 7) | {"leader": 3.0}).encode())

    assert (quick.leader, quick.isr, quick.leader_epoch, quick.fault) == (3, [3, 1], 7, None)
    assert (slow.leader, slow.isr, slow.leader_epoch) == (NOT_TOLD, [3, 1], 7)


@pytest.mark.parametrize("leader", [-1, -2])
@pytest.mark.parametrize("isr", [[3, 1], [3.5]])
def test_a_partition_without_a_leader_has_none_however_it_is_read(leader: int, isr: list[int | float]) -> None:
    """-1, and -2 while its topic is deleted; also where the rest of the state is none, and it is picked apart."""
    told = partition_state(json.dumps(state(3, [3, 1], 7) | {"leader": leader, "isr": isr}).encode())

    assert told.leader == NONE
    assert told.isr == (isr if isr == [3, 1] else None)
