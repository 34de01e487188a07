"""What was just read, said once: what it is, and what to add to it for a better plan, with the command to copy."""

from __future__ import annotations

import streamlit as st

from components import session, text
from components.session import Seat
from reseat.formats.recognised import missing, recognised

__all__ = ["draw", "remember"]

#: What is kept: the layout that was just read, and the page on which it was first said.
_KEPT = "recognised"
_NOTHING: tuple[str, str | None] = ("", None)
#: What to do with a command's output, where it is not read together with the first text.
_THEN = {"racks": "Choose *add them* above, and paste what it prints."}


def remember() -> None:
    """What is looked at was just read from what a person gave: the next page says what it is."""
    seat = session.seat()
    if seat is not None:
        session.keep(_KEPT, (seat.name, None))


def draw(seat: Seat, page: str) -> None:
    """On the page that one lands on, until it is dismissed or left; nothing elsewhere.

    Args:
        seat: what the person looks at.
        page: the page that is drawn.
    """
    name, first = session.kept(_KEPT, _NOTHING)
    if not name or name != seat.name or seat.past is not None or first not in (None, page):
        _forget()
        return
    session.keep(_KEPT, (name, page))
    found = missing(seat.layout)
    with st.container(border=True, key="recognised"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(
                f":material/task_alt: **{text.plain(recognised(seat.reading, seat.layout))}.**", width="content"
            )
            st.button(
                "Dismiss",
                key="recognised-dismiss",
                icon=":material/close:",
                icon_position="right",
                type="tertiary",
                on_click=_forget,
            )
        if not found:
            return
        for column, one in zip(st.columns(len(found)), found, strict=True):
            then = _THEN.get(one.what, "Open its output together with this text.")
            column.markdown(f"**Add {one.what}.** {one.why} {then}")
            column.code(one.command, language=None, wrap_lines=True)


def _forget() -> None:
    if session.kept(_KEPT, _NOTHING)[0]:
        session.keep(_KEPT, _NOTHING)
