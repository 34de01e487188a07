"""Findings as a list: each whole sentence in sight, what is behind it (partitions, brokers, topics) one click away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components import tables, text, theme
from reseat.model import ClusterLayout, Finding, Severity

__all__ = ["draw_findings", "flagged"]

_COLOURS = {Severity.BROKEN: "red", Severity.ATTENTION: "orange", Severity.NOTE: "gray"}


def flagged(label: str, count: int | None, severity: Severity) -> str:
    """A figure's label with the mark and the colour of what its count means; as it is where there is nothing."""
    return f":{_COLOURS[severity]}[{theme.severity_icon(severity)} {label}]" if count else label


def draw_findings(layout: ClusterLayout, found: Sequence[Finding], digest: str) -> None:
    """A line each, worst first; what is behind one is computed and sent only once it is opened.

    Args:
        layout: what was judged.
        found: of ``reseat.balance.findings``.
        digest: of the layout, so that another layout's list starts folded.
    """
    with st.container(key="findings", gap="xsmall"):
        for finding in found:
            mark = (
                f":{_COLOURS[finding.severity]}[{theme.severity_icon(finding.severity)} **{finding.severity.value}**]"
            )
            key = f"finding-{finding.kind}-{digest[:16]}"
            with st.expander(f"{mark} {text.plain(finding.sentence)}", key=key, on_change="rerun") as opened:
                if opened.open:
                    _behind(layout, finding)


def _behind(layout: ClusterLayout, finding: Finding) -> None:
    if finding.brokers:
        names = "Broker" if len(finding.brokers) == 1 else "Brokers"
        st.markdown(f"{names} {text.ids(finding.brokers, 40)}")
    if finding.topics:
        shown = ", ".join(text.code(topic) for topic in finding.topics[:40])
        more = len(finding.topics) - 40
        st.markdown(
            f"{'Topic' if len(finding.topics) == 1 else 'Topics'} {shown}{f' and {more:,} more' if more > 0 else ''}"
        )
    if finding.places:
        st.markdown(text.plain(", ".join(finding.places)))
    if len(finding.rows):
        tables.partitions_table(layout, np.asarray(finding.rows, np.int64), f"behind-{finding.kind}")
    elif finding.brokers:
        st.page_link("pages/heatmap.py", label="See who holds what on the Heatmap", icon=":material/grid_on:")
