"""Checks before an election: the partitions are there and unchanged, and no record is lost that nobody named."""

from __future__ import annotations

import numpy as np

from reseat.election import rules
from reseat.election.candidates import candidates
from reseat.model import NONE, ClusterLayout, Snapshot
from reseat.model.columns import row_any
from reseat.model.wording import counted, listed, verb
from reseat.operate.checks import Check, Verdict
from reseat.operate.request import ElectionRequest
from reseat.operate.target import Election
from reseat.operate.touched import Rows, lists_differ, names_of

__all__ = ["election_checks"]


def election_checks(request: ElectionRequest, snapshot: Snapshot) -> tuple[Check, ...]:
    """The checks of an election alone, those of access aside."""
    rows, missing = _rows(request, snapshot.layout)
    return (
        _partitions_exist(missing, len(rows)),
        _layout_unchanged(request, snapshot, rows),
        _loss_named(request, snapshot.layout, rows),
    )


def _rows(request: ElectionRequest, layout: ClusterLayout) -> tuple[Rows, tuple[str, ...]]:
    """Rows of the partitions asked for, ascending; and those that the cluster does not have."""
    if request.partitions is None:
        return np.arange(layout.partition_count, dtype=np.int64), ()
    found = {wanted: layout.row(*wanted) for wanted in request.partitions}
    missing = tuple(f"{topic}-{partition}" for (topic, partition), row in found.items() if row is None)
    return np.array(sorted({row for row in found.values() if row is not None}), np.int64), missing


def _partitions_exist(missing: tuple[str, ...], number: int) -> Check:
    if missing:
        sentence = f"{counted(len(missing), 'partition')} {verb(len(missing), 'is', 'are')} not in the cluster"
        return Check("partitions_exist", Verdict.FAILED, f"{sentence}: {listed(missing)}.", partitions=missing)
    if not number:
        return Check("partitions_exist", Verdict.FAILED, "No partition is named: there is nothing to elect.")
    return Check("partitions_exist", Verdict.PASSED, f"{counted(number, 'partition')} to hold an election for.")


def _layout_unchanged(request: ElectionRequest, snapshot: Snapshot, rows: Rows) -> Check:
    """The replica lists, which say who is preferred, are those of the reading whose preview was shown."""
    name, now, shown = "layout_unchanged", snapshot.layout, request.shown
    unordered = [now.topics[i] for i in np.unique(now.topic_of[rows]) if not now.order_told[i]]
    if unordered:
        return Check(
            name,
            Verdict.FAILED,
            f"The reading does not keep the order of replica lists, so that nobody knows who is preferred, for "
            f"{counted(len(unordered), 'topic')}: {listed(unordered)}.",
        )
    if shown is None:
        return Check(name, Verdict.NOT_TOLD, "No preview was shown that this could be compared with.")
    chosen = now.select(rows)
    theirs = shown.rows_of(chosen)
    known = theirs >= 0
    differs = ~known
    lists = shown.replica_ids[theirs[known]]
    differs[known] = lists_differ(chosen.replica_ids[known], lists)
    if differs.any():
        names = names_of(chosen, np.flatnonzero(differs))
        return Check(
            name,
            Verdict.FAILED,
            f"{counted(len(names), 'partition')} {verb(len(names), 'has', 'have')} another replica list than the "
            f"preview showed: {listed(names)}. Look at a new preview.",
            partitions=names,
        )
    return Check(name, Verdict.PASSED, "The replica lists are those that the preview showed.")


def _loss_named(request: ElectionRequest, layout: ClusterLayout, rows: Rows) -> Check:
    """An unclean election may lose records: only partitions that the person named are put to it."""
    name = "loss_named"
    if request.election is Election.PREFERRED:
        return Check(name, Verdict.PASSED, "A preferred election elects in-sync replicas alone.")
    can = candidates(layout)
    loses = rows[
        (layout.leader[rows] == NONE)
        & ~row_any((can.alive & can.in_sync)[rows])
        & (rules.first_column(can.alive[rows]) != NONE)
    ]
    if not loses.size:
        return Check(name, Verdict.PASSED, "No partition would be led by a replica that is not in sync.")
    names = names_of(layout, loses)
    said = (
        f"{counted(len(names), 'partition')} would be led by a replica that is not in sync, and records that it does "
        f"not have are lost: {listed(names)}."
    )
    if request.partitions is None:
        return Check(name, Verdict.FAILED, f"{said} Name these partitions if that is meant.", partitions=names)
    return Check(name, Verdict.PASSED, f"{said} They were named.", partitions=names)
