"""Where a browser session keeps its ``SessionState``; begun once, by following the address that it came with."""

from __future__ import annotations

from weakref import WeakValueDictionary

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.state import follow, links
from components.state.opened import SessionState

__all__ = ["KEY", "WALL", "page_script", "sessions", "state"]

#: Where it stands in Streamlit's session.
KEY = "reseat"
#: What the address says on the wall.
WALL = {"wall": "1"}
#: The states of the sessions that the server keeps; one that Streamlit forgets is gone from here, too.
_KEPT: WeakValueDictionary[int, SessionState] = WeakValueDictionary()


def sessions() -> tuple[SessionState, ...]:
    """What each session has open that the server keeps: those whose page is open, or was two minutes ago."""
    return tuple(_KEPT.values())


def state() -> SessionState:
    """All that the session has open."""
    if KEY not in st.session_state:
        st.session_state[KEY] = SessionState()
        _KEPT[id(st.session_state[KEY])] = st.session_state[KEY]
    found: SessionState = st.session_state[KEY]
    if not found.started:
        found.started = True
        found.wall = WALL.items() <= st.query_params.to_dict().items()
        follow.begin(found, links.from_query(st.query_params.to_dict()))
    return found


def page_script() -> str | None:
    """The script of the open page, hashed."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.page_script_hash
