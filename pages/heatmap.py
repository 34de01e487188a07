"""Heatmap: who holds what, brokers by topics down to single partitions; now, after the plan, and the difference."""

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from components.canvas.heat_grid import heat_grid
from components.look import tables, text
from components.look.downloads import download
from components.shell import frame
from components.state import addresses, fields
from components.what_if import grid_data, grid_panel
from components.what_if.grid_words import sentence
from components.what_if.what_if import shown
from reseat.balance.grid import Grid
from reseat.model import ClusterLayout
from reseat.model.frame import replica_table
from reseat.model.wording import listed

open_layout = frame.page("Heatmap", shows="either")


def table_behind(choice: grid_panel.GridChoice, grid: Grid) -> None:
    """The sums of the rows as a table with a download of the cells."""
    spans, many = choice.axes.row_spans, choice.axes.row_kind[1]
    ids = [choice.axes.name_of(place) for place in range(len(choice.axes.brokers))]
    brokers = [
        text.visible(listed(ids[span.start : span.stop], 4), 120)
        if choice.axes.by_directory
        else text.ids(choice.axes.brokers[span.start : span.stop].tolist(), 4)
        for span in spans
    ]
    values = pd.DataFrame({many: brokers, choice.view.measure: grid.row_sums})
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
        cells = pd.DataFrame(grid.values, index=pd.Index(ids, name="broker"), columns=names).reset_index()
        download("Cells as CSV", "heatmap.csv", lambda: tables.as_csv(cells, ("broker",)), key="heatmap-csv")


def opened(layout: ClusterLayout, partition: tuple[str, int]) -> None:
    """All that is told of the partition that was opened."""
    row = layout.row(*partition)
    if row is None:
        return
    with st.container(border=True, key="heat-opened"):
        st.markdown(f"**{text.plain(layout.name_of(row))}**")
        facts = replica_table(layout.select(np.array([row]))).drop(columns=["topic", "partition"])
        told = (
            facts.astype({"rack": object})
            .dropna(axis="columns", how="all")
            .rename(columns=lambda name: name.replace("_", " "))
        )
        tables.table(told, "heat-partition")


now = shown(open_layout, beside=True)
answer = st.container()
choice = grid_panel.choose(open_layout, now)
with st.spinner("Drawing …", show_time=False):
    data, grid = grid_data.drawn(choice)
with answer:
    frame.answer(sentence(choice, grid))
grid_panel.trail(choice)
# A search without a match leaves nothing to draw: its sentence stands above, and there are no axes around nothing.
none = not len(choice.axes.columns) and len(choice.before.topics) > 0
if not none:
    heat_grid(data, fields.figure("heatmap", partial(grid_panel.hear, choice, data["token"]), find="find_broker"))
if choice.view.selected is not None:
    there = choice.after if choice.show == "after" and choice.after is not None else choice.before
    there = open_layout.layout if choice.axes.by_directory else there
    opened(there, choice.view.selected)
frame.how_to_read(
    "Each row is a broker, grouped by rack; each column a topic, or a partition. The brighter a cell, the higher its "
    "value: the scale grows by factors, so that both ends are readable; its midpoint is below. In a change, white "
    "means no change. The bars are the sums of rows and columns, the dashed line is the mean. Drag to zoom in, click a "
    "topic for its partitions, click a partition for its replicas; Escape zooms out. Find marks a broker's row, and "
    "Enter zooms to it. Sorted by log directories, each row is one, as things are now. With more brokers or columns "
    "than fit the screen, neighbours share a cell, as the labels say.",
    grid_panel.measures_of(open_layout.layout),
)
if not none:
    with fields.fold("Table", name="table", key="heat-table-open", icon=":material/table:"):
        table_behind(choice, grid)
addresses.publish()
