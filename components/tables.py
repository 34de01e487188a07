"""Tables of partitions, filtered on the server: a million rows are never sent to the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import streamlit as st

from components import text
from reseat.formats.table import write_csv
from reseat.model import NONE, NOT_TOLD, ClusterLayout, IntArray

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "MOST_ROWS",
    "PLAIN",
    "RIGHT",
    "download",
    "harmless",
    "in_unit",
    "leader_names",
    "lists",
    "matching",
    "partitions_table",
    "search",
    "shown_of",
    "table",
]

#: Rows sent to the browser; the count of the others is said, and a search or the download finds them.
MOST_ROWS = 500
#: More rows than these get a line to search in.
_SEARCHED = 12
#: What a spreadsheet would take for a formula at the start of a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: Ids and amounts written as text stand at the right, as numbers do.
RIGHT = st.column_config.TextColumn(alignment="right")
#: Broker ids are names: no separators.
PLAIN = st.column_config.NumberColumn(format="plain")

Rows = npt.NDArray[np.int64]


def table(frame: pd.DataFrame, key: str, *, height: int = 300, fixed: bool = False, **columns: object) -> None:
    """A table without index, numbers with separators.

    Args:
        frame: what it shows.
        key: its name on the page.
        height: the most pixels it takes.
        fixed: whether it keeps that height with few rows too, so that nothing jumps while one searches.
        columns: how single columns are drawn, where it differs.
    """
    if not fixed:
        height = min(height, 37 + 30 * max(len(frame), 1))
    numbers = {
        name: st.column_config.NumberColumn(format="localized")
        for name in frame.select_dtypes("number").columns
        if name not in ("partition",)
    }
    st.dataframe(
        frame, key=key, hide_index=True, height=height, row_height=30, column_config=numbers | columns, placeholder=""
    )


def shown_of(shown: int, total: int, what: str) -> str:
    """How many rows one sees: all, or the first of many."""
    if shown >= total:
        return f"{text.plural(total, what)}."
    return f"The first {shown:,} of {text.plural(total, what)}; search to see others, or download all."


def in_unit(sizes: pd.Series[float]) -> tuple[str, npt.NDArray[np.float64]]:
    """The sizes of a column in one unit, that of the middle one, so that numbers can be compared and sorted.

    Args:
        sizes: bytes.

    Returns:
        The unit, and (n,) sizes to a tenth of it, small ones to their first digit; NaN where not told.
    """
    told = sizes.astype("Float64").to_numpy(np.float64, na_value=np.nan)
    some = told[~np.isnan(told)]
    unit = text.size(float(np.median(some))).rpartition(" ")[2] if len(some) else "B"
    scaled = (told / text.SIZES[unit]).tolist()
    return unit, np.array([float(f"{size:.1g}") if 0 < size < 1 else round(size, 1) for size in scaled])


def matching(layout: ClusterLayout, rows: Rows, typed: str, *columns: IntArray) -> Rows:
    """Which of some rows a search is about, as positions in ``rows``.

    A number finds a broker in ``columns`` or a partition id; ``topic-7`` one partition; other words a part of the
    topic's name, without regard to case.

    Args:
        layout: the layout of the rows.
        rows: (n,) row numbers.
        typed: what was typed.
        columns: (n,) or (n, m) broker ids that belong to the rows.
    """
    wanted = typed.strip()
    if not wanted:
        return np.arange(len(rows))
    needle = wanted.casefold()
    hit = np.array([needle in topic.casefold() for topic in layout.topics], np.bool_)
    found = hit[layout.topic_of[rows]] if hit.size else np.zeros(len(rows), np.bool_)
    if wanted.isdecimal() and len(wanted) < 10:
        for column in columns:
            equal = column == int(wanted)
            found = found | (equal if equal.ndim == 1 else equal.any(axis=1))
    topic, dash, partition = wanted.rpartition("-")
    if dash and partition.isdecimal() and len(partition) < 10:
        row = layout.row(topic, int(partition))
        if row is not None:
            found = found | (rows == row)
    return np.flatnonzero(found)


def lists(ids: IntArray) -> list[str]:
    """Replica lists as text, a row each: ``4, 1, 7``."""
    return [", ".join(str(broker) for broker in row if broker != NONE) for row in ids.tolist()]


def leader_names(ids: npt.NDArray[np.integer]) -> list[str]:
    """Leaders as text: an id, ``none`` or ``not told``."""
    words = {NONE: "none", NOT_TOLD: "unknown"}
    return [words.get(broker, str(broker)) for broker in ids.tolist()]


def partitions_table(layout: ClusterLayout, rows: Rows, key: str, *, height: int = 260) -> None:
    """Some partitions with all their facts: searched on the server, the first of them sent, all to download."""
    import pandas as pd

    found = rows
    if len(rows) > _SEARCHED:
        typed = search(key)
        found = rows[matching(layout, rows, typed, layout.replica_ids[rows], layout.leader_ids[rows])]
    first = found[:MOST_ROWS]
    frame = pd.DataFrame(
        {
            "topic": [layout.topics[i] for i in layout.topic_of[first].tolist()],
            "partition": layout.partition[first],
            "replicas": lists(layout.replica_ids[first]),
            "leader": leader_names(layout.leader_ids[first]),
        }
    )
    if layout.in_sync is not None:
        synced = np.where(layout.in_sync[first], layout.replica_ids[first], NONE)
        told = layout.in_sync_known[first].tolist()
        frame["in sync"] = [isr if known else "unknown" for isr, known in zip(lists(synced), told, strict=True)]
    if layout.replica_bytes is not None:
        largest = np.nan_to_num(layout.replica_bytes[first], nan=-1.0).max(axis=1, initial=-1.0)
        frame["bytes"] = [text.size(value if value >= 0 else None) for value in largest.tolist()]
    table(frame, key, height=height, fixed=len(rows) > _SEARCHED, leader=RIGHT, bytes=RIGHT)
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-foot"):
        st.caption(shown_of(len(first), len(found), "partition"), width="content")
        download(f"{key}-csv", "partitions.csv", lambda: write_csv(layout.select(found), per="partition"))


def search(key: str, words: str = "a topic, topic-partition, or a broker id") -> str:
    """The line above a table in which one types what to look for."""
    return st.text_input(
        "Search",
        key=f"{key}-search",
        placeholder=words,
        label_visibility="collapsed",
        icon=":material/search:",
        persist_state="session",
    )


def harmless(names: pd.Series) -> pd.Series:
    """Names for a CSV: one that a spreadsheet would take for a formula gets an apostrophe before it."""
    return names.where(~names.str.startswith(_FORMULA), "'" + names)


def download(key: str, name: str, make: Callable[[], bytes | str]) -> None:
    """All rows of a table as CSV, made when it is clicked."""
    st.download_button(
        "All as CSV",
        make,
        file_name=name,
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        key=key,
    )
