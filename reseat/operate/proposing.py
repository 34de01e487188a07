"""A plan proposed to a second person, and that person's word: the one door to both, for whoever asks.

What it promises: only who may write and is signed in proposes; only who may approve and is somebody else decides; a
plan is proposed only where no other check of the guard stops it now. Nothing is sent by any of it, and all of it is in
the journal and in the audit log.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from reseat import audit
from reseat.access import Access, Door, Person, ask
from reseat.errors import WriteRefused
from reseat.operate.admitting import Facts, check_plan
from reseat.operate.checks import another
from reseat.operate.checks.check import overridden_of
from reseat.operate.checks.cordons import as_asked
from reseat.operate.checks.guard import refuse_unless
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.proposals import ProposalState, ProposedPlan
from reseat.operate.request import PlanRequest

__all__ = ["decide", "propose", "withdraw"]


def propose(
    request: PlanRequest, facts: Facts, journal: Journal, text: str, *, cluster: str, title: str
) -> ProposedPlan:
    """Check a plan and keep it for a second person's word.

    Args:
        request: what is asked, with how it is to be executed and the checks in spite of which.
        facts: the cluster as it is now.
        journal: where the proposal is kept.
        text: the plan's text.
        cluster: the name by which the person knows the cluster.
        title: what it does, as the start of a sentence.

    Raises:
        WriteRefused: a check stops the plan, nobody vouches for who asks, or it is proposed already.
    """
    checks = [found for found in check_plan(request, facts, journal) if found.name != another.NAME]
    cluster_id = facts.snapshot.cluster_id or ""
    refuse_unless(checks, who=request.person.name, cluster_id=cluster_id)
    if not request.person.marks:
        raise WriteRefused(
            "Sign in to propose a plan: without a sign-in, nobody knows whether two people are the same."
        )
    if request.plan.before is None:
        raise WriteRefused(
            "The plan does not say which layout it was made for, so what is approved could not be told from what is "
            "executed: make it with Reseat."
        )
    at = datetime.now(UTC)
    return journal.propose(
        ProposedPlan(
            id=0,
            cluster_id=cluster_id,
            cluster=cluster,
            title=title,
            plan=text,
            hash=request.plan.hash,
            overridden=overridden_of(checks),
            proposer=request.person.name,
            marks=request.person.marks,
            proposed_at=at,
            expires_at=at + timedelta(seconds=request.access.approval_seconds),
            options=as_asked(request, facts.snapshot),
        )
    )


def decide(
    journal: Journal, proposal: ProposedPlan, person: Person, access: Access, *, approve: bool, reason: str = ""
) -> ProposedPlan:
    """Approve or decline a proposal; an approval that was not used can be declined still.

    Raises:
        WriteRefused: the person may not, it is their own, or it is decided or over.
    """
    answer = ask(Door.APPROVE, person, access, time.time())
    if not answer.may:
        audit.record("refusal", who=person.name, cluster=proposal.cluster_id, checks=["may_approve"])
        raise WriteRefused(answer.sentence)
    state = ProposalState.APPROVED if approve else ProposalState.DECLINED
    return journal.decide(
        proposal.id, state, who=person.name, marks=person.marks, reason=reason, seconds=access.approval_seconds
    )


def withdraw(journal: Journal, proposal: ProposedPlan, person: Person) -> ProposedPlan:
    """Take a proposal back, approved or not: its proposer may, whatever else they may by now.

    Raises:
        WriteRefused: it is another's, or over.
    """
    return journal.decide(proposal.id, ProposalState.WITHDRAWN, who=person.name, marks=person.marks)
