"""The menu "Save" at every chart: the picture as SVG or PNG, the data as CSV. May import: Streamlit.

A Streamlit component (v2) of real files that draws nothing itself: it finds the page's charts and puts the same small
menu at each. What is saved is what is seen; nothing leaves the browser. A chart whose layout has a ``meta`` of heads
for its axes has data of its own; another is a drawing, saved as a picture alone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["save_figures"]

_HERE = Path(__file__).parent
_SCRIPTS = ("rows.js", "picture.js", "save_figures.js")


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_save_figures",
        css=(_HERE / "save_figures.css").read_text("utf-8"),
        js="\n".join((_HERE / name).read_text("utf-8") for name in _SCRIPTS),
        isolate_styles=False,
    )


def save_figures() -> None:
    """See to the page's figures from now on; to be called once a page."""
    _component()(key="save-figures", height=1)
