"""What part of a layout the heatmap shows, as a value; and what a person's doing makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from reseat.balance.grid import Axes, BrokerOrder, CellMeasure, TopicOrder

__all__ = ["NAMES", "HeatView", "apply_event", "from_query", "left_out", "to_query"]

#: Names of the address that keep the part shown.
NAMES = (
    "heat_measure", "heat_search", "heat_topic", "heat_rows", "heat_columns", "heat_by", "heat_order", "heat_open",
)  # fmt: skip

#: A click on a block shows at least so many brokers or columns.
_ENOUGH = 30


@dataclass(frozen=True, slots=True)
class HeatView:
    """What the heatmap shows.

    Attributes:
        measure: what a cell sums.
        by_partition: columns are partitions (else topics).
        topic: only this topic's partitions, or None for all.
        topic_order: order of the columns.
        broker_order: order of the rows.
        rows: half-open range of positions on the axis of brokers, or None for all.
        columns: half-open range of positions on the axis of columns, or None for all.
        selected: the partition opened, as (topic, partition), or None.
        search: part of the names of the topics shown; empty for all.
    """

    measure: CellMeasure = "replicas"
    by_partition: bool = False
    topic: str | None = None
    topic_order: TopicOrder = "size"
    broker_order: BrokerOrder = "rack"
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
    selected: tuple[str, int] | None = None
    search: str = ""

    @property
    def zoomed(self) -> bool:
        """Whether less than everything is shown."""
        return self.topic is not None or self.rows is not None or self.columns is not None


def to_query(view: HeatView) -> dict[str, str]:
    """What is shown as names of an address, with the orders that positions count by; nothing of what is so anyway."""
    usual = _said(HeatView())
    told = {name: value for name, value in _said(view).items() if value and value != usual[name]}
    return told | ({"heat_order": _said(view)["heat_order"]} if view.zoomed else {})


def left_out(query: Mapping[str, str], view: HeatView) -> list[str]:
    """What an address says and this view is not: it is not understood, or this layout does not have it."""
    said = _said(view) | {"heat_search": query.get("heat_search", "")}
    return [f"{name}={query[name]}" for name in NAMES if query.get(name) and query[name] != said[name]]


def _said(view: HeatView) -> dict[str, str]:
    return {
        "heat_measure": view.measure,
        "heat_search": view.search,
        "heat_topic": view.topic or "",
        "heat_rows": "" if view.rows is None else f"{view.rows[0]}-{view.rows[1]}",
        "heat_columns": "" if view.columns is None else f"{view.columns[0]}-{view.columns[1]}",
        "heat_by": "partition" if view.by_partition else "",
        "heat_open": "" if view.selected is None else "-".join(map(str, view.selected)),
        "heat_order": f"{view.topic_order},{view.broker_order}",
    }


def from_query(query: Mapping[str, str]) -> HeatView:
    """The part that an address names; what is not understood of it is left out, so that more is shown."""
    topic, _, partition = query.get("heat_open", "").rpartition("-")
    known = bool(topic) and partition.isascii() and partition.isdecimal() and len(partition) < 10
    topics, _, brokers = query.get("heat_order", "").partition(",")
    return HeatView(
        measure=next(
            (known for known in get_args(CellMeasure) if known == query.get("heat_measure")), HeatView().measure
        ),
        search=query.get("heat_search", ""),
        by_partition=query.get("heat_by") == "partition",
        topic=query.get("heat_topic") or None,
        topic_order=next((known for known in get_args(TopicOrder) if known == topics), HeatView().topic_order),
        broker_order=next((known for known in get_args(BrokerOrder) if known == brokers), HeatView().broker_order),
        rows=_positions(query.get("heat_rows", "")),
        columns=_positions(query.get("heat_columns", "")),
        selected=(topic, int(partition)) if known else None,
    )


def _positions(text: str) -> tuple[int, int] | None:
    first, _, last = text.partition("-")
    if not all(part.isascii() and part.isdigit() and len(part) < 9 for part in (first, last)):
        return None
    return (int(first), int(last)) if int(first) < int(last) else None


def apply_event(view: HeatView, event: Mapping[str, object], axes: Axes) -> HeatView:
    """What is shown after a person zoomed, opened a cell or stepped out; an event that fits nothing changes nothing.

    Args:
        view: what is shown now.
        event: ``{"kind": "zoom", "rows": [a, b], "columns": [a, b]}`` in cells of the grid, ``{"kind": "open", "row",
            "column"}`` or ``{"kind": "out"}``; it comes from a browser and is not trusted.
        axes: the axes of the grid that the event is about.
    """
    kind = event.get("kind")
    if kind == "out":
        return _out(view)
    if kind == "zoom":
        rows, columns = (
            _range(event.get("rows"), len(axes.row_spans)),
            _range(event.get("columns"), len(axes.column_spans)),
        )
        return view if rows is None or columns is None else _zoom(view, axes, rows, columns)
    if kind == "open":
        row, column = _index(event.get("row"), len(axes.row_spans)), _index(event.get("column"), len(axes.column_spans))
        return view if row is None or column is None else _open(view, axes, row, column)
    return view


def _out(view: HeatView) -> HeatView:
    if view.rows is not None or view.columns is not None:
        return replace(view, rows=None, columns=None)
    if view.topic is not None:
        return replace(view, topic=None, by_partition=False, selected=None)
    return view


def _zoom(view: HeatView, axes: Axes, rows: tuple[int, int], columns: tuple[int, int]) -> HeatView:
    first_row, first_column = (view.rows or (0, 0))[0], (view.columns or (0, 0))[0]
    return replace(
        view,
        rows=(first_row + axes.row_spans[rows[0]].start, first_row + axes.row_spans[rows[1] - 1].stop),
        columns=(
            first_column + axes.column_spans[columns[0]].start,
            first_column + axes.column_spans[columns[1] - 1].stop,
        ),
    )


def _open(view: HeatView, axes: Axes, row: int, column: int) -> HeatView:
    if len(axes.column_spans[column]) > 1 or len(axes.row_spans[row]) > 1:
        # Single brokers or columns are in sight already: only the side that is in blocks comes nearer.
        rows = _near(row, axes.row_spans) if len(axes.row_spans[row]) > 1 else (0, len(axes.row_spans))
        columns = (
            _near(column, axes.column_spans) if len(axes.column_spans[column]) > 1 else (0, len(axes.column_spans))
        )
        return _zoom(view, axes, rows, columns)
    at = int(axes.columns[axes.column_spans[column].start])
    if not axes.by_partition:
        return replace(view, by_partition=True, topic=axes.base.topics[at], columns=None, selected=None)
    name = axes.base.topics[int(axes.base.topic_of[at])]
    return replace(view, selected=(name, int(axes.base.partition[at])))


def _near(block: int, spans: Sequence[range]) -> tuple[int, int]:
    """The blocks around one that together hold enough to be worth a screen, it alone where it holds that."""
    wide = max(len(spans[block]), 1)
    beside = max(-(-(_ENOUGH - wide) // (2 * wide)), 0)
    return max(block - beside, 0), min(block + beside + 1, len(spans))


def _index(value: object, count: int) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count else None


def _range(value: object, count: int) -> tuple[int, int] | None:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return None
    first, last = value
    if not (isinstance(first, int) and isinstance(last, int) and 0 <= first < last <= count):
        return None
    return first, last
