"""The pair matrix: what every two brokers lost together would do, on a canvas. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``pair_matrix.html``, ``.css`` and ``.js``. Zooming is the browser's own; it
only says which pair was opened, and ``opened`` reads that.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.pair_matrix.data import matrix_data
from components.pair_matrix.events import opened

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["matrix_data", "opened", "pair_matrix"]

_HERE = Path(__file__).parent


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_pair_matrix",
        html=(_HERE / "pair_matrix.html").read_text("utf-8"),
        css=(_HERE / "pair_matrix.css").read_text("utf-8"),
        js="\n".join(file.read_text("utf-8") for file in (_HERE.parent / "shorten.js", _HERE / "pair_matrix.js")),
    )


def pair_matrix(data: Mapping[str, Any], *, key: str = "pair-matrix") -> Mapping[str, object] | None:
    """Draw a matrix and listen.

    Args:
        data: of ``matrix_data``.
        key: the matrix's name on the page.

    Returns:
        What a person just did on this very matrix, for ``opened``, or None.
    """
    said = _component()(key=key, data=dict(data), on_event_change=_nothing).get("event")
    if isinstance(said, Mapping) and said.get("token") == data["token"]:
        return dict(said)
    return None


def _nothing() -> None:
    """A trigger needs a callback to be told of; what it says is read from the result."""
