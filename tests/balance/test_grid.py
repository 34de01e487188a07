"""The grid behind the heatmap: every replica in exactly one cell, at every level of detail."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reseat.balance.grid import CellState, axes_of, broker_order, cell_states, column_order, grid_of
from reseat.model import Broker, BrokerState, ClusterLayout

LAYOUT = ClusterLayout.from_assignments(
    {("a", 0): [1, 2], ("a", 1): [2, 1], ("b", 7): [3]},
    brokers=[Broker(1, rack="x"), Broker(2, rack="y"), Broker(3, rack="x", state=BrokerState.DEAD)],
    leaders={("a", 0): 1, ("a", 1): 1, ("b", 7): None},
    in_sync={("a", 0): [1], ("a", 1): [2, 1]},
    size_bytes={("a", 0): 10, ("a", 1): 5, ("b", 7): 1},
)


def sums(measure: str, *, by_partition: bool = False) -> list[list[float]]:
    """The grid of LAYOUT by rack and name, one cell a broker and column."""
    axes = axes_of(
        LAYOUT,
        broker_order(LAYOUT, "id"),
        column_order(LAYOUT, "name", by_partition=by_partition),
        by_partition=by_partition,
    )
    return grid_of(LAYOUT, axes, measure).values.tolist()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("replicas", [[2, 0], [2, 0], [0, 1]]),
        ("leaders", [[2, 0], [0, 0], [0, 0]]),
        ("preferred leaders", [[1, 0], [1, 0], [0, 1]]),
        ("bytes", [[15, 0], [15, 0], [0, 1]]),
        ("behind", [[0, 0], [1, 0], [0, 0]]),
    ],
)
def test_each_measure_is_summed_by_broker_and_topic(measure: str, expected: list[list[float]]) -> None:
    """A cell sums what the broker holds of the topic; what is not told (the ISR of b-7) counts nowhere."""
    assert sums(measure) == expected


def test_racks_and_names_stand_as_a_person_sorts_them() -> None:
    """rack-2 before rack-10 and topic t9 before t10, though Kafka's own order of racks is that of text."""
    layout = ClusterLayout.from_assignments(
        {("t10", 0): [1, 2, 3], ("t9", 0): [3]},
        brokers=[Broker(1, rack="rack-10"), Broker(2, rack="rack-2"), Broker(3), Broker(4, rack="rack-2")],
    )

    assert layout.racks == ("rack-10", "rack-2")
    assert broker_order(layout).tolist() == [2, 4, 1, 3]
    assert [layout.topics[at] for at in column_order(layout, "name")] == ["t9", "t10"]


def test_states_tell_leader_follower_behind_and_offline() -> None:
    """A single cell is a state: leader, in sync, behind, offline where there is no leader or the broker is dead."""
    axes = axes_of(
        LAYOUT, broker_order(LAYOUT, "id"), column_order(LAYOUT, "name", by_partition=True), by_partition=True
    )

    assert cell_states(LAYOUT, axes).tolist() == [
        [CellState.LEADER, CellState.LEADER, CellState.EMPTY],
        [CellState.BEHIND, CellState.IN_SYNC, CellState.EMPTY],
        [CellState.EMPTY, CellState.EMPTY, CellState.OFFLINE],
    ]


@pytest.mark.parametrize("state", [BrokerState.DEAD, BrokerState.FENCED])
def test_a_replica_on_a_broker_that_is_away_is_offline(state: BrokerState) -> None:
    """A broker of KRaft that crashed is fenced: it is not alive above the page, and its replicas are no followers."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): [1, 2]}, brokers=[Broker(1), Broker(2, state=state)], leaders={("a", 0): 1}
    )
    axes = axes_of(
        layout, broker_order(layout, "id"), column_order(layout, "name", by_partition=True), by_partition=True
    )

    assert cell_states(layout, axes).tolist() == [[CellState.LEADER], [CellState.OFFLINE]]


def test_states_show_what_a_plan_moves() -> None:
    """With a proposed layout, what only it has moves in and what only the present has moves out."""
    proposed = ClusterLayout.from_assignments(
        {("a", 0): [1, 3], ("a", 1): [2, 1], ("b", 7): [3]}, brokers=LAYOUT.brokers
    )
    axes = axes_of(
        LAYOUT, broker_order(LAYOUT, "id"), column_order(LAYOUT, "name", by_partition=True), by_partition=True
    )
    states = cell_states(LAYOUT, axes, proposed)

    assert states[1, 0] == CellState.MOVING_OUT
    assert states[2, 0] == CellState.MOVING_IN
    assert states[0, 0] == CellState.LEADER


def test_states_of_blocks_are_refused() -> None:
    """A block of several brokers has no single state, so asking for one is an error."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT), column_order(LAYOUT), by_partition=False)

    with pytest.raises(ValueError, match="single"):
        cell_states(LAYOUT, axes)


def test_orders_of_brokers_and_topics() -> None:
    """Brokers stand by rack, id or load; topics by size, name or how uneven they are."""
    assert broker_order(LAYOUT, "rack").tolist() == [1, 3, 2]
    assert broker_order(LAYOUT, "load").tolist() == [1, 2, 3]
    assert [LAYOUT.topics[i] for i in column_order(LAYOUT, "size")] == ["a", "b"]
    assert [LAYOUT.topics[i] for i in column_order(LAYOUT, "name", topics=["b"])] == ["b"]


def test_another_layout_on_the_same_axes_has_the_same_cells() -> None:
    """Cells follow broker ids and names, so a difference of two layouts lines up; what has no cell is counted."""
    other = ClusterLayout.from_assignments({("a", 1): [2, 9], ("b", 7): [3, 1], ("c", 0): [1]})
    for by_partition in (False, True):
        axes = axes_of(
            LAYOUT,
            broker_order(LAYOUT, "id"),
            column_order(LAYOUT, "name", by_partition=by_partition),
            by_partition=by_partition,
        )
        grid = grid_of(other, axes)

        assert grid.values[:, -1].tolist() == [1, 0, 1]
        assert grid.values[:, -2].tolist() == [0, 1, 0]
        assert grid.left_out == 2


@st.composite
def layouts(draw: st.DrawFn) -> ClusterLayout:
    """Layouts of up to 12 brokers and 30 partitions with gaps and mixed replication factors."""
    ids = draw(st.lists(st.integers(0, 40), min_size=1, max_size=12, unique=True))
    keys = draw(st.lists(st.tuples(st.sampled_from("abcde"), st.integers(0, 60)), min_size=1, max_size=30, unique=True))
    lists = st.lists(st.sampled_from(ids), min_size=1, max_size=min(4, len(ids)), unique=True)
    return ClusterLayout.from_assignments({key: draw(lists) for key in keys}, brokers=[Broker(i) for i in ids])


@given(layouts(), st.integers(1, 6), st.integers(1, 8), st.booleans())
def test_no_level_of_detail_loses_a_replica(layout: ClusterLayout, rows: int, columns: int, by_partition: bool) -> None:
    """Whatever the blocks, all replicas are in the grid, and the grid is no larger than asked for."""
    axes = axes_of(
        layout,
        broker_order(layout, "load"),
        column_order(layout, "imbalance", by_partition=by_partition),
        by_partition=by_partition,
        most_rows=rows,
        most_columns=columns,
    )
    grid = grid_of(layout, axes)

    assert grid.values.sum() == layout.replica_count
    assert grid.left_out == 0
    held = np.bincount(layout.replicas[layout.replicas != -1], minlength=len(layout.brokers))
    np.testing.assert_array_equal(grid.broker_sums, held[np.searchsorted(layout.broker_ids, axes.brokers)])
    assert grid.values.shape[0] <= rows
    assert grid.values.shape[1] <= columns
    assert np.array_equal(grid.row_sums, grid.values.sum(axis=1))
