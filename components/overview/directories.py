"""The log directories of brokers as a table, where a broker has several or tells what is left."""

from __future__ import annotations

import streamlit as st

from components.look import tables, text
from components.shell import frame
from reseat.balance.directories import directory_loads
from reseat.formats import Reading
from reseat.model import ClusterLayout

__all__ = ["draw_directories"]


def draw_directories(layout: ClusterLayout, reading: Reading) -> None:
    """Each with its state, what lies in it and what is left; nothing where no source tells directories."""
    import pandas as pd

    loads = sorted(directory_loads(layout, reading.log_dirs), key=lambda one: one.state == "online")
    if len(loads) <= len({one.broker for one in loads}) and not any(one.told for one in loads):
        return
    st.header("Log directories", anchor=False)
    shown = loads[: tables.MOST_ROWS]
    table = pd.DataFrame(
        {
            "broker": [one.broker for one in shown],
            "directory": [text.visible(one.path, 120) for one in shown],
            "state": [text.visible(one.state, 60) for one in shown],
            "replicas": [one.replicas for one in shown],
            "held": [text.size(one.bytes) for one in shown],
            "left": [text.size(None if one.told is None else one.told.usable_bytes) for one in shown],
            "of": [text.size(None if one.told is None else one.told.total_bytes) for one in shown],
        }
    )
    columns = dict.fromkeys(("held", "left", "of"), tables.RIGHT)
    columns["state"] = st.column_config.TextColumn(width="medium")  # Kafka's names of errors are long
    tables.table(table, "overview-directories", columns, height=260)
    frame.how_to_read(
        "*Held* are the replicas of this layout; *left* and *of* are the file system's, told from Kafka 3.3 on. Two "
        "directories of a broker with the same *left* and *of* share one. A cordoned directory takes no new replica.",
        key="how-too",
    )
    if len(loads) > len(shown):
        st.caption(f"{len(shown):,} of {len(loads):,} log directories; those that are not online come first.")
