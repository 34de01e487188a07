"""How far a consumer group is: committed offsets from its coordinator, the ends of partitions from their leaders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import MetadataRequest

from reseat.consumers import Partition
from reseat.errors import ClusterUnreachable
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.groups.messages import DescribeShareGroupOffsetsRequest
from reseat.sources.kafka_admin.list_offsets import CONSUMER, ends_request, ends_told
from reseat.sources.kafka_admin.topic_ids import printed_id

__all__ = ["committed_offsets", "end_offsets", "leaders_of", "share_offsets"]

_NO_LEADER = -1
_UNKNOWN = -1


def committed_offsets(admin: AdminClient, name: str, coordinator: int, problems: list[str]) -> dict[Partition, int]:
    """What a group has committed, by partition; why it is not known is added to ``problems``."""
    wanted = OffsetFetchRequest.OffsetFetchRequestGroup
    request = OffsetFetchRequest(
        group_id=name,
        topics=None,
        groups=[wanted(group_id=name, member_id=None, member_epoch=-1, topics=None)],
        require_stable=False,
        max_version=9,  # later versions name topics by id alone
    )
    group = _group_told(admin, request, coordinator, "Committed offsets are unknown", problems)
    return {
        (topic.name, part.partition_index): part.committed_offset
        for topic in (() if group is None else group.topics)
        for part in topic.partitions
        if not part.error_code and part.committed_offset >= 0
    }


def share_offsets(
    admin: AdminClient, name: str, coordinator: int, problems: list[str]
) -> tuple[dict[Partition, int], dict[Partition, int] | None]:
    """Where each partition of a share group begins, and its lag, or None where that is not told (before 4.2).

    What lies before the start is done with; what lies beyond may be as well. ``problems`` as in ``committed_offsets``.
    """
    wanted: Any = DescribeShareGroupOffsetsRequest
    if not admin.supports(wanted):
        problems.append("How far the share group is, is unknown: this Kafka does not tell it.")
        return {}, {}
    group_of = wanted.DescribeShareGroupOffsetsRequestGroup
    request = wanted(groups=[group_of(group_id=name, topics=None)])
    told = _group_told(admin, request, coordinator, "How far the share group is, is unknown", problems)
    if told is None:
        return {}, {}
    known = {
        (topic.topic_name, part.partition_index): part
        for topic in told.topics
        for part in topic.partitions
        if not part.error_code and part.start_offset >= 0
    }
    lags = {partition: int(part.lag) for partition, part in known.items() if getattr(part, "lag", _UNKNOWN) >= 0}
    return {partition: int(part.start_offset) for partition, part in known.items()}, lags or None


def _group_told(admin: AdminClient, request: Any, coordinator: int, unknown: str, problems: list[str]) -> Any:
    """The one group of the answer; None, and why that is unknown, where there is none."""
    try:
        told = admin.send(request, coordinator)
    except ClusterUnreachable as failure:
        problems.append(f"{unknown}: {failure.sentence}")
        return None
    group = told.groups[0] if getattr(told, "groups", None) else told
    if group.error_code:
        problems.append(f"{unknown}: {error_name(group.error_code)}.")
        return None
    return group


def leaders_of(
    admin: AdminClient, topics: list[str], problems: list[str]
) -> tuple[dict[str, int], dict[Partition, int], dict[str, str]]:
    """Partitions by topic, the leader of each partition that has one, and topic ids as Kafka prints them, where told.

    ``problems`` as in ``committed_offsets``.
    """
    if not topics:
        return {}, {}, {}
    wanted = MetadataRequest.MetadataRequestTopic
    request = MetadataRequest(
        topics=[wanted(name=name) for name in topics],
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=False,
        include_topic_authorized_operations=False,
    )
    try:
        told = admin.send(request, again=True)
    except ClusterUnreachable as failure:
        problems.append(f"The group's topics are unknown: {failure.sentence}")
        return {}, {}, {}
    counts: dict[str, int] = {}
    ids: dict[str, str] = {}
    leaders: dict[Partition, int] = {}
    for topic in told.topics:
        if topic.error_code:
            problems.append(f"Topic {topic.name} is unknown: {error_name(topic.error_code)}.")
            continue
        given = printed_id(getattr(topic, "topic_id", None))
        ids |= {topic.name: given} if given else {}
        counts[topic.name] = 1 + max((part.partition_index for part in topic.partitions), default=-1)
        leaders |= {
            (topic.name, part.partition_index): part.leader_id
            for part in topic.partitions
            if part.leader_id != _NO_LEADER
        }
    return counts, leaders, ids


def end_offsets(
    admin: AdminClient, wanted: Iterable[Partition], leaders: Mapping[Partition, int], problems: list[str]
) -> dict[Partition, int]:
    """Where partitions end, as their leaders tell; ``problems`` as in ``committed_offsets``."""
    by_leader: dict[int, list[Partition]] = {}
    for partition in wanted:
        by_leader.setdefault(leaders[partition], []).append(partition)
    answers = [
        (leader, admin.submit(ends_request(part, CONSUMER), leader))
        for leader, told in by_leader.items()
        for part in in_parts(told, PARTITIONS_AT_ONCE)
    ]
    ends: dict[Partition, int] = {}
    for leader, answer in answers:
        try:
            ends |= ends_told(admin.wait(answer))
        except ClusterUnreachable as failure:
            problems.append(f"Broker {leader} does not report the end offsets of its partitions: {failure.sentence}")
    return ends
