"""The matrix of a placement: partitions as rows, brokers as columns, each replica a cell with its place in the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from components.charts import plots
from components.look import text, theme
from reseat.model import BoolArray, Longs
from reseat.model.naming import natural

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["HEIGHT", "MOST_ROWS", "column_order", "draw_matrix", "window"]

#: Pixels of the whole figure.
HEIGHT = 400
#: So many partitions are seen at once; the others come as one steps on.
MOST_ROWS = 14
#: Few rows and columns keep cells of a pleasant size: the room for so many is always there.
_LEAST_ROWS = 8
_LEAST_COLUMNS = 6
#: Up to so many columns, each says its rack, its sums, and its broker and cells their numbers.
_NAMED, _SUMMED, _NUMBERED = 14, 20, 40
#: Brokers that a list on the right spells out.
_SPELLED = 8
#: Pixels of the narrowest plot beside the panel, for the room that lists take.
_WIDTH = 560
_EMPTY, _FOLLOWER, _LEADER, _LATER, _LATER_LEADER = range(5)
#: Text on a follower's and on a leader's cell; both stand out in light and dark.
_ON_FOLLOWER, _ON_LEADER = "#14171c", "#ffffff"


@dataclass(frozen=True, eq=False)
class _Seen:
    """The part that is seen: W rows of R replicas over B columns.

    Attributes:
        lists: (W, R) broker ids.
        at: (W, R) their columns.
        number: (W, R) each replica's step.
        ids: W partition ids.
        columns: B broker ids.
        racks: each broker's rack, or None.
        step: the replica one looks at.
        order: broker ids in the order in which places count, or empty.
    """

    lists: npt.NDArray[np.integer]
    at: Longs
    number: Longs
    ids: range
    columns: Sequence[int]
    racks: Mapping[int, str | None]
    step: int
    order: Sequence[int]

    @property
    def now(self) -> tuple[int, int]:
        """Row and replica of the step."""
        row, replica = divmod(self.step - int(self.number[0, 0]), self.at.shape[1])
        return int(row), int(replica)


def window(row: int, rows: int) -> range:
    """The rows seen when one looks at a row: they move on by half a page, so that rows keep their place meanwhile."""
    if rows <= MOST_ROWS:
        return range(rows)
    half = MOST_ROWS // 2
    begin = min(max(0, (row // half) * half - half // 2), rows - MOST_ROWS)
    return range(begin, begin + MOST_ROWS)


def column_order(order: Sequence[int], racks: Mapping[int, str | None], *, grouped: bool) -> list[int]:
    """Broker ids as columns: as Kafka walks, or by rack and then id."""
    if not grouped:
        return list(order)
    return sorted(order, key=lambda broker: (racks[broker] is None, natural(racks[broker] or ""), broker))


def draw_matrix(
    replicas: npt.NDArray[np.integer],
    columns: Sequence[int],
    racks: Mapping[int, str | None],
    *,
    step: int,
    first_id: int = 0,
    order: Sequence[int] = (),
    passed: Sequence[int] = (),
    marked: BoolArray | None = None,
    alt: str,
    key: str,
) -> Mapping[str, Any]:
    """Draw the partitions around a step; what comes later is pale.

    Args:
        replicas: (P, R) broker ids.
        columns: broker ids from left to right.
        racks: each broker's rack, or None.
        step: the replica one looks at, counted through all partitions; all up to it are placed.
        first_id: id of the first row's partition.
        order: broker ids in the order in which the formulas count places; empty where they do not.
        passed: brokers that the present replica passed over.
        marked: (P, R) bool, cells to put a frame around, in place of the present replica.
        alt: the figure in a sentence.
        key: its name on the page.

    Returns:
        What was clicked, as Streamlit tells it.
    """
    import plotly.graph_objects as go
    import streamlit as st

    rows = window(step // replicas.shape[1], len(replicas))
    lists = replicas[rows.start : rows.stop]
    place = {broker: at for at, broker in enumerate(columns)}
    seen = _Seen(
        lists,
        np.array([[place[broker] for broker in row] for row in lists.tolist()]),
        np.arange(rows.start * lists.shape[1], rows.stop * lists.shape[1]).reshape(lists.shape),
        range(first_id + rows.start, first_id + rows.stop),
        columns,
        racks,
        step,
        order,
    )
    figure = go.Figure()
    _cells(figure, seen, [] if marked is not None else [place[broker] for broker in passed])
    _points(figure, seen)
    _frames(figure, seen, None if marked is None else marked[rows.start : rows.stop])
    _sides(figure, seen, plain=marked is not None)
    _heads(figure, seen)
    if len(columns) <= _SUMMED:
        _feet(figure, seen, replicas)
    ids = np.repeat(np.array(seen.ids), lists.shape[1]).tolist()
    positions = np.tile(np.arange(lists.shape[1]), len(lists)).tolist()
    plots.tell(
        figure, {"partition": ids, "position in the list": positions, "broker": lists.ravel().tolist()}, "replicas"
    )
    figure.update_layout(
        template=theme.template(), height=HEIGHT, margin={"l": 80, "r": 8, "t": 60 if order else 44, "b": 6}
    )
    return st.plotly_chart(
        figure,
        key=key,
        theme=None,
        height=HEIGHT,
        on_select="rerun",
        selection_mode="points",
        config={"displayModeBar": False, "scrollZoom": False, "doubleClick": False},
        alt=alt,
    )


def _cells(figure: go.Figure, seen: _Seen, passed: Sequence[int]) -> None:
    """The cells and a replica's place in its list, in a colour that stands out from its cell."""
    look, shape = theme.look(), (len(seen.at), len(seen.columns))
    kind, words = np.full(shape, _EMPTY, np.uint8), np.full(shape, "", object)
    rows, done = np.arange(shape[0]), seen.number <= seen.step
    for j in range(seen.at.shape[1]):
        now, later = (_LEADER, _LATER_LEADER) if j == 0 else (_FOLLOWER, _LATER)
        kind[rows, seen.at[:, j]] = np.where(done[:, j], now, later)
        words[rows, seen.at[:, j]] = "L" if j == 0 else str(j + 1)
    words[seen.now[0], list(passed)] = "×"
    pale = (mix(look.bar, look.faint), mix(theme.LEADER, look.faint))
    colours = (look.faint, look.bar, theme.LEADER, *pale)
    figure.add_heatmap(
        z=kind,
        colorscale=[edge for i, colour in enumerate(colours) for edge in ((i / 5, colour), ((i + 1) / 5, colour))],
        zmin=0,
        zmax=4,
        showscale=False,
        xgap=2 if shape[1] <= 60 else 0,
        ygap=2,
        hoverinfo="skip",
    )
    if shape[1] > _NUMBERED:
        return
    on = np.array([look.text, _ON_FOLLOWER, _ON_LEADER, look.text, look.text])
    at = np.nonzero(words != "")
    figure.add_scatter(
        x=at[1],
        y=at[0],
        mode="text",
        text=words[at],
        textfont={"size": 13, "color": on[kind[at]]},
        hoverinfo="skip",
    )


def mix(one: str, other: str, part: float = 0.28) -> str:
    """A colour between two, as ``#rrggbb`` each: ``part`` of the first, and the rest of the other."""
    pair = ([int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (one, other))
    return "#" + "".join(f"{round(part * a + (1 - part) * b):02x}" for a, b in zip(*pair, strict=True))


def _points(figure: go.Figure, seen: _Seen) -> None:
    """Marks that one cannot see, but can point at and click."""
    factor = seen.at.shape[1]
    custom = []
    for partition, row, numbers in zip(seen.ids, seen.lists.tolist(), seen.number.tolist(), strict=True):
        for j, broker in enumerate(row):
            what = "the preferred leader" if j == 0 else f"replica {j + 1} of {factor}"
            rack = seen.racks[broker]
            where = f"broker {broker}" + (f" in {text.label(rack, 40)}" if rack else "")
            custom.append([numbers[j], f"Partition {partition}: {what} is on {where}"])
    unseen = {"marker": {"opacity": 0}}
    figure.add_scatter(
        x=seen.at.reshape(-1),
        y=np.repeat(np.arange(len(seen.at)), factor),
        mode="markers",
        marker={"size": 22, "opacity": 0, "symbol": "square"},
        selected=unseen,
        unselected=unseen,
        customdata=custom,
        hovertemplate="%{customdata[1]}<extra></extra>",
    )


def _frames(figure: go.Figure, seen: _Seen, marked: BoolArray | None) -> None:
    """A frame around the present replica, or around each that is marked."""
    cells = [seen.now] if marked is None else list(zip(*np.nonzero(marked), strict=True))
    frame = {"type": "rect", "line": {"color": theme.look().text if marked is None else theme.ATTENTION, "width": 3}}
    at = [(int(seen.at[row, j]), row) for row, j in cells]
    frames = [frame | {"x0": x - 0.48, "x1": x + 0.48, "y0": row - 0.46, "y1": row + 0.46} for x, row in at]
    plots.annotate(figure, [], frames)


def _sides(figure: go.Figure, seen: _Seen, *, plain: bool) -> None:
    """Partition ids on the left, the lists on the right as far as they are placed."""
    look, (now, _) = theme.look(), seen.now
    bold = -1 if plain else now
    figure.update_yaxes(
        tickmode="array",
        tickvals=np.arange(len(seen.ids)),
        ticktext=[f"<b>▸ {number}</b>" if i == bold else str(number) for i, number in enumerate(seen.ids)],
        range=[max(len(seen.ids), _LEAST_ROWS) + 0.35, -0.6],
        showgrid=False,
        fixedrange=True,
    )
    placed = (seen.number <= seen.step).sum(axis=1).tolist()
    lists = [
        {
            "text": ", ".join(map(str, row[: min(count, _SPELLED)]))
            + (" …" if min(count, _SPELLED) < len(row) else ""),
            "x": len(seen.columns) - 0.35,
            "y": i,
            "xanchor": "left",
            "showarrow": False,
            "font": {"size": 13, "color": look.text if i == bold else look.quiet},
        }
        for i, (row, count) in enumerate(zip(seen.lists.tolist(), placed, strict=True))
        if count
    ]
    plots.annotate(figure, lists)


def _heads(figure: go.Figure, seen: _Seen) -> None:
    """Broker ids with their racks above the columns, and a strip in the racks' colours."""
    columns = seen.columns
    looks = theme.rack_looks(sorted({rack for rack in seen.racks.values() if rack}))
    heads, strips, named = [], [], len(columns) <= _NAMED
    for x, broker in enumerate(columns):
        rack = seen.racks[broker]
        place = f"<span style='font-size:11px'>{seen.order.index(broker)}</span><br>" if named and seen.order else ""
        heads.append(f"{place}<b>{broker}</b>" + (f"<br>{text.label(rack, 10)}" if rack and named else ""))
        if rack:
            edges = {"x0": x - 0.46, "x1": x + 0.46, "y0": 1.0, "y1": 1.014}
            strips.append({"type": "rect", "yref": "paper", "fillcolor": looks[rack][0], "line": {"width": 0}, **edges})
    plots.annotate(figure, [], strips)
    few = len(columns) <= _NUMBERED
    figure.update_xaxes(
        side="top",
        tickmode="array",
        tickvals=np.arange(len(columns)) if few else [],
        ticktext=heads if few else [],
        tickangle=0,
        ticks="outside",
        ticklen=7,
        tickcolor="rgba(0,0,0,0)",
        range=[-0.55, max(len(columns) / (1 - _room(seen)), len(columns) + 1, _LEAST_COLUMNS)],
        fixedrange=True,
        showline=False,
    )
    lines = ["place"] * bool(named and seen.order) + ["broker"] + ["rack"] * bool(named and looks)
    _beside(figure, "<br>".join(lines), y=1, yref="paper", yanchor="bottom", yshift=6, align="right")


def _room(seen: _Seen) -> float:
    """The part of the width that the lists on the right take, guessed from their longest."""
    longest = max(len(", ".join(map(str, row[:_SPELLED]))) for row in seen.lists.tolist())
    return min(0.5, (7.2 * longest + 24) / _WIDTH)


def _feet(figure: go.Figure, seen: _Seen, replicas: npt.NDArray[np.integer]) -> None:
    """What each broker leads and holds so far."""
    placed = replicas.reshape(-1)[: seen.step + 1]
    leads = replicas[: seen.step // replicas.shape[1] + 1, 0]
    words = [f"{int((leads == broker).sum())} · {int((placed == broker).sum())}" for broker in seen.columns]
    font = {"size": 12, "color": theme.look().text}
    foot = {"y": len(seen.ids) - 0.1, "yanchor": "middle", "showarrow": False, "font": font}
    plots.annotate(figure, [{"text": told, "x": x, **foot} for x, told in enumerate(words)])
    _beside(figure, "leads · holds", y=len(seen.ids) - 0.1, yanchor="middle")


def _beside(figure: go.Figure, words: str, **place: object) -> None:
    """What a row of numbers is, on its left."""
    font = {"size": 11, "color": theme.look().quiet}
    figure.add_annotation(
        text=words, x=0, xref="paper", xanchor="right", xshift=-9, showarrow=False, font=font, **place
    )
