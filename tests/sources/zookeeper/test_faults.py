"""The connection is lost, ZooKeeper stands still or somebody stops the reading in the middle of it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator

import pytest

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.progress import ReadingProgress
from reseat.sources.zookeeper import read_zookeeper_cluster
from reseat.sources.zookeeper.reading import REPORT_EVERY
from tests.servers.zookeeper import ZooKeeperServer, start_zookeeper
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, state, writer

PARTITIONS = 3_000


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperServer]:
    """A ZooKeeper of its own, to be ill-treated, with a few thousand partitions."""
    server = start_zookeeper(tmp_path_factory.mktemp("ill-treated"))
    try:
        with writer(server) as client:
            put(client, "/brokers/ids/1", registration(1))
            put_topic(client, "orders", {p: [1] for p in range(PARTITIONS)}, states={})
            client.create("/brokers/topics/orders/partitions")
            for start in range(0, PARTITIONS, 1_000):
                changes = client.transaction()
                for partition in range(start, start + 1_000):
                    path = f"/brokers/topics/orders/partitions/{partition}"
                    changes.create(path)
                    changes.create(f"{path}/state", json.dumps(state(1, [1])).encode())
                changes.commit()
        yield server
    finally:
        server.stop(kill=True)


@pytest.fixture
def filled(made: ZooKeeperServer) -> ZooKeeperServer:
    """The same server, running, whatever the test before did to it."""
    made.thaw()
    if made.process is None:
        made.start_again()
    return made


def in_the_middle(progress: ReadingProgress) -> bool:
    """Whether states are asked for, and few are read: what a busy machine tells later may be all but the last."""
    return progress.step == "partition states" and progress.done < PARTITIONS // 4


@pytest.mark.parametrize("answered", [0, REPORT_EVERY])
def test_a_server_that_dies_in_the_middle_ends_the_reading(filled: ZooKeeperServer, answered: int) -> None:
    """Lost, at once: also where nothing was in flight when it died, for what is asked then waits to be sent."""
    died: list[float] = []

    def report(progress: ReadingProgress) -> None:
        if in_the_middle(progress) and progress.done >= answered and not died:
            filled.stop(kill=True)
            died.append(time.monotonic())

    with pytest.raises(ClusterUnreachable) as caught:
        read_zookeeper_cluster(connection_to(filled, timeout_seconds=60.0), report=report)

    assert time.monotonic() - died[0] < 15
    assert caught.value.reason == "lost"
    assert "was lost while it was read" in str(caught.value)


def test_a_server_that_came_back_is_read_again(made: ZooKeeperServer) -> None:
    """After a restart the next reading is whole."""
    made.stop()
    with pytest.raises(ClusterUnreachable) as caught:
        read_zookeeper_cluster(connection_to(made))
    made.start_again()

    snapshot = read_zookeeper_cluster(connection_to(made))

    assert caught.value.reason == "refused"
    assert snapshot.layout.partition_count == PARTITIONS


def test_a_server_that_stands_still_ends_the_patience(filled: ZooKeeperServer) -> None:
    """Frozen with its connections open: lost once the patience is over, and not later by much."""
    frozen: list[float] = []

    def report(progress: ReadingProgress) -> None:
        if in_the_middle(progress) and not frozen:
            filled.freeze()
            frozen.append(time.monotonic())

    with pytest.raises(ClusterUnreachable) as caught:
        read_zookeeper_cluster(connection_to(filled, timeout_seconds=1.0), report=report)
    waited = time.monotonic() - frozen[0]
    filled.thaw()

    assert caught.value.reason == "lost"
    assert waited < 8


@pytest.mark.parametrize("step", ["ZooKeeper", "topics", "partition states"])
def test_a_reading_is_stopped_between_requests(filled: ZooKeeperServer, step: str) -> None:
    """Cancelled at the start, while topics and while states are read; nothing further is reported."""
    stop = threading.Event()
    after: list[ReadingProgress] = []

    def report(progress: ReadingProgress) -> None:
        if stop.is_set():
            after.append(progress)
        if progress.step == step:
            stop.set()

    with pytest.raises(Cancelled):
        read_zookeeper_cluster(connection_to(filled), report=report, cancelled=stop)

    assert after == []
