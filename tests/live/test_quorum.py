"""Controllers of a real 4.4 that are no brokers, in a dynamic quorum: read as Kafka's own tool tells them."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest

from reseat.balance.board import board_data
from reseat.balance.quorum import quorum_in_words
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.model import Finding, Quorum, Snapshot, Wish
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin import read_admin_cluster
from tests.conftest import missing
from tests.servers import cluster as servers

pytestmark = pytest.mark.kafka

CONTROLLERS = (101, 102, 103)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.KafkaCluster]:
    """One broker and three controllers."""
    what = servers.missing()
    if what:
        missing("kafka", what)
    started = servers.start("kraft-4.4", tmp_path_factory.mktemp("quorum"), {1: "a"}, controllers=CONTROLLERS)
    try:
        yield started
    finally:
        started.stop()


def read(cluster: servers.KafkaCluster) -> Snapshot:
    """The cluster as it is now."""
    return read_admin_cluster(Connection(bootstrap=(cluster.bootstrap,), timeout_seconds=20.0))


def told(snapshot: Snapshot) -> Quorum:
    """Its quorum, which must be told."""
    assert snapshot.quorum is not None
    return snapshot.quorum


def found(snapshot: Snapshot) -> list[Finding]:
    """What is found of it, without what the disk that tests run on is told to lack."""
    return [one for one in snapshot.findings if one.kind != "log_dir_full"]


def awaited(cluster: servers.KafkaCluster, so: Callable[[Snapshot], bool]) -> Snapshot:
    """The first reading of which something is so, within a minute."""
    until = time.monotonic() + 60
    while not so(snapshot := read(cluster)):
        assert time.monotonic() < until, snapshot.findings
        time.sleep(0.3)  # a server in another process: nothing tells when it is so far
    return snapshot


def test_voters_and_observers_are_those_of_kafkas_own_tool(cluster: servers.KafkaCluster) -> None:
    """Who leads, who votes, who follows, that it is dynamic; no controller is a broker, and the file has it all."""
    snapshot = read(cluster)
    quorum = told(snapshot)
    status = cluster.tool("quorum", "describe", "--status")

    assert str(quorum.leader) == re.findall(r"LeaderId:\s+(\d+)", status)[0]
    assert snapshot.controller == quorum.leader
    assert quorum.voter_ids == CONTROLLERS
    assert [voter.host for voter in quorum.voters] == ["127.0.0.1"] * 3
    assert [one.id for one in quorum.observers] == [1]
    assert quorum.dynamic
    assert [broker.id for broker in snapshot.layout.brokers] == [1]
    assert board_data(snapshot.layout, Wish(), None, snapshot.log_dirs, quorum.voter_ids)["brokers"]["id"] == [1]
    assert not found(snapshot)
    assert quorum_in_words(quorum).startswith("dynamic quorum of 3 voters (101, 102 and 103)")
    assert read_snapshot(write_snapshot(snapshot)).quorum == quorum


def test_a_controller_that_is_killed_is_found_follower_or_leader(cluster: servers.KafkaCluster) -> None:
    """A follower by its lag, a leader by what the next one has heard of it; both are well again once they are up."""
    leader = told(read(cluster)).leader
    assert leader is not None
    follower = next(one for one in CONTROLLERS if one != leader)

    cluster.stop_broker(follower, kill=True)
    late = awaited(cluster, lambda snapshot: bool(found(snapshot)))
    assert [(one.kind, one.brokers) for one in found(late)] == [("quorum_voter_behind", (follower,))]
    assert "has not caught up for" in found(late)[0].sentence
    cluster.start_broker(follower)
    awaited(cluster, lambda snapshot: not found(snapshot))

    cluster.stop_broker(leader, kill=True)
    lost = awaited(cluster, lambda now: [one.brokers for one in found(now)] == [(leader,)])
    assert f"since {lost.controller} leads" in found(lost)[0].sentence
    cluster.start_broker(leader)
    awaited(cluster, lambda snapshot: not found(snapshot))
