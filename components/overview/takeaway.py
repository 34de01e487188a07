"""The layout looked at as exports: as a table, as Kafka's tools print it, as a reassignment, a snapshot."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.look.downloads import download
from components.state import addresses
from components.state.open_layout import OpenLayout

__all__ = ["draw_takeaway"]


def draw_takeaway(open_layout: OpenLayout) -> None:
    """Downloads of the whole layout, with the edits, without the what-if; each is made when it is clicked."""
    from reseat.formats.documents.snapshot_writer import write_snapshot
    from reseat.formats.documents.writers import write_describe, write_layout_reassignment
    from reseat.formats.tables.table import write_csv, write_parquet

    layout, snapshot = open_layout.layout, open_layout.snapshot
    st.header("Export", anchor=False)
    with st.container(horizontal=True, key="takeaway"):
        for label, name, make, words in (
            (
                "Layout as CSV",
                "layout.csv",
                lambda: write_csv(layout, tiering=open_layout.reading.tiering),
                "One row per replica with everything known. Reseat reads it back unchanged.",
            ),
            (
                "Layout as Parquet",
                "layout.parquet",
                lambda: write_parquet(layout, tiering=open_layout.reading.tiering),
                "The same rows, for large layouts and for other programs.",
            ),
            (
                "As kafka-topics --describe",
                "describe.txt",
                lambda: write_describe(layout),
                "Contains no racks, sizes or hosts; an unknown leader is printed as none.",
            ),
            (
                "As reassignment JSON",
                "assignment.json",
                lambda: write_layout_reassignment(layout),
                "Every partition's current replica list: a rollback to the current state, whatever changes later.",
            ),
        ):
            download(label, name, make, key=f"take-{name}", words=words)
        if snapshot is not None:
            download(
                "Snapshot",
                "snapshot.json",
                lambda: write_snapshot(snapshot),
                key="take-snapshot.json",
                words="Everything read from the cluster at that time, without edits. Every page and command reads it.",
            )
        with st.popover("Copy link", icon=":material/link:", key="copy-link"):
            st.code(addresses.full(open_layout), language=None, wrap_lines=True)
            st.caption(
                "Opens this layout with its racks, excluded topics and what-if, while the server holds the layout; "
                "later it asks for the file. The link itself holds no data."
            )
    which = "as they are before the plan" if open_layout.after else "as shown here, without a what-if"
    st.caption(f"All {text.counted(layout.partition_count, 'partition')}, {which}.")
