"""A reading is called consistent only where all of it was true at one moment: against a writer that changes pairs.

The writer changes two nodes far apart in one transaction, between the reader's requests. A reading that holds the old
of one and the new of the other mixes two moments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kazoo.client import KazooClient

from reseat.model import Consistency, Snapshot
from reseat.sources.live import Progress
from reseat.sources.zookeeper import read_zookeeper_cluster
from reseat.sources.zookeeper.consistency import ROUNDS, Span
from tests.servers.zookeeper import ZooKeeperServer
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, state, writer

#: Enough that the last state is asked for after the first ones are reported.
PARTITIONS = 2_000
FIRST, LAST = "/brokers/topics/a/partitions/0/state", "/brokers/topics/z/partitions/0/state"


class Writer:
    """Changes pairs of nodes, each pair in one transaction."""

    def __init__(self, client: KazooClient) -> None:
        self._client = client
        self._epoch = 0

    def leaders(self) -> None:
        """A new leader epoch of the first and of the last partition."""
        self._epoch += 1
        changes = self._client.transaction()
        for path in (FIRST, LAST):
            changes.set_data(path, json.dumps(state(1, [1], self._epoch)).encode())
        self._commit(changes)

    def topics(self) -> None:
        """Two topics come or go together."""
        changes = self._client.transaction()
        for name in ("b", "y"):
            if self._client.exists(f"/brokers/topics/{name}"):
                changes.delete(f"/brokers/topics/{name}")
            else:
                changes.create(f"/brokers/topics/{name}", b'{"version":1,"partitions":{"0":[1]}}')
        self._commit(changes)

    def broker(self) -> None:
        """Broker 9 registers and becomes the controller, or both end."""
        gone = self._client.exists("/brokers/ids/9") is None
        changes = self._client.transaction()
        if gone:
            changes.create("/brokers/ids/9", json.dumps(registration(9)).encode(), ephemeral=True)
        else:
            changes.delete("/brokers/ids/9")
        changes.set_data("/controller", b'{"version":1,"brokerid":%d}' % (9 if gone else 1))
        self._commit(changes)

    def configs(self) -> None:
        """The cluster's default and a topic's override change together, or the override is made or removed."""
        value = json.dumps({"version": 1, "config": {"min.insync.replicas": str(self._epoch + 1)}}).encode()
        changes = self._client.transaction()
        changes.set_data("/config/brokers/<default>", value)
        changes.set_data("/config/topics/z", value)
        self._commit(changes)

    def _commit(self, changes: object) -> None:
        for result in changes.commit():  # type: ignore[attr-defined]
            if isinstance(result, Exception):
                raise result


@pytest.fixture(scope="module")
def cluster(zookeeper: ZooKeeperServer) -> Iterator[tuple[ZooKeeperServer, Writer]]:
    """A cluster with a topic at each end of the reading, and many partitions between them."""
    with writer(zookeeper, "/pairs") as client:
        put(client, "/brokers/ids/1", registration(1))
        put(client, "/controller", {"version": 1, "brokerid": 1})
        put(client, "/config/brokers/<default>", {"version": 1, "config": {"min.insync.replicas": "1"}})
        put(client, "/config/topics/z", {"version": 1, "config": {"min.insync.replicas": "1"}})
        put_topic(client, "a", {0: [1]})
        put_topic(client, "m", {p: [1] for p in range(PARTITIONS)}, states={})
        client.create("/brokers/topics/m/partitions")
        for start in range(0, PARTITIONS, 1_000):
            changes = client.transaction()
            for partition in range(start, start + 1_000):
                path = f"/brokers/topics/m/partitions/{partition}"
                changes.create(path)
                changes.create(f"{path}/state", json.dumps(state(1, [1])).encode())
            changes.commit()
        put_topic(client, "z", {0: [1]})
        yield zookeeper, Writer(client)


def read(server: ZooKeeperServer, between: Callable[[Progress], None]) -> Snapshot:
    """Read the cluster and do something at every report of progress, which is between two requests."""
    return read_zookeeper_cluster(connection_to(server, "/pairs"), report=between)


def mixes(snapshot: Snapshot) -> list[str]:
    """Pairs of which a snapshot holds the old of one and the new of the other."""
    layout = snapshot.layout
    first, last = layout.row("a", 0), layout.row("z", 0)
    assert first is not None
    assert last is not None
    default = snapshot.broker_configs[1]["min.insync.replicas"]
    found = {
        "leaders": layout.leader_epoch[first] != layout.leader_epoch[last],
        "topics": ("b" in layout.topics) != ("y" in layout.topics),
        "broker": (9 in snapshot.facts["alive_brokers"]) != (snapshot.controller == 9),  # type: ignore[operator]
        "configs": snapshot.topic_configs["z"]["min.insync.replicas"] != default,
    }
    return [name for name, mixed in found.items() if mixed]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    schedule=st.lists(
        st.sampled_from([None, None, None, "leaders", "topics", "broker", "configs"]), min_size=1, max_size=30
    )
)
def test_a_consistent_reading_never_mixes_two_moments(
    cluster: tuple[ZooKeeperServer, Writer], schedule: Sequence[str | None]
) -> None:
    """Whatever is written between whichever requests: consistent means that every pair is of one moment."""
    server, pairs = cluster
    left = iter(schedule)

    def between(_: Progress) -> None:
        name = next(left, None)
        if name is not None:
            getattr(pairs, name)()

    snapshot = read(server, between)

    if snapshot.consistency is Consistency.CONSISTENT:
        assert mixes(snapshot) == []
        assert snapshot.unsettled == ()


def test_one_change_in_the_middle_is_read_again(cluster: tuple[ZooKeeperServer, Writer]) -> None:
    """A change after the first state was read and before the last: looked at again, and consistent."""
    server, pairs = cluster
    steps: list[str] = []

    def between(progress: Progress) -> None:
        if progress == Progress("partition states", 500, progress.total):
            pairs.leaders()
        steps.append(progress.step)

    snapshot = read(server, between)

    assert "looking again at partition states" in steps
    assert snapshot.consistency is Consistency.CONSISTENT
    assert mixes(snapshot) == []


def test_a_quiet_cluster_is_read_once(cluster: tuple[ZooKeeperServer, Writer]) -> None:
    """Where nothing changes nothing is looked at again."""
    steps: list[str] = []

    snapshot = read(cluster[0], lambda progress: steps.append(progress.step))

    assert snapshot.consistency is Consistency.CONSISTENT
    assert not [step for step in steps if "again" in step]


def test_topics_that_never_settle_are_named(cluster: tuple[ZooKeeperServer, Writer]) -> None:
    """A change at every report: unsettled, and the topics that changed are named, no other."""
    server, pairs = cluster
    rounds: list[int] = []

    def between(progress: Progress) -> None:
        pairs.leaders()
        if progress.step == "looking again" and progress.done == 0:
            rounds.append(1)

    snapshot = read(server, between)

    assert snapshot.consistency is Consistency.UNSETTLED
    assert set(snapshot.unsettled) <= {"a", "z"}
    assert snapshot.unsettled
    assert len(rounds) == ROUNDS


def test_spans_hold_where_they_have_a_moment_in_common() -> None:
    """The newest change no later than the least floor; equal is enough."""
    assert Span(newest=7, floor=7).holds
    assert Span(newest=0, floor=7).holds
    assert not Span(newest=8, floor=7).holds
