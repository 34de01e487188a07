"""What is said before anything else of a layout or a plan, each with what can be done about it in the same place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from components.shell import frame
from components.shell.racks_form import draw_racks_form
from components.state import session
from components.state.open_layout import OpenLayout
from reseat.balance import incomplete, racks_unknown
from reseat.model import Finding

__all__ = ["draw_cautions", "draw_input_cautions"]


def draw_cautions(open_layout: OpenLayout, cautions: Sequence[Finding], where: str) -> None:
    """The cautions of a certificate, a line each, with a button where the person can answer them.

    Args:
        open_layout: what is looked at.
        cautions: ``Certificate.cautions``, in their order.
        where: names the widgets of this place.
    """
    for finding in cautions:
        with st.container(
            horizontal=True, vertical_alignment="center", key=f"caution-{where}-{finding.kind}", gap="small"
        ):
            frame.findings([finding])
            if finding.kind == "racks_unknown":
                with st.popover("Add racks", icon=":material/dns:"):
                    draw_racks_form(open_layout, where)
            elif finding.kind == "unmovable":
                _keep_or_leave(open_layout, where)


def draw_input_cautions(open_layout: OpenLayout, where: str) -> None:
    """What the input leaves out or unknown, where there is no plan yet."""
    told = (incomplete(open_layout.layout), racks_unknown(open_layout.layout))
    draw_cautions(open_layout, [finding for finding in told if finding is not None], where)


def _keep_or_leave(open_layout: OpenLayout, where: str) -> None:
    kept = open_layout.wish.options.keep_unmovable
    options = replace(open_layout.wish.options, keep_unmovable=not kept)
    st.button(
        "Leave them where they are" if kept else "Plan them anyway",
        key=f"unmovable-{where}",
        on_click=session.set_wish,
        args=(replace(open_layout.wish, options=options),),
    )
