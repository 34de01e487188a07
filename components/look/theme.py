"""Colours as pages use them: by meaning (``reseat.report.palette``), by rack, by theme; and the Plotly template."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from reseat.model import Severity
from reseat.model.naming import natural
from reseat.report.palette import (
    ATTENTION,
    BROKEN,
    DARK,
    DIFFERENCE,
    FINE,
    FOLLOWER,
    LEADER,
    LIGHT,
    MOVED_IN,
    MOVED_OUT,
    RACKS,
    SEQUENCE,
    Neutrals,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "ATTENTION",
    "BROKEN",
    "DARK",
    "DIFFERENCE",
    "EPOCHS",
    "FINE",
    "FOLLOWER",
    "LEADER",
    "LIGHT",
    "MOVED_IN",
    "MOVED_OUT",
    "ON_EPOCH",
    "SEQUENCE",
    "Neutrals",
    "faded",
    "is_dark",
    "look",
    "rack_looks",
    "severity_icon",
    "severity_word",
    "template",
]

#: Leader epochs: six pale colours that each of the colour-blind tells apart, dark text on all; after six they repeat,
#: and the epoch is written on each cell.
EPOCHS = ("#c9cfd8", "#dcb67d", "#a4fdd4", "#cdb6fb", "#8cc9ac", "#feea9a")
#: Text on an epoch's colour, in light and dark.
ON_EPOCH = "#14171c"

_FONT = '"Source Sans", sans-serif'
_PATTERNS = ("", "/", "x", ".", "-")


def is_dark() -> bool:
    """Whether the person looks at the dark theme; outside a page nobody looks."""
    return get_script_run_ctx(suppress_warning=True) is not None and st.context.theme.type == "dark"


def look() -> Neutrals:
    """The neutral colours of the theme in use."""
    return DARK if is_dark() else LIGHT


def faded(colour: str) -> str:
    """A colour (``#rrggbb``) half seen through, for areas under a line."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red},{green},{blue},0.5)"


def rack_looks(racks: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(colour, Plotly pattern) by rack, by its place among the racks in natural order: the same on every page."""
    return {
        rack: (RACKS[i % len(RACKS)], _PATTERNS[i // len(RACKS) % len(_PATTERNS)])
        for i, rack in enumerate(sorted(racks, key=natural))
    }


def severity_icon(severity: Severity) -> str:
    """A Material icon that tells severities apart without colour."""
    return {
        Severity.BROKEN: ":material/error:",
        Severity.ATTENTION: ":material/warning:",
        Severity.NOTE: ":material/info:",
    }[severity]


def severity_word(severity: Severity) -> str:
    """Mark and word of a severity, for table cells."""
    return {Severity.BROKEN: "✖ critical", Severity.ATTENTION: "▲ warning", Severity.NOTE: "○ info"}[severity]


def template() -> go.layout.Template:
    """The Plotly template of the theme in use."""
    return _template(is_dark())


@lru_cache(maxsize=2)
def _template(dark: bool) -> go.layout.Template:
    import plotly.graph_objects as go

    neutral = DARK if dark else LIGHT
    axis = {
        "showgrid": False,
        "zeroline": False,
        "linecolor": neutral.line,
        "tickcolor": neutral.line,
        "tickfont": {"color": neutral.quiet, "size": 12},
        "title": {"font": {"color": neutral.quiet, "size": 12}},
    }
    return go.layout.Template(
        layout={
            "font": {"family": _FONT, "size": 13, "color": neutral.text},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "colorway": [neutral.bar, neutral.accent],
            "margin": {"l": 48, "r": 52, "t": 10, "b": 34},
            "hoverlabel": {
                "bgcolor": neutral.background,
                "bordercolor": neutral.line,
                "font": {"family": _FONT, "color": neutral.text, "size": 13},  # Plotly's own is Arial
                "align": "left",
            },
            "xaxis": axis,
            "yaxis": axis | {"showgrid": True, "gridcolor": neutral.faint},
            "showlegend": False,
            "bargap": 0.25,
            "separators": ".,",
        }
    )
