"""The moment that was clicked: what it was, in a line, and what one can do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from components import history_desk, navigation
from components.history_desk import Ends
from components.moment import look_at, worst_finding
from components.past import clock
from components.pipeline_places import Places
from reseat.history.read import History

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_moment"]

_CSS = Path(__file__).with_name("history_moment.css")
#: Pages that a moment is opened on at once.
_WAYS = (navigation.OVERVIEW, navigation.HEATMAP, navigation.BOARD, navigation.PLAN)


def draw_moment(
    history: History, places: Places, cluster: str, row: pd.Series[object], *, ends: Ends | None, order: dict[str, int]
) -> None:
    """Draw it.

    Args:
        history: the tables.
        places: where the snapshot landed.
        cluster: the cluster.
        row: the moment's row of the table ``snapshots``.
        ends: the two moments that are compared, or None where there is but one.
        order: the place in time of every snapshot's identity.
    """
    st.html(_CSS)
    identity = str(row["snapshot_id"])
    with st.container(border=True, key="history-moment"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="history-moment-line"):
            st.markdown(
                f":material/history: **{row['taken_at']:%A} {clock(row['taken_at'])}**, on all pages:", width="content"
            )
            pressed = [way for way in _WAYS if st.button(way.title, key=f"history-to-{way.address}", icon=way.icon)]
            if ends is not None:
                for label, moved in (
                    ("Compare from here", Ends(identity, ends.b)),
                    ("Compare to here", Ends(ends.a, identity)),
                ):
                    st.button(
                        label,
                        key=f"history-{label.split()[1]}",
                        icon=":material/first_page:" if "from" in label else ":material/last_page:",
                        type="tertiary",
                        on_click=history_desk.keep_end,
                        args=(cluster, moved, order),
                    )
        st.markdown(worst_finding(row))
    if pressed and look_at(history, places, cluster, identity):
        navigation.go(pressed[0])
