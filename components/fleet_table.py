"""All clusters in one table, sorted by a click on a heading, searched on the server, with their curves."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from components import tables, text, theme
from components.fleet_words import harms, old
from reseat.model import Severity

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MOST_ROWS", "as_csv", "draw_table", "matching", "table_frame"]

#: Rows sent to the browser, 0.4 kB each.
MOST_ROWS = 1_000
HEIGHT = 330
_SEARCHED = 12
_MARKS = {severity.value: theme.severity_word(severity).split()[0] for severity in Severity}


def matching(clusters: pd.DataFrame, typed: str) -> pd.DataFrame:
    """The clusters in whose name, worst finding or weakest rack the words are found, without regard to case."""
    needle = typed.strip().casefold()
    if not needle:
        return clusters
    hit = np.zeros(len(clusters), np.bool_)
    for column in ("cluster", "worst_finding", "weakest_rack"):
        hit |= clusters[column].fillna("").str.casefold().str.contains(needle, regex=False).to_numpy(bool)
    return clusters[hit]


def table_frame(clusters: pd.DataFrame, now: datetime) -> pd.DataFrame:
    """The rows as they are shown.

    Args:
        clusters: the clusters in the order of the table.
        now: the time, in UTC.
    """
    import pandas as pd

    stale = old(clusters, now)
    findings = [
        f"{_MARKS.get(severity, '')} {text.visible(sentence, 160)}" if isinstance(sentence, str) else "✔ nothing found"
        for severity, sentence in zip(clusters["worst_severity"], clusters["worst_finding"], strict=True)
    ]
    return pd.DataFrame(
        {
            "cluster": [text.visible(name, 100) for name in clusters["cluster"]],
            "last snapshot": clusters["taken_at"].to_numpy("datetime64[ms]"),
            "age": ["▲ old" if is_old else "✔" for is_old in stale],
            "worst finding": findings,
            "weakest broker": harms(clusters, "broker"),
            "weakest rack": harms(clusters, "rack"),
            "brokers": clusters["brokers"].to_numpy(),
            "partitions": clusters["partitions"].to_numpy(),
            "replicas": clusters["replicas"].to_numpy(),
            "size": clusters["size_bytes"].to_numpy(),
            "spread": clusters["replica_spread"].to_numpy(),
            "least": clusters["replica_spread_least"].to_numpy(),
            "size curve": clusters["size_curve"].to_numpy(),
            "spread curve": clusters["spread_curve"].to_numpy(),
        }
    )


def draw_table(clusters: pd.DataFrame, now: datetime, days: int, on_select: Callable[[list[str]], None]) -> None:
    """Draw it.

    Args:
        clusters: all, in the order of the table.
        now: the time, in UTC.
        days: how far the curves go back.
        on_select: called with the name of the cluster whose row was clicked, or with none.
    """
    typed = tables.search("fleet", "a cluster, a rack, or words of a finding") if len(clusters) > _SEARCHED else ""
    found = matching(clusters, typed)
    shown = found.head(MOST_ROWS)
    span = "24 hours" if days == 1 else f"{days} days"
    event = st.dataframe(
        table_frame(shown, now),
        key="fleet-table",
        hide_index=True,
        height=HEIGHT,
        row_height=30,
        on_select="rerun",
        selection_mode="single-row",
        placeholder="",
        column_config={
            "cluster": st.column_config.TextColumn(pinned=True),
            "last snapshot": st.column_config.DatetimeColumn(format="distance", width=110),
            "age": st.column_config.TextColumn("", width=52, help="▲ older than is usual for the cluster"),
            "worst finding": st.column_config.TextColumn(width=250),
            "brokers": st.column_config.NumberColumn(format="localized", width=66),
            "partitions": st.column_config.NumberColumn(format="localized", width=80),
            "replicas": st.column_config.NumberColumn(format="localized", width=80),
            "size": st.column_config.NumberColumn(format="bytes", width=76),
            "spread": st.column_config.NumberColumn(
                format="localized", width=66, help="Replicas on the fullest broker less those on the emptiest"
            ),
            "least": st.column_config.NumberColumn(
                format="localized", width=56, help="The least spread that the same replicas can have"
            ),
            "size curve": st.column_config.AreaChartColumn(f"size, {span}", width=110, y_min=0),
            "spread curve": st.column_config.LineChartColumn(f"spread, {span}", width=110, y_min=0),
        },
    )
    with st.container(horizontal=True, vertical_alignment="center", key="fleet-foot"):
        st.caption(f"{tables.shown_of(len(shown), len(found), 'cluster')} Click a row to open it.", width="content")
        tables.download("fleet-csv", "fleet.csv", lambda: as_csv(found))
    rows = event["selection"]["rows"]
    on_select([str(shown["cluster"].iloc[row]) for row in rows if row < len(shown)])


def as_csv(clusters: pd.DataFrame) -> str:
    """All columns but the curves, names made harmless for spreadsheets."""
    whole = clusters.drop(columns=["size_curve", "spread_curve"]).copy()
    for column in ("cluster", "weakest_rack", "worst_finding"):
        whole[column] = tables.harmless(whole[column].fillna("").astype(str))
    written: str = whole.to_csv(index=False)
    return written
