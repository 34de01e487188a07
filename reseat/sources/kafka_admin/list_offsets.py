"""ListOffsets: where partitions end, asked as a consumer of their leaders or as an onlooker of any replica."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafka.protocol.consumer import ListOffsetsRequest

from reseat.consumers import Partition
from reseat.model.naming import by_topic

__all__ = ["CONSUMER", "LATEST", "ONLOOKER", "ends_request", "ends_told"]

#: Who asks: a consumer is told where the high watermark is, and by the leader alone.
CONSUMER = -1
#: A replica that only looks: brokers answer it with the end of their own log, leader or not.
ONLOOKER = -2
#: Which offset is asked for: where partitions end.
LATEST = -1


def ends_request(partitions: Iterable[Partition], asker: int, which: int = LATEST) -> ListOffsetsRequest:
    """The request for the ends of partitions.

    Args:
        partitions: of these.
        asker: ``CONSUMER`` or ``ONLOOKER``.
        which: another offset than the end, by Kafka's number.
    """
    part = ListOffsetsRequest.ListOffsetsTopic
    return ListOffsetsRequest(
        replica_id=asker,
        isolation_level=0,
        topics=[
            part(
                name=topic,
                partitions=[
                    part.ListOffsetsPartition(partition_index=one, current_leader_epoch=-1, timestamp=which)
                    for one in ids
                ],
            )
            for topic, ids in by_topic(partitions).items()
        ],
        timeout_ms=5_000,
    )


def ends_told(answer: Any) -> dict[Partition, int]:
    """The ends in an answer; a partition of which it does not tell one is absent."""
    return {
        (topic.name, part.partition_index): int(part.offset)
        for topic in answer.topics
        for part in topic.partitions
        if not part.error_code and part.offset >= 0
    }
