"""``operate status | verify``: how far runs are, and whether the cluster is as planned."""

from __future__ import annotations

import argparse
from contextlib import closing

from reseat.access import OPERATE_VARIABLE
from reseat.cli.inputs import names_cluster, text_of
from reseat.cli.operate.cordons import cordon_lines
from reseat.cli.operate.session import Session, connected, guarded, kept_journal, progress_json
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import complain, more, say, table, write_json
from reseat.errors import InputRefused
from reseat.formats.documents.sealed import SealedPlan, read_sealed
from reseat.model.units import size
from reseat.model.wording import counted
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunProgress
from reseat.operate.run import sentences
from reseat.operate.run.execute import reconcile
from reseat.operate.run.places import as_shown
from reseat.operate.verify import verify as compare
from reseat.sources.live import read_cluster

__all__ = ["status", "verify"]

#: Partitions listed for a person; --json lists all.
LISTED_ROWS = 50
#: Runs listed, newest first, before those that are not over.
_LISTED_RUNS = 20


@guarded
def status(chosen: argparse.Namespace) -> int:
    """Say what was carried out and how far it is; see the command's ``--help``."""
    if not names_cluster(chosen):
        with closing(kept_journal(chosen)) as journal:
            return _tell(chosen, journal, None, [])
    with connected(chosen) as session:
        if chosen.run_id is not None:
            session.run(chosen.run_id)
        return _tell(chosen, session.journal, session.cluster_id, _mended(session))


def _mended(session: Session) -> list[str]:
    """What a crash left is put in order, where writing is enabled; else what there is to put in order."""
    if session.may_write:
        return list(reconcile(session.target, session.journal))
    return [
        f"Run {run} left throttles in place and no executor is running: status restores them with "
        f"{OPERATE_VARIABLE}=1, because that is a write."
        for run, _, _ in session.journal.throttled_runs(session.cluster_id)
        if not session.journal.progress(run, moves=False).alive
    ]


def _tell(chosen: argparse.Namespace, journal: Journal, cluster_id: str | None, notes: list[str]) -> int:
    notes += cordon_lines(journal, cluster_id)
    if chosen.run_id is not None:
        progress = journal.progress(chosen.run_id)
        if chosen.json:
            write_json(progress_json(progress, moves=True))
            complain(*notes)
        else:
            say(*notes, *_run_lines(progress), *_move_lines(progress))
        return 0
    found = journal.runs(cluster_id, most=_LISTED_RUNS + 1)
    newest = found[:_LISTED_RUNS]
    older = [run for run in journal.open_runs(cluster_id) if run not in newest]
    listed = [journal.progress(run.id, moves=False) for run in (*newest, *older)]
    if chosen.json:
        write_json([progress_json(progress) for progress in listed])
        complain(*notes)
        return 0
    if not listed:
        say(*notes, f"The journal {journal.path} holds no run{'' if cluster_id is None else ' of this cluster'}.")
        return 0
    say(*notes)
    for progress in listed:
        say(*_run_lines(progress))
    if len(found) > _LISTED_RUNS:
        say("Older runs that are over are not listed; --run shows one.")
    return 0


def _run_lines(progress: RunProgress) -> list[str]:
    run = progress.run
    what = "plan" if run.takes_back is None else f"rolls back run {run.takes_back}"
    lines = [
        f"Run {run.id} ({what}, {run.cluster}): {run.state.value}{_unattended(progress)}",
        f"  {run.sentence}",
        f"  {progress.done:,} of {counted(progress.partitions, 'partition')} as planned, {progress.sent:,} in progress,"
        f" {progress.failed:,} failed; {counted(progress.batches, 'batch', 'batches')}; approved by {run.operator} "
        f"{run.approved_at:%Y-%m-%d %H:%M:%S} UTC",
    ]
    if run.overridden:
        lines.append(f"  Overridden checks: {', '.join(run.overridden)}")
    if progress.bytes_total:
        left = "" if progress.seconds_left is None else f", about {_duration(progress.seconds_left)} left"
        lines.append(f"  {size(progress.bytes_done)} of {size(progress.bytes_total)} at approval copied{left}")
    return lines


def _unattended(progress: RunProgress) -> str:
    if not progress.run.state.open or progress.alive:
        return ""
    return f". {sentences.nobody_at_work(progress.run)}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"


def _move_lines(progress: RunProgress) -> list[str]:
    moves = as_shown(progress.run, progress.moves)
    shown = [move for move in moves if move.state != "done"] or list(moves)
    rows = [
        (
            move.name,
            move.state,
            ",".join(map(str, move.before)),
            ",".join(map(str, move.target)),
            ",".join(map(str, move.now)) or "-",
            move.error or "",
        )
        for move in shown[:LISTED_ROWS]
    ]
    lines = ["", *table(("Partition", "state", "before", "planned", "seen", "error"), rows, left=6)] if rows else []
    return lines + more(len(shown), LISTED_ROWS)


@guarded
def verify(chosen: argparse.Namespace) -> int:
    """Compare the cluster with a plan; see the command's ``--help``."""
    with connected(chosen) as session:
        plan = _plan_to_verify(chosen, session)
        seen = compare(session.target, plan, read_cluster(session.connection) if plan.leaving else None)
    if chosen.json:
        write_json(
            {
                "partitions": seen.partitions,
                "as_planned": seen.partitions - len(seen.differences),
                "under_way": [str(one) for one in seen.under_way],
                "different": [str(one) for one in seen.different],
                "throttles": list(seen.throttles),
                "elsewhere": list(seen.elsewhere),
                "copied": list(seen.copied),
                "drained": None if seen.drained is None else seen.drained.result.value,
                "holds": seen.holds,
                "sentences": list(seen.sentences),
            }
        )
    else:
        say(*seen.sentences)
    return 0 if seen.holds else ExitCode.UNFINISHED


def _plan_to_verify(chosen: argparse.Namespace, session: Session) -> SealedPlan:
    if chosen.plan is not None:
        data, source = text_of(chosen.plan)
        return read_sealed(data, source=source)
    if chosen.run_id is not None:
        run = session.run(chosen.run_id)
        return read_sealed(run.plan, source=f"the plan of run {run.id}")
    runs = session.journal.runs(session.cluster_id, most=1)
    if not runs:
        raise InputRefused("The journal has no run of this cluster: --plan names what to compare it with.")
    return read_sealed(runs[0].plan, source=f"the plan of run {runs[0].id}")
