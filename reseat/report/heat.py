"""Heatmaps of a report: brokers by topics, in at most 60 by 160 cells, before, after and the difference.

Promises: every replica is counted in exactly one cell; before, after and difference have the same axes, and before and
after the same scale. A cell that stands for several brokers holds their mean, so that a block of three is not darker
than a block of two; a cell that stands for several topics holds their sum.

Needs: a layout; the layout once the plan is done, for after and difference.

Complexity: O(P R).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.balance.grid import Axes, axes_of, broker_order, column_order, grid_of
from reseat.model import ClusterLayout, FloatArray
from reseat.model.wording import visible
from reseat.report.carriers import NAME, rack_name
from reseat.report.content import Heat

__all__ = ["COLUMNS", "ROWS", "Maps", "maps_of"]

#: At most so many cells: what a page and a slide can show.
ROWS, COLUMNS = 60, 160
#: Up to so many topics, a column is a partition.
_FEW_TOPICS = 2


@dataclass(frozen=True, eq=False)
class Maps:
    """Replicas on common axes.

    Attributes:
        axes: what stands at the sides.
        before: (r, c) float64.
        after: (r, c) float64; None where nothing is planned.
    """

    axes: Axes
    before: FloatArray
    after: FloatArray | None

    @property
    def top(self) -> float:
        """The end of the scale of before and after."""
        return max(1.0, *(float(one.max(initial=0)) for one in (self.before, self.after) if one is not None))

    @property
    def changed(self) -> int:
        """Cells that hold more or less afterwards."""
        return 0 if self.after is None else int(np.count_nonzero(self.after != self.before))

    def heat(self, slug: str, title: str, says: str) -> Heat:
        """The map as it is."""
        return self._figure(slug, title, says, self.before, self.top)

    def heat_after(self, slug: str, title: str, says: str) -> Heat:
        """The map once the plan is done.

        Raises:
            ValueError: nothing is planned.
        """
        if self.after is None:
            raise ValueError("Without a plan there is no layout afterwards.")
        return self._figure(slug, title, says, self.after, self.top)

    def heat_change(self, slug: str, title: str, says: str) -> Heat:
        """What the plan adds and takes.

        Raises:
            ValueError: nothing is planned.
        """
        if self.after is None:
            raise ValueError("Without a plan there is no difference.")
        change = self.after - self.before
        return self._figure(slug, title, says, change, max(1.0, float(np.abs(change).max(initial=0))), signed=True)

    @property
    def cell(self) -> str:
        """What one cell is, in words: "one broker and one topic", "the mean of 17 brokers, and 3 topics together"."""
        rows = len(self.axes.row_spans[0]) if self.axes.row_spans else 1
        columns = len(self.axes.column_spans[0]) if self.axes.column_spans else 1
        what = self.column_name
        brokers = "one broker" if rows == 1 else f"the mean of up to {rows:,} neighbouring brokers"
        return f"{brokers}, {f'one {what}' if columns == 1 else f'up to {columns:,} neighbouring {what}s together'}"

    @property
    def column_name(self) -> str:
        """What a column is."""
        return "partition" if self.axes.by_partition else "topic"

    def _figure(
        self, slug: str, title: str, says: str, values: FloatArray, top: float, *, signed: bool = False
    ) -> Heat:
        return Heat(
            slug=slug,
            title=title,
            says=says,
            unit="replicas",
            rows=_row_names(self.axes),
            groups=_row_groups(self.axes),
            columns=_column_names(self.axes),
            column_name=self.column_name,
            values=values,
            top=top,
            signed=signed,
        )


def maps_of(layout: ClusterLayout, after: ClusterLayout | None = None) -> Maps:
    """The maps of a layout, and of what becomes of it.

    Args:
        layout: as it is.
        after: once the plan is done; it may lack brokers that left.
    """
    by_partition = len(layout.topics) <= _FEW_TOPICS
    axes = axes_of(
        layout,
        broker_order(layout),
        column_order(layout, by_partition=by_partition),
        by_partition=by_partition,
        most_rows=ROWS,
        most_columns=COLUMNS,
    )
    brokers = np.array([len(span) for span in axes.row_spans], np.float64)[:, None]
    before: FloatArray = grid_of(layout, axes).values / np.maximum(brokers, 1)
    then: FloatArray | None = None if after is None else grid_of(after, axes).values / np.maximum(brokers, 1)
    return Maps(axes, before, then)


def _row_names(axes: Axes) -> tuple[str, ...]:
    ids = axes.brokers.tolist()
    return tuple(
        str(ids[span.start]) if len(span) == 1 else f"{ids[span.start]} to {ids[span.stop - 1]}"
        for span in axes.row_spans
    )


def _row_groups(axes: Axes) -> tuple[str | None, ...] | None:
    layout = axes.base
    if not layout.racks:
        return None
    at = np.searchsorted(layout.broker_ids, axes.brokers)
    racks = [layout.brokers[place].rack for place in at.tolist()]
    named = []
    for span in axes.row_spans:
        held = list(dict.fromkeys(racks[span.start : span.stop]))
        if len(held) == 1:
            named.append(None if held[0] is None else rack_name(held[0]))
        else:
            named.append(f"{rack_name(held[0])} to {rack_name(held[-1])}")
    return tuple(named)


def _column_names(axes: Axes) -> tuple[str, ...]:
    layout, columns = axes.base, axes.columns.tolist()

    def name(at: int) -> str:
        return visible(layout.name_of(columns[at]) if axes.by_partition else layout.topics[columns[at]], NAME)

    return tuple(
        name(span.start) if len(span) == 1 else f"{name(span.start)} and {len(span) - 1:,} more"
        for span in axes.column_spans
    )
