"""The heatmap's controls, and what they choose: which layouts, which axes, which data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import streamlit as st

from components.canvas.heat_grid.view import NAMES, HeatView, apply_event, from_query, left_out, to_query
from components.look import text
from components.state import addresses, caching, fields, session, slots
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from components.what_if.what_if import Shown
from reseat.balance.directories import by_directory
from reseat.balance.grid import (
    Axes,
    BrokerOrder,
    CellMeasure,
    TopicOrder,
    axes_of,
    broker_order,
    column_order,
)
from reseat.election import once_done
from reseat.model import ClusterLayout, Longs
from reseat.model.search import Search

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = [
    "MEASURES",
    "GridChoice",
    "axes_for",
    "choose",
    "hear",
    "measures_of",
    "say_left_out",
    "trail",
    "within",
]

#: Cells of single partitions up to here; above, neighbours share a block.
_MOST_ROWS = 250
_MOST_COLUMNS = 500
_KEPT: Slot[tuple[tuple[str, ...], HeatView]] = Slot("heatmap", addressed=True)
_PRESENT, _AFTER = "Current state", "After the plan"
_DIFFERENCE, _OTHER = "Change (after − before)", "Difference from another layout"

#: What a cell can sum, as it is called.
MEASURES: dict[str, CellMeasure] = {
    "Replicas": "replicas",
    "Leaders": "leaders",
    "Preferred leaders": "preferred leaders",
    "Bytes": "bytes",
    "Out of sync": "behind",
}
_TOPIC_ORDERS: dict[str, TopicOrder] = {"largest first": "size", "by name": "name", "least balanced first": "imbalance"}
_BROKER_ORDERS: dict[str, BrokerOrder] = {"by rack": "rack", "by id": "id", "fullest first": "load"}
_DIRECTORIES: dict[str, BrokerOrder] = {"log directories": "directory"}


@dataclass(frozen=True, eq=False)
class GridChoice:
    """What is shown.

    Attributes:
        view: the part of it.
        axes: the axes of the grid.
        before: the layout looked at.
        after: the layout once the plan is done or the other layout compared with, or None.
        show: "present", "after" or "difference".
        title: "the plan", or the name of the other layout; empty where there is none.
        place: the row of the page where ``trail`` goes.
        leaving: ids of brokers that hold nothing on purpose in what is shown: neither the mean nor the emptiest.
    """

    view: HeatView
    axes: Axes
    before: ClusterLayout
    after: ClusterLayout | None
    show: str
    title: str
    place: DeltaGenerator
    leaving: tuple[int, ...] = ()

    @property
    def counted(self) -> list[int]:
        """The rows that count: all but those of brokers that leave, or all where nobody else is shown."""
        stay, spans = set(self.counted_brokers), self.axes.row_spans
        return [row for row, span in enumerate(spans) if not stay.isdisjoint(span)]

    @property
    def counted_brokers(self) -> list[int]:
        """The same of the brokers: their places in ``axes.brokers``."""
        brokers = self.axes.brokers.tolist()
        return [place for place, broker in enumerate(brokers) if broker not in self.leaving] or [*range(len(brokers))]


def choose(open_layout: OpenLayout, shown: Shown) -> GridChoice:
    """Draw the controls and say what they choose.

    Args:
        open_layout: what the person looks at.
        shown: the layout that the strip's switch chooses, and the plan of the what-if.
    """
    controls = st.container(key="heat-controls")
    first, second, third, fourth, fifth = controls.columns([1.9, 1.4, 1.5, 1.3, 1.9], vertical_alignment="bottom")
    kept_signature, zoom = _KEPT.get(((), HeatView()))
    linked = not kept_signature  # the first look of a session is at what the address names
    if linked:
        zoom = from_query(st.query_params.to_dict())
    columns = first.segmented_control(
        "Columns",
        ["Topics", "Partitions"],
        default="Partitions" if zoom.by_partition and zoom.topic is None else "Topics",
        required=True,
        key=slots.field("heat-columns"),
        disabled=len(open_layout.layout.rows_of_topic(zoom.topic or "")) > 0,
    )
    measures = measures_of(open_layout.layout)
    told = next((at for at, name in enumerate(measures) if MEASURES[name] == zoom.measure), 0)
    measure = second.selectbox("Measure", measures, told, key=slots.field("heat-measure"))
    topic_order = third.selectbox(
        "Sort columns",
        list(_TOPIC_ORDERS),
        _place(_TOPIC_ORDERS, zoom.topic_order),
        key=slots.field("heat-topic-order"),
    )
    orders = _BROKER_ORDERS | (_DIRECTORIES if open_layout.layout.log_dir is not None else {})
    rows = fourth.selectbox(
        "Sort brokers",
        list(orders),
        _place(orders, zoom.broker_order),
        key=slots.field("heat-broker-order"),
    )
    search = fifth.text_input(
        "Filter topics", zoom.search, placeholder="part of a name", key=slots.field("heat-search")
    ).strip()
    place = st.container(
        horizontal=True, horizontal_alignment="left", vertical_alignment="center", border=False, key="heat-trail"
    )
    with place:
        if orders[rows] == "directory":  # of a plan's new replicas nobody knows where they will lie
            base, after, show, title = (
                by_directory(open_layout.layout, open_layout.reading.log_dirs),
                None,
                "present",
                "",
            )
        else:
            base, after, show, title = _compared(open_layout, shown)
    asked = HeatView(
        measure=MEASURES[measure],
        by_partition=columns == "Partitions",
        topic_order=_TOPIC_ORDERS[topic_order],
        broker_order=orders[rows],
        search=search,
    )
    signature = (base.digest, columns, topic_order, rows, search)
    view = asked
    if linked or kept_signature == signature:
        view = replace(asked, topic=zoom.topic, rows=zoom.rows, columns=zoom.columns, selected=zoom.selected)
        view = within(base, view) if linked else view
        view = replace(view, by_partition=view.by_partition or view.topic is not None)
    _KEPT.set((signature, view))
    say_left_out(view)
    _publish(view)
    leaving = open_layout.wish.remove if show == "after" else ()
    return GridChoice(view, axes_for(base, view, search), base, after, show, title, place, leaving)


def _place(orders: Mapping[str, str], order: str) -> int:
    return list(orders.values()).index(order) if order in orders.values() else 0


def within(base: ClusterLayout, view: HeatView) -> HeatView:
    """The part as far as this layout has it: a link may have been made on another reading."""
    if view.topic is not None and not len(base.rows_of_topic(view.topic)):
        return replace(view, topic=None, rows=None, columns=None)
    whole = replace(view, rows=None, columns=None, by_partition=view.by_partition or view.topic is not None)
    axes = axes_for(base, whole, view.search)
    rows = view.rows if view.rows is not None and view.rows[1] <= len(axes.brokers) else None
    columns = view.columns if view.columns is not None and view.columns[1] <= len(axes.columns) else None
    selected = view.selected if view.selected is None or base.row(*view.selected) is not None else None
    return replace(view, rows=rows, columns=columns, selected=selected)


def say_left_out(view: HeatView, *fielded: str) -> None:
    """Say what of the address is not shown, as one comes by it, but for the names that fields of their own tell."""
    if addresses.comes():
        query = st.query_params.to_dict()
        fields.leave_out(left_out({name: said for name, said in query.items() if name not in fielded}, view))


def _publish(view: HeatView) -> None:
    """Let the address name the part shown, so that a link opens the same."""
    told = to_query(view)
    for name in NAMES:
        addresses.tell(name, told.get(name, ""))


def hear(choice: GridChoice, token: object, event: Mapping[str, object]) -> None:
    """Zoom in or out, or open a partition, as a person did on the very grid that this is told of."""
    if event.get("token") == token:
        _keep(choice, apply_event(choice.view, event, choice.axes))


def _keep(choice: GridChoice, view: HeatView) -> None:
    """Show another part from the next rerun on."""
    signature, _ = _KEPT.get(((), HeatView()))
    _KEPT.set((signature, view))


def trail(choice: GridChoice) -> None:
    """Where one is, and the way back out."""
    view, axes = choice.view, choice.axes
    kind = "partition" if view.by_partition else "topic"
    where = [f"{text.counted(len(axes.brokers), *axes.row_kind)} by {text.counted(len(axes.columns), kind)}"]
    if view.topic is not None:
        where.append(f"of {text.code(view.topic)}")
    if not axes.single:
        across = -(-len(axes.columns) // max(len(axes.column_spans), 1))
        down = -(-len(axes.brokers) // max(len(axes.row_spans), 1))
        where.append(f"· each cell = {text.counted(across, kind)} × {text.counted(down, *axes.row_kind)}; drag to zoom")
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
                on_click=_keep,
                args=(choice, out),
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
        told.append("Out of sync")
    return told


def _compared(open_layout: OpenLayout, shown: Shown) -> tuple[ClusterLayout, ClusterLayout | None, str, str]:
    """The layout at the sides, the one after it or beside it, what of the two is shown, and the other's name."""
    plan = shown.plan
    done = None if plan is None else caching.kept(once_done, caching.AFTER)(plan)
    others = [name for name in session.layouts() if name != open_layout.name]
    itself = _AFTER if shown.after else _PRESENT
    choices = [itself, *([] if plan is None else [_DIFFERENCE]), *([_OTHER] if others else [])]
    chosen = itself
    if len(choices) > 1:
        chosen = fields.segments(
            "Show",
            choices,
            name="heat_show",
            key=f"heat-show-{shown.after}",
            says={itself: "itself", _DIFFERENCE: "difference", _OTHER: "other"},
            label_visibility="collapsed",
            width="content",
        )
    if chosen == _OTHER:
        name = fields.select(
            "Other layout",
            others,
            name="heat_other",
            key="heat-other",
            format_func=text.visible,
            width=240,
            label_visibility="collapsed",
        )
        base = done if done is not None and shown.after else open_layout.layout
        return base, session.layouts()[name].layout, "difference", text.visible(name, 60)
    if plan is None:
        return open_layout.layout, None, "present", ""
    show = {_PRESENT: "present", _AFTER: "after"}.get(chosen, "difference")
    # A plan starts from where a reassignment under way will end; the present is still what is there now.
    base = open_layout.layout if show == "present" and open_layout.layout.under_way.any() else plan.current
    return base, done, show, "the plan"


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
    elif (found := Search.of(search)).words:
        topics = [name for name, hit in zip(base.topics, found.within(base.topics), strict=True) if hit]
    columns = column_order(base, view.topic_order, by_partition=view.by_partition, topics=topics)
    return axes_of(
        base,
        _part(brokers, view.rows),
        _part(columns, view.columns),
        by_partition=view.by_partition,
        by_directory=view.broker_order == "directory",
        most_rows=_MOST_ROWS,
        most_columns=_MOST_COLUMNS,
    )


def _part(values: Longs, part: tuple[int, int] | None) -> Longs:
    return values if part is None else values[part[0] : part[1]]
