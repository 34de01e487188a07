"""A group as its coordinator describes it, each kind by its own request.

Classic groups are told by DescribeGroups, whose members' subscriptions are told while the group is stable alone; those
of the newer protocols by ConsumerGroupDescribe (KIP-848, 3.7), ShareGroupDescribe (KIP-932, 4.1) and
StreamsGroupDescribe (KIP-1071, 4.1).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from kafka.protocol.admin import DescribeGroupsRequest

from reseat.consumers import Partition
from reseat.consumers.group import NO_GENERATION
from reseat.errors import ClusterUnreachable
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.groups.consumer_protocol import read_assignment, read_subscription
from reseat.sources.kafka_admin.groups.live import KINDS, ListedGroup, LiveGroup, LiveMember, Tasks
from reseat.sources.kafka_admin.groups.messages import (
    ConsumerGroupDescribeRequest,
    ShareGroupDescribeRequest,
    StreamsGroupDescribeRequest,
)

__all__ = ["described", "with_sources"]

#: A coordinator's error that passes: it is reading its groups from disk.
_LOADING = 14
_NOT_FOUND = 69
#: How often a coordinator that is not ready is asked again, and after how long.
_TIMES, _PAUSE_SECONDS = 10, 0.3
#: ``MemberType`` of a classic member in a group of the consumer protocol.
_CLASSIC_MEMBER = 0


def described(admin: AdminClient, listed: ListedGroup) -> LiveGroup:
    """A group as its coordinator describes it; without offsets.

    Raises:
        ClusterUnreachable: it does not.
    """
    request, read = _NEWER.get(listed.kind, _NEWER["consumer"])
    what = f"Broker {listed.coordinator} does not describe the group {listed.name}"
    if admin.supports(request):
        told = _asked(admin, request(group_ids=[listed.name], **_further(request)), listed.coordinator)
        if not told.error_code:
            return read(told, listed.coordinator)
        # Before 3.8 groups are listed without their kind: a classic one is unknown to the newer request.
        if listed.kind != "classic" or told.error_code != _NOT_FOUND:
            raise _refused(told.error_code, what)
    elif listed.kind != "classic":
        kind = KINDS.get(listed.kind, listed.kind)
        raise ClusterUnreachable(f"{what}: it is a {kind}, of a version that Reseat does not know.", "lost")
    told = _asked(
        admin, DescribeGroupsRequest(groups=[listed.name], include_authorized_operations=False), listed.coordinator
    )
    if told.error_code or told.group_state == "Dead":
        raise _refused(told.error_code or _NOT_FOUND, what)
    return _of_classic(told, listed.coordinator)


def _asked(admin: AdminClient, request: Any, coordinator: int) -> Any:
    """The one group of the answer; asked again while the coordinator is loading."""
    pause = threading.Event()
    for attempt in range(_TIMES):
        told = admin.send(request, coordinator).groups[0]
        if told.error_code != _LOADING or attempt == _TIMES - 1:
            break
        pause.wait(_PAUSE_SECONDS)
    return told


def with_sources(group: LiveGroup) -> LiveGroup:
    """A streams group with the partitions that its tasks read, of every source topic of a subtopology."""

    def read(tasks: Tasks | None) -> tuple[Partition, ...]:
        return tuple(
            (topic, int(partition))
            for subtopology, _, partition in (task.rpartition("_") for task in (tasks or Tasks()).active)
            for topic in group.subtopologies.get(subtopology, ())
            if int(partition) < group.partitions.get(topic, 0)
        )

    members = (replace(one, assignment=read(one.tasks), target=read(one.target_tasks)) for one in group.members)
    return replace(group, members=tuple(members))


# ---- by kind -------------------------------------------------------------------------------------------------


def _of_classic(told: Any, coordinator: int) -> LiveGroup:
    members: list[LiveMember] = []
    problems: list[str] = []
    consumers = told.protocol_type in ("consumer", "")
    if not consumers:
        problems.append(f"The group uses {told.protocol_type}, not the consumer protocol: what it reads is unknown.")
    for one in told.members:
        subscription = read_subscription(bytes(one.member_metadata)) if consumers and one.member_metadata else None
        assignment = read_assignment(bytes(one.member_assignment or b"")) if consumers else ()
        if assignment is None or (consumers and one.member_metadata and subscription is None):
            problems.append(f"What member {one.member_id} sends is not the consumer protocol; it is ignored.")
        members.append(
            LiveMember(
                id=one.member_id,
                client_id=one.client_id,
                host=one.client_host.removeprefix("/"),
                instance_id=getattr(one, "group_instance_id", None),
                rack=subscription.rack if subscription else None,
                topics=subscription.topics if subscription else None,
                assignment=assignment or (),
                owned=subscription.owned if subscription else (),
                generation=subscription.generation if subscription else NO_GENERATION,
                user_data=subscription.user_data if subscription else b"",
            )
        )
    return LiveGroup(
        told.group_id,
        "classic",
        told.group_state,
        told.protocol_data,
        coordinator,
        tuple(members),
        problems=tuple(problems),
    )


def _of_consumer_protocol(told: Any, coordinator: int) -> LiveGroup:
    members = tuple(
        replace(
            _member(one),
            # A regular expression is resolved by the brokers, which do not tell to what.
            topics=None if one.subscribed_topic_regex else tuple(one.subscribed_topic_names),
            pattern=one.subscribed_topic_regex or None,
            assignment=_partitions(one.assignment),
            owned=_partitions(one.assignment),
            target=_partitions(one.target_assignment),
            classic=getattr(one, "member_type", None) == _CLASSIC_MEMBER,
        )
        for one in told.members
    )
    return _group(told, "consumer", coordinator, members)


def _of_share(told: Any, coordinator: int) -> LiveGroup:
    members = tuple(
        replace(_member(one), topics=tuple(one.subscribed_topic_names), assignment=_partitions(one.assignment))
        for one in told.members
    )
    return _group(told, "share", coordinator, members)


def _of_streams(told: Any, coordinator: int) -> LiveGroup:
    subtopologies = {
        one.subtopology_id: (*one.source_topics, *(topic.name for topic in one.repartition_source_topics))
        for one in (None if told.topology is None else told.topology.subtopologies) or ()
    }
    sources = tuple(sorted({topic for topics in subtopologies.values() for topic in topics}))
    members = tuple(
        replace(
            _member(one),
            topics=sources,
            tasks=_tasks(one.assignment),
            target_tasks=_tasks(one.target_assignment),
            classic=bool(one.is_classic),
        )
        for one in told.members
    )
    return replace(_group(told, "streams", coordinator, members), subtopologies=subtopologies)


#: The request for each kind of the newer protocols, and what reads its answer.
_NEWER: Mapping[str, tuple[Any, Callable[[Any, int], LiveGroup]]] = {
    "consumer": (ConsumerGroupDescribeRequest, _of_consumer_protocol),
    "share": (ShareGroupDescribeRequest, _of_share),
    "streams": (StreamsGroupDescribeRequest, _of_streams),
}


def _further(request: Any) -> dict[str, bool]:
    """What else is told with the request: nothing more is wanted."""
    more = {"include_authorized_operations": False}
    return more | ({"include_topology_description": False} if request is StreamsGroupDescribeRequest else {})


def _group(told: Any, kind: str, coordinator: int, members: tuple[LiveMember, ...]) -> LiveGroup:
    return LiveGroup(
        told.group_id,
        kind,
        told.group_state,
        getattr(told, "assignor_name", None) or "",
        coordinator,
        members,
        epoch=told.group_epoch,
        assignment_epoch=told.assignment_epoch,
    )


def _member(one: Any) -> LiveMember:
    return LiveMember(
        id=one.member_id,
        client_id=one.client_id,
        host=one.client_host.removeprefix("/"),
        instance_id=getattr(one, "instance_id", None),
        rack=one.rack_id,
        generation=one.member_epoch,
    )


def _partitions(assignment: Any) -> tuple[Partition, ...]:
    return tuple((one.topic_name, partition) for one in assignment.topic_partitions for partition in one.partitions)


def _tasks(told: Any) -> Tasks:
    def named(tasks: Any) -> tuple[str, ...]:
        return tuple(f"{one.subtopology_id}_{partition}" for one in tasks for partition in sorted(one.partitions))

    return Tasks(named(told.active_tasks), named(told.standby_tasks), named(told.warmup_tasks))


def _refused(code: int, what: str) -> ClusterUnreachable:
    name = error_name(code)
    slug = "authorization" if "AUTHORIZATION" in name else "lost"
    more = " There is no such group, or it has expired." if code == _NOT_FOUND else ""
    return ClusterUnreachable(f"{what}: {name}.{more}", slug)
