"""A group between two events, and what one rebalance of it is made of: messages, listener calls, an assignment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reseat.consumers.group import Assignment, Group, Member, Partition

__all__ = ["Call", "GroupState", "Message", "Round"]


@dataclass(frozen=True, slots=True)
class Call:
    """A listener call.

    Attributes:
        member: whose listener.
        method: ``revoked``, ``lost`` or ``assigned`` (``ConsumerRebalanceListener``).
        partitions: with what; possibly none.
    """

    member: str
    method: str
    partitions: tuple[Partition, ...]


@dataclass(frozen=True, slots=True)
class Message:
    """A message between a member and the coordinator.

    Attributes:
        sender: member id or ``coordinator``.
        receiver: likewise.
        name: of the request or its response: ``JoinGroup``, ``SyncGroup response``, ``ConsumerGroupHeartbeat``.
        content: what it carries, in words.
    """

    sender: str
    receiver: str
    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Round:
    """One rebalance; where brokers assign, one round of heartbeats.

    Attributes:
        generation: the group's generation after it, or its epoch.
        leader: the member that ran the assignor, or None where nobody is left or brokers assign.
        group: what the assignor was given.
        assignment: what it gave.
        calls: listener calls, in order.
        messages: messages, in order.
        paused: partitions that had a reader before and were read by nobody at some time during the round.
        order: messages and calls in the order in which they happen, where a round does not tell it by its kind.
    """

    generation: int
    leader: str | None
    group: Group
    assignment: Assignment
    calls: tuple[Call, ...]
    messages: tuple[Message, ...]
    paused: frozenset[Partition]
    order: tuple[Message | Call, ...] = ()


@dataclass(frozen=True)
class GroupState:
    """A group between two events.

    Attributes:
        members: by id, in the order in which they joined; ``owned`` and ``generation`` are up to date.
        partitions: partitions by topic.
        generation: of the group, or its epoch; 0 before the first rebalance.
        out: members that were thrown out and do not know yet, and static ones that are closed: those are in the group
            until their session times out, send nothing, and hear nothing.
        racks: racks of each partition's replicas, where told.
        topic_ids: ids of topics as Kafka prints them, where told: the brokers' assignors go by them.
        told: what each member last sent as its subscription, which is what the group has of one that is closed.
        target: what each member is to have in the end, where brokers assign.
        waits: whether a rebalance waits for somebody to join, as all members are closed.
    """

    members: Mapping[str, Member]
    partitions: Mapping[str, int]
    generation: int = 0
    out: Mapping[str, Member] = field(default_factory=dict)
    racks: Mapping[Partition, frozenset[str]] = field(default_factory=dict)
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    told: Mapping[str, Member] = field(default_factory=dict, compare=False)
    target: Mapping[str, frozenset[Partition]] = field(default_factory=dict, compare=False)
    waits: bool = field(default=False, compare=False)

    @property
    def present(self) -> dict[str, Member]:
        """The members that are not closed, in the order in which they joined."""
        return {name: member for name, member in self.members.items() if name not in self.out}

    @property
    def read(self) -> dict[Partition, str]:
        """Who reads what now: what closed members own waits for them."""
        return {partition: member.id for member in self.present.values() for partition in member.owned}

    @property
    def readers(self) -> dict[Partition, str]:
        """Who reads what, or is to read it once it is back."""
        return {partition: member.id for member in self.members.values() for partition in member.owned}

    @property
    def group(self) -> Group:
        """The group as an assignor would see it now."""
        return Group(tuple(self.members.values()), self.partitions, self.racks, self.topic_ids)
