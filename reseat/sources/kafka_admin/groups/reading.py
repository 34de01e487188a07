"""Reads consumer groups through Kafka's Admin protocol: members, subscriptions, assignment, committed offsets, lag.

Promises: (1) nothing is written and no group is joined; (2) a broker or a group that does not answer takes nothing from
the others: why it does not stands in ``not_read`` or the group's ``problems``, in sentences; (3) no wait is longer than
the connection's timeout; (4) what a member put into its metadata is bytes of a stranger, and read as such.

Needs: DESCRIBE on the groups (and on CLUSTER to list all of them), DESCRIBE on their topics for lag.

How: every broker lists the groups that it coordinates. A group is described by the one that lists it: a classic one
with DescribeGroups, whose members' subscription is told while the group is stable alone; one of the consumer protocol
(KIP-848) with ConsumerGroupDescribe. Then its committed offsets from the coordinator, and the ends of their partitions
from the leaders, at once.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.api_message import ApiMessage

from reseat.consumers import Member, Partition
from reseat.consumers.group import NO_GENERATION
from reseat.consumers.rebalancing import GroupState
from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.groups.consumer_protocol import read_assignment, read_subscription
from reseat.sources.kafka_admin.groups.offsets import committed_offsets, end_offsets, error_name, leaders_of

__all__ = ["ListedGroup", "Listing", "LiveGroup", "LiveMember", "describe_group", "list_groups", "state_of"]

_SCHEMAS = "reseat.sources.kafka_admin.schemas"
#: A coordinator's error that passes: it is reading its groups from disk.
_LOADING = 14
_NOT_FOUND = 69
#: How often a coordinator that is not ready is asked again, and after how long.
_TIMES, _PAUSE_SECONDS = 10, 0.3


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_SCHEMAS):
    """Asks a coordinator for groups of the consumer protocol (KIP-848); not in kafka-python."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_SCHEMAS):
    """Its answer; kafka-python finds it by its key."""


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group as its coordinator lists it.

    Attributes:
        name: the group id.
        kind: ``consumer``, ``classic``, ``share``, ``streams``; ``classic`` before 3.7, which knows no other.
        state: ``Stable``, ``Empty``, ``PreparingRebalance`` and so on; "" before 2.6, which does not list it.
        protocol: ``consumer`` for consumers, ``connect`` for Kafka Connect, "" for a group with offsets alone.
        coordinator: the broker that listed it.
    """

    name: str
    kind: str
    state: str
    protocol: str
    coordinator: int


@dataclass(frozen=True, slots=True)
class Listing:
    """All groups that brokers list, by name, and which brokers did not."""

    groups: tuple[ListedGroup, ...]
    not_read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LiveMember:
    """A member as its coordinator tells it.

    Attributes:
        id: member id.
        client_id: ``client.id``.
        host: where it connects from.
        instance_id: ``group.instance.id`` of a static member, or None.
        rack: ``client.rack``, where told.
        topics: what it subscribes to, or None where that is not told.
        assignment: what it reads.
        owned: what it said it owned as it joined; empty with eager assignors.
        generation: of that, or its epoch in the consumer protocol; -1 where not told.
        user_data: for its assignor.
    """

    id: str
    client_id: str
    host: str
    instance_id: str | None = None
    rack: str | None = None
    topics: tuple[str, ...] | None = None
    assignment: tuple[Partition, ...] = ()
    owned: tuple[Partition, ...] = ()
    generation: int = NO_GENERATION
    user_data: bytes = b""


@dataclass(frozen=True, slots=True, eq=False)
class LiveGroup:
    """A group at one moment.

    Attributes:
        name: the group id.
        kind: ``classic`` or ``consumer`` (KIP-848).
        state: as the coordinator tells it.
        assignor: the assignor's name; "" where the group has none at the moment.
        coordinator: the broker that coordinates it.
        members: in the coordinator's order.
        committed: committed offset by partition.
        ends: end offset by partition, where the leader told it.
        partitions: partitions by topic of all topics that the group reads, subscribes to or has offsets of.
        problems: what could not be read, one sentence each.
    """

    name: str
    kind: str
    state: str
    assignor: str
    coordinator: int
    members: tuple[LiveMember, ...] = ()
    committed: Mapping[Partition, int] = field(default_factory=dict)
    ends: Mapping[Partition, int] = field(default_factory=dict)
    partitions: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def lag(self) -> dict[Partition, int]:
        """How many offsets each partition is behind its end, where both are told."""
        return {p: max(0, self.ends[p] - offset) for p, offset in self.committed.items() if p in self.ends}


def list_groups(admin: AdminClient) -> Listing:
    """The groups of a cluster, sorted by name.

    Args:
        admin: an open connection.

    Raises:
        ClusterUnreachable: not one broker lists its groups.
    """
    answers = {
        broker: admin.submit(ListGroupsRequest(states_filter=[], types_filter=[]), broker) for broker in admin.brokers()
    }
    found: dict[str, ListedGroup] = {}
    not_read: list[str] = []
    failed: ClusterUnreachable | None = None
    for broker, answer in answers.items():
        try:
            told = admin.wait(answer)
        except ClusterUnreachable as failure:
            failed = failure
            not_read.append(f"Broker {broker} does not list the groups that it coordinates: {failure.sentence}")
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
    if failed is not None and len(not_read) == len(answers):
        raise failed
    return Listing(tuple(found[name] for name in sorted(found)), tuple(not_read))


def describe_group(admin: AdminClient, name: str) -> LiveGroup:
    """One group: members, assignment, committed offsets and ends.

    Args:
        admin: an open connection.
        name: the group id.

    Raises:
        ClusterUnreachable: the group cannot be described: ``authorization`` where this user may not, ``lost`` where
            there is no such group or its coordinator does not answer.
    """
    coordinator = _coordinator(admin, name)
    group = _described(admin, name, coordinator)
    problems = list(group.problems)
    committed = committed_offsets(admin, name, coordinator, problems)
    topics = {topic for topic, _ in committed}
    for member in group.members:
        topics |= {topic for topic, _ in member.assignment} | set(member.topics or ())
    partitions, leaders = leaders_of(admin, sorted(topics), problems)
    ends = end_offsets(admin, [p for p in committed if p in leaders], leaders, problems)
    return LiveGroup(
        name=name,
        kind=group.kind,
        state=group.state,
        assignor=group.assignor,
        coordinator=coordinator,
        members=group.members,
        committed=committed,
        ends=ends,
        partitions=partitions,
        problems=tuple(problems),
    )


def state_of(group: LiveGroup) -> tuple[GroupState, tuple[str, ...]]:
    """A live group as a story begins with it, and what one should know of how that was made.

    What members read is what they own, all in one generation. A member whose subscription is not told is taken to
    subscribe to every topic that the group reads.

    Args:
        group: the group as read.
    """
    read = tuple(sorted({topic for member in group.members for topic, _ in member.assignment}))
    notes = list(group.problems)
    untold = [member.id for member in group.members if member.topics is None]
    if untold:
        notes.append(
            f"The subscription of {listed(untold, 3)} is unknown (the group is {group.state}); it is assumed to be all "
            f"{counted(len(read), 'topic')} that the group reads."
        )
    if group.kind == "consumer":
        notes.append(
            "The brokers assign this group's partitions (KIP-848). What Kafka's client-side assignors would assign is "
            "shown for comparison."
        )
    members = {
        member.id: Member(
            member.id,
            member.topics if member.topics is not None else read,
            instance_id=member.instance_id,
            rack=member.rack,
            owned=tuple(sorted(member.assignment)),
            generation=1,
            user_data=member.user_data,
        )
        for member in group.members
    }
    return GroupState(members, dict(group.partitions), 1), tuple(notes)


# ---- the requests --------------------------------------------------------------------------------------------


def _coordinator(admin: AdminClient, name: str) -> int:
    """The broker that lists the group.

    FindCoordinator is not asked: where no group has ever been, Kafka makes its offsets topic to answer it.
    """
    listing = list_groups(admin)
    found = next((group.coordinator for group in listing.groups if group.name == name), None)
    if found is None:
        why = " ".join(("There is no such group, or it has expired.", *listing.not_read))
        raise ClusterUnreachable(f"No broker lists the group {name}. {why}", "lost")
    return found


def _described(admin: AdminClient, name: str, coordinator: int) -> LiveGroup:
    """The group by the protocol that it has: a group of the newer one is unknown to the older request."""
    if admin.supports(ConsumerGroupDescribeRequest):
        make: Any = ConsumerGroupDescribeRequest
        newer = _asked(admin, make(group_ids=[name], include_authorized_operations=False), coordinator)
        if not newer.error_code:
            return _of_consumer_protocol(newer, coordinator)
        if newer.error_code != _NOT_FOUND:
            raise _refused(newer.error_code, f"Broker {coordinator} does not describe the group {name}")
    told = _asked(admin, DescribeGroupsRequest(groups=[name], include_authorized_operations=False), coordinator)
    if told.error_code or told.group_state == "Dead":
        raise _refused(told.error_code or _NOT_FOUND, f"Broker {coordinator} does not describe the group {name}")
    return _of_classic(told, coordinator)


def _asked(admin: AdminClient, request: Any, coordinator: int) -> Any:
    """The one group of the answer; asked again while the coordinator is loading."""
    pause = threading.Event()
    for attempt in range(_TIMES):
        told = admin.send(request, coordinator).groups[0]
        if told.error_code != _LOADING or attempt == _TIMES - 1:
            break
        pause.wait(_PAUSE_SECONDS)
    return told


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
        LiveMember(
            id=one.member_id,
            client_id=one.client_id,
            host=one.client_host.removeprefix("/"),
            instance_id=one.instance_id,
            rack=one.rack_id,
            # A regular expression is resolved by the brokers, which do not tell to what.
            topics=None if one.subscribed_topic_regex else tuple(one.subscribed_topic_names),
            assignment=_partitions(one.assignment),
            owned=_partitions(one.assignment),
            generation=one.member_epoch,
        )
        for one in told.members
    )
    return LiveGroup(told.group_id, "consumer", told.group_state, told.assignor_name, coordinator, members)


def _partitions(assignment: Any) -> tuple[Partition, ...]:
    return tuple((one.topic_name, partition) for one in assignment.topic_partitions for partition in one.partitions)


def _refused(code: int, what: str) -> ClusterUnreachable:
    name = error_name(code)
    slug = "authorization" if "AUTHORIZATION" in name else "lost"
    more = " There is no such group, or it has expired." if code == _NOT_FOUND else ""
    return ClusterUnreachable(f"{what}: {name}.{more}", slug)
