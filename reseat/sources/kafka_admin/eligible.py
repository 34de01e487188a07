"""Eligible leader replicas (KIP-966) of the partitions that can have any.

They are told by DescribeTopicPartitions alone (3.7 and later), in pages, at the price of reading all partitions once
more. But while the ISR holds ``min.insync.replicas`` members they are empty by definition: so only topics with a
partition below are asked for, and elsewhere "none" is what is true.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from kafka.protocol.admin import DescribeTopicPartitionsRequest

from reseat.errors import ClusterUnreachable
from reseat.model import NONE, Longs
from reseat.sources.in_parts import in_parts
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.partitions import PartitionsTold
from reseat.sources.kafka_admin.request_batch import RequestBatch

__all__ = ["FEATURE", "TOPICS_AT_ONCE", "Eligible", "read_eligible", "rows_below"]

#: The cluster's feature; at level 0 the lists are not kept.
FEATURE = "eligible.leader.replicas.version"
#: Topics in one request, far below what brokers of 4.4 read: each page names again those that are still to come.
TOPICS_AT_ONCE = 10_000
#: Kafka's own limit for one answer (max.request.partition.size.limit).
_PAGE = 2000

#: (topic, partition) -> (eligible, last known eligible).
Eligible = dict[tuple[str, int], tuple[tuple[int, ...], tuple[int, ...]]]


def rows_below(told: PartitionsTold, min_in_sync: Mapping[str, int]) -> Longs:
    """Rows whose ISR is below ``min.insync.replicas``; where that is not told, rows whose ISR is not complete.

    RF caps it, as in Kafka (3.7 and later).
    """
    factor = (told.replicas != NONE).sum(axis=1)
    least = np.array([min_in_sync.get(name, np.iinfo(np.int32).max) for name in told.topics], np.int64)
    wanted = np.minimum(least[told.topic_of], factor) if len(told.topics) else factor
    return np.flatnonzero((told.in_sync != NONE).sum(axis=1) < wanted)


def read_eligible(admin: AdminClient, batch: RequestBatch, topics: list[str]) -> Eligible:
    """Ask for these topics, page by page; partitions without any are absent.

    Raises:
        ClusterUnreachable: no broker answers.
        Cancelled: the person stopped the reading.
    """
    pages = (page for some in in_parts(sorted(topics), TOPICS_AT_ONCE) for page in _pages(admin, batch, some))
    return {
        (topic.name, part.partition_index): (
            tuple(part.eligible_leader_replicas or ()),
            tuple(part.last_known_elr or ()),
        )
        for page in pages
        for topic in page.topics
        for part in topic.partitions
        if part.eligible_leader_replicas or part.last_known_elr
    }


def _pages(admin: AdminClient, batch: RequestBatch, topics: list[str]) -> Iterator[Any]:
    wanted, cursor, done = DescribeTopicPartitionsRequest.TopicRequest, None, 0
    while True:
        request = DescribeTopicPartitionsRequest(
            topics=[wanted(name=name) for name in topics], response_partition_limit=_PAGE, cursor=cursor
        )
        page = batch.wait(admin, admin.submit(request, again=True))
        done += len(page.topics)
        batch.tell("eligible leader replicas", min(done, len(topics)), len(topics))
        yield page
        if page.next_cursor is None:
            return
        following = (page.next_cursor.topic_name, page.next_cursor.partition_index)
        if cursor is not None and following <= (cursor.topic_name, cursor.partition_index):
            raise ClusterUnreachable("A broker repeats a page of its partitions, which no Kafka broker does.", "lost")
        topics = [name for name in topics if name >= following[0]]
        cursor = DescribeTopicPartitionsRequest.Cursor(topic_name=following[0], partition_index=following[1])
