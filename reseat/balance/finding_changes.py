"""Findings about where replicas sit that a plan makes appear, go away or change.

Example: a plan that moves orders-0 from [1, 2] to [1, 3], where 2 and 3 are on two racks and 1 on that of 2, resolves
"rack_shared_while_free".
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reseat.balance.findings import findings
from reseat.balance.mends import KINDS
from reseat.model import BrokerState, ClusterLayout, Finding, Plan

__all__ = ["FindingChange", "finding_changes", "findings_after", "without_brokers"]


@dataclass(frozen=True, slots=True)
class FindingChange:
    """One kind of finding, before and after; ``before`` or ``after`` is None where there is none.

    Attributes:
        status: "new", "resolved" or "changed".
        before: the finding in the current layout.
        after: the finding in the proposed layout.
    """

    status: str
    before: Finding | None
    after: Finding | None

    @property
    def sentence(self) -> str:
        """The finding's own sentence: of the one afterwards, where there is one."""
        finding = self.after or self.before
        return finding.sentence if finding is not None else ""


def without_brokers(layout: ClusterLayout, brokers: tuple[int, ...]) -> ClusterLayout:
    """The layout in which these brokers take no part any more: they stay named, but count as dead."""
    gone = frozenset(brokers)
    return layout.with_brokers(replace(b, state=BrokerState.DEAD) for b in layout.brokers if b.id in gone)


def findings_after(plan: Plan) -> tuple[Finding, ...]:
    """The findings of what a plan proposes, where the brokers that it removes take no part any more."""
    return findings(without_brokers(plan.proposed, plan.wish.remove))


def finding_changes(before: tuple[Finding, ...], after: tuple[Finding, ...]) -> tuple[FindingChange, ...]:
    """Findings about where replicas sit that differ between two layouts: new ones first, then those that go away."""
    old, new = _of_placement(before), _of_placement(after)
    appear = [FindingChange("new", None, new[kind]) for kind in new if kind not in old]
    vanish = [FindingChange("resolved", old[kind], None) for kind in old if kind not in new]
    change = [
        FindingChange("changed", old[kind], new[kind])
        for kind in new
        if kind in old and old[kind].sentence != new[kind].sentence
    ]
    return (*appear, *vanish, *change)


def _of_placement(told: tuple[Finding, ...]) -> dict[str, Finding]:
    return {finding.kind: finding for finding in told if finding.kind in KINDS and KINDS[finding.kind].placement}
