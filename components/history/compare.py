"""Two moments of a cluster compared: what is different, every change in between with its time, and the heatmap."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from components.canvas.heat_grid import HeatView, apply_event, heat_grid
from components.canvas.heat_grid.view import NAMES, from_query, to_query
from components.history import choices
from components.look import tables, text
from components.look.notices import refused
from components.over_time.changes_table import WORDS, draw_table, word_of
from components.state import addresses, caching, fields
from components.state.past import clock
from components.state.slots import Slot
from components.what_if import grid_data, grid_panel
from components.what_if.grid_words import sentence
from reseat.balance.changes import KINDS, changes
from reseat.balance.combined import both
from reseat.errors import InputRefused
from reseat.history.places import Places
from reseat.history.read import History
from reseat.model import ClusterLayout, Snapshot
from reseat.sources.followed import ReadingDifference

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MOST", "Between", "as_csv", "as_table", "beginning", "draw_between", "matching", "read_changes"]

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
        draw_table(noted, "history-difference", "difference")
    else:
        _draw_heat(before.layout, after.layout, "B")


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
        of=total,
    )
    said = tables.shown_of(len(first), len(found), "change")
    if total > len(rows):
        said += (
            f" Of {total:,} changes, these are the newest, since {clock(since)} (at most about {MOST:,})."
            " Choose kinds or a shorter period to see the others."
        )
    tables.foot("history-changes", said, "changes.csv", partial(as_csv, found))


_KEPT: Slot[_Kept] = Slot("history-heat", addressed=True)
_Kept = tuple[tuple[str, ...], HeatView]


def _draw_heat(before: ClusterLayout, after: ClusterLayout, title: str) -> None:
    """Draw it: brokers by topics, or by the partitions of one topic that was clicked.

    Args:
        before: the earlier layout.
        after: the later one.
        title: what the difference is, after "3 replicas fewer in".
    """
    base = caching.kept(both, caching.LAYOUTS)(before, after)
    told = [name for name in grid_panel.measures_of(before) if name in grid_panel.measures_of(after)]
    left, right = st.columns([1.4, 4], vertical_alignment="bottom")
    measure = fields.select(
        "Measure", told, name="heat_measure", key="history-heat-measure", says=grid_panel.MEASURES, place=left
    )
    place = right.container(horizontal=True, vertical_alignment="center", key="history-heat-trail")
    signature = (before.digest, after.digest, measure)
    linked = grid_panel.within(base, from_query(st.query_params.to_dict()))
    kept: _Kept = _KEPT.get((signature, linked))
    view = replace(kept[1] if kept[0] == signature else HeatView(), measure=grid_panel.MEASURES[measure])
    grid_panel.say_left_out(view, "heat_measure")
    shown = to_query(view)
    for name in NAMES:
        if name != "heat_measure":  # which its field tells
            addresses.tell(name, shown.get(name, ""))
    choice = grid_panel.GridChoice(view, grid_panel.axes_for(base, view), before, after, "difference", title, place)
    data, grid = grid_data.drawn(choice)
    with place:
        st.markdown(f"**{text.plain(sentence(choice, grid))}**", width="content")
        if view.zoomed:
            st.button(
                "All topics", icon=":material/zoom_out:", key="history-heat-out", on_click=_show, args=(signature,)
            )

    def hear(event: Mapping[str, object]) -> None:
        if event.get("token") == data["token"]:
            _show(signature, apply_event(view, event, choice.axes))

    heat_grid(data, fields.figure("history-heatmap", hear, find="find_broker"), key="history-heat-grid")
    st.caption(
        "Each row is a broker, each column a topic, of either snapshot. Blue: more at B than at A, brown: fewer, "
        "white: no difference. Drag to zoom in, click a topic for its partitions."
    )


def _show(signature: tuple[str, ...], view: HeatView | None = None) -> None:
    _KEPT.set((signature, view or HeatView()))


#: Changes read at once; a stretch with more is read from its end.
MOST = 200_000


def beginning(counts: pd.DataFrame, since: datetime, until: datetime, kinds: Collection[str]) -> tuple[datetime, int]:
    """From when on at most ``MOST`` changes lie before a moment, and how many there are in all.

    Args:
        counts: of ``History.change_counts``.
        since: the earlier end; changes that led to it do not count.
        until: the later end.
        kinds: the kinds of change asked for.
    """
    inside = counts[(counts["taken_at"] > since) & (counts["taken_at"] <= until) & counts["kind"].isin(list(kinds))]
    total = int(inside["changes"].sum())
    if total <= MOST:
        return since, total
    newest_first = inside.groupby("taken_at")["changes"].sum().sort_index(ascending=False)
    # What led to the newest moment of all is read in any case; then as many moments more as there is room for.
    room = int((newest_first.cumsum() <= MOST).sum()) or 1
    return (newest_first.index[room] if room < len(newest_first) else since), total


def read_changes(history: History, cluster: str, since: datetime, until: datetime, kinds: Collection[str]) -> pa.Table:
    """The changes of some kinds after one moment, up to another, newest first.

    Raises:
        InputRefused: the tables cannot be read.
    """
    from pyarrow import compute as pc

    rows = history.changes(cluster, since, until, filter=pc.field("kind").isin(sorted(kinds)))
    order = [("taken_at", "descending"), *((name, "ascending") for name in ("kind", "topic", "partition", "broker"))]
    return rows.sort_by(order)


def matching(rows: pa.Table, typed: str) -> pa.Table:
    """The rows that a search is about.

    A number finds a broker or a partition id; ``topic-7`` one partition; other words a part of a topic's name.
    """
    from pyarrow import compute as pc

    wanted = typed.strip()
    if not wanted:
        return rows
    hit = pc.fill_null(pc.match_substring(rows["topic"], wanted, ignore_case=True), False)
    if wanted.isdecimal() and len(wanted) < 10:
        for column in ("broker", "was", "partition"):
            hit = pc.or_(hit, pc.fill_null(pc.equal(rows[column], int(wanted)), False))
    topic, dash, partition = wanted.rpartition("-")
    if dash and partition.isdecimal() and len(partition) < 10:
        same = pc.and_(pc.equal(rows["topic"], topic), pc.equal(rows["partition"], int(partition)))
        hit = pc.or_(hit, pc.fill_null(same, False))
    return rows.filter(hit)


def as_table(rows: pa.Table) -> pd.DataFrame:
    """Some changes as a table for a person."""
    import pandas as pd

    told = rows.to_pydict()
    none = {-1: "none", None: ""}
    return pd.DataFrame(
        {
            "time": [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in told["taken_at"]],
            "change": list(map(word_of, told["kind"], told["whole"])),
            "topic": ["" if topic is None else text.visible(topic, 249) for topic in told["topic"]],
            "partition": ["" if partition is None else str(partition) for partition in told["partition"]],
            "broker": [none.get(broker, str(broker)) for broker in told["broker"]],
            "before": [none.get(was, str(was)) for was in told["was"]],
        }
    )


def as_csv(rows: pa.Table) -> str:
    """All of some changes as CSV, with the names of the table's own columns."""
    columns = ["taken_at", "previous_taken_at", "kind", "topic", "partition", "broker", "was", "whole"]
    return tables.as_csv(rows.select(columns).to_pandas(types_mapper=_whole))


def _whole(kind: pa.DataType) -> object:
    import pandas as pd

    return pd.Int32Dtype() if str(kind) == "int32" else None
