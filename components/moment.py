"""One snapshot of a history: its worst finding in a line, and the way into it on all other pages."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from components import caching, session, text, theme
from components.notices import refused
from components.pipeline_places import Places
from reseat.errors import InputRefused
from reseat.history.read import History
from reseat.model import Severity

__all__ = ["look_at", "worst_finding"]

_COLOURS = {"broken": "red", "attention": "orange", "note": "gray"}
_ICONS = {severity.value: theme.severity_icon(severity) for severity in Severity}


def worst_finding(row: pd.Series) -> str:
    """The worst finding of a row of ``snapshots`` as Markdown, with its icon; names in it stay text."""
    told = row["worst_finding"]
    if not isinstance(told, str):
        return ":green[:material/check_circle:] Nothing was found."
    severity = str(row["worst_severity"])
    return f":{_COLOURS.get(severity, 'gray')}[{_ICONS.get(severity, '')}] {text.plain(told)}"


def look_at(history: History, places: Places, cluster: str, snapshot_id: str) -> bool:
    """Look at a snapshot on all pages; says whether it could be read."""
    try:
        with st.spinner("Reading the snapshot …", show_time=True):
            snapshot = caching.past_snapshot(history, places.landing, cluster, snapshot_id)
    except InputRefused as refusal:
        refused(refusal)
        return False
    session.open_past(snapshot, snapshot_id)
    return True
