"""The part of the strip that tells of a live cluster: name, way, age, what is under way, and why it was lost.

A fragment that asks again every few seconds. It also is what lets a page refresh: the reading itself runs elsewhere,
and once it has come the page is drawn anew.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from components.look import text
from components.shell import wall
from components.state import connections, session, told
from components.state.open_layout import OpenLayout
from reseat.model import Consistency, Snapshot
from reseat.sources.followed import LiveCluster, LiveState
from reseat.sources.progress import ReadingProgress

__all__ = ["draw", "progress_in_words"]

#: Seconds between two looks at the state; a look costs the server a millisecond.
_LOOK_SECONDS = 2.0
#: A live reading older than this, or than three times the interval that was chosen, is shown as old.
_OLD = timedelta(minutes=10)
_TIMES = 3
_LONGEST_REASON = 110


def draw(open_layout: OpenLayout, live: LiveCluster) -> None:
    """Draw it into the strip, and keep it up to date while the page is open."""
    st.fragment(_draw, run_every=_LOOK_SECONDS)(open_layout, live)


def _draw(open_layout: OpenLayout, live: LiveCluster) -> None:
    if session.closed() is not None:
        told.redraw()  # the sign-in has grown old: the page says so, and nothing is read for it any more
    live.refresh_if_due(wall.every(live.name), session.person().name)
    state = live.state
    if state.snapshot is not None and state.snapshot is not open_layout.snapshot:
        told.redraw()
    # A part that draws itself anew stands one below the other; this puts its pieces beside each other again.
    with st.container(key="strip-live", horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"{_protocol(state.snapshot)} · {_age(open_layout, live, state)}", width="content")
        if state.progress is not None:
            st.markdown(f":material/sync: {text.plain(progress_in_words(state.progress))}", width="content")
        elif state.error is not None:
            since = text.plain(text.ago(state.failed_at or open_layout.read_at))
            st.markdown(f":red[:material/cloud_off: **{connections.trouble(state.error)}** {since}]", width="content")
        st.button(
            "Refresh",
            key="strip-refresh",
            icon=":material/refresh:",
            type="tertiary",
            disabled=state.refreshing,
            on_click=connections.read,
            args=(live,),
            help="Read the cluster again now",
        )
    if state.error is not None and not state.refreshing:
        reason = str(state.error)
        shown = reason if len(reason) <= _LONGEST_REASON else f"{reason[:_LONGEST_REASON].rsplit(' ', 1)[0]} …"
        st.markdown(f":red[{text.plain(shown)}]")


def _protocol(snapshot: Snapshot | None) -> str:
    """How it was read and what that promises, in a few words."""
    if snapshot is None:
        return ""
    if snapshot.protocol == "admin":
        return "Admin protocol, not a consistent snapshot"
    if snapshot.consistency is Consistency.CONSISTENT:
        return "ZooKeeper, consistent"
    unsettled = len(snapshot.unsettled)
    return f"ZooKeeper, {text.counted(unsettled, 'topic')} inconsistent" if unsettled else "ZooKeeper, not consistent"


def progress_in_words(progress: ReadingProgress) -> str:
    """What is read now, and how much of it is there."""
    if progress.step == "connection":
        return "connecting"
    if not progress.total:
        return f"reading {progress.step}"
    return f"reading {progress.step}, {progress.done:,} of {progress.total:,}"


def _age(open_layout: OpenLayout, live: LiveCluster, state: LiveState) -> str:
    every = wall.every(live.name)
    limit = _OLD if every is None else max(timedelta(seconds=_TIMES * every), timedelta(minutes=1))
    age = f"read {text.ago(open_layout.read_at)}"
    old = state.error is not None or datetime.now(UTC) - open_layout.read_at > limit
    return f":orange[:material/schedule: {age}]" if old else age
