"""Topic specifications, their texts, Kafka's checks, and the command line of kafka-topics."""

from __future__ import annotations

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.errors import PlacementRefused
from reseat.model import Broker, BrokerState
from reseat.placement.command_line import ACTIONS, read_topic_command
from reseat.placement.topic_names import colliding, name_error
from reseat.placement.topic_spec import (
    ClusterDefaults,
    TopicSpec,
    automatic_topic,
    parse_replica_assignment,
    print_replica_assignment,
    topic_faults,
    topic_warnings,
)
from reseat.placement.topic_texts import admin_request, create_command, zookeeper_nodes


@st.composite
def assignments(draw: st.DrawFn) -> dict[int, tuple[int, ...]]:
    """Lists of one length, brokers different in each, ids from 0."""
    factor = draw(st.integers(1, 5))
    lists = st.lists(st.integers(0, 2**31 - 1), min_size=factor, max_size=factor, unique=True).map(tuple)
    return dict(enumerate(draw(st.lists(lists, min_size=1, max_size=12))))


@given(assignments())
def test_the_text_of_an_assignment_is_read_back_alike(lists: dict[int, tuple[int, ...]]) -> None:
    """Parse and print are inverse."""
    text = print_replica_assignment(lists)

    assert parse_replica_assignment(text) == lists
    assert print_replica_assignment(parse_replica_assignment(text)) == text


@given(assignments(), st.booleans(), st.sampled_from(["3.9.1", "2.8.2", "2.0.1", None]))
def test_the_command_is_read_back_alike(
    lists: dict[int, tuple[int, ...]], if_not_exists: bool, version: str | None
) -> None:
    """The command given to copy says what the specification says."""
    spec = TopicSpec.placed("a b's", lists, configs=(("retention.ms", "1"),), if_not_exists=if_not_exists)

    assert read_topic_command(create_command(spec, version)).spec == spec


def test_the_documented_assignment() -> None:
    """Partitions by commas, replicas by colons, the first of each the preferred leader."""
    assert parse_replica_assignment("0:1,1:0,0:1") == {0: (0, 1), 1: (1, 0), 2: (0, 1)}
    assert parse_replica_assignment(" 0 : 1 , 1:0") == {0: (0, 1), 1: (1, 0)}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0:0", "Partition replica lists may not contain duplicate entries: 0"),
        ("0:1,2", "Partition 1 has different replication factor: [2]"),
        ("0:a", 'For input string: "a"'),
        ("", 'For input string: ""'),
        ("0:3000000000", 'For input string: "3000000000"'),
        ("0:-1", "-1 is not a broker id"),
    ],
)
def test_assignments_that_kafka_refuses(text: str, words: str) -> None:
    """In its words; ids below 0 in ours."""
    with pytest.raises(PlacementRefused) as refused:
        parse_replica_assignment(text)

    assert str(refused.value).startswith(words)


def test_what_the_text_cannot_say_is_refused() -> None:
    """Gaps and lists of unequal length."""
    with pytest.raises(PlacementRefused, match="consecutive 0-based integer sequence"):
        print_replica_assignment({10: [1], 21: [2]})
    with pytest.raises(PlacementRefused, match="lists of equal length"):
        print_replica_assignment({0: [1], 1: [2, 3]})


def test_commands_for_the_clusters_version() -> None:
    """--zookeeper before 2.2, --bootstrap-server from then on; what each needs."""
    spec = TopicSpec("orders", 6, 3, configs=(("cleanup.policy", "compact"),), if_not_exists=True)

    assert create_command(spec, "4.1", bootstrap="b:9092") == (
        "bin/kafka-topics.sh --bootstrap-server b:9092 --create --topic orders --partitions 6 --replication-factor 3 "
        "--config cleanup.policy=compact --if-not-exists"
    )
    assert create_command(TopicSpec("orders", 6, 3, disable_rack_aware=True), "1.1", zookeeper="z:2181") == (
        "bin/kafka-topics.sh --zookeeper z:2181 --create --topic orders --partitions 6 --replication-factor 3 "
        "--disable-rack-aware"
    )
    assert create_command(TopicSpec("orders"), "2.4").endswith("--create --topic orders")
    with pytest.raises(PlacementRefused, match="KIP-464"):
        create_command(TopicSpec("orders"), "2.3")
    with pytest.raises(PlacementRefused, match="works only through ZooKeeper"):
        create_command(TopicSpec("orders", 1, 1, disable_rack_aware=True), "3.0")


def test_hostile_names_are_quoted_for_the_shell() -> None:
    """Whatever came from outside stays one word."""
    spec = TopicSpec("a; rm -rf /", 1, 1, configs=(("k", "$(id)"),))

    words = shlex.split(create_command(spec))
    assert "a; rm -rf /" in words
    assert "k=$(id)" in words


def test_the_admin_request() -> None:
    """Fields as the protocol names them; -1 where the assignment or the cluster says it."""
    topic = json.loads(admin_request(TopicSpec.placed("t", {0: [1, 2]})))["topics"][0]

    assert (topic["numPartitions"], topic["replicationFactor"]) == (-1, -1)
    assert topic["assignments"] == [{"partitionIndex": 0, "brokerIds": [1, 2]}]
    counted = json.loads(admin_request(TopicSpec("t", 3, 2)))["topics"][0]
    assert (counted["numPartitions"], counted["replicationFactor"], counted["assignments"]) == (3, 2, [])
    assert json.loads(admin_request(TopicSpec("t", 3)))["topics"][0]["replicationFactor"] == -1


def test_the_two_zookeeper_nodes() -> None:
    """Ids may have gaps and factors differ; only the second node is needed."""
    spec = TopicSpec.placed("t", {40: [1], 10: [1, 2]}, configs=(("a", "b"),))
    config, topic = zookeeper_nodes(spec)

    assert (config.path, config.data, config.needed) == (
        "/config/topics/t",
        '{"version":1,"config":{"a":"b"}}',
        False,
    )
    assert (topic.path, topic.needed) == ("/brokers/topics/t", True)
    assert topic.data == '{"version":1,"partitions":{"10":[1,2],"40":[1]}}'
    assert json.loads(zookeeper_nodes(spec, version=3, topic_id="x")[1].data)["topic_id"] == "x"
    for wrong in (TopicSpec("t", 1, 1), TopicSpec.placed("t", {0: [1, 1]})):
        with pytest.raises(PlacementRefused):
            zookeeper_nodes(wrong)
    with pytest.raises(PlacementRefused, match="Version 4"):
        zookeeper_nodes(spec, version=4)


def test_faults_of_a_specification() -> None:
    """Name, collision, existence, numbers, brokers."""
    brokers = [Broker(1), Broker(2)]

    assert topic_faults(TopicSpec("ok", 1, 2), brokers=brokers) == ()
    assert topic_faults(TopicSpec("a.b", 1, 1), existing=["a_b"]) == ("Topic 'a.b' collides with existing topic: a_b",)
    assert topic_faults(TopicSpec("a", 1, 1), existing=["a"]) == ("Topic 'a' already exists.",)
    assert topic_faults(TopicSpec("a", 1, 1, if_not_exists=True), existing=["a"]) == ()
    assert topic_faults(TopicSpec("a", 0, 0)) == (
        "The partitions must be greater than 0",
        "The replication factor must be between 1 and 32767 inclusive",
    )
    assert topic_faults(TopicSpec("a", 1, 3), brokers=brokers) == (
        "Replication factor: 3 larger than available brokers: 2.",
    )
    assert topic_faults(TopicSpec.placed("a", {0: [1], 2: [9, 1]}), brokers=brokers) == (
        "partitions should be a consecutive 0-based integer sequence",
        "All partitions should have the same number of replicas.",
        "Broker 9 is not among the brokers alive.",
    )
    assert "characters other than ASCII" in topic_faults(TopicSpec("ä", 1, 1))[0]


def test_warning_and_names() -> None:
    """A name with '.' or '_' could collide; both generations of words."""
    assert topic_warnings(TopicSpec("a.b"))[0].startswith("WARNING: Due to limitations in metric names")
    assert topic_warnings(TopicSpec("a-b")) == ()
    assert name_error(".", old_words=True) == 'Topic name cannot be "." or ".."'
    assert name_error("") == "Topic name is invalid: the empty string is not allowed"
    assert colliding("a.b", ["a_b", "a.b", "ab"]) == ("a_b",)


def test_automatic_creation_takes_the_clusters_defaults() -> None:
    """num.partitions and default.replication.factor, unless it is switched off or cannot be."""
    made, words = automatic_topic("t", ClusterDefaults(4, 2))

    assert made == TopicSpec("t", 4, 2)
    assert "4 partitions (num.partitions) and 2 replicas each" in words[0]
    assert automatic_topic("t", ClusterDefaults(auto_create=False))[0] is None
    assert automatic_topic("t", ClusterDefaults(), existing=["t"])[0] is None
    assert automatic_topic("a b", ClusterDefaults())[0] is None
    assert automatic_topic("t", ClusterDefaults(1, 3), brokers=[Broker(1)])[0] is None


def test_exactly_one_action() -> None:
    """None and two are refused in the tool's words, each alone is taken."""
    for given_actions in ("", "--create --list", " ".join(f"--{action}" for action in ACTIONS)):
        with pytest.raises(PlacementRefused) as refused:
            read_topic_command(f"--bootstrap-server b:1 --topic t {given_actions}")
        assert str(refused.value) == (
            "Command must include exactly one action: --list, --describe, --create, --alter or --delete"
        )
    for action in ACTIONS:
        more = " --partitions 2" if action == "alter" else ""
        assert read_topic_command(f"kafka-topics.sh --bootstrap-server b:1 --topic t --{action}{more}").action == action


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--create --topic t", "--bootstrap-server must be specified"),
        ("--create --topic t --zookeeper z --bootstrap-server b", "Only one of --bootstrap-server or --zookeeper"),
        ("--create --bootstrap-server b", 'Missing required argument "[topic]"'),
        ("--create --zookeeper z --topic t", 'Missing required argument "[partitions]"'),
        ("--create --zookeeper z --topic t --partitions 1", 'Missing required argument "[replication-factor]"'),
        ("--list --zookeeper z --partitions 1", 'Option "[partitions]" can\'t be used with option "[list]"'),
        (
            "--create --bootstrap-server b --topic t --replica-assignment 0:1 --partitions 1",
            'Option "[replica-assignment]" can\'t be used with option "[partitions]"',
        ),
        (
            "--create --bootstrap-server b --topic t --disable-rack-aware",
            'Option "[disable-rack-aware]" can\'t be used with option "[bootstrap-server]"',
        ),
        ("--delete --bootstrap-server b --topic t --if-not-exists", 'Option "[if-not-exists]" can\'t be used'),
        ("--create --bootstrap-server b --topic t --config a", "requirement failed: Invalid topic config"),
        ("--create --bootstrap-server b --topic", "Option topic requires an argument"),
        ("--create --bootstrap-server b --topic t --partitions x", "Cannot parse argument 'x' of option partitions"),
        (
            f"--create --bootstrap-server b --topic t --partitions {'9' * 5_000}",
            f"Cannot parse argument '{'9' * 100}' of option partitions",
        ),
        ("--create --bootstrap-server b --topic t --topic u", "Found multiple arguments for option topic"),
        ("--create --nonsense", "nonsense is not a recognized option"),
        ("--create stray", "stray is not an option"),
        ("--create 'open", "A quote in the command is not closed"),
    ],
)
def test_command_lines_that_the_tool_refuses(line: str, words: str) -> None:
    """In its words, the first check that fails."""
    with pytest.raises(PlacementRefused) as refused:
        read_topic_command(line)

    assert str(refused.value).startswith(words)


def test_options_may_be_shortened_and_joined() -> None:
    """As the tool's parser takes them."""
    command = read_topic_command("--create --boot b:1 --topic=t --partitions 3 --replication-f=2")

    assert command.spec == TopicSpec("t", 3, 2)


def test_a_given_list_with_a_cordoned_broker_is_refused_in_kafkas_words() -> None:
    """As 4.4.0 said it when it was asked; one that names others is taken."""
    brokers = [Broker(1), Broker(4, state=BrokerState.CORDONED)]

    assert topic_faults(TopicSpec.placed("t", {0: [1, 4]}), brokers=brokers) == (
        "The manual partition assignment includes broker 4, but all its log directories are cordoned.",
    )
    assert topic_faults(TopicSpec.placed("t", {0: [1]}), brokers=brokers) == ()


def test_given_lists_of_fenced_brokers_alone_are_refused_in_kafkas_words() -> None:
    """KRaft takes a fenced broker beside one that is active, which then leads; without one nobody could."""
    brokers = [Broker(1), Broker(2, state=BrokerState.FENCED), Broker(3, state=BrokerState.SHUTTING_DOWN)]

    assert topic_faults(TopicSpec.placed("t", {0: [2, 1], 1: [3, 2]}), brokers=brokers) == (
        "All brokers specified in the manual partition assignment for partition 1 are fenced or in controlled "
        "shutdown.",
    )
