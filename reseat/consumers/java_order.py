"""In which order Java's hash maps hand out names and partitions: where Kafka takes "any one", it takes the first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from reseat.consumers.group import Group, Member, Partition

__all__ = ["in_hash_order", "members_in_hash_order", "names_in_hash_order"]

_MASK = 0xFFFFFFFF
#: A HashSet begins with 16 buckets and doubles them when it is three quarters full.
_BUCKETS = 16
_Value = TypeVar("_Value")


def in_hash_order(partitions: Sequence[Partition]) -> list[Partition]:
    """Partitions as a ``HashSet<TopicPartition>`` filled in this order hands them out.

    Args:
        partitions: different partitions, in the order in which they were added.
    """
    return _ordered(partitions, [(31 * (31 + partition) + _hash(topic)) & _MASK for topic, partition in partitions])


def names_in_hash_order(names: Sequence[str]) -> list[str]:
    """Names as a ``HashMap<String, ...>`` filled in this order hands them out.

    Args:
        names: different names, in the order in which they were added.
    """
    return _ordered(names, [_hash(name) for name in names])


def members_in_hash_order(group: Group) -> list[Member]:
    """Members as the ``HashMap`` hands them out that an assignor is given by the leader of a group, or by a broker.

    Args:
        group: the group, members in the order in which the coordinator told them.
    """
    by_id = {member.id: member for member in group.members}
    return [by_id[name] for name in names_in_hash_order(list(by_id))]


def _ordered(values: Sequence[_Value], codes: list[int]) -> list[_Value]:
    """By bucket, within a bucket as added; exact while no bucket holds eight or more (Java makes a tree of it then)."""
    buckets = _BUCKETS
    while len(values) > buckets * 3 // 4:
        buckets *= 2
    order = sorted(range(len(values)), key=lambda i: (codes[i] ^ (codes[i] >> 16)) & (buckets - 1))
    return [values[i] for i in order]


def _hash(text: str) -> int:
    """``String.hashCode``: over the units of UTF-16, modulo 2**32."""
    data = text.encode("utf-16-be", "surrogatepass")
    code = 0
    for high, low in zip(data[::2], data[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & _MASK
    return code
