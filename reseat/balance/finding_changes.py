"""Findings about where replicas sit that a plan makes appear, go away or change.

Example: a plan that moves orders-0 from [1, 2] to [1, 3], where 2 and 3 are on two racks and 1 on that of 2, resolves
"rack_shared_while_free".
"""

from __future__ import annotations

from dataclasses import dataclass

from reseat.balance.mends import KINDS
from reseat.model import Finding

__all__ = ["FindingChange", "finding_changes"]


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
