"""Findings of a reading beside those of the layout shown, which has other rows where topics are left out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from reseat.balance.directories import directory_findings, directory_loads
from reseat.formats import Reading
from reseat.model import ClusterLayout, Finding, Severity

__all__ = ["all_findings", "critical_beside"]


def all_findings(
    found: Iterable[Finding], layout: ClusterLayout, reading: Reading, *, proposed: bool = False, after: bool = False
) -> tuple[Finding, ...]:
    """Findings of a reading, of its log directories and of the layout shown, worst first; one kind is not told twice.

    Args:
        found: of the layout shown.
        layout: the layout shown.
        reading: what it was made of.
        proposed: it is the proposed one.
        after: it is one after a plan, of which nobody knows the log directories.
    """
    told_of = reading.layout if not proposed or reading.proposed is None else reading.proposed
    of_reading = reading.proposed_findings if proposed else reading.findings
    of_text = [_in_layout(finding, told_of, layout) for finding in of_reading]
    told = {finding.kind for finding in of_text}
    loads = () if proposed or after else directory_loads(layout, reading.log_dirs)
    both = [*of_text, *(one for one in (*found, *directory_findings(loads)) if one.kind not in told)]
    return tuple(sorted(both, key=lambda finding: finding.severity.rank))


def critical_beside(layout: ClusterLayout, reading: Reading) -> tuple[str, ...]:
    """Kinds of what is critical beside the layout itself: of the reading, and of log directories."""
    return tuple(one.kind for one in all_findings((), layout, reading) if one.severity is Severity.BROKEN)


def _in_layout(finding: Finding, read: ClusterLayout, shown: ClusterLayout) -> Finding:
    """A finding of the text with its rows as rows of the layout shown, which may hold fewer partitions."""
    if not finding.rows.size or shown.partition is read.partition:
        return finding
    code = {name: at for at, name in enumerate(shown.topics)}
    code_of = np.array([code.get(name, -1) for name in read.topics], np.int64)
    rows = shown.rows_at(code_of[read.topic_of[finding.rows]], read.partition[finding.rows])
    return replace(finding, rows=np.unique(rows[rows >= 0]))
