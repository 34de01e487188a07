"""What Streamlit's links to pages lack: a new tab by Ctrl, Cmd or Shift, and who hears which page is open.

May import: Streamlit. A Streamlit component (v2) of one real file, ``page_links.js``, which draws nothing; without it
every link still leads on.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["page_links"]


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_page_links", js=Path(__file__).with_name("page_links.js").read_text("utf-8")
    )


def page_links() -> None:
    """See to the page's links from now on; to be called once a page, after the navigation."""
    _component()(key="page-links", height=1)
