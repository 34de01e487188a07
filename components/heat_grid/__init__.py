"""The heatmap: brokers by topics or partitions on a canvas, zoomed by a drag. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``heat_grid.html``, ``.css`` and ``.js``. The browser only says what a person
did; ``apply_event`` turns that into another ``HeatView``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.heat_grid.data import counts_data, states_data
from components.heat_grid.view import HeatView, apply_event

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["HeatView", "apply_event", "counts_data", "heat_grid", "states_data"]

_HERE = Path(__file__).parent
_SCRIPTS = (_HERE.parent / "shorten.js", _HERE / "finder.js", _HERE / "heat_grid.js")


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_heat_grid",
        html=(_HERE / "heat_grid.html").read_text("utf-8"),
        css=(_HERE / "heat_grid.css").read_text("utf-8"),
        js="\n".join(file.read_text("utf-8") for file in _SCRIPTS),
    )


def heat_grid(data: Mapping[str, Any], *, key: str = "heat-grid") -> Mapping[str, object] | None:
    """Draw a grid and listen.

    Args:
        data: of ``counts_data`` or ``states_data``.
        key: the grid's name on the page.

    Returns:
        What a person just did on this very grid, for ``apply_event``, or None.
    """
    said = _component()(key=key, data=dict(data), on_event_change=_nothing).get("event")
    if isinstance(said, Mapping) and said.get("token") == data["token"]:
        return dict(said)
    return None


def _nothing() -> None:
    """A trigger needs a callback to be told of; what it says is read from the result."""
