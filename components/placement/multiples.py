"""Small multiples of the ways of placing: loads, how far topics lie apart, and who shares partitions with whom."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import plots
from components.look import text, theme
from reseat.model import Broker
from reseat.placement.comparison import Outcome

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["NAMES", "draw_multiples"]

#: What each placer is called, and what it adds.
NAMES = {
    "naive": ("Round-robin", "no shift, always from the first broker"),
    "random start": ("Random start", "round-robin from a random broker"),
    "striped": ("Striped", "random start and shift"),
    "kraft": ("KRaft", "shuffled after each round"),
    "evenest": ("Best possible", "knows all topics in advance"),
}
HEIGHT = 540
#: Letters of a line below a placer's name, and lines that the longest takes.
_HEADING, _HEADING_LINES = 18, 6
#: Topics this much further apart than they must be, or more, share a bar.
_MOST_EXCESS = 3
#: Up to so many brokers, each is named.
_NAMED = 12
#: Below the headings: loads, topics, neighbours; as parts of the height.
_ROWS = (0.34, 0.19, 0.47)


def draw_multiples(outcomes: Sequence[Outcome], brokers: Sequence[Broker]) -> None:
    """Draw a column for each placer, all on the same scales.

    Args:
        outcomes: what the placers make of the same topics.
        brokers: the brokers, for their racks.
    """
    from plotly.subplots import make_subplots

    look = theme.look()
    figure = make_subplots(
        rows=3,
        cols=len(outcomes),
        shared_yaxes=True,
        row_heights=list(_ROWS),
        vertical_spacing=0.085,
        horizontal_spacing=0.018,
        column_titles=[_heading(outcome) for outcome in outcomes],
    )
    for column, outcome in enumerate(outcomes, 1):
        _loads(figure, outcome, brokers, column)
        _topics(figure, outcome, column)
        _neighbours(
            figure, outcome, column, last=column == len(outcomes), most=max(int(o.shared.max()) for o in outcomes)
        )
    figure.update_annotations(font={"size": 13, "color": look.text}, yshift=4)
    figure.update_layout(template=theme.template(), barmode="stack", margin={"l": 62, "r": 62, "t": 126, "b": 22})
    figure.update_xaxes(showticklabels=False, fixedrange=True, ticks="", showline=False)
    figure.update_yaxes(fixedrange=True, nticks=4, ticks="")
    few = len(brokers) <= _NAMED
    names = [str(broker) for broker in outcomes[0].brokers.tolist()]
    count = np.arange(len(names))
    for column in range(1, len(outcomes) + 1):
        for row in (1, 3):
            figure.update_xaxes(
                showticklabels=few, tickmode="array", tickvals=count, ticktext=names, tickfont={"size": 10}, row=row,
                col=column, range=[-0.6, len(names) - 0.4], tickangle=0,
            )  # fmt: skip
        figure.update_xaxes(
            showticklabels=True,
            tickmode="array",
            tickvals=list(range(_MOST_EXCESS + 1)),
            ticktext=["0", *(f"+{n}" for n in range(1, _MOST_EXCESS)), f"+{_MOST_EXCESS} …"],
            tickfont={"size": 10},
            row=2,
            col=column,
        )
    figure.update_yaxes(title={"text": "replicas"}, tickformat="~s", row=1, col=1)
    top = max(int(outcome.replicas.max()) for outcome in outcomes)
    figure.update_yaxes(range=[0, 1.06 * max(1, top)], row=1)
    figure.update_yaxes(title={"text": "topics"}, ticksuffix="%", range=[0, 104], row=2, col=1)
    figure.update_yaxes(title={"text": "shared with"}, row=3, col=1)
    for column in range(1, len(outcomes) + 1):
        figure.update_yaxes(
            autorange="reversed", showgrid=False, showticklabels=few and column == 1, tickmode="array", tickvals=count,
            ticktext=names, tickfont={"size": 10}, row=3, col=column,
        )  # fmt: skip
    heads = [NAMES[outcome.placer][0] for outcome in outcomes for _ in outcome.brokers]
    told = {
        "placement": heads,
        "broker": [broker for outcome in outcomes for broker in outcome.brokers.tolist()],
        "replicas": [count for outcome in outcomes for count in outcome.replicas.tolist()],
        "preferred leaders": [count for outcome in outcomes for count in outcome.leaders.tolist()],
    }
    plots.tell(figure, told, "five ways")
    _draw(figure, outcomes)


def _heading(outcome: Outcome) -> str:
    name, adds = NAMES[outcome.placer]
    told = [f"spread {outcome.replica_spread:,}"]
    if outcome.lacking_racks:
        told.append(f"{text.share(outcome.lacking_racks, outcome.partitions)} without rack diversity")
    # Five stand beside each other, in a narrow window too: each as narrow as its bars, and the names on one line.
    lines = [line for part in (adds, *told) for line in wrap(part, _HEADING)]
    lines += ["\u00a0"] * (_HEADING_LINES - len(lines))
    return f"<b>{name}</b><br><span style='font-size:11px'>{'<br>'.join(lines)}</span>"


def _loads(figure: go.Figure, outcome: Outcome, brokers: Sequence[Broker], column: int) -> None:
    """Replicas a broker, the led ones at the foot, with the mean."""
    racks = {broker.id: broker.rack for broker in brokers}
    custom = [
        [
            f"broker {broker}" + (f" in {text.label(racks[broker] or '', 30)}" if racks[broker] else ""),
            f"{leads:,}",
            f"{holds:,}",
        ]
        for broker, leads, holds in zip(
            outcome.brokers.tolist(), outcome.leaders.tolist(), outcome.replicas.tolist(), strict=True
        )
    ]
    look = theme.look()
    for values, colour in ((outcome.leaders, theme.LEADER), (outcome.replicas - outcome.leaders, look.bar)):
        figure.add_bar(
            x=np.arange(len(values)),
            y=values,
            marker={"color": colour, "line": {"width": 0}},
            customdata=custom,
            hovertemplate="%{customdata[0]} has %{customdata[2]} replicas and leads %{customdata[1]}<extra></extra>",
            row=1,
            col=column,
        )
    mean = float(outcome.replicas.mean())
    figure.add_hline(y=mean, line={"color": look.text, "width": 1, "dash": "dash"}, row=1, col=column)


def _topics(figure: go.Figure, outcome: Outcome, column: int) -> None:
    """Topics by how much further apart they are than they must be."""
    counts = np.bincount(np.minimum(outcome.excess, _MOST_EXCESS), minlength=_MOST_EXCESS + 1)
    words = ["best possible spread", *(f"spread {n} above the best possible" for n in range(1, _MOST_EXCESS))]
    figure.add_bar(
        x=np.arange(_MOST_EXCESS + 1),
        y=100 * counts / max(1, len(outcome.excess)),
        marker={"color": theme.look().bar, "line": {"width": 0}},
        customdata=[
            [text.counted(n, "topic"), w]
            for n, w in zip(counts.tolist(), [*words, "further above the best possible"], strict=True)
        ],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
        row=2,
        col=column,
    )


def _neighbours(figure: go.Figure, outcome: Outcome, column: int, *, last: bool, most: int) -> None:
    """Who shares how many partitions with whom, on one scale for all placers."""
    shared = np.sqrt(outcome.shared)  # so that few are told from none, too
    np.fill_diagonal(shared, np.nan)
    ticks = [part * most / 4 for part in (0, 0.25, 1, 2.25, 4)]
    names = outcome.brokers
    figure.add_heatmap(
        z=shared,
        zmin=0,
        zmax=max(1.0, most**0.5),
        colorscale=theme.SEQUENCE,
        showscale=last,
        colorbar={
            "thickness": 9,
            "len": _ROWS[2] * 0.85,
            "y": _ROWS[2] * 0.42,
            "x": 1.005,
            "outlinewidth": 0,
            "tickmode": "array",
            "tickvals": [tick**0.5 for tick in ticks],
            "ticktext": [f"{tick:,.0f}" for tick in ticks],
            "title": {"text": "partitions", "font": {"size": 11}},
        },
        xgap=1 if len(names) <= 40 else 0,
        ygap=1 if len(names) <= 40 else 0,
        customdata=np.dstack([*np.broadcast_arrays(names[:, None], names[None, :]), outcome.shared]),
        hovertemplate="brokers %{customdata[0]} and %{customdata[1]}: %{customdata[2]:,} partitions<extra></extra>",
        hoverongaps=False,
        row=3,
        col=column,
    )


def _draw(figure: go.Figure, outcomes: Sequence[Outcome]) -> None:
    figure.update_layout(height=HEIGHT)
    placers = ", ".join(NAMES[outcome.placer][0] for outcome in outcomes)
    st.plotly_chart(
        figure,
        key="compare-multiples",
        theme=None,
        height=HEIGHT,
        config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False},
        alt=f"{placers}: replicas and leaders per broker, topics' balance, and brokers that share partitions",
    )
