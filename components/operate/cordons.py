"""Cordons on Execute: the box that cordons what a plan drains, and what runs left cordoned, which a button lifts."""

from __future__ import annotations

from functools import partial

import streamlit as st

from components.look import text
from components.operate import reading
from components.operate.operated_cluster import OperatedCluster
from components.operate.plan import Proposal
from components.operate.reading import Fresh
from components.state import fields
from components.state.told import told
from reseat.errors import ReseatError
from reseat.model.wording import listed, named, verb
from reseat.operate.journal.journal import Journal
from reseat.operate.run.cordoning import OutstandingCordons, cordons_left

__all__ = ["choose_cordon", "draw_cordons_left"]

_SAID = "operate-uncordoned"


def choose_cordon(proposal: Proposal, fresh: Fresh, proposed: int, *, default: bool) -> bool:
    """Draw the box of a plan that drains brokers, or the risk that there is where the cluster knows no cordons."""
    leaving = proposal.sealed.leaving
    if not leaving or proposal.kind == "rollback":
        return False
    who = named("broker", leaving)
    it = verb(len(leaving), "it is", "they are")
    if fresh.facts.cordons is None:
        st.caption(
            f"Topics created while {who} {verb(len(leaving), 'is', 'are')} drained may be placed there: this Kafka "
            "cannot cordon a broker (4.3 and later can). *Verify again* after the run shows what landed there."
        )
        return False
    return fields.yes(
        f"Cordon {who} first",
        name=None if proposed else "cordon",
        key=f"operate-proposal-{proposed}-cordon" if proposed else "operate-cordon",
        default=default,
        help=f"No new replica is placed on {who} while {it} drained, and Kafka refuses every list that names "
        f"{verb(len(leaving), 'it', 'them')}. A cancel or a rollback lifts the cordon; after the run it stays until "
        "you lift it.",
    )


def draw_cordons_left(operated: OperatedCluster) -> None:
    """What runs left cordoned, and a button that lifts it; not of a run that is at it."""
    said = told(_SAID).read()
    if said is not None:
        st.markdown(f":gray[:material/info:] {text.plain(str(said))}")
    journal, open_run = operated.journal, operated.open_run
    if journal is None:
        return
    for there in cordons_left(journal, operated.cluster_id):
        if open_run is not None and there.run == open_run.id:
            continue
        ids = sorted(there.before)
        with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"cordons-left-{there.run}"):
            st.markdown(
                f":orange[:material/block:] Run {there.run} cordoned {named('broker', ids)}, {text.ago(there.since)}: "
                f"no new replica is placed there. Lift it before {verb(len(ids), 'it is', 'they are')} unregistered.",
                width="stretch",
            )
            st.button(
                "Lift the cordon",
                key=f"uncordon-{there.run}",
                icon=":material/lock_open:",
                disabled=not operated.may_write,
                help=text.plain(operated.read_only) or None,
                on_click=partial(_lift, operated, journal, there),
            )


def _lift(operated: OperatedCluster, journal: Journal, there: OutstandingCordons) -> None:
    """A callback: lift what a run left, and keep what came of it to be said."""
    from reseat.operate.checks.guard import access_checks
    from reseat.operate.request import WriteRequest
    from reseat.operate.uncordon import uncordon

    try:
        operated.insist()
        request = WriteRequest(**operated.requested_by(operated.cluster_id))
        with reading.target_of(operated) as target:
            came = uncordon(
                target,
                journal,
                sorted(there.before),
                checks=access_checks(request, operated.snapshot),
                cluster_id=operated.cluster_id,
                operator=operated.person.name,
            )
        left = f" {listed(came.left)} did not confirm it." if came.left else ""
        told(_SAID).tell(f"The cordon of {named('broker', came.lifted)} is lifted.{left}")
        operated.live.refresh(operated.person.name)
    except ReseatError as error:
        told(_SAID).tell(error)
