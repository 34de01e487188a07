"""Where random draws come from: the one thing that a placement needs of a random source."""

from __future__ import annotations

from typing import Protocol, TypeVar, runtime_checkable

__all__ = ["DrawSource"]

_Item = TypeVar("_Item")


@runtime_checkable
class DrawSource(Protocol):
    """A source of random draws, always passed in, so that the same source gives the same placement."""

    def next_int(self, bound: int) -> int:
        """A draw from 0 to ``bound - 1``."""

    def shuffle(self, items: list[_Item]) -> None:
        """Put the items of a list into a random order, in place."""
