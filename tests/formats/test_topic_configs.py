"""``kafka-configs --describe``: what Kafka 4.3.1 printed, beside a layout."""

from __future__ import annotations

import pytest

from reseat.errors import InputRefused
from reseat.formats import read
from reseat.model.tiering import Tiering
from reseat.sources.upload import read_files

DESCRIBE = """Topic: events	TopicId: qWf2x0vSTlyHlnsVfXRcyQ	PartitionCount: 1	ReplicationFactor: 2	Configs:
	Topic: events	Partition: 0	Leader: 1	Replicas: 1,2	Isr: 1,2	Elr: 	LastKnownElr:
"""
TOPICS = """Dynamic configs for topic plain are:
Dynamic configs for topic __remote_log_metadata are:
  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=2, DEFAULT_CONFIG:min.insync.replicas=1}
  remote.storage.enable=false sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:remote.storage.enable=false}
Dynamic configs for topic events are:
  local.retention.bytes=4194304 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:local.retention.bytes=4194304}
  remote.storage.enable=true sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:remote.storage.enable=true}
"""  # noqa: E501
BROKER = """All configs for broker 2 are:
  follower.fetch.last.tiered.offset.enable=true sensitive=false synonyms={STATIC_BROKER_CONFIG:follower.fetch.last.tiered.offset.enable=true, DEFAULT_CONFIG:follower.fetch.last.tiered.offset.enable=false}
  sasl.jaas.config=null sensitive=true synonyms={}
Default configs for brokers in the cluster are:
  min.insync.replicas=2 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=2}
"""  # noqa: E501


@pytest.mark.parametrize("text", [DESCRIBE + TOPICS + BROKER, BROKER + TOPICS + DESCRIBE])
def test_settings_in_one_paste_tell_what_is_tiered(text: str) -> None:
    """Before or after the layout; nothing of them is skipped, and nothing else is told."""
    reading = read(text)

    assert reading.tiering == Tiering(("events",), (2,))
    assert reading.layout.topics == ("events",)
    assert [broker.id for broker in reading.layout.brokers] == [1, 2]
    assert not reading.skipped


def test_settings_in_a_file_of_their_own() -> None:
    """Beside a layout they are read; alone they are refused, with what they are."""
    both = read_files([("topics.txt", DESCRIBE.encode()), ("configs.txt", (TOPICS + BROKER).encode())])

    assert both.tiering == Tiering(("events",), (2,))
    with pytest.raises(InputRefused, match="settings of topics or brokers"):
        read_files([("configs.txt", TOPICS.encode())])


def test_lines_that_only_look_like_settings_are_left() -> None:
    """Without a heading a setting is nobody's, and is reported as not understood."""
    reading = read(TOPICS.splitlines()[-1] + "\n" + DESCRIBE)

    assert reading.tiering == Tiering()
    assert len(reading.skipped) == 1


@pytest.mark.parametrize(
    ("line", "is_setting"),
    [
        (" remote.storage.enable=true sensitive=false synonyms={}", True),
        ("remote.storage.enable=true sensitive=false synonyms={}", False),
        ("  remote.storage.enable=true", False),
        ("  remote.storage.enable=true sensitive=false", False),
        ("  remote.storage.enable=true synonyms={}", False),
        ("  remote.storage.enable=true sensitive=false synonyms={", False),
        ("  remote.storage.enable=true sensitive=false }", False),
        ("  remote storage enable=true sensitive=false synonyms={}", False),
        ("  remote.storage.enable sensitive=false synonyms={}", False),
    ],
)
def test_a_setting_is_a_line_as_kafka_prints_it(line: str, is_setting: bool) -> None:
    """Any other is listed."""
    row = "Topic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    reading = read(f"{row}\nDynamic configs for topic a are:\n{line}\n")

    assert (reading.tiering.topics == ("a",), reading.skipped == ()) == (is_setting, is_setting)
