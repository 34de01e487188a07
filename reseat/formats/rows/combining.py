"""Merges what several texts, or several kinds of output in one paste, tell of one cluster.

What it promises, in this order: what one text tells and another does not is filled in; what two texts tell
differently is a finding that names both places, and the first telling of the greater authority stays; no partition
and no broker is lost.

Authority: assignments in assignment order (describe, reassignment JSON, topic nodes), then assignments whose order
is not told (rpk, old kcat), then what only adds facts (log directories); within each, as given.

How it works: layouts are merged one by one. Rows are matched by one integer key (topic, partition) and compared as
arrays; sizes, directories and ISR go from broker id to broker id, since positions in the lists may differ.

Complexity: O(P R^2) a merge, vectorised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.formats.input.reading import Reading, Skipped
from reseat.formats.rows.gaps import fewer_rows, with_merged_gaps
from reseat.formats.rows.gather import Part, living, merged
from reseat.model import (
    NONE,
    NOT_TOLD,
    BoolArray,
    Broker,
    ClusterLayout,
    Finding,
    IntArray,
    Severity,
)
from reseat.model.arrays import newcomers, of_one_width, row_any
from reseat.model.columns import BESIDE_ISR
from reseat.model.wording import counted

__all__ = ["combine", "combine_parts"]

_NAMED = 3
_PLACES = 10

Rows = npt.NDArray[np.int64]
_Scalar = TypeVar("_Scalar", bound=np.generic)


def combine(readings: Sequence[Reading]) -> Reading:
    """One reading of several texts about one cluster.

    Args:
        readings: at least one, such as describe output, log directories and broker registrations.

    Returns:
        One layout with sizes, racks, hosts and states filled in, all findings and skipped pieces, and a finding for
        each kind of contradiction. ``proposed`` and ``facts`` are the first that are told.

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
    for part in parts:
        facts = {**part.reading.facts, **facts}
    alive = facts.get("alive_brokers")
    if isinstance(alive, tuple):
        held = set(layout.replica_ids.ravel().tolist()) | set(layout.leader_ids.tolist())
        states = living(layout.brokers, set(alive), set(), set())
        layout = layout.with_brokers(b for b in states if b.id in held or b.id in alive)
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
    return Reading(
        layout=layout,
        kind=" + ".join(dict.fromkeys(part.reading.kind for part in parts)),
        source=", ".join(dict.fromkeys(part.reading.source for part in parts)),
        proposed=next((part.reading.proposed for part in parts if part.reading.proposed is not None), None),
        proposed_findings=next(
            (part.reading.proposed_findings for part in parts if part.reading.proposed is not None), ()
        ),
        skipped=tuple(skipped),
        findings=tuple(findings),
        facts=facts,
        assigns=any(part.reading.assigns for part in parts),
        since=max((part.reading.since for part in parts if part.reading.since is not None), default=None),
    )


def _authority(part: Part) -> int:
    if not part.reading.assigns:
        return 2
    layout = part.reading.layout
    return 0 if layout.partition_count == 0 or bool(layout.order_told.any()) else 1


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
    shared = place >= 0
    rows_b, rows_a = np.flatnonzero(shared), place[shared]
    new = np.flatnonzero(~shared)
    findings = list(_compare(so_far, part, rows_a, rows_b))
    brokers, contradictions = _brokers(a, b, part)
    findings.extend(contradictions)
    ids_a, ids_b = of_one_width(a.replica_ids, b.replica_ids)
    replicas = np.concatenate([ids_a, ids_b[new]])
    # From a column of b to the column of a that holds the same broker, for rows that both tell.
    match = ids_a[rows_a][:, :, None] == ids_b[rows_b][:, None, :]
    match &= (ids_b[rows_b] != NONE)[:, None, :]

    def numbers(before: IntArray, after: IntArray) -> IntArray:
        out = np.concatenate([before, after[new]])
        fill = out[rows_a] == NOT_TOLD
        out[rows_a[fill]] = after[rows_b[fill]]
        return out.astype(np.int32)

    def mask(before: BoolArray | None, after: BoolArray | None, fill: BoolArray | None) -> BoolArray | None:
        """``fill``: which of the shared rows take what b tells; None: all, where a tells nothing of it."""
        if before is None and after is None:
            return None
        out = np.zeros(replicas.shape, np.bool_)
        if before is not None:
            out[: len(ids_a), : before.shape[1]] = before
        if after is not None:
            out[len(ids_a) :, : after.shape[1]] = after[new]
            moved = (match[:, :, : after.shape[1]] & after[rows_b][:, None, :]).any(axis=2)
            take = np.full(len(rows_a), before is None) if fill is None else fill
            out[rows_a[take]] = moved[take]
        return out

    shared_rows = _Shared(ids_a.shape, match, rows_a, rows_b, new)
    isr_a, isr_b = a.in_sync_known, b.in_sync_known
    fill = ~isr_a[rows_a] & isr_b[rows_b]
    told = np.concatenate([isr_a, isr_b[new]])
    told[rows_a[fill]] = True
    by_topic = _topic_columns(a, b, names, new)
    dirs = list(dict.fromkeys([*a.log_dirs, *b.log_dirs]))
    layout = ClusterLayout.from_columns(
        topics=names,
        topic_of=np.concatenate([_codes(a, code), _codes(b, code)[new]]),
        partition=np.concatenate([a.partition, b.partition[new]]),
        replicas=replicas,
        brokers=brokers,
        leader=numbers(a.leader_ids, b.leader_ids),
        leader_epoch=numbers(a.leader_epoch, b.leader_epoch),
        in_sync=mask(a.in_sync, b.in_sync, fill),
        in_sync_told=told if a.in_sync is not None or b.in_sync is not None else None,
        log_dirs=dirs,
        log_dir=_filled(shared_rows, _renamed(a, dirs), _renamed(b, dirs), np.int32(NONE)),
        size_bytes=_filled(shared_rows, a.replica_bytes, b.replica_bytes, np.float64(np.nan)),
        min_in_sync=by_topic[0],
        topic_ids=_topic_ids(a, b, names),
        order_told=by_topic[1],
        **{name: mask(getattr(a, name), getattr(b, name), None) for name in BESIDE_ISR},
    )
    carried = [_carried(found, a, layout, "") for found in so_far.findings]
    found_now = [replace(found, rows=_rows_in(a, layout, found.rows)) for found in findings]
    return _Merged(layout, (*so_far.parts, part), (*carried, *found_now), so_far.several_sources)


def _codes(layout: ClusterLayout, code: Mapping[str, int]) -> IntArray:
    return np.array([code[name] for name in layout.topics], np.int32)[layout.topic_of]


def _topic_columns(
    a: ClusterLayout, b: ClusterLayout, names: Sequence[str], new: Rows
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
    told: dict[str, str] = {}
    for layout in (b, a):
        told |= {name: given for name, given in zip(layout.topics, layout.topic_ids or (), strict=False) if given}
    return tuple(told.get(name, "") for name in names) if told else None


def _renamed(layout: ClusterLayout, dirs: Sequence[str]) -> IntArray | None:
    if layout.log_dir is None:
        return None
    place = np.array([dirs.index(name) for name in layout.log_dirs] + [NONE], np.int32)
    return place[layout.log_dir]


@dataclass(frozen=True, eq=False)
class _Shared:
    """How rows of two layouts meet: (rows of a, width), which columns hold one broker, rows of both, rows only of b."""

    shape: tuple[int, int]
    match: BoolArray
    rows_a: Rows
    rows_b: Rows
    new: Rows


def _filled(
    shared: _Shared, before: npt.NDArray[_Scalar] | None, after: npt.NDArray[_Scalar] | None, blank: _Scalar
) -> npt.NDArray[_Scalar] | None:
    """A column over replicas, by broker: what a tells, and where it does not, what b tells."""
    if before is None and after is None:
        return None
    count, width = shared.shape
    out = np.full((count + len(shared.new), width), blank, blank.dtype)
    if before is not None:
        out[:count, : before.shape[1]] = before
    if after is not None:
        out[count:, : after.shape[1]] = after[shared.new]
        for column in range(after.shape[1]):
            row, at = np.nonzero(shared.match[:, :, column])
            value = after[shared.rows_b[row], column]
            present = out[shared.rows_a[row], at]
            untold = (present != present) | (present == blank)  # noqa: PLR0124  # NaN where a size is not told
            out[shared.rows_a[row[untold]], at[untold]] = value[untold]
    return out


def _brokers(a: ClusterLayout, b: ClusterLayout, part: Part) -> tuple[list[Broker], list[Finding]]:
    known = {broker.id: broker for broker in a.brokers}
    findings = []
    for broker in b.brokers:
        if broker.id not in known:
            known[broker.id] = broker
            continue
        known[broker.id], differs = merged(known[broker.id], broker)
        for what, before, after in differs:
            findings.append(
                Finding(
                    "contradicting_broker",
                    Severity.ATTENTION,
                    f"Broker {broker.id} has {what} {before} and, in {part.reading.kind} of {part.reading.source}, "
                    f"{what} {after}; the first is kept.",
                    brokers=(broker.id,),
                    places=(part.reading.source,),
                )
            )
    return list(known.values()), findings


def _compare(so_far: _Merged, part: Part, rows_a: Rows, rows_b: Rows) -> list[Finding]:
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
            if len(named) < _NAMED:
                named.append(f"{topic}-{partition} ({both[0]} and {both[1]})")
        if len(at) > _NAMED:
            named.append(f"{len(at) - _NAMED:,} more")
        findings.append(
            Finding(
                kind,
                severity,
                f"{counted(len(at), 'partition has', 'partitions have')} {what}: {', '.join(named)}. {then}",
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


def _rows_in(old: ClusterLayout, new: ClusterLayout, rows: Rows) -> Rows:
    """Rows of ``new`` that tell the same partitions as these rows of ``old``."""
    return np.unique(new.rows_of(old)[rows]) if len(rows) else rows


def _carried(found: Finding, old: ClusterLayout, new: ClusterLayout, prefix: str) -> Finding:
    return replace(
        found,
        rows=_rows_in(old, new, found.rows),
        places=tuple(f"{prefix}{place}" for place in found.places),
    )
