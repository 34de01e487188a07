"""The log strips: a story of one partition, played in the browser. May import: Streamlit, ``reseat``.

A Streamlit component (v2) of real files: ``log_strips.html``, ``.css`` and ``.js``. Every state is computed in Python
and sent at once, so that playing needs no server; the browser only tells which step a person looks at.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from components.canvas.log_strips.data import log_strips_data, step_said
from components.canvas.mount import mount

__all__ = ["log_strips", "log_strips_data", "step_said"]

_HERE = Path(__file__).parent


def log_strips(data: Mapping[str, Any], *, key: str = "log-strips") -> int | None:
    """Draw the story and listen.

    Args:
        data: of ``log_strips_data``.
        key: the player's name on the page.

    Returns:
        The step of this very story that a person came to, or None where nobody moved.
    """
    said = mount(_HERE, "pause")(key=key, data=dict(data), on_event_change=_nothing).get("event")
    return step_said(said, str(data["token"]), int(data["last"]))


def _nothing() -> None:
    """A trigger needs a callback to be told of; the player itself has moved already, the page follows in this run."""
