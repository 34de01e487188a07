"""The sidebar: which layout and which what-if one looks at, opening another, racks, and topics left out."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components import keep_layout, open_layout, session, text
from components.edits import left_out_topics
from components.racks_form import draw_racks_form
from components.session import Seat
from components.text import wish_in_words
from reseat.model import Wish

__all__ = ["draw"]


def draw() -> None:
    """Draw the sidebar below the list of pages."""
    seat = session.seat()
    with st.sidebar:
        if seat is None:
            st.caption("No layout is open.")
            return
        _which(seat)
        with st.expander("Open another layout", icon=":material/folder_open:"):
            open_layout.draw_narrow("side")
        with st.expander("Racks", icon=":material/dns:"):
            draw_racks_form(seat, "side")
        with st.expander("Excluded topics", icon=":material/filter_alt:"):
            _left_out(seat)
        with st.expander("Save snapshot", icon=":material/archive:"):
            keep_layout.draw(seat)


def _which(seat: Seat) -> None:
    names = list(session.layouts())
    chosen = st.selectbox("Layout", names, index=names.index(seat.name), key=f"layout-{len(names)}-{seat.name}")
    if chosen != seat.name:
        session.select_layout(chosen)
        st.rerun()
    st.button(
        "Close this layout",
        key="layout-close",
        icon=":material/close:",
        type="tertiary",
        help="This session forgets it. A link opens it for whoever has it until the server forgets it too.",
        on_click=session.close,
        args=(seat.name,),
    )
    _order(seat)
    if seat.wish.is_empty:
        st.caption(
            "You see the present." if seat.past is None else f"You see the past: {text.plain(seat.past.words())}."
        )
        return
    st.caption(f"What-if: {text.plain(wish_in_words(seat.wish))}.")
    st.button(
        "Back to the present" if seat.past is None else "Without the what-if",
        key="wish-clear",
        icon=":material/undo:",
        on_click=session.set_wish,
        args=(Wish(),),
    )


def _order(seat: Seat) -> None:
    """Some texts do not keep assignment order; only the person can say that the lists are in it."""
    untold = int((~seat.reading.layout.order_told).sum())
    if not untold:
        return
    vouched = st.toggle(
        "Replica lists are in order",
        value=seat.edits.order_vouched,
        key=f"order-{seat.name}-{seat.edits.order_vouched}",  # as the two below: an edit made elsewhere shows here
        help=f"The order of replicas is unknown for {text.plural(untold, 'topic')}, so nothing can be planned or "
        "elected for them. Switch this on only if you know that the first of each list is the preferred leader.",
    )
    if vouched != seat.edits.order_vouched:
        session.set_edits(replace(seat.edits, order_vouched=vouched))
        st.rerun()


def _left_out(seat: Seat) -> None:
    internal = st.toggle(
        "Leave internal topics out",
        value=seat.edits.without_internal,
        key=f"internal-{seat.name}-{seat.edits.without_internal}",
        help="Topics whose name starts with an underscore, such as __consumer_offsets and _schemas",
    )
    words = st.text_area(
        "Names or patterns, one a line",
        value="\n".join(seat.edits.without),
        key=f"without-{seat.name}-{seat.edits.without}",
        height=90,
        placeholder="test-*",
    )
    patterns = tuple(line.strip() for line in words.splitlines() if line.strip())
    wanted = replace(seat.edits, without_internal=internal, without=patterns)
    out = left_out_topics(seat.reading.layout.topics, wanted)
    if out:
        st.caption(
            f"{text.plural(len(out), 'topic')} left out: {text.plain(', '.join(out[:6]))}{' …' if out[6:] else ''}"
        )
    if wanted != seat.edits:
        session.set_edits(wanted)
        st.rerun()
