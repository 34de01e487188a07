"""A consumer group as an assignor sees it: members with their subscriptions, and the topics they can read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from reseat.errors import GroupInvalid

__all__ = ["NO_GENERATION", "Assignment", "Group", "Member", "Partition"]

#: (topic, partition id). Compares as Kafka sorts: by topic, then by id.
Partition: TypeAlias = tuple[str, int]
#: What each member reads, by member id.
Assignment: TypeAlias = dict[str, list[Partition]]

#: The generation of a member that was in none.
NO_GENERATION = -1


@dataclass(frozen=True, slots=True)
class Member:
    """One member with its subscription.

    Attributes:
        id: member id, given by the coordinator.
        topics: topics that it subscribes to.
        instance_id: ``group.instance.id`` of a static member, or None.
        rack: ``client.rack``, or None.
        owned: partitions that it says it owned.
        generation: the generation of that ownership, or -1.
        user_data: what it sends to an assignor of one's own; Kafka's assignors do not look at it.
    """

    id: str
    topics: tuple[str, ...]
    instance_id: str | None = None
    rack: str | None = None
    owned: tuple[Partition, ...] = ()
    generation: int = NO_GENERATION
    user_data: bytes = b""

    @property
    def sort_key(self) -> tuple[bool, str]:
        """Static members first, by instance id; then the others, by member id (``MemberInfo.compareTo``)."""
        return (self.instance_id is None, self.id if self.instance_id is None else self.instance_id)


@dataclass(frozen=True, eq=False)
class Group:
    """A group at one rebalance.

    Attributes:
        members: in the order in which the coordinator tells them.
        partitions: how many partitions each topic has; a topic that is absent is not known to the cluster.
        racks: the racks of each partition's replicas, where told.
        topic_ids: ids of topics as Kafka prints them, where told: the brokers' assignors go by them.

    Raises:
        GroupInvalid: a member occurs twice, two have one ``group.instance.id``, or a topic has fewer than 0 partitions.
    """

    members: tuple[Member, ...]
    partitions: Mapping[str, int]
    racks: Mapping[Partition, frozenset[str]] = field(default_factory=dict)
    topic_ids: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: set[str] = set()
        static: dict[str, str] = {}
        for member in self.members:
            if member.id in seen:
                raise GroupInvalid(f"Member {member.id} is in the group twice.")
            seen.add(member.id)
            if member.instance_id is None:
                continue
            older = static.setdefault(member.instance_id, member.id)
            if older != member.id:
                raise GroupInvalid(
                    f"Members {older} and {member.id} have one group.instance.id, {member.instance_id}: Kafka fences "
                    "the older one."
                )
        below = next((topic for topic, count in self.partitions.items() if count < 0), None)
        if below is not None:
            raise GroupInvalid(f"Topic {below} has {self.partitions[below]} partitions; at least 0 were expected.")

    @property
    def known_topics(self) -> list[str]:
        """Topics that somebody subscribes to and the cluster knows, with at least one partition; sorted."""
        wanted = {topic for member in self.members for topic in member.topics}
        return sorted(topic for topic in wanted if self.partitions.get(topic, 0) > 0)
