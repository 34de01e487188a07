"""The rack board: racks as columns, brokers as tiles, dragged out and in. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``rack_board.html``, ``.css``, ``.js`` and, before it, ``finder.js``. Under
AppTest it is an unknown element, so the JavaScript only says what a person did, and ``apply_event`` turns that into a
wish.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from components import caching
from components.rack_board.data import board_data
from components.rack_board.events import Heard, apply_event
from components.theme import rack_looks
from reseat.model import ClusterLayout, Plan, Wish

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["Heard", "apply_event", "board_data", "rack_board"]

_HERE = Path(__file__).parent


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_rack_board",
        html=(_HERE / "rack_board.html").read_text("utf-8"),
        css=(_HERE / "rack_board.css").read_text("utf-8"),
        js="\n".join((_HERE / name).read_text("utf-8") for name in ("finder.js", "rack_board.js")),
    )


def rack_board(
    layout: ClusterLayout, wish: Wish, plan: Plan | None, *, present: bool = False, key: str = "rack-board"
) -> Heard | None:
    """Draw the board and listen.

    Args:
        layout: what one looks at.
        wish: the what-if.
        plan: the plan for it, or None where there is none.
        present: whether the what-if is not drawn; what a person does changes it all the same.
        key: the board's name on the page; a board keeps its place, focus and drag as long as its key stays.

    Returns:
        What a person just did, or None. The caller keeps the new wish and reruns.
    """
    colours = {rack: colour for rack, (colour, _) in rack_looks(layout.racks).items()}
    data = caching.board_of(layout, Wish() if present else wish, plan) | {"colours": colours}
    said = _component()(key=key, data=data, on_event_change=_nothing).get("event")
    return apply_event(wish, said, layout) if isinstance(said, Mapping) else None


def _nothing() -> None:
    """A trigger needs a callback to be told of; what it says is read from the result."""
