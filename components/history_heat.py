"""The heatmap of the difference between two moments, on the grid of the Heatmap page."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components import caching, session, text
from components.heat_grid import HeatView, apply_event, heat_grid, panel
from components.heat_grid.words import sentence
from reseat.model import ClusterLayout

__all__ = ["draw_heat"]

_KEPT = "history-heat"
_Kept = tuple[tuple[str, ...], HeatView]


def draw_heat(before: ClusterLayout, after: ClusterLayout, title: str) -> None:
    """Draw it: brokers by topics, or by the partitions of one topic that was clicked.

    Args:
        before: the earlier layout.
        after: the later one.
        title: what the difference is, after "3 replicas fewer in".
    """
    base = caching.both_of(before, after)
    told = [name for name in panel.measures_of(before) if name in panel.measures_of(after)]
    left, right = st.columns([1.4, 4], vertical_alignment="bottom")
    measure = left.selectbox("Measure", told, key="history-heat-measure")
    place = right.container(horizontal=True, vertical_alignment="center", key="history-heat-trail")
    signature = (before.digest, after.digest, measure)
    kept: _Kept = session.kept(_KEPT, ((), HeatView()))
    view = replace(kept[1] if kept[0] == signature else HeatView(), measure=panel.MEASURES[measure])
    choice = panel.Choice(view, panel.axes_for(base, view), before, after, "difference", title, place)
    data, grid = panel.drawn(choice)
    with place:
        st.markdown(f"**{text.plain(sentence(choice, grid))}**", width="content")
        if view.zoomed:
            st.button(
                "All topics", icon=":material/zoom_out:", key="history-heat-out", on_click=_show, args=(signature,)
            )
    event = heat_grid(data, key="history-heat-grid")
    if event is not None:
        another = apply_event(view, event, choice.axes)
        if another != view:
            _show(signature, another)
            st.rerun()
    st.caption(
        "Each row is a broker, each column a topic, of either snapshot. Blue: more at B than at A, brown: fewer, "
        "white: no difference. Drag to zoom in, click a topic for its partitions."
    )


def _show(signature: tuple[str, ...], view: HeatView | None = None) -> None:
    session.keep(_KEPT, (signature, view or HeatView()))
