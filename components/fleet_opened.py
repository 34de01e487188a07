"""One cluster of the fleet opened: what its weakest losses would do, and its latest snapshot on all other pages."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pandas as pd
import streamlit as st

from components import history_desk, navigation, text
from components.fleet_words import harms
from components.moment import look_at, worst_finding
from components.past import Past
from components.pipeline_places import Places
from reseat.history.read import History

__all__ = ["draw_opened"]

_CSS = Path(__file__).with_name("fleet_opened.css")
#: Pages that show the latest snapshot once it is opened.
_WAYS = (navigation.OVERVIEW, navigation.BOARD, navigation.RESILIENCE, navigation.HISTORY)


def draw_opened(clusters: pd.DataFrame, history: History, places: Places, now: datetime) -> None:
    """Draw it.

    Args:
        clusters: the cluster's row of ``reseat.history.fleet``, alone.
        history: the tables.
        places: where the snapshot landed.
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
            pressed = [way for way in _WAYS if st.button(way.title, key=f"fleet-to-{way.address}", icon=way.icon)]
        weakest = "Its losses are not counted yet: the pipeline's sweep does that."
        if row["swept"]:
            weakest = f"Weakest: {text.plain(harms(clusters, 'broker')[0])}; {text.plain(harms(clusters, 'rack')[0])}."
        st.markdown(f"{worst_finding(row)}  \n{weakest}")
    if pressed and look_at(history, places, name, str(row["snapshot_id"])):
        history_desk.keep_cluster(name, Past(name, str(row["snapshot_id"])).link)
        navigation.go(pressed[0])
