"""A cluster seen with the topics that a plan was approved for alone: one made anew under an old name is another topic.

How: whoever asks for partitions or throttles is not told of a topic whose id is another one than at approval, as if it
were gone, which for the plan it is. So nothing is sent for it, no throttle of the old one is set on it or put back, and
it is not taken for done. Where ids are not told (before Kafka 2.8) nothing is left out.

Source: KIP-516 (topic ids).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from reseat.operate.run.throttling import of_topics
from reseat.operate.targets.target import Assignment, Partition, Target, Throttles

__all__ = ["same_topics"]


def same_topics(target: Target, ids: Mapping[str, str], partitions: Iterable[Partition]) -> Target:
    """The target, without topics that have another id than these.

    Args:
        target: the cluster.
        ids: topic ids at approval, by name, as far as they were told.
        partitions: the plan's partitions; one of each topic is asked for to learn its id.
    """
    return cast("Target", _SameTopics(target, ids, dict(partitions))) if ids else target


class _SameTopics:
    """Hands everything else on to the target."""

    def __init__(self, target: Target, ids: Mapping[str, str], one_of: Mapping[str, int]) -> None:
        self._target = target
        self._ids = ids
        self._one_of = one_of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        told = self._target.assignments(partitions)
        return {one: now for one, now in told.items() if self._same(one[0], now)}

    def throttles(self, brokers: Sequence[int], topics: Sequence[str]) -> Throttles:
        told = self._target.throttles(brokers, topics)
        asked = [(topic, self._one_of[topic]) for topic in topics if topic in self._one_of]
        others = {one[0] for one, now in self._target.assignments(asked).items() if not self._same(one[0], now)}
        return of_topics(told, {*topics} - others) if others else told

    def _same(self, topic: str, now: Assignment) -> bool:
        return not now.topic_id or self._ids.get(topic, now.topic_id) == now.topic_id
