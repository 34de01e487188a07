"""Merges what several texts, or several kinds of output in one paste, tell of one cluster.

What it promises, in this order: what one text tells and another does not is filled in; what two texts tell
differently is a finding that names both places, and the first telling of the greater authority stays; no partition
and no broker is lost.

Authority: assignments in assignment order (describe, reassignment JSON, topic nodes), then assignments whose order
is not told (rpk, old kcat), then what only adds facts (log directories); within each, as given.

How it works: layouts are merged one by one. Rows are matched by one integer key (topic, partition) and compared as
arrays; what is told of replicas goes from broker id to broker id, since places in the lists may differ. Which columns
there are, and what stands where nothing is told, says ``reseat.model.columns``.

Complexity: O(P R^2) a merge, vectorised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.formats.input.reading import Reading, Skipped
from reseat.formats.rows.broker_facts import living, take
from reseat.formats.rows.gaps import fewer_rows, with_merged_gaps
from reseat.formats.rows.gather import Part
from reseat.model import (
    NONE,
    NOT_TOLD,
    BoolArray,
    ClusterLayout,
    Finding,
    IntArray,
    LogDirectory,
    Longs,
    Severity,
)
from reseat.model.arrays import newcomers, of_one_width, row_any
from reseat.model.columns import COLUMNS, MASKS, Column
from reseat.model.wording import counted

__all__ = ["combine", "combine_parts"]

_NAMED = 3
_PLACES = 10


def combine(readings: Sequence[Reading]) -> Reading:
    """One reading of several texts about one cluster.

    Args:
        readings: at least one, such as describe output, log directories and broker registrations.

    Returns:
        One layout with sizes, racks, hosts and states filled in, all findings and skipped pieces, and a finding for
        each kind of contradiction. ``proposed``, ``quorum``, each log directory and each fact are the first told.

    Raises:
        ValueError: no reading is given.
        LayoutInvalid: as ``ClusterLayout``.
    """
    if not readings:
        raise ValueError("At least one reading is needed.")
    return combine_parts([Part(reading) for reading in readings])


def combine_parts(parts: Sequence[Part]) -> Reading:
    """As ``combine``, for parts that know where each of their partitions stands."""
    if len(parts) == 1:
        return parts[0].reading
    sources = {part.reading.source for part in parts}
    ranked = sorted(parts, key=_authority)
    merge = reduce(_merge, ranked[1:], _Merged(ranked[0].reading.layout, (ranked[0],), (), len(sources) > 1))
    layout = merge.layout
    facts: dict[str, object] = {}
    log_dirs: dict[tuple[int, str], LogDirectory] = {}
    for part in parts:
        facts = {**part.reading.facts, **facts}
        log_dirs = {(one.broker, one.path): one for one in part.reading.log_dirs} | log_dirs
    alive = facts.get("alive_brokers")
    if isinstance(alive, tuple):
        held = set(layout.replica_ids.ravel().tolist()) | set(layout.leader_ids.tolist())
        states = living(layout.brokers, set(alive), set(), set())
        layout = layout.with_brokers(broker for broker in states if broker.id in held)
    layout = with_merged_gaps(layout, [part.reading.layout for part in parts])
    findings: list[Finding] = []
    skipped: list[Skipped] = []
    orderly = bool(layout.order_told.all())
    for part in parts:
        reading = part.reading
        prefix = f"{reading.source}, " if len(sources) > 1 else ""
        findings.extend(
            _carried(found, reading.layout, layout, prefix)
            for found in reading.findings
            if not (orderly and found.kind == "order_not_told")  # another text tells it
            and found.kind != "fewer_rows_than_declared"  # said of all texts together, below
        )
        skipped.extend(
            replace(piece, why=f"{reading.source}: {piece.why}") if prefix else piece for piece in reading.skipped
        )
    if len(sources) == 1:
        skipped.sort(key=lambda piece: piece.line)
    findings.extend(merge.findings)
    short = fewer_rows(layout)
    if short is not None:
        findings.append(short)
    proposing = next((part.reading for part in parts if part.reading.proposed is not None), parts[0].reading)
    return Reading(
        layout=layout,
        kind=" + ".join(dict.fromkeys(part.reading.kind for part in parts)),
        source=", ".join(dict.fromkeys(part.reading.source for part in parts)),
        proposed=proposing.proposed,
        proposed_findings=proposing.proposed_findings,
        skipped=tuple(skipped),
        findings=tuple(findings),
        facts=facts,
        assigns=any(part.reading.assigns for part in parts),
        quorum=next((part.reading.quorum for part in parts if part.reading.quorum is not None), None),
        log_dirs=tuple(log_dirs[place] for place in sorted(log_dirs)),
        tiering=reduce(or_, (part.reading.tiering for part in parts)),
        since=max((part.reading.since for part in parts if part.reading.since is not None), default=None),
    )


def _authority(part: Part) -> tuple[bool, bool]:
    layout = part.reading.layout
    return not part.reading.assigns, bool(layout.partition_count) and not layout.order_told.any()


@dataclass(frozen=True, eq=False)
class _Merged:
    layout: ClusterLayout
    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]
    several_sources: bool


def _merge(so_far: _Merged, part: Part) -> _Merged:
    """The layout so far, with what one more part tells."""
    a, b = so_far.layout, part.reading.layout
    names = sorted({*a.topics, *b.topics})
    code = {name: i for i, name in enumerate(names)}
    place = a.rows_of(b)
    rows_a, rows_b, new = place[place >= 0], np.flatnonzero(place >= 0), np.flatnonzero(place < 0)
    findings = list(_compare(so_far, part, rows_a, rows_b))
    brokers = {broker.id: broker for broker in a.brokers}
    where = f"{part.reading.kind} of {part.reading.source}"
    findings.extend(found for broker in b.brokers for found in take(brokers, broker, where, part.reading.source))
    ids_a, ids_b = of_one_width(a.replica_ids, b.replica_ids)
    # For each replica of a shared row of a: the column in which b has the same broker, and whether it has it.
    same = ids_a[rows_a][:, :, None] == ids_b[rows_b][:, None, :]
    same &= (ids_b[rows_b] != NONE)[:, None, :]
    held, at = same.any(axis=2), np.zeros_like(ids_a[rows_a], np.intp)
    if same.size:  # of nothing there is no place
        at = same.argmax(axis=2)
    dirs = list(dict.fromkeys([*a.log_dirs, *b.log_dirs]))
    told_a, told_b = _told(a, code, dirs), _told(b, code, dirs)
    columns: dict[str, npt.NDArray[Any]] = {"replicas": np.concatenate([ids_a, ids_b[new]])}
    fill = ~a.in_sync_known[rows_a] & b.in_sync_known[rows_b]
    for name, column in COLUMNS.items():
        if name in columns or not column.by_row or not (name in told_a or name in told_b):
            continue
        shape = () if column.per == "row" else ids_a.shape[1:]
        of_a = _wide(told_a.get(name), (a.partition_count, *shape), column)
        of_b = _wide(told_b.get(name), (b.partition_count, *shape), column)
        columns[name] = np.concatenate([of_a, of_b[new]])
        if name in told_b:
            told, further = of_a[rows_a], of_b[rows_b]
            if shape:
                further = np.where(held, np.take_along_axis(further, at, axis=1), np.asarray(column.blank, column.kind))
            untold = _untold(name, told, fill, absent=name not in told_a)
            columns[name][rows_a] = np.where(untold, further, told)
    lowest, order = _topic_columns(a, b, names, new)
    layout = ClusterLayout.from_columns(
        topics=names, brokers=brokers.values(), log_dirs=dirs, topic_ids=_topic_ids(a, b, names), min_in_sync=lowest,
        order_told=order, **columns,
    )  # fmt: skip
    carried = [_carried(found, a, layout, "") for found in so_far.findings]
    found_now = [replace(found, rows=_rows_in(a, layout, found.rows)) for found in findings]
    return _Merged(layout, (*so_far.parts, part), (*carried, *found_now), so_far.several_sources)


def _told(layout: ClusterLayout, code: Mapping[str, int], dirs: Sequence[str]) -> dict[str, npt.NDArray[Any]]:
    """The columns of a layout, with the merged topics' codes, brokers' ids and the merged directories' codes."""
    told = layout.columns() | {"topic_of": _codes(layout, code), "leader": layout.leader_ids}
    if "in_sync" in told:
        told["in_sync_told"] = layout.in_sync_known
    if "log_dir" in told:
        told["log_dir"] = np.array([*map(dirs.index, layout.log_dirs), NONE], np.int32)[layout.log_dir]
    if layout.replica_bytes is not None:
        told["size_bytes"] = layout.replica_bytes
    return told


def _wide(told: npt.NDArray[Any] | None, shape: tuple[int, ...], column: Column) -> npt.NDArray[Any]:
    """A column as wide as the merged layout is, of its blank where nothing is told."""
    out = np.full(shape, column.blank, column.kind)
    if told is not None:
        out[(slice(None), *(slice(width) for width in told.shape[1:]))] = told
    return out


def _untold(name: str, told: npt.NDArray[Any], fill: BoolArray, *, absent: bool) -> BoolArray:
    """Which entries of a column take what the further text tells, in the rows that both tell.

    Args:
        name: the column.
        told: what is told so far: (n,), or (n, width) by replica.
        fill: (n,) rows of which only the further text tells the ISR.
        absent: whether nothing so far tells the column.
    """
    if name in ("in_sync", "in_sync_told"):
        return fill if told.ndim == 1 else np.broadcast_to(fill[:, None], told.shape)
    if name in MASKS:  # a text that knows of them and names none says so
        return np.full(told.shape, absent)
    blank: BoolArray = np.isnan(told) if told.dtype.kind == "f" else told == COLUMNS[name].blank
    return blank


def _codes(layout: ClusterLayout, code: Mapping[str, int]) -> IntArray:
    return np.array([code[name] for name in layout.topics], np.int32)[layout.topic_of]


def _topic_columns(
    a: ClusterLayout, b: ClusterLayout, names: Sequence[str], new: Longs
) -> tuple[IntArray | None, BoolArray]:
    """``min_in_sync`` and ``order_told`` by topic: order holds where every text whose rows are used keeps it."""
    code = {name: i for i, name in enumerate(names)}
    order = np.ones(len(names), np.bool_)
    lowest: IntArray | None = None
    for layout, used in ((b, np.unique(b.topic_of[new])), (a, np.unique(a.topic_of))):
        place = np.array([code[name] for name in layout.topics], np.int64)
        if used.size:
            order[place[used]] &= layout.order_told[used]
        if layout.min_in_sync is not None:
            lowest = np.full(len(names), NONE, np.int32) if lowest is None else lowest
            told = layout.min_in_sync != NONE
            lowest[place[told]] = layout.min_in_sync[told]
    return lowest, order


def _topic_ids(a: ClusterLayout, b: ClusterLayout, names: Sequence[str]) -> tuple[str, ...] | None:
    """The topics' ids, where either tells one; that of ``a`` counts."""
    told = {**b.id_by_topic, **a.id_by_topic}
    return tuple(told.get(name, "") for name in names) if told else None


def _compare(so_far: _Merged, part: Part, rows_a: Longs, rows_b: Longs) -> list[Finding]:
    """Contradictions in rows that both tell; the findings' rows are those of the layout so far."""
    a, b = so_far.layout, part.reading.layout
    ids_a, ids_b = of_one_width(a.replica_ids[rows_a], b.replica_ids[rows_b])
    findings: list[Finding] = []
    if not len(rows_a):
        return findings

    def add(differs: BoolArray, kind: str, severity: Severity, what: str, then: str) -> None:
        if not differs.any():
            return
        at = np.flatnonzero(differs)
        places: list[str] = []
        named: list[str] = []
        for i in at[:_PLACES].tolist():
            row = int(rows_a[i])
            topic, partition = a.topics[int(a.topic_of[row])], int(a.partition[row])
            first = next((p for p in so_far.parts if p.reading.layout.row(topic, partition) is not None), part)
            both = tuple(
                f"{p.reading.source}, {p.place(topic, partition)}"
                if so_far.several_sources
                else p.place(topic, partition)
                for p in (first, part)
            )
            places.extend(both)
            named.append(f"{topic}-{partition} ({both[0]} and {both[1]})")
        said = ", ".join([*named[:_NAMED], *([f"{len(at) - _NAMED:,} more"] if len(at) > _NAMED else [])])
        findings.append(
            Finding(
                kind,
                severity,
                f"{counted(len(at), 'partition has', 'partitions have')} {what}: {said}. {then}",
                rows=rows_a[at],
                places=tuple(places),
            )
        )

    sorted_a, sorted_b = np.sort(ids_a, axis=1), np.sort(ids_b, axis=1)
    other_set = (sorted_a != sorted_b).any(axis=1)
    if part.reading.assigns:
        add(
            other_set,
            "contradicting_rows",
            Severity.ATTENTION,
            "different replicas in two texts",
            "The first is kept; were they taken at different times?",
        )
        ordered = a.order_told[a.topic_of[rows_a]] & b.order_told[b.topic_of[rows_b]]
        add(
            ~other_set & ordered & (ids_a != ids_b).any(axis=1),
            "contradicting_order",
            Severity.ATTENTION,
            "the same replicas in another order in two texts",
            "The first is kept.",
        )
    else:
        stray = newcomers(ids_a, ids_b)
        add(
            row_any(stray),
            "log_without_replica",
            Severity.NOTE,
            "a log on a broker that is not among the replicas",
            "Is a reassignment or a deletion in progress?",
        )
    leader_a, leader_b = a.leader_ids[rows_a], b.leader_ids[rows_b]
    add(
        (leader_a != NOT_TOLD) & (leader_b != NOT_TOLD) & (leader_a != leader_b),
        "contradicting_leader",
        Severity.ATTENTION,
        "different leaders in two texts",
        "The first is kept; were they taken at different times?",
    )
    return findings


def _rows_in(old: ClusterLayout, new: ClusterLayout, rows: Longs) -> Longs:
    """Rows of ``new`` that tell the same partitions as these rows of ``old``."""
    return np.unique(new.rows_of(old)[rows]) if len(rows) else rows


def _carried(found: Finding, old: ClusterLayout, new: ClusterLayout, prefix: str) -> Finding:
    return replace(
        found,
        rows=_rows_in(old, new, found.rows),
        places=tuple(f"{prefix}{place}" for place in found.places),
    )
