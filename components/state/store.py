"""Where a browser session keeps its ``State``; begun once, by following the address that it came with."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.state import follow, links
from components.state.opened import State

__all__ = ["KEY", "WALL", "page_script", "state"]

#: Where it stands in Streamlit's session.
KEY = "reseat"
#: What the address says on the wall.
WALL = {"wall": "1"}


def state() -> State:
    """All that the session has open."""
    if KEY not in st.session_state:
        st.session_state[KEY] = State()
    found: State = st.session_state[KEY]
    if not found.started:
        found.started = True
        found.wall = WALL.items() <= st.query_params.to_dict().items()
        follow.begin(found, links.from_query(st.query_params.to_dict()))
    return found


def page_script() -> str | None:
    """The script of the open page, hashed."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.page_script_hash
