"""Reading a cluster of 10,000 topics and 100,000 partitions from a real ZooKeeper, beside bare kazoo in the same run.

The yardstick asks for exactly the nodes that Reseat asks for, with kazoo as it comes: ``get_async`` with a thousand
requests in flight, answers taken in order and thrown away. Both are processes of their own and take turns, since the
machine is shared; the best time and the largest memory of each count. Memory is the growth of the peak over what the
process held once its modules were loaded. The ZooKeeper runs alone, from the jars that PySpark brings. Nothing is
asserted.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

TOPICS = 10_000
PARTITIONS = 10
BROKERS = 60
ROUNDS = 3
#: A tenth of the topics have overrides, as a guess at real clusters.
CONFIGURED = TOPICS // 10
IN_FLIGHT = 1_000
#: Nodes made by one transaction; ZooKeeper takes at most 1 MB at once.
_AT_ONCE = 1_500


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    from tests.servers.zookeeper import start_zookeeper

    with tempfile.TemporaryDirectory() as folder:
        server = start_zookeeper(Path(folder), heap="1g")
        try:
            _make(server.hosts)
            rounds = [[_in_process(what, server.hosts) for what in ("bare", "reseat")] for _ in range(ROUNDS)]
        finally:
            server.stop()
    bare, reseat = (
        {"seconds": min(r[i]["seconds"] for r in rounds), "megabytes": max(r[i]["megabytes"] for r in rounds)}
        for i in (0, 1)
    )
    requests = rounds[0][1]["requests"]
    ratio = reseat["seconds"] / bare["seconds"]
    return [
        (f"bare kazoo, {requests:,.0f} requests in flight by the thousand", "", _figures(bare)),
        (
            f"read {TOPICS:,} topics, {TOPICS * PARTITIONS:,} partitions",
            f"1.5 x bare: {1.5 * bare['seconds']:.1f} s",
            f"{_figures(reseat)}, {ratio:.2f} x bare",
        ),
    ]


def _figures(measured: dict[str, float]) -> str:
    return f"{measured['seconds']:.1f} s, {measured['megabytes']:.0f} MB"


def _in_process(what: str, hosts: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.bench_zookeeper", what, hosts], capture_output=True, text=True, check=True
    )
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def _nodes() -> Iterator[tuple[str, bytes]]:
    """Every node of the made-up cluster with what it holds, parents first."""
    for path in (
        "/brokers",
        "/brokers/ids",
        "/brokers/topics",
        "/config",
        "/config/topics",
        "/config/brokers",
        "/admin",
    ):
        yield path, b""
    yield "/cluster", b""
    yield "/cluster/id", b'{"version":"1","id":"benchmark"}'
    yield "/controller", b'{"version":1,"brokerid":0,"timestamp":"0"}'
    yield "/controller_epoch", b"1"
    yield "/admin/delete_topics", b""
    for broker in range(BROKERS):
        # Only a TLS endpoint: what brokers themselves would tell is no part of this measurement.
        told = {"version": 4, "host": f"broker-{broker}", "port": 9092, "rack": f"rack-{broker % 6}"}
        told |= {"endpoints": [f"SSL://broker-{broker}:9092"], "listener_security_protocol_map": {"SSL": "SSL"}}
        yield f"/brokers/ids/{broker}", json.dumps(told).encode()
    for topic in range(TOPICS):
        path = f"/brokers/topics/topic-{topic:05d}"
        lists = {
            str(p): [(topic + p) % BROKERS, (topic + p + 7) % BROKERS, (topic + p + 13) % BROKERS]
            for p in range(PARTITIONS)
        }
        yield (
            path,
            json.dumps({"version": 2, "partitions": lists, "adding_replicas": {}, "removing_replicas": {}}).encode(),
        )
        yield f"{path}/partitions", b""
        for p, ids in lists.items():
            yield f"{path}/partitions/{p}", b""
            state = {"controller_epoch": 1, "leader": ids[0], "version": 1, "leader_epoch": 3, "isr": ids}
            yield f"{path}/partitions/{p}/state", json.dumps(state, separators=(",", ":")).encode()
        if topic < CONFIGURED:
            yield (
                f"/config/topics/topic-{topic:05d}",
                b'{"version":1,"config":{"min.insync.replicas":"2","retention.ms":"86400000"}}',
            )


def _make(hosts: str) -> None:
    from kazoo.client import KazooClient

    client = KazooClient(hosts)
    client.start()
    waiting: deque[object] = deque()
    transaction, held = client.transaction(), 0
    for path, data in _nodes():
        transaction.create(path, data)
        held += 1
        if held == _AT_ONCE:
            waiting.append(transaction.commit_async())
            transaction, held = client.transaction(), 0
            if len(waiting) > 4:
                _made(waiting.popleft())
    waiting.append(transaction.commit_async())
    while waiting:
        _made(waiting.popleft())
    client.stop()
    client.close()


def _made(answer: object) -> None:
    for made in answer.get():  # type: ignore[attr-defined]
        if isinstance(made, Exception):
            raise made


def _bare(hosts: str) -> dict[str, float]:
    """The same requests as Reseat's first pass, by kazoo alone."""
    from kazoo.client import KazooClient
    from kazoo.exceptions import NoNodeError

    paths = [
        *(path for path, _ in _nodes() if path.endswith("/state")),
        *(f"/brokers/topics/topic-{topic:05d}" for topic in range(TOPICS)),
        *(f"/config/topics/topic-{topic:05d}" for topic in range(CONFIGURED)),
        *(f"/brokers/ids/{broker}" for broker in range(BROKERS)),
        *("/controller", "/controller_epoch", "/cluster/id", "/admin/reassign_partitions"),
    ]
    lists = ["/brokers/ids", "/brokers/topics", "/config/topics", "/config/brokers", "/admin/delete_topics"]
    before = _peak()
    started = time.perf_counter()
    client = KazooClient(hosts)
    client.start()
    waiting = deque(client.get_children_async(path, include_data=True) for path in lists)
    for path in paths:
        if len(waiting) >= IN_FLIGHT:
            waiting.popleft().get()
        waiting.append(client.get_async(path))
    while waiting:
        try:
            waiting.popleft().get()
        except NoNodeError:
            continue  # nothing is being reassigned
    seconds = time.perf_counter() - started
    client.stop()
    client.close()
    return {"seconds": seconds, "megabytes": _peak() - before, "requests": len(paths) + len(lists)}


def _reseat(hosts: str) -> dict[str, float]:
    import numpy as np

    import reseat.sources.zookeeper.reading
    import reseat.sources.zookeeper.snapshot
    from reseat.sources.connection import Connection
    from reseat.sources.zookeeper.client import close_client, open_reading_client
    from reseat.sources.zookeeper.read_only import ReadingClient

    np.zeros(1)
    connection = Connection(zookeeper=(hosts,))
    close_client(open_reading_client(connection))
    asked = [0]
    sent = ReadingClient._call

    def counting(self: ReadingClient, request: object, answer: object) -> object:
        asked[0] += 1
        return sent(self, request, answer)

    ReadingClient._call = counting  # type: ignore[method-assign]
    before = _peak()
    started = time.perf_counter()
    snapshot = reseat.sources.zookeeper.reading.read(connection)
    seconds = time.perf_counter() - started
    if snapshot.layout.partition_count != TOPICS * PARTITIONS or snapshot.consistency.value != "consistent":
        raise RuntimeError(f"not what was made: {snapshot.layout}, {snapshot.consistency.value}")
    return {"seconds": seconds, "megabytes": _peak() - before, "requests": asked[0]}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    print(json.dumps({"bare": _bare, "reseat": _reseat}[sys.argv[1]](sys.argv[2])))
