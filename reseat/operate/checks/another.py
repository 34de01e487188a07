"""The check of the second person's word: on the clusters that need it, a plan is approved by somebody else first."""

from __future__ import annotations

from collections.abc import Collection

from reseat.model import Snapshot
from reseat.model.wording import listed
from reseat.operate.checks.check import Check, failed, passed
from reseat.operate.checks.cordons import as_asked
from reseat.operate.journal.proposals import ProposalState, ProposedPlan
from reseat.operate.request import PlanRequest

__all__ = ["NAME", "approved_by_another", "needs_another"]

#: The check's name.
NAME = "approved_by_another"


def needs_another(request: PlanRequest, now: Snapshot) -> bool:
    """Whether a plan needs a second person's word there. A rollback leads to what was there, and waits for nobody."""
    return request.kind == "plan" and request.access.needs_approval(now.cluster_id)


def approved_by_another(
    request: PlanRequest, now: Snapshot, proposal: ProposedPlan | None, overridden: Collection[str]
) -> Check:
    """30. Where the cluster needs it, somebody else approved this plan, how it is executed and with which overrides.

    Args:
        request: what is asked.
        now: the cluster, read just now.
        proposal: the plan as it was proposed for this cluster, where it was and is not over.
        overridden: the failed checks that the person goes on in spite of.
    """
    if not needs_another(request, now):
        return passed(NAME, "No second person's approval is needed.")
    if request.plan.before is None:
        return failed(
            NAME,
            "This cluster needs a second person's approval, and the plan does not say which layout it was made for, so "
            "what was approved could not be told from what is executed: make it with Reseat.",
        )
    if proposal is None:
        return failed(
            NAME,
            f"This cluster needs a second person's approval: plan {request.plan.hash[:12]} has none that counts. "
            "Propose it on the Execute page; somebody else approves it there.",
        )
    if proposal.state is not ProposalState.APPROVED:
        return failed(
            NAME,
            f"Proposal {proposal.id} by {proposal.proposer} waits for a second person's approval until "
            f"{proposal.expires_at:%Y-%m-%d %H:%M} UTC.",
        )
    unseen = [name for name in overridden if name not in proposal.overridden]
    if unseen:
        return failed(
            NAME,
            f"{proposal.decided_by} approved proposal {proposal.id} without overriding {listed(unseen)}: withdraw it "
            "and propose the plan again.",
        )
    asked = as_asked(request, now)
    if asked != proposal.options:
        approved = (
            f"in a way that its Reseat did not keep, not with {asked.in_words}"
            if proposal.options is None
            else f"with other settings: {proposal.options.unlike(asked)}"
        )
        return failed(
            NAME,
            f"{proposal.decided_by} approved proposal {proposal.id} {approved}. Execute it as approved, or withdraw it "
            "and propose it again.",
        )
    return passed(
        NAME,
        f"{proposal.decided_by} approved proposal {proposal.id} by {proposal.proposer}; the approval counts until "
        f"{proposal.expires_at:%Y-%m-%d %H:%M} UTC.",
    )
