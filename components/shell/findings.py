"""Findings as a list: each whole sentence in sight, what is behind it (partitions, brokers, topics) one click away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components.look import text, theme
from components.shell import navigation
from components.state import fields
from components.state.partitions_table import partitions_on_paper, partitions_table
from reseat.model import ClusterLayout, Finding, Severity

__all__ = ["draw_findings", "flagged"]

_COLOURS = {Severity.BROKEN: "red", Severity.ATTENTION: "orange", Severity.NOTE: "gray"}


def flagged(count: int | None, severity: Severity | None, of: str = "") -> str:
    """A figure's count with the mark and the colour of what it means; bare where there is nothing, or it means nothing.

    The figure's label stays bare in any case: Streamlit makes the name of its help of the label as it stands.

    Args:
        count: what is counted.
        severity: what any of it means.
        of: what is counted, in a word or two.
    """
    shown = f"{text.count(count)} {of}".rstrip()
    return shown if severity is None or not count else f":{_COLOURS[severity]}[{theme.severity_icon(severity)} {shown}]"


def draw_findings(layout: ClusterLayout, found: Sequence[Finding], digest: str) -> None:
    """A line each, in their order; the whole table behind one is computed and sent only once it is opened.

    Args:
        layout: what was judged.
        found: of ``reseat.balance.findings``, and what was found as the layout was read.
        digest: of the layout, so that another layout's list starts folded.
    """
    with st.container(key="findings", gap="xsmall"):
        for at, finding in enumerate(found):
            again = sum(one.kind == finding.kind for one in found[:at])
            kind = f"{finding.kind}-{again}" if again else finding.kind
            mark = f":{_COLOURS[finding.severity]}[{theme.severity_icon(finding.severity)} **{finding.severity.word}**]"
            key = f"finding-{kind}-{digest[:16]}"
            with fields.fold(f"{mark} {text.plain(finding.sentence)}", name=f"open_{kind}", key=key) as opened:
                _behind(layout, finding, f"behind-{kind}", seen=bool(opened.open))


def _behind(layout: ClusterLayout, finding: Finding, key: str, *, seen: bool) -> None:
    """What a finding is about; where it is folded away, its partitions are ready for a printer alone."""
    if finding.brokers:
        names = text.verb(len(finding.brokers), "Broker", "Brokers")
        st.markdown(f"{names} {text.ids(finding.brokers, 40)}")
    if finding.topics:
        shown = ", ".join(text.code(topic) for topic in finding.topics[:40])
        more = len(finding.topics) - 40
        st.markdown(
            f"{text.verb(len(finding.topics), 'Topic', 'Topics')} {shown}{f' and {more:,} more' if more > 0 else ''}"
        )
    if finding.places:
        st.markdown(text.plain(", ".join(finding.places)))
    rows = np.asarray(finding.rows, np.int64)
    if len(rows) and not seen:
        partitions_on_paper(layout, rows)
    elif len(rows):
        partitions_table(layout, rows, key)
    elif finding.brokers:
        navigation.link(navigation.HEATMAP, "Replicas per broker and topic on the Heatmap")
