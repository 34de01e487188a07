"""A link that could not be opened yet, above a page: what it is about, and what it waits for."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.shell import live_strip, navigation, wall
from components.state import connections, session
from reseat.sources.followed import LiveCluster

__all__ = ["draw"]

#: Seconds between two looks at a cluster that a link waits for.
_LOOK_SECONDS = 1.0
#: How layouts that were pasted are called.
_PASTED = "pasted text"


def draw() -> None:
    """Draw it; nothing where no link waits."""
    link = session.pending_link()
    if link is None:
        return
    with st.container(border=True, key="pending-link"):
        if link.error:
            st.markdown(f":orange[:material/link_off:] {text.plain(link.error)}")
        elif link.live is not None:
            what = "is about" if link.wish.is_empty else "shows a what-if on"
            then = "" if link.wish.is_empty else " Read it to see the what-if."
            st.markdown(
                f":orange[:material/link:] **This link {what} the live cluster {text.code(link.name)}, "
                f"which has not been loaded since the server started.**{then}"
            )
            known = connections.choices().named.get(link.name)
            if known is None:
                navigation.link(navigation.CLUSTERS, "Connect to it", also=navigation.ClustersView.LIVE.query)
            else:
                st.fragment(_read, run_every=_LOOK_SECONDS)(known)
        else:
            what, then = ("is about", "it") if link.wish.is_empty else ("shows a what-if on", "the what-if")
            how = "Paste the same text" if link.name.startswith(_PASTED) else "Open the same file"
            edits = {
                "with the link's racks": link.edits.racks,
                "without its excluded topics": link.edits.without or link.edits.without_internal,
            }
            said = " and ".join(words for words, held in edits.items() if held)
            st.markdown(
                f":orange[:material/link:] **This link {what} {text.code(link.name or 'a layout')}, "
                f"which this server does not have.** {how} to see {then}{said and f', {said}'}. "
                f"Layout digest: `{text.plain(link.digest)}`."
            )
        st.button("Ignore this link", key="forget-link", on_click=session.forget_link, type="tertiary")


def _read(live: LiveCluster) -> None:
    """Read the cluster of a link with one click, on the wall without, and open it as soon as it is read."""
    if (
        session.on_wall()
        and not live.refresh_if_due(wall.every(live.name), session.person().name)
        and live.state.tried_at is None
    ):
        connections.read(live)
    state = live.state
    if state.snapshot is not None:
        session.open_live(live)
        st.rerun()
    if state.progress is not None:
        st.markdown(f":material/sync: {text.plain(live_strip.progress_in_words(state.progress))} …")
        return
    if state.error is not None:
        st.markdown(f":red[:material/cloud_off: {text.plain(str(state.error))}]")
    st.button(
        f"Read {text.plain(live.name, 60)} now",
        key="read-linked",
        icon=":material/download:",
        type="primary",
        on_click=connections.read,
        args=(live,),
    )
