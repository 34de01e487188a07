"""Reads groups through Kafka's Admin protocol: members, subscriptions, assignment and its target, offsets, lag.

Promises: (1) nothing is written and no group is joined; (2) a broker or a group that does not answer takes nothing from
the others: why it does not stands in ``not_read`` or the group's ``problems``, in sentences; (3) no wait is longer than
the connection's timeout; (4) what a member put into its metadata is bytes of a stranger, and read as such.

Needs: DESCRIBE on the groups (and on CLUSTER to list all of them), DESCRIBE on their topics for lag.

How: every broker lists the groups that it coordinates. A group is described by the one that lists it, by the request of
its kind. Then its committed offsets from the coordinator, and the ends of their partitions from the leaders, at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kafka.protocol.admin import ListGroupsRequest
from kafka.protocol.consumer import OffsetFetchRequest

from reseat.consumers import Member, Partition
from reseat.consumers.rebalancing import GroupState
from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed
from reseat.sources.in_parts import PARTITIONS_AT_ONCE, in_parts
from reseat.sources.kafka_admin.client import AdminClient, told_by_brokers
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.groups.describing import described, with_sources
from reseat.sources.kafka_admin.groups.live import ListedGroup, Listing, LiveGroup
from reseat.sources.kafka_admin.groups.messages import DescribeShareGroupOffsetsRequest
from reseat.sources.kafka_admin.list_offsets import CONSUMER, ends_request, ends_told
from reseat.sources.kafka_admin.partitions import printed_id
from reseat.sources.kafka_admin.requests import metadata_of

__all__ = ["describe_group", "list_groups", "state_of"]


def list_groups(admin: AdminClient) -> Listing:
    """The groups of a cluster, sorted by name.

    Args:
        admin: an open connection.

    Raises:
        ClusterUnreachable: not one broker lists its groups.
    """
    brokers = list(admin.brokers())
    found: dict[str, ListedGroup] = {}
    not_read: list[str] = []
    failed: ClusterUnreachable | None = None
    asked = ((broker, ListGroupsRequest(states_filter=[], types_filter=[])) for broker in brokers)
    for broker, told in told_by_brokers(admin, asked):
        if isinstance(told, ClusterUnreachable):
            failed = told
            not_read.append(f"Broker {broker} does not list the groups that it coordinates: {told.sentence}")
            continue
        if told.error_code:
            not_read.append(
                f"Broker {broker} does not list the groups that it coordinates: {error_name(told.error_code)}."
            )
        for group in told.groups:
            found[group.group_id] = ListedGroup(
                group.group_id,
                (getattr(group, "group_type", None) or "classic").lower(),
                getattr(group, "group_state", None) or "",
                group.protocol_type,
                broker,
            )
    if failed is not None and len(not_read) == len(brokers):
        raise failed
    return Listing(tuple(found[name] for name in sorted(found)), tuple(not_read))


def describe_group(admin: AdminClient, name: str) -> LiveGroup:
    """One group: members, assignment and its target, committed offsets and ends.

    Args:
        admin: an open connection.
        name: the group id.

    Raises:
        ClusterUnreachable: the group cannot be described: ``authorization`` where this user may not, ``lost`` where
            there is no such group or its coordinator does not answer.
    """
    listed_as = _listed(admin, name)
    group = described(admin, listed_as)
    problems = list(group.problems)
    if group.kind == "share":
        committed, lags = _share_offsets(admin, name, group.coordinator, problems)
    else:
        committed, lags = _committed_offsets(admin, name, group.coordinator, problems), None
    topics = {topic for topic, _ in committed}
    for member in group.members:
        topics |= {topic for topic, _ in member.assignment} | set(member.topics or ())
    partitions, leaders, ids = _leaders_of(admin, sorted(topics), problems)
    ends = _end_offsets(admin, [p for p in committed if p in leaders], leaders, problems)
    found = replace(
        group,
        committed=committed,
        ends=ends,
        partitions=partitions,
        topic_ids=ids,
        lags=lags,
        problems=tuple(problems),
    )
    return with_sources(found) if group.kind == "streams" else found


def state_of(group: LiveGroup) -> tuple[GroupState, tuple[str, ...]]:
    """A live group as a story begins with it, and what one should know of how that was made.

    What members read is what they own, all in one generation or each in its epoch. A member whose subscription is not
    told is taken to subscribe to every topic that the group reads.

    Args:
        group: the group as read.
    """
    read = tuple(sorted({topic for member in group.members for topic, _ in member.assignment}))
    notes = list(group.problems)
    assumed = f"it is assumed to be all {counted(len(read), 'topic')} that the group reads."
    by_pattern = [
        f"{member.id} subscribes by a pattern ({member.pattern})" for member in group.members if member.pattern
    ]
    if by_pattern:
        notes.append(f"{listed(by_pattern, 3)}, which its brokers resolve; {assumed}")
    untold = [member.id for member in group.members if member.topics is None and not member.pattern]
    if untold:
        notes.append(f"The subscription of {listed(untold, 3)} is unknown (the group is {group.state}); {assumed}")
    if group.kind == "consumer":
        notes.append(
            "The brokers assign this group's partitions (KIP-848), by broker-uniform or broker-range. What the "
            "assignors of classic groups would assign is shown for comparison alone."
        )
    members = {
        member.id: Member(
            member.id,
            member.topics if member.topics is not None else read,
            instance_id=member.instance_id,
            rack=member.rack,
            owned=tuple(sorted(member.assignment)),
            generation=member.generation if group.epoch is not None else 1,
            user_data=member.user_data,
        )
        for member in group.members
    }
    state = GroupState(
        members, dict(group.partitions), 1 if group.epoch is None else group.epoch, topic_ids=group.topic_ids
    )
    return state, tuple(notes)


def _listed(admin: AdminClient, name: str) -> ListedGroup:
    """The group as the broker lists it that coordinates it.

    FindCoordinator is not asked: where no group has ever been, Kafka makes its offsets topic to answer it.
    """
    listing = list_groups(admin)
    found = next((group for group in listing.groups if group.name == name), None)
    if found is None:
        why = " ".join(
            ("There is no such group, it has expired, or this user lacks DESCRIBE on it.", *listing.not_read)
        )
        raise ClusterUnreachable(f"No broker lists the group {name}. {why}", "lost")
    return found


_NO_LEADER = -1
_UNKNOWN = -1


def _committed_offsets(admin: AdminClient, name: str, coordinator: int, problems: list[str]) -> dict[Partition, int]:
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


def _share_offsets(
    admin: AdminClient, name: str, coordinator: int, problems: list[str]
) -> tuple[dict[Partition, int], dict[Partition, int] | None]:
    """Where each partition of a share group begins, and its lag, or None where that is not told (before 4.2).

    What lies before the start is done with; what lies beyond may be as well. ``problems`` as in ``_committed_offsets``.
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


def _leaders_of(
    admin: AdminClient, topics: list[str], problems: list[str]
) -> tuple[dict[str, int], dict[Partition, int], dict[str, str]]:
    """Partitions by topic, the leader of each partition that has one, and topic ids as Kafka prints them, where told.

    ``problems`` as in ``_committed_offsets``.
    """
    if not topics:
        return {}, {}, {}
    try:
        told = admin.send(metadata_of(topics), again=True)
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


def _end_offsets(
    admin: AdminClient, wanted: Iterable[Partition], leaders: Mapping[Partition, int], problems: list[str]
) -> dict[Partition, int]:
    """Where partitions end, as their leaders tell; ``problems`` as in ``_committed_offsets``."""
    by_leader: dict[int, list[Partition]] = {}
    for partition in wanted:
        by_leader.setdefault(leaders[partition], []).append(partition)
    requests = (
        (leader, ends_request(part, CONSUMER))
        for leader, led in by_leader.items()
        for part in in_parts(led, PARTITIONS_AT_ONCE)
    )
    ends: dict[Partition, int] = {}
    for leader, told in told_by_brokers(admin, requests):
        if isinstance(told, ClusterUnreachable):
            problems.append(f"Broker {leader} does not report the end offsets of its partitions: {told.sentence}")
        else:
            ends |= ends_told(told)
    return ends
