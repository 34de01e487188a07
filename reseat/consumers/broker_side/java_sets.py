"""In which order the brokers' hash maps and sets hand out members, topics (by their ids) and partitions.

Assumes: a topic whose id is not told stands where its name does among the others; and where two partitions of one
member share a bucket of a set, the lower one was added first.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Iterable

from reseat.consumers.group import Group

__all__ = ["id_order", "in_set_order", "topics_in_set_order"]

_BUCKETS = 16
_HALF, _SIGN, _LOW = 0xFFFFFFFF, 1 << 63, (1 << 64) - 1


def topics_in_set_order(group: Group, topics: Iterable[str]) -> list[str]:
    """Topics as a ``HashSet`` or ``HashMap`` of their ids hands them out; by name where an id is not told."""
    names = sorted(topics)
    ids = group.topic_ids
    if any(name not in ids for name in names):
        return names
    buckets = _buckets(len(names))
    return sorted(names, key=lambda name: _spread(_hash(_number(ids[name]))) & (buckets - 1))


def id_order(group: Group, topic: str) -> tuple[int, int, str]:
    """What sorts topics as Kafka sorts ids, as pairs of signed numbers; by name where an id is not told."""
    told = group.topic_ids.get(topic)
    if told is None:
        return 0, 0, topic
    number = _number(told)
    return (number >> 64) ^ _SIGN, (number & _LOW) ^ _SIGN, topic


def in_set_order(partitions: Collection[int]) -> list[int]:
    """Partitions of one topic as a ``HashSet`` made of them hands them out."""
    buckets = _buckets(len(partitions))
    return sorted(sorted(partitions), key=lambda partition: _spread(partition) & (buckets - 1))


def _buckets(count: int) -> int:
    """Buckets of a set made of so many: a power of two above four thirds of them."""
    least, buckets = max(int(count / 0.75) + 1, _BUCKETS), _BUCKETS
    while buckets < least:
        buckets *= 2
    return buckets


def _spread(code: int) -> int:
    return code ^ (code >> 16)


def _number(printed: str) -> int:
    """The 128 bits of an id as Kafka prints it."""
    return int.from_bytes(base64.urlsafe_b64decode(f"{printed}=="))


def _hash(number: int) -> int:
    """``Uuid.hashCode``."""
    both = (number >> 64) ^ (number & _LOW)
    return (both >> 32) ^ (both & _HALF)
