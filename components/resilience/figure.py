"""The ranked chart: the losses that do most, longest bar first, in the colour of what is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from components.charts import plots
from components.look import text, theme
from components.resilience.view import MOST_BARS, ResilienceView, chosen_of, measure_of, ranked
from components.resilience.words import harm, names_of
from reseat.resilience.losses import Losses
from reseat.resilience.words import MEASURES, WORDS, LossMeasure

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "draw_ranked", "ranked_figure"]

_COLOURS: dict[LossMeasure, str] = {
    "offline_partitions": theme.BROKEN,
    "below_min_isr": theme.ATTENTION,
    "leaders_moved": theme.LEADER,
}
#: As high as the matrix beside it.
HEIGHT = 416
#: Room for so many bars is kept where there are fewer, so that a bar stays a bar.
_LEAST_BARS = 12


def ranked_figure(losses: Losses, view: ResilienceView) -> go.Figure:
    """The bars of the worst losses; the one whose detail is open has a rim.

    Args:
        losses: what is ranked.
        view: by which measure, of which kinds, and which one is open.
    """
    import plotly.graph_objects as go

    look, measure, open_one = theme.look(), measure_of(view, losses), chosen_of(view, losses)
    rows = ranked(view, losses).head(MOST_BARS)
    names = names_of(rows)
    values = rows[measure].fillna(0).to_numpy(np.int64)
    marked = [
        open_one is not None and (kind, lost) == (open_one.kind, open_one.lost)
        for kind, lost in zip(rows["kind"], rows["lost"], strict=True)
    ]
    told = [f"{text.label(name)} lost: {harm(row)}" for name, (_, row) in zip(names, rows.iterrows(), strict=True)]
    place = np.arange(len(rows))
    bars = {"width": 0.74, "customdata": np.array(told, object), "hovertemplate": "%{customdata}<extra></extra>"}
    figure = go.Figure(
        go.Bar(
            y=place,
            x=values,
            orientation="h",
            marker={
                "color": _COLOURS[measure],
                "line": {"width": [2 if one else 0 for one in marked], "color": look.text},
            },
            text=[f"{value:,}" for value in values.tolist()],
            textposition="outside",
            textfont={"size": 11, "color": look.quiet},
            cliponaxis=False,
            **bars,
        )
    )
    top = 1.18 * max(int(values.max(initial=0)), 1)
    # A bar of nothing is no thicker than a hair: what is right of each bar answers to the pointer as it does.
    figure.add_bar(y=place, x=top - values, base=values, orientation="h", marker={"color": "rgba(0,0,0,0)"}, **bars)
    already = losses.already.get(measure, 0)
    if already:
        figure.add_vline(x=already, line={"color": look.text, "width": 1, "dash": "dash"})
        figure.add_annotation(
            text=f"{already:,} already", x=already, y=1, yref="paper", yanchor="bottom", xanchor="left",
            showarrow=False, font={"size": 11, "color": look.text},
        )  # fmt: skip
    counted = {
        WORDS[one].many: [
            int(cell) if known else None for cell, known in zip(rows[one], rows[one].notna(), strict=True)
        ]
        for one in MEASURES
    }
    plots.tell(figure, {"lost": names, **counted}, f"{WORDS[measure].many} by loss")
    figure.update_layout(
        template=theme.template(),
        barmode="overlay",
        margin={"l": 8, "r": 8, "t": 18 if already else 4, "b": 4},
    )
    figure.update_yaxes(
        tickmode="array",
        tickvals=place,
        ticktext=[
            f"<b>{text.label(name, 16)}</b>" if one else text.label(name, 16)
            for name, one in zip(names, marked, strict=True)
        ],
        range=[max(len(rows), _LEAST_BARS) - 0.4, -0.6],
        showgrid=False,
        fixedrange=True,
        automargin=True,
        ticklen=5,
        tickcolor="rgba(0,0,0,0)",
    )
    figure.update_xaxes(range=[0, top], fixedrange=True, visible=False)  # each bar has its number
    if not values.any():
        figure.add_annotation(
            text=f"No single loss:<br>0 {WORDS[measure].many}", x=0.55, y=0.5, xref="paper", yref="paper",
            showarrow=False, font={"size": 13, "color": look.quiet}, bgcolor=look.background,
        )  # fmt: skip
    return figure


def draw_ranked(losses: Losses, view: ResilienceView, key: str, on_click: Callable[[], None]) -> None:
    """Draw the chart and listen.

    Args:
        losses: what is ranked.
        view: what is shown of it.
        key: the chart's name on the page.
        on_click: called when a bar is clicked.
    """
    measure = measure_of(view, losses)
    alt = f"The losses with most {WORDS[measure].many}, ranked: the table below has the numbers"
    plots.draw(ranked_figure(losses, view), key, alt, height=HEIGHT, on_click=on_click)
