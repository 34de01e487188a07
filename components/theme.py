"""Colours with one meaning each, rack colours, and the Plotly template; the only place that names a colour.

Meanings are from Okabe and Ito's colour-blind safe set and used for nothing else. Never colour alone: a word, an icon
or a hatch goes with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import streamlit as st

from reseat.model import Severity

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "ATTENTION",
    "BROKEN",
    "DIFFERENCE",
    "EPOCHS",
    "FINE",
    "LEADER",
    "MOVED_IN",
    "MOVED_OUT",
    "ON_EPOCH",
    "SEQUENCE",
    "Look",
    "faded",
    "is_dark",
    "look",
    "rack_looks",
    "severity_icon",
    "severity_word",
    "template",
]

FINE = "#009e73"  # bluish green
ATTENTION = "#e69f00"  # orange
BROKEN = "#d55e00"  # vermillion
LEADER = "#0072b2"  # blue
MOVED_IN = "#56b4e9"  # sky blue
MOVED_OUT = "#cc79a7"  # purple, drawn hatched
#: Counts: one scale, dark is many.
SEQUENCE = "cividis"
#: Differences: white at zero, symmetric.
DIFFERENCE = ((0.0, "#8c510a"), (0.25, "#d8b365"), (0.5, "#ffffff"), (0.75, "#67a9cf"), (1.0, "#2166ac"))
#: Leader epochs: six pale colours that the colour-blind tell apart (from Tol's light set), dark text on all; after six
#: they repeat, and the epoch is written on each cell.
EPOCHS = ("#c9cfd8", "#eedd88", "#bbcc33", "#b3cdf0", "#f2b8c6", "#b8b04a")
#: Text on an epoch's colour, in light and dark.
ON_EPOCH = "#14171c"

#: Racks: twelve muted colours, none of them a meaning's; after twelve they repeat with a pattern.
_RACKS = (
    "#6f7fb5", "#b59b6f", "#7fae9b", "#a87f9f", "#8fa65a", "#c2907c",
    "#5f93a6", "#9a8fc4", "#a3a3a3", "#7d9a7d", "#b3848f", "#8a7d66",
)  # fmt: skip
_FONT = '"Source Sans", sans-serif'
_PATTERNS = ("", "/", "x", ".", "-")


@dataclass(frozen=True, slots=True)
class Look:
    """The neutral colours of light or dark: text, quiet text, lines, bars, background and the accent."""

    text: str
    quiet: str
    line: str
    bar: str
    faint: str
    background: str
    accent: str


_LIGHT = Look("#1c2026", "#5b6472", "#d9dde3", "#8d97a5", "#e9ecf0", "#ffffff", "#4a4fa3")
_DARK = Look("#e8eaee", "#a2aab6", "#363c46", "#7d8796", "#2a3038", "#14171c", "#a3a8f0")


def is_dark() -> bool:
    """Whether the person looks at the dark theme."""
    return st.context.theme.type == "dark"


def look() -> Look:
    """The neutral colours of the theme in use."""
    return _DARK if is_dark() else _LIGHT


def faded(colour: str) -> str:
    """A colour (``#rrggbb``) half seen through, for areas under a line."""
    red, green, blue = bytes.fromhex(colour.removeprefix("#"))
    return f"rgba({red},{green},{blue},0.5)"


def rack_looks(racks: Sequence[str]) -> dict[str, tuple[str, str]]:
    """(colour, Plotly pattern) by rack, by its place among the racks sorted as text: the same on every page."""
    return {
        rack: (_RACKS[i % len(_RACKS)], _PATTERNS[i // len(_RACKS) % len(_PATTERNS)])
        for i, rack in enumerate(sorted(racks))
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
    return {Severity.BROKEN: "✖ broken", Severity.ATTENTION: "▲ attention", Severity.NOTE: "○ note"}[severity]


def template() -> go.layout.Template:
    """The Plotly template of the theme in use."""
    return _template(is_dark())


@lru_cache(maxsize=2)
def _template(dark: bool) -> go.layout.Template:
    import plotly.graph_objects as go

    neutral = _DARK if dark else _LIGHT
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
