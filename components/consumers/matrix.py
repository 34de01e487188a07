"""Who reads what, drawn: members by partitions, with what came, what went and what paused; large groups as counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from components.charts import plots
from components.look import text, theme
from reseat.consumers import Partition
from reseat.consumers.walk import View
from reseat.model import IntArray

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["MOST_COLUMNS", "MOST_MEMBERS", "draw_matrix", "surplus_words"]

#: Up to so many partitions and members each partition is a cell; beyond, a cell counts a topic's partitions.
MOST_COLUMNS, MOST_MEMBERS = 90, 14
#: Numbers of more columns touch each other: then every second one, or third, has its own.
_TICKS = 40
#: Lines of names that have room beside counts, and letters by which names are told apart.
_LINES, _WHOLE = 20, 250
#: Members and topics drawn as counts; more have no room.
_MOST_ROWS, _MOST_TOPICS = 1_000, 300
#: Letters that have room beside each other above all cells.
_LETTERS = 100
#: Cells of more rows or columns have no room for a line between them.
_APART = 100
#: Between two topics, in widths of a cell.
_GAP = 0.7
#: Pixels: a member's row, what is above the rows, the room of "Save" below them, and the least figure.
_ROW, _HEAD, _FOOT, _LEAST = 34, 66, 30, 216
_NOBODY = "nobody"


def draw_matrix(view: View) -> str:
    """Draw the main figure; returns what of the group has no room in it, as a sentence, or "" where all has."""
    topics = view.partitions
    detailed = sum(topics.values()) <= MOST_COLUMNS and len(view.members) <= MOST_MEMBERS
    figure, height = _cells(view, topics) if detailed else _counts(view, topics)
    readers = len(set(view.after.values()))
    plots.draw(
        figure,
        "consumers-matrix",
        f"{text.counted(readers, 'member')} with {text.counted(len(view.after), 'partition')} after this rebalance",
        height=height,
    )
    parts = ((len(view.members), _MOST_ROWS, "member"), (len(topics), _MOST_TOPICS, "topic"))
    some = [f"the first {most:,} of {text.counted(there, name)}" for there, most, name in parts if there > most]
    return f"Drawn: {' and '.join(some)}." if some and not detailed else ""


def _cells(view: View, topics: Mapping[str, int]) -> tuple[go.Figure, int]:
    import plotly.graph_objects as go

    look = theme.look()
    x, ticks, names = _columns(topics)
    unread = sorted(p for p in x if p not in view.after and p in view.before)
    rows = [*view.members, *([_NOBODY] if unread else [])]
    y = {member: row for row, member in enumerate(view.members)}
    figure = go.Figure()
    stays, came, went, paused = _kinds(view)
    every = [
        (p, m, word) for cells, word in ((stays, "stays"), (came, "assigned"), (went, "revoked")) for p, m in cells
    ]
    plots.tell(
        figure,
        {
            "topic": [topic for (topic, _), _, _ in every],
            "partition": [partition for (_, partition), _, _ in every],
            "member": ["" if member == _NOBODY else member for _, member, _ in every],
            "change": [word for _, _, word in every],
        },
        "assignment",
    )
    reads = view.transition.after.members
    open_to = [(p, m) for p in x for m in view.members if m in reads and p[0] in reads[m].topics]
    kinds = (
        _Kind(open_to, look.faint, "", "subscribes to it"),
        _Kind(stays, look.bar, "", "owns it as before"),
        _Kind(came, theme.MOVED_IN, "", "now owns it"),
        _Kind(went, theme.MOVED_OUT, "/", "no longer owns it"),
    )
    for kind in kinds:
        _bars(figure, kind, x, y, paused)
    free = _Kind([(p, _NOBODY) for p in unread], theme.ATTENTION, ".", "has no owner yet")
    _bars(figure, free, x, {_NOBODY: len(view.members)}, paused)
    marks = [(p, m, "‖") for p, m in stays if p in paused and p in x]
    marks += [(p, m, "+") for p, m in came if p in x] + [(p, m, "−") for p, m in went if p in x]
    figure.add_scatter(
        x=[x[p] for p, _, _ in marks],
        y=[y[m] for _, m, _ in marks],
        mode="text",
        text=[mark for *_, mark in marks],
        textfont={"size": 14, "color": theme.ON_EPOCH},
        hoverinfo="skip",
    )
    notes = _rows(figure, view, rows)
    above = {"y": 1, "yref": "paper", "yshift": 34, "showarrow": False, "font": {"size": 12, "color": look.text}}
    span = max(max(x.values(), default=0) + _GAP, 14)
    room = min(24, max(6, int(_LETTERS * min(topics.values(), default=0) / span)))
    said = text.labels([topic for _, topic in names], room)
    notes += [{"text": name, "x": middle, **above} for name, (middle, _) in zip(said, names, strict=True)]
    figure.update_xaxes(
        side="top",
        tickmode="array",
        tickvals=list(x.values())[:: 1 + len(x) // _TICKS],
        ticktext=ticks[:: 1 + len(x) // _TICKS],
        range=[-0.7, max(max(x.values(), default=0) + 0.7, 14)],
        fixedrange=True,
        showline=False,
        ticks="",
        tickangle=0,
    )
    figure.update_layout(
        template=theme.template(), barmode="overlay", bargap=0, margin={"l": 150, "r": 150, "t": 58, "b": _FOOT}
    )
    head = {
        "x": 1, "xref": "paper", "y": 1, "yref": "paper", "yshift": 10, "xanchor": "left", "showarrow": False,
        "font": {"size": 11, "color": look.quiet},
    }  # fmt: skip
    notes += [{"text": words, "xshift": shift, **head} for words, shift in (("owns", 12), ("surplus", 84))]
    plots.annotate(figure, notes)
    return figure, max(_LEAST, _HEAD + _ROW * len(rows) + _FOOT)


def _columns(topics: Mapping[str, int]) -> tuple[dict[Partition, float], list[str], list[tuple[float, str]]]:
    """Where each partition stands, what its tick says, and the middle of each topic."""
    x: dict[Partition, float] = {}
    names: list[tuple[float, str]] = []
    at = 0.0
    for topic, count in sorted(topics.items()):
        for partition in range(count):
            x[topic, partition] = at + partition
        names.append((at + (count - 1) / 2, topic))
        at += count + _GAP
    return x, [str(partition) for _, partition in x], names


_Cells = list[tuple[Partition, str]]


class _Kind(NamedTuple):
    """Cells that are drawn alike: which, in what colour and pattern, and what one reads on pointing at them."""

    cells: _Cells
    colour: str
    pattern: str
    words: str


def _kinds(view: View) -> tuple[_Cells, _Cells, _Cells, frozenset[Partition]]:
    """Cells that stay, came and went, by partition and member, and the partitions that paused."""
    stays = [(p, m) for p, m in view.after.items() if view.before.get(p) == m]
    came = [(p, m) for p, m in view.after.items() if view.before.get(p) != m]
    went = [(p, m) for p, m in view.before.items() if view.after.get(p) != m]
    return stays, came, went, view.paused


def _bars(
    figure: go.Figure,
    kind: _Kind,
    x: Mapping[Partition, float],
    y: Mapping[str, int],
    paused: frozenset[Partition],
) -> None:
    look = theme.look()
    cells = [(partition, member) for partition, member in kind.cells if partition in x]
    if not cells:
        return
    figure.add_bar(
        x=[x[partition] for partition, _ in cells],
        y=[0.8] * len(cells),
        base=[y[member] - 0.4 for _, member in cells],
        width=0.86,
        marker={
            "color": kind.colour,
            "line": {"width": 0},
            "pattern": {
                "shape": kind.pattern,
                "bgcolor": kind.colour,
                "fgcolor": look.background,
                "size": 6,
                "solidity": 0.3,
            },
        },
        customdata=[
            [
                text.label(f"{topic}-{partition}", 60),
                text.label(member, 60) if member != _NOBODY else "it",
                "; paused during the rebalance" if (topic, partition) in paused else "",
            ]
            for (topic, partition), member in cells
        ],
        hovertemplate=f"%{{customdata[0]}}: %{{customdata[1]}} {kind.words}%{{customdata[2]}}<extra></extra>",
    )


def _rows(
    figure: go.Figure,
    view: View,
    rows: Sequence[str],
) -> list[Mapping[str, object]]:
    """Members on the left; returns what is written on the right: what each has."""
    look, y = theme.look(), {member: row for row, member in enumerate(view.members)}
    beyond = view.surplus
    had, has = Counter(view.before.values()), Counter(view.after.values())
    leader = view.round.leader if view.round is not None else None
    ticks = []
    for member, name in zip(rows, text.labels(rows[: len(y)], 18) + ["nobody"] * (len(rows) - len(y)), strict=True):
        if member in view.gone or member not in y:
            ticks.append(f"<i>{name}</i>" + ("<br>left" if member in y else ""))
        else:
            ticks.append(f"<b>{name}</b>" + ("<br>group leader" if member == leader else ""))
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(rows))),
        ticktext=ticks,
        range=[len(rows) - 0.4, -0.6],
        showgrid=False,
        fixedrange=True,
        tickfont={"size": 13, "color": look.text},
        showline=False,
    )
    notes = []
    for member, row in y.items():
        if member in view.gone:
            continue
        change = has[member] - had[member]
        words = f"<b>{has[member]:,}</b>" + (f" ({text.signed(change)})" if change else "")
        notes.append(_beside(words, row, 12, {"size": 13, "color": look.text}))
        notes.append(_beside(surplus_words(beyond.get(member, 0.0)), row, 84, {"size": 12, "color": look.quiet}))
    return notes


def _beside(words: str, row: int, shift: int, font: Mapping[str, object]) -> Mapping[str, object]:
    """Words to the right of the cells, at the same place however many columns there are."""
    return {
        "text": words, "x": 1, "xref": "paper", "y": row, "xshift": shift, "showarrow": False, "font": font,
        "xanchor": "left", "yanchor": "middle",
    }  # fmt: skip


def surplus_words(value: float) -> str:
    """A surplus with its sign; an even share has none."""
    return "even" if abs(value) < 0.05 else f"{value:+.1f}".replace("-", "−")


def _counts(view: View, topics: Mapping[str, int]) -> tuple[go.Figure, int]:
    """Members by topics, a cell counting what a member reads of a topic."""
    import plotly.graph_objects as go

    members = list(view.members)[:_MOST_ROWS]
    names = sorted(topics)[:_MOST_TOPICS]
    row, column = {m: i for i, m in enumerate(members)}, {t: i for i, t in enumerate(names)}
    z = np.zeros((len(members), len(names)), np.int32)
    at = [(row[m], column[topic]) for (topic, _), m in view.after.items() if m in row and topic in column]
    if at:
        where = np.array(at)
        np.add.at(z, (where[:, 0], where[:, 1]), 1)
    figure = go.Figure(
        go.Heatmap(
            z=z,
            # By their whole names: rows and columns of one name would lie over each other.
            x=[text.label(name, _WHOLE) for name in names],
            y=[text.label(member, _WHOLE) for member in members],
            # From nothing on: of counts that are all alike each had the colour in the middle.
            zmin=0,
            zmax=max(1, int(z.max(initial=0))),
            xgap=int(len(names) <= _APART),
            ygap=int(len(members) <= _APART),
            colorscale=theme.SEQUENCE,
            reversescale=not theme.is_dark(),  # what counts is far from the ground
            hovertemplate="%{y} owns %{z} of %{x}<extra></extra>",
            colorbar=_scale(z),
        )
    )
    figure.update_xaxes(_named(names, 18, _TICKS), side="top", automargin=True)
    figure.update_yaxes(_named(members, 20, _LINES), autorange="reversed", showgrid=False)
    figure.update_layout(template=theme.template(), margin={"l": 150, "r": 8, "t": 46, "b": _FOOT})
    return figure, 360


def _named(names: Sequence[str], letters: int, most: int) -> Mapping[str, object]:
    """An axis of names, each as far as it has room; of too many every second one is told, or third."""
    told = names[:: 1 + (len(names) - 1) // most]
    ticks = {
        "tickvals": [text.label(name, _WHOLE) for name in told],
        "ticktext": text.labels(told, letters),
    }
    return {"type": "category", "fixedrange": True, "tickmode": "array", **ticks}


def _scale(z: IntArray) -> Mapping[str, object]:
    """Whole numbers beside their colours, above the button that saves the figure."""
    step = max(1, -(-int(z.max(initial=0)) // 5))
    place = {"len": 0.85, "y": 1, "yanchor": "top"}
    return {"thickness": 10, "title": {"text": "owned"}, "tick0": 0, "dtick": step, **place}
