"""The wall: a page alone on a screen that nobody sits at; it reads again by itself, and one click leaves it.

It stands in the address, so a screen that is switched on opens it from a link.
"""

from __future__ import annotations

import time
from pathlib import Path

import streamlit as st

from components.state import session, told
from components.state.slots import Slot

__all__ = ["draw", "every", "offer"]

_CSS = Path(__file__).with_name("wall.css")
#: Seconds after which a page on the wall is drawn anew, with the latest of what it tells.
_AGAIN_SECONDS = 60.0
#: Kept: when the page was drawn last as a whole.
_DRAWN: Slot[float] = Slot("wall-drawn")


def draw() -> None:
    """On the wall: hide all but the page, draw it anew every so often, and offer the way back; else nothing."""
    if not session.on_wall():
        return
    st.html(_CSS)
    st.fragment(_again, run_every=_AGAIN_SECONDS)(time.time())
    st.button(
        "Leave wall mode", key="wall-leave", icon=":material/fullscreen_exit:", on_click=session.set_wall, args=(False,)
    )


def _again(drawn: float) -> None:
    """Draw the whole page anew, except where that is what is just being done."""
    if _DRAWN.get(0.0) == drawn:
        told.redraw()
    _DRAWN.set(drawn)


def every(cluster: str) -> float | None:
    """How often a live cluster is read, in seconds, or None: as the person chose; on the wall by itself in any case.

    Args:
        cluster: its name.
    """
    return session.refresh_every(cluster) or (_AGAIN_SECONDS if session.on_wall() else None)


def offer() -> None:
    """The button that puts the page on the wall."""
    st.button(
        "Wall mode",
        key="wall-enter",
        icon=":material/fullscreen:",
        type="tertiary",
        help="Only this page, for a screen on the wall, refreshed every minute",
        on_click=session.set_wall,
        args=(True,),
    )
