"""The sidebar: which layout and which what-if one looks at, opening layouts, racks, and topics left out."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components import caching, keep_layout, navigation, session, text
from components.edits import left_out_topics
from components.notices import refused
from components.racks_form import draw_racks_form
from components.session import Seat
from components.text import wish_in_words
from reseat.errors import InputRefused, ReseatError
from reseat.model import Wish
from reseat.sources import Sample, samples

__all__ = ["draw", "open_layout"]


def draw() -> None:
    """Draw the sidebar below the list of pages."""
    seat = session.seat()
    with st.sidebar:
        if seat is None:
            st.caption("No layout is open.")
            return
        _which(seat)
        with st.expander("Open another layout", icon=":material/folder_open:"):
            open_layout("side")
        with st.expander("Racks", icon=":material/dns:"):
            draw_racks_form(seat, "side")
        with st.expander("Topics left out", icon=":material/filter_alt:"):
            _left_out(seat)
        with st.expander("Keep this layout", icon=":material/archive:"):
            keep_layout.draw(seat)


def open_layout(where: str) -> None:
    """Files, pasted text or a sample -> the layout to look at; drawn in the sidebar and on an empty page."""
    navigation.link(navigation.CONNECT, "Read a live cluster", help="From ZooKeeper or its brokers")
    # On an empty page a sample is one click away; in the sidebar, or with a link that waits, it is the file.
    first = "Sample" if where == "main" and session.pending_link() is None else "File"
    files, paste, sample = st.tabs(["File", "Paste", "Sample"], default=first, key=f"open-ways-{where}")
    with files, st.form(f"open-files-{where}", border=False, clear_on_submit=True):
        uploaded = st.file_uploader(
            "One file, or several that together tell one cluster",
            accept_multiple_files=True,
            key=f"files-{where}",
            help="kafka-topics --describe, reassignment JSON, kafka-log-dirs, ZooKeeper nodes, kcat, rpk, CSV, Parquet",
        )
        if st.form_submit_button("Read", icon=":material/upload_file:"):
            _read([(file.name, file.getvalue()) for file in uploaded])
    with paste, st.form(f"open-paste-{where}", border=False):
        pasted = st.text_area(
            "Paste what a tool printed, prompts and log lines included", height=160, key=f"paste-{where}"
        )
        if st.form_submit_button("Read", icon=":material/content_paste:"):
            _read([("pasted text", pasted.encode())] if pasted.strip() else [])
    with sample:
        _samples(where)


def _samples(where: str) -> None:
    """The samples: in the page with a sentence each, in the narrow sidebar by title."""
    for offered in samples():
        name = f"sample-{where}-{offered.title}"
        if where == "side":
            pressed = st.button(offered.title, key=name, width="stretch", help=offered.what)
        else:
            left, right = st.columns([2, 5], vertical_alignment="center")
            pressed = left.button(offered.title, key=name, width="stretch")
            right.markdown(text.plain(offered.what))
        if pressed:
            _open_sample(offered)


def _read(files: list[tuple[str, bytes]]) -> None:
    try:
        with st.spinner(f"Reading {text.size(sum(len(data) for _, data in files))} …", show_time=True):
            reading = caching.reading_of(files)
    except InputRefused as error:
        refused(error)
        return
    session.open_reading(reading, " + ".join(name for name, _ in files))
    session.remember_texts(reading, files)
    st.rerun()


def _open_sample(offered: Sample) -> None:
    try:
        with st.spinner(f"Opening {offered.title} …", show_time=True):
            reading = caching.sample_of(offered)
    except ReseatError as error:
        refused(error)
        return
    session.open_reading(reading, offered.title)
    st.rerun()


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
