"""The heatmap: brokers by topics or partitions on a canvas, zoomed by a drag. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``heat_grid.html``, ``.css`` and ``.js``. The browser only says what a person
did; ``apply_event`` turns that into another ``HeatView``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.canvas.figure_state import FigureState
from components.canvas.heat_grid.data import counts_data, states_data
from components.canvas.heat_grid.view import HeatView, apply_event
from components.canvas.mount import mount

__all__ = ["HeatView", "apply_event", "counts_data", "heat_grid", "states_data"]

_HERE = Path(__file__).parent


def heat_grid(data: Mapping[str, Any], state: FigureState, *, key: str = "heat-grid") -> None:
    """Draw a grid and listen.

    Args:
        data: of ``counts_data`` or ``states_data``.
        state: what is typed to ``find`` a broker's row; it hears what a person does on the grid, for ``apply_event``.
        key: the grid's name on the page.
    """
    draw = mount(_HERE, "pause", "figure_state", "shorten", "place_tip", "cells", "finder")
    draw(key=key, data={**data, **state.data()}, **state.callbacks(key))
