"""The moment that was clicked: what it was, in a line, and what one can do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from components import caching, history_desk, session, text, theme
from components.history_desk import Ends
from components.notices import refused
from components.past import clock
from components.pipeline_places import Places
from reseat.errors import InputRefused
from reseat.history.read import History
from reseat.model import Severity

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_moment"]

_CSS = Path(__file__).with_name("history_moment.css")
_COLOURS = {"broken": "red", "attention": "orange", "note": "gray"}
_ICONS = {severity.value: theme.severity_icon(severity) for severity in Severity}
#: Pages that a moment is opened on at once.
_WAYS = (
    ("pages/overview.py", "Overview", ":material/monitoring:"),
    ("pages/heatmap.py", "Heatmap", ":material/grid_on:"),
    ("pages/racks.py", "Racks", ":material/dns:"),
    ("pages/plan.py", "Plan", ":material/swap_horiz:"),
)


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
            pressed = [
                page for page, label, icon in _WAYS if st.button(label, key=f"history-to-{label.lower()}", icon=icon)
            ]
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
        told = row["worst_finding"]
        if isinstance(told, str):
            severity = str(row["worst_severity"])
            st.markdown(f":{_COLOURS.get(severity, 'gray')}[{_ICONS.get(severity, '')}] {text.plain(told)}")
        else:
            st.markdown(":green[:material/check_circle:] Nothing was found.")
    if pressed and _open(history, places, cluster, identity):
        st.switch_page(pressed[0])


def _open(history: History, places: Places, cluster: str, identity: str) -> bool:
    """Look at a moment on all pages; says whether it could be read."""
    try:
        with st.spinner("Reading the snapshot …", show_time=True):
            snapshot = caching.past_snapshot(history, places.landing, cluster, identity)
    except InputRefused as refusal:
        refused(refusal)
        return False
    session.open_past(snapshot, identity)
    return True
