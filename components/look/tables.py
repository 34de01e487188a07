"""Tables of partitions, filtered on the server: a million rows are never sent to the browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt
import streamlit as st

from components.look import on_paper, text
from components.look.downloads import download
from reseat.model import NONE, NOT_TOLD, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.glossary import meaning
from reseat.model.search import Search

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.elements.lib.column_types import ColumnConfig

__all__ = [
    "MOST_ROWS",
    "PLAIN",
    "RIGHT",
    "as_csv",
    "at_most",
    "digits",
    "explained",
    "foot",
    "in_unit",
    "leader_names",
    "lists",
    "matching",
    "shown_of",
    "table",
]

#: Rows sent to the browser; the count of the others is said, and a search or the download finds them.
MOST_ROWS = 500
#: More rows than these get a line to search in.
_SEARCHED = 12
#: Pixels of the headings with the frame, and of a row.
_HEAD, _ROW = 37, 30
#: What a spreadsheet would take for a formula at the start of a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: Ids and amounts written as text stand at the right, as numbers do.
RIGHT = st.column_config.TextColumn(alignment="right")
#: Ids are names: no separators. Streamlit's own "plain" writes 1001 with digits behind the point.
PLAIN = st.column_config.NumberColumn(format="%d")

_AS_THEY_ARE: Mapping[str, ColumnConfig] = {}


def table(
    frame: pd.DataFrame,
    key: str,
    columns: Mapping[str, ColumnConfig] = _AS_THEY_ARE,
    *,
    height: int = 300,
    of: int | None = None,
    on_select: Callable[[], None] | None = None,
) -> None:
    """A table without index, numbers with separators.

    Args:
        frame: what it shows.
        key: its name on the page.
        columns: how single columns are drawn, where it differs.
        height: the most pixels it takes.
        of: how many rows there are to search in: it keeps their height with fewer, so that nothing jumps while one
            searches; where nothing is found, it says so and has no headings. None: the frame is all there is.
        on_select: called when another row is chosen, or none any more; ``widgets.chosen_rows`` tells which.
    """
    high = at_most(height, len(frame)) if of is None else min(height, _HEAD + _ROW * max(of, 1))
    if of is not None and not len(frame):
        with st.container(key=f"{key}-none", height=high, border=False):
            st.caption("No row matches.")
        return
    numbers = {
        name: PLAIN if name in on_paper.IDS else st.column_config.NumberColumn(format="localized")
        for name in frame.select_dtypes("number").columns
    }
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height=high,
        row_height=_ROW,
        column_config=explained(frame, {**numbers, **columns}),
        placeholder="",
        on_select=on_select or "ignore",
        selection_mode="single-row" if on_select else "multi-row",
    )
    on_paper.rows(frame, columns)


def at_most(height: int, rows: int) -> int | Literal["content"]:
    """How high a table is: that, or as high as all its rows, which depends on how large the browser's words are."""
    return "content" if _HEAD + _ROW * rows <= height else height


def explained(frame: pd.DataFrame, columns: Mapping[str, ColumnConfig] = _AS_THEY_ARE) -> dict[str, ColumnConfig]:
    """How columns are drawn, each heading that is a term of the glossary with its definition.

    Args:
        frame: the table.
        columns: how single columns are drawn, where it differs; a help of their own stays.
    """
    drawn = dict(columns)
    for name in map(str, frame.columns):
        config = drawn.get(name, st.column_config.Column())
        term = meaning(str(config.get("label") or name).partition(",")[0])
        if term is not None and config.get("help") is None:
            drawn[name] = {**config, "help": term}
    return drawn


def shown_of(shown: int, total: int, what: str) -> str:
    """How many rows one sees: all, or the first of many."""
    if shown >= total:
        return f"{text.counted(total, what)}."
    return f"The first {shown:,} of {text.counted(total, what)}; search to see others, or download all."


def in_unit(sizes: pd.Series[float]) -> tuple[str, FloatArray]:
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


def digits(sizes: FloatArray) -> str:
    """How a column of such sizes is written: to a tenth, where one has a tenth and none is smaller.

    Args:
        sizes: (n,) as ``in_unit`` gives them.
    """
    told = sizes[~np.isnan(sizes)]
    return "%,.1f" if (told != told.round()).any() and (told == told.round(1)).all() else "localized"


def matching(layout: ClusterLayout, rows: Longs, typed: str, *columns: IntArray) -> Longs:
    """Which of some rows a search is about, as positions in ``rows``.

    A number finds a broker in ``columns`` or a partition id; ``topic-7`` one partition; other words a part of the
    topic's name, without regard to case.

    Args:
        layout: the layout of the rows.
        rows: (n,) row numbers.
        typed: what was typed.
        columns: (n,) or (n, m) broker ids that belong to the rows.
    """
    search = Search.of(typed)
    if not search.words:
        return np.arange(len(rows))
    found = search.partitions(layout.topics, layout.topic_of[rows], layout.partition[rows])
    if search.number is not None:
        for column in columns:
            equal = column == search.number
            found = found | (equal if equal.ndim == 1 else equal.any(axis=1))
    return np.flatnonzero(found)


def lists(ids: IntArray) -> list[str]:
    """Replica lists as text, a row each: ``4, 1, 7``."""
    return [", ".join(str(broker) for broker in row if broker != NONE) for row in ids.tolist()]


def leader_names(ids: npt.NDArray[np.integer]) -> list[str]:
    """Leaders as text: an id, ``none`` or ``not told``."""
    words = {NONE: "none", NOT_TOLD: "unknown"}
    return [words.get(broker, str(broker)) for broker in ids.tolist()]


def as_csv(frame: pd.DataFrame, names: Sequence[str] = ("topic",)) -> str:
    """A table as CSV.

    Args:
        frame: the table; it is changed.
        names: its columns that hold names: one that a spreadsheet would take for a formula gets an apostrophe, as
            such a heading does.
    """
    for column in names:
        if column in frame:
            told = frame[column].fillna("").astype(str)
            frame[column] = told.where(~told.str.startswith(_FORMULA), "'" + told)
    heads = [f"'{head}" if head.startswith(_FORMULA) else head for head in map(str, frame.columns)]
    return str(frame.to_csv(index=False, header=heads))


def foot(key: str, said: str, file: str, make: Callable[[], bytes | str]) -> None:
    """What stands below a table: how much of it one sees, and all of its rows as CSV, made when they are clicked.

    Args:
        key: the table's name.
        said: how much one sees (``shown_of``).
        file: what the CSV is called.
        make: makes it.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"{key}-foot"):
        st.caption(said, width="content")
        download("All as CSV", file, make, key=f"{key}-csv", kind="tertiary")
