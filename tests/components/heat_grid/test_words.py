"""The sentence above the heatmap, for single brokers, blocks of them, and differences."""

from __future__ import annotations

from typing import Any

from components.canvas.heat_grid.view import HeatView
from components.what_if.grid_data import drawn
from components.what_if.grid_panel import GridChoice
from components.what_if.grid_words import sentence
from reseat.balance.grid import axes_of, broker_order, column_order, grid_of
from reseat.model import Broker, ClusterLayout

LAYOUT = ClusterLayout.from_assignments(
    {("t", 0): [1, 2], ("t", 1): [1, 3], ("t", 2): [1, 2]}, brokers=[Broker(4, "z")]
)


def said(layout: ClusterLayout, show: str = "present", leaving: tuple[int, ...] = (), **most: Any) -> str:
    """The sentence about a layout's replicas by topic."""
    axes = axes_of(layout, broker_order(layout, "id"), column_order(layout), by_partition=False, **most)
    choice = GridChoice(HeatView(), axes, layout, None, show, "the plan", None, leaving)  # type: ignore[arg-type]
    return sentence(choice, grid_of(layout, axes))


def test_the_fullest_and_the_emptiest_broker_stand_against_the_mean() -> None:
    """Broker 1 holds three of six replicas on four brokers."""
    assert said(LAYOUT) == "Broker 1 has the most replicas: 3. The mean is 1.5; broker 4 has the fewest: 0."


def test_where_rows_hold_several_brokers_it_is_still_one_that_is_fullest() -> None:
    """Two rows of two brokers each: what is said is of single brokers, as with a row for each."""
    assert said(LAYOUT, most_rows=2) == said(LAYOUT)


def test_a_difference_of_several_brokers_is_said_of_them_together() -> None:
    """Broker 4 takes over from broker 1: the row of 1 and 2 has fewer, that of 3 and 4 more."""
    after = ClusterLayout.from_assignments(
        {("t", 0): [4, 2], ("t", 1): [4, 3], ("t", 2): [1, 2]}, brokers=[Broker(4, "z")]
    )
    axes = axes_of(LAYOUT, broker_order(LAYOUT, "id"), column_order(LAYOUT), by_partition=False, most_rows=2)
    place: Any = None
    choice = GridChoice(HeatView(), axes, LAYOUT, after, "difference", "the plan", place)

    assert sentence(choice, drawn(choice)[1]) == (
        "The 2 brokers 1 … 2 together have 2 replicas fewer after the plan, the 2 brokers 3 … 4 together have 2 "
        "replicas more."
    )


def test_a_broker_that_leaves_is_no_emptiest_one() -> None:
    """Afterwards broker 4 holds nothing on purpose."""
    assert said(LAYOUT, "after", (4,)).endswith("The mean is 2; broker 3 has the fewest: 1.")


def test_the_mean_that_is_drawn_is_the_mean_that_is_said() -> None:
    """The dashed line leaves out who leaves, as the sentence does."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT, "id"), column_order(LAYOUT), by_partition=False)
    place: Any = None
    data, _ = drawn(GridChoice(HeatView(), axes, LAYOUT, LAYOUT, "after", "the plan", place, (4,)))

    assert data["rowMean"] == 2.0


def test_one_replica_is_not_many() -> None:
    """A single broker with a single replica is said in the singular."""
    assert said(ClusterLayout.from_assignments({("t", 0): [1]})) == "The broker has 1 replica."


def test_a_zoomed_heatmap_says_that_its_numbers_are_of_a_part() -> None:
    """Two of four brokers, and all topics."""
    axes = axes_of(LAYOUT, broker_order(LAYOUT, "id")[:2], column_order(LAYOUT), by_partition=False)
    place: Any = None
    choice = GridChoice(HeatView(rows=(0, 2)), axes, LAYOUT, None, "present", "", place)

    assert sentence(choice, grid_of(LAYOUT, axes)) == (
        "Zoomed to all topics on 2 brokers: broker 1 has the most replicas: 3. The mean is 2.5; broker 2 has "
        "the fewest: 2."
    )
