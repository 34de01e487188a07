"""ListOffsets: where partitions end, asked of leaders or any replica; and where the records of tiered topics are.

Of tiered topics a topic is told only where the leaders of all its partitions told all of it. Offsets are counted as
records, which transaction markers make a few too many. Nothing is read of any record.

Source: EARLIEST_LOCAL (KIP-405, version 8) and LATEST_TIERED (KIP-1005, version 9, Kafka 3.9).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from kafka.protocol.consumer import ListOffsetsRequest

from reseat.consumers import Partition
from reseat.model.naming import by_topic
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts
from reseat.sources.kafka_admin.client import AdminClient, PendingAnswer

__all__ = ["CONSUMER", "LATEST", "ONLOOKER", "ends_request", "ends_told", "offset_requests", "records_told"]

#: Who asks: a consumer is told where the high watermark is, and by the leader alone.
CONSUMER = -1
#: A replica that only looks: brokers answer it with the end of their own log, leader or not.
ONLOOKER = -2
#: Which offset is asked for: where partitions end.
LATEST = -1
_EARLIEST, _EARLIEST_LOCAL, _LATEST_TIERED = -2, -4, -5
#: The first that knows all of these.
_VERSION = 9


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


def offset_requests(
    admin: AdminClient, leaders: Mapping[Partition, int]
) -> list[tuple[int, Callable[[], PendingAnswer]]]:
    """What to ask of leaders, each with which offset it asks for; nothing where the cluster cannot tell."""
    if not admin.supports(ListOffsetsRequest, _VERSION):
        return []
    led = defaultdict[int, list[Partition]](list)
    for partition, leader in leaders.items():
        led[leader].append(partition)

    def ask(which: int, leader: int, part: Iterable[Partition]) -> PendingAnswer:
        return admin.submit(ends_request(part, CONSUMER, which), leader)

    return [
        (which, partial(ask, which, leader, part))
        for leader, partitions in sorted(led.items())
        for part in in_parts(dict.fromkeys(partitions), PARTITIONS_AT_ONCE)
        for which in (_EARLIEST, _EARLIEST_LOCAL, _LATEST_TIERED, LATEST)
    ]


def records_told(
    leaders: Mapping[Partition, int], answers: Iterable[tuple[int, Any]]
) -> dict[str, tuple[int, int, int]]:
    """By topic: records in all, of these in local logs, and of these not tiered yet.

    Args:
        leaders: every partition of the topics, as asked.
        answers: which offset each answer tells, and the answer.
    """
    found = defaultdict[int, dict[Partition, int]](dict)
    for which, answer in answers:
        found[which] |= ends_told(answer)
    told: dict[str, tuple[int, int, int]] = {}
    lacking = set[str]()
    for partition in leaders:
        start, local, end = (found[which].get(partition) for which in (_EARLIEST, _EARLIEST_LOCAL, LATEST))
        if start is None or local is None or end is None:
            lacking.add(partition[0])
            continue
        # Where nothing is tiered yet the last tiered offset is -1, which is not among what is told.
        after = min(end, max(local, found[_LATEST_TIERED].get(partition, -1) + 1))
        before = told.get(partition[0], (0, 0, 0))
        told[partition[0]] = (before[0] + end - start, before[1] + end - local, before[2] + end - after)
    return {topic: records for topic, records in told.items() if topic not in lacking}
