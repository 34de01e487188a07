"""Carrying a plan out by hand: its files, how long it takes, the commands to run, and what the way back needs."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime

import numpy as np
import streamlit as st

from components.look import text
from components.look.downloads import download
from components.shell import navigation
from components.state import caching, fields, shared
from components.state.open_layout import OpenLayout
from components.what_if import moves
from components.what_if.command_target import CommandTarget, draw_code, draw_target
from reseat.errors import WishRefused
from reseat.formats.documents.directory_moves import Named
from reseat.model import Plan
from reseat.model.naming import version_of
from reseat.planning.cautions import with_room
from reseat.report.copying import copying_of, rollback
from reseat.report.tiered import tiered_sentences
from reseat.schedule.tiered import left_out

__all__ = ["draw_downloads", "draw_execution"]

#: Brokers take reassignments from here on (KIP-455).
_BY_ADMIN = (2, 4)
#: The headings of the commands' parts; the steps have none.
_PARTS = {"meanwhile": "While it runs", "rollback": "Rollback"}


def draw_downloads(open_layout: OpenLayout, plan: Plan, named: Named | None = None) -> None:
    """The plan's files, made when they are clicked.

    Args:
        open_layout: what it is a plan for.
        plan: the plan.
        named: log directories that its text names, or None.
    """
    from reseat.formats.documents.certificate import write_certificate
    from reseat.formats.documents.writers import (
        write_preferred_election,
        write_reassignment,
        write_rollback,
        write_topics_to_move,
    )

    def proven() -> str:
        return write_certificate(with_room(plan, open_layout.reading.log_dirs).certificate)

    with st.container(horizontal=True, key="downloads"):
        for label, name, make in (
            ("Plan", "plan.json", lambda: write_reassignment(plan, chosen=named)),
            ("Rollback", "rollback.json", lambda: write_rollback(plan)),
            ("Election", "election.json", lambda: write_preferred_election(plan.proposed, plan.changed)),
            ("Topics to move", "topics-to-move.json", lambda: write_topics_to_move(plan.changed_topics)),
            ("Moves", "moves.csv", lambda: moves.as_csv(plan)),
            ("Certificate", "certificate.json", proven),
        ):
            nothing = not plan.changed.any() and name != "certificate.json"
            download(f"{label} ({name})", name, make, key=f"download-{name}", disabled=nothing)


def draw_execution(open_layout: OpenLayout, plan: Plan, named: Named | None = None) -> None:
    """Duration, commands and rollback of a plan for a layout; arguments as ``draw_downloads``."""
    from reseat.formats.text.commands import ASSUMED, by_admin, commands

    if open_layout.connection_name is not None:
        navigation.link(navigation.EXECUTE, f"Execute on {text.plain(open_layout.connection_name, 60)}")
    with st.container(key="commands-for"):
        left, middle, right = st.columns([1, 1, 2], vertical_alignment="bottom")
    target = draw_target(open_layout.version, left, right)
    throttle = fields.throttle(middle)
    tiered = " ".join(tiered_sentences(plan, open_layout.reading.tiering))
    st.markdown(f"{_time(open_layout, plan, throttle)} {text.plain(tiered)}")
    if target.version is None:
        st.caption(f"The version is unknown: these commands serve Kafka {ASSUMED} and later. Choose yours.")
    try:
        shown = commands(target.version, throttle=throttle, bootstrap=target.bootstrap, zookeeper=target.zookeeper)
    except WishRefused as error:
        st.warning(text.plain(str(error)), icon=":material/warning:")
        return
    st.markdown(
        "**With Reseat.** Guarded, in batches, journaled; replace CLUSTER\\_ID with your cluster ID to confirm."
    )
    st.code(_own_command(target, throttle), language="bash", wrap_lines=True)
    st.markdown("**Or with Kafka's own tools**, from the folder with the files above, step by step:")
    if not by_admin(target.version):
        _draw_pieces(plan, named)
    part = "steps"
    for number, command in enumerate(shown, 1):
        if command.part != part:
            part = command.part
            st.header(_PARTS[part], anchor=False)
            if part == "rollback":
                st.markdown(_way_back(plan))
        step = f"{number}. " if part == "steps" else ""
        draw_code(f"{step}{command.title}", command.why, command.text)


def _draw_pieces(plan: Plan, named: Named | None) -> None:
    """The plan as ZooKeeper's nodes hold it, for the versions that reassign through them."""
    from reseat.formats.documents.writers import packed, write_pieces

    st.markdown("This version writes the plan into one ZooKeeper node, which holds less than 1 MB.")
    download(
        "Plan in pieces (plan-pieces.zip)",
        "plan-pieces.zip",
        lambda: packed(write_pieces(plan, chosen=named)),
        key="download-plan-pieces.zip",
        disabled=not plan.changed.any(),
        words="One file where the plan fits a node; else several, to be executed in order, each once --verify says "
        "that the one before is done.",
    )


def _own_command(target: CommandTarget, throttle: int | None) -> str:
    """Reseat's own command line for the same plan: through ZooKeeper where brokers take no reassignment."""
    limited = "" if throttle is None else f" --throttle {throttle}"
    numbers = version_of(target.version)
    nodes = numbers is not None and numbers < _BY_ADMIN
    server = f"--zookeeper {shlex.quote(target.zookeeper)}" if nodes else f"--bootstrap {shlex.quote(target.bootstrap)}"
    return (
        f"RESEAT_OPERATE=1 python -m reseat operate execute {server} "
        f"--plan plan.json --confirm CLUSTER_ID{limited} --wait"
    )


def _time(open_layout: OpenLayout, plan: Plan, throttle: int | None) -> str:
    """How much is copied and how long it takes: at the throttle, or as earlier runs on the cluster showed."""
    from reseat.operate.journal.records import RunOptions
    from reseat.operate.observed import takes

    copying = caching.kept(copying_of)(plan, open_layout.reading.tiering)
    if not copying.sized:
        return "Duration unknown: the input has no replica sizes. Add the output of `kafka-log-dirs --describe`."
    schedule, sends = copying.batches, bool(copying.sent.max(initial=0) > copying.received.max(initial=0))
    if not schedule.busiest:
        return "No data is copied."
    broker = copying.broker_ids[(copying.sent if sends else copying.received).argmax()]
    most, does = "At least " if copying.unsized else "", "sends" if sends else "receives"
    most = "Up to " if left_out(schedule) else most
    what = f"{most}**{text.size(copying.told_bytes)}** is copied; broker {broker} {does} the most, "
    what += f"{text.size(schedule.busiest)}."
    rates = shared.observed_rates(open_layout.cluster_id)
    return f"{what} {text.plain(takes(schedule, RunOptions(throttle=throttle), rates, datetime.now(UTC)))}"


def _way_back(plan: Plan) -> str:
    """What the rollback would need."""
    back = caching.kept(copying_of)(rollback(plan))
    needed = np.unique(plan.moves.source[plan.moves.source >= 0])
    waits = plan.certificate.way_back_waits_for
    words = [
        "It is a reassignment like the plan:",
        f"{text.counted(int((plan.moves.source >= 0).sum()), 'replica')} would have to be copied again",
    ]
    words.append(f", {text.size(back.told_bytes)}." if back.sized else ".")
    sentence = f"{words[0]} {words[1]}{words[2]}"
    if len(needed) == 1:
        sentence += f" Broker {needed[0]} must be alive with room for it: keep it until you are sure."
    elif needed.size:
        sentence += (
            f" Brokers {text.ids(needed.tolist())} must be alive with room for it: keep them until you are sure."
        )
    if waits:
        one = len(waits) == 1
        sentence += (
            f" {'Broker' if one else 'Brokers'} {text.ids(waits)} {'is' if one else 'are'} not alive now: until "
            f"{'it is' if one else 'they are'}, Reseat refuses it."
        )
    return sentence
