"""The points between least moves and perfect balance: what more moves would buy, and choosing one for the what-if."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from components.charts import plots
from components.look import text, theme
from components.shell import navigation
from components.state import caching, session, widgets
from components.state.open_layout import OpenLayout
from reseat.errors import WishRefused
from reseat.model import Curve, CurvePoint, Plan, Wish

if TYPE_CHECKING:
    import plotly.graph_objects as go

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator


__all__ = ["bargain", "draw_figure", "draw_next", "draw_points", "next_point", "with_point"]


def draw_points(open_layout: OpenLayout, plan: Plan) -> None:
    """What more moves would buy: choosing a point makes it a part of the what-if, on every page.

    Args:
        open_layout: the layout and the what-if.
        plan: the what-if's plan, at the point that is chosen now.
    """
    offered = _offered(open_layout, plan)
    if offered is None:
        return
    points, own = _points(open_layout, plan, offered)
    if len(points) < 2:
        _say(offered)
        return
    words, start = {point.number: _words(point) for point in points}, CurvePoint.of(plan).number
    # Chosen elsewhere (a chip, the figure, a link), another point is another widget: it begins with that one.
    key = f"point-{open_layout.digest}-{open_layout.wish}"
    row = st.container(horizontal=True, vertical_alignment="bottom", key="points")
    if not open_layout.wish.buys_balance:
        # Where balance is what it is for, fewer moves are worth having too, so one slides along the curve.
        row.select_slider(
            "Moves vs. balance",
            list(words),
            value=start,
            format_func=words.__getitem__,
            key=key,
            on_change=_take,
            args=(key, open_layout.wish, own),
            width=620,
        )
    else:
        row.segmented_control(
            "Moves vs. balance",
            list(words),
            default=start,
            required=True,
            format_func=words.__getitem__,
            key=key,
            on_change=_take,
            args=(key, open_layout.wish, own),
            width="content",
            help="The first is the plan with the fewest moves. Each further one is the best balanced plan found for "
            "that many moves.",
        )
    row.caption(bargain(points, start, own), width="content")
    _say(offered)


def draw_figure(open_layout: OpenLayout, plan: Plan) -> None:
    """The same points as a figure, whose points are clicked.

    Args:
        open_layout: the layout and the what-if.
        plan: the what-if's plan, at the point that is chosen now.
    """
    offered = _offered(open_layout, plan)
    points, own = ((), 0) if offered is None else _points(open_layout, plan, offered)
    if len(points) < 2:
        st.markdown(
            "There is one plan: no other number of moves is offered."
            if plan.changed.any()
            else "Nothing changes, so there is nothing to choose."
        )
        return
    key = f"curve-{open_layout.digest}-{open_layout.wish}"
    _draw_curve(points, CurvePoint.of(plan).number, key, partial(_take_clicked, key, open_layout.wish, own))


def _points(open_layout: OpenLayout, plan: Plan, offered: Curve) -> tuple[tuple[CurvePoint, ...], int]:
    """The points to choose from, and the moves of Reseat's own plan."""
    by_itself = (
        plan if open_layout.wish.point is None else caching.plan_for(open_layout.layout, open_layout.wish.at(None))
    )
    return with_point(with_point(offered.points, by_itself), plan), CurvePoint.of(by_itself).number


def _take_clicked(chart: str, wish: Wish, own: int) -> None:
    """Make the point that was clicked the what-if's."""
    names = widgets.clicked_names(chart)
    if names and names[0].isdecimal():
        session.set_wish(wish.at(None if int(names[0]) == own else int(names[0])))


def _take(key: str, wish: Wish, own: int) -> None:
    """Make the point that was chosen the what-if's; Reseat's own plan is the what-if without a point."""
    moves = widgets.held(key)
    if isinstance(moves, int):
        session.set_wish(wish.at(None if moves == own else moves))


def draw_next(open_layout: OpenLayout, plan: Plan, place: DeltaGenerator, *, most: int | None = None) -> None:
    """The next better balanced point of the curve, one click away, where the plan's own spread stands.

    Args:
        open_layout: the layout and the what-if.
        plan: the what-if's plan.
        place: below the figure of the spread.
        most: partitions above which nothing is looked for, and the way to Plan, which does, stands there; None: any.
    """
    if most is not None and open_layout.layout.partition_count > most:
        with place:
            navigation.link(navigation.PLAN, "Moves vs. balance")
        return
    with place:
        offered = _offered(open_layout, plan, "More moves …")
        point = None if offered is None else next_point(offered.points, plan)
        if point is None:
            return
        st.button(
            f"{point.measure} {point.spread} with {text.counted(point.number, point.unit)}",
            key="next-point",
            type="tertiary",
            icon=":material/trending_flat:",
            help=f"Take the plan with {text.counted(point.number - CurvePoint.of(plan).number, f'more {point.unit}')}, "
            "on every page",
            on_click=session.set_wish,
            args=(open_layout.wish.at(point.number),),
        )


def next_point(points: Sequence[CurvePoint], plan: Plan) -> CurvePoint | None:
    """The next point that costs more than the plan and has a smaller spread, or None."""
    own = CurvePoint.of(plan)
    return next((p for p in points if p.number > own.number and p.balance < own.balance), None)


def with_point(points: Sequence[CurvePoint], plan: Plan) -> tuple[CurvePoint, ...]:
    """The points with the plan's own among them: one that was wished for need not be one of those offered."""
    own = CurvePoint.of(plan)
    if any(point.number == own.number for point in points):
        return tuple(points)
    return tuple(sorted((*points, own), key=lambda point: point.number))


def bargain(points: Sequence[CurvePoint], moves: int, own: int) -> str:
    """What the chosen point costs and buys beside Reseat's own plan; beside that one, what the next would buy.

    Args:
        points: of the curve, ascending by moves.
        moves: of the chosen point, or what else it is chosen by.
        own: of Reseat's own plan.
    """
    spread = {point.number: point.spread for point in points}
    balance = {point.number: point.balance for point in points}
    one, what = points[0].unit, points[0].measure
    if moves > own:
        more = text.counted(moves - own, f"more {one}")
        brings = text.verb(moves - own, "changes", "change")
        return f"{more} {brings} the {what} from {spread[own]} to {spread[moves]}."
    if moves < own:
        less = text.counted(own - moves, f"{one} fewer", f"{one}s fewer")
        return f"{less}: the {what} is {spread[moves]} instead of {spread[own]}."
    further = [point for point in points if point.number > own and point.balance < balance[own]]
    if further:
        more = text.counted(further[0].number - own, f"more {one}")
        return f"{more} would change the {what} from {spread[own]} to {further[0].spread}."
    fewer = [point for point in points if point.number < own]
    if fewer:
        less = text.counted(own - fewer[-1].number, f"{one} fewer", f"{one}s fewer")
        return f"{less}: the {what} would be {fewer[-1].spread} instead of {spread[own]}."
    return "No alternative is better balanced."


def _offered(open_layout: OpenLayout, plan: Plan, words: str = "Comparing moves and balance …") -> Curve | None:
    """The curve of the what-if; None where its plan changes nothing or has none."""
    if not plan.changed.any() or plan.certificate.faults:
        return None
    from reseat.planning import whole_curve

    try:
        with st.spinner(words, show_time=True):
            return caching.kept(whole_curve)(open_layout.layout, open_layout.wish.at(None))
    except WishRefused:
        # The curve is an offer beside the plan: where there is none, the plan stands alone.
        return None


def _say(offered: Curve) -> None:
    """Which points are left out, and why."""
    for sentence in offered.sentences:
        st.caption(sentence)


def _words(point: CurvePoint) -> str:
    return f"{text.counted(point.number, point.unit)}, {point.measure} {point.spread}"


_HEIGHT = 260
#: So many steps of one have a tick each.
_FEW = 10


def _draw_curve(points: Sequence[CurvePoint], chosen: int, key: str, on_click: Callable[[], None]) -> None:
    """Draw the points against moves and, where sizes are told, against the data to copy.

    Args:
        points: by ascending moves.
        chosen: number of the plan that is looked at.
        key: the figure's name on the page.
        on_click: called when a point is clicked; the name of its mark is its number.
    """
    first, last, what = points[0], points[-1], points[0].measure.capitalize()
    alt = (
        f"{what} of {len(points)} plans: {first.spread} with {text.counted(first.number, first.unit)}, "
        f"{last.spread} with {last.number:,}."
    )
    plots.draw(_figure(points, chosen), key, alt, height=_HEIGHT, on_click=on_click)
    how = "Each point is a plan: click one to take it as the what-if. Lower is better balanced, left is cheaper."
    topic = (
        "" if first.topic_spread is None else " Topic spread: the largest spread of one topic's replicas over brokers."
    )
    st.caption(how + topic)


def _figure(points: Sequence[CurvePoint], chosen: int) -> go.Figure:
    from plotly.subplots import make_subplots

    look = theme.look()
    sizes = [point.bytes_to_move for point in points]
    told = [size for size in sizes if size is not None]
    what = "replica moves" if points[0].changed_leaders is None else "changed preferred leaders"
    axes: list[tuple[str, list[float | None]]] = [(what, [float(point.number) for point in points])]
    if told and max(told) > 0:
        axes.append(("data to copy", sizes))
    figure = make_subplots(1, len(axes), shared_yaxes=True, horizontal_spacing=0.04)
    spreads = [point.balance for point in points]
    words = [
        [
            str(point.number),
            text.counted(point.number, point.unit),
            point.amount,
            f"{point.measure} {point.spread}",
        ]
        for point in points
    ]
    for column, (name, places) in enumerate(axes, 1):
        figure.add_scatter(
            x=places,
            y=spreads,
            mode="lines+markers" if column == 1 else "markers",  # more moves may copy less
            line={"color": look.quiet, "width": 1},
            marker={
                "size": [15 if point.number == chosen else 10 for point in points],
                "color": [look.accent if point.number == chosen else look.bar for point in points],
                "symbol": ["diamond" if point.number == chosen else "circle" for point in points],
                "opacity": 1,
            },
            customdata=words,
            hovertemplate="%{customdata[1]}, %{customdata[2]}: %{customdata[3]}<extra></extra>",
            cliponaxis=False,
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            row=1,
            col=column,
        )
        figure.update_xaxes(title_text=name, fixedrange=True, row=1, col=column)
    if len(axes) > 1:
        ticks = sorted({min(told), max(told)})
        figure.update_xaxes(tickvals=ticks, ticktext=[text.size(tick) for tick in ticks], row=1, col=2)
    # A mark at 0 stands within the axes as a whole: what is beyond them hears no click.
    top = max(spreads) or 1
    figure.update_yaxes(fixedrange=True, range=[-0.08 * top, 1.08 * top])
    if points[-1].number - points[0].number < _FEW:
        figure.update_xaxes(dtick=1, row=1, col=1)
    if points[0].byte_spread is None and max(spreads) < _FEW:
        figure.update_yaxes(dtick=1)
    figure.update_yaxes(title_text=points[0].measure, row=1, col=1)
    if points[0].byte_spread is not None:
        ends = sorted({min(spreads), max(spreads)})
        figure.update_yaxes(tickvals=ends, ticktext=[text.size(end) for end in ends])
    figure.update_layout(template=theme.template(), showlegend=False, margin={"l": 60, "r": 30, "t": 16, "b": 44})
    plots.tell(
        figure,
        {f"{points[0].unit}s": [point.number for point in points], points[0].measure: spreads, "bytes to copy": sizes},
        "moves vs balance",
    )
    return figure
