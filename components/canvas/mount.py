"""Components of ours, registered with Streamlit from the real files of their folders. May import: Streamlit."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["mount"]

_SHARED = Path(__file__).parent


@cache
def mount(folder: Path, *before: str, isolated: bool = True) -> ComponentRenderer:
    """The component of a folder; Streamlit wants it registered once, not once a rerun.

    Args:
        folder: has ``NAME.html``, ``NAME.css`` and ``NAME.js``, or some of them, where NAME is its own.
        before: scripts that ``NAME.js`` builds on, joined in before it: of the folder, else those that several share.
        isolated: whether its styles end at itself.
    """
    name = folder.name

    def read(file: Path) -> str | None:
        return file.read_text("utf-8") if file.exists() else None

    scripts = [read(folder / f"{one}.js") or read(_SHARED / f"{one}.js") for one in (*before, name)]
    return st.components.v2.component(
        f"reseat_{name}",
        html=read(folder / f"{name}.html"),
        css=read(folder / f"{name}.css"),
        js="\n".join(filter(None, scripts)) or None,
        isolate_styles=isolated,
    )
