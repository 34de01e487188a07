"""Bars of brokers or racks: against their mean, before and after, led and followed, and how far a plan is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from components.charts import plots
from components.look import text, theme
from reseat.model import BoolArray, ClusterLayout, Longs

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = [
    "Numbers",
    "arrivals",
    "before_after",
    "broker_names",
    "fill_columns",
    "led_and_followed",
    "mark_down",
    "rack_strip",
    "simple",
]

#: Heights of bars.
Numbers = npt.NDArray[np.integer] | npt.NDArray[np.floating]

#: Up to so many bars, each has its number as a tick.
_LABELLED = 40
#: Up to so high, every whole number has a tick.
_SINGLE = 5
#: What words at a bar's end take of the height of a chart, as a share of its highest bar.
_WORDS_HIGH = 0.12
#: Room for so many bars is kept where there are fewer.
_LEAST_BARS = 10
#: Between a broker and its rack in a bar's name.
_RACK = " in "
#: Up to so many racks, each is named under its brokers.
_NAMED_RACKS = 12
#: Letters of all racks' names beside each other under bars of half a page.
_RACK_LETTERS = 64


def broker_names(layout: ClusterLayout, order: Longs) -> list[str]:
    """What each bar of a broker is called when one points at it: its id and its rack."""
    brokers = [layout.brokers[place] for place in order.tolist()]
    return [f"broker {b.id}{_RACK}{b.rack}" if b.rack else f"broker {b.id}" for b in brokers]


def simple(
    names: Sequence[str], values: Numbers, unit: str, *, mean: float, colours: Sequence[str] | None = None
) -> go.Figure:
    """Bars against their mean, fullest and emptiest labelled.

    Args:
        names: what each bar is ("broker 7"), for hovering.
        values: (n,) their heights; NaN where not told.
        unit: what is counted, in the plural; ``bytes`` are written in their units.
        mean: where the dashed line goes.
        colours: (n,) of the bars, by default the neutral one.
    """
    look = theme.look()
    shown = [text.size(v) if unit == "bytes" else f"{v:,.0f} {unit}" for v in values.tolist()]
    away = [f"{100 * (v / mean - 1):+.0f}% of the mean" if mean and not math.isnan(v) else "" for v in values.tolist()]
    bar = {
        "type": "bar",
        "x": np.arange(len(values)),
        "y": values,
        "marker": {"color": list(colours) if colours is not None else look.bar, "line": {"width": 0}},
        "customdata": np.array([[text.label(n), s, a] for n, s, a in zip(names, shown, away, strict=True)], object),
        "hovertemplate": "%{customdata[0]}: %{customdata[1]}, %{customdata[2]}<extra></extra>",
    }
    return plots.figure([bar], _axes(names, unit, float(np.nanmax(values, initial=0))) | _mean_line(mean, unit))


def before_after(
    names: Sequence[str], before: Numbers, after: Numbers, unit: str, *, leaving: BoolArray, mean: float
) -> go.Figure:
    """What stays (neutral), comes (sky blue) and goes (purple, hatched) on each broker, with the mean afterwards.

    Args:
        names: what each bar is.
        before: (n,) counts now.
        after: (n,) counts with the plan.
        unit: what is counted, in the plural; ``bytes`` are written in their units.
        leaving: (n,) bool, who shall hold nothing afterwards.
        mean: where the dashed line goes: the mean afterwards, of those that stay.
    """
    look = theme.look()
    stays, comes, goes = np.minimum(before, after), np.maximum(after - before, 0), np.maximum(before - after, 0)
    bytes_ = unit == "bytes"
    changes = [_signed_size(v) if bytes_ else text.signed(v) for v in (after - before).tolist()]
    said = [text.size(v) if bytes_ else f"{v:,.0f}" for v in (*before.tolist(), *after.tolist())]
    custom = np.array(
        [
            [text.label(n), *row]
            for n, *row in zip(names, said[: len(before)], said[len(before) :], changes, strict=True)
        ],
        object,
    )
    counted = "" if bytes_ else f" {unit}"
    hover = f"%{{customdata[0]}}: %{{customdata[1]}} → %{{customdata[2]}}{counted} (%{{customdata[3]}})<extra></extra>"
    kinds = (
        ("stay", stays, look.bar, ""),
        ("moved in", comes, theme.MOVED_IN, ""),
        ("moved out", goes, theme.MOVED_OUT, "/"),
    )
    traces = _stacked(kinds, custom, hover)
    if len(before) <= _LABELLED:
        changed = np.flatnonzero((after != before) & ~leaving)
        ends = np.maximum(before, after)
        # Words stand above a bar, and above the line of the mean where it would pass through them.
        struck = (mean >= ends) & (mean < ends + _WORDS_HIGH * ends.max(initial=0))
        traces.append(
            {
                "type": "scatter",
                "x": changed,
                "y": np.where(struck, mean, ends)[changed],
                "mode": "text",
                "text": [changes[i] for i in changed.tolist()],
                "textposition": "top center",
                "textfont": {"size": 11, "color": look.text},
                "hoverinfo": "skip",
                "cliponaxis": False,
            }
        )
    axes = _axes(names, unit, float(np.maximum(before, after).max(initial=0)))
    return plots.figure(traces, axes | _mean_line(mean, unit) | {"barmode": "stack"})


def _signed_size(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{text.size(abs(value))}"


def mark_down(figure: go.Figure, down: BoolArray) -> None:
    """Cross the brokers that are down, (n,) bool, where bars have their numbers as ticks."""
    ticks = figure.layout.xaxis.ticktext or ()
    if len(ticks) == len(down):
        figure.update_xaxes(ticktext=[f"✖ {t}" if out else t for t, out in zip(ticks, down.tolist(), strict=True)])


def fill_columns(figure: go.Figure, names: Sequence[str], before: Numbers, after: Numbers, unit: str) -> None:
    """Make the empty part above each bar of ``before_after`` answer to hover and click, as its bar does.

    Args:
        figure: the figure.
        names: what each bar is.
        before: (n,) counts now.
        after: (n,) counts afterwards.
        unit: what is counted, in the plural.
    """
    high = np.maximum(before, after)
    top = 1.12 * float(high.max(initial=1))
    figure.add_bar(
        x=np.arange(len(high)),
        y=top - high,
        marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
        customdata=np.array([text.label(name) for name in names], object),
        text=[f"{b:,.0f} → {a:,.0f} {unit}" for b, a in zip(before.tolist(), after.tolist(), strict=True)],
        textposition="none",
        hovertemplate="%{customdata}: %{text}<extra></extra>",
    )
    figure.update_yaxes(range=[0, top])


def led_and_followed(names: Sequence[str], leads: Numbers, follows: Numbers) -> go.Figure:
    """What each broker gets: partitions it leads (blue, below) and partitions it follows, against the mean.

    Args:
        names: what each bar is.
        leads: (n,) partitions that prefer it as their leader.
        follows: (n,) its other replicas.
    """
    look = theme.look()
    custom = np.array(
        [
            [text.label(name), text.counted(a, "preferred leader"), f"{b:,}"]
            for name, a, b in zip(names, leads.tolist(), follows.tolist(), strict=True)
        ],
        object,
    )
    hover = "%{customdata[0]}: %{customdata[1]} and %{customdata[2]} other replicas<extra></extra>"
    kinds = (("preferred leaders", leads, theme.LEADER, ""), ("other replicas", follows, look.bar, ""))
    traces = _stacked(kinds, custom, hover)
    total = leads + follows
    mean = _mean_line(float(total.mean()) if len(total) else 0.0, "replicas")
    return plots.figure(traces, _axes(names, "replicas", float(total.max(initial=0))) | mean | {"barmode": "stack"})


def arrivals(names: Sequence[str], counts: Longs) -> go.Figure:
    """How far a plan is, broker by broker: replicas there, under way, not sent, reverted and failed (both hatched).

    Args:
        names: what each bar is.
        counts: (n, 5) replicas in these states.
    """
    look = theme.look()
    custom = np.array(
        [[text.label(n), *map("{:,}".format, row)] for n, row in zip(names, counts.tolist(), strict=True)]
    )
    hover = (
        "%{customdata[0]}: %{customdata[1]} complete, %{customdata[2]} in progress, %{customdata[3]} not sent, "
        "%{customdata[4]} reverted, %{customdata[5]} failed<extra></extra>"
    )
    there, moving, waiting, reverted, failed = counts.T
    kinds = (
        ("complete", there, theme.FINE, ""),
        ("in progress", moving, theme.MOVED_IN, ""),
        ("not sent", waiting, look.bar, ""),
        ("reverted", reverted, look.bar, "/"),
        ("failed", failed, theme.BROKEN, "/"),
    )
    traces = _stacked(kinds, custom, hover)
    for trace, (_, heights, *_) in zip(traces, kinds, strict=True):
        trace["showlegend"] = bool(heights.any())
    # A single receiver shall not be one block as wide as the page.
    axes = _axes(names, "replicas", float(counts.sum(axis=1).max(initial=0)), least=_LEAST_BARS)
    # The whole figure is drawn anew every few seconds: what one has zoomed or points at stays.
    legend = {
        "orientation": "h",
        "traceorder": "normal",
        "x": 0,
        "y": 1.02,
        "yanchor": "bottom",
        "itemclick": False,
        "itemdoubleclick": False,
    }
    return plots.figure(
        traces,
        axes
        | {"barmode": "stack", "uirevision": "run", "showlegend": True, "legend": legend}
        | {"margin": {"l": 48, "r": 8, "t": 28, "b": 34}},
    )


def _stacked(
    kinds: Iterable[tuple[str, Numbers, str, str]], custom: npt.NDArray[np.object_], hover: str
) -> list[dict[str, object]]:
    """Bars on each other: of each kind its name, heights, colour and hatching (none: "")."""
    look = theme.look()
    return [
        {
            "type": "bar",
            "name": kind,
            "x": np.arange(len(heights)),
            "y": heights,
            "marker": {
                "color": colour,
                "line": {"width": 0},
                # Without a colour of its own the ground of a hatched bar is not drawn.
                "pattern": {
                    "shape": hatched,
                    "bgcolor": colour,
                    "fgcolor": look.background,
                    "size": 6,
                    "solidity": 0.35,
                },
            },
            "customdata": custom,
            "hovertemplate": hover,
        }
        for kind, heights, colour, hatched in kinds
    ]


def _mean_line(mean: float, unit: str) -> dict[str, object]:
    """The part of a layout that marks the mean."""
    look = theme.look()
    shown = text.size(mean) if unit == "bytes" else text.number(mean, 0 if mean >= 100 or mean == int(mean) else 1)
    line = {
        "type": "line",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": mean,
        "y1": mean,
        "line": {"color": look.text, "width": 1, "dash": "dash"},
    }
    words = {
        "text": f"mean<br>{shown}",
        "x": 1,
        "xref": "paper",
        "y": mean,
        "xanchor": "left",
        "align": "left",
        "showarrow": False,
        "font": {"size": 11, "color": look.text},
    }
    return {"shapes": [line], "annotations": [words]}


def rack_strip(figure: go.Figure, layout: ClusterLayout, order: Longs) -> None:
    """Say under bars in ``broker_order`` which rack each is in: a line in its colour and its name."""
    if not layout.racks:
        return
    look, looks = theme.look(), theme.rack_looks(layout.racks)
    racks = layout.rack_of[order]
    starts = np.flatnonzero(np.diff(racks, prepend=-2))
    ends = np.append(starts[1:], len(racks))
    shapes, notes = [], []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        rack = layout.racks[racks[start]] if racks[start] >= 0 else None
        name = "no rack" if rack is None else rack
        shapes.append(
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": start - 0.45,
                "x1": end - 0.55,
                "y0": -0.035,
                "y1": -0.01,
                "fillcolor": look.faint if rack is None else looks[rack][0],
                "line": {"width": 0},
            }
        )
        if len(starts) <= _NAMED_RACKS:
            notes.append(
                {
                    "text": text.label(name, max(8, min(18, _RACK_LETTERS * (end - start) // len(order)))),
                    "hovertext": text.label(name, 200),
                    "x": (start + end - 1) / 2,
                    "y": 0,
                    "yref": "paper",
                    "yshift": -9 if len(order) > _LABELLED else -28,
                    "yanchor": "top",
                    "showarrow": False,
                    "font": {"size": 11, "color": look.quiet},
                }
            )
    plots.annotate(figure, notes, shapes)
    figure.layout.margin.b = 34 if len(order) > _LABELLED else 50
    figure.layout.xaxis.ticklen, figure.layout.xaxis.tickcolor = 9, "rgba(0,0,0,0)"


def _axes(names: Sequence[str], unit: str, most: float, *, least: int = 0) -> dict[str, object]:
    """The part of a layout that says what stands where: names below, numbers at the left.

    Args:
        names: what each bar is.
        unit: what is counted, in the plural; ``bytes`` are written in their units.
        most: the highest bar.
        least: room is kept for so many bars.
    """
    of = "broker" if any(name.startswith("broker ") for name in names) else "rack"
    few = len(names) <= _LABELLED
    x = {
        "tickmode": "array",
        "tickvals": np.arange(len(names)) if few else [],
        "ticktext": [text.label(name.partition(_RACK)[0].removeprefix("broker "), 14) for name in names] if few else [],
        "range": [-0.6, max(len(names), least) - 0.4],
        "fixedrange": True,
    }
    y: dict[str, object] = {"rangemode": "tozero", "fixedrange": True, "nticks": 5}
    if unit == "bytes":
        ticks = plots.byte_ticks(most)
        y |= {"tickmode": "array", "tickvals": ticks, "ticktext": [text.size(tick) for tick in ticks]}
    elif most <= _SINGLE:
        y |= {"tickformat": ",d", "dtick": 1}  # else a tick stands at a half, and is written as a whole
    else:
        y["tickformat"] = ",d"
    return {"xaxis": x, "yaxis": y, "meta": {"x": of, "y": unit}} | ({"bargap": 0} if len(names) > 120 else {})
