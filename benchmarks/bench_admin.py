"""Reading a cluster of 10,000 topics and 100,000 partitions through the Admin protocol, beside bare kafka-python.

A real cluster of that size does not fit on two cores beside what is measured; so the brokers are stubs: sixty ports of
one process that answer with frames encoded beforehand by kafka-python's own encoders, at the versions of Kafka 4.1. The
yardstick sends the very same requests through kafka-python's connection manager as it comes, as many at once, and
throws the decoded answers away: its own decoding, and the same sockets. Both are processes of their own and take
turns, since the machine is shared; the best time and the largest memory of each count. Memory is the growth of the
peak over what the process held once its modules were loaded. Nothing is asserted.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable

TOPICS = 10_000
PARTITIONS = 10
BROKERS = 60
ROUNDS = 3
#: A tenth of the topics have an override, as a guess at real clusters.
CONFIGURED = TOPICS // 10


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_admin"]
    with subprocess.Popen([*command, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            hosts = server.stdout.readline().strip()
            _in_process("bare", hosts)  # the stub encodes each answer once
            rounds = [[_in_process(what, hosts) for what in ("bare", "reseat")] for _ in range(ROUNDS)]
        finally:
            server.stdin.close()
    bare, reseat = (
        {name: (max if name == "megabytes" else min)(r[i][name] for r in rounds) for name in rounds[0][i]}
        for i in (0, 1)
    )
    return [
        ("bare kafka-python, the same requests", "", _figures(bare)),
        (
            f"read {TOPICS:,} topics, {TOPICS * PARTITIONS:,} partitions, sizes and configurations",
            f"1.5 x bare: {1.5 * bare['seconds']:.1f} s",
            f"{_figures(reseat)}, {reseat['seconds'] / bare['seconds']:.2f} x bare "
            f"({reseat['worked'] / bare['worked']:.2f} x its processor time)",
        ),
    ]


def _figures(measured: dict[str, float]) -> str:
    return f"{measured['seconds']:.2f} s ({measured['worked']:.2f} s of work), {measured['megabytes']:.0f} MB"


def _in_process(what: str, hosts: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "benchmarks.bench_admin", what, hosts],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _serve() -> None:
    from tests.servers.stub_kafka import StubKafka, even

    topics = even(TOPICS, PARTITIONS, range(BROKERS), 3)
    cluster = StubKafka(
        topics=topics,
        racks={broker: f"rack-{broker % 6}" for broker in range(BROKERS)},
        configs={name: {"min.insync.replicas": "2"} for name in list(topics)[:CONFIGURED]},
        features={"metadata.version": 27, "eligible.leader.replicas.version": 1},
    )
    with cluster:
        print(",".join(cluster.bootstrap), flush=True)
        sys.stdin.read()  # until the other side closes it


def _bare(hosts: str) -> Callable[[], None]:
    """The same requests through kafka-python as it comes; the decoded answers are thrown away."""
    from kafka import KafkaAdminClient
    from kafka.protocol import admin as requests
    from kafka.protocol.metadata import ApiVersionsRequest, MetadataRequest

    resource_of = requests.DescribeConfigsRequest.DescribeConfigsResource

    def configs(kind: int, names: list[str], keys: list[str]) -> object:
        parts = [resource_of(resource_type=kind, resource_name=name, configuration_keys=keys) for name in names]
        return requests.DescribeConfigsRequest(resources=parts)

    def read() -> None:
        client = KafkaAdminClient(
            bootstrap_servers=hosts.split(","), max_in_flight_requests_per_connection=1000,
            receive_message_max_bytes=300_000_000,
        )  # fmt: skip
        manager = client._manager

        async def ask() -> None:
            first = [
                manager.send(request)
                for request in (
                    MetadataRequest(topics=None),
                    requests.ListPartitionReassignmentsRequest(topics=None),
                    ApiVersionsRequest(client_software_name="bench", client_software_version="1"),
                    requests.DescribeClusterRequest(include_fenced_brokers=True),
                )
            ]
            names = [topic.name for topic in (await first[0]).topics]
            for answer in first[1:]:
                await answer
            del first
            keys = ["min.insync.replicas", "unclean.leader.election.enable", "leader.replication.throttled.replicas",
                    "follower.replication.throttled.replicas"]  # fmt: skip
            later = [manager.send(configs(4, [str(b)], keys), node_id=b) for b in range(BROKERS)]
            later += [manager.send(configs(2, names[at : at + 500], keys)) for at in range(0, len(names), 500)]
            later += [manager.send(requests.DescribeLogDirsRequest(topics=None), node_id=b) for b in range(BROKERS)]
            while later:
                await later.pop(0)

        manager.run(ask)
        client.close()

    return read


def _reseat(hosts: str) -> Callable[[], None]:
    from reseat.sources.connection import Connection
    from reseat.sources.kafka_admin import read_admin_cluster

    connection = Connection(bootstrap=tuple(hosts.split(",")), timeout_seconds=60.0)

    def read() -> None:
        snapshot = read_admin_cluster(connection)
        if snapshot.layout.partition_count != TOPICS * PARTITIONS or snapshot.not_read:
            raise SystemExit(f"not all was read: {snapshot.layout!r} {snapshot.not_read}")

    return read


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _measure(read: Callable[[], None]) -> None:
    before = _peak()
    start, worked = time.perf_counter(), time.process_time()
    read()
    told = {
        "seconds": time.perf_counter() - start,
        "worked": time.process_time() - worked,
        "megabytes": _peak() - before,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        _serve()
    else:
        _measure({"bare": _bare, "reseat": _reseat}[sys.argv[1]](sys.argv[2]))
