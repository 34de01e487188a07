"""Results kept in memory: the least recently used make way, by how many partitions they are about. Knows no Streamlit.

A server is used by one person with a million partitions, or by fifty with twenty thousand each: a bound on how many
results are kept would suit one of them. All bounds are of partitions, so that twelve small results take the room of
one large.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime
from enum import Enum
from typing import TypeVar, cast

from reseat.formats.input.reading import Reading
from reseat.model import ClusterLayout, Plan, Snapshot

__all__ = ["LARGE", "Results", "named", "partitions"]

#: Partitions of what is large: bounds are in its multiples.
LARGE = 1_000_000
#: What the smallest result counts for: its objects take room that no partition explains. So a hundred plans of small
#: layouts are kept where eight large ones would be, enough for fifty people with a what-if each.
_LEAST = 80_000
_Answer = TypeVar("_Answer")
_PLAIN = (str, bytes, int, float, bool, type(None), datetime)
#: What names those that are not imported for it, by their class.
_BY = {"SealedPlan": "hash", "History": "where"}


class Results:
    """Answers by what was asked; shared between threads, each made once. An error is passed through and not kept.

    Args:
        most: results about a million partitions (``LARGE``) that are kept, or up to twelve times as many smaller ones.
    """

    def __init__(self, most: int) -> None:
        self._most = most * LARGE
        self._kept: OrderedDict[object, tuple[object, int]] = OrderedDict()
        self._making: dict[object, threading.RLock] = {}
        self._weight = 0
        self._lock = threading.Lock()

    def of(self, key: object, make: Callable[[], _Answer], about: Iterable[object] = ()) -> _Answer:
        """The answer to what was asked.

        Args:
            key: names it.
            make: makes it; who asks the same meanwhile waits and gets what was made.
            about: what it was made from, for its weight; the answer itself counts too.
        """
        with self._lock:
            if key in self._kept:
                return cast("_Answer", self._found(key))
            making = self._making.setdefault(key, threading.RLock())
        with making:
            with self._lock:
                if key in self._kept:
                    return cast("_Answer", self._found(key))
            try:
                answer = make()
                self._put(key, answer, max([_LEAST, *map(partitions, (*about, answer))]))
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return answer

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._kept.clear()
            self._weight = 0

    def _found(self, key: object) -> object:
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def _put(self, key: object, answer: object, weight: int) -> None:
        with self._lock:
            self._weight += weight - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = answer, weight
            while self._weight > self._most and len(self._kept) > 1:
                self._weight -= self._kept.popitem(last=False)[1][1]


def named(value: object) -> object:
    """What names an argument among the results: a layout its digest, a plan those of both its sides and its wish.

    Raises:
        TypeError: nothing names such a value.
    """
    if isinstance(value, _PLAIN):
        return type(value), value
    if isinstance(value, ClusterLayout):
        return value.digest
    if isinstance(value, Plan):
        return value.current.digest, value.proposed.digest, named(value.wish)
    if isinstance(value, Snapshot):
        return value.layout.digest, value.taken_at
    if isinstance(value, Reading):
        return value.layout.digest
    if isinstance(value, Enum):
        return type(value), value.name
    if isinstance(value, list | tuple):
        return tuple(map(named, value))
    if isinstance(value, frozenset):
        return frozenset(map(named, value))
    if (by := _BY.get(type(value).__name__)) is not None:
        return by, getattr(value, by)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told = (named(getattr(value, field.name)) for field in dataclasses.fields(value) if field.compare)
        return type(value), *told
    raise TypeError(f"Nothing names a {type(value).__name__} among the results.")


def partitions(value: object) -> int:
    """How many partitions a value is about; 0 where it is about no layout."""
    if isinstance(value, ClusterLayout):
        return value.partition_count
    inside = getattr(value, "layout", None) or getattr(value, "proposed", None)
    return inside.partition_count if isinstance(inside, ClusterLayout) else 0
