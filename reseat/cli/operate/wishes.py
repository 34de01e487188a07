"""``operate cancel | pause | resume | set``: what a person asks of a run, through the journal alone.

The cluster need not answer for that: whoever is at work on the run heeds it. Only a cancel of a run that nobody works
on, with partitions under way, needs the cluster, and so the options that say where it is.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from contextlib import closing
from functools import wraps

from reseat.cli.inputs import names_cluster
from reseat.cli.operate.execute import begin, chosen_options
from reseat.cli.operate.session import (
    carrying_out,
    connected,
    going_on,
    guarded,
    kept_journal,
    progress_json,
    refuse_strangers,
    reported,
    requester,
    signalled,
)
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import say, write_json
from reseat.errors import WriteRefused
from reseat.model.wording import listed
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunState
from reseat.operate.run import sentences, wishes
from reseat.operate.run.execute import carry_out

__all__ = ["cancel", "pause", "resume", "set_options"]

_Wish = Callable[[argparse.Namespace, Journal, Run, str], int]


def _on_run(wish: _Wish) -> Callable[[argparse.Namespace], int]:
    """The command that asks this of the run that is meant."""

    @guarded
    @wraps(wish)
    def command(chosen: argparse.Namespace) -> int:
        with closing(kept_journal(chosen)) as journal:
            run = _run_meant(chosen, journal)
            requested_by = requester(chosen)
            refuse_strangers(requested_by, run.cluster_id, run.protocol or "admin")
            return wish(chosen, journal, run, requested_by["person"].name)

    return command


def _run_meant(chosen: argparse.Namespace, journal: Journal) -> Run:
    if chosen.run_id is not None:
        return journal.run(chosen.run_id)
    open_runs = journal.open_runs()
    runs = [run for run in open_runs if run.cluster_id == chosen.confirm.strip()] or open_runs
    if not runs:
        raise WriteRefused(f"No run of the journal {journal.path} is open: there is nothing to {chosen.action}.")
    if len(runs) > 1:
        names = listed(f"run {run.id} on {run.cluster}" for run in runs)
        raise WriteRefused(f"More than one run of the journal {journal.path} is open ({names}): --run names one.")
    return runs[0]


def _tell(chosen: argparse.Namespace, journal: Journal, run: Run, *lines: str) -> int:
    if chosen.json:
        write_json(progress_json(journal.progress(run.id, moves=False)))
    else:
        say(*lines)
    return 0


@_on_run
def pause(chosen: argparse.Namespace, journal: Journal, run: Run, operator: str) -> int:
    """Send nothing for now; see the command's ``--help``."""
    wishes.pause(journal, run.id, operator=operator)
    return _tell(
        chosen,
        journal,
        run,
        f"Run {run.id} is paused: nothing further is sent, and what is in progress finishes. reseat operate resume "
        "continues it.",
    )


@_on_run
def resume(chosen: argparse.Namespace, journal: Journal, run: Run, operator: str) -> int:
    """Send again; see the command's ``--help``."""
    wishes.resume(journal, run.id, operator=operator)
    alone = "" if journal.progress(run.id, moves=False).alive else f" {sentences.nobody_at_work(run)}"
    return _tell(chosen, journal, run, f"Run {run.id} is no longer paused.{alone}")


@_on_run
def set_options(chosen: argparse.Namespace, journal: Journal, run: Run, operator: str) -> int:
    """Change throttle and moves at a broker; see the command's ``--help``."""
    options = chosen_options(chosen, run.options)
    if options == run.options:
        raise WriteRefused(f"Run {run.id} continues as before: {options.in_words}. No change requested.")
    changed = wishes.change(journal, run.id, options, operator=operator)
    return _tell(chosen, journal, run, f"From now on run {run.id} continues with {changed.options.in_words}.")


@_on_run
def cancel(chosen: argparse.Namespace, journal: Journal, run: Run, operator: str) -> int:
    """Stop a run; see the command's ``--help``."""
    if wishes.stop(journal, run.id, cancel=not chosen.let_finish, operator=operator):
        return _stopped_by_us(chosen, run)
    if journal.run(run.id).state.open:
        if not chosen.wait:
            return _tell(
                chosen, journal, run, f"Run {run.id} was asked to stop: reseat operate status shows when it has."
            )
        _await_end(journal, run)
    ended = journal.run(run.id)
    _tell(chosen, journal, run, ended.sentence)
    return 0 if ended.state is RunState.CANCELLED else ExitCode.UNFINISHED


def _stopped_by_us(chosen: argparse.Namespace, run: Run) -> int:
    """Nobody is at work on the run, and something of it is under way: this process sees to it, or one of its own."""
    if not names_cluster(chosen):
        raise WriteRefused(
            f"Run {run.id} was asked to stop. No executor is running and partitions are in progress, so the cluster "
            "must be read: add --bootstrap, --zookeeper or --cluster."
        )
    with connected(chosen) as opened, going_on(opened, run) as session:
        if not chosen.wait:
            return begin(chosen, session, run)
        with carrying_out(session.journal, run), signalled() as told_by:
            ended = carry_out(
                session.target, session.journal, run.id, interrupt=told_by.interrupt, report=reported(chosen)
            )
        if chosen.json:
            write_json(progress_json(session.journal.progress(run.id, moves=False)))
    return 0 if ended.state is RunState.CANCELLED else ExitCode.UNFINISHED


def _await_end(journal: Journal, run: Run) -> None:
    with signalled() as told_by:
        while not told_by.stop.is_set() and not told_by.interrupt.wait(0.5):
            told = journal.progress(run.id, moves=False)
            if not told.run.state.open:
                return
            if not told.alive:
                raise WriteRefused(f"The process that executed run {run.id} has ended: cancel again.")
