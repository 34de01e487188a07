"""The fleet: every cluster in one table, and which of them would not survive losing a broker or a rack."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st

from components.clusters.fleet_figure import draw_weakest
from components.clusters.fleet_limits import draw_limits, with_limits
from components.clusters.fleet_words import answer, figures, harms, old, worst_first
from components.look import on_paper, tables, text, theme
from components.over_time.no_history import draw_empty
from components.over_time.open_moment import worst_finding
from components.over_time.pipeline_bar import draw_bar
from components.shell import frame, navigation
from components.state import addresses, caching, fields, session, shared, widgets
from components.state.past import Past
from components.state.slots import Slot
from reseat.access import Door
from reseat.errors import InputRefused
from reseat.history.fleet import Fleet, fleet
from reseat.history.places import Places, places
from reseat.history.read import History
from reseat.model import Severity
from reseat.model.glossary import define
from reseat.model.search import Search

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.elements.lib.column_types import ColumnConfig

__all__ = ["CLUSTER", "as_csv", "draw", "matching", "table_frame"]

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
            f"{text.verb(len(healing), 'is', 'are')} partly rewritten: a run is in progress or ended early. "
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
    found = clusters[clusters["cluster"] == _OPENED.get(fields.offered(CLUSTER, set(clusters["cluster"])))]
    shown = found if len(found) else clusters.head(1)
    _draw_opened(shown, now)
    lines = draw_limits(history, clusters)
    _draw_table(with_limits(clusters, lines), now, read.days, _opens)
    opened = str(shown["cluster"].iloc[0])
    addresses.title(of=opened)
    return opened


def _opens(cluster: str) -> None:
    """Open a cluster from the next rerun on; none: the worst."""
    _OPENED.set(cluster)


_CSS = Path(__file__).with_name("fleet_view.css")
#: Pages that show the latest snapshot once it is opened.
_OPENS = (navigation.OVERVIEW, navigation.BOARD, navigation.RESILIENCE, navigation.HISTORY)


def _draw_opened(clusters: pd.DataFrame, now: datetime) -> None:
    """Draw it.

    Args:
        clusters: the cluster's row of ``reseat.history.fleet``, alone.
        now: the time, in UTC.
    """
    row = clusters.iloc[0]
    name, taken_at = str(row["cluster"]), row["taken_at"]
    assert isinstance(taken_at, datetime)  # noqa: S101 -- the table's own type
    st.html(_CSS)
    with st.container(border=True, key="fleet-opened"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="fleet-ways"):
            st.markdown(
                f"**{text.plain(name, 60)}** · {taken_at:%Y-%m-%d %H:%M} UTC, {text.ago(taken_at, now)}",
                width="stretch",
            )
            past = Past(name, str(row["snapshot_id"]))
            for place in _OPENS:
                also = {"cluster": name} if place is navigation.HISTORY else None
                with st.container(key=f"fleet-to-{place.address}", width="content"):
                    navigation.link(place, place.title, opens=addresses.moment(past), also=also)
        weakest = "Failures are not analysed yet."
        if row["swept"]:
            weakest = f"Weakest: {text.plain(harms(clusters, 'broker')[0])}; {text.plain(harms(clusters, 'rack')[0])}."
        st.markdown(f"{worst_finding(row)}  \n{weakest}")


#: Rows sent to the browser, 0.4 kB each.
_MOST_ROWS = 1_000
HEIGHT = 330
_SEARCHED = 12
_TABLE = "fleet-table"
_MARKS = {severity.value: theme.severity_word(severity).split()[0] for severity in Severity}


def matching(clusters: pd.DataFrame, typed: str) -> pd.DataFrame:
    """The clusters in whose name, worst finding, weakest rack or first limit the words are found, in any case."""
    search = Search.of(typed)
    if not search.words:
        return clusters
    hit = np.zeros(len(clusters), np.bool_)
    for column in clusters.columns.intersection(["cluster", "worst_finding", "weakest_rack", "first_limit"]):
        hit |= search.within(clusters[column])
    return clusters[hit]


def table_frame(clusters: pd.DataFrame, now: datetime) -> pd.DataFrame:
    """The rows as they are shown.

    Args:
        clusters: the clusters in the order of the table; ``first_limit`` is shown where it is among their columns.
        now: the time, in UTC.
    """
    import pandas as pd

    stale = old(clusters, now)
    findings = [
        f"{_MARKS.get(severity, '')} {text.visible(sentence, 160)}" if isinstance(sentence, str) else "✔ no findings"
        for severity, sentence in zip(clusters["worst_severity"], clusters["worst_finding"], strict=True)
    ]
    ahead = {"first limit": clusters["first_limit"].to_numpy()} if "first_limit" in clusters else {}
    return pd.DataFrame(
        {
            "cluster": [text.visible(name, 100) for name in clusters["cluster"]],
            "age": [
                f"{'▲ ' if is_old else ''}{text.ago(moment, now).removesuffix(' ago')}"
                for moment, is_old in zip(clusters["taken_at"], stale, strict=True)
            ],
            "brokers": clusters["brokers"].to_numpy(),
            "partitions": clusters["partitions"].to_numpy(),
            "size": tables.in_unit(clusters["size_bytes"])[1],
            "spread": clusters["replica_spread"].to_numpy(),
            "least": clusters["replica_spread_least"].to_numpy(),
            "weakest broker": harms(clusters, "broker", short=True),
            "weakest rack": harms(clusters, "rack", short=True),
            "worst finding": findings,
            **ahead,
            "size curve": clusters["size_curve"].to_numpy(),
            "spread curve": clusters["spread_curve"].to_numpy(),
            "last snapshot": clusters["taken_at"].to_numpy("datetime64[ms]"),
            "replicas": clusters["replicas"].to_numpy(),
            "offline by broker": clusters["broker_offline"].to_numpy(),
            "offline by rack": clusters["rack_offline"].to_numpy(),
        }
    )


def _draw_table(clusters: pd.DataFrame, now: datetime, days: int, on_select: Callable[[str], None]) -> None:
    """Draw it.

    Args:
        clusters: all, in the order of the table.
        now: the time, in UTC.
        days: how far the curves go back.
        on_select: called with the name of the cluster whose row was chosen, or with nothing where none is any more.
    """
    typed = (
        fields.find("fleet", "a cluster, a rack, or part of a finding or limit") if len(clusters) > _SEARCHED else ""
    )
    found = matching(clusters, typed)
    shown = found.head(_MOST_ROWS)
    span = "24 hours" if days == 1 else f"{days} days"

    def selected() -> None:
        rows = [row for row in widgets.chosen_rows(_TABLE) if row < len(shown)]
        on_select(str(shown["cluster"].iloc[rows[0]]) if rows else "")

    frame = table_frame(shown, now)
    unit, sizes = tables.in_unit(shown["size_bytes"])
    columns: dict[str, ColumnConfig] = {
        "cluster": st.column_config.TextColumn(width=112),
        "size curve": st.column_config.AreaChartColumn(f"size, {span}", width=88, y_min=0),
        "last snapshot": st.column_config.DatetimeColumn("last, UTC", format="MM-DD HH:mm", width=92),
        "age": st.column_config.TextColumn(width=80, help="▲ older than is usual for the cluster"),
        "brokers": st.column_config.NumberColumn(format="localized", width=60),
        "partitions": st.column_config.NumberColumn(format="localized", width=72),
        "size": st.column_config.NumberColumn(f"size, {unit}", format=tables.digits(sizes), width=70),
        "spread": st.column_config.NumberColumn(format="localized", width=56, help=define("Replica spread")),
        "least": st.column_config.NumberColumn(format="localized", width=48, help=define("Best possible")),
        "first limit": st.column_config.TextColumn(
            width=250, help="The limit that is likely met first, and on which day; History has the forecast"
        ),
        "weakest broker": st.column_config.TextColumn(width=156, help="The broker whose failure has the worst effect"),
        "weakest rack": st.column_config.TextColumn(width=156, help="The rack whose failure has the worst effect"),
        "worst finding": st.column_config.TextColumn(width=240),
        "spread curve": st.column_config.LineChartColumn(f"spread, {span}", width=100, y_min=0),
        "replicas": st.column_config.NumberColumn(format="localized", width=80),
        "offline by broker": st.column_config.NumberColumn(
            format="localized", width=118, help="Partitions that the weakest broker would take offline"
        ),
        "offline by rack": st.column_config.NumberColumn(
            format="localized", width=108, help="Partitions that the weakest rack would take offline"
        ),
    }
    many = len(clusters) > _SEARCHED
    height = HEIGHT if many else 1_000
    tables.table(frame, _TABLE, columns, height=height, of=len(clusters) if many else None, on_select=selected)
    opens = " Click a row to open it." if len(shown) else ""
    said = f"{tables.shown_of(len(shown), len(found), 'cluster')}{opens}"
    tables.foot("fleet", said, "fleet.csv", lambda: as_csv(found))


def as_csv(clusters: pd.DataFrame) -> str:
    """All columns but the curves, names made harmless for spreadsheets."""
    whole = clusters.drop(columns=["size_curve", "spread_curve"])
    return tables.as_csv(whole, ("cluster", "weakest_rack", "worst_finding", "first_limit"))
