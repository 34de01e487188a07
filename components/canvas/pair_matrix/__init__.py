"""The pair matrix: what every two brokers lost together would do, on a canvas. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``pair_matrix.html``, ``.css`` and ``.js``. Zooming is the browser's own, and
told for the page's address; it says which pair was opened, and ``opened`` reads that.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.canvas.figure_state import FigureState
from components.canvas.mount import mount
from components.canvas.pair_matrix.data import matrix_data
from components.canvas.pair_matrix.events import opened

__all__ = ["matrix_data", "opened", "pair_matrix"]

_HERE = Path(__file__).parent


def pair_matrix(data: Mapping[str, Any], state: FigureState, *, key: str = "pair-matrix") -> None:
    """Draw a matrix and listen.

    Args:
        data: of ``matrix_data``.
        state: the ``zoom``: row, column, and how many of each are seen, by commas; empty: all; it hears what a
            person does on the matrix, for ``opened``.
        key: the matrix's name on the page.
    """
    draw = mount(_HERE, "pause", "figure_state", "shorten", "place_tip", "cells")
    draw(key=key, data={**data, **state.data()}, **state.callbacks(key))
