"""What a layout's source leaves unknown or out, as findings: said before anything that is made of the layout.

Promises: each says what is missing, how much of it, and what to do; nothing where nothing is missing.

Needs: any layout; the facts are its ``gaps``.
"""

from __future__ import annotations

from collections.abc import Collection

from reseat.model import NOT_TOLD, ClusterLayout, Finding, Gaps, Severity
from reseat.model.wording import counted, listed, verb

__all__ = ["health_unknown", "incomplete", "racks_in_words", "racks_unknown"]

#: Topics and partition ids that the sentence names.
_NAMED = 3


def incomplete(layout: ClusterLayout) -> Finding | None:
    """A finding of kind ``input_incomplete`` where partitions of the cluster are missing from the layout, else None."""
    gaps = layout.gaps
    if not gaps.incomplete:
        return None
    said = [*_partitions(gaps), *_topics(layout, gaps)]
    if gaps.unread_rows:
        said.append(f"{counted(gaps.unread_rows, 'row')} with partitions could not be read")
    return Finding(
        "input_incomplete",
        Severity.BROKEN,
        f"The input is incomplete: {'; '.join(said)}. Plans, balance and leaders cover only what is there.",
        topics=tuple(topic.topic for topic in gaps.short),
    )


def _partitions(gaps: Gaps) -> list[str]:
    if not gaps.short:
        return []
    named = []
    for topic in gaps.short[:_NAMED]:
        ids = listed(topic.first if len(topic.first) == topic.missing else (*topic.first[:_NAMED], "more"), _NAMED + 1)
        named.append(f"{topic.topic} {ids}" if ids else f"{topic.topic} {topic.missing:,} of {topic.partitions:,}")
    more = len(gaps.short) - len(named)
    missing = gaps.missing_partitions
    where = "; ".join(named) + (f"; and of {counted(more, 'further topic')}" if more else "")
    return [f"{counted(missing, 'partition')} {verb(missing, 'is', 'are')} missing ({where})"]


def _topics(layout: ClusterLayout, gaps: Gaps) -> list[str]:
    said = []
    if gaps.topics_declared:
        said.append(f"a heading says {counted(gaps.topics_declared, 'topic')}, {len(layout.topics):,} are there")
    if gaps.missing_topics:
        count = len(gaps.missing_topics)
        said.append(
            f"{counted(count, 'topic')} of the topic list {verb(count, 'is', 'are')} missing "
            f"({listed(gaps.missing_topics, _NAMED + 1)})"
        )
    return said


def racks_in_words(layout: ClusterLayout) -> str:
    """What is known of the brokers' racks: ``in 3 racks``, ``without racks`` or ``of unknown racks``."""
    unknown = len(layout.unknown_racks)
    if not layout.racks:
        return "with unknown racks" if unknown else "without racks"
    known = f"in {counted(len(layout.racks), 'rack')}"
    return f"{known} ({unknown:,} with unknown rack)" if unknown else known


def racks_unknown(layout: ClusterLayout, leaving: Collection[int] = ()) -> Finding | None:
    """A finding of kind ``racks_unknown`` where a broker's rack is unknown, else None.

    Args:
        layout: the layout.
        leaving: brokers that hold nothing afterwards, whose racks do not matter.
    """
    unknown = tuple(broker for broker in layout.unknown_racks if broker not in leaving)
    if not unknown:
        return None
    if layout.racks:
        who = f"{verb(len(unknown), 'The rack of broker', 'The racks of brokers')} {listed(unknown)}"
        said = f"{who} {verb(len(unknown), 'is', 'are')} unknown: each is treated as its own rack, which may be wrong."
    else:
        said = "Racks are unknown: a plan cannot spread replicas over racks, and may put all of them into one."
    return Finding(
        "racks_unknown", Severity.ATTENTION, f"{said} Add them, or state that there are none.", brokers=unknown
    )


def health_unknown(layout: ClusterLayout) -> str | None:
    """What cannot be said of the partitions' health, as a clause for a sentence; None where all of it is told.

    Who reads "no critical issues" of a text without leaders would take for healthy what nobody has looked at.
    """
    told = (("offline", (layout.leader != NOT_TOLD).all()), ("under-replicated", layout.in_sync_known.all()))
    unknown = [words for words, known in told if not known]
    if not unknown or not layout.partition_count:
        return None
    return f"Unknown whether partitions are {' or '.join(unknown)}: leaders or in-sync replicas are unknown"
