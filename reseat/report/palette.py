"""Colours by meaning: the only place that names one. Pages, reports and figures take them from here.

Meanings are from Okabe and Ito's colour-blind safe set and used for nothing else. Never colour alone: a word, an icon
or a hatch goes with it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ATTENTION",
    "BROKEN",
    "DARK",
    "DIFFERENCE",
    "FINE",
    "FOLLOWER",
    "LEADER",
    "LIGHT",
    "MOVED_IN",
    "MOVED_OUT",
    "RACKS",
    "SEQUENCE",
    "Neutrals",
]

#: What is as it should be, what wants a look, what is broken; a leader; a replica that comes, and one that goes.
FINE = "#009e73"  # bluish green
ATTENTION = "#e69f00"  # orange
BROKEN = "#d55e00"  # vermillion
LEADER = "#0072b2"  # blue
MOVED_IN = "#56b4e9"  # sky blue
MOVED_OUT = "#cc79a7"  # purple, drawn hatched
#: A follower of which nothing more is told, as a cell: darker than the bars, which deuteranopes see as moved out.
FOLLOWER = "#5b6472"
#: Counts: one scale, dark is few. A name that Plotly and Matplotlib both know.
SEQUENCE = "cividis"
#: Differences: white at zero, symmetric.
DIFFERENCE = ((0.0, "#8c510a"), (0.25, "#d8b365"), (0.5, "#ffffff"), (0.75, "#67a9cf"), (1.0, "#2166ac"))
#: Racks: twelve muted colours, none of them a meaning's, that each of the colour-blind tells apart, neighbours best;
#: after twelve they repeat with a pattern.
RACKS = (
    "#5c6098", "#f8aa84", "#836023", "#819fae", "#b38249", "#427979",
    "#baa6eb", "#636653", "#c8ada8", "#867cba", "#a4cbd3", "#908678",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Neutrals:
    """The neutral colours of light or dark.

    Attributes:
        text: words.
        quiet: words that step back.
        line: lines and rims.
        bar: what is counted and has no meaning of its own.
        faint: grounds and the lines of a grid.
        background: the page.
        accent: what is chosen, and what can be clicked.
        none: a cell that holds nothing, apart from the whole scale of those that hold something.
    """

    text: str
    quiet: str
    line: str
    bar: str
    faint: str
    background: str
    accent: str
    none: str


#: All that depends on the page's background, for a light one and for a dark one.
LIGHT = Neutrals("#1c2026", "#5b6472", "#d9dde3", "#8d97a5", "#e9ecf0", "#ffffff", "#4a4fa3", "#e9ecf0")
DARK = Neutrals("#e8eaee", "#a2aab6", "#363c46", "#7d8796", "#2a3038", "#14171c", "#a3a8f0", "#2c2a26")
