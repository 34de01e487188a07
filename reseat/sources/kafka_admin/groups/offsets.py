"""How far a consumer group is: committed offsets from its coordinator, the ends of partitions from their leaders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kafka.errors import for_code
from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import MetadataRequest

from reseat.consumers import Partition
from reseat.errors import ClusterUnreachable
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.list_offsets import CONSUMER, ends_request, ends_told

__all__ = ["committed_offsets", "end_offsets", "error_name", "leaders_of"]

_NO_LEADER = -1


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
    try:
        told = admin.send(request, coordinator)
    except ClusterUnreachable as failure:
        problems.append(f"Committed offsets are unknown: {failure.sentence}")
        return {}
    group = told.groups[0] if getattr(told, "groups", None) else told
    if group.error_code:
        problems.append(f"Committed offsets are unknown: {error_name(group.error_code)}.")
        return {}
    return {
        (topic.name, part.partition_index): part.committed_offset
        for topic in group.topics
        for part in topic.partitions
        if not part.error_code and part.committed_offset >= 0
    }


def leaders_of(
    admin: AdminClient, topics: list[str], problems: list[str]
) -> tuple[dict[str, int], dict[Partition, int]]:
    """Partitions by topic, and the leader of each partition that has one; ``problems`` as in ``committed_offsets``."""
    if not topics:
        return {}, {}
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
        return {}, {}
    counts: dict[str, int] = {}
    leaders: dict[Partition, int] = {}
    for topic in told.topics:
        if topic.error_code:
            problems.append(f"Topic {topic.name} is unknown: {error_name(topic.error_code)}.")
            continue
        counts[topic.name] = 1 + max((part.partition_index for part in topic.partitions), default=-1)
        leaders |= {
            (topic.name, part.partition_index): part.leader_id
            for part in topic.partitions
            if part.leader_id != _NO_LEADER
        }
    return counts, leaders


def end_offsets(
    admin: AdminClient, wanted: Iterable[Partition], leaders: Mapping[Partition, int], problems: list[str]
) -> dict[Partition, int]:
    """Where partitions end, as their leaders tell; ``problems`` as in ``committed_offsets``."""
    by_leader: dict[int, list[Partition]] = {}
    for partition in wanted:
        by_leader.setdefault(leaders[partition], []).append(partition)
    answers = {leader: admin.submit(ends_request(told, CONSUMER), leader) for leader, told in by_leader.items()}
    ends: dict[Partition, int] = {}
    for leader, answer in answers.items():
        try:
            ends |= ends_told(admin.wait(answer))
        except ClusterUnreachable as failure:
            problems.append(f"Broker {leader} does not report the end offsets of its partitions: {failure.sentence}")
    return ends


def error_name(code: int) -> str:
    """Kafka's name of an error code."""
    return str(for_code(code).message)
