"""Bars before and after: what stands at them can be read."""

from __future__ import annotations

import numpy as np

from components.charts.bars import arrivals, before_after, rack_strip
from reseat.model import Broker, ClusterLayout
from reseat.report.palette import BROKEN


def test_the_line_of_the_mean_passes_through_no_number() -> None:
    """A bar that ends just below the mean has its number above the line; the others have theirs at their ends."""
    before, after = np.array([90, 40, 130, 230]), np.array([97, 60, 150, 0])
    leaving = np.array([False, False, False, True])
    figure = before_after([f"broker {at}" for at in range(4)], before, after, "replicas", leaving=leaving, mean=102.0)
    numbers = next(trace for trace in figure.data if trace.type == "scatter")

    assert list(numbers.text) == ["+7", "+20", "+20"]
    assert list(numbers.y) == [102.0, 60.0, 150.0]


def test_a_hatched_bar_has_a_ground():
    """What failed of a run, what moves out of a broker: without a ground Plotly draws the hatching alone, in white."""
    figures = (
        arrivals(["broker 1"], np.array([[1, 0, 0, 0, 2]])),
        before_after(["broker 1"], np.array([3]), np.array([1]), "replicas", leaving=np.array([False]), mean=1.0),
    )
    hatched = [
        one.marker for figure in figures for one in figure.data if one.type == "bar" and one.marker.pattern.shape
    ]

    assert len(hatched) == 3
    assert [one.pattern.bgcolor for one in hatched] == [one.color for one in hatched]


def test_a_run_says_what_its_colours_are() -> None:
    """One who watches it at night need not unfold how to read it; a colour that no bar has is not named."""
    figure = arrivals(["broker 1", "broker 2"], np.array([[1, 0, 3, 0, 0], [0, 0, 2, 0, 0]]))

    assert figure.layout.showlegend
    assert [trace.name for trace in figure.data if trace.showlegend] == ["complete", "not sent"]


def test_what_a_cancel_reverted_has_not_the_colour_of_failures() -> None:
    """A person wanted it so: vermillion would say that something is wrong."""
    figure = arrivals(["broker 1"], np.array([[1, 0, 0, 2, 0]]))
    (reverted,) = [trace for trace in figure.data if trace.showlegend and trace.name == "reverted"]

    assert list(reverted.y) == [2]
    assert reverted.marker.color != BROKEN


def test_a_rack_whose_name_is_cut_says_all_of_it_to_whoever_points_at_it() -> None:
    """Eighteen characters of it stand below its brokers."""
    rack = "datacenter-frankfurt-row-17-rack-3"
    layout = ClusterLayout.from_assignments({("t", 0): [0, 1]}, brokers=[Broker(0, rack), Broker(1, rack)])
    order = np.arange(2)
    figure = before_after(["broker 0", "broker 1"], order, order, "replicas", leaving=order > 1, mean=1.0)
    rack_strip(figure, layout, order)
    (note,) = [one for one in figure.layout.annotations if one.hovertext]

    assert note.text == "datacente…17-rack-3"
    assert note.hovertext == rack


def test_names_of_racks_stand_beside_each_other() -> None:
    """A rack of one broker among six has room for a sixth of what fits below bars of half a page; ends stay."""
    layout = ClusterLayout.from_assignments(
        {("a", 0): list(range(6))}, brokers=[Broker(at, f"rack-with-a-long-name-{max(at - 3, 0)}") for at in range(6)]
    )
    figure = before_after(
        [str(at) for at in range(6)], np.ones(6), np.ones(6), "replicas", leaving=np.zeros(6, bool), mean=1.0
    )
    rack_strip(figure, layout, np.arange(6))
    names = [one.text for one in figure.layout.annotations if one.hovertext]

    assert [len(name) for name in names] == [19, 11, 11]
    assert len(set(names)) == 3
