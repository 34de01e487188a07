"""The figure of a cluster's history: four small panels over one axis of time, and what happened.

Nothing is computed here that is not drawn; ``history_series`` and ``history_events`` say what there is.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from components.charts import plots
from components.look import text, theme
from components.state.past import clock
from reseat.history.events import Event
from reseat.history.series import Series
from reseat.model import BoolArray, FloatArray, Longs

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "figure", "hover_words"]

#: With the strip, the sentence and the figures this fits a screen of 768 pixels.
HEIGHT = 372
#: Where each panel stands, as parts of the height, from the top: the marks, and the four of numbers.
_MARKS = (0.925, 1.0)
_PANELS = ((0.70, 0.865), (0.46, 0.625), (0.225, 0.39), (0.0, 0.155))
#: A mark's sign and its colour, None for that of quiet text; the hover says the rest.
_SIGNS: dict[str, tuple[str, str | None]] = {
    "gone": ("x", theme.BROKEN),
    "rack_gone": ("x", theme.BROKEN),
    "came": ("circle", theme.FINE),
    "rack_came": ("circle", theme.FINE),
    "left": ("x-open", None),
    "rack_left": ("x-open", None),
    "moved": ("diamond", theme.MOVED_IN),
    "grew": ("diamond-open", None),
    "found": ("triangle-up", theme.ATTENTION),
    "mended": ("triangle-down", theme.FINE),
    "plan": ("star", theme.FINE),
    "plan_ended": ("star-open", theme.ATTENTION),
}
_LARGE, _SMALL = 13, 9
#: Findings have a row of their own: a broker that leaves brings some in the same snapshot.
_LOW = {"found": 0.0, "mended": 0.0}
_SEVERITIES = ("broken", "attention", "note")
#: The part of the axis that the last moment takes at most.
_LAST = 0.03
#: Shorter stretches have the time of day above the day, and need room for it.
_SHORT = np.timedelta64(3, "D")
#: Up to so many, ticks stand at whole numbers only.
_SINGLE = 5


def figure(
    shown: Series,
    marks: Sequence[Event],
    names: Mapping[datetime, str],
    *,
    selected: int | None,
    ends: tuple[datetime, datetime] | None,
) -> go.Figure:
    """Draw it.

    Args:
        shown: the moments.
        marks: what happened.
        names: the identity of the snapshot taken at each moment, which a click tells.
        selected: the place of the moment that is looked at, or None.
        ends: the two moments that are compared, A and B; None where there is but one.
    """
    import plotly.graph_objects as go

    look = theme.look()
    made = go.Figure()
    moments = shown.moments
    times = _times(moments["taken_at"])
    widths = _widths(times, shown.step)
    x, at = _steps(times, shown.gaps, widths)

    def line(name: str, panel: int, colour: str, *, fill: bool = False, factor: float = 1.0) -> None:
        values = np.append(_numbers(moments[name]) * factor, np.nan)[at]  # the last place is for -1, within a gap
        if fill:  # by itself: Plotly fills from one side of a gap to the other, as if it knew what lies between
            made.add_scatter(
                x=x,
                y=np.nan_to_num(values),
                mode="none",
                fill="tozeroy",
                fillcolor=theme.faded(colour),
                yaxis=f"y{panel + 2}",
                hoverinfo="skip",
            )
        made.add_scatter(
            x=x,
            y=values,
            mode="lines",
            line={"color": colour, "width": 1.6},
            yaxis=f"y{panel + 2}",
            hoverinfo="skip",
        )

    line("under_replicated", 0, theme.ATTENTION, fill=True)
    line("offline", 0, theme.BROKEN, fill=True)
    for severity, colour in zip(_SEVERITIES, (theme.BROKEN, theme.ATTENTION, look.bar), strict=True):
        made.add_bar(
            x=times,
            y=_numbers(moments[f"findings_{severity}"]),
            width=widths,
            offset=0,
            marker={"color": colour, "line": {"width": 0}},
            yaxis="y3",
            hoverinfo="skip",
        )
    spreads = [("replica_variation", look.bar), ("leader_variation", theme.LEADER), ("byte_variation", look.text)]
    for name, colour in spreads:
        line(name, 2, colour, factor=100)
    sized = bool(moments["size_bytes"].notna().any())
    line("size_bytes" if sized else "replicas", 3, look.bar, fill=True)
    _click_layer(made, shown, times, widths)
    _tell(made, moments)
    _marks(made, marks, names)

    def part(words: str, name: str, colour: str) -> tuple[str, str]:
        return words, colour if moments[name].notna().any() else ""

    titles = (
        _title(
            "Partitions",
            part("offline", "offline", theme.BROKEN),
            part("under-replicated", "under_replicated", theme.ATTENTION),
        ),
        _title("Findings", ("critical", theme.BROKEN), ("warning", theme.ATTENTION), ("info", look.bar)),
        _title(
            "Imbalance, %",
            part("replicas", "replica_variation", look.bar),
            part("leaders", "leader_variation", theme.LEADER),
            part("bytes", "byte_variation", look.text),
        ),
        _title("Size of all replicas" if sized else "Replicas"),
    )
    _layout(
        made,
        times,
        shown.step,
        titles,
        top=_most(moments["size_bytes"]) if sized else 0,
        counted={
            "yaxis2": max(_most(moments["offline"]), _most(moments["under_replicated"])),
            "yaxis3": float(
                np.sum([_numbers(moments[f"findings_{one}"]) for one in _SEVERITIES], axis=0).max(initial=0)
            ),
        },
    )
    _lines(made, times, selected, ends)
    return made


def hover_words(row: Mapping[Hashable, Any]) -> str:
    """What one moment is, in lines."""
    lines = [f"{row['taken_at']:%a} {clock(row['taken_at'])}"]
    if row["held"] > 1:
        lines[0] = f"{lines[0]}: the worst of {row['held']:,} snapshots"
    lines.append(f"{_told(row['offline'])} offline, {_told(row['under_replicated'])} under-replicated")
    lines.append(
        f"findings: {_told(row['findings_broken'])} critical, {_told(row['findings_attention'])} warning, "
        f"{_told(row['findings_note'])} info"
    )
    lines.append(f"replica spread {_told(row['replica_spread'])}, {_told(row['replicas'])} replicas")
    down = row["brokers_down"]
    if isinstance(down, int | float | np.number) and down > 0:
        lines.append(f"{_told(down)} of {_told(row['brokers'])} brokers down")
    return "<br>".join(lines)


def _told(value: object) -> str:
    return f"{value:,.0f}" if isinstance(value, int | float | np.number) else "unknown"


def _title(name: str, *parts: tuple[str, str]) -> str:
    """A panel's name and its lines, each by its colour; those without one are unknown, and said once for all."""
    unknown = ", ".join(part for part, colour in parts if not colour)
    told = [f"<span style='color:{colour}'>■</span> {part}" for part, colour in parts if colour]
    if unknown and not told:
        return f"{name}: unknown"
    return "  ".join([name, *told, *([f"{unknown}: unknown"] if unknown else [])])


def _tell(made: go.Figure, moments: pd.DataFrame) -> None:
    """What is drawn, for who saves it: a row a snapshot."""
    columns = ["offline", "under_replicated", *(f"findings_{one}" for one in _SEVERITIES), "replicas", "size_bytes"]
    columns += ["replica_variation", "leader_variation", "byte_variation"]
    told = {
        name: [
            cell if known else None for cell, known in zip(moments[name].tolist(), moments[name].notna(), strict=True)
        ]
        for name in columns
    }
    plots.tell(made, {"taken_at": [f"{at:%Y-%m-%dT%H:%M:%SZ}" for at in moments["taken_at"]], **told}, "measures")


def _times(moments: pd.Series[pd.Timestamp]) -> npt.NDArray[np.datetime64]:
    """(n,) without a zone, as UTC: Plotly shows times as they stand."""
    made: npt.NDArray[np.datetime64] = moments.dt.tz_localize(None).to_numpy("datetime64[ms]")
    return made


def _numbers(column: pd.Series[Any]) -> FloatArray:
    made = column.astype("Float64").to_numpy(np.float64, na_value=np.nan)
    return np.asarray(made, np.float64)


def _most(column: pd.Series[Any]) -> float:
    return float(np.nanmax(_numbers(column), initial=0))


def _steps(
    times: npt.NDArray[np.datetime64], gaps: BoolArray, widths: FloatArray
) -> tuple[npt.NDArray[np.datetime64], Longs]:
    """Where each moment begins and ends, and which one that is; -1 at both sides of a gap.

    A moment holds until the next one, or for its width where a gap or nothing comes after it: so that also one whose
    neighbours tell nothing is seen.
    """
    after = np.append(gaps[1:], True)
    ends: npt.NDArray[np.datetime64] = np.where(
        after, times + widths.astype("timedelta64[ms]"), np.append(times[1:], times[-1:])
    )
    x, at = np.stack([times, ends], 1).ravel(), np.repeat(np.arange(len(times)), 2)
    places = np.flatnonzero(gaps)
    sides = np.stack([ends[places - 1], times[places]], 1).ravel()
    before = np.repeat(2 * places, 2)
    return np.insert(x, before, sides), np.insert(at, before, -1)


def _widths(times: npt.NDArray[np.datetime64], step: float) -> FloatArray:
    """(n,) ms that each moment takes: up to the next one, but not over a gap; the last one a little."""
    pauses: FloatArray = np.diff(times).astype(np.float64)
    last = min(step * 1000, _LAST * float(pauses.sum())) if len(pauses) else step * 1000
    widths: FloatArray = np.minimum(np.append(pauses, last), step * 2000)
    return widths


def _click_layer(made: go.Figure, shown: Series, times: npt.NDArray[np.datetime64], widths: FloatArray) -> None:
    """One invisible bar a moment over all panels: wherever one points or clicks, it is that moment."""
    made.add_bar(
        x=times,
        y=np.ones(len(times)),
        width=widths,
        offset=0,
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        customdata=[[row["snapshot_id"], hover_words(row)] for row in shown.moments.to_dict("records")],
        hovertemplate="%{customdata[1]}<extra></extra>",
        yaxis="y6",
    )


def _marks(made: go.Figure, marks: Sequence[Event], names: Mapping[datetime, str]) -> None:
    look = theme.look()
    for event in marks:
        if event.kind == "moved" and event.until > event.at:
            made.add_scatter(
                x=[_plain(event.at), _plain(event.until)],
                y=[0.4, 0.4],
                mode="lines",
                line={"color": theme.MOVED_IN, "width": 4},
                hoverinfo="skip",
            )
    words = [
        f"{event.at:%a} {clock(event.at)}" + _until(event) + f"<br>{text.label(event.sentence, 160)}" for event in marks
    ]
    made.add_scatter(
        x=[_plain(event.at) for event in marks],
        y=[1.0 if event.kind.startswith("plan") else _LOW.get(event.kind, 0.4) for event in marks],
        mode="markers",
        marker={
            "symbol": [_SIGNS[event.kind][0] for event in marks],
            "color": [_SIGNS[event.kind][1] or look.quiet for event in marks],
            "size": [_LARGE if event.kind == "plan" or event.kind.startswith("rack") else _SMALL for event in marks],
            "line": {
                "width": [2 if event.kind == "grew" else 1 for event in marks],
                "color": [look.quiet if event.kind == "grew" else look.background for event in marks],
            },
        },
        unselected={"marker": {"opacity": 1}},
        customdata=[[names.get(event.at, ""), told] for event, told in zip(marks, words, strict=True)],
        hovertemplate="%{customdata[1]}<extra></extra>",
        cliponaxis=False,
    )


def _until(event: Event) -> str:
    """How long it went on, with the day where that is another."""
    if event.until <= event.at:
        return ""
    return (
        f" to {event.until:%H:%M}"
        if event.until.date() == event.at.date()
        else f" to {event.until:%a} {clock(event.until)}"
    )


def _plain(moment: datetime) -> datetime:
    return moment.replace(tzinfo=None)


def _layout(
    made: go.Figure,
    times: npt.NDArray[np.datetime64],
    step: float,
    titles: Sequence[str],
    *,
    top: float,
    counted: Mapping[str, float],
) -> None:
    """Where the panels stand, their ticks and their titles; ``counted`` is the most in each panel of whole numbers."""
    from components.charts.plots import byte_ticks

    look = theme.look()
    made.update_layout(
        template=theme.template(),
        barmode="stack",
        bargap=0,
        hovermode="closest",
        margin={"l": 56, "r": 14, "t": 14, "b": 40 if times[-1] - times[0] < _SHORT else 26},
        hoverlabel={"namelength": 0},
    )
    pad = np.timedelta64(int(max(0.004 * (times[-1] - times[0]).astype(np.int64), 60_000)), "ms")
    end = times[-1] + np.timedelta64(int(_widths(times, step)[-1]), "ms")
    made.update_xaxes(
        type="date",
        range=[str(times[0] - pad), str(end + pad)],
        fixedrange=True,
        showspikes=False,
        tickformatstops=[
            {"dtickrange": [None, 43_200_000], "value": "%H:%M\n%a %d %b"},
            {"dtickrange": [43_200_000, 604_800_000], "value": "%a %d %b"},
            {"dtickrange": [604_800_000, "M1"], "value": "%d %b"},
            {"dtickrange": ["M1", None], "value": "%b %Y"},
        ],
        anchor="y5",
    )
    quiet = {"showgrid": False, "showticklabels": False, "fixedrange": True, "zeroline": False, "showline": False}
    axes: dict[str, object] = {"yaxis": quiet | {"domain": _MARKS, "range": [0, 1]}}
    for number, domain in enumerate(_PANELS, 2):
        axes[f"yaxis{number}"] = {
            "domain": domain,
            "rangemode": "tozero",
            "fixedrange": True,
            "nticks": 3,
            "anchor": "x",
            "tickformat": "~s" if number == 5 else "",
        }
    for name, most in counted.items():
        if most <= _SINGLE:
            axes[name] |= {"dtick": 1 if most <= 2 else 2, "tickformat": ",d", "range": [0, max(most, 1) * 1.08]}  # type: ignore[operator]
    ticks = byte_ticks(top, 2) if top > 0 else []
    if ticks:
        axes["yaxis5"] |= {"tickmode": "array", "tickvals": ticks, "ticktext": [text.size(t) for t in ticks]}  # type: ignore[operator]
    axes["yaxis6"] = quiet | {"domain": (0.0, _PANELS[0][1] + 0.05), "range": [0, 1], "anchor": "x"}
    made.update_layout(axes)
    for title, (_, high) in zip(titles, _PANELS, strict=True):
        made.add_annotation(
            text=title, x=0, xref="paper", xshift=8, y=high, yref="paper", yanchor="bottom", xanchor="left",
            showarrow=False, font={"size": 11.5, "color": look.quiet},
        )  # fmt: skip


def _lines(
    made: go.Figure, times: npt.NDArray[np.datetime64], selected: int | None, ends: tuple[datetime, datetime] | None
) -> None:
    """The moment that is looked at, and the two that are compared."""
    look = theme.look()
    verticals: list[tuple[object, str, str, str]] = [
        (_plain(moment), name, "dot", look.quiet) for moment, name in zip(ends or (), "AB", strict=ends is not None)
    ]
    if selected is not None:
        verticals.append((times[selected].astype(object), "", "solid", look.accent))
    for moment, name, dash, colour in verticals:
        made.add_shape(
            type="line",
            x0=moment,
            x1=moment,
            y0=0,
            y1=1,
            yref="paper",
            line={"color": colour, "width": 1.4, "dash": dash},
        )
        if name:
            made.add_annotation(
                text=f"<b>{name}</b>", x=moment, y=1, yref="paper", yanchor="bottom", showarrow=False,
                font={"size": 12, "color": look.text},
            )  # fmt: skip
