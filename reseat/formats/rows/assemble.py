"""From the rows that a text told to a layout: limits, repeated partitions, duplicate replicas.

What it promises, in this order: no partition is dropped in silence; where a text tells one partition twice, the
first telling counts and a finding names both places; nothing larger than the limits is ever allocated.

How it works: rows are compared by one integer key (topic and partition), sorted only where they are not already
ascending. O(P) for texts in order, O(P log P) otherwise; no Python loop over partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from reseat.formats.rows.row_findings import Rows, place_finding, repeat_finding, told_again
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, Finding, IntArray, Longs, Severity
from reseat.model.arrays import row_keys, row_repeats

__all__ = ["assemble"]

_Scalar = TypeVar("_Scalar", bound=np.generic)


def assemble(
    rows: Rows,
    *,
    brokers: Iterable[Broker] = (),
    log_dirs: Sequence[str] = (),
    min_in_sync: IntArray | None = None,
    topic_ids: Sequence[str] | None = None,
    order_told: BoolArray | bool = True,
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
    kept = rows if not later.size else _take(rows, np.delete(np.arange(len(rows.partition)), later))
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
        different = _differs(rows, first, later)
        findings.extend(
            repeat_finding(layout, rows, (first[mask], later[mask]), kind=kind, severity=severity, words=words)
            for mask, kind, severity, words in told_again(
                different, "in the text twice, equal", "in the text twice, with differences"
            )
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


def _repeats(topic_of: IntArray, partition: IntArray) -> tuple[Longs, Longs]:
    """Rows that tell a partition again, and beside each the row that told it first; later rows ascending."""
    key = row_keys(topic_of, partition)
    nothing = np.empty(0, np.int64)
    if bool((key[1:] > key[:-1]).all()):
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


def _differs(rows: Rows, first: Longs, later: Longs) -> BoolArray:
    out = np.zeros(len(first), np.bool_)
    for column in (rows.replicas, *rows.by_row.values()):
        a, b = column[first], column[later]
        unequal = a != b
        if np.issubdtype(column.dtype, np.floating):
            unequal &= ~((a != a) & (b != b))  # noqa: PLR0124  # NaN: not told in both
        out |= unequal if unequal.ndim == 1 else unequal.any(axis=1)
    return out


def _take(rows: Rows, chosen: Longs) -> Rows:
    return Rows(
        topics=rows.topics,
        topic_of=rows.topic_of[chosen],
        partition=rows.partition[chosen],
        replicas=rows.replicas[chosen],
        place=rows.place,
        by_row={name: column[chosen] for name, column in rows.by_row.items()},
    )
