"""A live group at one moment, of any kind: as its coordinator lists it, and as it describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from reseat.consumers import Partition
from reseat.consumers.group import NO_GENERATION

__all__ = ["KINDS", "ListedGroup", "Listing", "LiveGroup", "LiveMember", "Tasks"]

#: What each kind of group is called, by the name that Kafka lists it under.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "classic": "classic",
        "consumer": "consumer protocol, KIP-848",
        "share": "share group, KIP-932",
        "streams": "streams group, KIP-1071",
    }
)


@dataclass(frozen=True, slots=True)
class ListedGroup:
    """A group as its coordinator lists it.

    Attributes:
        name: the group id.
        kind: ``consumer``, ``classic``, ``share``, ``streams``; ``classic`` before 3.8, which does not list it.
        state: ``Stable``, ``Empty``, ``PreparingRebalance`` and so on; "" before 2.6, which does not list it.
        protocol: ``consumer`` for consumers, ``connect`` for Kafka Connect, "" for a group with offsets alone.
        coordinator: the broker that listed it.
    """

    name: str
    kind: str
    state: str
    protocol: str
    coordinator: int

    @property
    def consumes(self) -> bool:
        """Whether its members consume; the others are Kafka Connect's, a schema registry's, and so on."""
        return self.kind in KINDS and (self.kind != "classic" or self.protocol in ("consumer", ""))


@dataclass(frozen=True, slots=True)
class Listing:
    """All groups that brokers list, by name, and which brokers did not."""

    groups: tuple[ListedGroup, ...]
    not_read: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tasks:
    """Tasks of a member of a streams group, named as Kafka Streams names them: ``0_3``, subtopology and partition.

    Attributes:
        active: that it processes.
        standby: whose state it keeps a copy of.
        warm_up: whose state it restores, to take them over.
    """

    active: tuple[str, ...] = ()
    standby: tuple[str, ...] = ()
    warm_up: tuple[str, ...] = ()


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
        assignment: what it reads; in a share group, what it may fetch from beside others.
        owned: what it said it owned as it joined; empty with eager assignors.
        generation: of that, or its epoch in a newer protocol; -1 where not told.
        user_data: for its assignor.
        target: what the coordinator wants it to read, or None where there is no such thing (classic, share).
        classic: whether it still speaks the classic protocol in a group that is being upgraded.
        tasks: in a streams group, what it does.
        target_tasks: likewise, what it is to do.
        pattern: the regular expression by which it subscribes (KIP-848), or None.
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
    target: tuple[Partition, ...] | None = None
    classic: bool = False
    tasks: Tasks | None = None
    target_tasks: Tasks | None = None
    pattern: str | None = None

    def there(self, epoch: int | None) -> bool:
        """Whether it has what it is to have, in this epoch of the group's."""
        here = set(self.assignment) if self.target is not None else None
        return (
            (epoch is None or self.generation == epoch)
            and (here is None or here == set(self.target or ()))
            and self.tasks == self.target_tasks
        )


@dataclass(frozen=True, slots=True, eq=False)
class LiveGroup:
    """A group at one moment.

    Attributes:
        name: the group id.
        kind: one of ``KINDS``.
        state: as the coordinator tells it.
        assignor: the assignor's name; "" where the group has none at the moment.
        coordinator: the broker that coordinates it.
        members: in the coordinator's order.
        committed: committed offset by partition; in a share group the offset from which on records are not done with.
        ends: end offset by partition, where the leader told it.
        partitions: partitions by topic of all topics that the group reads, subscribes to or has offsets of.
        topic_ids: ids of these topics as Kafka prints them, where told.
        problems: what could not be read, one sentence each.
        epoch: of the group, raised by each change of members, subscriptions or topics; None of a classic one.
        assignment_epoch: for which the target was computed; None of a classic one.
        lags: lag by partition as the coordinator counts it, or None: of a share group, in which records beyond the
            start may be done with already.
        subtopologies: of a streams group, source topics by subtopology.
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
    topic_ids: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    epoch: int | None = None
    assignment_epoch: int | None = None
    lags: Mapping[Partition, int] | None = None
    subtopologies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def lag(self) -> dict[Partition, int]:
        """How many offsets each partition is behind its end, where that is told."""
        if self.lags is not None:
            return dict(self.lags)
        return {p: max(0, self.ends[p] - offset) for p, offset in self.committed.items() if p in self.ends}

    @property
    def lag_at_most(self) -> bool:
        """Whether ``lag`` counts records that may be done with: of a share group whose coordinator does not tell it."""
        return self.kind == "share" and self.lags is None

    @property
    def on_the_way(self) -> tuple[str, ...]:
        """Members of a newer protocol that do not have yet what the coordinator wants them to have."""
        return tuple(member.id for member in self.members if self.epoch is not None and not member.there(self.epoch))
