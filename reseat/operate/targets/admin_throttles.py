"""Throttles through the Admin protocol: told by brokers and topics, set on them, and waited for until told back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.model.wording import named, verb
from reseat.operate.targets.admin_requests import GONE, PASSING_WHOLE, AdminRequests, accept
from reseat.operate.targets.admin_settings import TOPICS_AT_ONCE, configuring, refuse_too_long, settings_in_parts
from reseat.operate.targets.error_names import NONE, error_name
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.target import Throttles
from reseat.operate.targets.throttle_names import (
    BROKER_SETTINGS,
    DIRECTORY_RATE,
    TOPIC_SETTINGS,
    Settings,
    by_entity,
    from_entities,
)
from reseat.sources.in_parts import in_parts
from reseat.sources.kafka_admin.requests import BROKER, TOPIC, settings_of

__all__ = ["AdminThrottles"]

_OF_THIS_TOPIC, _OF_THIS_BROKER = 1, 2  # sources of a setting: dynamic, of this entity alone


class AdminThrottles:
    """The throttles of one cluster.

    Args:
        requests: how the cluster is asked.
        in_force: how long a setting may take until it is told back.
    """

    def __init__(self, requests: AdminRequests, in_force: Patience) -> None:
        self._requests = requests
        self._in_force = in_force

    def read(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        """What is set on these brokers and topics; see ``Target.throttles``."""
        return from_entities(self._broker_settings(dict.fromkeys(brokers)), self._topic_settings(dict.fromkeys(topics)))

    def directory_rates(self, brokers: Sequence[int]) -> dict[int, str | None]:
        """The throttle of moves between directories; see ``Target.directory_rates``."""
        told = self._broker_settings(dict.fromkeys(brokers), (DIRECTORY_RATE,))
        return {broker: settings[DIRECTORY_RATE] for broker, settings in told.items()}

    def write(self, throttles: Throttles) -> None:
        """Set them and wait until they are told back; see ``Target.set_throttles``."""
        rates, lists = by_entity(throttles)
        refuse_too_long(rates)
        refuse_too_long(lists)
        self._configure_topics(lists)
        silent = self._configure_brokers(rates)
        self._await_in_force({broker: rates[broker] for broker in rates if broker not in silent}, lists)
        if silent:
            why = next(iter(silent.values()))
            raise ClusterUnreachable(
                f"The throttles of {named('broker', silent)} were not changed: "
                f"{verb(len(silent), 'it does', 'they do')} not answer, and no other broker changes the settings of "
                "one (on KRaft, kafka-configs --bootstrap-controller does). Everything else was set.",
                why.reason,
                why.server,
            )

    def _broker_settings(self, brokers: Iterable[int], names: Sequence[str] = BROKER_SETTINGS) -> dict[int, Settings]:
        """The rates set on these brokers; one that does not answer is absent."""
        told: dict[int, Settings] = {}
        requests = {broker: settings_of(BROKER, [str(broker)], names) for broker in brokers}
        for broker, response in self._requests.by_broker(requests):
            if not isinstance(response, ClusterUnreachable):
                told[broker] = self._read_settings(response, names, _OF_THIS_BROKER)[str(broker)]
        return told

    def _topic_settings(self, topics: Iterable[str]) -> dict[str, Settings]:
        """The lists set on these topics; one that is gone is absent."""
        told: dict[str, Settings] = {}
        for chunk in in_parts(topics, TOPICS_AT_ONCE):
            response = self._requests.settled(settings_of(TOPIC, chunk, TOPIC_SETTINGS), lambda _: NONE, None)
            told |= self._read_settings(response, TOPIC_SETTINGS, _OF_THIS_TOPIC)
        return told

    def _read_settings(self, response: Any, keys: Sequence[str], own: int) -> dict[str, Settings]:
        settings: dict[str, Settings] = {}
        for result in response.results:
            name = error_name(result.error_code)
            if name in GONE:
                continue
            accept(name, result.error_message, result.resource_name, f"DescribeConfigs on {_where(result)}")
            found = {one.name: one.value for one in result.configs if one.config_source == own}
            settings[result.resource_name] = {key: found.get(key) for key in keys}
        return settings

    def _configure_topics(self, topics: Mapping[str, Settings]) -> None:
        for chunk in settings_in_parts(topics):
            request = configuring(TOPIC, chunk)
            self._accept_all(self._requests.settled(request, _passing_error, None))

    def _configure_brokers(self, brokers: Mapping[int, Settings]) -> dict[int, ClusterUnreachable]:
        """Set rates; returns why, for each broker that did not answer."""
        silent: dict[int, ClusterUnreachable] = {}
        requests = {broker: configuring(BROKER, {str(broker): brokers[broker]}) for broker in sorted(brokers)}
        for broker, response in self._requests.by_broker(requests):
            if isinstance(response, ClusterUnreachable):
                silent[broker] = response
            else:
                self._accept_all(response)
        return silent

    def _accept_all(self, response: Any) -> None:
        for one in response.responses:
            name = error_name(one.error_code)
            if name not in GONE:
                accept(name, one.error_message, one.resource_name, f"AlterConfigs on {_where(one)}")

    def _await_in_force(self, rates: Mapping[int, Settings], lists: Mapping[str, Settings]) -> None:
        brokers, topics = dict(rates), dict(lists)
        for _ in self._in_force.attempts():
            every = (*BROKER_SETTINGS, DIRECTORY_RATE)
            told, seen = self._broker_settings(brokers, every), self._topic_settings(topics)
            # One that died since has nothing in force, and reads what is set when it starts; so with topics that went.
            brokers = {one: want for one, want in brokers.items() if one in told and want.items() - told[one].items()}
            topics = {one: want for one, want in topics.items() if one in seen and want.items() - seen[one].items()}
            if not brokers and not topics:
                return
        who = [named("broker", brokers)] if brokers else []
        who += [named("topic", topics)] if topics else []
        raise ClusterUnreachable(
            f"The throttles were accepted, but {' and '.join(who)} did not confirm them: it is unknown whether they "
            "are in effect.",
            "timeout",
        )


def _where(told: Any) -> str:
    """What a right to these settings is on: a broker's belong to the cluster."""
    return "the cluster" if told.resource_type == BROKER else f"topic {told.resource_name}"


def _passing_error(response: Any) -> str:
    """The first error in an answer by resource that passes by itself; ``NONE`` where there is none."""
    names = (error_name(one.error_code) for one in response.responses)
    return next((name for name in names if name in PASSING_WHOLE), NONE)
