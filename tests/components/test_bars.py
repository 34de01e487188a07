"""Bars before and after: what stands at them can be read."""

from __future__ import annotations

import numpy as np

from components.charts.plots import before_after


def test_the_line_of_the_mean_passes_through_no_number() -> None:
    """A bar that ends just below the mean has its number above the line; the others have theirs at their ends."""
    before, after = np.array([90, 40, 130, 230]), np.array([97, 60, 150, 0])
    leaving = np.array([False, False, False, True])
    figure = before_after([f"broker {at}" for at in range(4)], before, after, "replicas", leaving=leaving, mean=102.0)
    numbers = next(trace for trace in figure.data if trace.type == "scatter")

    assert list(numbers.text) == ["+7", "+20", "+20"]
    assert list(numbers.y) == [102.0, 60.0, 150.0]
