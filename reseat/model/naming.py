"""Names and ids as texts write them."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Collection, Iterable
from itertools import chain, count

__all__ = [
    "LARGEST_ID",
    "by_topic",
    "id_in",
    "is_internal",
    "is_topic_id",
    "named_by",
    "natural",
    "next_id",
    "version_of",
]

#: Kafka's broker and partition ids are Java ints.
LARGEST_ID = 2**31 - 1
_DIGITS = len(str(LARGEST_ID))
_NUMBER = re.compile(r"([0-9]+)")
_TOPIC_ID = re.compile(r"[A-Za-z0-9_-]{22}", re.ASCII)
_VERSION = re.compile(r"\s*v?(\d{1,4}(?:\.\d{1,4}){1,3})", re.ASCII)


def is_topic_id(text: str) -> bool:
    """Whether a text is a topic's id as Kafka prints it (KIP-516): 16 bytes as base64 for URLs."""
    return _TOPIC_ID.fullmatch(text) is not None


def is_internal(topic: str) -> bool:
    """Whether a topic is internal by its name: Kafka's own start with two underscores, platforms' with one."""
    return topic.startswith("_")


def by_topic(partitions: Iterable[tuple[str, int]]) -> dict[str, list[int]]:
    """The ids of partitions by their topic, both in the order given."""
    found: dict[str, list[int]] = {}
    for topic, partition in partitions:
        found.setdefault(topic, []).append(partition)
    return found


def named_by(topics: Iterable[str], patterns: Collection[str]) -> tuple[str, ...]:
    """The topics that names or patterns (``*``, ``?``, ``[a-z]``) stand for, in their order; case counts."""
    exact = frozenset(patterns)
    return tuple(
        topic for topic in topics if topic in exact or any(fnmatch.fnmatchcase(topic, one) for one in patterns)
    )


def id_in(text: str) -> int | None:
    """The broker id, partition id or count that a text writes: ASCII digits, 0 to 2**31 - 1; else None.

    Never looks at more digits than such a number has: not at a prefix of a longer one, which would be another number,
    and not at thousands of them, which Python refuses to turn into a number.
    """
    if not text.isascii() or not text.isdecimal() or len(text) > _DIGITS:
        return None
    number = int(text)
    return number if number <= LARGEST_ID else None


def next_id(known: Iterable[int], taken: Iterable[int] = ()) -> int:
    """The id that a broker to come may have: the first free one above all that are known, else the lowest.

    Args:
        known: ids of the brokers, those to come included.
        taken: ids of other nodes of the cluster, as of KRaft's controllers, among whom a broker's is counted.
    """
    there = {*known}
    refused = there.union(taken)
    return next(one for one in chain(range(max(there, default=0) + 1, LARGEST_ID + 1), count()) if one not in refused)


def natural(name: str) -> tuple[tuple[tuple[str, int, str], ...], str]:
    """The key by which a person sorts names: numbers in them by size, so that rack-2 stands before rack-10.

    Only for what is shown: Kafka itself sorts racks as text, and so does all that reckons as Kafka does. Numbers are
    compared by their length and digits, never turned into one: a name may hold thousands of digits.
    """
    parts = _NUMBER.split(name)
    told = [part.lstrip("0") if at % 2 else part.casefold() for at, part in enumerate(parts)]
    return tuple((part, 0, "") if at % 2 == 0 else ("", len(part), part) for at, part in enumerate(told)), name


def version_of(version: str | None) -> tuple[int, ...] | None:
    """Numbers of a version such as ``2.8.2``, ``3.7-IV4`` or ``v4.1``; None where nothing of the kind is told."""
    found = _VERSION.match(version or "")
    return tuple(int(part) for part in found[1].split(".")) if found else None
