"""The heatmap's controls, and what they choose: which layouts, which axes, which data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from components import session, text
from components.heat_grid.data import counts_data, states_data
from components.heat_grid.view import HeatView
from components.session import Seat
from reseat.balance.grid import (
    Axes,
    BrokerOrder,
    Grid,
    Measure,
    TopicOrder,
    axes_of,
    broker_order,
    cell_states,
    column_order,
    grid_of,
)
from reseat.model import ClusterLayout, Plan

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["MEASURES", "Choice", "axes_for", "choose", "drawn", "keep", "measures_of", "trail"]

#: Cells of single partitions up to here; above, neighbours share a block.
_MOST_ROWS = 250
_MOST_COLUMNS = 500
_KEPT = "heatmap"
_OTHER = "Difference to another layout"

#: What a cell can sum, as it is called.
MEASURES: dict[str, Measure] = {
    "Replicas": "replicas",
    "Leaders": "leaders",
    "Preferred leaders": "preferred leaders",
    "Bytes": "bytes",
    "Behind the leader": "behind",
}
_TOPIC_ORDERS: dict[str, TopicOrder] = {"largest first": "size", "by name": "name", "most uneven first": "imbalance"}
_BROKER_ORDERS: dict[str, BrokerOrder] = {"by rack": "rack", "by id": "id", "fullest first": "load"}


@dataclass(frozen=True, eq=False)
class Choice:
    """What is shown.

    Attributes:
        view: the part of it.
        axes: the axes of the grid.
        before: the layout looked at.
        after: the plan's proposed layout or the other layout compared with, or None.
        show: "present", "after" or "difference".
        title: "the plan", or the name of the other layout; empty where there is none.
        place: the row of the page where ``trail`` goes.
    """

    view: HeatView
    axes: Axes
    before: ClusterLayout
    after: ClusterLayout | None
    show: str
    title: str
    place: DeltaGenerator


def choose(seat: Seat, plan: Plan | None) -> Choice:
    """Draw the controls and say what they choose.

    Args:
        seat: what the person looks at.
        plan: the plan of the what-if, or None where there is none.
    """
    first, second, third, fourth, fifth = st.columns([1.9, 1.4, 1.5, 1.3, 1.9], vertical_alignment="bottom")
    inside = session.kept(_KEPT, ((), HeatView()))[1].topic is not None
    columns = first.segmented_control(
        "Columns", ["Topics", "Partitions"], default="Topics", required=True, key="heat-columns", disabled=inside
    )
    measure = second.selectbox("Measure", measures_of(seat.layout), key="heat-measure")
    topic_order = third.selectbox("Columns in order", list(_TOPIC_ORDERS), key="heat-topic-order")
    rows = fourth.selectbox("Brokers in order", list(_BROKER_ORDERS), key="heat-broker-order")
    search = fifth.text_input("Topics with", placeholder="part of a name", key="heat-search").strip()
    place = st.container(
        horizontal=True, horizontal_alignment="left", vertical_alignment="center", border=False, key="heat-trail"
    )
    with place:
        after, show, title = _compared(seat, plan)
    under_way = plan is not None and bool(seat.layout.under_way.any())
    # A plan starts from where a reassignment under way will end; the present is still what is there now.
    base = seat.layout if plan is None or (show == "present" and under_way) else plan.current
    asked = HeatView(
        measure=MEASURES[measure],
        by_partition=columns == "Partitions",
        topic_order=_TOPIC_ORDERS[topic_order],
        broker_order=_BROKER_ORDERS[rows],
    )
    signature = (base.digest, columns, topic_order, rows, search)
    kept_signature, zoom = session.kept(_KEPT, ((), HeatView()))
    view = asked
    if kept_signature == signature:
        view = replace(asked, topic=zoom.topic, rows=zoom.rows, columns=zoom.columns, selected=zoom.selected)
        view = replace(view, by_partition=view.by_partition or view.topic is not None)
    session.keep(_KEPT, (signature, view))
    return Choice(view, axes_for(base, view, search), base, after, show, title, place)


def keep(choice: Choice, view: HeatView) -> None:
    """Show another part from the next rerun on."""
    signature, _ = session.kept(_KEPT, ((), HeatView()))
    session.keep(_KEPT, (signature, view))


def trail(choice: Choice) -> None:
    """Where one is, and the way back out."""
    view, axes = choice.view, choice.axes
    kind = "partition" if view.by_partition else "topic"
    where = [f"{text.plural(len(axes.brokers), 'broker')} by {text.plural(len(axes.columns), kind)}"]
    if view.topic is not None:
        where.append(f"of {text.code(view.topic)}")
    if not axes.single:
        across = -(-len(axes.columns) // max(len(axes.column_spans), 1))
        down = -(-len(axes.brokers) // max(len(axes.row_spans), 1))
        where.append(f"· a cell holds {text.plural(across, kind)} by {text.plural(down, 'broker')}; drag to see more")
    with choice.place:
        st.markdown(" ".join(where), width="content")
        if view.zoomed:
            out = replace(view, rows=None, columns=None)
            if view.rows is None and view.columns is None:
                out = replace(view, topic=None, by_partition=False, selected=None)
            st.button(
                "All topics" if view.topic is not None and out.topic is None else "Zoom out",
                icon=":material/zoom_out:",
                key="heat-out",
                on_click=keep,
                args=(choice, out),
            )


def drawn(choice: Choice) -> tuple[dict[str, object], Grid]:
    """The data for the browser, and the sums behind it: of the layout that is shown, or of the difference."""
    view, axes, after = choice.view, choice.axes, choice.after
    before_grid = grid_of(choice.before, axes, view.measure)
    if axes.single and axes.by_partition and choice.show != "after" and view.measure in ("replicas", "behind"):
        planned = after if choice.show == "difference" and _same_partitions(choice.before, after) else None
        if planned is not None:
            data = states_data(cell_states(choice.before, axes, planned), axes, planned)
            return data, _less(grid_of(planned, axes, view.measure), before_grid)
        if choice.show == "present":
            return states_data(cell_states(choice.before, axes, None), axes, None), before_grid
    if after is None:
        return counts_data(before_grid, view.measure, limit=_limit(before_grid, None)), before_grid
    after_grid = grid_of(after, axes, view.measure)
    if choice.show == "present":
        return counts_data(before_grid, view.measure, limit=_limit(before_grid, after_grid)), before_grid
    if choice.show == "difference":
        return counts_data(after_grid, view.measure, before=before_grid), _less(after_grid, before_grid)
    return counts_data(after_grid, view.measure, limit=_limit(after_grid, before_grid)), after_grid


def _less(grid: Grid, before: Grid) -> Grid:
    """What is more (or less) in a grid than before."""
    return Grid(
        grid.axes,
        grid.values - before.values,
        grid.row_sums - before.row_sums,
        grid.column_sums - before.column_sums,
        grid.left_out,
    )


def _limit(grid: Grid, other: Grid | None) -> float:
    """The same top of the scale before and after."""
    most = float(grid.values.max(initial=0))
    return most if other is None else max(most, float(other.values.max(initial=0)))


def _same_partitions(before: ClusterLayout, after: ClusterLayout | None) -> bool:
    return (
        after is not None
        and after.topics == before.topics
        and np.array_equal(after.topic_of, before.topic_of)
        and np.array_equal(after.partition, before.partition)
    )


def measures_of(layout: ClusterLayout) -> list[str]:
    """The measures that this layout tells."""
    told = ["Replicas"]
    if (layout.leader >= 0).any():
        told.append("Leaders")
    if layout.order_told.any():
        told.append("Preferred leaders")
    if layout.size_bytes is not None:
        told.append("Bytes")
    if layout.in_sync is not None:
        told.append("Behind the leader")
    return told


def _compared(seat: Seat, plan: Plan | None) -> tuple[ClusterLayout | None, str, str]:
    others = [name for name in session.layouts() if name != seat.name]
    choices = ["Present"]
    if plan is not None:
        choices += ["After the plan", "Difference the plan makes"]
    if others:
        choices.append(_OTHER)
    if len(choices) == 1:
        return None, "present", ""
    chosen = st.segmented_control(
        "Show",
        choices,
        default="Present",
        required=True,
        key="heat-show",
        label_visibility="collapsed",
        width="content",
    )
    if chosen == _OTHER:
        name = st.selectbox(
            "Other layout", others, format_func=text.visible, width=240, key="heat-other", label_visibility="collapsed"
        )
        return session.layouts()[name].layout, "difference", text.visible(name, 60)
    if plan is None:
        return None, "present", ""
    show = {"Present": "present", "After the plan": "after"}.get(chosen, "difference")
    return plan.proposed, show, "the plan"


def axes_for(base: ClusterLayout, view: HeatView, search: str = "") -> Axes:
    """The axes of what a view shows.

    Args:
        base: the layout whose brokers and topics stand at the sides.
        view: the part of it.
        search: only topics with this in their name; empty: all.
    """
    brokers = broker_order(base, view.broker_order)
    topics = None
    if view.topic is not None:
        topics = [view.topic]
    elif search:
        topics = [name for name in base.topics if search.lower() in name.lower()]
    columns = column_order(base, view.topic_order, by_partition=view.by_partition, topics=topics)
    return axes_of(
        base,
        _part(brokers, view.rows),
        _part(columns, view.columns),
        by_partition=view.by_partition,
        most_rows=_MOST_ROWS,
        most_columns=_MOST_COLUMNS,
    )


def _part(values: npt.NDArray[np.int64], part: tuple[int, int] | None) -> npt.NDArray[np.int64]:
    return values if part is None else values[part[0] : part[1]]
