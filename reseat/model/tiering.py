"""Tiered topics: whose older segments are in remote storage, and which brokers start new replicas behind those.

Source: KIP-405 (``remote.storage.enable`` of a topic, which has no default for all topics) and KIP-1023
(``follower.fetch.last.tiered.offset.enable`` of a broker, from 4.3, off unless it is set).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["AFTER_TIERED", "TIERED", "Tiering"]

#: The topic's setting, and the broker's.
TIERED, AFTER_TIERED = "remote.storage.enable", "follower.fetch.last.tiered.offset.enable"


@dataclass(frozen=True, slots=True)
class Tiering:
    """What is tiered.

    Attributes:
        topics: names, ascending.
        after_tiered: ids, ascending, of the brokers whose new replicas begin after the last tiered offset.
    """

    topics: tuple[str, ...] = ()
    after_tiered: tuple[int, ...] = ()

    def __or__(self, other: Tiering) -> Tiering:
        """What either of two texts tells."""
        topics, brokers = {*self.topics, *other.topics}, {*self.after_tiered, *other.after_tiered}
        return Tiering(tuple(sorted(topics)), tuple(sorted(brokers)))

    @classmethod
    def of(cls, topics: Mapping[str, Mapping[str, str]], brokers: Mapping[int, Mapping[str, str]]) -> Tiering:
        """Of the settings of topics and of brokers, as far as they were read."""
        return cls(
            tuple(sorted(name for name, told in topics.items() if told.get(TIERED, "").lower() == "true")),
            tuple(sorted(broker for broker, told in brokers.items() if told.get(AFTER_TIERED, "").lower() == "true")),
        )
