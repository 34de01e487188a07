"""What every figure shares: how it is put on the page, what "Save" writes of it, and words added to it.

Colours and type come from ``theme``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.look import theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "annotate", "byte_ticks", "draw", "figure", "tell"]

#: Height of a chart that shares a 1366 x 768 screen with the strip, the sentence and the figures.
HEIGHT = 250


def draw(
    figure: go.Figure, key: str, alt: str, *, height: int = HEIGHT, on_click: Callable[[], None] | None = None
) -> None:
    """Put a figure on the page in its reserved height, with a sentence for those who cannot see it.

    Args:
        figure: the figure.
        key: its name on the page.
        alt: the sentence.
        height: pixels.
        on_click: called when a point is clicked; ``widgets.clicked`` tells which.
    """
    figure.update_layout(height=height)
    if on_click is not None:
        figure.update_layout(dragmode=False)
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        height=height,
        config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False},
        alt=alt,
        on_select="ignore" if on_click is None else on_click,
        selection_mode="points",
    )


def tell(figure: go.Figure, columns: Mapping[str, Sequence[object]], name: str = "") -> None:
    """Give a figure that is no row of bars the table that "Save" writes as CSV.

    Args:
        figure: the figure.
        columns: cells by head, all of one length.
        name: what its file is called; empty: by the sentence for those who cannot see it.
    """
    cells = [list(column) for column in columns.values()]
    figure.update_layout(meta={"heads": list(columns), "columns": cells, "name": name})


def annotate(
    figure: go.Figure, notes: Sequence[Mapping[str, object]], shapes: Sequence[Mapping[str, object]] = ()
) -> None:
    """Add words and shapes to a figure, all at once: for each that comes alone Plotly looks at all that are there.

    Args:
        figure: the figure.
        notes: annotations, as Plotly's layout has them.
        shapes: shapes, likewise.
    """
    if notes:
        figure.layout.annotations = (*figure.layout.annotations, *notes)
    if shapes:
        figure.layout.shapes = (*figure.layout.shapes, *shapes)


def figure(traces: Sequence[Mapping[str, object]], layout: Mapping[str, object]) -> go.Figure:
    """A figure, handed to Plotly as a whole: each later change costs it more time than all of this."""
    import plotly.graph_objects as go

    return go.Figure({"data": traces, "layout": {"template": theme.template(), **layout}})


def byte_ticks(most: float, count: int = 4) -> list[float]:
    """About so many round numbers of bytes up to the most."""
    if most <= 0:
        return [0.0]
    rough = most / count
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(float(power * factor) for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    return [step * i for i in range(int(most / step) + 1)]
