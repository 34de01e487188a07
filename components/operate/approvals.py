"""A plan that needs a second person's word: proposed, listed, approved, declined or withdrawn on the Execute page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components.look import text
from components.operate.checks import stopping
from components.operate.confirm import attempt
from components.operate.operated_cluster import OperatedCluster, look_at
from components.operate.plan import Proposal, of_text
from components.operate.reading import read_now
from components.operate.start import Intent, journal_of
from components.state import session
from reseat.access import Door
from reseat.errors import WriteRefused
from reseat.operate import proposing
from reseat.operate.checks.another import NAME
from reseat.operate.checks.check import Check
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposalState, ProposedPlan
from reseat.operate.journal.records import RunOptions

__all__ = ["asked_before", "draw_proposals", "draw_second_word", "proposed"]

#: Proposals listed; older ones are in the journal.
_LISTED = 8
_REASON_CHARACTERS = 300
_LOOKS = {
    ProposalState.PROPOSED: ("orange", ":material/hourglass_empty:", "waits for approval"),
    ProposalState.APPROVED: ("green", ":material/how_to_reg:", "approved"),
    ProposalState.DECLINED: ("red", ":material/block:", "declined"),
    ProposalState.WITHDRAWN: ("gray", ":material/undo:", "withdrawn"),
    ProposalState.EXECUTED: ("green", ":material/check_circle:", "executed"),
}


def proposed(operated: OperatedCluster, journal: Journal, number: int) -> Proposal:
    """The plan of a proposal.

    Raises:
        WriteRefused: there is none of this number for this cluster.
        InputRefused: its plan cannot be read.
    """
    row = journal.proposal(number)
    if row.cluster_id != operated.cluster_id:
        raise WriteRefused(f"Proposal {number} is for cluster {row.cluster_id}; this cluster is {operated.cluster_id}.")
    return of_text(row.plan, row.title, source=f"proposal {number}")


def asked_before(operated: OperatedCluster, proposal: Proposal) -> tuple[RunOptions, int]:
    """How a plan is to be executed, and its proposal: as it was proposed, if it was; a rollback as its run was."""
    journal = operated.journal
    if journal is None:
        return RunOptions(), 0
    if proposal.takes_back is not None:
        return journal.run(proposal.takes_back).rollback_options, 0
    row = journal.open_proposal(operated.cluster_id, proposal.sealed.hash)
    return (RunOptions(), 0) if row is None else (row.options or RunOptions(), row.id)


def draw_second_word(intent: Intent, checks: Sequence[Check], overrides: frozenset[str], label: str) -> bool:
    """What stands before the confirmation where a second person's word is needed.

    Args:
        intent: the plan, and how it shall be carried out.
        checks: as the guard answered.
        overrides: checks that the person goes on in spite of.
        label: what the plan does, in full; not yet Markdown.

    Returns:
        Whether the confirmation comes next: no such word is needed, or it was given.
    """
    operated, proposal = intent.operated, intent.proposal
    if proposal.kind != "plan" or not operated.access.needs_approval(operated.cluster_id):
        return True
    st.subheader("Second person's approval", anchor=False)
    journal = operated.journal
    row = None if journal is None else journal.open_proposal(operated.cluster_id, proposal.sealed.hash)
    if journal is None or row is None:
        _draw_propose(intent, checks, overrides, label)
        return False
    _draw_state(row)
    against = next((found.sentence for found in stopping(checks, overrides) if found.name == NAME), "")
    if against and row.state is ProposalState.APPROVED:
        st.markdown(f":orange[:material/block:] {text.plain(against)}")
    _draw_decision(operated, journal, row)
    return row.state is ProposalState.APPROVED


def draw_proposals(operated: OperatedCluster, journal: Journal, opened: int | None) -> None:
    """The proposals of a cluster, newest first, a line each; nothing where there never were any.

    Args:
        operated: the cluster and the person.
        journal: where they are.
        opened: the proposal that is looked at, or None.
    """
    rows = journal.proposals(operated.cluster_id, most=_LISTED)
    if not rows:
        return
    st.header("Approvals", anchor=False)
    with st.container(key="proposals", gap="xsmall"):
        for row in rows:
            with st.container(horizontal=True, vertical_alignment="center", key=f"proposal-{row.id}", gap="small"):
                st.button(
                    f"Proposal {row.id}: {text.plain(row.title, 80)}",
                    key=f"open-proposal-{row.id}",
                    type="tertiary",
                    icon=":material/visibility:" if row.id == opened else ":material/rule:",
                    on_click=look_at,
                    args=(operated, "proposal", row.id),
                )
                st.markdown(_words(row), width="content")
                said = f" · “{text.plain(row.reason, _REASON_CHARACTERS)}”" if row.reason else ""
                by = text.plain(row.proposer, 60)
                st.caption(f"{by} · proposed {text.ago(row.proposed_at)}{said}", width="content")


def _words(row: ProposedPlan) -> str:
    colour, icon, word = _LOOKS[row.state]
    if row.state in (ProposalState.PROPOSED, ProposalState.APPROVED) and not row.open_at(datetime.now(UTC)):
        colour, icon, word = "gray", ":material/hourglass_disabled:", "expired"
    by = f" by {text.plain(row.decided_by, 60)}" if row.decided_by else ""
    as_run = f" as run {row.run}" if row.run is not None else ""
    return f":{colour}[{icon} {word}{'' if as_run else by}{as_run}]"


def _draw_state(row: ProposedPlan) -> None:
    """Who proposed it, who approved it, until when, how it is to be executed, and in spite of what."""
    said = f"Proposal {row.id} by {text.plain(row.proposer, 60)}, {text.ago(row.proposed_at)}: {_words(row)}"
    said += f", until {row.expires_at:%Y-%m-%d %H:%M} UTC."
    if row.options is not None:
        said += f" With {text.plain(row.options.in_words)}."
    if row.overridden:
        names = ", ".join(text.plain(name.replace("_", " ")) for name in row.overridden)
        said += f" It overrides {text.counted(len(row.overridden), 'check')}: {names}."
    if row.reason:
        said += f" “{text.plain(row.reason, _REASON_CHARACTERS)}”"
    st.markdown(said)


def _draw_propose(intent: Intent, checks: Sequence[Check], overrides: frozenset[str], label: str) -> None:
    operated = intent.operated
    if not operated.may_write:
        st.caption("A plan needs a second person's approval on this cluster; whoever may execute proposes it.")
        return
    against = [found for found in stopping(checks, overrides) if found.name != NAME]
    pressed = st.button(
        f"Propose: {text.plain(label[:1].lower() + label[1:])}",
        key="propose",
        type="primary",
        icon=":material/rule:",
        disabled=bool(against) or not operated.person.marks,
        width="stretch",
    )
    if not operated.person.marks:
        st.caption("Sign in to propose a plan: without a sign-in, nobody knows whether two people are the same.")
    elif against:
        st.caption(f"{text.counted(len(against), 'check')} failed: {_names(against)}.")
    else:
        st.caption("Somebody else approves it here before it can be executed. Nothing is sent by that.")
    if attempt(f"propose {operated.cluster_id}", partial(_propose, intent, overrides) if pressed else None):
        st.rerun()


def _names(checks: Sequence[Check]) -> str:
    return ", ".join(found.name.replace("_", " ") for found in checks)


def _propose(intent: Intent, overrides: frozenset[str]) -> None:
    operated, proposal = intent.operated, intent.proposal
    fresh = read_now(operated, proposal.sealed)
    row = proposing.propose(
        intent.request(operated.cluster_id, overrides),
        fresh.facts,
        journal_of(operated),
        proposal.text,
        cluster=operated.name,
        title=proposal.title,
    )
    look_at(operated, "proposal", row.id)


def _draw_decision(operated: OperatedCluster, journal: Journal, row: ProposedPlan) -> None:
    """The buttons of who proposed it, or of who may approve it; to everybody else, why there are none."""
    person, deciding = operated.person, f"proposal {row.id}"
    if not row.marks.isdisjoint(person.marks):
        pressed = st.button("Withdraw", key="withdraw", icon=":material/undo:")
        if attempt(deciding, partial(proposing.withdraw, journal, row, operated.person) if pressed else None):
            st.rerun()
        if row.state is ProposalState.PROPOSED:
            st.caption("You proposed it, so somebody else approves it. Send them this page's address.")
        return
    answer = session.may(Door.APPROVE)
    if not answer.may:
        st.caption(text.plain(answer.sentence))
        return
    reason = st.text_input("Reason", key="decision-reason", max_chars=_REASON_CHARACTERS, autocomplete="off")
    with st.container(horizontal=True, key="decision"):
        approve = row.state is ProposalState.PROPOSED and st.button(
            "Approve", key="approve", type="primary", icon=":material/how_to_reg:"
        )
        decline = st.button("Decline", key="decline", icon=":material/block:")
    if not reason.strip():
        st.caption(":orange[To decline, give a reason.]" if decline else "To decline, give a reason.")
        decline = False
    decide = partial(proposing.decide, approve=bool(approve), reason=reason.strip())
    act = partial(decide, journal, row, operated.person, operated.access)
    if attempt(deciding, act if approve or decline else None):
        st.rerun()
