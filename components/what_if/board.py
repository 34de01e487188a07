"""What is below the board, and what hears of a person's drops. May import: what_if's others, shell, state, canvas.

Not in the page's own file: what its callbacks hold as long as they are drawn would be all that the page had, in a ring.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from components.canvas.rack_board import apply_event
from components.look import text
from components.shell import frame, navigation
from components.state import addresses, session
from components.what_if.bars import choose_bars, draw_bars
from components.what_if.changes import draw_finding_changes, draw_racks
from reseat.model import Plan

__all__ = ["detail", "hear"]


@st.fragment
def detail(plan: Plan) -> None:
    """What is below the board: the proof in words, the way to the moves, before and after, racks and findings."""
    # What to know before, then the rest of the certificate: its first sentence is the page's answer.
    frame.findings(plan.findings)
    st.markdown("\n".join(f"- {text.plain(sentence)}" for sentence in plan.certificate.sentences[1:]))
    moves = plan.certificate.moves
    navigation.link(navigation.PLAN, f"See the {text.counted(moves, 'move')} and download the files")
    counted = choose_bars(plan, "racks-bars")
    draw_bars(plan, counted, "racks-chart")
    with st.container(key="racks-and-findings"):
        racks, findings = st.columns([3, 2])
    with racks:
        st.header("Racks", anchor=False)
        draw_racks(plan)
    with findings:
        st.header("Findings that change", anchor=False)
        draw_finding_changes(plan)
    addresses.publish()


def hear(event: Mapping[str, object]) -> None:
    """Drop a broker, several or a rack, or take one back: the what-if afterwards, and what was not carried out."""
    seat = session.open_layout()
    if seat is None:
        return
    heard = apply_event(seat.wish, event, seat.layout)
    for sentence in heard.ignored:
        st.toast(text.plain(sentence), icon=":material/info:")
    if heard.wish != seat.wish or (heard.understood and not seat.after):
        session.set_wish(heard.wish)
