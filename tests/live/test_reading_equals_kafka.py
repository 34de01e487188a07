"""What is read of a real cluster equals what Kafka's own tools describe, field by field, by every way there is.

The cluster (see conftest.py): skewed topics, broker 4 killed, partitions below min.insync.replicas, one without a
leader, ids with gaps where ZooKeeper allows them, and a throttled reassignment that lasts.
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from kazoo.client import KazooClient

from reseat import formats
from reseat.model import BrokerState, ClusterLayout, Consistency
from tests.live.conftest import DEAD, GAPS, RACKS, RATE, Live

pytestmark = pytest.mark.kafka

LIVING = tuple(broker for broker in RACKS if broker != DEAD)


@pytest.fixture(scope="module")
def described(live: Live) -> ClusterLayout:
    """What ``kafka-topics --describe`` prints, read by the project's parser of that text."""
    return formats.read(live.cluster.describe().encode(), source="kafka-topics").layout


def test_partitions_equal_what_kafka_topics_describes(live: Live, described: ClusterLayout) -> None:
    """Topics, ids, replica lists in order, leaders, ISR, and what is being added and removed: the same columns."""
    for read in live.readings():
        layout = read.layout

        assert layout.topics == described.topics
        for column in ("topic_of", "partition", "replica_ids", "leader_ids", "in_sync", "adding", "removing"):
            np.testing.assert_array_equal(
                getattr(layout, column), getattr(described, column), f"{read.protocol} {column}"
            )
        assert layout.in_sync_known.all()
        assert layout.order_told.all()
        # Brokers 1 and 2 are in one rack, and KRaft's controllers beside broker 3.
        together = ["quorum_in_one_rack"] if read.metadata == "kraft" else []
        told = [finding.kind for finding in read.findings]
        assert [kind for kind in told if kind != "log_dir_full"] == together  # the tests' own disk may be full
        assert read.not_read == ()


def test_topic_ids_equal_what_kafka_topics_describes(live: Live) -> None:
    """By every way the ids that Kafka's own tool prints (KIP-516)."""
    printed = dict(re.findall(r"^Topic: (\S+)\s+TopicId: (\S+)", live.cluster.describe(), re.M))
    for read in live.readings():
        layout = read.layout

        assert layout.topic_ids is not None, read.protocol
        assert dict(zip(layout.topics, layout.topic_ids, strict=True)) == printed, read.protocol


def test_ids_with_gaps_are_read(live: Live) -> None:
    """A topic with partitions 10, 21, 33 and 40, which only ZooKeeper's nodes can give, has just these rows."""
    if live.cluster.zookeeper is None:
        assert len(live.readings()[0].layout.rows_of_topic("gaps")) == 0
        return
    for read in live.readings():
        assignments = read.layout.select(np.array(read.layout.rows_of_topic("gaps"))).assignments()

        assert assignments == {("gaps", int(partition)): replicas for partition, replicas in GAPS.items()}


def test_eligible_leader_replicas_equal_what_kafka_topics_describes(live: Live, described: ClusterLayout) -> None:
    """On KRaft ELR and last known ELR are those described, also where there are none; before, they are not told."""
    (read, *_) = live.readings()
    layout = read.layout

    if live.cluster.kind.startswith("kraft"):
        assert layout.eligible is not None
        assert layout.eligible[layout.rows_of_topic("strict")].any()
        np.testing.assert_array_equal(layout.eligible, described.eligible)
        np.testing.assert_array_equal(layout.last_known_eligible, described.last_known_eligible)
    else:
        assert layout.eligible is None
        assert layout.last_known_eligible is None


def test_brokers_are_those_that_live_and_the_one_that_died(live: Live) -> None:
    """Racks and states: ZooKeeper's era knows a dead broker by its id alone, KRaft keeps it registered and fenced."""
    gone = BrokerState.FENCED if live.cluster.kind.startswith("kraft") else BrokerState.DEAD
    for read in live.readings():
        brokers = {broker.id: broker for broker in read.layout.brokers}

        assert {broker.id: broker.state for broker in brokers.values()} == {
            broker: gone if broker == DEAD else BrokerState.ALIVE for broker in RACKS
        }
        assert [brokers[broker].rack for broker in LIVING] == [RACKS[broker] for broker in LIVING]
        assert brokers[DEAD].rack == (RACKS[DEAD] if gone is BrokerState.FENCED else None)


def test_sizes_and_directories_equal_what_kafka_log_dirs_describes(live: Live) -> None:
    """Bytes and directory of every replica are those of kafka-log-dirs; a copy under way may have grown since."""
    readings = live.readings()
    printed = live.cluster.tool("log-dirs", "--describe").strip().splitlines()[-1]
    told = {
        (broker["broker"], log["partition"]): (log["size"], directory["logDir"])
        for broker in json.loads(printed)["brokers"]
        for directory in broker["logDirs"]
        for log in directory["partitions"]
    }
    for read in readings:
        found = _sizes(read.layout)
        growing = (3, "moving-0")

        assert {key: value for key, value in found.items() if key != growing} == {
            key: value for key, value in told.items() if key != growing
        }
        assert 0 < found[growing][0] <= told[growing][0]
        assert [(d.broker, d.error) for d in read.log_dirs] == [(broker, None) for broker in LIVING]
        assert {d.path for d in read.log_dirs} == {path for _, path in told.values()}
        assert all((d.total_bytes is None) == (live.cluster.kind == "zookeeper-2.8") for d in read.log_dirs)


def _sizes(layout: ClusterLayout) -> dict[tuple[int, str], tuple[int, str]]:
    """(broker, topic-partition) -> bytes and directory, of the replicas whose size is told."""
    assert layout.size_bytes is not None
    assert layout.log_dir is not None
    rows, at = np.nonzero(np.isfinite(layout.size_bytes))
    names = [
        f"{layout.topics[topic]}-{partition}"
        for topic, partition in zip(layout.topic_of[rows], layout.partition[rows], strict=True)
    ]
    brokers = layout.replica_ids[rows, at].tolist()
    sizes = layout.size_bytes[rows, at].astype(int).tolist()
    paths = [layout.log_dirs[directory] for directory in layout.log_dir[rows, at]]
    return dict(zip(zip(brokers, names, strict=True), zip(sizes, paths, strict=True), strict=True))


def test_configurations_equal_what_was_set(live: Live) -> None:
    """min.insync.replicas in force, topic overrides, and the throttles that kafka-reassign-partitions set."""
    for read in live.readings():
        layout = read.layout
        assert layout.min_in_sync is not None
        least = dict(zip(layout.topics, layout.min_in_sync.tolist(), strict=True))

        assert least == {name: 2 if name == "strict" else 1 for name in layout.topics}
        assert read.topic_configs == {
            "moving": {
                "leader.replication.throttled.replicas": "0:1,0:2",
                "follower.replication.throttled.replicas": "0:3",
            },
            "strict": {"min.insync.replicas": "2"},
        }
        for broker in (1, 2, 3):
            configs = read.broker_configs[broker]
            assert configs["leader.replication.throttled.rate"] == str(RATE)
            assert configs["follower.replication.throttled.rate"] == str(RATE)
            assert configs["unclean.leader.election.enable"] == "false"
            assert configs["auto.leader.rebalance.enable"] == "true"
            assert configs["min.insync.replicas"] == "1"


def test_the_cluster_itself_is_what_its_own_tools_say(live: Live) -> None:
    """Id, controller, where the metadata is kept, version, and whether one moment is promised."""
    cluster_id, controller = _told_by_the_cluster(live)
    for read in live.readings():
        assert (read.cluster_id, read.controller) == (cluster_id, controller)
        assert f"{read.metadata}-{read.version}" == live.cluster.kind
        expected = Consistency.NOT_PROMISED if read.protocol == "admin" else Consistency.CONSISTENT
        assert read.consistency is expected


def _told_by_the_cluster(live: Live) -> tuple[str, int]:
    if live.cluster.zookeeper is None:
        status = live.cluster.tool("quorum", "describe", "--status")
        found = re.search(r"ClusterId:\s+(\S+)\s+LeaderId:\s+(\d+)", status)
        assert found is not None, status
        return found.group(1), int(found.group(2))
    client = KazooClient(live.cluster.zookeeper)
    client.start()
    try:
        cluster = json.loads(client.get("/cluster/id")[0])
        controller = json.loads(client.get("/controller")[0])
    finally:
        client.stop()
        client.close()
    return cluster["id"], controller["brokerid"]


def test_both_ways_read_the_same(live: Live) -> None:
    """On a ZooKeeper cluster the two ways agree in every column that both tell, leader epochs included."""
    readings = live.readings()
    for other in readings[1:]:
        one = readings[0].layout
        for column in ("replica_ids", "leader_ids", "leader_epoch", "in_sync", "adding", "removing", "min_in_sync"):
            np.testing.assert_array_equal(getattr(one, column), getattr(other.layout, column), column)

        assert other.layout.brokers == one.brokers
        assert other.topic_configs == readings[0].topic_configs

    assert len(readings) == (1 if live.cluster.zookeeper is None else 2)
