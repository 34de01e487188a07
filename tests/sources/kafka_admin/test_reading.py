"""Reading from brokers that only answer (tests/servers/stub_kafka.py): what a real cluster does not show on request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from kafka.protocol import admin as requests
from kafka.protocol.broker_version_data import BROKER_API_VERSIONS
from kafka.protocol.metadata import ApiVersionsRequest, MetadataRequest

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.model import BrokerState, Snapshot
from reseat.sources.connection import Connection
from reseat.sources.in_parts import PARTITIONS_AT_ONCE
from reseat.sources.kafka_admin import read_admin_cluster, reading, reassignments
from reseat.sources.kafka_admin.client import open_admin
from reseat.sources.kafka_admin.eligible import TOPICS_AT_ONCE, read_eligible
from reseat.sources.kafka_admin.log_dirs import describe_log_dirs
from reseat.sources.kafka_admin.reassignments import MOST_TOLD, listings
from reseat.sources.kafka_admin.request_batch import RequestBatch
from reseat.sources.progress import ReadingProgress
from tests.servers.stub_kafka import Part, StubKafka, even

ELR = {"metadata.version": 27, "eligible.leader.replicas.version": 1}
RACKS = {1: "a", 2: "b", 3: None}


def _read(cluster: StubKafka, **choices: Any) -> Snapshot:
    return read_admin_cluster(Connection(bootstrap=cluster.bootstrap, timeout_seconds=10.0), **choices)


@pytest.mark.parametrize(
    "version", [v for v in BROKER_API_VERSIONS if v >= (2, 4)], ids=lambda v: ".".join(map(str, v))
)
def test_every_version_from_2_4_on_is_read(version: tuple[int, ...]) -> None:
    """The set of requests of each version of Kafka from 2.4 on gives the same layout, sizes included."""
    topics = {"orders": {0: Part([1, 2, 3]), 7: Part([2, 3], isr=[3], leader=3)}, "payments": {0: Part([3])}}
    with StubKafka(topics, RACKS, version=version, kraft=version >= (4, 0)) as cluster:
        read = _read(cluster)

    assert read.layout.assignments() == {("orders", 0): [1, 2, 3], ("orders", 7): [2, 3], ("payments", 0): [3]}
    assert read.layout.leader_ids.tolist() == [1, 3, 3]
    assert read.layout.in_sync is not None
    assert read.layout.in_sync.tolist() == [[True, True, True], [False, True, False], [True, False, False]]
    assert read.layout.replica_bytes is not None
    assert np.nansum(read.layout.replica_bytes) == 6_000
    assert [broker.rack for broker in read.layout.brokers] == ["a", "b", None]
    assert read.metadata == ("kraft" if version >= (4, 0) else "zookeeper")
    assert read.version == ".".join(map(str, version))
    assert read.not_read == ()


def test_a_broker_that_never_answers_costs_its_own_part_alone() -> None:
    """One broker hangs at log directories and configurations: the reading ends in time and names it."""

    def hangs(answer: Any, request: Any, broker: int) -> Any:
        asked_by_id = isinstance(request, requests.DescribeConfigsRequest) and request.resources[0].resource_type == 4
        return None if broker == 2 and (asked_by_id or isinstance(request, requests.DescribeLogDirsRequest)) else answer

    changes = {requests.DescribeLogDirsRequest: hangs, requests.DescribeConfigsRequest: hangs}
    with StubKafka(even(3, 2, (1, 2, 3), 2), RACKS, changes=changes) as cluster:
        start = time.monotonic()
        read = read_admin_cluster(Connection(bootstrap=cluster.bootstrap, timeout_seconds=2.0))
        took = time.monotonic() - start

    assert took < 20
    assert read.layout.partition_count == 6
    assert {directory.broker for directory in read.log_dirs} == {1, 3}
    assert [sentence.partition(" are unknown")[0] for sentence in read.not_read] == [
        "Configurations of broker 2",
        "Sizes and log directories of broker 2",
    ]


def test_a_broker_that_has_only_just_started_is_not_believed() -> None:
    """It tells neither brokers nor topics until the controller tells it of them: another is asked instead."""
    asked: list[int] = []

    def knows_none_at_first(answer: Any, request: Any, broker: int) -> Any:
        if request.topics is None:
            asked.append(broker)
            if len(asked) == 1:
                answer.brokers, answer.topics = [], []
        return answer

    with StubKafka(even(3, 2, (1, 2, 3), 2), RACKS, changes={MetadataRequest: knows_none_at_first}) as cluster:
        read = read_admin_cluster(Connection(bootstrap=cluster.bootstrap, timeout_seconds=2.0))

    assert read.layout.partition_count == 6
    assert len(set(asked)) == 2


def test_a_quorum_that_does_not_answer_is_said_and_not_waited_for() -> None:
    """Brokers answer what they know; what controllers alone know is awaited once, and a finding says so."""

    def silent(answer: Any, request: Any, broker: int) -> None:
        return None

    changes = {requests.DescribeQuorumRequest: silent, requests.ListPartitionReassignmentsRequest: silent}
    with StubKafka(even(3, 2, (1, 2, 3), 2), RACKS, features=ELR, changes=changes) as cluster:
        start = time.monotonic()
        read = read_admin_cluster(Connection(bootstrap=cluster.bootstrap, timeout_seconds=3.0))
        took = time.monotonic() - start

    assert took < 2 * 3.0
    assert [finding.kind for finding in read.findings] == ["no_quorum"]
    assert read.findings[0].sentence.startswith("The KRaft controllers do not answer: too few of them are up")
    assert [sentence.partition(":")[0] for sentence in read.not_read] == [
        "The quorum's leader is unknown",
        "Reassignments in progress are unknown",
    ]
    assert not any("overloaded" in sentence for sentence in read.not_read)
    assert not read.under_way_told
    assert read.layout.partition_count == 6


def test_fenced_dead_and_unsure_brokers_are_told_apart() -> None:
    """A fenced broker is listed as such; one that only assignments name is dead, or not told where it may be alive."""
    topics = {
        "orders": {0: Part([1, 8]), 1: Part([2, 9])},
        "elsewhere": {0: Part([7, 1], leader=-1, isr=[7], error=72)},
    }
    with StubKafka(topics, RACKS, fenced={8: "c"}) as cluster:
        read = _read(cluster)

    states = {broker.id: broker.state for broker in read.layout.brokers}
    assert states == {
        1: BrokerState.ALIVE,
        2: BrokerState.ALIVE,
        3: BrokerState.ALIVE,
        7: BrokerState.NOT_TOLD,
        8: BrokerState.FENCED,
        9: BrokerState.DEAD,
    }
    assert [finding.kind for finding in read.findings] == ["leader_on_other_listener"]


def test_contradictions_are_findings() -> None:
    """An ISR member that is no replica, a topic without partitions, and a log on a stranger's disk are each named."""

    def half_made(answer: Any, request: Any, broker: int) -> Any:
        if request.topics is None:
            topic = answer.MetadataResponseTopic
            answer.topics.append(topic(error_code=5, name="half-made", is_internal=False, partitions=[]))
        return answer

    def left_over(answer: Any, request: Any, broker: int) -> Any:
        if broker == 3:
            topic = answer.DescribeLogDirsResult.DescribeLogDirsTopic
            log = topic.DescribeLogDirsPartition(partition_index=0, partition_size=5, offset_lag=0, is_future_key=False)
            answer.results[0].topics.append(topic(name="orders", partitions=[log]))
        return answer

    changes = {MetadataRequest: half_made, requests.DescribeLogDirsRequest: left_over}
    with StubKafka({"orders": {0: Part([1, 2], isr=[1, 3])}}, RACKS, changes=changes) as cluster:
        read = _read(cluster)

    found = {finding.kind: finding for finding in read.findings}
    assert set(found) == {"in_sync_outside_replicas", "replica_left_over", "topic_not_told"}
    assert found["in_sync_outside_replicas"].rows.tolist() == [0]
    assert found["replica_left_over"].brokers == (3,)
    assert found["topic_not_told"].topics == ("half-made",)
    assert "LEADER_NOT_AVAILABLE" in found["topic_not_told"].sentence


def test_an_offline_directory_is_told_with_its_error() -> None:
    """It is listed with Kafka's error, and its broker takes no replica; sizes in the others are there."""

    def offline(answer: Any, request: Any, broker: int) -> Any:
        result = answer.DescribeLogDirsResult
        answer.results.append(result(error_code=56, log_dir="/data/broken", topics=[], total_bytes=-1, usable_bytes=-1))
        return answer

    changes = {requests.DescribeLogDirsRequest: offline}
    with StubKafka({"orders": {0: Part([1])}}, {1: None}, changes=changes) as cluster:
        read = _read(cluster)

    assert [(d.path, d.error, d.total_bytes, d.usable_bytes) for d in read.log_dirs] == [
        ("/data/1", None, 10_000, 4_000),
        ("/data/broken", "KAFKA_STORAGE_ERROR", None, None),
    ]
    assert read.layout.brokers[0].offline_dirs == ("/data/broken",)
    assert not read.layout.receiving[0]
    assert read.layout.size_bytes is not None
    assert read.layout.size_bytes.tolist() == [[1000.0]]


def test_a_broker_is_cordoned_where_all_its_online_directories_are() -> None:
    """Broker 1: both; 2: one of two; 3: its only one that is online, beside an offline one (KIP-1066)."""

    def cordoned(answer: Any, request: Any, broker: int) -> Any:
        result = answer.DescribeLogDirsResult
        closed, error = broker == 1, 56 if broker == 3 else 0
        answer.results[0].is_cordoned = True
        answer.results.append(result(error_code=error, log_dir="/data/more", topics=[], is_cordoned=closed))
        return answer

    changes = {requests.DescribeLogDirsRequest: cordoned}
    with StubKafka({"orders": {0: Part([1, 2, 3])}}, RACKS, version=(4, 3), kraft=True, changes=changes) as cluster:
        read = _read(cluster)

    assert [broker.state for broker in read.layout.brokers] == [
        BrokerState.CORDONED,
        BrokerState.ALIVE,
        BrokerState.CORDONED,
    ]
    assert [directory.cordoned for directory in read.log_dirs] == [True, True, True, False, True, False]


@pytest.mark.parametrize(("level", "version"), [(30, "4.3"), (31, "4.4"), (33, "4.4"), (99, "4.4")])
def test_the_level_that_a_broker_supports_tells_its_version(level: int, version: str) -> None:
    """4.3 and 4.4 know the same requests; the level that the cluster uses may be an older one."""

    def supports(answer: Any, request: Any, broker: int) -> Any:
        feature = answer.SupportedFeatureKey
        answer.supported_features = [feature(name="metadata.version", min_version=7, max_version=level)]
        return answer

    changes = {ApiVersionsRequest: supports}
    features = {"metadata.version": 29}
    with StubKafka({}, RACKS, version=(4, 3), kraft=True, features=features, changes=changes) as cluster:
        read = _read(cluster)

    assert read.version == version
    assert read.facts["features"] == features


@pytest.mark.parametrize(("at_once", "again"), [(100_000, ["orders"]), (0, None)])
def test_a_move_that_metadata_does_not_show_yet_is_asked_for_again(monkeypatch, at_once, again) -> None:
    """Metadata first lags behind the listed move; the second answer shows it, and the masks are right.

    Of more topics than a request may name, all are asked for again.
    """
    monkeypatch.setattr(reading, "PARTITIONS_AT_ONCE", at_once)
    topics = {"orders": {0: Part([2, 3, 1], isr=[1, 2])}, "other": {0: Part([1, 2])}}
    asked: list[list[str] | None] = []

    def lags(answer: Any, request: Any, broker: int) -> Any:
        if request.topics is None or request.topics:
            asked.append(None if request.topics is None else [topic.name for topic in request.topics])
            if asked == [None]:
                answer.topics[0].partitions[0].replica_nodes = [1, 2]
        return answer

    with StubKafka(topics, RACKS, moves={("orders", 0): ([3], [1])}, changes={MetadataRequest: lags}) as cluster:
        layout = _read(cluster).layout

    assert asked == [None, again]
    assert layout.assignments()["orders", 0] == [2, 3, 1]
    assert layout.adding is not None
    assert layout.removing is not None
    assert layout.adding.tolist() == [[False, True, False], [False, False, False]]
    assert layout.removing.tolist() == [[False, False, True], [False, False, False]]


def test_more_reassignments_than_brokers_pass_on_are_asked_for_in_parts(monkeypatch) -> None:
    """Brokers of 4.4 cannot read an answer of over a million: where it does not come, parts of partitions do."""
    monkeypatch.setattr(reading, "MOST_TOLD", 6)
    monkeypatch.setattr(reassignments, "PARTITIONS_AT_ONCE", 3)
    asked: list[list[int]] = []

    def refuses(answer: Any, request: Any, broker: int) -> Any:
        if request.topics is None:
            answer.error_code, answer.topics = -1, []
            return answer
        asked.append([one for topic in request.topics for one in topic.partition_indexes])
        return answer

    topics = {"many": dict.fromkeys(range(6), Part([1, 2])) | {6: Part([2, 3, 1], isr=[1, 2])}}
    changes = {requests.ListPartitionReassignmentsRequest: refuses}
    with StubKafka(topics, RACKS, moves={("many", 6): ([3], [1])}, changes=changes) as cluster:
        read = _read(cluster)

    assert asked == [[0, 1, 2], [3, 4, 5], [6]]
    assert read.under_way_told
    assert read.layout.adding is not None
    assert np.flatnonzero(read.layout.adding.any(axis=1)).tolist() == [6]


@pytest.mark.parametrize("many", [PARTITIONS_AT_ONCE + 1, pytest.param(1_000_001, marks=pytest.mark.slow)])
def test_a_million_reassignments_are_listed_in_requests_whose_answers_brokers_read(many) -> None:
    """Each partition is asked for once, in order, of one topic or of many, and no array is longer than they read."""
    of_one = [
        [list(one.partition_indexes) for one in part.topics] for part in listings(("t", one) for one in range(many))
    ]
    of_many = [[topic.name for topic in part.topics] for part in listings((f"t{one}", 0) for one in range(many))]

    assert [one for part in of_one for ids in part for one in ids] == list(range(many))
    assert [name for part in of_many for name in part] == [f"t{one}" for one in range(many)]
    assert max(len(ids) for part in of_one for ids in part) <= PARTITIONS_AT_ONCE < MOST_TOLD
    assert max(map(len, of_many)) <= PARTITIONS_AT_ONCE


def test_a_refused_list_is_asked_for_once_where_it_cannot_be_too_large() -> None:
    """Few partitions are no reason: what the controller answered is said, and nothing is taken to be under way."""

    def refuses(answer: Any, request: Any, broker: int) -> Any:
        answer.error_code = -1
        return answer

    changes = {requests.ListPartitionReassignmentsRequest: refuses}
    with StubKafka(even(2, 2, (1, 2, 3), 2), RACKS, changes=changes) as cluster:
        read = _read(cluster)
        times = cluster.asked.count("ListPartitionReassignmentsRequest")

    assert not read.under_way_told
    assert times <= 1
    assert "Reassignments in progress are unknown: The controller answered UNKNOWN_SERVER_ERROR." in read.not_read


def test_eligible_leaders_are_asked_for_where_there_can_be_any() -> None:
    """Only topics below min.insync.replicas are asked for, over several pages; everywhere else there are none."""
    low = {n: Part([1, 2], isr=[1], eligible=[2], last_eligible=[2] if n == 0 else None) for n in range(2_500)}
    topics = {"whole": {0: Part([1, 2])}, "low": low}
    with StubKafka(topics, RACKS, features=ELR, configs={"low": {"min.insync.replicas": "2"}}) as cluster:
        layout = _read(cluster).layout
        pages = cluster.asked.count("DescribeTopicPartitionsRequest")

    assert pages == 2
    assert layout.eligible is not None
    assert layout.last_known_eligible is not None
    assert layout.eligible.sum(axis=0).tolist() == [0, 2_500]
    assert layout.last_known_eligible.sum() == 1


@pytest.mark.parametrize("many", [TOPICS_AT_ONCE + 1, pytest.param(1_000_001, marks=pytest.mark.slow)])
def test_eligible_leaders_of_many_topics_are_asked_for_in_requests_that_brokers_read(many) -> None:
    """Brokers of 4.4 refuse an array of more than 1,000,000 elements: each topic is named in one request, in order."""
    topics, asked = [f"t{one:07}" for one in range(many)], []

    def submit(request: Any, again: bool) -> Future[Any]:
        asked.append([topic.name for topic in request.topics])
        part = SimpleNamespace(partition_index=0, eligible_leader_replicas=[2], last_known_elr=None)
        told: Future[Any] = Future()
        first = SimpleNamespace(name=asked[-1][0], partitions=[part])
        told.set_result(SimpleNamespace(topics=[first], next_cursor=None))
        return told

    admin: Any = SimpleNamespace(submit=submit, wait=Future.result, patience=5.0)
    found = read_eligible(admin, RequestBatch(None, None), topics[::-1])

    assert max(map(len, asked)) <= min(many - 1, 1_000_000)
    assert [name for names in asked for name in names] == topics
    assert found == {(names[0], 0): ((2,), ()) for names in asked}


def test_hostile_contents_are_carried_as_text() -> None:
    """A rack of a million characters, a topic name of 249 and markup in both are told unchanged."""
    name, rack = "<img src=x>" + "n" * 238, "<script>" + "r" * 1_000_000
    with StubKafka({name: {2_147_483_647: Part([1])}}, {1: rack}) as cluster:
        layout = _read(cluster).layout

    assert layout.topics == (name,)
    assert layout.partition.tolist() == [2_147_483_647]
    assert layout.brokers[0].rack == rack


@pytest.mark.parametrize("garbage", [b"", b"\x00" * 3, b"\xff" * 200], ids=["nothing", "short", "counts beyond"])
def test_an_answer_that_cannot_be_read_is_told(garbage: bytes) -> None:
    """Metadata that is no metadata ends the reading in words; log directories that are none end in a sentence."""

    def broken(answer: Any, request: Any, broker: int) -> Any:
        return garbage if not isinstance(request, MetadataRequest) or request.topics is None else answer

    topics = even(2, 2, (1, 2, 3), 2)
    with StubKafka(topics, RACKS, changes={MetadataRequest: broken}) as cluster, pytest.raises(ClusterUnreachable):
        read_admin_cluster(Connection(bootstrap=cluster.bootstrap, timeout_seconds=2.0))
    with StubKafka(topics, RACKS, changes={requests.DescribeLogDirsRequest: broken}) as cluster:
        read = _read(cluster)

    assert len(read.not_read) == 1
    assert read.not_read[0].startswith("Sizes and log directories of brokers 1, 2 and 3 are unknown")


def test_progress_is_told_and_a_stop_is_heeded_between_requests() -> None:
    """Steps come with how much is done; a stop set at a step ends the reading there."""
    seen: list[ReadingProgress] = []
    stop = threading.Event()

    def stop_at_configurations(progress: ReadingProgress) -> None:
        seen.append(progress)
        if progress.step == "topics' configurations":
            stop.set()

    with StubKafka(even(1_200, 1, (1, 2, 3), 2), RACKS) as cluster:
        whole: list[ReadingProgress] = []
        _read(cluster, report=whole.append)
        with pytest.raises(Cancelled):
            _read(cluster, report=stop_at_configurations, cancelled=stop)

    assert [p for p in whole if p.step == "topics' configurations"][-1] == ReadingProgress(
        "topics' configurations", 3, 3
    )
    assert [p.step for p in whole if p.step == "log directories"] == ["log directories"] * 3
    assert "log directories" not in {progress.step for progress in seen}


def test_log_dirs_of_some_partitions_are_asked_for_by_name() -> None:
    """describe_log_dirs passes the partitions wanted on, and names a broker that is not registered."""
    wanted: list[Any] = []

    def remember(answer: Any, request: Any, broker: int) -> Any:
        wanted.append([(topic.topic, topic.partitions) for topic in request.topics])
        return answer

    changes: dict[type, Callable[[Any, Any, int], Any]] = {requests.DescribeLogDirsRequest: remember}
    with (
        StubKafka({"orders": {0: Part([1, 2])}}, RACKS, changes=changes) as cluster,
        open_admin(Connection(bootstrap=cluster.bootstrap, timeout_seconds=5.0)) as admin,
    ):
        told = describe_log_dirs(admin, [1, 99], {"orders": [0]})

    assert wanted == [[("orders", [0])]]
    assert (told.topics, told.broker.tolist(), told.size_bytes.tolist()) == (("orders",), [1], [1000])
    assert list(told.silent) == [99]
    assert "not registered" in str(told.silent[99])
