"""Reads groups through Kafka's Admin protocol: members, subscriptions, assignment and its target, offsets, lag.

Promises: (1) nothing is written and no group is joined; (2) a broker or a group that does not answer takes nothing from
the others: why it does not stands in ``not_read`` or the group's ``problems``, in sentences; (3) no wait is longer than
the connection's timeout; (4) what a member put into its metadata is bytes of a stranger, and read as such.

Needs: DESCRIBE on the groups (and on CLUSTER to list all of them), DESCRIBE on their topics for lag.

How: every broker lists the groups that it coordinates. A group is described by the one that lists it, by the request of
its kind. Then its committed offsets from the coordinator, and the ends of their partitions from the leaders, at once.
"""

from __future__ import annotations

from dataclasses import replace

from kafka.protocol.admin import ListGroupsRequest

from reseat.consumers import Member
from reseat.consumers.rebalancing import GroupState
from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed
from reseat.sources.kafka_admin.client import AdminClient
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.groups.describing import described, with_sources
from reseat.sources.kafka_admin.groups.live import ListedGroup, Listing, LiveGroup
from reseat.sources.kafka_admin.groups.offsets import (
    committed_offsets,
    end_offsets,
    leaders_of,
    share_offsets,
)

__all__ = ["describe_group", "list_groups", "state_of"]


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
        committed, lags = share_offsets(admin, name, group.coordinator, problems)
    else:
        committed, lags = committed_offsets(admin, name, group.coordinator, problems), None
    topics = {topic for topic, _ in committed}
    for member in group.members:
        topics |= {topic for topic, _ in member.assignment} | set(member.topics or ())
    partitions, leaders, ids = leaders_of(admin, sorted(topics), problems)
    ends = end_offsets(admin, [p for p in committed if p in leaders], leaders, problems)
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
    untold = [member.id for member in group.members if member.topics is None]
    if untold:
        notes.append(
            f"The subscription of {listed(untold, 3)} is unknown (the group is {group.state}); it is assumed to be all "
            f"{counted(len(read), 'topic')} that the group reads."
        )
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
