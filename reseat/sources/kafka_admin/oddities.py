"""What is odd in what the brokers told, as findings: nothing of it is dropped in silence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reseat.formats.rows.masks import mask_of
from reseat.model import ClusterLayout, Finding, Longs, Severity
from reseat.model.wording import counted, listed, verb
from reseat.sources.kafka_admin.error_names import error_name
from reseat.sources.kafka_admin.partitions import PartitionsTold
from reseat.sources.kafka_admin.placing import Placed
from reseat.sources.kafka_admin.reassignments import UnderWay

__all__ = ["oddities"]

_EXAMPLES = 3


@dataclass(frozen=True, slots=True)
class _Kind:
    slug: str
    severity: Severity
    one: str
    many: str
    then: str


_OUTSIDE = _Kind(
    "in_sync_outside_replicas",
    Severity.ATTENTION,
    "partition names a broker in the ISR that is not among the replicas",
    "partitions name a broker in the ISR that is not among the replicas",
    "It is ignored.",
)
_LISTENER = _Kind(
    "leader_on_other_listener",
    Severity.ATTENTION,
    "partition is led by a broker that is alive, but not on the listener by which this was read",
    "partitions are led by brokers that are alive, but not on the listener by which this was read",
    "Give every broker this listener.",
)
_LEFT_OVER = _Kind(
    "replica_left_over",
    Severity.NOTE,
    "partition has a log on a broker that is not among its replicas",
    "partitions have logs on brokers that are not among their replicas",
    "After a move they are deleted within a minute or so.",
)
_NOT_SHOWN = _Kind(
    "reassignment_not_shown",
    Severity.NOTE,
    "partition is listed as being reassigned, and metadata does not show its new replicas yet",
    "partitions are listed as being reassigned, and metadata does not show their new replicas yet",
    "Read again.",
)


def oddities(
    layout: ClusterLayout, told: PartitionsTold, placed: Placed, under_way: Mapping[tuple[str, int], UnderWay]
) -> tuple[Finding, ...]:
    """Findings about what was told; their rows are rows of ``layout``, which are those of ``told``."""
    left_over = tuple(np.unique(placed.left_over[:, 1]).tolist())
    found = [
        _finding(layout, _OUTSIDE, np.flatnonzero(mask_of(told.replicas, told.in_sync)[1])),
        _finding(layout, _LISTENER, np.flatnonzero(told.other_listener)),
        _finding(layout, _LEFT_OVER, np.unique(placed.left_over[:, 0]), left_over),
        _finding(layout, _NOT_SHOWN, _not_shown(layout, told, under_way)),
        _topics(told.failed),
    ]
    return tuple(finding for finding in found if finding is not None)


def _not_shown(layout: ClusterLayout, told: PartitionsTold, under_way: Mapping[tuple[str, int], UnderWay]) -> Longs:
    rows = [
        row
        for (topic, partition), move in under_way.items()
        if (row := layout.row(topic, partition)) is not None
        and not {*move.adding, *move.removing} <= set(told.replicas[row].tolist())
    ]
    return np.array(sorted(rows), np.int64)


def _finding(layout: ClusterLayout, kind: _Kind, rows: Longs, brokers: tuple[int, ...] = ()) -> Finding | None:
    if not len(rows):
        return None
    named = [layout.name_of(int(row)) for row in rows[:_EXAMPLES]]
    if len(rows) > _EXAMPLES:
        named.append(f"{len(rows) - _EXAMPLES:,} more")
    sentence = f"{counted(len(rows), kind.one, kind.many)}: {listed(named)}. {kind.then}"
    return Finding(kind.slug, kind.severity, sentence, rows=rows, brokers=brokers)


def _topics(failed: Mapping[str, int]) -> Finding | None:
    if not failed:
        return None
    names = sorted(failed)
    words = ", ".join(sorted({error_name(code) for code in failed.values()}))
    return Finding(
        "topic_not_told",
        Severity.ATTENTION,
        f"{counted(len(names), 'topic is', 'topics are')} reported without partitions ({words}): {listed(names)}. "
        f"{verb(len(names), 'It is', 'They are')} being created or deleted. Read again.",
        topics=tuple(names),
    )
