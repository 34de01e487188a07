"""Tiered topics: whose older segments are in remote storage, and which brokers start new replicas behind those.

Source: KIP-405 (``remote.storage.enable`` of a topic, which has no default for all topics) and KIP-1023
(``follower.fetch.last.tiered.offset.enable`` of a broker, from 4.3, off unless it is set).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reseat.model.columns import FloatArray

__all__ = ["AFTER_TIERED", "RECORDS", "TIERED", "Tiering"]

#: The topic's setting, and the broker's.
TIERED, AFTER_TIERED = "remote.storage.enable", "follower.fetch.last.tiered.offset.enable"

#: The fact of a reading that tells, by topic, records in all, of these in local logs, and of these not tiered yet.
RECORDS = "tiered_records"


@dataclass(frozen=True, slots=True)
class Tiering:
    """What is tiered.

    Attributes:
        topics: names, ascending.
        after_tiered: ids, ascending, of the brokers whose new replicas begin after the last tiered offset.
        records: topic, records in all, of these in local logs, and of these not tiered yet, where they are told.
    """

    topics: tuple[str, ...] = ()
    after_tiered: tuple[int, ...] = ()
    records: tuple[tuple[str, int, int, int], ...] = ()

    def parts_not_tiered(self, topics: Sequence[str]) -> FloatArray:
        """(T,) float64: of each topic the part of its local records that is not tiered yet; NaN where not told."""
        part = {topic: fresh / local if local else 0.0 for topic, _, local, fresh in self.records}
        return np.array([part.get(topic, np.nan) for topic in topics], np.float64)

    def __or__(self, other: Tiering) -> Tiering:
        """What either of two texts tells."""
        topics, brokers = {*self.topics, *other.topics}, {*self.after_tiered, *other.after_tiered}
        return Tiering(tuple(sorted(topics)), tuple(sorted(brokers)), self.records or other.records)

    @classmethod
    def of(
        cls, topics: Mapping[str, Mapping[str, str]], brokers: Mapping[int, Mapping[str, str]], records: object = None
    ) -> Tiering:
        """Of the settings of topics and of brokers, as far as they were read, and of the fact ``RECORDS``."""
        return cls(
            tuple(sorted(name for name, told in topics.items() if told.get(TIERED, "").lower() == "true")),
            tuple(sorted(broker for broker, told in brokers.items() if told.get(AFTER_TIERED, "").lower() == "true")),
            tuple(
                (str(topic), *counts)
                for topic, told in sorted(records.items() if isinstance(records, Mapping) else ())
                if (counts := _counts(told)) is not None
            ),
        )


def _counts(told: object) -> tuple[int, int, int] | None:
    """Three counts, each of some of those before; None where a file tells something else."""
    counts = [one for one in told if isinstance(one, int)] if isinstance(told, Sequence) else []
    if len(counts) != 3 or not counts[0] >= counts[1] >= counts[2] >= 0:
        return None
    return counts[0], counts[1], counts[2]
