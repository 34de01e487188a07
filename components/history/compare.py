"""Two moments of a cluster compared: what is different, every change in between with its time, and the heatmap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from components.history import choices
from components.history.changes import MOST, as_csv, as_table, beginning, matching, read_changes
from components.history.difference_grid import draw_heat
from components.look import tables, text
from components.look.notices import refused
from components.over_time.changes_table import WORDS, changes_frame, matching_changes
from components.state import caching, fields
from components.state.past import clock
from reseat.balance.changes import KINDS, changes
from reseat.errors import InputRefused
from reseat.history.places import Places
from reseat.history.read import History
from reseat.model import Snapshot
from reseat.sources.followed import ReadingDifference

__all__ = ["Between", "draw_between"]

_VIEWS = ("All changes", "Net difference", "Heatmap of the difference")
_HEIGHT = 300


@dataclass(frozen=True, slots=True, eq=False)
class Between:
    """Two moments of one cluster.

    Attributes:
        history: the tables.
        places: where the snapshots landed.
        cluster: the cluster.
        a: the earlier moment's row of the table ``snapshots``.
        b: the later one's.
        counts: changes by moment and kind of the stretch that holds both.
    """

    history: History
    places: Places
    cluster: str
    a: pd.Series[Any]
    b: pd.Series[Any]
    counts: pd.DataFrame

    def snapshot(self, row: pd.Series[Any]) -> Snapshot:
        """One of the two, whole.

        Raises:
            InputRefused: it cannot be read.
        """
        return caching.past_snapshot(self.history, self.places.landing, self.cluster, str(row["snapshot_id"]))


def draw_between(between: Between) -> None:
    """The section: a sentence of what is different, and the view that one chooses."""
    a, b = between.a["taken_at"], between.b["taken_at"]
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="history-between"):
        st.header(f"From {clock(a)} to {clock(b)}", anchor=False, width="content")
        for name, row in (("A", between.a), ("B", between.b)):
            # Without a mouse nothing on the figure can be clicked; the handles go to any moment with the arrow keys.
            st.button(
                f"Show {name}",
                key=f"history-look-{name}",
                icon=":material/history:",
                type="tertiary",
                on_click=choices.select,
                args=(between.cluster, str(row["snapshot_id"])),
            )
    if between.a["snapshot_id"] == between.b["snapshot_id"]:
        st.caption("A and B are the same snapshot. Drag one of the handles to compare two.")
        return
    try:
        with st.spinner("Reading both snapshots …", show_time=True):
            before, after = between.snapshot(between.a), between.snapshot(between.b)
            noted = ReadingDifference(
                before.taken_at, after.taken_at, caching.kept(changes, caching.LAYOUTS)(before.layout, after.layout)
            )
    except InputRefused as refusal:
        refused(refusal)
        return
    st.markdown(f"**A → B:** {text.plain(noted.changes.summary)}")
    says = dict(zip(_VIEWS, ("changes", "difference", "heatmap"), strict=True))
    view = fields.segments("Show", _VIEWS, name="compare", key="history-view", says=says, label_visibility="collapsed")
    if view == _VIEWS[0]:
        _every_change(between)
    elif view == _VIEWS[1]:
        _difference(noted)
    else:
        draw_heat(before.layout, after.layout, "B")


def _every_change(between: Between) -> None:
    """The rows of ``changes`` between the two moments: what came and went again too."""
    a, b = between.a["taken_at"], between.b["taken_at"]
    counts = between.counts
    inside = counts[(counts["taken_at"] > a) & (counts["taken_at"] <= b)]
    totals = {str(kind): int(count) for kind, count in inside.groupby("kind")["changes"].sum().items()}
    offered = [kind for kind in KINDS if totals.get(kind)]
    if not offered:
        st.caption("No changes between the two snapshots.")
        return
    chosen = fields.pills(
        "Kinds",
        offered,
        name="kinds",
        format_func=lambda kind: f"{WORDS[kind]} · {totals[kind]:,}",
        key=f"history-kinds-{'-'.join(offered)}",
        label_visibility="collapsed",
    )
    kinds = chosen or offered
    since, total = beginning(counts, a, b, kinds)
    rows = caching.from_tables(
        between.history,
        f"changes {between.cluster} {since} {b} {sorted(kinds)}",
        lambda: read_changes(between.history, between.cluster, since, b, kinds),
    )
    found = matching(rows, fields.find("history-changes", "a topic, topic-partition, or a broker id"))
    first = found.slice(0, tables.MOST_ROWS)
    tables.table(
        as_table(first),
        "history-changes-table",
        {
            "time": st.column_config.TextColumn(
                "time, UTC", width=150, help="Snapshot time of the later of the two snapshots"
            ),
            "change": st.column_config.TextColumn(width=150),
            "partition": tables.RIGHT,
            "broker": tables.RIGHT,
            "before": tables.RIGHT,
        },
        height=_HEIGHT,
        fixed=True,
    )
    said = tables.shown_of(len(first), len(found), "change")
    if total > len(rows):
        said += (
            f" Of {total:,} changes, these are the newest, since {clock(since)} (at most about {MOST:,})."
            " Choose kinds or a shorter period to see the others."
        )
    tables.foot("history-changes", said, "changes.csv", partial(as_csv, found))


def _difference(noted: ReadingDifference) -> None:
    """What is different at B, whatever happened in between."""
    found = matching_changes(
        noted.changes, fields.find("history-difference", "a topic, topic-partition, or a broker id")
    )
    first = found[: tables.MOST_ROWS]
    tables.table(
        changes_frame(noted, first).drop(columns=["time"]),
        "history-difference-table",
        {
            "change": st.column_config.TextColumn(width=160),
            "partition": tables.RIGHT,
            "broker": tables.RIGHT,
            "before": tables.RIGHT,
        },
        height=_HEIGHT,
        fixed=True,
    )
    tables.foot(
        "history-difference",
        tables.shown_of(len(first), len(found), "difference"),
        "difference.csv",
        lambda: tables.as_csv(changes_frame(noted, found).drop(columns=["time"])),
    )
