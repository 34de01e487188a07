"""One cluster of the fleet opened: what its weakest losses would do, and its latest snapshot on all other pages."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pandas as pd
import streamlit as st

from components.clusters.fleet_words import harms
from components.look import text
from components.over_time.open_moment import worst_finding
from components.shell import navigation
from components.state import addresses
from components.state.past import Past

__all__ = ["draw_opened"]

_CSS = Path(__file__).with_name("fleet_opened.css")
#: Pages that show the latest snapshot once it is opened.
_OPENS = (navigation.OVERVIEW, navigation.BOARD, navigation.RESILIENCE, navigation.HISTORY)


def draw_opened(clusters: pd.DataFrame, now: datetime) -> None:
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
