"""Each broker before and after: the one chart of a plan, an election, a stop and a new topic."""

from __future__ import annotations

from collections.abc import Callable

from components.charts import bars, plots
from reseat.balance.grid import brokers_by_rack
from reseat.model import BoolArray, ClusterLayout

__all__ = ["draw"]


def draw(
    layout: ClusterLayout,
    before: bars.Numbers,
    after: bars.Numbers,
    unit: str,
    *,
    key: str,
    says: str,
    leaving: BoolArray,
    down: bool = False,
    height: int = plots.HEIGHT,
    on_click: Callable[[], None] | None = None,
) -> None:
    """Draw the brokers by rack, then by id, with the mean afterwards of those that stay.

    Args:
        layout: whose brokers they are.
        before: (B,) counts now, in the layout's order of brokers.
        after: (B,) counts afterwards.
        unit: what is counted, in the plural.
        key: the chart's name on the page.
        says: what it shows, for who does not see it.
        leaving: (B,) bool, who holds nothing afterwards.
        down: whether those are crossed as down.
        height: pixels.
        on_click: called when a broker's column is clicked.
    """
    order = brokers_by_rack(layout)
    before, after, leaving = before[order], after[order], leaving[order]
    names = bars.broker_names(layout, order)
    mean = float(after[~leaving].mean()) if (~leaving).any() else 0.0
    figure = bars.before_after(names, before, after, unit, leaving=leaving, mean=mean)
    bars.rack_strip(figure, layout, order)
    if down:
        bars.mark_down(figure, leaving)
    if on_click is not None:
        bars.fill_columns(figure, names, before, after, unit)
    plots.draw(figure, key, says, height=height, on_click=on_click)
