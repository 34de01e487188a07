"""What a person's doing on the heatmap makes of the view; events come from a browser and are not trusted."""

from __future__ import annotations

import pytest

from components.canvas.heat_grid.view import NAMES, HeatView, apply_event, from_query, to_query
from reseat.balance.grid import Axes, axes_of, broker_order, column_order
from reseat.model import ClusterLayout

LAYOUT = ClusterLayout.from_assignments(
    {(topic, partition): [partition % 4, (partition + 1) % 4] for topic in "abcd" for partition in range(6)}
)


def axes(view: HeatView, **most: int) -> Axes:
    """The axes that a view of LAYOUT has."""
    topics = None if view.topic is None else [view.topic]
    brokers = broker_order(LAYOUT)
    columns = column_order(LAYOUT, "name", by_partition=view.by_partition, topics=topics)
    if view.rows:
        brokers = brokers[slice(*view.rows)]
    if view.columns:
        columns = columns[slice(*view.columns)]
    return axes_of(LAYOUT, brokers, columns, by_partition=view.by_partition, **most)


def test_a_drag_zooms_into_the_blocks_it_covers() -> None:
    """Zoom counts in blocks and keeps what was cut off before."""
    view = apply_event(
        HeatView(), {"kind": "zoom", "rows": [0, 1], "columns": [1, 2]}, axes(HeatView(), most_columns=2)
    )

    assert (view.rows, view.columns) == ((0, 1), (2, 4))

    deeper = apply_event(view, {"kind": "zoom", "rows": [0, 1], "columns": [1, 2]}, axes(view))

    assert (deeper.rows, deeper.columns) == ((0, 1), (3, 4))


def test_a_click_goes_from_topic_to_partitions_to_one_partition_and_back() -> None:
    """Opening a topic shows its partitions, opening a partition selects it, stepping out leads back."""
    topic = apply_event(HeatView(), {"kind": "open", "row": 0, "column": 2}, axes(HeatView()))

    assert (topic.topic, topic.by_partition) == ("c", True)

    partition = apply_event(topic, {"kind": "open", "row": 1, "column": 3}, axes(topic))

    assert partition.selected == ("c", 3)
    assert apply_event(partition, {"kind": "out"}, axes(partition)).topic is None


def test_a_click_on_a_block_shows_it_among_its_neighbours() -> None:
    """A block has no single topic to open, so the click comes nearer; brokers that are single already all stay."""
    layout = ClusterLayout.from_assignments({(f"t{number:03}", 0): [number % 4] for number in range(100)})
    blocks = axes_of(layout, broker_order(layout), column_order(layout, "name"), by_partition=False, most_columns=50)
    view = apply_event(HeatView(), {"kind": "open", "row": 0, "column": 20}, blocks)

    assert view.topic is None
    assert view.columns == (26, 56)
    assert view.rows == (0, 4)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"kind": "zoom"},
        {"kind": "zoom", "rows": [0, 99], "columns": [0, 1]},
        {"kind": "zoom", "rows": [1, 1], "columns": [0, 1]},
        {"kind": "zoom", "rows": "ab", "columns": [0, 1]},
        {"kind": "zoom", "rows": [0.5, 1], "columns": [0, 1]},
        {"kind": "open", "row": -1, "column": 0},
        {"kind": "open", "row": True, "column": 0},
        {"kind": "open", "row": 0, "column": 4},
        {"kind": "drop table"},
    ],
)
def test_an_event_that_fits_nothing_changes_nothing(event: dict[str, object]) -> None:
    """Whatever a browser sends, the view stays a view of this layout."""
    assert apply_event(HeatView(), event, axes(HeatView())) == HeatView()


@pytest.mark.parametrize(
    "view",
    [
        HeatView(rows=(1, 3), columns=(0, 2), topic_order="name", broker_order="id"),
        HeatView(by_partition=True, topic="a", columns=(2, 6)),
        HeatView(by_partition=True, rows=(0, 1)),
        HeatView(measure="behind", search="orders & co", broker_order="load"),
    ],
)
def test_the_address_keeps_the_part_shown(view: HeatView) -> None:
    """With the orders that positions count by, the measure and the search; what is so anyway needs no address."""
    assert from_query(to_query(view)) == view
    assert set(to_query(view)) <= set(NAMES)
    assert to_query(HeatView()) == {}


@pytest.mark.parametrize("rows", ["", "3", "3-", "5-2", "-1-4", "1-99999999999", "a-b", "\u0663-\u0664"])
def test_an_address_that_is_not_understood_shows_more(rows: str) -> None:
    """It comes from a person or a stranger."""
    told = {"heat_rows": rows, "heat_order": "upside,down", "heat_by": "x", "heat_measure": "beauty"}
    assert from_query(told) == HeatView()
