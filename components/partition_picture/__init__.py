"""The picture of a partition: its log, segments and replicas, and a dead broker. May import: Streamlit.

A Streamlit component (v2) of real files, ``partition_picture.html`` and ``.css``; nothing of it comes from data.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer

__all__ = ["partition_picture"]

_HERE = Path(__file__).parent


@cache
def _component() -> ComponentRenderer:
    """The registered component; Streamlit wants it registered once, not once a rerun."""
    return st.components.v2.component(
        "reseat_partition_picture",
        html=(_HERE / "partition_picture.html").read_text("utf-8"),
        css=(_HERE / "partition_picture.css").read_text("utf-8"),
    )


def partition_picture() -> None:
    """Draw it."""
    _component()(key="partition-drawing")
