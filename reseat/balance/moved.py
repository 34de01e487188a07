"""Findings of a text, said of another layout that was made of it: with topics left out, rows have other numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import ClusterLayout, Finding

__all__ = ["in_layout"]


def in_layout(finding: Finding, read: ClusterLayout, shown: ClusterLayout) -> Finding:
    """A finding of the text with its rows as rows of the layout shown, which may hold fewer partitions."""
    if not finding.rows.size or shown.partition is read.partition:
        return finding
    code = {name: at for at, name in enumerate(shown.topics)}
    code_of = np.array([code.get(name, -1) for name in read.topics], np.int64)
    rows = shown.rows_at(code_of[read.topic_of[finding.rows]], read.partition[finding.rows])
    return replace(finding, rows=np.unique(rows[rows >= 0]))
