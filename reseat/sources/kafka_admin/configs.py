"""The configurations that matter (KIP-133): of every topic in batches that name the keys, of every broker by itself.

Kafka answers with what is in force and where it comes from. A topic's ``min.insync.replicas`` in force may be its own
override, a dynamic default of the cluster, or the answering broker's file: brokers whose files differ are not one
cluster to Kafka either, since each partition's leader goes by its own file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from reseat.sources.config_keys import BROKER_KEYS, TOPIC_KEYS
from reseat.sources.kafka_admin.client import AdminClient, PendingAnswer
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.questions import BROKER, TOPIC, settings_of

__all__ = ["ConfigsTold", "broker_requests", "topic_requests"]

#: ConfigSource TOPIC_CONFIG: set on the topic itself.
_OVERRIDE = 1
#: Topics a request: some 250 bytes of answer a topic, and a broker busy for tens of milliseconds.
_BATCH = 500


def topic_requests(admin: AdminClient, topics: Sequence[str]) -> Iterator[tuple[int, Callable[[], PendingAnswer]]]:
    """Requests for all topics, in batches; the key is the batch's first topic's position."""
    for start in range(0, len(topics), _BATCH):
        request = settings_of(TOPIC, topics[start : start + _BATCH], TOPIC_KEYS)
        yield start, lambda request=request: admin.submit(request, again=True)  # type: ignore[misc]


def broker_requests(admin: AdminClient, brokers: Iterable[int]) -> Iterator[tuple[int, Callable[[], PendingAnswer]]]:
    """A request for each broker, which it alone can answer."""
    for broker in brokers:
        request = settings_of(BROKER, [str(broker)], BROKER_KEYS)
        yield broker, lambda request=request, broker=broker: admin.submit(request, broker)  # type: ignore[misc]


@dataclass(eq=False)
class ConfigsTold:
    """What answers told, gathered.

    Attributes:
        min_in_sync: ``min.insync.replicas`` in force by topic.
        topics: overrides by topic.
        brokers: values in force by broker.
        refused: Kafka's error name by resource that was not told.
    """

    min_in_sync: dict[str, int] = field(default_factory=dict)
    topics: dict[str, dict[str, str]] = field(default_factory=dict)
    brokers: dict[int, dict[str, str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def take_topics(self, answer: Any) -> None:
        """One batch's answer."""
        for told in answer.results:
            if told.error_code:
                self.refused[told.resource_name] = error_name(told.error_code)
                continue
            own: dict[str, str] = {}
            for config in told.configs:
                if config.name == "min.insync.replicas" and _is_count(config.value):
                    self.min_in_sync[told.resource_name] = int(config.value)
                if config.config_source == _OVERRIDE and config.value:
                    own[config.name] = config.value
            if own:
                self.topics[told.resource_name] = own

    def take_broker(self, broker: int, answer: Any) -> str | None:
        """One broker's answer; returns Kafka's error name where it refused."""
        for told in answer.results:
            if told.error_code:
                return error_name(told.error_code)
            self.brokers[broker] = {config.name: config.value for config in told.configs if config.value}
        return None


def _is_count(value: str | None) -> bool:
    return value is not None and value.isascii() and value.isdigit() and len(value) < 10
