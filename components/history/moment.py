"""The moment that was clicked: what it was, in a line, and what one can do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from components.history import choices
from components.history.choices import Ends
from components.over_time.open_moment import worst_finding
from components.shell import navigation
from components.state import addresses
from components.state.past import Past, clock

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["draw_moment"]

_CSS = Path(__file__).with_name("history_moment.css")
#: Pages that a moment is opened on at once.
_OPENS = (navigation.OVERVIEW, navigation.HEATMAP, navigation.BOARD, navigation.PLAN)


def draw_moment(cluster: str, row: pd.Series[Any], *, ends: Ends | None, order: dict[str, int]) -> None:
    """Draw it.

    Args:
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
            for place in _OPENS:
                with st.container(key=f"history-to-{place.address}", width="content"):
                    navigation.link(place, place.title, opens=addresses.moment(Past(cluster, identity)))
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
                        on_click=choices.keep_end,
                        args=(cluster, moved, order),
                    )
        st.markdown(worst_finding(row))
