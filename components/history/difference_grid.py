"""The heatmap of the difference between two moments, on the grid of the Heatmap page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from components.canvas.heat_grid import HeatView, apply_event, heat_grid
from components.canvas.heat_grid.view import NAMES, from_query, to_query
from components.look import text
from components.state import addresses, caching, fields
from components.state.slots import Slot
from components.what_if import grid_panel
from components.what_if.grid_words import sentence
from reseat.balance.combined import both
from reseat.model import ClusterLayout

__all__ = ["draw_heat"]

_KEPT: Slot[_Kept] = Slot("history-heat", addressed=True)
_Kept = tuple[tuple[str, ...], HeatView]


def draw_heat(before: ClusterLayout, after: ClusterLayout, title: str) -> None:
    """Draw it: brokers by topics, or by the partitions of one topic that was clicked.

    Args:
        before: the earlier layout.
        after: the later one.
        title: what the difference is, after "3 replicas fewer in".
    """
    base = caching.kept(both, caching.LAYOUTS)(before, after)
    told = [name for name in grid_panel.measures_of(before) if name in grid_panel.measures_of(after)]
    left, right = st.columns([1.4, 4], vertical_alignment="bottom")
    measure = fields.select(
        "Measure", told, name="heat_measure", key="history-heat-measure", says=grid_panel.MEASURES, place=left
    )
    place = right.container(horizontal=True, vertical_alignment="center", key="history-heat-trail")
    signature = (before.digest, after.digest, measure)
    linked = grid_panel.within(base, from_query(st.query_params.to_dict()))
    kept: _Kept = _KEPT.get((signature, linked))
    view = replace(kept[1] if kept[0] == signature else HeatView(), measure=grid_panel.MEASURES[measure])
    shown = to_query(view)
    for name in NAMES:
        if name != "heat_measure":  # which its field tells
            addresses.tell(name, shown.get(name, ""))
    choice = grid_panel.GridChoice(view, grid_panel.axes_for(base, view), before, after, "difference", title, place)
    data, grid = grid_panel.drawn(choice)
    with place:
        st.markdown(f"**{text.plain(sentence(choice, grid))}**", width="content")
        if view.zoomed:
            st.button(
                "All topics", icon=":material/zoom_out:", key="history-heat-out", on_click=_show, args=(signature,)
            )

    def hear(event: Mapping[str, object]) -> None:
        if event.get("token") == data["token"]:
            _show(signature, apply_event(view, event, choice.axes))

    heat_grid(data, fields.figure("history-heatmap", hear, find="find_broker"), key="history-heat-grid")
    st.caption(
        "Each row is a broker, each column a topic, of either snapshot. Blue: more at B than at A, brown: fewer, "
        "white: no difference. Drag to zoom in, click a topic for its partitions."
    )


def _show(signature: tuple[str, ...], view: HeatView | None = None) -> None:
    _KEPT.set((signature, view or HeatView()))
