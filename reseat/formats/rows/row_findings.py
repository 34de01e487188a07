"""Rows as a text tells them, and findings about them, with their places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, ClusterLayout, Finding, IntArray, Longs, Severity
from reseat.model.columns import COLUMNS
from reseat.model.wording import counted, verb

__all__ = [
    "PAIRS_NAMED",
    "PLACES_NAMED",
    "Rows",
    "first_few",
    "not_understood",
    "outside_finding",
    "place_finding",
    "repeat_finding",
    "told_again",
]

#: Places that one finding carries; its sentence names the first few of them, its rows all of them.
PLACES_NAMED = 20
#: Where each has two places.
PAIRS_NAMED = PLACES_NAMED // 2
_EXAMPLES = 3


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a text in the order told; n rows, R the longest replica list.

    Attributes:
        topics: topic names, all different.
        topic_of: (n,) int32 position in ``topics``.
        partition: (n,) int32 partition id.
        replicas: (n, R) int32 broker ids, -1 padded.
        place: where row i stands in the text, in words ("line 12"); called for a few rows only.
        by_row: further columns of ``ClusterLayout.from_columns``, (n,) or (n, R).
    """

    topics: Sequence[str]
    topic_of: IntArray
    partition: IntArray
    replicas: IntArray
    place: Callable[[int], str]
    by_row: Mapping[str, npt.NDArray[np.generic]] = field(default_factory=dict)

    def name(self, row: int) -> str:
        """``topic-partition`` of a row, as Kafka writes it."""
        return f"{self.topics[int(self.topic_of[row])]}-{int(self.partition[row])}"


def first_few(names: Sequence[str]) -> str:
    """The first of some names, and that there are more."""
    return ", ".join(names[:_EXAMPLES]) + (" and more" if len(names) > _EXAMPLES else "")


def place_finding(
    layout: ClusterLayout,
    rows: Rows,
    told: npt.NDArray[np.integer],
    *,
    kind: str,
    severity: Severity,
    sentence: str,
    one: str,
    many: str,
) -> Finding:
    """A finding about rows as told, with their places and their rows in the layout.

    Args:
        layout: the layout made of ``rows``.
        rows: what was told.
        told: row numbers of ``rows``.
        kind: the finding's slug.
        severity: how much it matters.
        sentence: holds ``{what}`` (how many of what) and ``{examples}`` (the first few, with their places).
        one: what and its verb, for one row.
        many: the same, for several.
    """
    places = tuple(rows.place(int(row)) for row in told[:PLACES_NAMED])
    named = [f"{rows.name(int(row))} ({place})" for row, place in zip(told[:_EXAMPLES], places, strict=False)]
    if len(told) > _EXAMPLES:
        named.append(f"{len(told) - _EXAMPLES:,} more")
    return Finding(
        kind=kind,
        severity=severity,
        sentence=sentence.format(what=counted(len(told), one, many), examples=", ".join(named)),
        rows=_rows_in(layout, rows, told),
        places=places,
    )


def outside_finding(layout: ClusterLayout, rows: Rows, told: npt.NDArray[np.integer], mask: str) -> Finding:
    """A finding about rows that name, in the list of a mask, a broker that is not among their replicas."""
    return place_finding(
        layout,
        rows,
        told,
        kind=f"{mask}_outside_replicas",
        severity=Severity.ATTENTION,
        sentence=f"{{what}} a broker in {COLUMNS[mask].label} that is not among the replicas: {{examples}}. It is "
        "ignored.",
        one="partition names",
        many="partitions name",
    )


def not_understood(count: int, places: Sequence[str], one: str, many: str) -> Finding:
    """A finding about pieces that tell of partitions and could not be read.

    Args:
        count: how many.
        places: where the first of them stand.
        one: what a piece is ("entry of 'partitions'").
        many: the same, for several.
    """
    named = ", ".join(places[:_EXAMPLES])
    more = f" and {count - _EXAMPLES:,} more" if count > _EXAMPLES else ""
    return Finding(
        kind="not_understood",
        severity=Severity.BROKEN,
        sentence=f"{counted(count, f'{one} was', f'{many} were')} not understood: {named}{more}. What "
        f"{verb(count, 'it says', 'they say')} is missing; check the skipped lines and fix them before planning.",
        places=tuple(places[:PLACES_NAMED]),
    )


def repeat_finding(
    layout: ClusterLayout,
    rows: Rows,
    repeats: tuple[Longs, Longs],
    *,
    kind: str,
    severity: Severity,
    words: str,
) -> Finding:
    """A finding about rows that tell a partition again.

    Args:
        layout: the layout made of ``rows``.
        rows: what was told.
        repeats: row numbers of ``rows``: of the first telling of each, and of the later one.
        kind: the finding's slug.
        severity: how much it matters.
        words: how they repeat it.
    """
    first, later = repeats
    pairs = [
        (rows.place(int(a)), rows.place(int(b))) for a, b in zip(first[:PAIRS_NAMED], later[:PAIRS_NAMED], strict=True)
    ]
    named = [
        f"{rows.name(int(row))} ({a} and {b})" for row, (a, b) in zip(later[:_EXAMPLES], pairs[:_EXAMPLES], strict=True)
    ]
    if len(later) > _EXAMPLES:
        named.append(f"{len(later) - _EXAMPLES:,} more")
    return Finding(
        kind=kind,
        severity=severity,
        sentence=f"{counted(len(later), 'row is', 'rows are')} {words}: {', '.join(named)}.",
        rows=_rows_in(layout, rows, later),
        places=tuple(place for pair in pairs for place in pair),
    )


def told_again(differs: BoolArray, same: str, other: str) -> Iterator[tuple[BoolArray, str, Severity, str]]:
    """What is told again alike, and what is told again otherwise: which, a finding's kind and severity, and its words.

    Args:
        differs: of what is told again, what is told otherwise.
        same: words for what is told alike.
        other: words for what is told otherwise.
    """
    if not differs.all():
        yield ~differs, "repeated_rows", Severity.NOTE, same
    if differs.any():
        yield differs, "contradicting_rows", Severity.ATTENTION, f"{other}; the first one is used"


def _rows_in(layout: ClusterLayout, rows: Rows, told: npt.NDArray[np.integer]) -> Longs:
    """Rows of the layout for rows as told, ascending, each once."""
    place = {name: i for i, name in enumerate(layout.topics)}
    code = np.array([place.get(name, NONE) for name in rows.topics], np.int32)
    return np.unique(layout.rows_at(code[rows.topic_of[told]], rows.partition[told]))
