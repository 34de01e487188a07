"""The picture of a partition: its log, segments and replicas, and a dead broker. May import: Streamlit.

A Streamlit component (v2) of real files, ``partition_picture.html`` and ``.css``; nothing of it comes from data.
"""

from __future__ import annotations

from pathlib import Path

from components.canvas.mount import mount

__all__ = ["partition_picture"]

_HERE = Path(__file__).parent


def partition_picture() -> None:
    """Draw it."""
    mount(_HERE)(key="partition-drawing")
