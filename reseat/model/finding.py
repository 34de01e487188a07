"""A finding: something about a layout or a text that a person should know."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from reseat.model.columns import Longs

__all__ = ["Finding", "Severity"]


class Severity(Enum):
    """How much a finding matters: critical (data or service at risk now), warning (fix it), info (know it)."""

    BROKEN = "broken"
    ATTENTION = "attention"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for what is worst."""
        return list(Severity).index(self)

    @property
    def word(self) -> str:
        """What a person reads: critical, warning or info. The value stands in JSON, tables and addresses."""
        return _WORDS[self]


_WORDS = {Severity.BROKEN: "critical", Severity.ATTENTION: "warning", Severity.NOTE: "info"}


@dataclass(frozen=True, eq=False)
class Finding:
    """One thing found.

    Attributes:
        kind: a stable slug, such as ``under_replicated`` (used by scripts and tests).
        severity: how much it matters.
        sentence: what, how many and what to do, for a person.
        rows: (n,) int64 row numbers of the layout's partitions behind it, possibly empty.
        brokers: broker ids behind it.
        topics: topic names behind it, where it is about topics and not about partitions.
        places: where it stands in the text it was read from ("line 12"), possibly empty.
    """

    kind: str
    severity: Severity
    sentence: str
    rows: Longs = field(default_factory=lambda: np.empty(0, np.int64))
    brokers: tuple[int, ...] = ()
    topics: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
