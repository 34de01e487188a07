"""A rebalance as a sequence diagram: members, coordinator and member leader, messages and listener calls in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from components.charts import plots
from components.look import text, theme
from reseat.consumers.walk import Event, View, events_of

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["draw_sequence"]

#: Lifelines of members that have room side by side.
_MOST_MEMBERS = 7
_ROW, _HEAD = 27, 56
_LETTERS = 150
#: Letters that have room beside each other above all lifelines, and in a line between them.
_HEADS, _LINE = 112, 160


def draw_sequence(view: View, *, cooperative: bool) -> int:
    """Draw the messages and calls of a rebalance; returns how many members were left out for want of room."""
    import plotly.graph_objects as go

    events, left_out = events_of(view, cooperative=cooperative, most_members=_MOST_MEMBERS)
    # The coordinator first, then the members.
    lanes = {"coordinator": 0.0} | {member: place + 1.0 for place, member in enumerate(view.members[:_MOST_MEMBERS])}
    figure = go.Figure()
    members = list(lanes)[1:]
    said = dict(zip(members, text.labels(members, min(22, _HEADS // len(lanes))), strict=True))
    notes = [_head(name, said.get(name, name), x, view) for name, x in lanes.items()]
    for row, event in enumerate(events):
        notes += _event(figure, event, row, lanes)
    line = {"type": "line", "y0": -0.5, "y1": len(events), "line": {"color": theme.look().line, "width": 2}}
    plots.annotate(figure, notes, [{**line, "x0": x, "x1": x} for x in lanes.values()])
    _hover(figure, events, lanes)
    figure.update_xaxes(visible=False, range=[-0.45, len(lanes) - 0.35], fixedrange=True)
    figure.update_yaxes(visible=False, range=[len(events) + 0.1, -2.6], fixedrange=True)
    figure.update_layout(template=theme.template(), margin={"l": 4, "r": 4, "t": 4, "b": 4})
    plots.tell(
        figure,
        {
            "from": [one.sender for one in events],
            "to": [one.receiver for one in events],
            "what": [one.name for one in events],
            "content": [one.content for one in events],
        },
        "messages",
    )
    words = text.counted(len(events), "message and listener call", "messages and listener calls")
    plots.draw(figure, "consumers-sequence", f"{words} in order", height=_HEAD + _ROW * (len(events) + 1))
    return left_out


def _head(name: str, said: str, x: float, view: View) -> Mapping[str, object]:
    look = theme.look()
    leads = view.round is not None and view.round.leader == name
    words = f"<b>{said}</b>" + ("<br>group leader" if leads else "")
    if name == "coordinator" and x == 0:
        words = "<b>coordinator</b><br>a broker"
    colour = look.quiet if name in view.gone else look.text
    font = {"size": 12, "color": colour}
    return {"text": words, "x": x, "y": -0.6, "yanchor": "bottom", "showarrow": False, "font": font}


def _event(figure: go.Figure, event: Event, row: int, lanes: dict[str, float]) -> list[Mapping[str, object]]:
    """What is written of one, and its arrow; a call's point comes into the figure."""
    look = theme.look()
    start, end = lanes[event.sender], lanes[event.receiver]
    written = {"showarrow": False, "font": {"size": 11, "color": look.text}, "bgcolor": look.background}
    if event.kind == "call":
        colour = {"onPartitionsRevoked": theme.MOVED_OUT, "onPartitionsLost": theme.BROKEN}.get(
            event.name, theme.MOVED_IN
        )
        figure.add_scatter(
            x=[start],
            y=[row],
            mode="markers",
            marker={"size": 10, "color": colour, "symbol": "square"},
            hoverinfo="skip",
        )
        words = f"{event.name}: {event.content}"
        room = len(lanes) - 0.65 - start  # to the right edge, in lifelines; the words take three tenths of the width
        side = "left" if start == 0 or room >= 0.3 * len(lanes) else "right"
        shift = 9 if side == "left" else -9
        return [{"text": _cut(words, 46), "x": start, "y": row, "xanchor": side, "xshift": shift, **written}]
    arrow = {
        "x": end, "y": row, "ax": start, "ay": row, "xref": "x", "yref": "y", "axref": "x", "ayref": "y", "text": "",
        "showarrow": True, "arrowhead": 2, "arrowsize": 1, "arrowwidth": 1.3, "arrowcolor": look.accent,
    }  # fmt: skip
    words = _cut(f"{event.name}: {event.content}", int(_LINE * abs(end - start) / len(lanes)) + 3)
    above = {"x": (start + end) / 2, "y": row, "yshift": 2, "yanchor": "bottom", "borderpad": 0}
    return [arrow, {"text": words, **above, **written}]


def _cut(words: str, room: int) -> str:
    """Words that fit; what they begin with counts, and the whole of them is there on pointing at it."""
    return text.label(words if len(words) <= room else f"{words[: room - 1]}…", room)


def _hover(figure: go.Figure, events: Sequence[Event], lanes: dict[str, float]) -> None:
    """Points that one cannot see, but can point at: the whole of what was cut."""
    if not events:
        return
    figure.add_scatter(
        x=[(lanes[event.sender] + lanes[event.receiver]) / 2 for event in events],
        y=list(range(len(events))),
        mode="markers",
        marker={"size": 18, "opacity": 0},
        customdata=[
            [text.label(event.sender, 60), event.name, text.label(event.content, _LETTERS)] for event in events
        ],
        hovertemplate="%{customdata[0]}: %{customdata[1]}<br>%{customdata[2]}<extra></extra>",
    )
