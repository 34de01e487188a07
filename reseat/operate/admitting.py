"""The one door through which a plan becomes a run, for the pages and the command line alike.

What it promises: a plan is checked against a reading that was just taken and the journal as it is, with every check of
the guard; only one that they let pass is journaled, with what was overridden. Nothing is sent by that.

A rollback is admitted like any plan. Its run is over then, so nothing of it is under way: what is, is somebody else's.
"""

from __future__ import annotations

from dataclasses import replace

from reseat.formats.documents.sealed import SealedPlan
from reseat.model import Snapshot
from reseat.operate.approving import approval_of
from reseat.operate.checks.another import needs_another
from reseat.operate.checks.check import Check, overridden_of
from reseat.operate.checks.cordons import as_asked
from reseat.operate.checks.guard import Facts, check, refuse_unless
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run
from reseat.operate.request import PlanRequest
from reseat.operate.run.cordoning import cordons_left
from reseat.operate.targets.target import Target

__all__ = ["Facts", "admit", "check_plan", "facts_of"]


def facts_of(target: Target, snapshot: Snapshot, plan: SealedPlan | None = None, *, cordon: bool = False) -> Facts:
    """Ask a cluster for what no reading tells.

    Args:
        target: the cluster.
        snapshot: the reading that was just taken.
        plan: what is to be executed; None: no plan is.
        cordon: whether brokers are to be cordoned.

    Raises:
        ClusterUnreachable: the cluster does not answer.
    """
    leaving = () if plan is None else plan.leaving
    return Facts(
        snapshot,
        frozenset(target.reassigning()),
        target.holdings(leaving) if leaving else None,
        target.batch_bytes,
        target.migrating(),
        target.protocol,
        target.cordons(leaving or [broker.id for broker in snapshot.layout.brokers if broker.state.up])
        if cordon
        else None,
        None if plan is None else target.rights(plan.proposed.topics),
    )


def check_plan(request: PlanRequest, facts: Facts, journal: Journal | None) -> tuple[Check, ...]:
    """Every check of the guard.

    Args:
        request: what is asked.
        facts: the cluster as it is now.
        journal: for runs that are not over; None: there is no journal yet.
    """
    cluster_id = facts.snapshot.cluster_id
    open_runs: tuple[Run, ...] = ()
    proposal = None
    lifted: set[int] = set()
    if journal is not None and cluster_id is not None:
        open_runs = journal.open_runs(cluster_id)
        proposal = journal.open_proposal(cluster_id, request.plan.hash)
        if request.kind == "rollback":
            for there in cordons_left(journal, cluster_id):
                lifted |= {broker for broker, was in there.before.items() if not was.closed}
    return check(request, facts, open_runs=open_runs, lifted=lifted, proposal=proposal)


def admit(
    request: PlanRequest,
    facts: Facts,
    journal: Journal,
    text: str,
    *,
    cluster: str,
    takes_back: int | None = None,
) -> tuple[Run, tuple[Check, ...]]:
    """Check a plan and journal it as a run.

    Args:
        request: what is asked.
        facts: the cluster as it is now.
        journal: where the run is kept.
        text: the plan's text.
        cluster: the name by which the person knows the cluster.
        takes_back: the run that it takes back, or None.

    Returns:
        The run, and the checks that let it pass.

    Raises:
        WriteRefused: with every check that failed, or since the plan changes nothing.
    """
    checks = check_plan(request, facts, journal)
    refuse_unless(checks, who=request.person.name, cluster_id=facts.snapshot.cluster_id or "")
    approval = approval_of(
        request.plan,
        text,
        facts.snapshot,
        cluster=cluster,
        operator=request.person.name,
        options=as_asked(request, facts.snapshot),
        kind=request.kind,
        takes_back=takes_back,
        protocol=facts.protocol,
        overridden=overridden_of(checks),
    )
    if needs_another(request, facts.snapshot):
        proposal = journal.open_proposal(approval.cluster_id, approval.hash)
        # Nothing where it went away since the check: its number is none then, and the journal refuses it.
        approval = replace(approval, proposal=0 if proposal is None else proposal.id)
    return journal.approve(approval), checks
