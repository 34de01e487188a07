"""What the browser is sent for a heatmap: small, exact, and only text."""

from __future__ import annotations

import base64
import logging
from dataclasses import replace

import numpy as np
import orjson
import pytest

from components.canvas.heat_grid.data import counts_data, states_data
from reseat.balance.directories import by_directory
from reseat.balance.grid import axes_of, broker_order, cell_states, column_order, grid_of
from reseat.model import Broker, ClusterLayout

LAYOUT = ClusterLayout.from_assignments(
    {("<b>orders</b>", 0): [1, 2], ("<b>orders</b>", 1): [2, 1]},
    brokers=[Broker(1, rack="a"), Broker(2, rack="b", host="h2"), Broker(3)],
    leaders={("<b>orders</b>", 0): 2, ("<b>orders</b>", 1): 2},
)


def test_cells_arrive_as_they_were_counted() -> None:
    """Values times unit are the counts; the rows carry broker, rack and host as words."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT), column_order(LAYOUT), by_partition=False)
    data = counts_data(grid_of(LAYOUT, axes), "replicas")
    cells = np.frombuffer(base64.b64decode(data["values"]), "<u2") * data["unit"]

    assert cells.tolist() == [2, 2, 0]
    assert data["rowWords"][:2] == ["Broker 1 in rack a", "Broker 2 in rack b, h2"]
    assert [group["label"] for group in data["rowGroups"]] == ["a", "b", "no rack"]


def test_outside_a_page_nothing_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """Who measures how long it takes asks for no page; it is drawn in light."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT), column_order(LAYOUT), by_partition=False)
    logging.getLogger("streamlit").addHandler(caplog.handler)
    counts_data(grid_of(LAYOUT, axes), "replicas")
    logging.getLogger("streamlit").removeHandler(caplog.handler)

    assert caplog.messages == []


def test_before_and_after_share_the_top_of_the_scale() -> None:
    """With a limit the scale does not depend on the grid's own largest cell; a difference is symmetric."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT), column_order(LAYOUT), by_partition=False)
    grid = grid_of(LAYOUT, axes)

    assert counts_data(grid, "replicas", limit=10)["top"] == 10
    assert counts_data(grid, "replicas", before=grid)["kind"] == "difference"
    assert not np.frombuffer(base64.b64decode(counts_data(grid, "replicas", before=grid)["values"]), "<i2").any()


def test_a_partitions_facts_stand_beside_its_states() -> None:
    """Hovering tells replicas, leader and preferred leader, and the list after a plan."""
    proposed = ClusterLayout.from_assignments(
        {("<b>orders</b>", 0): [1, 3], ("<b>orders</b>", 1): [2, 1]}, brokers=LAYOUT.brokers
    )
    axes = axes_of(LAYOUT, broker_order(LAYOUT), column_order(LAYOUT, by_partition=True), by_partition=True)
    data = states_data(cell_states(LAYOUT, axes, proposed), axes, proposed)

    assert data["columnFacts"][0] == "Replicas 1, 2\nLed by 2, preferred leader is 1\nAfter: 1, 3"
    assert "After" not in data["columnFacts"][1]


def test_the_largest_grid_is_under_a_megabyte() -> None:
    """1,000 brokers by 200,000 partitions are summed to what a screen holds before they are sent."""
    count = 200_000
    replicas = (np.arange(count)[:, None] * 7 + np.arange(3) * 13) % 1000
    layout = ClusterLayout.from_columns(
        topics=[f"topic-{i}" for i in range(2000)],
        topic_of=np.arange(count) // 100,
        partition=np.arange(count) % 100,
        replicas=replicas,
        brokers=[Broker(i, rack=f"rack-{i % 20}", host=f"broker-{i}.example") for i in range(1000)],
    )
    for by_partition in (False, True):
        columns = column_order(layout, by_partition=by_partition)
        axes = axes_of(layout, broker_order(layout), columns, by_partition=by_partition)
        data = counts_data(grid_of(layout, axes), "replicas")

        assert len(orjson.dumps(data)) < 1_000_000
        assert data["rows"] * data["columns"] <= 250 * 500


def test_a_directory_is_told_by_its_broker_and_the_end_of_its_path() -> None:
    """Whole in the words of the row; of a block of them the brokers alone; found by the broker."""
    layout = replace(
        ClusterLayout.from_assignments({("t", 0): [1, 2]}),
        log_dir=np.array([[0, 0]], np.int32),
        log_dirs=("/var/lib/kafka/data-1",),
    )
    placed = by_directory(layout)
    brokers, columns = broker_order(placed, "directory"), column_order(placed)
    one, block = (
        counts_data(
            grid_of(placed, axes_of(placed, brokers, columns, by_partition=False, by_directory=True, most_rows=most)),
            "replicas",
        )
        for most in (2, 1)
    )

    assert one["rowLabels"] == ["1:…b/kafka/data-1", "2:…b/kafka/data-1"]
    assert one["rowWords"] == ["1:/var/lib/kafka/data-1", "2:/var/lib/kafka/data-1"]
    assert one["brokers"] == ["1:/var/lib/kafka/data-1", "2:/var/lib/kafka/data-1"]
    assert block["rowLabels"] == ["1 … 2"]
