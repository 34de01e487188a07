"""How far a job of the pipeline is, for a person who waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["JobProgress", "Report", "silent"]


@dataclass(frozen=True, slots=True)
class JobProgress:
    """One word from a job.

    Attributes:
        step: what it is at, as a name: ``heal``, ``list``, ``read``, ``write``, ``changes``, ``commit``, ``sweep``, ...
        done: how many of ``total`` are done.
        total: of how many, or None where that is not known.
        sentence: the same for a person.
    """

    step: str
    done: int
    total: int | None
    sentence: str


#: Is told how far a job is.
Report = Callable[[JobProgress], None]


def silent(progress: JobProgress) -> None:
    """A report that nobody reads."""
