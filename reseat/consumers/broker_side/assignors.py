"""The assignors of the brokers: ``uniform``, which is theirs unless told otherwise, and ``range``.

What they promise: range, topic by topic, even parts of consecutive partitions, without regard to what members had;
uniform, counts that differ by one at most where all members subscribe to the same topics, and as little change as that
allows.

Reseat calls them ``broker-uniform`` and ``broker-range``, as Kafka's consumers have a range of their own.

Source: ``RangeAssignor``, ``UniformAssignor`` of ``org.apache.kafka.coordinator.group.assignor``, 4.1 to 4.4 (equal).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from reseat.consumers.broker_side.uniform import assign_equal, assign_uneven
from reseat.consumers.group import Assignment, Group, Member, Partition
from reseat.consumers.java_order import members_in_hash_order

__all__ = ["BROKER_ASSIGNORS", "BrokerRange", "BrokerUniform"]


class _OfBrokers:
    """What both have in common: members keep reading, and nothing is run by a member."""

    name = ""
    cooperative = True
    by_brokers = True

    def user_data(self, member: Member) -> bytes:
        """Nothing: brokers know what everybody had."""
        return b""

    def on_assignment(self, member: Member, partitions: tuple[Partition, ...], generation: int) -> None:
        """Nothing is kept."""


class BrokerRange(_OfBrokers):
    """The brokers' ``RangeAssignor``."""

    name = "broker-range"

    def assign(self, group: Group) -> Assignment:
        """Each topic cut into as many parts as it has subscribers, the larger ones first."""
        given: Assignment = {member.id: [] for member in group.members}
        in_line = sorted(group.members, key=lambda member: member.sort_key)
        for topic in group.known_topics:
            count = group.partitions[topic]
            subscribers = [member.id for member in in_line if topic in member.topics]
            each, more = divmod(count, len(subscribers))
            start = 0
            for place, name in enumerate(subscribers):
                end = start + each + (place < more)
                given[name] += [(topic, partition) for partition in range(start, end)]
                start = end
        return given


class BrokerUniform(_OfBrokers):
    """The brokers' ``UniformAssignor``."""

    name = "broker-uniform"

    def assign(self, group: Group) -> Assignment:
        """By counts alone where all members subscribe to the same topics, else evened out topic by topic."""
        members = members_in_hash_order(group)
        if len({frozenset(member.topics) for member in members}) <= 1:
            return assign_equal(group, members)
        return assign_uneven(group, members)


#: By the name that Reseat calls them.
BROKER_ASSIGNORS: Mapping[str, Callable[[], BrokerRange | BrokerUniform]] = MappingProxyType(
    {"broker-uniform": BrokerUniform, "broker-range": BrokerRange}
)
