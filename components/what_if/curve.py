"""The curve as a figure: what balance costs in moves and in data, each point a plan that one click takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from components.charts import plots
from components.look import text, theme
from reseat.model import CurvePoint

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["draw_curve"]

_HEIGHT = 260


def draw_curve(points: Sequence[CurvePoint], chosen: int, key: str, on_click: Callable[[], None]) -> None:
    """Draw the points against moves and, where sizes are told, against the data to copy.

    Args:
        points: by ascending moves.
        chosen: moves of the plan that is looked at.
        key: the figure's name on the page.
        on_click: called when a point is clicked; the name of its mark is its number of moves.
    """
    first, last = points[0], points[-1]
    alt = (
        f"Spread of {len(points)} plans: {first.spread} with {text.counted(first.moves, 'move')}, "
        f"{last.spread} with {last.moves:,}."
    )
    plots.draw(_figure(points, chosen), key, alt, height=_HEIGHT, on_click=on_click)
    st.caption("Each point is a plan: click one to take it as the what-if. Lower is better balanced, left is cheaper.")


def _figure(points: Sequence[CurvePoint], chosen: int) -> go.Figure:
    from plotly.subplots import make_subplots

    look = theme.look()
    sizes = [point.bytes_to_move for point in points]
    told = [size for size in sizes if size is not None]
    axes: list[tuple[str, list[float | None]]] = [("replica moves", [float(point.moves) for point in points])]
    if told and max(told) > 0:
        axes.append(("data to copy", sizes))
    figure = make_subplots(1, len(axes), shared_yaxes=True, horizontal_spacing=0.04)
    spreads = [point.balance for point in points]
    words = [
        [str(point.moves), text.counted(point.moves, "move"), text.size(point.bytes_to_move), point.spread]
        for point in points
    ]
    for column, (name, places) in enumerate(axes, 1):
        figure.add_scatter(
            x=places,
            y=spreads,
            mode="lines+markers" if column == 1 else "markers",  # more moves may copy less
            line={"color": look.quiet, "width": 1},
            marker={
                "size": [15 if point.moves == chosen else 10 for point in points],
                "color": [look.accent if point.moves == chosen else look.bar for point in points],
                "symbol": ["diamond" if point.moves == chosen else "circle" for point in points],
                "opacity": 1,
            },
            customdata=words,
            hovertemplate="%{customdata[1]}, %{customdata[2]}: spread %{customdata[3]}<extra></extra>",
            cliponaxis=False,
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            row=1,
            col=column,
        )
        figure.update_xaxes(title_text=name, fixedrange=True, row=1, col=column)
    if len(axes) > 1:
        ticks = sorted({min(told), max(told)})
        figure.update_xaxes(tickvals=ticks, ticktext=[text.size(tick) for tick in ticks], row=1, col=2)
    figure.update_yaxes(fixedrange=True, rangemode="tozero")
    figure.update_yaxes(title_text="spread", row=1, col=1)
    if points[0].byte_spread is not None:
        ends = sorted({min(spreads), max(spreads)})
        figure.update_yaxes(tickvals=ends, ticktext=[text.size(end) for end in ends])
    figure.update_layout(template=theme.template(), showlegend=False, margin={"l": 60, "r": 30, "t": 16, "b": 44})
    plots.tell(
        figure,
        {"moves": [point.moves for point in points], "spread": spreads, "bytes to copy": sizes},
        "moves vs balance",
    )
    return figure
