"""Where the logs of living replicas end and which high watermark they know, asked of each broker, leader or not.

What it promises: only what a broker itself told is in the answer; one that does not answer, or lacks the replica, is
absent; nothing is read of any record.

How: ListOffsets as Kafka's own debugging replica (id -2) asks for a replica's log end wherever it lies, also where
nobody leads. A follower's high watermark comes with an empty fetch at that very offset (KIP-392: consumers may fetch
from followers since 2.4); before 2.4 it is not told.

Source: ``ListOffsetsRequest.DEBUGGING_REPLICA_ID``, ``Partition.fetchOffsetForTimestamp``; KIP-392.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kafka.protocol.consumer import FetchRequest

from reseat.consumers import Partition
from reseat.errors import ClusterUnreachable
from reseat.model.naming import by_topic
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts
from reseat.sources.kafka_admin.client import AdminClient, told_by_brokers
from reseat.sources.kafka_admin.list_offsets import CONSUMER, ONLOOKER, ends_request, ends_told

__all__ = ["LogEnd", "log_ends"]

#: Fetch from followers begins with version 11; from 13 on topics go by id.
_FETCH_VERSIONS = (11, 12)


@dataclass(frozen=True, slots=True)
class LogEnd:
    """What one replica says of its log.

    Attributes:
        end: its log end offset (LEO): that of the next record.
        high_watermark: the newest high watermark it knows; None where it does not tell.
    """

    end: int
    high_watermark: int | None


def log_ends(
    admin: AdminClient, partitions: Iterable[Partition], brokers: Iterable[int]
) -> dict[tuple[Partition, int], LogEnd]:
    """The log ends of these partitions on these brokers, by both.

    Args:
        admin: an open client.
        partitions: which partitions; a broker that holds none of them says so, and is absent for them.
        brokers: ids of brokers that are alive.
    """
    asked, told = sorted(set(brokers)), dict[tuple[Partition, int], LogEnd]()
    for part in in_parts(dict.fromkeys(partitions), PARTITIONS_AT_ONCE):
        told |= _told_of(admin, part, asked)
    return told


def _told_of(
    admin: AdminClient, partitions: Iterable[Partition], brokers: Iterable[int]
) -> dict[tuple[Partition, int], LogEnd]:
    """The same for as many partitions as one request carries."""
    ends = _by_broker(admin, {broker: ends_request(partitions, ONLOOKER) for broker in brokers}, ends_told)
    marks: dict[int, dict[Partition, int]] = {}
    if admin.supports(FetchRequest, _FETCH_VERSIONS[0]):
        marks = _by_broker(admin, {one: _fetch(told) for one, told in ends.items() if told}, _marks_of)
    return {
        (partition, broker): LogEnd(end, marks.get(broker, {}).get(partition))
        for broker, told in ends.items()
        for partition, end in told.items()
    }


def _by_broker(admin: AdminClient, requests: Mapping[int, Any], read: Any) -> dict[int, dict[Partition, int]]:
    # What a broker that does not answer would have told is not known, which is what its absence says.
    return {
        broker: read(told)
        for broker, told in told_by_brokers(admin, requests.items())
        if not isinstance(told, ClusterUnreachable)
    }


def _fetch(ends: Mapping[Partition, int]) -> FetchRequest:
    """A fetch that waits for nothing and, at the end of each log, gets no record."""
    part = FetchRequest.FetchTopic
    return FetchRequest(
        replica_id=CONSUMER,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=1,
        isolation_level=0,
        session_id=0,
        session_epoch=-1,
        topics=[
            part(
                topic=topic,
                partitions=[
                    part.FetchPartition(
                        partition=one,
                        current_leader_epoch=-1,
                        fetch_offset=ends[topic, one],
                        last_fetched_epoch=-1,
                        log_start_offset=-1,
                        partition_max_bytes=1,
                    )
                    for one in ids
                ],
            )
            for topic, ids in by_topic(ends).items()
        ],
        forgotten_topics_data=[],
        rack_id="",
        min_version=_FETCH_VERSIONS[0],
        max_version=_FETCH_VERSIONS[1],
    )


def _marks_of(answer: Any) -> dict[Partition, int]:
    return {
        (topic.topic, part.partition_index): int(part.high_watermark)
        for topic in answer.responses
        for part in topic.partitions
        if not part.error_code and part.high_watermark >= 0
    }
