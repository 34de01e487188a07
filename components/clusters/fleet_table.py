"""All clusters in one table, sorted by a click on a heading, searched on the server, with their curves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components.clusters.fleet_words import harms, old
from components.look import tables, text, theme
from components.state import fields, widgets
from reseat.model import Severity
from reseat.model.glossary import define
from reseat.model.search import Search

if TYPE_CHECKING:
    import pandas as pd
    from streamlit.elements.lib.column_types import ColumnConfig

__all__ = ["MOST_ROWS", "as_csv", "draw_table", "matching", "table_frame"]

#: Rows sent to the browser, 0.4 kB each.
MOST_ROWS = 1_000
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
            "size curve": clusters["size_curve"].to_numpy(),
            "last snapshot": clusters["taken_at"].to_numpy("datetime64[ms]"),
            "age": [
                f"{'▲ ' if is_old else ''}{text.ago(moment, now).removesuffix(' ago')}"
                for moment, is_old in zip(clusters["taken_at"], stale, strict=True)
            ],
            "brokers": clusters["brokers"].to_numpy(),
            "partitions": clusters["partitions"].to_numpy(),
            "size": tables.in_unit(clusters["size_bytes"])[1],
            "spread": clusters["replica_spread"].to_numpy(),
            "least": clusters["replica_spread_least"].to_numpy(),
            **ahead,
            "weakest broker": harms(clusters, "broker", short=True),
            "weakest rack": harms(clusters, "rack", short=True),
            "worst finding": findings,
            "spread curve": clusters["spread_curve"].to_numpy(),
            "replicas": clusters["replicas"].to_numpy(),
            "offline by broker": clusters["broker_offline"].to_numpy(),
            "offline by rack": clusters["rack_offline"].to_numpy(),
        }
    )


def draw_table(clusters: pd.DataFrame, now: datetime, days: int, on_select: Callable[[str], None]) -> None:
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
    shown = found.head(MOST_ROWS)
    span = "24 hours" if days == 1 else f"{days} days"

    def selected() -> None:
        rows = [row for row in widgets.chosen_rows(_TABLE) if row < len(shown)]
        on_select(str(shown["cluster"].iloc[rows[0]]) if rows else "")

    frame = table_frame(shown, now)
    columns: dict[str, ColumnConfig] = {
        "cluster": st.column_config.TextColumn(width=112),
        "size curve": st.column_config.AreaChartColumn(f"size, {span}", width=88, y_min=0),
        "last snapshot": st.column_config.DatetimeColumn("last, UTC", format="MM-DD HH:mm", width=92),
        "age": st.column_config.TextColumn(width=80, help="▲ older than is usual for the cluster"),
        "brokers": st.column_config.NumberColumn(format="localized", width=60),
        "partitions": st.column_config.NumberColumn(format="localized", width=72),
        "size": st.column_config.NumberColumn(
            f"size, {tables.in_unit(shown['size_bytes'])[0]}", format="localized", width=70
        ),
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
    tables.table(frame, _TABLE, columns, height=height, fixed=many, on_select=selected)
    opens = " Click a row to open it." if len(shown) else ""
    said = f"{tables.shown_of(len(shown), len(found), 'cluster')}{opens}"
    tables.foot("fleet", said, "fleet.csv", lambda: as_csv(found))


def as_csv(clusters: pd.DataFrame) -> str:
    """All columns but the curves, names made harmless for spreadsheets."""
    whole = clusters.drop(columns=["size_curve", "spread_curve"])
    return tables.as_csv(whole, ("cluster", "weakest_rack", "worst_finding", "first_limit"))
