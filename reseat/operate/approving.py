"""From a plan that the guard let pass to what the journal takes in, and from a run to the plan that takes it back.

Pure: a reading comes in, values go out. Lists are compared with what the cluster will have once everything under way
is done, as the guard does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reseat.errors import WriteRefused
from reseat.formats.documents.directory_moves import DirectoryMove, directory_moves, named_directories, plan_text
from reseat.model import NONE, ClusterLayout, Longs, Snapshot
from reseat.model.arrays import lists_differ
from reseat.model.wording import listed
from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import MoveProgress, Run, RunOptions
from reseat.operate.run.places import Directories, between_directories
from reseat.schedule.batches import work_of
from reseat.schedule.tiered import likely_bytes

if TYPE_CHECKING:
    from reseat.formats.documents.sealed import SealedPlan

__all__ = ["Rollback", "approval_of", "rollback_of"]


def approval_of(
    plan: SealedPlan,
    text: str,
    now: Snapshot,
    *,
    cluster: str,
    operator: str,
    options: RunOptions,
    kind: str = "plan",
    takes_back: int | None = None,
    protocol: str | None = None,
    overridden: tuple[str, ...] = (),
) -> Approval:
    """What the journal keeps of a plan: its text, its rollback, and each partition that changes.

    Args:
        plan: the plan as read.
        text: its text.
        now: the reading that the guard checked it against.
        cluster: the name by which the person knows the cluster.
        operator: who approved it.
        options: how it is carried out.
        kind: ``plan`` or ``rollback``.
        takes_back: id of the run that a rollback takes back.
        protocol: by which it is to be written.
        overridden: names of the checks that the person goes on in spite of.

    Raises:
        WriteRefused: the plan changes nothing, or the cluster does not tell its id.
        InputRefused: a partition of the plan is not in the cluster.
    """
    from reseat.formats.documents.sealed import inverse

    if now.cluster_id is None:
        raise WriteRefused("The cluster does not report its id, so nothing can be approved for it.")
    rollback = inverse(plan, now.layout)
    current = now.layout.target().select(now.layout.rows_of(plan.proposed))
    rows = np.flatnonzero(lists_differ(current.replica_ids, plan.proposed.replica_ids))
    between = () if rows.size else directory_moves(plan.proposed, now.layout)
    if between:
        rollback, moves = _between(between, now.layout)
    elif rows.size:
        moves = _of_lists(plan.proposed, current, rows, now)
    else:
        raise WriteRefused("The cluster is as planned already: there is nothing to execute.")
    return Approval(
        now.cluster_id,
        cluster,
        text,
        rollback,
        plan.hash,
        operator,
        moves,
        options,
        kind,
        takes_back,
        protocol=protocol,
        overridden=overridden,
    )


def _of_lists(proposed: ClusterLayout, current: ClusterLayout, rows: Longs, now: Snapshot) -> tuple[PlannedMove, ...]:
    """Each partition whose list changes, with the bytes that it likely copies."""
    before, after, work = current.replica_ids, proposed.replica_ids, work_of(now.layout, proposed)
    copied = likely_bytes(work, proposed, now.tiering).sum(axis=1).tolist()
    return tuple(
        PlannedMove(
            proposed.topics[proposed.topic_of[row]],
            int(proposed.partition[row]),
            _held(before[row].tolist()),
            _held(after[row].tolist()),
            None if np.isnan(copied[row]) else int(copied[row]),
        )
        for row in rows.tolist()
    )


def _between(moves: Sequence[DirectoryMove], now: ClusterLayout) -> tuple[str, tuple[PlannedMove, ...]]:
    """The text that takes moves between directories back, and each partition of theirs, whose list stays."""
    named: dict[tuple[str, int], dict[int, str]] = {}
    coming: dict[tuple[str, int], list[int | None]] = {}
    for move in moves:
        named.setdefault((move.topic, move.partition), {})[move.broker] = move.before
        coming.setdefault((move.topic, move.partition), []).append(move.bytes)
    settled, planned = now.target(), []
    for key, sizes in sorted(coming.items()):
        row = settled.row(*key)
        ids = () if row is None else _held(settled.replica_ids[row].tolist())
        planned.append(PlannedMove(*key, ids, ids, None if None in sizes else sum(size or 0 for size in sizes)))
    return plan_text(named, settled), tuple(planned)


@dataclass(frozen=True, slots=True)
class Rollback:
    """The plan that takes a run back, made for the cluster as it is now.

    Attributes:
        text: reassignment JSON with the key ``reseat``.
        left: names of partitions that are left as they are, since somebody else changed them or deleted them.
    """

    text: str
    left: tuple[str, ...]


def rollback_of(run: Run, moves: Sequence[MoveProgress], now: Snapshot) -> Rollback:
    """The plan that takes a finished or half-finished run back: the lists from before, where they are not there.

    What somebody else changed since is left alone: only lists that the run planned, or that a cancel left with the old
    replicas in another order, go back.

    Args:
        run: the run.
        moves: its partitions.
        now: the cluster.

    Raises:
        WriteRefused: the run is not over, or there is nothing to take back.
    """
    from reseat.formats.documents.json_rows import document, entries
    from reseat.formats.documents.sealed import seal_of

    if run.state.open:
        raise WriteRefused(f"Run {run.id} is not over ({run.state.value}): cancel it first, or wait.")
    settled = now.layout.target()
    directories = between_directories(run, moves)
    if directories is not None:
        return _back_between(run, directories, settled)
    others_now = _created_again(run, settled)
    lists: dict[tuple[str, int], Sequence[int]] = {}
    left: list[str] = []
    for move in moves:
        row = settled.row(*move.key)
        there = None if row is None else _held(settled.replica_ids[row].tolist())
        anew = move.topic in others_now
        if there == move.before and not anew:
            continue
        if there is not None and not anew and (there == move.target or sorted(there) == sorted(move.before)):
            lists[move.key] = move.before
        elif there is None or anew or move.state != "waiting":
            left.append(move.name)
    if not lists:
        others = f" Somebody else changed or recreated {listed(left)} since." if left else ""
        raise WriteRefused(f"Nothing to roll back in run {run.id}: its partitions are as they were before.{others}")
    proposed = ClusterLayout.from_assignments(lists)
    current = settled.select(settled.rows_of(proposed))
    arrivals = sum(
        len(set(lists[key]) - set(_held(current.replica_ids[row].tolist()))) for row, key in enumerate(sorted(lists))
    )
    seal = seal_of(proposed, current.bare(), made_for=now.layout, shown={"moves": arrivals})
    return Rollback(document(entries(proposed), seal), tuple(left))


def _back_between(run: Run, directories: Directories, settled: ClusterLayout) -> Rollback:
    """Replicas that lie where the run moved them go back; what lies elsewhere by now is somebody else's."""
    others_now = _created_again(run, settled)
    lies = {key: paths for key, paths in named_directories(settled).items() if key[0] not in others_now}
    named: dict[tuple[str, int], dict[int, str]] = {}
    left = []
    for key, before in directories.before.items():
        for broker, path in before.items():
            here = lies.get(key, {}).get(broker)
            if here == directories.target[key][broker]:
                named.setdefault(key, {})[broker] = path
            elif here != path:
                left.append(f"{key[0]}-{key[1]}")
    if not named:
        raise WriteRefused(f"Nothing to roll back in run {run.id}: its replicas are in the directories from before.")
    return Rollback(plan_text(named, settled), tuple(left))


def _created_again(run: Run, now: ClusterLayout) -> frozenset[str]:
    """The topics that have another id than when the run was approved, as far as both are told."""
    from reseat.formats.documents.sealed import topic_ids_in

    ids = now.id_by_topic
    return frozenset(name for name, then in topic_ids_in(run.rollback).items() if ids.get(name, then) != then)


def _held(ids: Sequence[int]) -> tuple[int, ...]:
    return tuple(broker for broker in ids if broker != NONE)
