"""The menu "Save" at every figure: the picture as SVG or PNG, the data as CSV. May import: Streamlit.

A Streamlit component (v2) of real files that draws nothing itself: it finds the page's figures and puts the same small
menu at each. What is saved is what is seen; nothing leaves the browser. A Plotly chart tells its data by its layout's
``meta``: ``x`` and ``y`` are the heads of its axes, or ``heads`` and ``columns`` its table where places are no data,
and ``name`` what its file is called. A figure of a component of ours has an attribute ``data-figure``, its title, and
where it has data a property ``savedRows``. One without either is a drawing, saved as a picture alone.
"""

from __future__ import annotations

from pathlib import Path

from components.canvas.mount import mount

__all__ = ["save_figures"]

_HERE = Path(__file__).parent


def save_figures() -> None:
    """See to the page's figures from now on; to be called once a page."""
    mount(_HERE, "rows", "picture", isolated=False)(key="save-figures", height=1)
