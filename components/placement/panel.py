"""The words beside the matrix: how each replica of the present partition came to its broker."""

from __future__ import annotations

import streamlit as st

from components.charts.replica_matrix import HEIGHT
from components.look import text
from reseat.placement.steps import Candidate, PartitionSteps

__all__ = ["draw_panel", "sentence"]


def sentence(steps: PartitionSteps, replica: int) -> str:
    """Where the present replica goes, and by which numbers."""
    looked = steps.replicas[replica].candidates
    taken, passed = looked[-1], len(looked) - 1
    which = "is led by" if replica == 0 else f"has replica {replica + 1} on"
    order = f" in {taken.order}" if taken.order else ""
    after = f", after {text.counted(passed, steps.kind)} {text.verb(passed, 'was', 'were')} skipped" if passed else ""
    return f"Partition {steps.partition} {which} broker {taken.broker}: {taken.formula}{order}{after}."


def draw_panel(steps: PartitionSteps, replica: int, *, below: int = 0) -> None:
    """The rule, what holds for this partition, and each candidate with its numbers, skipped and why.

    Args:
        steps: how the partition was placed.
        replica: the replica one looks at, from 0.
        below: pixels to leave free for what stands under the panel.
    """
    with st.container(height=HEIGHT - 54 - below, border=True, key="placement-panel", autoscroll=True):
        st.markdown(f"**Partition {steps.partition}.** {text.plain(steps.note)}")
        for j, placed in enumerate(steps.replicas[: replica + 1]):
            name = ":blue-badge[L]" if j == 0 else f":gray-badge[{j + 1}]"
            bold = "**" if j == replica else ""
            lines = [_candidate(candidate, bold) for candidate in placed.candidates]
            st.markdown(f"{name} " + "  \n".join(lines))
        st.caption(text.plain(steps.rule))


def _candidate(candidate: Candidate, bold: str) -> str:
    formula = f"`{candidate.formula}`" if candidate.formula else ""
    if candidate.skipped:
        return f"{formula} :gray[:material/close: {text.plain(candidate.skipped)}]"
    where = f"broker {candidate.broker}" + (f" in {text.plain(candidate.rack, 40)}" if candidate.rack else "")
    order = f" in {candidate.order}" if candidate.order else ""
    return f"{formula}{order} → {bold}{where}{bold}"
