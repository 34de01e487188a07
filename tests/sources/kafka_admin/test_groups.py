"""Groups of real clusters: consumers that read, a group that went away, and one of the newer protocol."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from kafka import KafkaConsumer, KafkaProducer
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.protocol.metadata import FindCoordinatorRequest
from kafka.structs import OffsetAndMetadata, TopicPartition

from reseat.consumers import assignor_named
from reseat.consumers.events import Leave, Rebalance
from reseat.consumers.rebalancing import play
from reseat.errors import ClusterUnreachable
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.client import AdminClient, open_admin
from reseat.sources.kafka_admin.groups import LiveGroup, Tasks
from reseat.sources.kafka_admin.groups.reading import describe_group, list_groups, state_of
from tests.conftest import missing
from tests.servers import cluster as servers
from tests.servers.streams_member import StreamsMember

pytestmark = pytest.mark.kafka

RECORDS = 12


@pytest.fixture(
    scope="module", params=["zookeeper-2.8", pytest.param("kraft-4.1", marks=pytest.mark.slow), "kraft-4.4"]
)
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[servers.KafkaCluster]:
    """Two brokers, a topic of four partitions with three records each."""
    reason = servers.missing()
    if reason:
        missing("kafka", reason)
    running = servers.start(request.param, tmp_path_factory.mktemp("groups"), {1: "a", 2: "b"}, apart=())
    try:
        running.tool("topics", "--create", "--topic", "orders", "--partitions", "4", "--replication-factor", "2")
        producer = KafkaProducer(bootstrap_servers=running.bootstrap)
        for number in range(RECORDS):
            producer.send("orders", b"a record", partition=number % 4)
        producer.flush(60)
        producer.close()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def admin(cluster: servers.KafkaCluster) -> Iterator[AdminClient]:
    """An open connection."""
    with open_admin(Connection(name="live", bootstrap=tuple(cluster.bootstrap.split(",")))) as opened:
        yield opened


def consumer(cluster: servers.KafkaCluster, group: str, client: str, **settings: object) -> KafkaConsumer:
    """A consumer of orders that commits by hand."""
    made = KafkaConsumer(
        bootstrap_servers=cluster.bootstrap,
        group_id=group,
        client_id=client,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        **settings,
    )
    made.subscribe(["orders"])
    return made


def until(done: Callable[[], bool], what: str, seconds: float = 180) -> None:
    """Wait for a condition."""
    end = time.monotonic() + seconds
    pause = threading.Event()
    while not done():
        assert time.monotonic() < end, what
        pause.wait(0.1)


def together(consumers: list[KafkaConsumer], sizes: list[int]) -> None:
    """Poll until each has as many partitions as it should.

    All poll at once, as members of a group do: one that waits for its turn while another polls holds up the rebalance,
    and on a slow machine long enough to be thrown out of the group.
    """
    with ThreadPoolExecutor(len(consumers)) as pool:

        def settled() -> bool:
            list(pool.map(lambda one: one.poll(1_000), consumers))
            return sorted(len(one.assignment()) for one in consumers) == sizes

        until(settled, "the group did not settle", seconds=180)


def test_a_group_that_reads(cluster: servers.KafkaCluster, admin: AdminClient) -> None:
    """Members with client, host, subscription and what they own; lag is the end less what was committed."""
    settings = {"partition_assignment_strategy": [CooperativeStickyAssignor]}
    pair = [consumer(cluster, "cooperating", "one", **settings)]
    try:
        together(pair, [4])
        pair[0].commit({TopicPartition("orders", 0): OffsetAndMetadata(1, "", -1)})
        pair.append(consumer(cluster, "cooperating", "two", **settings))  # so that the first has something to keep
        together(pair, [2, 2])
        group = describe_group(admin, "cooperating")
        listing = list_groups(admin)
    finally:
        for one in pair:
            one.close()

    assert (group.kind, group.state, group.assignor) == ("classic", "Stable", "cooperative-sticky")
    assert sorted(member.client_id for member in group.members) == ["one", "two"]
    assert {member.host for member in group.members} == {"127.0.0.1"}
    assert all(member.topics == ("orders",) for member in group.members)
    assert sorted(p for member in group.members for p in member.assignment) == [("orders", n) for n in range(4)]
    assert sum(len(member.owned) for member in group.members) > 0
    assert group.lag == {("orders", 0): 2}
    assert group.partitions == {"orders": 4}
    assert group.problems == ()
    assert [(one.name, one.kind, one.state) for one in listing.groups if one.name == "cooperating"] == [
        ("cooperating", "classic", "Stable")
    ]
    assert listing.not_read == ()


def test_what_another_assignor_would_give_is_told_from_a_live_group(
    cluster: servers.KafkaCluster, admin: AdminClient
) -> None:
    """The group as read begins a story: sticky keeps everything, and a member that leaves is followed by two moves."""
    settings = {"partition_assignment_strategy": [RangePartitionAssignor]}
    pair = [consumer(cluster, "ranging", "one", **settings)]
    try:
        together(pair, [4])
        pair.append(consumer(cluster, "ranging", "two", **settings))
        together(pair, [2, 2])
        group: LiveGroup = describe_group(admin, "ranging")
    finally:
        for one in pair:
            one.close()
    state, notes = state_of(group)
    first = group.members[0].id
    again, left = play(state, [Rebalance(), Leave(first)], assignor_named("sticky"))

    assert notes == ()
    assert group.assignor == "range"
    assert again.moved == ()
    assert len(left.moved) == 2


def test_a_group_without_members_has_offsets_alone(cluster: servers.KafkaCluster, admin: AdminClient) -> None:
    """Its members are gone; what they committed, and the lag, is there."""
    one = consumer(cluster, "gone", "one")
    try:
        together([one], [4])
        one.commit({TopicPartition("orders", n): OffsetAndMetadata(3, "", -1) for n in range(4)})
    finally:
        one.close()
    group = describe_group(admin, "gone")

    assert (group.state, group.members) == ("Empty", ())
    assert set(group.lag.values()) == {0}
    assert len(group.lag) == 4


def test_a_group_that_is_not_there(admin: AdminClient) -> None:
    """Says so; nothing is made by asking."""
    with pytest.raises(ClusterUnreachable, match="There is no such group"):
        describe_group(admin, "no such group")

    assert "no such group" not in [group.name for group in list_groups(admin).groups]


def test_a_group_of_the_consumer_protocol(cluster: servers.KafkaCluster, admin: AdminClient) -> None:
    """KIP-848: described by the newer request, with the brokers' assignor; where there is none, nothing is asked."""
    if cluster.zookeeper is not None:
        assert admin.versions.get(69) is None
        return
    arguments = ("--topic", "orders", "--group", "newer", "--consumer-property", "group.protocol=consumer")
    process = cluster.begin_tool("console-consumer", *arguments, "--from-beginning")
    try:
        until(lambda: any(m.assignment for m in _members(admin, "newer")), "the group did not settle")
        group = describe_group(admin, "newer")
        listed = {one.name: one.kind for one in list_groups(admin).groups}
    finally:
        process.terminate()
        process.wait(30)
    _, notes = state_of(group)

    assert (group.kind, group.state, group.assignor) == ("consumer", "Stable", "uniform")
    assert group.members[0].topics == ("orders",)
    assert sorted(group.members[0].assignment) == [("orders", n) for n in range(4)]
    assert listed["newer"] == "consumer"
    assert "KIP-848" in notes[0]
    assert group.members[0].target == group.members[0].assignment
    assert group.epoch == group.assignment_epoch == group.members[0].generation
    assert group.on_the_way == ()


def test_a_share_group(cluster: servers.KafkaCluster, admin: AdminClient) -> None:
    """KIP-932: one partition may be several members'; how far it is, the coordinator tells: of 4.1 without the lag."""
    if cluster.zookeeper is not None:
        assert admin.versions.get(77) is None
        return
    if cluster.kind == "kraft-4.1":  # a preview there
        cluster.tool("features", "upgrade", "--feature", "share.version=1")
    cluster.tool("topics", "--create", "--topic", "shared", "--partitions", "1", "--replication-factor", "2")
    arguments = ("--topic", "shared", "--group", "sharing")
    processes = [cluster.begin_tool("console-share-consumer", *arguments) for _ in range(2)]
    producer = KafkaProducer(bootstrap_servers=cluster.bootstrap)
    try:
        until(lambda: len(_members(admin, "sharing")) == 2, "the group did not settle")
        until(lambda: _sent(producer) and bool(describe_group(admin, "sharing").committed), "nothing was read")
        group = describe_group(admin, "sharing")
        listed = {one.name: one for one in list_groups(admin).groups}
    finally:
        producer.close()
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)

    assert (group.kind, group.state, group.assignor) == ("share", "Stable", "simple")
    assert [member.assignment for member in group.members] == [(("shared", 0),)] * 2
    assert all(member.target is None and member.generation == group.epoch for member in group.members)
    assert group.problems == ()
    assert set(group.committed) == set(group.ends) == set(group.lag) == {("shared", 0)}
    assert group.lag_at_most == (cluster.kind == "kraft-4.1")
    assert listed["sharing"].kind == "share"
    assert listed["sharing"].consumes


def test_a_streams_group(cluster: servers.KafkaCluster, admin: AdminClient) -> None:
    """KIP-1071: tasks of each member, now and as they are to be, and the partitions that they read."""
    if cluster.kind != "kraft-4.4":
        assert cluster.zookeeper is None or admin.versions.get(89) is None
        return
    coordinator = _coordinator(admin)
    one, other = (StreamsMember(admin, coordinator, "streaming", "orders") for _ in range(2))
    try:
        until(
            lambda: one.beat() == 0, "the coordinator is not there"
        )  # of the one offsets partition, or another broker
        until(lambda: one.beat() == 0 and len(one.active) == 4, "no tasks")
        other.beat()
        until(lambda: other.beat() == 0 and other.epoch > one.epoch, "no second epoch")
        midway = describe_group(admin, "streaming")
        until(lambda: (one.beat(), other.beat()) == (0, 0) and len(other.active) == 2, "no hand-over")
        group = describe_group(admin, "streaming")
    finally:
        one.leave()
        other.leave()
    by_id = {member.id: member for member in midway.members}

    assert (midway.kind, midway.subtopologies) == ("streams", {"0": ("orders",)})
    assert len(by_id[one.id].assignment) == 4
    assert by_id[one.id].target is not None
    assert len(by_id[one.id].target) == 2
    assert by_id[one.id].tasks == Tasks(active=("0_0", "0_1", "0_2", "0_3"))
    assert one.id in midway.on_the_way
    assert sorted(p for member in group.members for p in member.assignment) == [("orders", n) for n in range(4)]
    assert group.on_the_way == ()
    assert group.problems == ()


def _coordinator(admin: AdminClient) -> int:
    """The broker of the one offsets partition, which coordinates every group."""
    told = admin.send(FindCoordinatorRequest(key="any", key_type=0, coordinator_keys=["any"]))
    return int(told.coordinators[0].node_id)


def _sent(producer: KafkaProducer) -> bool:
    """One more record; a share group begins with those that come once a member is there."""
    producer.send("shared", b"a record")
    producer.flush(60)
    return True


def _members(admin: AdminClient, name: str) -> tuple[object, ...]:
    try:
        return describe_group(admin, name).members
    except ClusterUnreachable:
        return ()
