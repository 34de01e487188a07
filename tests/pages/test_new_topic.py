"""The New topic page: Kafka's checks, the preview with its draws, and the texts that make the topic."""

from __future__ import annotations

import json

import pytest

from components.state.store import KEY
from reseat.model import Broker, BrokerState, ClusterLayout
from reseat.model.edits import Edits

from .conftest import address, tables, texts


def named(opened, name="payments", layout=None):
    """The page with a name filled in."""
    at = opened("new_topic", layout)
    return at.text_input(key="topic-name").set_value(name).run()


def given(at, assignment):
    """The page with the replicas given."""
    at.segmented_control(key="topic-how").set_value("Manual assignment").run()
    return at.text_input(key="topic-assignment").set_value(assignment).run()


def test_without_a_name_the_placement_is_previewed_all_the_same(opened):
    """Nothing is refused yet; the page asks for a name and shows what the numbers would do."""
    at = opened("new_topic")

    assert not at.exception
    assert "Enter a topic name" in texts(at)
    assert at.metric[0].value == "18"
    assert not at.code  # no command for a topic called ''


def test_a_topic_is_previewed_and_its_command_stands_to_copy(opened):
    """Six partitions of three replicas on four brokers: the sentence, the figures and the command."""
    at = named(opened)

    assert not at.exception
    assert "Kafka would create payments with 6 partitions of 3 replicas" in texts(at)
    assert at.metric[0].value == "18"
    assert at.code[0].value == (
        "bin/kafka-topics.sh --bootstrap-server HOST:9092 --create --topic payments --partitions 6 "
        "--replication-factor 3"
    )


def test_another_draw_gives_other_replicas_and_the_same_draw_the_same(opened):
    """The draw's number is its seed; the replicas shown can be pinned into the command."""
    at = named(opened)
    at.toggle(key="topic-pin").set_value(True).run()
    commands = {}
    for seed in (0, 1, 2, 0):
        at.number_input(key="topic-seed").set_value(seed).run()
        command = at.code[0].value

        assert "--replica-assignment" in command
        assert commands.setdefault(seed, command) == command

    assert len(set(commands.values())) > 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("..", "Topic name is invalid: '..' is not allowed"),
        ("a b", "contains one or more characters other than ASCII alphanumerics"),
        ("x" * 250, "is longer than the max allowed length 249"),
        ("orders", "Topic 'orders' already exists."),
        (".schemas", "Topic '.schemas' collides with existing topic: _schemas"),
    ],
)
def test_names_are_refused_in_kafkas_words(opened, name, said):
    """The first fault stands in the sentence, and there is nothing to copy."""
    at = named(opened, name)

    assert not at.exception
    assert f"Kafka would not create {name[:100]}" in texts(at)
    assert said in texts(at)
    assert not at.code


def test_a_name_with_a_period_is_warned_of_and_made(opened):
    """The tool warns and goes on."""
    at = named(opened, "payments.eu")

    assert "topics with a period ('.') or underscore ('_') could collide" in texts(at)
    assert at.code


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("4.1", "The target replication factor of 5 cannot be reached because only 4 broker(s) are registered."),
        ("2.8", "Replication factor: 5 larger than available brokers: 4."),
    ],
)
def test_too_many_replicas_are_refused_in_the_words_of_the_version(opened, version, said):
    """KRaft says it otherwise than the ZooKeeper era did."""
    at = named(opened)
    at.selectbox(key="topic-version").set_value(version).run()
    at.number_input(key="topic-factor").set_value(5).run()

    assert not at.exception
    assert said in texts(at)


def test_given_replicas_are_taken_as_they_are(opened):
    """The text of --replica-assignment is previewed, and said back by all three texts."""
    at = named(opened)
    at.selectbox(key="topic-version").set_value("2.8").run()
    given(at, "1:2,2:1,1:4")
    command, request, config, partitions = (code.value for code in at.code)

    assert not at.exception
    assert "3 partitions of 2 replicas, placed on the given replicas" in texts(at)
    assert command.endswith("--create --topic payments --replica-assignment 1:2,2:1,1:4")
    assert json.loads(request)["topics"][0]["assignments"][2] == {"partitionIndex": 2, "brokerIds": [1, 4]}
    assert json.loads(config) == {"version": 1, "config": {}}
    assert json.loads(partitions) == {"version": 1, "partitions": {"0": [1, 2], "1": [2, 1], "2": [1, 4]}}


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("1:2,2", "Partition 1 has different replication factor: [2]"),
        ("1:1", "Partition replica lists may not contain duplicate entries: 1"),
        ("1:x", 'For input string: "x"'),
        ("", "Enter the replicas"),
        ("1:9", "Broker 9 is not among the brokers alive."),
    ],
)
def test_given_replicas_are_checked_in_kafkas_words(opened, assignment, said):
    """What the tool or the cluster would refuse stands in the sentence."""
    at = given(named(opened), assignment)

    assert not at.exception
    assert said in texts(at)


def test_settings_are_checked_as_the_tool_does(opened):
    """A line without a value is refused, a right one is in the command."""
    at = named(opened)
    at.text_area(key="topic-configs").set_value("retention.ms").run()

    assert 'all configs to be added must be in the format "key=val"' in texts(at)

    at.text_area(key="topic-configs").set_value("retention.ms=1000\ncleanup.policy=compact").run()

    assert "Not checked here: Kafka refuses a --config key that it does not know, or a bad value." in texts(at)
    assert "--config retention.ms=1000 --config cleanup.policy=compact" in at.code[0].value


def test_an_existing_topic_is_no_error_with_if_not_exists(opened):
    """Nothing is made, and there is nothing to copy."""
    at = named(opened, "orders")
    at.checkbox(key="topic-if-not-exists").set_value(True).run()

    assert not at.exception
    assert "orders already exists: with --if-not-exists nothing is created" in texts(at)
    assert not at.code


def test_racks_are_left_aside_through_zookeeper_to_2_8_alone(opened):
    """Later tools refuse the option; some brokers without a rack are refused until it is set."""
    layout = ClusterLayout.from_assignments({("orders", 0): [1, 2]}, brokers=[Broker(1, "a"), Broker(2)])
    at = named(opened, layout=layout)

    assert at.code  # KRaft takes brokers without a rack as a rack of their own

    at.selectbox(key="topic-version").set_value("2.8").run()

    assert "Not all brokers have rack information for replica rack aware assignment." in texts(at)

    at.checkbox(key="topic-disable-racks").set_value(True).run()

    assert "--zookeeper HOST:2181" in at.code[0].value
    assert at.code[0].value.endswith("--disable-rack-aware")

    at.selectbox(key="topic-version").set_value("4.1").run()

    assert 'Option "[disable-rack-aware]" can\'t be used with option "[bootstrap-server]"' in texts(at)


def test_where_each_replica_goes_is_listed(opened):
    """The list of replicas partition by partition, with their racks."""
    at = named(opened)
    at.segmented_control(key="topic-view").set_value("Partition by partition").run()
    rows = tables(at)[0].value

    assert not at.exception
    assert rows["partition"].tolist() == [0, 1, 2, 3, 4, 5]
    assert all(len(set(row.split(", "))) == 3 for row in rows["racks"])


def test_automatic_creation_goes_by_the_clusters_defaults(opened):
    """What the first produce would make of the name, and nothing where it is switched off."""
    at = named(opened)
    at.segmented_control(key="topic-view").set_value("Automatic creation").run()

    assert "creates 'payments' with 1 partition (num.partitions) and 1 replica each" in texts(at)

    at.checkbox(key="default-auto").set_value(False).run()

    assert "auto.create.topics.enable is false" in texts(at)


def test_what_is_left_to_the_cluster_is_left_out_of_the_command(opened):
    """KIP-464: the preview goes by the defaults told, the command names none."""
    at = named(opened)
    at.number_input(key="default-partitions").set_value(4).run()
    at.segmented_control(key="topic-how").set_value("Cluster's defaults").run()

    assert not at.exception
    assert "with 4 partitions of 1 replica" in texts(at)
    assert at.code[0].value.endswith("--create --topic payments")


def test_a_broker_with_an_offline_log_directory_is_warned_of(opened):
    """Kafka places replicas on it; with the replicas given, the guard is the one to ask."""
    layout = ClusterLayout.from_assignments(
        {("orders", 0): [1, 2, 3]}, brokers=[Broker(1), Broker(2), Broker(3, offline_dirs=("/b",))]
    )
    at = named(opened, layout=layout)

    assert "Broker 3 has an offline log directory, and Kafka places replicas there all the same" in texts(at)
    assert "offline log directory" not in texts(given(at, "1:2"))


def test_topics_that_are_left_out_are_there_all_the_same(opened):
    """Their names are taken, and those that collide with them: on the cluster the topic would be refused."""
    at = opened("new_topic")
    at.session_state[KEY].opened["small"].edits = Edits(without_internal=True, without=("orders",))
    for name, said in (
        ("orders", "Topic 'orders' already exists."),
        (".schemas", "collides with existing topic: _schemas"),
    ):
        at.run().text_input(key="topic-name").set_value(name).run()

        assert not at.exception
        assert f"Kafka would not create {name}" in texts(at)
        assert said in texts(at)


def test_the_version_and_the_controller_are_those_of_the_cluster(opened):
    """As a snapshot tells them: a topic of 3.6 with ZooKeeper is placed by its controller, not by KRaft's."""
    at = opened("new_topic", facts={"version": "3.6", "metadata": "zookeeper"})

    assert at.selectbox(key="topic-version-3.6").value == "3.6"
    assert at.segmented_control(key="topic-controller-zookeeper").value == "ZooKeeper"
    assert "version" not in address(at)
    kraft = opened("new_topic", facts={"version": "3.6", "metadata": "kraft"})
    assert kraft.segmented_control(key="topic-controller-kraft").value == "KRaft"


@pytest.mark.parametrize("state", [BrokerState.CORDONED, BrokerState.FENCED, BrokerState.DEAD])
def test_spreads_before_are_those_of_the_board(opened, state):
    """Over the same brokers: one that can get nothing is no emptiest one."""
    layout = ClusterLayout.from_assignments(
        {("t", at): [1 + at % 3, 1 + (at + 1) % 3] for at in range(6)},
        brokers=[*(Broker(broker, state=BrokerState.ALIVE) for broker in (1, 2, 3)), Broker(9, state=state)],
    )
    board, new = ({one.label: one.value for one in opened(page, layout).metric} for page in ("racks", "new_topic"))

    for label in ("Replica spread", "Preferred leader spread"):
        assert new[label].partition(" → ")[0] == board[label] == "0"
