"""A plan from elsewhere, by upload or paste, judged: its faults, what it moves, and how far it is from Reseat's own."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.look import text
from components.look.notices import refused
from components.plan.proof import draw_proof
from components.shell import frame
from components.state import addresses, caching, fields
from components.state.open_layout import OpenLayout
from reseat.errors import ReseatError
from reseat.model import Plan
from reseat.sources import read_proposed

__all__ = ["draw_judging"]

#: More faults than these are scrolled, so that the table below stays in sight.
_MOST = 6


def draw_judging(open_layout: OpenLayout, own: Plan | None) -> None:
    """Take a plan and show the verdict.

    Args:
        open_layout: the layout and the what-if that the plan is for.
        own: Reseat's plan for the same what-if, or None where nothing is wished.
    """
    left, right = st.columns([2, 1])
    pasted = fields.lines(
        "Paste a reassignment JSON or the output of `--generate`",
        name="validate",
        key="judge-paste",
        place=left,
        height=110,
        placeholder='{"version":1,"partitions":[{"topic":"orders","partition":0,"replicas":[1,2,3]}]}',
    )
    given = right.file_uploader("Or upload it", key="judge-file")
    if given is not None:  # a file cannot be put back into its field: who loads the page anew has it as pasted
        addresses.tell("validate", fields.shelved(given.getvalue().decode("utf-8", "replace")))
    changed = fields.yes(
        "Allow replication-factor changes",
        name="validate_rf",
        key="judge-rf",
        place=right,
        help="Otherwise a changed number of replicas makes the plan invalid.",
    )
    data = given.getvalue() if given is not None else pasted.encode("utf-8", "replace")
    if not data.strip():
        st.caption(
            "Validates any plan, including one from another tool or written by hand. It may cover only some partitions."
        )
        return
    try:
        with st.spinner("Validating the plan …", show_time=True):
            proposed = read_proposed(data, source=given.name if given is not None else "pasted plan")
            about = (open_layout.layout, proposed, open_layout.wish, open_layout.reading.log_dirs)
            verdict = caching.judgement_of(*about, allow_rf_change=changed)
    except ReseatError as error:
        refused(error)
        return
    frame.findings(verdict.cautions)
    if verdict.faults:
        st.markdown(f":red[:material/block:] **{text.plain(verdict.sentences[0])}**")
        with st.container(height=180 if len(verdict.faults) > _MOST else "content", border=False):
            st.markdown("\n".join(f"- {text.plain(fault)}" for fault in verdict.faults))
    else:
        st.markdown(f":green[:material/check_circle:] **This plan is valid.** {_cost(verdict.bytes_to_move)}")
    told = replace(verdict, sentences=verdict.sentences[bool(verdict.faults) :])
    draw_proof(told, beside=None if own is None else own.certificate)


def _cost(amount: float | None) -> str:
    return "" if amount is None else f"It copies {text.size(amount)}."
