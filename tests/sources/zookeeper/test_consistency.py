"""A reading is called consistent only where all of it was true at one moment: against a writer that changes pairs.

The writer changes two nodes far apart in one transaction, between the reader's requests. A reading that holds the old
of one and the new of the other mixes two moments.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kazoo.client import KazooClient

from reseat.model import NOT_TOLD, Consistency, Snapshot
from reseat.sources.progress import ReadingProgress
from reseat.sources.zookeeper import read_zookeeper_cluster
from reseat.sources.zookeeper.consistency import ROUNDS, Span
from tests.servers.zookeeper import ZooKeeperServer
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, state, writer

#: Enough that the last state is asked for after the first ones are reported.
PARTITIONS = 600
FIRST, LAST = "/brokers/topics/a/partitions/0/state", "/brokers/topics/z/partitions/0/state"


class Writer:
    """Changes pairs of nodes, each pair in one transaction, that a reading asks for at different times."""

    def __init__(self, client: KazooClient) -> None:
        self._client = client
        self._count = 0

    def leaders(self) -> None:
        """A new leader epoch of the first and of the last partition."""
        self._count += 1
        epoch = encoded(state(1, [1], self._count))
        self._commit({FIRST: epoch, LAST: epoch})

    def rack(self) -> None:
        """Broker 1 gets another rack, and a partition another epoch."""
        self._count += 1
        self._commit(
            {
                "/brokers/ids/1": encoded(registration(1, str(self._count))),
                "/brokers/topics/y/partitions/0/state": encoded(state(1, [1], self._count)),
            }
        )

    def topic(self) -> None:
        """Topic b comes or goes, and an override says which."""
        there = self._client.exists("/brokers/topics/b") is not None
        self._commit(
            {
                "/brokers/topics/b": None if there else b'{"version":1,"partitions":{"0":[1]}}',
                "/config/topics/y": encoded({"config": {"unclean.leader.election.enable": str(not there)}}),
            }
        )

    def broker(self) -> None:
        """Broker 9 registers or ends, and a partition's leader says which."""
        there = self._client.exists("/brokers/ids/9") is not None
        self._commit(
            {
                "/brokers/ids/9": None if there else encoded(registration(9)),
                "/brokers/topics/x/partitions/0/state": encoded(state(1 if there else 9, [1])),
            }
        )

    def configs(self) -> None:
        """The cluster's default and a topic's override change together."""
        self._count += 1
        value = encoded({"version": 1, "config": {"min.insync.replicas": str(self._count)}})
        self._commit({"/config/brokers/<default>": value, "/config/topics/z": value})

    def missing(self) -> None:
        """A partition's state comes or goes, and another's epoch says which."""
        path = "/brokers/topics/a/partitions/1/state"
        there = self._client.exists(path) is not None
        self._commit(
            {
                path: None if there else encoded(state(1, [1])),
                "/brokers/topics/z/partitions/1/state": encoded(state(1, [1], 0 if there else 1)),
            }
        )

    def _commit(self, values: Mapping[str, bytes | None]) -> None:
        changes = self._client.transaction()
        for path, value in values.items():
            if value is None:
                changes.delete(path)
            elif self._client.exists(path) is None:
                changes.create(path, value)
            else:
                changes.set_data(path, value)
        for result in changes.commit():
            if isinstance(result, Exception):
                raise result


def encoded(value: object) -> bytes:
    """JSON as Kafka writes it."""
    return json.dumps(value).encode()


@pytest.fixture(scope="module")
def cluster(zookeeper: ZooKeeperServer) -> Iterator[tuple[ZooKeeperServer, Writer]]:
    """A cluster with a topic at each end of the reading, and many partitions between them."""
    with writer(zookeeper, "/pairs") as client:
        put(client, "/brokers/ids/1", registration(1, "0"))
        put(client, "/config/brokers/<default>", {"version": 1, "config": {"min.insync.replicas": "1"}})
        put(client, "/config/topics/z", {"version": 1, "config": {"min.insync.replicas": "1"}})
        put(client, "/config/topics/y", {"version": 1, "config": {"unclean.leader.election.enable": "False"}})
        put_topic(client, "a", {0: [1], 1: [1]}, states={0: (1, [1])})
        client.create("/brokers/topics/a/partitions/1")
        put_topic(client, "m", {p: [1] for p in range(PARTITIONS)}, states={})
        client.create("/brokers/topics/m/partitions")
        changes = client.transaction()
        for partition in range(PARTITIONS):
            path = f"/brokers/topics/m/partitions/{partition}"
            changes.create(path)
            changes.create(f"{path}/state", encoded(state(1, [1])))
        changes.commit()
        put_topic(client, "x", {0: [1]})
        put_topic(client, "y", {0: [1]})
        put_topic(client, "z", {0: [1], 1: [1]})
        yield zookeeper, Writer(client)


def read(server: ZooKeeperServer, between: Callable[[ReadingProgress], None]) -> Snapshot:
    """Read the cluster and do something at every report of progress, which is between two requests."""
    return read_zookeeper_cluster(connection_to(server, "/pairs"), report=between)


def mixes(snapshot: Snapshot) -> list[str]:
    """Pairs of which a snapshot holds the old of one and the new of the other."""
    layout = snapshot.layout
    epoch = {layout.name_of(row): int(layout.leader_epoch[row]) for row in range(layout.partition_count)}
    leader = {layout.name_of(row): int(layout.leader_ids[row]) for row in range(layout.partition_count)}
    told = snapshot.topic_configs
    found = {
        "leaders": epoch["a-0"] != epoch["z-0"],
        "rack": layout.brokers[0].rack != str(epoch["y-0"]),
        "topic": ("b" in layout.topics) != (told["y"]["unclean.leader.election.enable"] == "True"),
        "broker": (9 in snapshot.facts["alive_brokers"]) != (leader["x-0"] == 9),  # type: ignore[operator]
        "configs": snapshot.broker_configs[1]["min.insync.replicas"] != told["z"]["min.insync.replicas"],
        "missing": (leader["a-1"] == NOT_TOLD) != (epoch["z-1"] == 0),
    }
    return [name for name, mixed in found.items() if mixed]


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is reported after every tenth of a pass, so that there is much to write between."""
    monkeypatch.setattr("reseat.sources.zookeeper.reading.REPORT_EVERY", PARTITIONS // 10)


@pytest.mark.usefixtures("often")
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    written=st.dictionaries(
        st.integers(2, 40),
        st.sampled_from(["leaders", "rack", "topic", "broker", "configs", "missing"]),
        min_size=1,
        max_size=4,
    )
)
def test_a_consistent_reading_never_mixes_two_moments(
    cluster: tuple[ZooKeeperServer, Writer], written: Mapping[int, str]
) -> None:
    """Whatever is written at whichever reports of progress: consistent means that every pair is of one moment."""
    server, pairs = cluster
    reports = itertools.count()

    def between(_: ReadingProgress) -> None:
        name = written.get(next(reports))
        if name is not None:
            getattr(pairs, name)()

    snapshot = read(server, between)

    if snapshot.consistency is Consistency.CONSISTENT:
        assert mixes(snapshot) == []
        assert snapshot.unsettled == ()


@pytest.mark.usefixtures("often")
def test_one_change_in_the_middle_is_read_again(cluster: tuple[ZooKeeperServer, Writer]) -> None:
    """A change after the first state was read and before the last: looked at again, and consistent."""
    server, pairs = cluster
    steps: list[str] = []

    def between(progress: ReadingProgress) -> None:
        if progress == ReadingProgress("partition states", PARTITIONS // 10, progress.total):
            pairs.leaders()
        steps.append(progress.step)

    snapshot = read(server, between)

    assert "partition states, a second time" in steps
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

    def between(progress: ReadingProgress) -> None:
        pairs.leaders()
        if progress.step == "nodes, a second time" and progress.done == 0:
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
