"""Heatmap: who holds what, brokers by topics down to single partitions; now, after the plan, and the difference."""

import numpy as np
import pandas as pd
import streamlit as st

from components import frame, tables, text
from components.heat_grid import apply_event, heat_grid, panel
from components.heat_grid.view import NAMES
from components.heat_grid.words import sentence
from components.what_if import shown
from reseat.balance.grid import Grid
from reseat.model import ClusterLayout

seat = frame.page("Heatmap", own=NAMES, shows="either")


def table_behind(choice: panel.Choice, grid: Grid) -> None:
    """The sums of the rows as a table with a download of the cells."""
    ids, spans = choice.axes.brokers, choice.axes.row_spans
    brokers = [text.ids(ids[span.start : span.stop].tolist(), 4) for span in spans]
    values = pd.DataFrame({"brokers": brokers, choice.view.measure: grid.row_sums})
    if choice.show == "difference":
        values = values.rename(columns={choice.view.measure: f"{choice.view.measure}, change"})
    elif len(values):
        mean = float(grid.row_sums[choice.counted].mean())
        values["against the mean"] = (values[choice.view.measure] - mean).round(1)
    tables.table(values, "heat-table", height=240)
    if choice.axes.single:
        names = [
            choice.axes.base.name_of(int(c)) if choice.axes.by_partition else choice.axes.base.topics[int(c)]
            for c in choice.axes.columns
        ]
        cells = pd.DataFrame(grid.values, index=pd.Index(ids, name="broker"), columns=names)
        st.download_button(
            "Cells as CSV", cells.to_csv().encode(), "heatmap.csv", "text/csv", icon=":material/download:"
        )


def opened(layout: ClusterLayout, partition: tuple[str, int]) -> None:
    """All that is told of the partition that was opened."""
    row = layout.row(*partition)
    if row is None:
        return
    with st.container(border=True, key="heat-opened"):
        st.markdown(f"**{text.plain(layout.name_of(row))}**")
        facts = layout.select(np.array([row])).to_frame().drop(columns=["topic", "partition"])
        told = (
            facts.astype({"rack": object})
            .dropna(axis="columns", how="all")
            .rename(columns=lambda name: name.replace("_", " "))
        )
        tables.table(told, "heat-partition", height=36 + 30 * len(facts), broker=tables.PLAIN)


now = shown(seat, beside=True)
answer = st.container()
choice = panel.choose(seat, now)
with st.spinner("Drawing …", show_time=False):
    data, grid = panel.drawn(choice)
with answer:
    frame.answer(sentence(choice, grid))
panel.trail(choice)
# A search without a match leaves nothing to draw: its sentence stands above, and there are no axes around nothing.
none = not len(choice.axes.columns) and len(choice.before.topics) > 0
event = None if none else heat_grid(data)
if event is not None:
    view = apply_event(choice.view, event, choice.axes)
    if view != choice.view:
        panel.keep(choice, view)
        st.rerun()
if choice.view.selected is not None:
    there = choice.after if choice.show == "after" and choice.after is not None else choice.before
    opened(there, choice.view.selected)
frame.how_to_read(
    "Each row is a broker, grouped by rack; each column a topic, or a partition. The brighter a cell, the higher its "
    "value: the scale grows by factors, so that both ends are readable; its midpoint stands below. In a change, white "
    "means no change. The bars are the sums of rows and columns, the dashed line is the mean. Drag to zoom in, click a "
    "topic for its partitions, click a partition for its replicas; Escape zooms out. Find marks a broker's row, and "
    "Enter zooms to it. With more brokers or columns than fit the screen, neighbours share a cell, as the labels say."
)
if not none:
    with st.expander("Table", icon=":material/table:"):
        table_behind(choice, grid)
