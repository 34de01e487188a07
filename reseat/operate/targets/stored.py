"""Where replicas lie on the disks of their brokers, as these tell it (DescribeLogDirs)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["DirectoriesSeen", "Replica", "Stored"]

#: (partition, broker id).
Replica: TypeAlias = tuple[tuple[str, int], int]


@dataclass(frozen=True, slots=True)
class Stored:
    """One replica on the disks of its broker.

    Attributes:
        path: the directory that it lies in; "" where only a copy of it is told.
        future: the directory that it is being copied to, or "".
        bytes: of the replica.
        future_bytes: of the copy under way.
    """

    path: str = ""
    future: str = ""
    bytes: int = 0
    future_bytes: int = 0


@dataclass(frozen=True, slots=True)
class DirectoriesSeen:
    """What brokers told of their directories; one that did not answer is in none of these.

    Attributes:
        stored: by partition and broker.
        online: (broker, path) of directories that are online.
        cordoned: those of them that take no new replica (KIP-1066).
    """

    stored: Mapping[Replica, Stored] = field(default_factory=dict)
    online: frozenset[tuple[int, str]] = frozenset()
    cordoned: frozenset[tuple[int, str]] = frozenset()
