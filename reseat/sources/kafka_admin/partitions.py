"""Metadata's answer -> columns of partitions, in one pass, with the answer's objects let go of topic by topic.

Tiny example: two partitions with replicas [1, 2, 3] and [2, 3], ISR [1, 3] and [2] give ``replicas``
[[1, 2, 3], [2, 3, -1]] and ``in_sync`` [[1, 3], [2, -1]].

Complexity: O(replicas) beside kafka-python's decoding; one Python step a partition, since kafka-python has an object
for each, and numpy for the rest.
"""

from __future__ import annotations

import base64
import itertools
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseat.errors import ClusterUnreachable
from reseat.formats.input.reading import LIMITS
from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.arrays import found_in, row_keys

__all__ = ["PartitionsTold", "padded", "printed_id", "take_partitions"]

#: Kafka's LISTENER_NOT_FOUND: the leader is alive, and not on the listener by which we came.
_LISTENER_NOT_FOUND = 72


@dataclass(frozen=True, eq=False)
class PartitionsTold:
    """What Metadata tells of partitions; P rows, sorted by topic and partition. Broker ids, not positions.

    Attributes:
        topics: names, sorted; topics that were told with an error and without partitions are not among them.
        topic_of: (P,) int32 into ``topics``.
        partition: (P,) int32 partition id.
        replicas: (P, R) int32, -1 padded, in assignment order.
        in_sync: (P, I) int32, -1 padded: the ISR.
        leader: (P,) int32, -1 none.
        leader_epoch: (P,) int32, -1 before 2.3.
        other_listener: (P,) bool, the leader is alive and not on the listener by which we came.
        failed: Kafka's error code by topic that was told without partitions.
        topic_ids: the topics' ids as Kafka prints them, "" where not told (before 2.8).
    """

    topics: tuple[str, ...]
    topic_of: IntArray
    partition: IntArray
    replicas: IntArray
    in_sync: IntArray
    leader: IntArray
    leader_epoch: IntArray
    other_listener: BoolArray
    failed: dict[str, int]
    topic_ids: tuple[str, ...] = ()

    def rows(self, topic: Longs, partition: Longs) -> Longs:
        """The rows of partitions; -1 where there is none.

        Args:
            topic: (n,) positions in ``topics``, -1 for a topic that is not told.
            partition: (n,) partition ids.
        """
        return found_in(row_keys(self.topic_of, self.partition), row_keys(topic, partition))


def take_partitions(topics: list[Any]) -> PartitionsTold:
    """Take the topics of a Metadata answer; the list is emptied on the way.

    Raises:
        ClusterUnreachable: ``not_kafka``: replica lists are longer than any cluster has.
    """
    failed = {topic.name: topic.error_code for topic in topics if topic.error_code and not topic.partitions}
    topics.sort(key=lambda topic: topic.name or "", reverse=True)
    names: list[str] = []
    ids: list[str] = []
    counts: list[int] = []
    numbers: list[tuple[int, int, int, int]] = []
    replicas: list[list[int]] = []
    in_sync: list[list[int]] = []
    while topics:
        topic = topics.pop()
        if not topic.partitions:
            continue
        names.append(topic.name)
        ids.append(printed_id(topic.topic_id))
        counts.append(len(topic.partitions))
        parts = sorted(topic.partitions, key=_index)
        numbers += [(part.partition_index, part.leader_id, part.leader_epoch, part.error_code) for part in parts]
        replicas += [part.replica_nodes for part in parts]
        in_sync += [part.isr_nodes for part in parts]
    columns = np.array(numbers, np.int32).reshape(len(numbers), 4)
    del numbers
    return PartitionsTold(
        topics=tuple(names),
        topic_of=np.repeat(np.arange(len(names), dtype=np.int32), counts),
        partition=columns[:, 0].copy(),
        replicas=padded(replicas),
        in_sync=padded(in_sync),
        leader=np.maximum(columns[:, 1], NONE),
        leader_epoch=columns[:, 2].copy(),
        other_listener=columns[:, 3] == _LISTENER_NOT_FOUND,
        failed=failed,
        topic_ids=tuple(ids),
    )


def _index(part: Any) -> int:
    return int(part.partition_index)


def padded(lists: Sequence[Sequence[int] | None]) -> IntArray:
    """Lists of broker ids -> (n, longest) int32, -1 padded; None counts as empty.

    Raises:
        ClusterUnreachable: ``not_kafka``: the table would be larger than any cluster needs.
    """
    filled = [ids or () for ids in lists]
    lengths = np.fromiter(map(len, filled), np.int64, len(filled))
    width = int(lengths.max(initial=0))
    if width * len(filled) > LIMITS.cells:
        raise ClusterUnreachable(
            f"The server reports {len(filled):,} partitions and one with {width:,} replicas: no cluster has that many.",
            "not_kafka",
        )
    table = np.full((len(filled), width), NONE, np.int32)
    flat = np.fromiter(itertools.chain.from_iterable(filled), np.int32, int(lengths.sum()))
    table[np.arange(width) < lengths[:, None]] = flat
    return table


def printed_id(told: uuid.UUID | None) -> str:
    """A topic's id as Kafka prints it (KIP-516): 16 bytes as 22 characters of base64 for URLs.

    "" for none, which Kafka tells as zeros (before 2.8, and of topics made before it).
    """
    if told is None or not told.int:
        return ""
    return base64.urlsafe_b64encode(told.bytes).rstrip(b"=").decode()
