"""MirrorMaker 2's property file, and the commands: every word is Kafka's own."""

from __future__ import annotations

import re

from reseat.migration import MigrationRequest, migrate
from reseat.model import Broker, ClusterLayout

#: What Kafka 4.0 defines, of what is written: MirrorMakerConfig, MirrorSourceConfig, MirrorCheckpointConfig,
#: MirrorHeartbeatConfig, MirrorConnectorConfig, ConnectorConfig and DistributedConfig, read in its source.
KNOWN = {
    "enabled", "topics", "groups", "sync.group.offsets.enabled", "tasks.max", "replication.policy.class",
    "replication.factor", "emit.heartbeats.enabled", "offset-syncs.topic.location",
    "checkpoints.topic.replication.factor", "offset-syncs.topic.replication.factor",
    "config.storage.replication.factor", "offset.storage.replication.factor", "status.storage.replication.factor",
    "bootstrap.servers", "clusters",
}  # fmt: skip
TARGET = ClusterLayout.from_assignments({("c", 0): [2]}, brokers=[Broker(2), Broker(3)])


def read_properties(text):
    """As ``java.util.Properties`` reads lines of this simple kind: a backslash takes the next character as it is."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return {key: re.sub(r"\\(.)", r"\1", value) for key, value in (line.split(" = ", 1) for line in lines)}


def names():
    """A source whose names are patterns too, without what Kafka would refuse."""
    return ClusterLayout.from_assignments({("a.b", 0): [1], ("c_d-1", 0): [1]})


def test_every_key_is_one_that_kafka_defines():
    """After the cluster's or the flow's name."""
    keys = read_properties(migrate(names(), TARGET, MigrationRequest()).properties(0))

    assert {re.sub(r"^(source->target|source|target)\.", "", key) for key in keys} <= KNOWN


def test_patterns_fit_the_topics_alone():
    """A dot in a name is a dot."""
    told = read_properties(migrate(names(), TARGET, MigrationRequest()).properties(0))
    pattern = re.compile("|".join(f"(?:{one})" for one in told["source->target.topics"].split(", ")))

    assert pattern.fullmatch("a.b")
    assert pattern.fullmatch("c_d-1")
    assert not pattern.fullmatch("axb")


def test_factors_are_no_more_than_there_are_brokers():
    """MirrorMaker's own topics would not be created otherwise."""
    told = read_properties(migrate(names(), TARGET, MigrationRequest()).properties(0))
    written = {value for key, value in told.items() if key.endswith("replication.factor")}

    assert written == {"2"}


def test_nothing_is_written_to_the_source():
    """Neither heartbeats nor offset syncs."""
    told = read_properties(migrate(names(), TARGET, MigrationRequest()).properties(0))

    assert told["emit.heartbeats.enabled"] == "false"
    assert told["offset-syncs.topic.location"] == "target"
    assert told["replication.policy.class"].endswith(".IdentityReplicationPolicy")


def test_a_wave_copies_those_before_it_too():
    """They are cut over later, or they would fall behind."""
    source = ClusterLayout.from_assignments(
        {(name, 0): [1] for name in "abc"}, size_bytes={("a", 0): 1.0, ("b", 0): 9.0, ("c", 0): 9.0}
    )
    made = migrate(source, TARGET, MigrationRequest(wave_bytes=5))
    told = [read_properties(made.properties(wave))["source->target.topics"] for wave in range(3)]

    assert told == ["a", "a, b", "a, b, c"]


def test_min_insync_replicas_goes_with_the_topic_as_mirror_maker_does_not_copy_it():
    """It is in config.properties.exclude."""
    source = ClusterLayout.from_columns(topics=("a",), topic_of=[0], partition=[0], replicas=[[1]], min_in_sync=[1])

    (command,) = migrate(source, TARGET, MigrationRequest()).commands

    assert command.endswith("--config min.insync.replicas=1")


def test_lists_that_the_option_cannot_say_are_left_to_kafka():
    """Partitions that are there with other numbers of replicas: --replica-assignment wants one."""
    source = ClusterLayout.from_assignments({("c", part): [1] for part in range(3)})
    target = ClusterLayout.from_assignments({("c", 0): [2], ("c", 1): [2, 3]})

    (command,) = migrate(source, target, MigrationRequest()).commands

    assert command == "bin/kafka-topics.sh --bootstrap-server TARGET:9092 --alter --topic c --partitions 3"
