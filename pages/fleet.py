"""Fleet: every cluster in one table, and which of them would not survive losing a broker or a rack."""

from datetime import UTC, datetime

import streamlit as st

from components import addresses, caching, frame, session, text
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

#: The name of the address that belongs to the page.
CLUSTER = "cluster"
#: Kept: the cluster that is opened; the worst where none was chosen.
OPENED = "fleet-opened"
FIGURE = "fleet-figure"


def notices(history: History, where: Places) -> None:
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


def draw(read: Fleet, history: History, where: Places) -> str:
    """The page, where there is a cluster; says which one is opened."""
    now = datetime.now(UTC)
    clusters = worst_first(read.clusters)
    frame.answer(answer(clusters))
    frame.figures(figures(clusters, now))
    draw_bar(where)
    notices(history, where)

    def clicked() -> None:
        """What a click on a place of the figure opens; beside them all, the worst is open again."""
        hit = [place for place in session.clicked(FIGURE) if place < len(clusters)]
        opens(str(clusters["cluster"].iloc[hit[0]]) if hit else "")

    if clusters["swept"].any():
        draw_weakest(clusters, FIGURE, clicked)
    found = clusters[clusters["cluster"] == session.kept(OPENED, st.query_params.get(CLUSTER, ""))]
    shown = found if len(found) else clusters.head(1)
    draw_opened(shown, history, where, now)
    draw_table(clusters, now, read.days, opens)
    return str(shown["cluster"].iloc[0])


def opens(cluster: str) -> None:
    """Open a cluster from the next rerun on; none: the worst."""
    session.keep(OPENED, cluster, addressed=True)


seat = frame.standalone(linked=True, door=Door.READ_HISTORY)
where = places()
own: dict[str, str] = {}
try:
    history = session.history(where.tables)
    with st.spinner("Reading the latest snapshot of every cluster …", show_time=True):
        read = caching.asked(history, "fleet", lambda: fleet(history))
except InputRefused as refusal:
    frame.refused(refusal)
    draw_bar(where)
else:
    if len(read.clusters):
        own = {CLUSTER: draw(read, history, where)}
    else:
        draw_empty(where, shows="Every cluster in one table, and what it would not survive,")
addresses.publish(seat, own)
