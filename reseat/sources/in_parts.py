"""What one request carries of a list that grows with a plan: brokers of 4.4 refuse arrays of over a million."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

__all__ = ["PARTITIONS_AT_ONCE", "in_parts"]

#: Partitions in one request: far below what an array may hold, and a few MB of the 100 MB that a request may have.
PARTITIONS_AT_ONCE = 100_000

_Item = TypeVar("_Item")


def in_parts(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """The same items, in order, in lists of at most this many; none where there is nothing."""
    whole = list(items)
    for start in range(0, len(whole), size):
        yield whole[start : start + size]
