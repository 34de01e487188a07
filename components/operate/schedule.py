"""A plan over time: which broker is busy when, and how racks and min ISR stand after each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.charts import plots
from components.look import tables, text, theme
from reseat.model import Plan
from reseat.schedule.figures import Busy, Standing, bytes_by_broker, standing

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import plotly.graph_objects as go

    from reseat.formats.documents.sealed import SealedPlan
    from reseat.model import BoolArray, FloatArray
    from reseat.schedule.batches import Preview, Work

__all__ = ["draw_schedule"]

#: So many brokers have a row, the busiest.
_MOST_BROKERS = 40
_HEIGHT, _ROW_HEIGHT = 120, 16


def draw_schedule(plan: Plan, sealed: SealedPlan, batches: tuple[Work, Preview], throttle: int | None) -> None:
    """Draw how the cluster stands meanwhile, the figure and the table.

    Args:
        plan: laid over the cluster as it was just read.
        sealed: the plan's text, whose partitions the batches are of.
        batches: what they cost, and when each goes.
        throttle: bytes a second a broker, or None.
    """
    work, preview = batches
    stands = standing(plan, plan.current.rows_of(sealed.proposed), preview)
    st.markdown(_holds(stands))
    if preview.busiest:
        busy = bytes_by_broker(work, preview)
        shown = busy.busiest(_MOST_BROKERS)
        more = len(busy.broker_ids) - len(shown.broker_ids)
        over = text.counted(len(preview), "batch", "batches")
        most = int(busy.broker_ids[int(busy.bytes.sum(axis=1).argmax())])
        alt = f"Bytes that each broker sends and receives over {over}; broker {most} has the most."
        plots.draw(_figure(shown), "operate-schedule", alt, height=_HEIGHT + _ROW_HEIGHT * len(shown.broker_ids))
        hidden = f" Shown are the busiest; {text.counted(more, 'other broker')} not." if more else ""
        st.caption(f"Data that each broker sends and receives, each batch begun when the one before is done.{hidden}")
    right = dict.fromkeys(("After batch", "Data to copy", "Time so far, at the throttle"), tables.RIGHT)
    tables.table(_table(preview, stands, throttle), "operate-batches", right, height=400)


def _holds(stands: Standing) -> str:
    """Whether racks or min ISR are ever worse than at the start."""
    known = [
        (name, words, counts)
        for name, words, counts in (
            ("racks", ("rack violation", "rack violations"), stands.rack_violations),
            ("min ISR", ("partition at min ISR", "partitions at min ISR"), stands.at_min_isr),
        )
        if counts is not None
    ]
    worse = [
        f"{text.counted(int(counts.max()), *words)} after batch {int(counts.argmax())}, {int(counts[0]):,} now"
        for _, words, counts in known
        if counts.max() > counts[0]
    ]
    if worse:
        return f"On the way: {'; '.join(worse)}."
    names = " and ".join(name for name, _, _ in known)
    return f"After each batch {names} hold as well as now." if names else ""


def _figure(busy: Busy) -> go.Figure:
    import plotly.graph_objects as go

    first, last = busy.edges[:-1] + 1, busy.edges[1:]
    columns = [str(a) if a == b else f"{a} to {b}" for a, b in zip(first.tolist(), last.tolist(), strict=True)]
    names = [f"broker {broker}" for broker in busy.broker_ids.tolist()]
    figure = go.Figure(
        go.Heatmap(
            z=np.where(busy.bytes > 0, busy.bytes, np.nan),  # the ground: nothing is copied
            x=columns,
            y=names,
            customdata=np.array([[text.size(cell) for cell in row] for row in busy.bytes.tolist()], object),
            colorscale=theme.SEQUENCE,
            reversescale=not theme.is_dark(),  # what counts is far from the ground
            hovertemplate="%{y}, batch %{x}: %{customdata}<extra></extra>",
            colorbar={"thickness": 10, "tickvals": (ticks := plots.byte_ticks(float(busy.bytes.max(initial=0)))),
                      "ticktext": [text.size(tick) for tick in ticks]},
            xgap=1,
            ygap=1,
        )
    )  # fmt: skip
    figure.update_xaxes(type="category", fixedrange=True, nticks=12, tickangle=0, showgrid=False, title_text="batch")
    figure.update_yaxes(type="category", fixedrange=True, autorange="reversed", showgrid=False)
    figure.update_layout(template=theme.template(), margin={"l": 80, "r": 8, "t": 8, "b": 44})
    cells = [(name, column, busy.bytes[i, j]) for i, name in enumerate(names) for j, column in enumerate(columns)]
    plots.tell(figure, dict(zip(("broker", "batches", "bytes"), map(list, zip(*cells, strict=True)), strict=True)))
    return figure


def _least(amounts: FloatArray, unknown: BoolArray, say: Callable[[float], str]) -> list[str]:
    """Amounts in words, each at least that where a part of it is unknown."""
    told = zip(amounts.tolist(), unknown.tolist(), strict=True)
    return [say(one) if not part else f"at least {say(one)}" if one else "unknown" for one, part in told]


def _table(preview: Preview, stands: Standing, throttle: int | None) -> pd.DataFrame:
    """The batches, with what each copies and how the cluster stands after it; the first row is how it stands now."""
    import pandas as pd

    partitions = np.bincount(preview.batch, minlength=len(preview))
    columns: dict[str, object] = {
        "After batch": ["now", *map(str, range(1, len(preview) + 1))],
        "Partitions": [0, *partitions.tolist()],
        "Data to copy": ["", *_least(preview.bytes, preview.unknown > 0, text.size)],
    }
    if throttle:
        elapsed, unknown = np.cumsum(preview.seconds(throttle)), np.cumsum(preview.unknown) > 0
        columns["Time so far, at the throttle"] = ["", *_least(elapsed, unknown, text.duration)]
    if stands.rack_violations is not None:
        columns["Rack violations"] = stands.rack_violations
    if stands.at_min_isr is not None:
        columns["At min ISR"] = stands.at_min_isr
    return pd.DataFrame(columns)
