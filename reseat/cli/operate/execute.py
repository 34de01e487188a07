"""``operate execute | rollback``: plans carried out and taken back, behind the guard."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from reseat.cli.inputs import read_file, text_of
from reseat.cli.operate.session import (
    Session,
    carrying_out,
    connected,
    going_on,
    guarded,
    notes_of,
    progress_json,
    reported,
    signalled,
)
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, say, write_json
from reseat.errors import WriteRefused
from reseat.formats.documents.directory_moves import directory_moves
from reseat.formats.documents.sealed import SealedPlan, read_sealed
from reseat.model import NONE, ClusterLayout, Snapshot
from reseat.model.arrays import lists_differ
from reseat.model.wording import counted, listed
from reseat.operate.admitting import admit, facts_of
from reseat.operate.approving import rollback_of
from reseat.operate.journal.records import Run, RunOptions, RunState
from reseat.operate.observed import observed_rates, takes
from reseat.operate.request import Kind, PlanRequest
from reseat.operate.run import wishes
from reseat.operate.run.execute import carry_out, reconcile
from reseat.schedule.batches import BatchLimits, Order, batches, work_of
from reseat.schedule.tiered import with_tiered
from reseat.schedule.windows import Windows
from reseat.sources.live import read_cluster

__all__ = ["begin", "chosen_options", "execute", "rollback"]

_PROTOCOLS = {"admin": "the Admin protocol", "zookeeper": "ZooKeeper's nodes"}


@guarded
def execute(chosen: argparse.Namespace) -> int:
    """Carry a plan out; see the command's ``--help``."""
    data, source = text_of(chosen.plan)
    plan = read_sealed(data, source=source)
    with connected(chosen) as session:
        interrupted = _settled(session)
        if interrupted is not None and interrupted.hash == plan.hash and interrupted.kind == "plan":
            if chosen.cordon and not interrupted.options.cordon:
                raise WriteRefused(
                    f"Run {interrupted.id} of this plan was interrupted, and began without a cordon: continue it "
                    "without --cordon, or cancel it first. Nothing was sent."
                )
            complain(f"Run {interrupted.id} of this plan was interrupted: continuing.")
            return _continued(chosen, session, interrupted)
        shown = None if chosen.shown is None else read_file(chosen.shown).layout
        now = read_cluster(session.connection)
        if plan.before is None:
            complain(_judged_by(chosen, now.layout if shown is None else shown, plan))
        return _carry_out(chosen, session, _approved(chosen, session, plan, data.decode(), now=now, shown=shown))


def _judged_by(chosen: argparse.Namespace, shown: ClusterLayout, plan: SealedPlan) -> str:
    """What a plan without Reseat's key is compared with, and what it changes there, as a person confirms it."""
    by = f"{chosen.shown} (--shown)" if chosen.shown is not None else "the live cluster"
    rows = shown.rows_of(plan.proposed)
    there = np.flatnonzero(rows >= 0)
    before, after = shown.target().select(rows[there]).replica_ids, plan.proposed.select(there).replica_ids
    differ = np.flatnonzero(lists_differ(before, after))
    names = plan.proposed.names_at(there[differ])
    changes = [
        f"{name} {_list(was)} -> {_list(planned)}"
        for name, was, planned in zip(names, before[differ].tolist(), after[differ].tolist(), strict=True)
    ]
    what = listed(changes) if changes else "nothing"
    between = [
        f"{move.topic}-{move.partition} on broker {move.broker} {move.before} -> {move.target}"
        for move in directory_moves(plan.proposed, shown)
    ]
    also = (
        f" It moves {counted(len(between), 'replica')} to another log directory: {listed(between)}." if between else ""
    )
    return (
        f"{chosen.plan} does not say which layout it was made for: it is validated against {by}, where it changes "
        f"{counted(len(changes), 'partition')}: {what}.{also}"
    )


def _list(ids: list[int]) -> str:
    return f"[{','.join(str(broker) for broker in ids if broker != NONE)}]"


@guarded
def rollback(chosen: argparse.Namespace) -> int:
    """Take a run back; see the command's ``--help``."""
    with connected(chosen) as session:
        interrupted = _settled(session)
        if interrupted is not None and interrupted.kind == "rollback" and chosen.run_id is None:
            complain(
                f"Run {interrupted.id}, which rolls back run {interrupted.takes_back}, was interrupted: continuing."
            )
            return _continued(chosen, session, interrupted)
        run = _run_to_take_back(chosen, session)
        now = read_cluster(session.connection)
        back = rollback_of(run, session.journal.moves(run.id), now)
        if back.left:
            complain(f"Not rolled back, because somebody else changed them: {', '.join(back.left)}.")
        plan = read_sealed(back.text, source=f"the rollback of run {run.id}")
        return _carry_out(chosen, session, _approved(chosen, session, plan, back.text, now=now, takes_back=run))


def _run_to_take_back(chosen: argparse.Namespace, session: Session) -> Run:
    if chosen.run_id is not None:
        return session.run(chosen.run_id)
    for run in session.journal.runs(session.cluster_id):
        if run.kind == "plan":
            return run
    raise WriteRefused(
        f"The journal {session.journal.path} has no plan of cluster {session.cluster_id}: nothing to roll back."
    )


def _settled(session: Session) -> Run | None:
    """After the checks that stand before every write: what a crash left is settled. The interrupted run, or None."""
    if not session.may_write or session.requested_by["confirmed"].strip() != session.cluster_id:
        return None  # refused together with every other check
    for sentence in reconcile(session.target, session.journal):
        complain(sentence)
    run = session.journal.open_run(session.cluster_id)
    if run is None or session.journal.progress(run.id, moves=False).alive:
        return None
    return run


def _continued(chosen: argparse.Namespace, session: Session, run: Run) -> int:
    """Go on with an interrupted run, by its own protocol."""
    with going_on(session, run) as its:
        return _carry_out(chosen, its, _going_on(chosen, its, run))


def _going_on(chosen: argparse.Namespace, session: Session, run: Run) -> Run:
    """An interrupted run with what is asked for now: another throttle, more or fewer moves at a time."""
    if run.protocol is not None and run.protocol != session.target.protocol:
        complain(
            f"It began through {_PROTOCOLS[run.protocol]} and continues through {_PROTOCOLS[session.target.protocol]}."
        )
    options = chosen_options(chosen, run.options)
    if options == run.options:
        return run
    complain(f"From now on: {options.in_words}.")
    return wishes.change(session.journal, run.id, options, operator=session.operator)


def chosen_options(chosen: argparse.Namespace, otherwise: RunOptions) -> RunOptions:
    """How a run is to be carried out, by the words given; the rest as it was. A rate of 0 is no throttle."""
    told: dict[str, Any] = {
        "max_concurrent_moves_per_broker": chosen.moves_a_broker,
        "order": None if chosen.order is None else Order(chosen.order),
        "pause_after": chosen.pause_after,
    }
    options = replace(otherwise, **{name: value for name, value in told.items() if value is not None})
    if chosen.throttle is not None:
        options = replace(options, throttle=chosen.throttle or None)
    if chosen.window is not None:
        options = replace(options, windows=chosen.window if isinstance(chosen.window, Windows) else None)
    return options


def _approved(
    chosen: argparse.Namespace,
    session: Session,
    plan: SealedPlan,
    text: str,
    *,
    now: Snapshot,
    shown: ClusterLayout | None = None,
    takes_back: Run | None = None,
) -> Run:
    """A run that the guard let pass.

    Raises:
        WriteRefused: with every check that failed.
    """
    kind: Kind = "plan" if takes_back is None else "rollback"
    approved = _as_approved(session, plan) if takes_back is None else takes_back.rollback_options
    options = chosen_options(chosen, approved)
    request = PlanRequest(
        plan=plan,
        shown_hash=plan.hash,
        shown=now.layout if shown is None else shown,
        kind=kind,
        options=options,
        cordon=takes_back is None and (chosen.cordon or bool(approved.cordon)),
        **session.requested_by,
    )
    rates = observed_rates(session.journal, session.cluster_id)
    run, checks = admit(
        request,
        facts_of(session.target, now, plan, cordon=request.cordon),
        session.journal,
        text,
        cluster=session.name,
        takes_back=None if takes_back is None else takes_back.id,
    )
    unbound = "" if options.throttle else " Without a throttle, copying uses all available network and disk bandwidth."
    complain(*notes_of(checks), f"Run {run.id} is executed with {options.in_words}.{unbound}")
    limits = BatchLimits(options.max_concurrent_moves_per_broker, session.target.batch_bytes, order=options.order)
    work = work_of(now.layout, plan.proposed)
    schedule = with_tiered(batches(work, limits), work, plan.proposed, now.tiering)
    time = takes(schedule, options, rates, datetime.now(UTC))
    complain(*filter(None, (time,)))
    return run


def _as_approved(session: Session, plan: SealedPlan) -> RunOptions:
    """How a plan is carried out where nothing else is said: as it was proposed to a second person, if it was."""
    proposal = session.journal.open_proposal(session.cluster_id, plan.hash)
    return (None if proposal is None else proposal.options) or RunOptions()


def _carry_out(chosen: argparse.Namespace, session: Session, run: Run) -> int:
    if not chosen.wait:
        return begin(chosen, session, run)
    tell = complain if chosen.json else say

    def moved() -> tuple[int, int]:
        at = session.journal.progress(run.id, moves=False)
        return at.done, at.partitions

    with carrying_out(session.journal, run):
        with signalled(lambda: complain(_stopping(run))) as told_by, working(f"Run {run.id}", moved):
            ended = carry_out(
                session.target,
                session.journal,
                run.id,
                stop=told_by.stop,
                interrupt=told_by.interrupt,
                read=partial(read_cluster, session.connection),
                report=reported(chosen),
            )
        holds = ended.state is RunState.DONE and _verified(session, ended, tell)
    if chosen.json:
        write_json(progress_json(session.journal.progress(run.id)))
    return 0 if holds else ExitCode.UNFINISHED


def _stopping(run: Run) -> str:
    """What the first Ctrl-C does, and what a second one would. Asks nothing: it is called wherever the run stands."""
    return (
        f"Stopping run {run.id}: nothing further is sent, what is in progress finishes, and the throttles are restored."
        " Press Ctrl-C again to end at once: Kafka continues with what is in progress, the throttles stay, and the "
        "same command continues the run."
    )


def _verified(session: Session, run: Run, tell: Callable[..., object]) -> bool:
    """Whether the plan holds, seen once more from outside the run."""
    from reseat.operate.verify import verify

    plan = read_sealed(run.plan, source=f"the plan of run {run.id}")
    seen = verify(session.target, plan, read_cluster(session.connection) if plan.leaving else None)
    tell(*seen.sentences)
    return seen.holds


def begin(chosen: argparse.Namespace, session: Session, run: Run) -> int:
    """A process of its own carries the run out; says where it can be watched."""
    from reseat.operate.run import runner

    process = runner.start(session.connection, session.journal.path, run.id)
    if chosen.json:
        write_json(progress_json(session.journal.progress(run.id, moves=False)) | {"process": process})
        return 0
    say(
        f"Run {run.id} has begun (process {process}).",
        f"Progress: reseat operate status --run {run.id} --journal {shlex.quote(str(session.journal.path))}",
        f"Log: {runner.log_file(session.journal.path.resolve(), run.id)}",
    )
    return 0
