"""The data of the heatmap for the browser: sums or states of what the controls choose, before, after and between."""

from __future__ import annotations

import numpy as np

from components.canvas.heat_grid.data import counts_data, states_data
from components.what_if.grid_panel import GridChoice
from reseat.balance.grid import Grid, cell_states, grid_of
from reseat.model import ClusterLayout

__all__ = ["drawn"]


def drawn(choice: GridChoice) -> tuple[dict[str, object], Grid]:
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
        return counts_data(
            before_grid, view.measure, limit=_limit(before_grid, after_grid), beside=after_grid
        ), before_grid
    if choice.show == "difference":
        return counts_data(after_grid, view.measure, before=before_grid), _less(after_grid, before_grid)
    limit = _limit(after_grid, before_grid)
    data = counts_data(after_grid, view.measure, limit=limit, beside=before_grid, counted=choice.counted)
    return data, after_grid


def _less(grid: Grid, before: Grid) -> Grid:
    """What is more (or less) in a grid than before."""
    return Grid(
        grid.axes,
        grid.values - before.values,
        grid.row_sums - before.row_sums,
        grid.column_sums - before.column_sums,
        grid.broker_sums - before.broker_sums,
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
