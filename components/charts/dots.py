"""Strips of dots: what many random draws give, beside the one number of Reseat's plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from components.charts import plots
from components.look import text, theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "DotPanel", "strips"]

#: Pixels of the whole figure.
HEIGHT = 190
#: How far dots of one row are moved up and down, so that equal ones can be told apart.
_JITTER = 0.22


@dataclass(frozen=True, eq=False)
class DotPanel:
    """One measure of several plans.

    Attributes:
        name: what is measured.
        own: its value in Reseat's plan, None where not told.
        draws: (n,) values over the draws, an array a row of the figure, the first on top; None where not told.
        is_bytes: whether the values are bytes.
    """

    name: str
    own: float | None
    draws: tuple[npt.NDArray[np.number] | None, ...]
    is_bytes: bool = False

    def words(self, value: float | None) -> str:
        """A value as text."""
        return text.size(value) if self.is_bytes else text.count(value)


def strips(measures: Sequence[DotPanel], rows: Sequence[str]) -> go.Figure:
    """A panel a measure: Reseat's value as a diamond on top, below it a row of dots for each name in ``rows``."""
    from plotly.subplots import make_subplots

    look = theme.look()
    figure = make_subplots(
        1, len(measures), shared_yaxes=True, horizontal_spacing=0.03, subplot_titles=[m.name for m in measures]
    )
    colours = (look.bar, look.quiet)
    for column, measure in enumerate(measures, 1):
        if measure.own is not None:
            figure.add_scatter(
                x=[measure.own],
                y=[len(rows)],
                mode="markers+text",
                text=[measure.words(measure.own)],
                textposition="middle right",
                marker={"symbol": "diamond", "size": 12, "color": look.accent},
                hovertemplate=f"Reseat's plan: {measure.words(measure.own)}<extra></extra>",
                cliponaxis=False,
                row=1,
                col=column,
            )
        for row, values in enumerate(measure.draws):
            if values is not None:
                _row_of_dots(
                    figure,
                    measure,
                    values,
                    name=rows[row],
                    place=(column, len(rows) - 1 - row),
                    colour=colours[row % 2],
                )
        figure.update_xaxes(
            range=[-0.09 * _largest(measure), 1.45 * _largest(measure)],
            fixedrange=True,
            visible=False,
            row=1,
            col=column,
        )
    table: dict[str, list[object]] = {"measure": [], "plan": [], "draw": [], "value": []}
    for measure in measures:
        own = None if measure.own is None else np.array([measure.own])
        for name, values in zip(("Reseat's plan", *rows), (own, *measure.draws), strict=True):
            for draw, value in enumerate([] if values is None else values.tolist()):
                for cells, cell in zip(table.values(), (measure.name, name, draw, value), strict=True):
                    cells.append(cell)
    plots.tell(figure, table)
    figure.update_layout(template=theme.template(), margin={"l": 122, "r": 20, "t": 26, "b": 6})
    figure.update_annotations(font={"size": 12, "color": look.quiet})
    figure.update_yaxes(
        range=[-0.5, len(rows) + 0.5],
        tickvals=list(range(len(rows), -1, -1)),
        ticktext=["Reseat's plan", *rows],
        fixedrange=True,
        showgrid=True,
    )
    return figure


def _row_of_dots(
    figure: go.Figure,
    measure: DotPanel,
    values: npt.NDArray[np.number],
    *,
    name: str,
    place: tuple[int, int],
    colour: str,
) -> None:
    """Dots with their median beside them; ``place`` is the panel's column and the height of the row."""
    column, at = place
    spread = (np.arange(len(values)) * 0.618 % 1 - 0.5) * 2 * _JITTER
    figure.add_scatter(
        x=values,
        y=at + spread,
        mode="markers",
        marker={"size": 6, "color": colour, "opacity": 0.55},
        customdata=np.array([[seed, measure.words(float(v))] for seed, v in enumerate(values.tolist())], object),
        hovertemplate=f"{text.label(name)}, draw %{{customdata[0]}}: %{{customdata[1]}}<extra></extra>",
        row=1,
        col=column,
    )
    figure.add_scatter(
        x=[float(values.max())],
        y=[at],
        mode="text",
        text=["  " + measure.words(float(np.median(values)))],
        textposition="middle right",
        hoverinfo="skip",
        cliponaxis=False,
        row=1,
        col=column,
    )


def _largest(measure: DotPanel) -> float:
    told = [float(values.max()) for values in measure.draws if values is not None and len(values)]
    return max([*told, measure.own or 0.0, 1e-9])
