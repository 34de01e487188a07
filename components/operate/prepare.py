"""A plan before it is carried out: its figures, the guard's checks, how it shall be done, and the confirmation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from components.look import tables, text
from components.look.notices import refused
from components.operate import states
from components.operate.approvals import asked_before, draw_second_word
from components.operate.checks import draw_checks, stopping, tally
from components.operate.confirm import JUDGED_ELSEWHERE, attempt, draw_confirm
from components.operate.cordons import choose_cordon
from components.operate.operated_cluster import OperatedCluster, choose_protocol, look_at, tell_protocol
from components.operate.options import draw_options
from components.operate.plan import Proposal, draw_detail, figures_of
from components.operate.reading import draw_age, last_reading, read_now
from components.operate.schedule import draw_schedule
from components.operate.start import Intent, begin
from components.shell import frame
from components.shell.frame import Figure
from components.state import caching, shared, slots
from reseat.errors import ClusterUnreachable, WishRefused, WriteRefused
from reseat.formats.documents.directory_moves import DirectoryMove, directory_moves
from reseat.model import Plan, Snapshot
from reseat.operate.admitting import check_plan
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.journal.records import RunOptions
from reseat.operate.observed import takes
from reseat.planning.judge import laid_over
from reseat.schedule.batches import BatchLimits

__all__ = ["draw_proposal", "draw_unexecuted"]


def draw_proposal(operated: OperatedCluster, proposal: Proposal, head: DeltaGenerator) -> None:
    """Everything about one plan, down to the button that begins it.

    Args:
        operated: the cluster and the person.
        proposal: the plan.
        head: where the sentence and the figures go.
    """
    try:
        fresh = last_reading(operated, proposal.sealed)
    except (ClusterUnreachable, WriteRefused) as error:
        with head:
            frame.answer(f"{proposal.title}: it cannot be checked now.")
            states.draw_unread(error)
        return
    plan = caching.kept(laid_over)(fresh.snapshot.layout, proposal.sealed)
    between = _moves_between(proposal, plan, fresh.snapshot)
    left, right = st.columns([1.7, 1], gap="large")
    with right:
        if not operated.may_write:  # before all that is asked: the button that is missing would stand below the fold
            st.caption("You cannot execute it: *Read-only*, at the top, says why.")
        before, proposed = asked_before(operated, proposal)
        options = _how(operated, before, proposed)
        cordon = choose_cordon(proposal, fresh, proposed, default=bool(before.cordon))
        foot = st.container()
    if options is None:
        with head:
            frame.answer(f"{proposal.title}: its schedule cannot be read.")
        return
    intent = Intent(operated, proposal, options, fresh, cordon)
    # Checked as if the id were typed already: what is typed is said beside the field.
    checks = check_plan(intent.request(operated.cluster_id), fresh.facts, operated.journal)
    listed = [check for check in checks if check.name not in JUDGED_ELSEWHERE]
    with left:
        st.header(f"Checks: {tally(listed)}", anchor=False)
        overrides = draw_checks(listed, f"{proposal.kind}-{proposal.sealed.hash[:12]}")
        draw_age(operated, fresh)
    with head:
        limits = BatchLimits(options.max_concurrent_moves_per_broker, fresh.facts.batch_bytes, order=options.order)
        work, schedule = caching.schedule_of(fresh.snapshot.layout, proposal.sealed, limits, fresh.snapshot.tiering)
        untold = sum(check.result is CheckResult.NOT_TOLD for check in listed)
        what = _what_moves(between) if between else _what(plan)
        frame.answer(_answer(operated, proposal, what, stopping(listed, overrides), untold))
        rate = float(options.throttle or 0)
        figures = _figures_between(between, proposal, rate) if between else figures_of(plan, proposal, schedule, rate)
        frame.figures(figures)
    with foot:
        if not between:
            st.caption(takes(schedule, options, shared.observed_rates(operated.cluster_id), datetime.now(UTC)))
        label = label_of(operated, proposal, plan, between)
        confirmed_next = draw_second_word(intent, checks, overrides, label)
        if operated.may_write and confirmed_next:
            outcome = st.container()  # above the button: below it a small screen does not show why nothing happens
            typed = draw_confirm(operated, checks, overrides, label, f"plan-{proposal.kind}")
            with outcome:
                act = None if typed is None else partial(_carry_out, intent, typed, overrides)
                if attempt(_execution(operated), act):
                    st.rerun()
    if between:
        _draw_between(between)
        return
    draw_detail(plan, proposal, partial(draw_schedule, plan, proposal.sealed, (work, schedule), options.throttle))


def draw_unexecuted(operated: OperatedCluster) -> None:
    """Why the plan that was confirmed was not begun, where nothing is left of it by now."""
    attempt(_execution(operated), None)


def _execution(operated: OperatedCluster) -> str:
    return f"plan {operated.cluster_id}"


def label_of(operated: OperatedCluster, proposal: Proposal, plan: Plan, between: Sequence[DirectoryMove] = ()) -> str:
    """What the button says: what will happen, how much of it, and where."""
    moves, changed = plan.certificate.moves, plan.certificate.changed_partitions
    if moves:
        what = f"Move {text.counted(moves, 'replica')}"
    elif between:
        what = f"Move {text.counted(len(between), 'replica')} to another log directory"
    elif changed:
        what = f"Change the lists of {text.counted(changed, 'partition')}"
    else:
        what = "Nothing to change"
    if proposal.takes_back is not None:
        what = f"Roll back run {proposal.takes_back}: {what[:1].lower()}{what[1:]}"
    return f"{what} on {text.visible(operated.name, 60)}"


def _how(operated: OperatedCluster, before: RunOptions, proposed: int) -> RunOptions | None:
    """Throttle, moves at a time, the schedule, and the way where there are two; None where something is no schedule.

    A proposal's fields are its own: they begin with what it says, whatever was typed for another plan.
    """
    st.header("How", anchor=False)
    if len(operated.protocols) > 1:
        words = {"admin": "Through the brokers", "zookeeper": "Through ZooKeeper"}
        chosen = st.segmented_control(
            "Protocol",
            operated.protocols,
            default=operated.protocol,
            required=True,
            key=slots.field(f"operate-way-{operated.protocol}"),
            format_func=words.__getitem__,
            label_visibility="collapsed",
            help="Through the brokers (2.4 and later), moves in progress can be cancelled.",
        )
        if chosen != operated.protocol:
            choose_protocol(operated, chosen)
            st.rerun()
        tell_protocol(operated)
    try:
        key = f"operate-proposal-{proposed}" if proposed else "operate"
        options = draw_options(replace(before, cordon=()), key, addressed=not proposed)
    except WishRefused as error:
        refused(error)
        return None
    st.caption(
        ("" if options.throttle else "Without a throttle, copying uses all available network and disk bandwidth. ")
        + "All of it can be changed while it runs."
    )
    return options


def _what(plan: Plan) -> str:
    moves, changed = plan.certificate.moves, plan.certificate.changed_partitions
    if moves:
        return f"{text.counted(moves, 'replica')} {text.verb(moves, 'moves', 'move')}"
    return f"{text.counted(changed, 'list')} {text.verb(changed, 'changes', 'change')}, and no data moves"


def _answer(operated: OperatedCluster, proposal: Proposal, what: str, against: list[Check], untold: int) -> str:
    if against:
        result = f"{text.counted(len(against), 'check')} failed"
    else:
        result = f"no check failed, {untold} unknown" if untold else "all checks passed"
    return f"{proposal.title} on {text.visible(operated.name, 60)}: {what}; {result}."


def _carry_out(intent: Intent, typed: str, overrides: frozenset[str]) -> None:
    """Read once more, check once more, journal it, and let a process of its own begin."""
    fresh = read_now(intent.operated, intent.proposal.sealed)
    with st.spinner("Starting …", show_time=True):
        run = begin(intent, typed, overrides, fresh)
    look_at(intent.operated, "run", run.id)


def _moves_between(proposal: Proposal, plan: Plan, now: Snapshot) -> tuple[DirectoryMove, ...]:
    """What a plan moves between directories; nothing where it changes lists, which goes first."""
    return () if plan.certificate.changed_partitions else directory_moves(proposal.sealed.proposed, now.layout)


def _what_moves(between: Sequence[DirectoryMove]) -> str:
    """As a part of a sentence: "3 replicas move to another log directory, 6.0 MB"."""
    copied = sum(move.bytes or 0 for move in between)
    replicas = text.counted(len(between), "replica moves", "replicas move")
    return f"{replicas} to another log directory, {text.size(copied)}"


def _figures_between(between: Sequence[DirectoryMove], proposal: Proposal, rate: float) -> list[Figure]:
    """How many replicas, on how many brokers, how much, and how long the busiest broker takes at least."""
    by_broker: dict[int, int] = {}
    for move in between:
        by_broker[move.broker] = by_broker.get(move.broker, 0) + (move.bytes or 0)
    made = proposal.sealed.told_hash is not None
    return [
        Figure("Replicas move", text.count(len(between))),
        Figure("Partitions", text.count(len({(move.topic, move.partition) for move in between}))),
        Figure("Brokers", text.count(len(by_broker))),
        Figure("Data to copy", text.size(sum(by_broker.values())), None, "Counted from the sizes just read."),
        Figure("Minimum duration", text.duration(max(by_broker.values()) / rate) if rate else "no throttle"),
        Figure("Plan's hash", proposal.sealed.hash[:12], "made by Reseat" if made else "from another tool"),
    ]


def _draw_between(between: Sequence[DirectoryMove]) -> None:
    """Each replica with the directory that it leaves and the one that it goes to."""
    import pandas as pd

    shown = between[: tables.MOST_ROWS]
    frame = pd.DataFrame(
        {
            "topic": [text.visible(move.topic, 260) for move in shown],
            "partition": [move.partition for move in shown],
            "broker": [move.broker for move in shown],
            "from": [text.visible(move.before, 160) for move in shown],
            "to": [text.visible(move.target, 160) for move in shown],
            "size": [text.size(move.bytes) for move in shown],
        }
    )
    tables.table(frame, "operate-between", {"size": tables.RIGHT}, height=260)
    if len(between) > len(shown):
        st.caption(f"The first {len(shown):,} of {len(between):,} replicas.")
