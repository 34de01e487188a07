"""The fleet: every cluster in one table, and which of them would not survive losing a broker or a rack."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from components import caching, frame, session, text
from components.fleet_figure import draw_weakest
from components.fleet_opened import draw_opened
from components.fleet_table import draw_table
from components.fleet_words import answer, figures, worst_first
from components.pipeline_bar import draw_bar
from components.pipeline_empty import draw_empty
from components.pipeline_places import Places, places
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.fleet import Fleet, fleet
from reseat.history.read import History

__all__ = ["CLUSTER", "draw"]

#: The name of the address for the cluster that is opened.
CLUSTER = "cluster"
#: Kept: the cluster that is opened; the worst where none was chosen.
_OPENED = "fleet-opened"
_FIGURE = "fleet-figure"


def draw() -> dict[str, str]:
    """All that the history knows of clusters, for who may see it; returns what the address says of it."""
    frame.needs(Door.READ_HISTORY)
    where = places()
    try:
        history = session.history(where.tables)
        with st.spinner("Reading the latest snapshot of every cluster …", show_time=True):
            read = caching.asked(history, "fleet", lambda: fleet(history))
    except InputRefused as refusal:
        frame.refused(refusal)
        draw_bar(where)
        return {}
    if len(read.clusters):
        return {CLUSTER: _draw(read, history, where)}
    draw_empty(where, shows="Every cluster in one table, and what it would not survive,")
    return {}


def _notices(history: History, where: Places) -> None:
    """What one should know of the tables: days that are being rewritten, files that could not be read."""
    healing = caching.asked(history, "unfinished", history.unfinished)
    if healing and not caching.pipeline().state.phase.busy:
        clusters = len({cluster for cluster, _ in healing})
        st.markdown(
            f":orange[:material/healing:] {text.plural(len(healing), 'day')} of {text.plural(clusters, 'cluster')} "
            f"{'is' if len(healing) == 1 else 'are'} being rewritten, or were as a run ended; the next run heals that."
        )
    rejected = caching.asked(history, "rejected", history.rejected)
    if len(rejected):
        with st.expander(
            f":orange[:material/warning:] {text.plural(len(rejected), 'landed file')} could not be read",
            key="fleet-rejected",
        ):
            st.dataframe(rejected[["cluster", "path", "reason", "place", "size_bytes"]].head(200), hide_index=True)


def _draw(read: Fleet, history: History, where: Places) -> str:
    """The table and the opened cluster, where there is one; says which it is."""
    now = datetime.now(UTC)
    clusters = worst_first(read.clusters)
    frame.answer(answer(clusters))
    frame.figures(figures(clusters, now))
    draw_bar(where)
    _notices(history, where)

    def clicked() -> None:
        """What a click on a place of the figure opens; beside them all, the worst is open again."""
        hit = [place for place in session.clicked(_FIGURE) if place < len(clusters)]
        _opens(str(clusters["cluster"].iloc[hit[0]]) if hit else "")

    if clusters["swept"].any():
        draw_weakest(clusters, _FIGURE, clicked)
    found = clusters[clusters["cluster"] == session.kept(_OPENED, st.query_params.get(CLUSTER, ""))]
    shown = found if len(found) else clusters.head(1)
    draw_opened(shown, history, where, now)
    draw_table(clusters, now, read.days, _opens)
    return str(shown["cluster"].iloc[0])


def _opens(cluster: str) -> None:
    """Open a cluster from the next rerun on; none: the worst."""
    session.keep(_OPENED, cluster, addressed=True)
