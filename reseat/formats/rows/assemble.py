"""From the rows that a text told to a layout: limits, repeated partitions, duplicate replicas.

What it promises, in this order: no partition is dropped in silence; where a text tells one partition twice, the
first telling counts and a finding names both places; nothing larger than the limits is ever allocated.

How it works: rows are compared by one integer key (topic and partition), sorted only where they are not already
ascending. O(P) for texts in order, O(P log P) otherwise; no Python loop over partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.input.shown import shown
from reseat.model import NONE, Broker, ClusterLayout, Finding, IntArray, Severity
from reseat.model.arrays import row_keys, row_repeats
from reseat.model.wording import counted

__all__ = [
    "PLACES_NAMED",
    "Rows",
    "assemble",
    "check_brokers",
    "check_misread",
    "check_size",
    "check_topics",
    "not_understood",
    "padded",
    "place_finding",
]

_Scalar = TypeVar("_Scalar", bound=np.generic)

#: Places that one finding carries; its sentence names the first few of them, its rows all of them.
PLACES_NAMED = 20
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


def check_size(data: bytes, source: str, limits: Limits) -> None:
    """Refuse a text that is too large.

    Raises:
        LimitMet: it has more bytes than ``limits.megabytes`` allow.
    """
    if len(data) > limits.megabytes * 1_000_000:
        raise LimitMet(
            f"The text has {len(data) / 1e6:,.0f} MB; {limits.megabytes:,} MB is the limit. "
            "Upload fewer topics at once.",
            source=source,
        )


def check_topics(count: int, longest: int, name: str, source: str, limits: Limits) -> None:
    """Refuse more topics, or a longer name of one, than ``limits`` allow.

    Args:
        count: how many topics there are.
        longest: characters of the longest name.
        name: that name.
        source: the text's name.
        limits: what is accepted.

    Raises:
        LimitMet: names the limit.
    """
    if longest > limits.topic_name:
        raise LimitMet(
            f"A topic's name has {longest:,} characters; Kafka's limit is {limits.topic_name}. It is {shown(name)}.",
            source=source,
        )
    if count > limits.topics:
        raise LimitMet(f"The text names more than {limits.topics:,} topics; that is the limit.", source=source)


def check_brokers(ids: IntArray, told: int, source: str, limits: Limits) -> None:
    """Refuse more brokers than ``limits`` allow, before an object is made of each.

    Args:
        ids: broker ids in any shape, -1 for none.
        told: how many brokers are told by themselves.
        source: the text's name.
        limits: what is accepted.

    Raises:
        LimitMet: names the limit.
    """
    count = told
    if int(ids.max(initial=NONE)) >= limits.brokers:  # below, there cannot be more
        count = max(told, len(np.unique(ids[ids != NONE])))
    if count > limits.brokers:
        raise LimitMet(f"The text names {count:,} brokers; {limits.brokers:,} is the limit.", source=source)


def check_misread(count: int, why: str, source: str, limits: Limits) -> None:
    """Refuse a text of which too much is not understood to be listed.

    Raises:
        LimitMet: there are more than ``limits.lines`` such pieces; the sentence says why the last is not understood.
    """
    if count > limits.lines:
        raise LimitMet(
            f"More than {limits.lines:,} pieces of the text were not understood; that is the limit. The last: {why}",
            source=source,
        )


def padded(
    flat: npt.NDArray[_Scalar], lengths: npt.NDArray[np.integer], fill: object, source: str, limits: Limits
) -> npt.NDArray[_Scalar]:
    """Lists of different length, told one after the other, as a matrix padded on the right.

    Args:
        flat: (sum of lengths,) all values.
        lengths: (n,) how many belong to each row.
        fill: what pads.
        source: the text's name, for the message.
        limits: what is accepted.

    Returns:
        (n, longest) values.

    Raises:
        LimitMet: there are more rows, longer lists or a larger matrix than ``limits`` allow.
    """
    rows, width = len(lengths), int(lengths.max(initial=0))
    if rows > limits.partitions:
        raise LimitMet(f"The text has {rows:,} partitions; {limits.partitions:,} is the limit.", source=source)
    if width > limits.replicas:
        raise LimitMet(
            f"One partition has {width:,} replicas; {limits.replicas:,} is the limit. Is this the list of brokers?",
            source=source,
        )
    if rows * width > limits.cells:
        raise LimitMet(
            f"{rows:,} partitions with up to {width:,} replicas each need {rows * width:,} cells; {limits.cells:,} is "
            f"the limit.",
            source=source,
        )
    if len(flat) == rows * width:
        return flat.reshape(rows, width)
    out = np.full((rows, width), fill, flat.dtype)
    out[np.arange(width) < np.asarray(lengths)[:, None]] = flat
    return out


def assemble(
    rows: Rows,
    *,
    brokers: Iterable[Broker] = (),
    log_dirs: Sequence[str] = (),
    min_in_sync: npt.NDArray[np.int32] | None = None,
    topic_ids: Sequence[str] | None = None,
    order_told: npt.NDArray[np.bool_] | bool = True,
) -> tuple[ClusterLayout, tuple[Finding, ...]]:
    """The layout that rows tell, and what contradicts in them.

    Args:
        rows: what was told; a partition may occur several times, then the first counts.
        brokers: brokers known; those only mentioned are added with state not told.
        log_dirs: names for a ``log_dir`` column among ``rows.by_row``.
        min_in_sync: (topics,) int32, -1 not told, in the order of ``rows.topics``; or None.
        topic_ids: as ``ClusterLayout`` has them, in the order of ``rows.topics``; or None.
        order_told: (topics,) bool or one for all.

    Returns:
        The layout, and findings of kind ``repeated_rows`` (note), ``contradicting_rows`` (attention),
        ``duplicate_replicas`` (broken) and ``no_replicas`` (attention), each with places and rows of the layout.

    Raises:
        LayoutInvalid: as ``ClusterLayout.from_columns``.
    """
    first, later = _repeats(rows.topic_of, rows.partition)
    kept = rows if not later.size else _take(rows, _complement(later, len(rows.partition)))
    layout = ClusterLayout.from_columns(
        topics=rows.topics,
        topic_of=kept.topic_of,
        partition=kept.partition,
        replicas=kept.replicas,
        brokers=brokers,
        log_dirs=log_dirs,
        min_in_sync=min_in_sync,
        topic_ids=topic_ids,
        order_told=order_told,
        **kept.by_row,  # the contract of Rows: keys are columns of from_columns
    )
    findings: list[Finding] = []
    if later.size:
        differs = _differs(rows, first, later)
        for mask, kind, severity, words in (
            (~differs, "repeated_rows", Severity.NOTE, "in the text twice, equal"),
            (
                differs,
                "contradicting_rows",
                Severity.ATTENTION,
                "in the text twice, with differences; the first one counts",
            ),
        ):
            if mask.any():
                findings.append(
                    _repeat_finding(layout, rows, (first[mask], later[mask]), kind=kind, severity=severity, words=words)
                )
    if layout.duplicates.size:
        doubled = np.flatnonzero(row_repeats(rows.replicas))
        findings.append(
            place_finding(
                layout,
                rows,
                doubled,
                kind="duplicate_replicas",
                severity=Severity.BROKEN,
                sentence="{what} on one broker twice: {examples}. Fix this before planning.",
                one="partition is",
                many="partitions are",
            )
        )
    empty = np.flatnonzero((rows.replicas != NONE).sum(axis=1) == 0)
    if empty.size:
        findings.append(
            place_finding(
                layout,
                rows,
                empty,
                kind="no_replicas",
                severity=Severity.ATTENTION,
                sentence="{what} no replica: {examples}. Kafka has no such partitions; check the text.",
                one="partition has",
                many="partitions have",
            )
        )
    return layout, tuple(findings)


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
        f"{'it says' if count == 1 else 'they say'} is missing; check the skipped lines and fix them before planning.",
        places=tuple(places[:PLACES_NAMED]),
    )


def _repeat_finding(
    layout: ClusterLayout,
    rows: Rows,
    repeats: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
    *,
    kind: str,
    severity: Severity,
    words: str,
) -> Finding:
    first, later = repeats
    pairs = [(rows.place(int(a)), rows.place(int(b))) for a, b in zip(first[:10], later[:10], strict=True)]
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


def _repeats(topic_of: IntArray, partition: IntArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows that tell a partition again, and beside each the row that told it first; later rows ascending."""
    key = row_keys(topic_of, partition)
    nothing = np.empty(0, np.int64)
    if len(key) < 2 or bool((key[1:] > key[:-1]).all()):
        return nothing, nothing
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    starts = np.concatenate(([True], ordered[1:] != ordered[:-1]))
    if bool(starts.all()):
        return nothing, nothing
    first = order[np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    again = np.flatnonzero(~starts)
    by_text = again[np.argsort(order[again], kind="stable")]
    return first[by_text], order[by_text]


def _differs(rows: Rows, first: npt.NDArray[np.int64], later: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    out = np.zeros(len(first), np.bool_)
    for column in (rows.replicas, *rows.by_row.values()):
        a, b = column[first], column[later]
        unequal = a != b
        if np.issubdtype(column.dtype, np.floating):
            unequal &= ~((a != a) & (b != b))  # noqa: PLR0124  # NaN: not told in both
        out |= unequal if unequal.ndim == 1 else unequal.any(axis=1)
    return out


def _complement(rows: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
    stays = np.ones(count, np.bool_)
    stays[rows] = False
    return np.flatnonzero(stays)


def _take(rows: Rows, chosen: npt.NDArray[np.int64]) -> Rows:
    return Rows(
        topics=rows.topics,
        topic_of=rows.topic_of[chosen],
        partition=rows.partition[chosen],
        replicas=rows.replicas[chosen],
        place=rows.place,
        by_row={name: column[chosen] for name, column in rows.by_row.items()},
    )


def _rows_in(layout: ClusterLayout, rows: Rows, told: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """Rows of the layout for rows as told, ascending, each once."""
    place = {name: i for i, name in enumerate(layout.topics)}
    code = np.array([place.get(name, NONE) for name in rows.topics], np.int32)
    return np.unique(layout.rows_at(code[rows.topic_of[told]], rows.partition[told]))
