"""What one should know before believing a cluster's history: days being rewritten, files that could not be read."""

from __future__ import annotations

import streamlit as st

from components.look import tables, text
from components.shell import frame
from components.state import caching, fields, shared
from reseat.history.read import History
from reseat.model.wording import verb

__all__ = ["draw_notices", "how_to_read"]

_MOST = 200


def draw_notices(history: History, cluster: str) -> None:
    """A line for each trouble; none where there is none.

    Raises:
        InputRefused: the tables cannot be read.
    """
    days = [day for name, day in caching.from_tables(history, "unfinished", history.unfinished) if name == cluster]
    if days:
        busy = shared.pipeline().state.phase.busy
        ends = "is rewriting" if busy else "ended before it rewrote"
        then = "This page shows the result once it is done." if busy else "The next run repairs that."
        st.markdown(
            f":orange[:material/healing:] A run {ends} {text.counted(len(days), 'day')} of this cluster "
            f"({text.plain(', '.join(days[:5]))}{' …' if days[5:] else ''}): {verb(len(days), 'it', 'they')} may show "
            f"mixed data. {then}"
        )
    rejected = caching.from_tables(history, "rejected", history.rejected)
    mine = rejected[rejected["cluster"].isna() | (rejected["cluster"] == cluster)]
    if len(mine):
        one = len(mine) == 1
        label = f":orange[:material/warning:] {text.counted(len(mine), 'saved file')} could not be read"
        label = f"{label}: {'its snapshot is' if one else 'their snapshots are'} missing here"
        with fields.fold(label, name="rejected", key="rejected"):
            columns = ["path", "reason", "place"]
            tables.table(mine[columns].head(_MOST), "history-rejected", height=200)
            st.caption(tables.shown_of(min(len(mine), _MOST), len(mine), "file"))


def how_to_read() -> None:
    """The folded line under the figure."""
    frame.how_to_read(
        "Time runs from left to right, in UTC, the same in all four panels; a line stops where snapshots are missing. "
        "Marks at the top: ✖ brokers down (large: a whole rack), ● brokers up, ◆ a large "
        "reassignment, with a bar while it runs, ◇ many replicas of new partitions; above them ★ plans done, ☆ stopped "
        "or failed, from this server's journal. Click anywhere to show that snapshot; the dotted lines are the two "
        "snapshots compared below.",
        ("Offline", "Under-replicated", "Imbalance", "Size of all replicas"),
    )
