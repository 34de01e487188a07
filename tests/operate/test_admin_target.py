"""Writing through the Admin protocol, against brokers that fail where the test says."""

from __future__ import annotations

import logging
import traceback
from collections import Counter
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

from reseat.errors import ClusterUnreachable
from reseat.model import LogDirectory
from reseat.operate.targets.admin import AdminTarget
from reseat.operate.targets.admin_requests import AT_ONCE
from reseat.operate.targets.admin_settings import TOPICS_AT_ONCE
from reseat.operate.targets.error_names import in_words
from reseat.operate.targets.holdings import copied_bytes
from reseat.operate.targets.opening import open_target
from reseat.operate.targets.target import Assignment, Election, Throttles
from reseat.operate.targets.throttle_names import LEADER_RATE, LEADER_REPLICAS
from reseat.sources.connection import Connection, Secret
from reseat.sources.in_parts import PARTITIONS_AT_ONCE
from reseat.sources.kafka_admin import log_dirs
from reseat.sources.kafka_admin.log_dirs import LogDirsTold
from reseat.sources.kafka_admin.log_ends import LogEnd, log_ends
from tests.operate.fake_brokers import FakeBrokers

ALTER, ELECT, CREATE = "AlterPartitionReassignmentsRequest", "ElectLeadersRequest", "CreateTopicsRequest"
LIST, METADATA = "ListPartitionReassignmentsRequest", "MetadataRequest"
CONFIGURE, TELL = "IncrementalAlterConfigsRequest", "DescribeConfigsRequest"
NOT_CONTROLLER, NOT_AUTHORIZED, TIMED_OUT = 41, 31, 7


def target_of(brokers: FakeBrokers) -> AdminTarget:
    """The brokers, open for writing, on their own clock."""
    waiting = brokers.patience()
    return AdminTarget(
        Connection(bootstrap=("fake:9092",)), admin=brokers, patience=waiting, reading=waiting, in_force=waiting
    )


@pytest.fixture
def brokers():
    """Two topics on three brokers."""
    return FakeBrokers({("orders", 0): [1, 2], ("orders", 1): [2, 3], ("audit", 0): [3, 1]})


def test_a_partition_is_told_with_leader_isr_and_what_is_under_way(brokers) -> None:
    """From the list of reassignments and from metadata together; what is not there is absent."""
    brokers.lists["orders", 0] = [3, 1, 2]
    brokers.moving["orders", 0] = ([3], [2])
    brokers.leaders["orders", 0] = 1
    target = target_of(brokers)

    assert target.assignments([("orders", 0), ("audit", 0), ("audit", 9), ("nowhere", 0)]) == {
        ("orders", 0): Assignment((3, 1, 2), (3,), (2,), 1, (3, 1, 2)),
        ("audit", 0): Assignment((3, 1), leader=3, in_sync=(3, 1)),
    }
    assert set(target.reassigning()) == {("orders", 0)}


def test_reassignments_are_listed_before_replicas_are_read(brokers) -> None:
    """One that ends in between is told as under way, never as ended with the wrong replicas."""
    target_of(brokers).assignments([("orders", 0)])

    assert [name for name, _, _ in brokers.sent] == [LIST, METADATA]


def test_a_list_too_large_to_come_is_asked_for_in_parts(brokers) -> None:
    """What the controller refuses as a whole is asked for by partition; refused again, it is not taken for none."""
    brokers.moving = {("orders", 0): ([3], [1])}
    target = target_of(brokers)
    brokers.faults[LIST] = [-1]
    told = target.reassigning()
    brokers.faults[LIST] = [-1, -1]

    assert set(told) == {("orders", 0)}
    with pytest.raises(ClusterUnreachable, match="The controller answered UNKNOWN_SERVER_ERROR"):
        target.reassigning()


def test_many_partitions_go_to_the_controller_in_bounded_requests(brokers) -> None:
    """A ZooKeeper controller answers nothing else while it works at one request."""
    brokers.lists = {("many", one): [1, 2] for one in range(2 * AT_ONCE + 1)}
    answers = target_of(brokers).reassign({one: [2, 1] for one in brokers.lists})

    assert answers == dict.fromkeys(brokers.lists)
    assert brokers.sent == [(ALTER, "controller", AT_ONCE), (ALTER, "controller", AT_ONCE), (ALTER, "controller", 1)]


def test_what_kafka_says_with_an_error_is_kept_beside_its_name(brokers) -> None:
    """The name is what is compared, and the words are for a person; an error without any is its name."""
    (refused,) = target_of(brokers).reassign({("nowhere", 0): [1]}).values()
    (quiet,) = target_of(brokers).elect(Election.PREFERRED, [("nowhere", 0)]).values()

    assert refused == "UNKNOWN_TOPIC_OR_PARTITION"
    assert in_words(refused) == "UNKNOWN_TOPIC_OR_PARTITION: It is none."
    assert in_words(quiet) == quiet == "UNKNOWN_TOPIC_OR_PARTITION"


@pytest.mark.parametrize("fault", ["before", "after", NOT_CONTROLLER])
def test_a_request_whose_controller_is_lost_is_sent_again(brokers, fault) -> None:
    """To whoever is the controller then; asking twice for the same list changes nothing."""
    brokers.faults[ALTER] = [fault, fault]
    answers = target_of(brokers).reassign({("orders", 0): [3, 1], ("nowhere", 0): [1]})

    assert answers == {("orders", 0): None, ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION"}
    assert len(brokers.sent) == 3
    assert brokers.lists["orders", 0][:2] == [3, 1]


@pytest.mark.parametrize(
    ("fault", "words"), [("before", "connection was lost"), (NOT_CONTROLLER, "No broker answered")]
)
def test_a_controller_that_does_not_come_back_is_said_within_bounds(brokers, fault, words) -> None:
    """Whether the last request was carried out is then for the caller to read."""
    brokers.faults[ALTER] = [fault] * 1000
    with pytest.raises(ClusterUnreachable, match=words) as away:
        target_of(brokers).reassign({("orders", 0): [3, 1]})

    assert away.value.reason == "lost"
    assert 9 <= brokers.clock <= 10


@pytest.mark.parametrize("fault", ["authentication", "tls", "version"])
def test_a_trouble_that_does_not_pass_is_told_at_once(brokers, fault) -> None:
    """Trying again would only take time, and lock an account."""
    brokers.faults[ALTER] = [fault]
    with pytest.raises(ClusterUnreachable) as refused:
        target_of(brokers).reassign({("orders", 0): [3, 1]})

    assert refused.value.reason == fault
    assert brokers.clock == 0


def test_a_user_who_may_not_is_told_what_it_takes(brokers) -> None:
    """By an error of the whole request, for every kind of request: the one right that is missing."""
    target = target_of(brokers)
    for name, right, call in (
        (ALTER, "Alter on the cluster", lambda: target.reassign({("orders", 0): [3, 1]})),
        (ELECT, "Alter on the cluster", lambda: target.elect(Election.PREFERRED, [("orders", 0)])),
        (LIST, "Describe on the cluster", target.reassigning),
        (CREATE, "Create on the cluster", lambda: target.create_topic("new", {0: [1]}, {})),
        (CONFIGURE, "AlterConfigs on the cluster", lambda: target.set_throttles(Throttles({1: "5"}))),
    ):
        brokers.faults = {name: [NOT_AUTHORIZED]}
        with pytest.raises(ClusterUnreachable, match=right) as refused:
            call()
        assert refused.value.reason == "authorization"


def test_a_broker_that_gave_up_waiting_for_the_controller_is_asked_again(brokers) -> None:
    """On KRaft brokers pass requests on; whether this one was carried out is open, and asking again does no harm."""
    brokers.faults[ALTER], brokers.faults[LIST] = [TIMED_OUT], [TIMED_OUT]
    target = target_of(brokers)

    assert target.reassign({("orders", 0): [3, 1]}) == {("orders", 0): None}
    assert set(target.reassigning()) == {("orders", 0)}


def test_what_is_under_way_is_taken_back_and_nothing_else(brokers) -> None:
    """Kafka's name where nothing is under way; after a lost answer that is the answer too."""
    target = target_of(brokers)
    target.reassign({("orders", 0): [3, 1]})
    first = target.cancel([("orders", 0), ("audit", 0)])
    target.reassign({("orders", 1): [1, 3]})
    brokers.faults[ALTER] = ["after"]

    assert first == {("orders", 0): None, ("audit", 0): "NO_REASSIGNMENT_IN_PROGRESS"}
    assert target.cancel([("orders", 1)]) == {("orders", 1): "NO_REASSIGNMENT_IN_PROGRESS"}
    assert target.reassigning() == {}


def test_each_partition_of_an_election_has_kafkas_answer(brokers) -> None:
    """Elected, not needed, not possible, not there; the same after the controller was lost."""
    brokers.leaders["orders", 0] = 2
    brokers.refuse["audit", 0] = 80
    brokers.faults[ELECT] = [NOT_CONTROLLER]

    assert target_of(brokers).elect(
        Election.PREFERRED, [("orders", 0), ("orders", 1), ("audit", 0), ("nowhere", 0)]
    ) == {
        ("orders", 0): "NONE",
        ("orders", 1): "ELECTION_NOT_NEEDED",
        ("audit", 0): "PREFERRED_LEADER_NOT_AVAILABLE",
        ("nowhere", 0): "UNKNOWN_TOPIC_OR_PARTITION",
    }


def test_throttles_are_those_of_the_very_broker_and_topic(brokers) -> None:
    """A cluster-wide default, a static value and the default "" are not set there; who is gone or dead is absent."""
    brokers.settings = {
        (4, "1", LEADER_RATE): (2, "1000"),
        (4, "2", LEADER_RATE): (3, "5000"),
        (4, "3", LEADER_RATE): (4, "7000"),
        (2, "orders", LEADER_REPLICAS): (1, "0:1"),
        (2, "audit", LEADER_REPLICAS): (5, ""),
    }
    brokers.alive = {1, 2, 3}
    told = target_of(brokers).throttles([1, 2, 3, 4], ["orders", "audit", "nowhere"])

    assert told.leader_rate == {1: "1000", 2: None, 3: None}
    assert told.follower_rate == {1: None, 2: None, 3: None}
    assert told.leader_replicas == {"orders": "0:1", "audit": None}


def test_setting_throttles_waits_until_brokers_tell_them_back(brokers) -> None:
    """A reassignment that follows at once must find them in force."""
    brokers.lag = 5
    target = target_of(brokers)
    target.set_throttles(Throttles({1: "1000"}, {}, {"orders": "*", "nowhere": "*"}))

    assert brokers.lag == 0
    assert brokers.clock > 0
    assert target.throttles([1], ["orders"]).leader_rate == {1: "1000"}
    assert (2, "nowhere", LEADER_REPLICAS) not in brokers.settings


def test_throttles_that_never_come_into_force_are_said(brokers) -> None:
    """By broker and topic, and it is not waited for ever."""
    brokers.lag = 10_000
    brokers.old = {(4, "9", LEADER_RATE): (2, "1")}
    with pytest.raises(ClusterUnreachable, match="broker 1 and topic orders did not confirm them"):
        target_of(brokers).set_throttles(Throttles({1: "1000"}, {}, {"orders": "*"}))


def test_a_plan_that_keeps_replication_factors_has_the_cluster_refuse_others(brokers) -> None:
    """Where it is said, the request says so (KIP-860); brokers before 4.1 do not know it and take the list."""
    target = target_of(brokers)
    assert target.reassign({("orders", 0): [1, 3]}, keeps_factor=True) == {("orders", 0): None}
    assert target.reassign({("orders", 1): [1, 2, 3]}, keeps_factor=True) == {
        ("orders", 1): "INVALID_REPLICATION_FACTOR"
    }
    assert target.reassign({("orders", 1): [1, 2, 3]}) == {("orders", 1): None}


def test_a_value_longer_than_a_string_of_kafka_is_never_sent(brokers) -> None:
    """Brokers would close the connection on it, again and again: it is refused by name, and nothing is set."""
    longest = "1" * 32_767
    target = target_of(brokers)
    target.set_throttles(Throttles({}, {}, {"orders": longest}))
    with pytest.raises(
        ClusterUnreachable, match=r"leader\.replication\.throttled\.replicas of audit.* 32,768 bytes"
    ) as no:
        target.set_throttles(Throttles({1: "5"}, {}, {"audit": longest + "1"}))

    assert no.value.reason == "configuration"
    assert target.throttles([1], ["orders", "audit"]) == Throttles(
        {1: None}, {1: None}, {"orders": longest, "audit": None}, {"orders": None, "audit": None}
    )


def test_settings_of_many_topics_go_in_requests_that_a_controller_takes(brokers) -> None:
    """A controller writes a request as one batch, of 8 MB at most: long lists are split among several."""
    brokers.lists |= {(f"t{number}", 0): [1, 2] for number in range(100)}
    target_of(brokers).set_throttles(Throttles(leader_replicas={f"t{number}": "1" * 30_000 for number in range(100)}))
    sizes = [size for name, _, size in brokers.bytes if name == CONFIGURE]

    assert len(sizes) == 4
    assert max(sizes) < 1_000_000


def test_many_topics_are_described_and_set_in_bounded_requests(brokers) -> None:
    """Names of topics are a list that grows with the plan, too: replicas, settings and their setting, each in parts."""
    names = [f"t{number}" for number in range(2 * TOPICS_AT_ONCE + 1)]
    brokers.lists = {(name, 0): [1, 2] for name in names}
    target = target_of(brokers)
    told = target.assignments([(name, 0) for name in names])
    target.set_throttles(Throttles(leader_replicas=dict.fromkeys(names, "*")))
    sent = Counter(name for name, _, _ in brokers.sent)

    assert len(told) == len(names)
    assert target.throttles([], names).leader_replicas == dict.fromkeys(names, "*")
    assert (sent[METADATA], sent[TELL], sent[CONFIGURE]) == (3, 3, 3)


def test_a_dead_broker_keeps_the_others_throttles_from_nothing(brokers) -> None:
    """All others are set and in force; then it is named, since only the broker itself could have taken its own."""
    brokers.alive = {1, 3}
    target = target_of(brokers)
    with pytest.raises(ClusterUnreachable, match="The throttles of broker 2 were not changed") as silent:
        target.set_throttles(Throttles({1: "5", 2: "5", 3: "5"}, {}, {"orders": "*"}))

    assert silent.value.reason == "refused"
    assert target.throttles([1, 3], ["orders"]) == Throttles(
        {1: "5", 3: "5"}, {1: None, 3: None}, {"orders": "*"}, {"orders": None}
    )


def test_a_value_that_kafka_refuses_is_said_in_its_words(brokers) -> None:
    """With the name of what was to be set."""
    with pytest.raises(ClusterUnreachable, match=r"'1': Not a number\. \(INVALID_REQUEST\)") as refused:
        target_of(brokers).set_throttles(Throttles({1: "bad"}))

    assert refused.value.reason == "configuration"


@pytest.mark.parametrize("fault", ["before", "after", NOT_CONTROLLER, TIMED_OUT])
def test_a_topic_whose_answer_was_lost_is_made_once(brokers, fault) -> None:
    """Where it is there then with the very lists asked for, it was made: by whose hand makes no difference."""
    brokers.faults[CREATE] = [fault]
    answer = target_of(brokers).create_topic("new", {0: [1, 2], 1: [2, 3]}, {})

    assert answer is None
    assert (brokers.lists["new", 0], brokers.lists["new", 1]) == ([1, 2], [2, 3])


def test_a_topic_that_is_there_otherwise_is_refused_also_after_a_lost_answer(brokers) -> None:
    """In the cluster's words; and without a lost answer also where the lists are the same."""
    target = target_of(brokers)
    brokers.faults[CREATE] = ["before"]

    assert target.create_topic("orders", {0: [9]}, {}) == "Topic 'orders' already exists."
    assert target.create_topic("audit", {0: [3, 1]}, {}) == "Topic 'audit' already exists."


def test_what_disks_hold_is_asked_of_living_brokers_alone(brokers, monkeypatch) -> None:
    """By broker, future logs included; one that is silent, or has an offline directory, is not told to hold nothing."""
    asked = []

    def describe(_admin, ids, topics=None):
        asked.append((sorted(ids), topics))
        return LogDirsTold(
            directories=(
                LogDirectory(1, "/a"),
                LogDirectory(2, "/a"),
                LogDirectory(2, "/b", error="KAFKA_STORAGE_ERROR"),
            ),
            topics=("audit", "orders"),
            paths=("/a", "/b"),
            topic=np.array([0, 1, 1, 1], np.int32),
            partition=np.array([0, 1, 1, 0], np.int32),
            broker=np.array([1, 1, 1, 2], np.int32),
            path=np.array([0, 0, 1, 0], np.int32),
            size_bytes=np.array([5, 70, 30, 9], np.int64),
            future=np.array([False, False, True, False]),
            silent={3: ClusterUnreachable("Broker 3 does not answer.", "timeout")} if 3 in ids else {},
        )

    monkeypatch.setattr(log_dirs, "describe_log_dirs", describe)
    target = target_of(brokers)
    held = target.holdings([1, 2, 3, 4])
    sizes = target.copied([("orders", 1), ("orders", 0), ("audit", 0)], [1, 2, 4])
    brokers.alive = {3}
    nobody = target.holdings([3]), target.copied([("orders", 0)], [3])

    assert held == {1: {("audit", 0), ("orders", 1)}}
    assert sizes == {(("audit", 0), 1): 5, (("orders", 1), 1): 70, (("orders", 0), 2): 9}
    assert asked[:2] == [([1, 2, 3], None), ([1, 2], {"orders": [1, 0], "audit": [0]})]
    assert nobody == (None, None)


@pytest.mark.parametrize("count", [PARTITIONS_AT_ONCE + 1, pytest.param(1_000_001, marks=pytest.mark.slow)])
def test_what_is_asked_of_many_partitions_goes_in_requests_that_brokers_take(monkeypatch, count) -> None:
    """Brokers of 4.4 refuse an array of over a million: sizes and log ends of more are asked for in parts."""
    many, asked, dirs = [("many", one) for one in range(count)], [], []

    def describe(_admin, ids, topics):
        dirs.append((sorted(ids), topics["many"]))
        return LogDirsTold(
            directories=(),
            topics=("many",),
            paths=("/a",),
            topic=np.zeros(1, np.int32),
            partition=np.array(topics["many"][:1], np.int32),
            broker=np.ones(1, np.int32),
            path=np.zeros(1, np.int32),
            size_bytes=np.array([7], np.int64),
            future=np.zeros(1, np.bool_),
            silent={2: ClusterUnreachable("Broker 2 does not answer.", "timeout")} if 2 in ids else {},
        )

    def submit(request, broker):
        asked.append([part.partition_index for topic in request.topics for part in topic.partitions])
        told, first = Future(), asked[-1][0]
        told.set_result(
            SimpleNamespace(
                topics=[
                    SimpleNamespace(
                        name="many", partitions=[SimpleNamespace(partition_index=first, error_code=0, offset=broker)]
                    )
                ]
            )
        )
        return told

    monkeypatch.setattr(log_dirs, "describe_log_dirs", describe)
    sizes = copied_bytes(None, many, [1, 2])
    ends = log_ends(
        SimpleNamespace(submit=submit, wait=Future.result, supports=lambda *_: False), [*many, many[0]], [5]
    )
    firsts = [many[start] for start in range(0, len(many), PARTITIONS_AT_ONCE)]

    assert max(map(len, asked)) <= min(count - 1, 1_000_000)
    assert [one for part in asked for one in part] == list(range(len(many)))
    assert [part for _, part in dirs] == asked
    assert [ids for ids, _ in dirs] == [[1, 2], *[[1]] * (len(dirs) - 1)]  # who does not answer is waited for once
    assert sizes == {(one, 1): 7 for one in firsts}
    assert ends == {(one, 5): LogEnd(5, None) for one in firsts}


def test_no_secret_is_in_an_error_or_a_log(caplog) -> None:
    """A password of SASL is in no record at any level and in no exception, its chained causes included."""
    caplog.set_level(logging.DEBUG, logger="")
    secret = "s3cret-of-the-operator"
    connection = Connection(
        bootstrap=("127.0.0.1:1",),
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="SCRAM-SHA-256",
        username="operator",
        password=Secret(secret),
        timeout_seconds=1,
    )
    with pytest.raises(ClusterUnreachable) as refused:
        open_target(connection)

    assert secret not in "".join(traceback.format_exception(refused.value)) + repr(refused.value)
    assert secret not in caplog.text


@pytest.mark.parametrize(
    ("connection", "protocol", "words"),
    [
        (Connection(bootstrap=("a:1",)), "zookeeper", "names no ZooKeeper servers"),
        (Connection(zookeeper=("a:1",)), "admin", "names no brokers"),
        (Connection(bootstrap=("a:1",)), "pigeon", "not a way to write"),
    ],
)
def test_a_way_that_a_connection_does_not_have_is_refused(connection, protocol, words) -> None:
    """With what is missing, before anything is opened."""
    with pytest.raises(ClusterUnreachable, match=words) as refused:
        open_target(connection, protocol)

    assert refused.value.reason == "configuration"
