"""Cordons through the Admin protocol: told by brokers, set on them, and waited for until log directories tell them.

What a broker tells of its setting is not what is in force: with relative ``log.dirs`` Kafka 4.4.0 takes a cordon, tells
it back and places replicas there all the same (tried). So it is the log directories that are asked.

Source: KIP-1066.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reseat.errors import ClusterUnreachable
from reseat.model.wording import named, verb
from reseat.operate.targets.admin_requests import AdminRequests, accept
from reseat.operate.targets.admin_settings import configuring
from reseat.operate.targets.cordon_settings import SETTING, Cordon, closes
from reseat.operate.targets.error_names import error_name
from reseat.operate.targets.patience import Patience
from reseat.sources.kafka_admin.requests import BROKER, settings_of

__all__ = ["AdminCordons"]

#: The level of ``metadata.version`` from which controllers know cordons: 4.3-IV0.
_KNOWN_FROM = 30
#: ConfigSource of a value set on the broker while it runs, and of one that its file has.
_DYNAMIC, _STATIC = 2, 4


class AdminCordons:
    """The cordons of one cluster.

    Args:
        requests: how the cluster is asked.
        in_force: how long a setting may take until log directories tell it.
    """

    def __init__(self, requests: AdminRequests, in_force: Patience) -> None:
        self._requests = requests
        self._in_force = in_force

    def known(self) -> bool:
        """Whether the cluster knows cordons; its brokers may, and a cluster formatted by an older Kafka does not."""
        from reseat.sources.kafka_admin.overview import features_told, versions_request

        answer = self._requests.settled(versions_request(), lambda told: error_name(told.error_code), None)
        return features_told(answer).get("metadata.version", 0) >= _KNOWN_FROM

    def read(self, brokers: Sequence[int]) -> dict[int, Cordon]:
        """How these brokers are cordoned; one that does not answer is absent."""
        settings = self._settings(brokers)
        return {
            broker: Cordon(bool(told) and all(told.values()), *settings[broker])
            for broker, told in self._directories(settings).items()
        }

    def closed(self, brokers: Sequence[int]) -> frozenset[int]:
        """Those of these brokers of which every log directory is cordoned, as far as they answer."""
        return frozenset(broker for broker, told in self._directories(brokers).items() if told and all(told.values()))

    def write(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        """Set the brokers' values, None unsets; see ``Target.set_cordons``."""
        requests = {broker: configuring(BROKER, {str(broker): {SETTING: settings[broker]}}) for broker in settings}
        silent: dict[int, ClusterUnreachable] = {}
        for broker, response in self._requests.by_broker(requests):
            if isinstance(response, ClusterUnreachable):
                silent[broker] = response
                continue
            for one in response.responses:
                accept(error_name(one.error_code), one.error_message, one.resource_name, "AlterConfigs on the cluster")
        missed = self._missed({broker: settings[broker] for broker in settings if broker not in silent})
        if silent:
            why = next(iter(silent.values()))
            raise ClusterUnreachable(
                f"The cordon of {named('broker', sorted(silent))} was not changed: "
                f"{verb(len(silent), 'it does', 'they do')} not answer. {why.sentence}",
                why.reason,
                why.server,
            )
        return missed

    def _missed(self, settings: Mapping[int, str | None]) -> frozenset[int]:
        """Brokers whose log directories do not tell what was set."""
        left = set(settings)
        for _ in self._in_force.attempts():
            static = {broker: told[1] for broker, told in self._settings(sorted(left)).items()}
            for broker, told in self._directories(sorted(left)).items():
                value = settings[broker]
                meant = closes(static.get(broker) if value is None else value, told)
                if {path for path, cordoned in told.items() if cordoned} == meant:
                    left.discard(broker)
            if not left:
                break
        return frozenset(left)

    def _settings(self, brokers: Iterable[int]) -> dict[int, tuple[str | None, str | None]]:
        """What is set on each broker while it runs, and what its file says; one that does not answer is absent."""
        told: dict[int, tuple[str | None, str | None]] = {}
        requests = {broker: settings_of(BROKER, [str(broker)], (SETTING,), synonyms=True) for broker in brokers}
        for broker, response in self._requests.by_broker(requests):
            if isinstance(response, ClusterUnreachable):
                continue
            for result in response.results:
                name, right = error_name(result.error_code), "DescribeConfigs on the cluster"
                accept(name, result.error_message, result.resource_name, right)
                values = {
                    one.source: one.value for config in result.configs for one in config.synonyms if one.name == SETTING
                }
                told[broker] = (values.get(_DYNAMIC), values.get(_STATIC) or None)
        return told

    def _directories(self, brokers: Iterable[int]) -> dict[int, dict[str, bool]]:
        """By broker the log directories that are online, and whether each is cordoned."""
        from kafka.protocol.admin import DescribeLogDirsRequest

        out: dict[int, dict[str, bool]] = {}
        for broker, response in self._requests.by_broker({one: DescribeLogDirsRequest(topics=[]) for one in brokers}):
            if not isinstance(response, ClusterUnreachable):
                name = error_name(response.error_code)
                accept(name, None, f"log directories of broker {broker}", "Describe on the cluster")
                out[broker] = {one.log_dir: _cordoned(one) for one in response.results if one.error_code == 0}
        return out


def _cordoned(directory: Any) -> bool:
    return bool(getattr(directory, "is_cordoned", False))
