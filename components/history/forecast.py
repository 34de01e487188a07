"""The weeks to come: when a limit is met, one count with its interval over time, and all counts as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import plots
from components.history.plans import draw_since, with_plans
from components.history.sizing import draw_sizing
from components.look import tables, text, theme
from components.shell import frame
from components.state import caching, fields
from reseat.errors import InputRefused
from reseat.forecast.outlook import WORDS, Outlook, Outlooks, outlooks
from reseat.forecast.settings import NAMED_BY, Limits, configured
from reseat.forecast.trend import LEAST_DAYS, Forecast, Refused
from reseat.history.events import Event, PlanRun
from reseat.history.read import History

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["as_table", "draw_forecast", "forecast_figure"]

_HEIGHT = 260
_HOW = (
    "Left: the last snapshot of each day. Right: the line has the median slope of the last 28 days (Theil-Sen); the "
    "band is its 80% interval, made of how far such lines were off in this same past, by days ahead. What never "
    "happened here before, such as a new team's topics, is not in it. The straight line across is the limit. Marks: ✖ "
    "brokers down, ● up, ◆ a large reassignment, ◇ new partitions, in the period chosen above; ★ plans done, "
    "☆ stopped or failed, from this server's journal."
)
_NO_LIMITS = (
    f"Limits are set in the file that `{NAMED_BY}` names on the server: `disk`, `replicas_per_broker` and more."
)
#: A column of days: a long note leaves them their room.
_DAY = st.column_config.TextColumn(width=92, alignment="right")
_SIGNS = {
    "gone": "x",
    "rack_gone": "x",
    "came": "circle",
    "rack_came": "circle",
    "left": "x-open",
    "rack_left": "x-open",
    "moved": "diamond",
    "found": "triangle-up",
    "mended": "triangle-down",
    "plan": "star",
    "plan_ended": "star-open",
}


def draw_forecast(history: History, cluster: str, marks: Sequence[Event], plans: Sequence[PlanRun]) -> None:
    """Draw it, folded away until it is opened: what it reads goes back a year.

    Args:
        history: the tables.
        cluster: the cluster.
        marks: what happened in the period that the page shows.
        plans: the executed plans, of any time.

    Raises:
        InputRefused: the tables cannot be read.
    """
    with fields.fold("Weeks to come", name="forecast", key="history-forecast", icon=":material/trending_up:") as fold:
        if not fold.open:
            return
        try:
            limits = configured().limits(cluster)
        except InputRefused as refusal:
            frame.refused(refusal)
            return
        with st.spinner("Trying the forecast on the past …", show_time=True):
            told = caching.from_tables(
                history, f"forecast {cluster} {limits}", lambda: _tried(history, cluster, limits)
            )
        ever = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        _draw(told, with_plans(marks, plans, *ever), lambda: draw_since(history, cluster, plans))
    draw_sizing(history, told)


def _tried(history: History, cluster: str, limits: Limits) -> Outlooks:
    """The outlook with every count foretold, which it would else do while the page is drawn."""
    told = outlooks(history, cluster, limits)
    _ = told.inside
    return told


def _draw(told: Outlooks, marks: Sequence[Event], since: Callable[[], None]) -> None:
    st.markdown(f"**{text.plain(told.sentence)}**")
    for sentence in (*told.old(datetime.now(UTC).date()), *told.blind):
        st.markdown(f":orange[:material/visibility_off:] {text.plain(sentence)}")
    if told.limits == type(told.limits)():
        st.caption(_NO_LIMITS)
    since()
    inside, tried = told.inside
    if inside is None:
        return
    st.caption(
        f"Tried on this cluster's own past: of {tried:,} days held out, {inside:.0%} lay inside the 80% interval that "
        "was told for them before."
    )
    foretold = {one.name: one for one in told.counts if isinstance(one.told, Forecast)}
    soonest = told.first
    usual = soonest.name if soonest is not None and soonest.name in foretold else next(iter(foretold))
    name = fields.select("Count", list(foretold), name="count", key="history-forecast-count", default=usual, width=320)
    chosen = foretold[name]
    plots.draw(
        forecast_figure(chosen, marks),
        "history-forecast-figure",
        f"{name[0].upper()}{name[1:]} by day, and the weeks to come with an 80% interval",
        height=_HEIGHT,
    )
    frame.how_to_read(_HOW, key="how-too")
    rows = as_table(told.counts)
    columns = dict.fromkeys(rows.columns[2:6], tables.RIGHT) | dict.fromkeys(rows.columns[6:9], _DAY)
    tables.table(rows, "history-forecast-table", columns, height=300)
    said = tables.shown_of(len(rows), len(told.counts), "count")
    tables.foot("history-forecast", said, "forecast.csv", lambda: tables.as_csv(as_table(told.counts)))


def as_table(counts: Sequence[Outlook]) -> pd.DataFrame:
    """All counts, those that meet their limit first; where nothing is foretold, why."""
    import pandas as pd

    def row(one: Outlook) -> dict[str, str]:
        made = {
            "broker": "all" if one.broker is None else str(one.broker),
            "count": WORDS[one.measure],
            "now": one.words(one.now),
            f"in {LEAST_DAYS // 7} weeks": "",
            "80% interval": "",
            "limit": "" if one.limit is None else one.words(one.limit),
            "limit met": "",
            "from": "",
            "to": "",
            "note": one.told.sentence if isinstance(one.told, Refused) else "",
        }
        if isinstance(one.told, Forecast):
            low, likely, high = (float(line[LEAST_DAYS - 1]) for line in (one.told.low, one.told.likely, one.told.high))
            made[f"in {LEAST_DAYS // 7} weeks"] = one.words(likely)
            made["80% interval"] = f"{one.words(low)} – {one.words(high)}"
        if one.met is not None:
            days = (one.met.likely, one.met.early, one.met.late)
            made |= dict(
                zip(("limit met", "from", "to"), ["not yet" if d is None else str(d) for d in days], strict=True)
            )
        return made

    made = pd.DataFrame([row(one) for one in sorted(counts, key=lambda one: one.soonest)])
    return made if made["note"].any() else made.drop(columns=["note"])


def forecast_figure(one: Outlook, marks: Sequence[Event]) -> go.Figure:
    """A count's past, its line with its interval, its limit, and what happened."""
    told, look = one.told, theme.look()
    assert isinstance(told, Forecast)  # noqa: S101 -- only those are offered
    past = [one.until - timedelta(days=back) for back in range(len(one.values) - 1, -1, -1)]
    at_end = [] if one.now is None else [one.now]
    likely, low, high = (np.append(at_end, line) for line in (told.likely, told.low, told.high))
    ahead = [one.until + timedelta(days=day + 1 - len(at_end)) for day in range(len(likely))]
    hover = {"hovertemplate": "%{x|%a %d %b %Y}: %{text}<extra></extra>"}
    words = [f"{one.words(v)} ({one.words(a)} – {one.words(b)})" for v, a, b in zip(likely, low, high, strict=True)]
    traces: list[dict[str, object]] = [
        {
            "type": "scatter", "x": [*ahead, *reversed(ahead)], "y": [*high, *reversed(low)], "mode": "none",
            "fill": "toself", "fillcolor": theme.faded(look.bar), "hoverinfo": "skip",
        },
        {
            "type": "scatter", "x": past, "y": one.values, "mode": "lines", "connectgaps": False,
            "line": {"color": look.text, "width": 1.8, "shape": "hv"},
            "text": [one.words(None if np.isnan(value) else float(value)) for value in one.values], **hover,
        },
        {
            "type": "scatter", "x": ahead, "y": likely, "mode": "lines",
            "line": {"color": look.accent, "width": 1.8, "dash": "dash"}, "text": words, **hover,
        },
    ]  # fmt: skip
    top = float(max(np.nanmax(one.values), np.nanmax(high)))
    # A limit far above all that is foretold would press the count onto the floor; the table has it.
    seen = one.limit is not None and one.limit <= 2.5 * max(top, 1.0)
    top = max(top, one.limit or 0.0) if seen else top
    shown = [mark for mark in marks if past[0] <= mark.at.date() <= one.until]
    if shown:
        traces.append(
            {
                "type": "scatter", "x": [_plain(mark.at) for mark in shown], "y": [top * 1.06] * len(shown),
                "mode": "markers", "cliponaxis": False,
                "marker": {
                    "symbol": [_SIGNS.get(mark.kind, "diamond-open") for mark in shown], "color": look.quiet, "size": 9,
                },
                "text": [text.label(mark.sentence, 160) for mark in shown], **hover,
            }
        )  # fmt: skip
    ticks = plots.byte_ticks(top) if one.measure in ("size_bytes", "disk_used") else None
    scale = {"tickformat": ",~f"} if ticks is None else {"tickvals": ticks, "ticktext": [text.size(t) for t in ticks]}
    made = plots.figure(
        traces,
        {
            "showlegend": False,
            "margin": {"l": 64, "r": 14, "t": 14, "b": 40},
            "xaxis": {"type": "date", "fixedrange": True, "showspikes": False},
            "yaxis": {"rangemode": "tozero", "fixedrange": True, "range": [0, top * 1.12 or 1], "nticks": 5, **scale},
        },
    )
    line = {"type": "line", "line": {"color": look.quiet, "dash": "dot", "width": 1.4}}
    lines = [{**line, "x0": one.until, "x1": one.until, "y0": 0, "y1": 1, "yref": "paper"}]
    if seen:
        at_limit = {"x0": 0, "x1": 1, "xref": "paper", "y0": one.limit, "y1": one.limit}
        lines.append({**line, **at_limit, "line": {"color": theme.BROKEN, "width": 1.4}})
    notes = (
        [
            {
                "text": f"limit {one.words(one.limit)}", "x": 0, "xref": "paper", "xanchor": "left", "xshift": 6,
                "y": one.limit, "yanchor": "bottom", "showarrow": False, "font": {"size": 11.5, "color": theme.BROKEN},
            }
        ]
        if seen
        else []
    )  # fmt: skip
    plots.annotate(made, notes, lines)
    _tell(made, one, told, past)
    return made


def _tell(made: go.Figure, one: Outlook, told: Forecast, past: Sequence[date]) -> None:
    """What is drawn, for who saves it: a row a day."""
    known = [None if np.isnan(value) else float(value) for value in one.values]
    days = [one.until + timedelta(days=day + 1) for day in range(len(told.likely))]
    none_ahead, none_past = [None] * len(days), [None] * len(past)
    columns: dict[str, Sequence[object]] = {
        "day": [day.isoformat() for day in (*past, *days)],
        one.name: [*known, *none_ahead],
    }
    for name in ("likely", "low", "high"):
        columns[name] = [*none_past, *np.round(getattr(told, name), 1).tolist()]
    plots.tell(made, columns, "forecast")


def _plain(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)
