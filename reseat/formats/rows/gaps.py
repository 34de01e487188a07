"""What a text leaves out: the ``Gaps`` of one output, and of several that were merged.

What it promises, in this order: a partition, a topic or a rack counts as missing only where the text itself shows it
(a heading counts more partitions, ids leave a gap, a listing names more topics, a row breaks off); what another text
of the same reading tells is missing no longer.

Complexity: O(partitions), vectorised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from reseat.model import ClusterLayout, Finding, Gaps, IntArray, Longs, Severity, ShortTopic
from reseat.model.gaps import NAMED_GAPS
from reseat.model.wording import counted

__all__ = ["fewer_rows", "gaps_of", "with_merged_gaps"]

#: Topics with missing partitions whose ids are named; of further ones only the number.
_TOPICS_NAMED = 1_000


def gaps_of(
    layout: ClusterLayout,
    *,
    declared: Mapping[str, int],
    whole_topics: bool,
    topics_declared: int,
    topics_listed: Collection[str],
    unread_rows: int,
    racks_told: Collection[int],
) -> Gaps:
    """What one output leaves out.

    Args:
        layout: what it tells.
        declared: partitions by topic, as headings say.
        whole_topics: whether the output tells topics as a whole, so that ids below the largest are missing where they
            are not told, and a topic without any partition is a heading that the text's end cuts off.
        topics_declared: topics that a heading counts, or 0.
        topics_listed: topics that a listing names.
        unread_rows: rows of partitions that could not be read.
        racks_told: brokers of which it is told which rack they have, or that they have none.
    """
    wanted = np.array([declared.get(name, 0) for name in layout.topics], np.int64)
    if whole_topics:
        wanted = np.maximum(wanted, 1)
        np.maximum.at(wanted, layout.topic_of, layout.partition.astype(np.int64) + 1)
    absent = tuple(sorted(set(topics_listed) - set(layout.topics)))
    return Gaps(
        racks_told=_all_told(layout, racks_told),
        short=_short(layout, wanted),
        topics_declared=topics_declared if topics_declared > len(layout.topics) else 0,
        missing_topics=absent,
        unread_rows=unread_rows,
    )


def with_merged_gaps(layout: ClusterLayout, parts: Iterable[ClusterLayout]) -> ClusterLayout:
    """The merged layout with what is still missing from it.

    Args:
        layout: what several texts tell together.
        parts: the layout of each.
    """
    each = [part for part in parts if part.gaps != Gaps()]
    if not each:
        return layout
    wanted = dict.fromkeys(layout.topics, 0)
    for part in each:
        for topic in part.gaps.short:
            wanted[topic.topic] = max(topic.partitions, wanted[topic.topic])
    told = {broker.id for part in each if part.gaps.racks_told for broker in part.brokers}
    declared = max(part.gaps.topics_declared for part in each)
    absent = set().union(*(part.gaps.missing_topics for part in each)) - set(layout.topics)
    gaps = Gaps(
        racks_told=_all_told(layout, told),
        short=_short(layout, np.array([*wanted.values()], np.int64)),
        topics_declared=declared if declared > len(layout.topics) else 0,
        missing_topics=tuple(sorted(absent)),
        unread_rows=sum(part.gaps.unread_rows for part in each),
    )
    return replace(layout, gaps=gaps)


def fewer_rows(layout: ClusterLayout) -> Finding | None:
    """A finding where partitions of a topic are missing: the text was cut or filtered."""
    short = layout.gaps.short
    if not short:
        return None
    first = short[0]
    return Finding(
        "fewer_rows_than_declared",
        Severity.ATTENTION,
        f"{counted(len(short), 'topic has', 'topics have')} more partitions than there are rows (such as "
        f"{first.topic}: {first.partitions:,} partitions, {first.partitions - first.missing:,} rows). Was the text "
        "truncated or filtered?",
        topics=tuple(topic.topic for topic in short),
    )


def _all_told(layout: ClusterLayout, told: Collection[int]) -> bool:
    """Whether every broker has a rack or is told to have none."""
    return bool(told) and all(broker.rack is not None or broker.id in told for broker in layout.brokers)


def _short(layout: ClusterLayout, wanted: Longs) -> tuple[ShortTopic, ...]:
    """The topics of which not all wanted partitions are told."""
    rows = np.bincount(layout.topic_of[layout.partition < wanted[layout.topic_of]], minlength=len(wanted))
    out: list[ShortTopic] = []
    for code in np.flatnonzero(rows < wanted).tolist():
        name, count = layout.topics[code], int(wanted[code])
        span = layout.rows_of_topic(name)
        first = _first_missing(layout.partition[span.start : span.stop], count) if len(out) < _TOPICS_NAMED else ()
        out.append(ShortTopic(name, count, count - int(rows[code]), first))
    return tuple(out)


def _first_missing(ids: IntArray, count: int) -> tuple[int, ...]:
    """The first of the ids below ``count`` that are not among these, each of which occurs once."""
    candidates = np.arange(min(count, len(ids) + NAMED_GAPS))
    return tuple(np.setdiff1d(candidates, ids)[:NAMED_GAPS].tolist())
