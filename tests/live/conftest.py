"""One real cluster of each kind, brought into the states that are hard to read: skew, a dead broker, a move."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from kafka import KafkaProducer
from kafka.protocol.admin import CreateTopicsRequest
from kazoo.client import KazooClient

from reseat.model import BrokerState, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin import read_admin_cluster
from reseat.sources.kafka_admin.client import AdminClient, open_admin
from reseat.sources.zookeeper import read_zookeeper_cluster
from tests.conftest import missing
from tests.servers import cluster as servers

#: Broker 4 is killed; brokers 1 to 3 are KRaft's quorum.
RACKS = {1: "a", 2: "a", 3: "b", 4: "c"}
DEAD = 4
#: Written through Kafka; ``gaps`` is written into ZooKeeper by the test itself.
TOPICS: dict[str, dict[int, list[int]]] = {
    "skewed": {0: [1, 2, 3], 1: [1, 3, 2], 2: [1, 2, 4], 3: [2, 1, 3], 4: [4, 1, 2]},
    "single": {0: [4], 1: [1]},
    "strict": {0: [1, 4], 1: [4, 2], 2: [2, 3]},
    "moving": {0: [1, 2], 1: [2, 1]},
}
CONFIGS = {"strict": {"min.insync.replicas": "2"}}
GAPS = {"10": [1, 2], "21": [2, 3], "33": [3, 1], "40": [1, 4]}
#: Partition 0 of moving, with some 20 MB, goes from [1, 2] to [2, 3] at this rate: it lasts for minutes.
TARGET, RATE = [2, 3], 50_000


@dataclass
class Live:
    """A cluster with everything under way that the tests look at."""

    cluster: servers.KafkaCluster

    def readings(self) -> tuple[Snapshot, ...]:
        """The cluster as it is now, read by every way that it has."""
        by_admin = read_admin_cluster(self.connection)
        if self.cluster.zookeeper is None:
            return (by_admin,)
        return by_admin, read_zookeeper_cluster(self.by_zookeeper)

    @property
    def connection(self) -> Connection:
        return Connection(name="live", bootstrap=tuple(self.cluster.bootstrap.split(",")))

    @property
    def by_zookeeper(self) -> Connection:
        assert self.cluster.zookeeper is not None
        return Connection(
            name="live", bootstrap=tuple(self.cluster.bootstrap.split(",")), zookeeper=(self.cluster.zookeeper,)
        )


@pytest.fixture(
    scope="module", params=["zookeeper-2.8", pytest.param("kraft-4.1", marks=pytest.mark.slow), "kraft-4.4"]
)
def live(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A cluster of each kind, one after the other."""
    reason = servers.missing()
    if reason:
        missing("kafka", reason)
    kind: servers.Kind = request.param
    sooner = (
        {"zookeeper.session.timeout.ms": "6000"}
        if kind == "zookeeper-2.8"
        else {"broker.session.timeout.ms": "4000", "broker.heartbeat.interval.ms": "500"}
    )
    cluster = servers.start(kind, tmp_path_factory.mktemp("live"), RACKS, apart=(DEAD,), **sooner)
    try:
        found = Live(cluster)
        with open_admin(found.connection) as admin:
            _create_topics(admin)
        _fill(cluster)
        if cluster.zookeeper is not None:
            _write_gaps(cluster.zookeeper)
        cluster.stop_broker(DEAD, kill=True)
        _until(found, lambda read: DEAD in _gone(read) and not _in_sync_anywhere(read, DEAD))
        _reassign(cluster)
        _until(found, lambda read: read.layout.adding is not None and bool(read.layout.adding.any()))
        yield found
    finally:
        cluster.stop()


def _create_topics(admin: AdminClient) -> None:
    topic = CreateTopicsRequest.CreatableTopic
    request = CreateTopicsRequest(
        topics=[
            topic(
                name=name,
                num_partitions=-1,
                replication_factor=-1,
                assignments=[
                    topic.CreatableReplicaAssignment(partition_index=partition, broker_ids=replicas)
                    for partition, replicas in assignment.items()
                ],
                configs=[
                    topic.CreatableTopicConfig(name=key, value=value) for key, value in CONFIGS.get(name, {}).items()
                ],
            )
            for name, assignment in TOPICS.items()
        ],
        timeout_ms=30_000,
        validate_only=False,
    )
    answer = admin.send(request, "controller")
    assert [told.error_code for told in answer.topics] == [0] * len(TOPICS), answer


def _fill(cluster: servers.KafkaCluster) -> None:
    """Records into partitions 0: much into moving, a little into skewed."""
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap, batch_size=500_000, max_request_size=1_000_000)
    try:
        for _ in range(400):
            producer.send("moving", bytes(50_000), partition=0)
        for _ in range(10):
            producer.send("skewed", bytes(10_000), partition=0)
        producer.flush(60)
    finally:
        producer.close()


def _write_gaps(zookeeper: str) -> None:
    client = KazooClient(zookeeper)
    client.start()
    try:
        client.create("/brokers/topics/gaps", json.dumps({"version": 1, "partitions": GAPS}).encode())
        _wait_for(lambda: all(client.exists(f"/brokers/topics/gaps/partitions/{p}/state") for p in GAPS))
    finally:
        client.stop()
        client.close()


def _reassign(cluster: servers.KafkaCluster) -> None:
    plan = cluster.directory / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [{"topic": "moving", "partition": 0, "replicas": TARGET}]}))
    cluster.tool("reassign", "--execute", "--reassignment-json-file", str(plan), "--throttle", str(RATE))


def _gone(read: Snapshot) -> set[int]:
    return {b.id for b in read.layout.brokers if b.state in (BrokerState.DEAD, BrokerState.FENCED)}


def _in_sync_anywhere(read: Snapshot, broker: int) -> bool:
    """Whether a partition with other replicas still counts this broker as in sync."""
    layout = read.layout
    assert layout.in_sync is not None
    alone = layout.replication_factor == 1
    return bool((layout.in_sync & (layout.replica_ids == broker))[~alone].any())


def _until(found: Live, settled: Callable[[Snapshot], bool]) -> None:
    _wait_for(lambda: settled(read_admin_cluster(found.connection)))


def _wait_for(settled: Callable[[], bool], seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    between = threading.Event()
    while not settled():
        assert time.monotonic() < until, "the cluster did not come into the state that the test needs"
        between.wait(0.2)
