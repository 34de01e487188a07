"""The fleet: every cluster in one table, and which of them would not survive losing a broker or a rack."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components.clusters.fleet_figure import draw_weakest
from components.clusters.fleet_limits import draw_limits, with_limits
from components.clusters.fleet_opened import draw_opened
from components.clusters.fleet_table import draw_table
from components.clusters.fleet_words import answer, figures, worst_first
from components.look import on_paper, tables, text
from components.over_time.no_history import draw_empty
from components.over_time.pipeline_bar import draw_bar
from components.shell import frame
from components.state import addresses, caching, fields, session, shared, widgets
from components.state.slots import Slot
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.fleet import Fleet, fleet
from reseat.history.places import Places, places
from reseat.history.read import History

__all__ = ["CLUSTER", "draw"]

#: The name of the address for the cluster that is opened.
CLUSTER = "cluster"
#: Kept: the cluster that is opened; the worst where none was chosen.
_OPENED: Slot[str] = Slot("fleet-opened", addressed=True)
_FIGURE = "fleet-figure"


def draw() -> dict[str, str]:
    """All that the history knows of clusters, for who may see it; returns what the address says of it."""
    frame.needs(Door.READ_HISTORY)
    where = places()
    try:
        history = session.history(where.tables)
        with st.spinner("Reading the latest snapshot of every cluster …", show_time=True):
            read = caching.from_tables(history, "fleet", lambda: fleet(history))
    except InputRefused as refusal:
        frame.refused(refusal)
        draw_bar(where)
        return {}
    if len(read.clusters):
        return {CLUSTER: _draw(read, history, where)}
    draw_empty(where, shows="Every cluster in one table, with the failures it would not survive,")
    return {}


def _notices(history: History, where: Places) -> None:
    """What one should know of the tables: days that are being rewritten, files that could not be read."""
    healing = caching.from_tables(history, "unfinished", history.unfinished)
    if healing and not shared.pipeline().state.phase.busy:
        clusters = len({cluster for cluster, _ in healing})
        st.markdown(
            f":orange[:material/healing:] {text.counted(len(healing), 'day')} of {text.counted(clusters, 'cluster')} "
            f"{'is' if len(healing) == 1 else 'are'} partly rewritten: a run is in progress or ended early. "
            "The next run repairs that."
        )
    rejected = caching.from_tables(history, "rejected", history.rejected)
    if len(rejected):
        words = f":orange[:material/warning:] {text.counted(len(rejected), 'saved file')} could not be read"
        with fields.fold(words, name="rejected", key="fleet-rejected"):
            shown = rejected[["cluster", "path", "reason", "place", "size_bytes"]].head(200)
            st.dataframe(shown, hide_index=True, column_config=tables.explained(shown))
            on_paper.rows(shown)


def _draw(read: Fleet, history: History, where: Places) -> str:
    """The table and the opened cluster, where there is one; says which it is."""
    now = datetime.now(UTC)
    clusters = worst_first(read.clusters)
    frame.answer(answer(clusters, running=shared.pipeline().state.phase.busy))
    frame.figures(figures(clusters, now))
    draw_bar(where)
    _notices(history, where)

    def clicked() -> None:
        """What a click on a place of the figure opens; beside them all, the worst is open again."""
        hit = [place for place in widgets.clicked(_FIGURE) if place < len(clusters)]
        _opens(str(clusters["cluster"].iloc[hit[0]]) if hit else "")

    if clusters["swept"].any():
        draw_weakest(clusters, _FIGURE, clicked)
    found = clusters[clusters["cluster"] == _OPENED.get(st.query_params.get(CLUSTER, ""))]
    shown = found if len(found) else clusters.head(1)
    draw_opened(shown, now)
    lines = draw_limits(history, clusters)
    draw_table(with_limits(clusters, lines), now, read.days, _opens)
    opened = str(shown["cluster"].iloc[0])
    addresses.title(of=opened)
    return opened


def _opens(cluster: str) -> None:
    """Open a cluster from the next rerun on; none: the worst."""
    _OPENED.set(cluster)
