"""Checks before an election: the partitions are there and unchanged, and no record is lost that nobody named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reseat.election import mode_of
from reseat.model import ClusterLayout, Longs, Snapshot
from reseat.model.arrays import lists_differ
from reseat.model.wording import SPELLED_OUT, counted, listed, verb
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.losses import RecordLoss, losses
from reseat.operate.request import ElectionRequest
from reseat.operate.targets.target import Election, Partition

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.log_ends import LogEnd

__all__ = ["Ends", "election_checks"]

#: Where the logs of living replicas end, by partition and broker.
Ends: TypeAlias = "Mapping[tuple[Partition, int], LogEnd]"


def election_checks(request: ElectionRequest, snapshot: Snapshot, ends: Ends | None = None) -> tuple[Check, ...]:
    """The checks of an election alone, those of access aside."""
    rows, missing = _rows(request, snapshot.layout)
    return (
        _partitions_exist(missing, len(rows)),
        _layout_unchanged(request, snapshot, rows),
        _loss_named(request),
        _loss_accepted(request, snapshot, ends),
    )


def _rows(request: ElectionRequest, layout: ClusterLayout) -> tuple[Longs, tuple[str, ...]]:
    """Rows of the partitions asked for, ascending; and those that the cluster does not have."""
    if request.partitions is None:
        return np.arange(layout.partition_count, dtype=np.int64), ()
    found = {wanted: layout.row(*wanted) for wanted in request.partitions}
    missing = tuple(f"{topic}-{partition}" for (topic, partition), row in found.items() if row is None)
    return np.array(sorted({row for row in found.values() if row is not None}), np.int64), missing


def _partitions_exist(missing: tuple[str, ...], number: int) -> Check:
    if missing:
        sentence = f"{counted(len(missing), 'partition')} {verb(len(missing), 'is', 'are')} not in the cluster"
        return failed("partitions_exist", f"{sentence}: {listed(missing)}.", partitions=missing)
    if not number:
        return failed("partitions_exist", "No partition given: there is nothing to elect.")
    return passed("partitions_exist", f"{counted(number, 'partition')} to elect leaders for.")


def _layout_unchanged(request: ElectionRequest, snapshot: Snapshot, rows: Longs) -> Check:
    """The replica lists, which say who is preferred, are those of the reading whose preview was shown."""
    name, now, shown = "layout_unchanged", snapshot.layout, request.shown
    unordered = [now.topics[i] for i in np.unique(now.topic_of[rows]) if not now.order_told[i]]
    if unordered:
        return failed(
            name,
            f"The reading does not keep the order of replica lists, so the preferred leaders are unknown, for "
            f"{counted(len(unordered), 'topic')}: {listed(unordered)}.",
        )
    if shown is None:
        return unknown(name, "No preview was shown to compare this with.")
    chosen = now.select(rows)
    theirs = shown.rows_of(chosen)
    known = theirs >= 0
    differs = ~known
    lists = shown.replica_ids[theirs[known]]
    differs[known] = lists_differ(chosen.replica_ids[known], lists)
    if differs.any():
        names = chosen.names_at(np.flatnonzero(differs))
        return failed(
            name,
            f"{counted(len(names), 'partition')} {verb(len(names), 'has', 'have')} another replica list than the "
            f"preview showed: {listed(names)}. Open a new preview.",
            partitions=names,
        )
    return passed(name, "The replica lists are those that the preview showed.")


def _loss_named(request: ElectionRequest) -> Check:
    """An unclean election may lose records: only partitions that the person named are put to it."""
    name = "loss_named"
    if request.election is Election.PREFERRED:
        return passed(name, "A preferred election elects in-sync replicas alone.")
    if request.partitions is None:
        return failed(
            name,
            "An unclean election may lose acknowledged records: it is run only for partitions named one by one, never "
            "for all.",
        )
    return passed(name, "The partitions were named one by one.")


def _loss_accepted(request: ElectionRequest, snapshot: Snapshot, ends: Ends | None) -> Check:
    """The person accepts what is lost, and it is what the preview showed."""
    name = "loss_accepted"
    if request.election is Election.PREFERRED:
        return passed(name, "A preferred election loses no record.")
    mode = mode_of(snapshot.layout, snapshot.metadata, snapshot.version)
    found = losses(snapshot.layout, request.partitions or (), mode, ends)
    losing = tuple(loss for loss in found if loss.may_lose)
    names = tuple(f"{loss.topic}-{loss.partition}" for loss in losing)
    if not losing:
        return passed(name, "No record is lost: no partition would be led by a replica out of sync.")
    said = f"{counted(len(losing), 'partition')} may lose acknowledged records. {_some(losing)}"
    if not request.accepts_loss:
        return failed(name, f"{said} This loss was not accepted.", partitions=names)
    shown = () if request.shown is None else losses(request.shown, request.partitions or (), mode)
    as_shown = {(loss.topic, loss.partition): (loss.leader, loss.last_in_sync) for loss in shown if loss.may_lose}
    other = tuple(
        loss for loss in losing if as_shown.get((loss.topic, loss.partition)) != (loss.leader, loss.last_in_sync)
    )
    if other:
        return failed(
            name,
            f"{counted(len(other), 'partition')} may lose other records than the preview showed. {_some(other)} Open a "
            "new preview.",
            partitions=tuple(f"{loss.topic}-{loss.partition}" for loss in other),
        )
    return passed(name, f"{said} This loss was accepted.", partitions=names)


def _some(found: tuple[RecordLoss, ...]) -> str:
    """The first few losses in full, and how many more."""
    more = found[SPELLED_OUT:]
    return " ".join(loss.sentence for loss in found[:SPELLED_OUT]) + (f" And {len(more):,} more." if more else "")
