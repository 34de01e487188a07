"""What was just read, said once: what it is, and what to add to it for a better plan, with the command to copy."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.state import session
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat.formats.recognised import missing, recognised

__all__ = ["draw", "remember"]

#: What is kept: the layout that was just read, and the page on which it was first said.
_KEPT: Slot[tuple[str, str | None]] = Slot("recognised")
_NOTHING: tuple[str, str | None] = ("", None)
#: What to do with a command's output, where it is not read together with the first text.
_THEN = {"racks": "Choose *add them* above, and paste what it prints."}


def remember() -> None:
    """What is looked at was just read from what a person gave: the next page says what it is."""
    open_layout = session.open_layout()
    if open_layout is not None:
        _KEPT.set((open_layout.name, None))


def draw(open_layout: OpenLayout, page: str) -> None:
    """On the page that one lands on, until it is dismissed or left; nothing elsewhere.

    Args:
        open_layout: what the person looks at.
        page: the page that is drawn.
    """
    name, first = _KEPT.get(_NOTHING)
    if not name or name != open_layout.name or open_layout.past is not None or first not in (None, page):
        _forget()
        return
    _KEPT.set((name, page))
    found = missing(open_layout.layout)
    with st.container(border=True, key="recognised"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.markdown(
                f":material/task_alt: **{text.plain(recognised(open_layout.reading, open_layout.layout))}.**",
                width="content",
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
    if _KEPT.get(_NOTHING)[0]:
        _KEPT.set(_NOTHING)
