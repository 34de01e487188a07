"""Captures the bundled samples from real Kafka clusters: ``make samples``.

What is in ``samples/`` is what Kafka's own tools printed of clusters that were skewed on purpose: brokers that joined
late, leaders that never came back, a broker that is down, a reassignment that is still running.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.servers.cluster import KafkaCluster, start  # noqa: E402  (the path above makes it importable)

SAMPLES = ROOT / "samples"
#: (name, partitions, replication factor, made before the late brokers joined)
TOPICS = (
    ("orders", 36, 3, True),
    ("payments", 24, 3, True),
    ("clickstream", 48, 3, True),
    ("inventory.changes", 18, 3, True),
    ("customer-profile", 12, 3, True),
    ("audit-log", 12, 2, True),
    ("search-index-updates", 16, 3, True),
    ("shipment-tracking", 24, 3, True),
    ("email-outbox", 6, 2, True),
    ("pricing", 8, 3, True),
    ("fraud-scores", 12, 3, True),
    ("sessions", 30, 3, False),
    ("recommendations", 20, 3, False),
    ("telemetry.raw", 40, 2, False),
    ("telemetry.hourly", 10, 3, False),
    ("returns", 6, 3, False),
    ("loyalty-points", 9, 3, False),
    ("debug-scratch", 4, 1, False),
)


def produce(cluster: KafkaCluster, topic: str, records: int, size: int) -> None:
    """Write records, so that sizes differ from topic to topic."""
    cluster.tool(
        "perf",
        *("--topic", topic, "--num-records", str(records), "--record-size", str(size), "--throughput", "-1"),
        *("--producer-props", f"bootstrap.servers={cluster.bootstrap}", "linger.ms=50", "batch.size=65536", "acks=all"),
        connect=False,
    )


def make_topics(cluster: KafkaCluster, early: bool, numbers: random.Random, config: tuple[str, ...] = ()) -> None:
    """Create the early or the late topics and fill them unevenly."""
    for name, partitions, factor, before in TOPICS:
        if before != early:
            continue
        wanted = ("--partitions", str(partitions), "--replication-factor", str(factor))
        settings = [word for item in config if factor > 1 for word in ("--config", item)]
        cluster.tool("topics", "--create", "--topic", name, *wanted, *settings)
        produce(cluster, name, int(numbers.lognormvariate(8, 1)) + 200, numbers.choice((200, 700, 2000)))


def zookeeper_sample() -> None:
    """2.8.2 with ZooKeeper: nine brokers in three racks, two joined late, one restarted; sizes and hosts told."""
    racks: dict[int, str | None] = {1: "az-a", 2: "az-a", 3: "az-a", 4: "az-b", 5: "az-b", 6: "az-b", 7: "az-c"}
    racks |= {8: "az-c", 9: "az-c"}
    hosts = {i: f"kafka-{i}" for i in racks}
    with tempfile.TemporaryDirectory() as folder:
        cluster = start(
            "zookeeper-2.8",
            Path(folder),
            racks,
            only=(1, 2, 3, 4, 5, 6, 7),
            hosts=hosts,
            auto_leader_rebalance_enable="false",
        )
        try:
            numbers = random.Random(28)
            make_topics(cluster, True, numbers, ("min.insync.replicas=2",))
            cluster.start_broker(8)
            cluster.start_broker(9)
            make_topics(cluster, False, numbers, ("min.insync.replicas=2",))
            cluster.stop_broker(4)
            cluster.start_broker(4)
            await_in_sync(cluster)
            text = "$ kafka-topics --bootstrap-server kafka-1:9092 --describe\n" + cluster.describe()
            text += "\n$ zookeeper-shell kafka-1:2181\n"
            text += "ls /brokers/ids\n[" + ", ".join(str(i) for i in racks) + "]\n"
            for i in racks:
                answer = cluster.tool("zookeeper-shell", "get", f"/brokers/ids/{i}", check=False)
                text += f"get /brokers/ids/{i}\n" + next(x for x in answer.splitlines() if x.startswith("{")) + "\n"
            text += "\n$ kafka-log-dirs --bootstrap-server kafka-1:9092 --describe\n"
            text += cluster.tool("log-dirs", "--describe").replace(folder, "/var/lib/kafka")
            (SAMPLES / "zookeeper-2.8-three-racks.txt").write_text(text)
        finally:
            cluster.stop()


def kraft_sample() -> None:
    """4.1.0 with KRaft: eight brokers in four unequal racks, one of them down; racks in a file of their own."""
    racks: dict[int, str | None] = {1: "r1", 2: "r1", 3: "r1", 4: "r2", 5: "r2", 6: "r3", 7: "r3", 8: "r4"}
    with tempfile.TemporaryDirectory() as folder:
        cluster = start(
            "kraft-4.1",
            Path(folder),
            racks,
            hosts={i: f"kafka-{i}" for i in racks},
            auto_leader_rebalance_enable="false",
            replica_lag_time_max_ms="2000",
        )
        try:
            numbers = random.Random(41)
            make_topics(cluster, True, numbers, ("min.insync.replicas=2",))
            make_topics(cluster, False, numbers, ("min.insync.replicas=2",))
            cluster.tool("topics", "--create", "--topic", "single-copy", "--replica-assignment", "5,6,5,1")
            cluster.stop_broker(2)
            cluster.start_broker(2)
            await_in_sync(cluster)
            cluster.stop_broker(5, kill=True)
            await_describe(cluster, "Leader: none")
            text = "$ kafka-topics --bootstrap-server kafka-1:9092 --describe\n" + cluster.describe()
            (SAMPLES / "kraft-4.1-broker-down.txt").write_text(text)
            rows = "".join(f"{i},{rack}\n" for i, rack in racks.items())
            (SAMPLES / "kraft-4.1-racks.csv").write_text("broker,rack\n" + rows)
        finally:
            cluster.stop()


def under_way_sample() -> None:
    """4.1.0 with KRaft: a throttled reassignment that still runs, seen by --describe."""
    racks: dict[int, str | None] = {1: "r1", 2: "r2", 3: "r3", 4: "r1"}
    with tempfile.TemporaryDirectory() as folder:
        cluster = start("kraft-4.1", Path(folder), racks, hosts={i: f"kafka-{i}" for i in racks})
        try:
            for name in ("orders", "payments"):
                wanted = ("--replica-assignment", ",".join(("1:2:3", "2:3:1", "3:1:2", "1:3:2")))
                cluster.tool("topics", "--create", "--topic", name, *wanted)
                produce(cluster, name, 20_000, 1_000)
            moves = [
                {"topic": "orders", "partition": p, "replicas": r}
                for p, r in enumerate(([4, 2, 3], [2, 3, 4], [3, 4, 2], [4, 3, 2]))
            ]
            plan = Path(folder) / "plan.json"
            plan.write_text(json.dumps({"version": 1, "partitions": moves}))
            arguments = ("--reassignment-json-file", str(plan), "--execute", "--throttle", "1000")
            cluster.tool("reassign", *arguments)
            await_describe(cluster, "Adding Replicas: 4")
            text = "$ kafka-topics --bootstrap-server kafka-1:9092 --describe\n" + cluster.describe()
            (SAMPLES / "kraft-4.1-reassignment-under-way.txt").write_text(text)
        finally:
            cluster.stop()


def await_describe(cluster: KafkaCluster, wanted: str) -> None:
    """Describe until a text appears; Kafka tells of a change a little after it happened."""
    for _ in range(40):
        if wanted in cluster.describe():
            return
    raise TimeoutError(f"--describe never said {wanted!r}")


def await_in_sync(cluster: KafkaCluster) -> None:
    """Describe until no partition is under-replicated."""
    for _ in range(40):
        if not cluster.describe("--under-replicated-partitions").strip():
            return
    raise TimeoutError("partitions stay under-replicated")


INDEX = [
    {
        "file": "zookeeper-2.8-three-racks.txt",
        "title": "Nine brokers, three racks",
        "what": "Kafka 2.8 with ZooKeeper. Brokers 8 and 9 joined late and hold little; broker 4 was restarted and "
        "got no leader back. Sizes, racks and hosts are included.",
    },
    {
        "file": "kraft-4.1-broker-down.txt",
        "racks": "kraft-4.1-racks.csv",
        "title": "A broker is down",
        "what": "Kafka 4.1 with KRaft. Eight brokers in four unequal racks; broker 5 was killed: partitions are "
        "offline and under-replicated.",
    },
    {
        "file": "kraft-4.1-reassignment-under-way.txt",
        "title": "A reassignment in progress",
        "what": "Kafka 4.1 with KRaft. Four brokers; topic orders is moving to broker 4, slowed by a throttle.",
    },
]


def main() -> None:
    """Capture all samples anew and write their index."""
    SAMPLES.mkdir(exist_ok=True)
    wanted = sys.argv[1:]
    for capture in (zookeeper_sample, kraft_sample, under_way_sample):
        if not wanted or capture.__name__ in wanted:
            capture()
    (SAMPLES / "INDEX.json").write_text(json.dumps(INDEX, indent=2) + "\n")


if __name__ == "__main__":
    main()
