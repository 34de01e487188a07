"""A real cluster of four brokers for the tests of writing, and waiting for what it comes to."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.journal import Journal
from reseat.operate.targets.admin import AdminTarget
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Assignment, Partition, Target
from reseat.operate.topics import TopicCreated, create
from reseat.placement.topic_spec import TopicSpec
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.client import open_admin
from tests.conftest import missing, require
from tests.servers.cluster import KafkaCluster, Kind, start
from tests.servers.cluster import missing as kafka_missing

RACKS: dict[int, str | None] = {1: "a", 2: "b", 3: "c", 4: "a"}


def running(kind: Kind, directory: Path, *, directories: int = 1) -> Iterator[KafkaCluster]:
    """Four brokers that notice soon when another one dies, and leave leaders where they are."""
    require("kafka")
    reason = kafka_missing()
    if reason is not None:
        missing("kafka", reason)
    quick = (
        {"zookeeper_session_timeout_ms": "6000"}
        if kind == "zookeeper-2.8"
        else {"broker_session_timeout_ms": "3000", "broker_heartbeat_interval_ms": "500"}
    )
    cluster = start(kind, directory, RACKS, auto_leader_rebalance_enable="false", directories=directories, **quick)
    try:
        yield cluster
    finally:
        cluster.stop()


class OpenTarget(AdminTarget):
    """A cluster open for writing, whose client asks what a target does not.

    Attributes:
        client: the client.
    """

    def __init__(self, connection: Connection) -> None:
        self.client = open_admin(connection)
        super().__init__(connection, admin=self.client)


def connection_to(cluster: KafkaCluster, *, zookeeper: bool = False) -> Connection:
    """How the cluster is reached."""
    servers = tuple(cluster.bootstrap.split(","))
    if zookeeper:
        return Connection("test", servers, (cluster.zookeeper or "",), timeout_seconds=10)
    return Connection("test", servers, timeout_seconds=10)


def until(condition: Callable[[], bool], seconds: float = 40) -> bool:
    """Whether a condition comes true within the time."""
    return any(condition() for _ in Patience(seconds, pause=0.05, longest=0.3).attempts())


def as_told(target: Target, partition: Partition) -> Assignment:
    """A partition as it is told; without replicas where the broker that was asked has not been told of it yet."""
    return target.assignments([partition]).get(partition, Assignment(()))


def create_everywhere(target: OpenTarget, spec: TopicSpec, patience: Patience | None = None) -> TopicCreated:
    """Make a topic as ``create`` does, and wait until every live broker was told of it: any of them may answer."""
    from kafka.protocol.metadata import MetadataRequest

    made = create(target, spec, patience=patience)
    request = MetadataRequest(
        topics=[MetadataRequest.MetadataRequestTopic(name=spec.name)], allow_auto_topic_creation=False
    )

    def knows(broker: int) -> bool:
        (topic,) = target.client.send(request, broker=broker).topics
        return len(topic.partitions) == len(spec.assignment)

    if made.made:
        assert until(lambda: all(knows(broker) for broker in sorted(target.alive())))
    return made


def end_operators(file: Path) -> None:
    """Kill who is still at work on a run of a journal: a test that failed may have left one, which tries for ever."""
    if not file.exists():
        return
    with closing(Journal(file)) as journal:
        holders = [journal.holder(cluster_id) for cluster_id in {run.cluster_id for run in journal.runs()}]
    for holder in holders:
        if holder is not None and holder.alive:
            os.kill(holder.owner.pid, signal.SIGKILL)


def fill(cluster: KafkaCluster, topic: str, megabytes: int) -> None:
    """Write records into a topic, and wait until all its replicas in sync have them."""
    from kafka import KafkaProducer

    with closing(KafkaProducer(bootstrap_servers=cluster.bootstrap, acks="all", batch_size=100_000)) as producer:
        written = [producer.send(topic, bytes(10_000)) for _ in range(megabytes * 100)]
        for record in written:
            record.get(60)


def controller_of(cluster: KafkaCluster, target: OpenTarget) -> int:
    """The broker that decides: the controller in ZooKeeper, or the quorum's leader."""
    from kafka.protocol.admin import DescribeQuorumRequest
    from kafka.protocol.metadata import MetadataRequest

    if cluster.kind == "zookeeper-2.8":
        return int(target.client.send(MetadataRequest(topics=[])).controller_id)
    topic = DescribeQuorumRequest.TopicData
    asked = [topic(topic_name="__cluster_metadata", partitions=[topic.PartitionData(partition_index=0)])]
    return int(target.client.send(DescribeQuorumRequest(topics=asked)).topics[0].partitions[0].leader_id)


def refused(call: Callable[[], object]) -> ClusterUnreachable | None:
    """The error that a call raises, None where it raises none."""
    try:
        call()
    except ClusterUnreachable as error:
        return error
    return None
