"""The fleet's main figure: what each cluster's weakest broker and weakest rack would do, the worst cluster first."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from components.charts import plots
from components.clusters.fleet_words import already_broken, harms, whole
from components.look import text, theme
from components.shell import frame
from reseat.model import FloatArray, Longs

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

__all__ = ["MOST_DRAWN", "draw_weakest", "weakest_figure"]

#: Clusters in the figure; the table has all.
MOST_DRAWN = 60
HEIGHT = 300
#: Up to so many clusters, each has its name below, in so many characters together.
_NAMED, _LETTERS = 16, 150
#: Room for so many is kept where there are fewer, so that a bar stays a bar.
_LEAST_PLACES = 8
_PANELS = (("broker", "weakest broker"), ("rack", "weakest rack"))
#: Column, colour, Plotly pattern and place beside the middle of what a loss does.
_HARMS = (("offline", theme.BROKEN, "", -0.36), ("below", theme.ATTENTION, "/", 0.02))
#: The same in words, with the sign that stands before them over the figure.
_SIGNS = (("■", theme.BROKEN, "partitions offline"), ("▨", theme.ATTENTION, "partitions below min ISR"))
_BAR = 0.34
_HOW = (
    "Each column is a cluster, worst first; click one to open it. Upper bars: its weakest broker fails. Lower bars: "
    "its weakest rack fails. Plain: partitions that go offline because no in-sync replica remains. Hatched: partitions "
    "that reject acks=all because fewer than min.insync.replicas remain. The axis is logarithmic: each step is ten "
    "times as many. ✔ tolerates any such loss; ✖ no loss adds to it, but partitions are already offline or below min "
    f"ISR; ? not analysed yet, or unknown. Up to {MOST_DRAWN} clusters are drawn; the table has all."
)


def draw_weakest(clusters: pd.DataFrame, key: str, on_click: Callable[[], None]) -> None:
    """Draw it for the worst clusters.

    Args:
        clusters: in the order of the figure.
        key: its name on the page.
        on_click: called when a cluster is clicked; ``widgets.clicked`` tells its place.
    """
    drawn = clusters.head(MOST_DRAWN)
    plots.draw(
        weakest_figure(drawn, len(clusters)),
        key,
        f"Effect of losing the weakest broker, and the weakest rack, of {text.counted(len(drawn), 'cluster')}",
        height=HEIGHT,
        on_click=on_click,
    )
    frame.how_to_read(_HOW)


def weakest_figure(clusters: pd.DataFrame, total: int = 0) -> go.Figure:
    """Two rows of bars, a cluster beside the other: partitions offline, and partitions below min ISR.

    Args:
        clusters: those to draw, in their order.
        total: how many clusters there are; where these are more, the figure says so.
    """
    from plotly.subplots import make_subplots

    look = theme.look()
    figure = make_subplots(rows=2, cols=1, shared_xaxes=True, vertical_spacing=0.09)
    place, named = np.arange(len(clusters)), len(clusters) <= _NAMED
    names = [text.label(name, 60) for name in clusters["cluster"]]
    for at, (kind, title) in enumerate(_PANELS, 1):
        top = _top(clusters, kind)
        told = [f"{name}, {text.label(does, 160)}" for name, does in zip(names, harms(clusters, kind), strict=True)]
        # The whole column answers to hover and click, also where nothing stands in it.
        figure.add_bar(
            x=place, y=np.full(len(place), top), width=1, marker={"color": "rgba(0,0,0,0)", "line": {"width": 0}},
            customdata=told, hovertemplate="%{customdata}<extra></extra>", row=at, col=1,
        )  # fmt: skip
        for measure, colour, pattern, offset in _HARMS:
            counts = whole(clusters[f"{kind}_{measure}"])
            figure.add_bar(
                x=place, y=_height(counts), width=_BAR, offset=offset, textposition="outside", cliponaxis=False,
                text=[f"{count:,}" if count else "" for count in counts.tolist()] if named else None,
                textfont={"size": 11, "color": look.text},
                marker={"color": colour, "line": {"width": 0}, "pattern": {
                    "shape": pattern, "bgcolor": colour, "fgcolor": look.background, "size": 6, "solidity": 0.3}},
                hoverinfo="skip", row=at, col=1,
            )  # fmt: skip
        _marks(figure, clusters, kind, at)
        values = [0, *(10**power for power in range(int(top) + 1))]
        figure.update_yaxes(
            range=[0, top], tickvals=_height(np.array(values)), ticktext=[f"{value:,}" for value in values],
            title={"text": title}, fixedrange=True, row=at, col=1,
        )  # fmt: skip
    letters = max(6, _LETTERS // max(_LEAST_PLACES, len(names)))
    counted = {
        f"{title}: {words}": whole(clusters[f"{kind}_{measure}"]).tolist()
        for kind, title in _PANELS
        for (measure, *_), (_, _, words) in zip(_HARMS, _SIGNS, strict=True)
    }
    plots.tell(figure, {"cluster": [text.visible(name) for name in clusters["cluster"]], **counted})
    figure.update_layout(template=theme.template(), barmode="overlay", margin={"l": 66, "r": 12, "t": 26, "b": 26})
    figure.add_annotation(
        text="    ".join(f"<span style='color:{colour}'>{sign}</span> {words}" for sign, colour, words in _SIGNS),
        x=0, y=1, xref="paper", yref="paper", xanchor="left", yanchor="bottom", yshift=6, showarrow=False,
        font={"size": 12, "color": look.text},
    )  # fmt: skip
    if total > len(clusters):
        figure.add_annotation(
            text=f"the {len(clusters):,} worst of {total:,} clusters", x=1, y=1, xref="paper", yref="paper",
            xanchor="right", yanchor="bottom", yshift=6, showarrow=False, font={"size": 12, "color": look.quiet},
        )  # fmt: skip
    figure.update_xaxes(fixedrange=True, showticklabels=False, range=[-0.6, max(len(names), _LEAST_PLACES) - 0.4])
    if named:
        short = [text.label(name, letters) for name in clusters["cluster"]]
        figure.update_xaxes(showticklabels=True, tickvals=place, ticktext=short, automargin=True, row=2, col=1)
        # Side by side where there is room; in a narrow window they lean, and do not lie over each other.
        figure.update_xaxes(autotickangles=[0, 30, 60, 90], row=2, col=1)
    return figure


def _height(counts: Longs) -> FloatArray:
    """Where a count stands: clusters differ by powers of ten, and one partition must show, as must none."""
    return np.asarray(np.log10(1.0 + counts))


def _top(clusters: pd.DataFrame, kind: str) -> float:
    most = max(int(whole(clusters[f"{kind}_{measure}"]).max(initial=0)) for measure, *_ in _HARMS)
    return max(1.2, 1.12 * float(_height(np.array(most))))


def _marks(figure: go.Figure, clusters: pd.DataFrame, kind: str, at: int) -> None:
    """A tick where any can go, a cross where all harm is done, a question mark where it is not told: never nothing."""
    look = theme.look()
    swept = clusters["swept"].to_numpy(bool) & clusters[f"weakest_{kind}"].notna().to_numpy()
    unhurt = swept & (whole(clusters[f"{kind}_offline"]) == 0) & (whole(clusters[f"{kind}_below"]) == 0)
    broken = np.array([bool(already) for already in already_broken(clusters)], np.bool_)
    told = clusters["under_replicated"].notna().to_numpy(bool)
    for where, mark, colour in (
        (unhurt & ~broken & told, "✔", theme.FINE),
        (unhurt & broken, "✖", theme.BROKEN),
        (~swept | (unhurt & ~broken & ~told), "?", look.quiet),
    ):
        place = np.flatnonzero(where)
        if not len(place):
            continue
        figure.add_scatter(
            x=place, y=np.full(len(place), 0.04), mode="text", text=[mark] * len(place), textposition="top center",
            textfont={"size": 13, "color": colour}, hoverinfo="skip", cliponaxis=False, row=at, col=1,
        )  # fmt: skip
