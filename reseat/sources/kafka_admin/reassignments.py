"""Reassignments under way (KIP-455), and the partitions whose metadata does not show them yet.

Kafka tells the two by different roads: the controller lists reassignments, and every broker answers metadata from what
has reached it. At the start of a move the list is ahead of the metadata; at its end the list is empty up to 0.6 s
(measured, 4.1) before the metadata shows the new replicas. So a partition that is listed, and whose replicas lack one
that is being added, is asked for again.

An answer of more than ``MOST_TOLD`` elements brokers of 4.4 cannot read, who pass it on from a KRaft controller: where
there are so many partitions, and no answer came, they are asked for in parts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kafka.protocol.admin import ListPartitionReassignmentsRequest

from reseat.errors import ClusterUnreachable
from reseat.model.naming import by_topic
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts
from reseat.sources.kafka_admin.error_names import error_name

__all__ = ["MOST_TOLD", "UnderWay", "behind", "listing", "listings", "take_reassignments"]

#: Elements of an array that brokers of 4.4 read.
MOST_TOLD = 1_000_000


@dataclass(frozen=True, slots=True)
class UnderWay:
    """One partition's reassignment: ids being added and removed."""

    adding: tuple[int, ...]
    removing: tuple[int, ...]


def listing(timeout_ms: int = 60_000) -> ListPartitionReassignmentsRequest:
    """The request for every reassignment under way."""
    return ListPartitionReassignmentsRequest(timeout_ms=timeout_ms, topics=None)


def listings(
    partitions: Iterable[tuple[str, int]], timeout_ms: int = 60_000
) -> Iterator[ListPartitionReassignmentsRequest]:
    """Requests for those of these partitions, of so many each that request and answer are read everywhere."""
    kind = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
    for part in in_parts(partitions, PARTITIONS_AT_ONCE):
        topics = [kind(name=topic, partition_indexes=ids) for topic, ids in by_topic(part).items()]
        yield ListPartitionReassignmentsRequest(timeout_ms=timeout_ms, topics=topics)


def take_reassignments(answer: Any) -> dict[tuple[str, int], UnderWay]:
    """The controller's list.

    Raises:
        ClusterUnreachable: the controller answered with an error (``authorization``: DESCRIBE on CLUSTER is needed).
    """
    if answer.error_code:
        name = error_name(answer.error_code)
        slug = "authorization" if "AUTHORIZATION" in name else "lost"
        raise ClusterUnreachable(f"The controller answered {name}.", slug)
    return {
        (topic.name, part.partition_index): UnderWay(tuple(part.adding_replicas), tuple(part.removing_replicas))
        for topic in answer.topics
        for part in topic.partitions
    }


def behind(under_way: Mapping[tuple[str, int], UnderWay], topics: Iterable[Any]) -> set[str]:
    """Topics of Metadata's answer that do not show yet what is listed for them."""
    listed = {topic for topic, _ in under_way}
    found: set[str] = set()
    for topic in topics:
        if topic.name not in listed:
            continue
        for part in topic.partitions:
            move = under_way.get((topic.name, part.partition_index))
            if move is not None and not {*move.adding, *move.removing} <= set(part.replica_nodes):
                found.add(topic.name)
                break
    return found
