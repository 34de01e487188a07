"""The configurations that matter (KIP-133): of every topic in batches that name the keys, of every broker by itself.

Kafka answers with what is in force and where it comes from. A topic's ``min.insync.replicas`` in force may be its own
override, a dynamic default of the cluster, or the answering broker's file: brokers whose files differ are not one
cluster to Kafka either, since each partition's leader goes by its own file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.sources.config_keys import BROKER_KEYS, TOPIC_KEYS
from reseat.sources.in_parts import in_parts
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.request_batch import BATCHES_AT_ONCE, BROKERS_AT_ONCE, RequestBatch
from reseat.sources.kafka_admin.requests import BROKER, TOPIC, settings_of

__all__ = ["ConfigsTold", "read_configs"]

#: ConfigSource TOPIC_CONFIG: set on the topic itself.
_OVERRIDE = 1
#: Topics a request: some 250 bytes of answer a topic, and a broker busy for tens of milliseconds.
_BATCH = 500


def read_configs(admin: AdminClient, batch: RequestBatch, topics: Sequence[str], brokers: Sequence[int]) -> ConfigsTold:
    """Ask for all of these.

    Raises:
        Cancelled: the person stopped the reading.
    """
    told = ConfigsTold()
    of_brokers = ((one, partial(admin.submit, settings_of(BROKER, [str(one)], BROKER_KEYS), one)) for one in brokers)
    for broker, answer in batch.each(admin, "brokers' configurations", of_brokers, BROKERS_AT_ONCE):
        failed = isinstance(answer, ClusterUnreachable)
        why = answer.sentence if failed else told.take_broker(broker, answer)
        if why is not None:
            told.silent[broker] = why
    parts = (settings_of(TOPIC, some, TOPIC_KEYS) for some in in_parts(topics, _BATCH))
    of_topics = ((number, partial(admin.submit, part, again=True)) for number, part in enumerate(parts))
    for _, answer in batch.each(admin, "topics' configurations", of_topics, BATCHES_AT_ONCE):
        if isinstance(answer, ClusterUnreachable):
            told.failed.append(answer)
        else:
            told.take_topics(answer)
    return told


@dataclass(eq=False)
class ConfigsTold:
    """What answers told, gathered.

    Attributes:
        min_in_sync: ``min.insync.replicas`` in force by topic.
        topics: overrides by topic.
        brokers: values in force by broker.
        refused: Kafka's error name by topic that was not told.
        silent: why, by broker that told nothing.
        failed: why batches of topics were not answered.
    """

    min_in_sync: dict[str, int] = field(default_factory=dict)
    topics: dict[str, dict[str, str]] = field(default_factory=dict)
    brokers: dict[int, dict[str, str]] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    silent: dict[int, str] = field(default_factory=dict)
    failed: list[ClusterUnreachable] = field(default_factory=list)

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
