"""Strategies side by side on one story, and what each would give with one member more or less."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from components.charts import plots
from components.look import tables, text, theme
from reseat.consumers.compare import AssignorResult

__all__ = ["draw_calls", "draw_side_by_side", "draw_what_if"]

#: Members drawn as bars; more have no room side by side.
_MOST_BARS = 60


def draw_side_by_side(measured: Sequence[AssignorResult], chosen: str) -> None:
    """A table of the measures, and what each member has at the end by strategy."""
    import pandas as pd

    frame = pd.DataFrame(
        {
            "assignor": [("▸ " if one.assignor == chosen else "") + one.assignor for one in measured],
            "spread": [one.spread for one in measured],
            "rebalances": [one.rebalances for one in measured],
            "moves": [one.moves for one in measured],
            "unnecessary": [one.needless for one in measured],
            "paused": [one.paused for one in measured],
            "surplus": [f"{one.surplus:+.1f}" for one in measured],
        }
    )
    left, right = st.columns([1.15, 1], gap="medium")
    with left:
        tables.table(frame, "consumers-side", {"surplus": tables.RIGHT})
        st.caption(
            "Over the whole story. Unnecessary: a member gave up a partition and got another instead. Paused: "
            "partitions whose consumption stopped, if only during a rebalance. Surplus: the largest over an equal "
            "share of each topic."
        )
    with right:
        _bars(measured)


def _bars(measured: Sequence[AssignorResult]) -> None:
    import plotly.graph_objects as go

    look = theme.look()
    figure = go.Figure()
    names: list[str] = []
    for place, one in enumerate(measured):
        counts = list(one.counts.items())[:_MOST_BARS]
        width = 0.8 / max(1, len(counts))
        names.append(one.assignor)
        figure.add_bar(
            x=place - 0.4 + width * (np.arange(len(counts)) + 0.5),
            y=[count for _, count in counts],
            width=width * 0.86,
            marker={"color": look.bar, "line": {"width": 0}},
            customdata=[[text.label(member, 40), one.assignor] for member, _ in counts],
            hovertemplate="%{customdata[1]}: %{customdata[0]} has %{y}<extra></extra>",
        )
    bars = [(one.assignor, *pair) for one in measured for pair in list(one.counts.items())[:_MOST_BARS]]
    heads = ("assignor", "member", "partitions")
    plots.tell(figure, {head: [bar[at] for bar in bars] for at, head in enumerate(heads)})
    figure.update_layout(template=theme.template(), bargap=0, margin={"l": 40, "r": 4, "t": 6, "b": 26})
    figure.update_xaxes(tickmode="array", tickvals=list(range(len(names))), ticktext=names, fixedrange=True)
    figure.update_yaxes(rangemode="tozero", tickformat=",d", nticks=5, fixedrange=True)
    plots.draw(figure, "consumers-counts", "Partitions per member at the end, by assignor", height=190)


def draw_what_if(found: Sequence[tuple[str, Sequence[AssignorResult]]]) -> None:
    """What each strategy would give the group as it stands: as it is, one member more, one less."""
    import pandas as pd

    rows = [(words, one) for words, measured in found for one in measured]
    frame = pd.DataFrame(
        {
            "change": [words for words, _ in rows],
            "assignor": [one.assignor for _, one in rows],
            "moves": [one.moves for _, one in rows],
            "unnecessary": [one.needless for _, one in rows],
            "paused": [one.paused for _, one in rows],
            "spread after": [one.spread for _, one in rows],
            "fewest": [min(one.counts.values(), default=0) for _, one in rows],
            "most": [max(one.counts.values(), default=0) for _, one in rows],
        }
    )
    tables.table(frame, "consumers-what-if", height=430)


def draw_calls(calls: Sequence[tuple[str, str, str]]) -> None:
    """Listener calls in order: member, call, partitions."""
    import pandas as pd

    if not calls:
        st.markdown("No listener calls.")
        return
    frame = pd.DataFrame(
        {
            "in order": [str(number + 1) for number in range(len(calls))],
            "member": [text.visible(member) for member, _, _ in calls],
            "call": [call for _, call, _ in calls],
            "partitions": [text.visible(partitions, 2_000) for *_, partitions in calls],
        }
    ).head(tables.MOST_ROWS)
    tables.table(frame, "consumers-calls", {"in order": tables.RIGHT}, height=330)
    if len(calls) > tables.MOST_ROWS:
        st.caption(tables.shown_of(tables.MOST_ROWS, len(calls), "call"))
