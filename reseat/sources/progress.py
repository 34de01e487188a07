"""How far a reading of a live cluster is, as both readers tell it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["ReadingProgress", "Report"]


@dataclass(frozen=True, slots=True)
class ReadingProgress:
    """How far a reading is.

    Attributes:
        step: what is read now, in words ("partition states").
        done: how many of them.
        total: of how many, or None where not known yet.
    """

    step: str
    done: int = 0
    total: int | None = None


#: Is told how far a reading is.
Report = Callable[[ReadingProgress], None]
