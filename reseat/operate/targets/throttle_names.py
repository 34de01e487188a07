"""How Kafka calls the settings of replication throttles (KIP-73), and how ``Throttles`` maps to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from reseat.operate.targets.target import Throttles

__all__ = [
    "BROKER_SETTINGS",
    "DIRECTORY_RATE",
    "FOLLOWER_RATE",
    "FOLLOWER_REPLICAS",
    "LEADER_RATE",
    "LEADER_REPLICAS",
    "LONGEST_LIST",
    "LONGEST_VALUE",
    "TOPIC_SETTINGS",
    "Settings",
    "by_entity",
    "from_entities",
]

#: Values by setting; None: not set.
Settings: TypeAlias = dict[str, str | None]

#: Settings of a broker: what it sends, and fetches, of throttled replicas at most (KIP-73).
LEADER_RATE, FOLLOWER_RATE = "leader.replication.throttled.rate", "follower.replication.throttled.rate"
#: Settings of a topic: which of its replicas are throttled.
LEADER_REPLICAS, FOLLOWER_REPLICAS = "leader.replication.throttled.replicas", "follower.replication.throttled.replicas"
#: How fast a broker copies replicas from one of its directories to another (KIP-113).
DIRECTORY_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
#: Bytes that a string of Kafka's protocol takes; brokers close the connection on a longer one.
LONGEST_VALUE = 32_767
#: Bytes of a list of replicas that Reseat sets; what would be longer is ``*``, all replicas of the topic.
LONGEST_LIST = 30_000
#: The settings of a broker, and those of a topic.
BROKER_SETTINGS = (LEADER_RATE, FOLLOWER_RATE)
TOPIC_SETTINGS = (LEADER_REPLICAS, FOLLOWER_REPLICAS)


def by_entity(throttles: Throttles) -> tuple[dict[int, Settings], dict[str, Settings]]:
    """The settings by broker and by topic; what is not mentioned is absent."""
    brokers: dict[int, Settings] = {}
    topics: dict[str, Settings] = {}
    for setting, rates in (
        (LEADER_RATE, throttles.leader_rate),
        (FOLLOWER_RATE, throttles.follower_rate),
        (DIRECTORY_RATE, throttles.directory_rate),
    ):
        for broker, value in rates.items():
            brokers.setdefault(broker, {})[setting] = value
    for setting, lists in zip(TOPIC_SETTINGS, (throttles.leader_replicas, throttles.follower_replicas), strict=True):
        for topic, value in lists.items():
            topics.setdefault(topic, {})[setting] = value
    return brokers, topics


def from_entities(brokers: Mapping[int, Settings], topics: Mapping[str, Settings]) -> Throttles:
    """The inverse of ``by_entity``, for entities that tell all their settings."""
    return Throttles(
        leader_rate={broker: told[LEADER_RATE] for broker, told in brokers.items()},
        follower_rate={broker: told[FOLLOWER_RATE] for broker, told in brokers.items()},
        leader_replicas={topic: told[LEADER_REPLICAS] for topic, told in topics.items()},
        follower_replicas={topic: told[FOLLOWER_REPLICAS] for topic, told in topics.items()},
    )
