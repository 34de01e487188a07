"""Live clusters by name or address, tested, read and read again; what changed, and what a reading is worth."""

from __future__ import annotations

import streamlit as st

from components.clusters.cluster_card import draw_card
from components.clusters.connect_form import draw_form
from components.clusters.live_facts import draw_facts, draw_naming, draw_rights, snapshot_figures
from components.look import text
from components.over_time.changes_table import draw_changes
from components.shell import frame, sign_in
from components.state import connections
from components.state.connections import Connectable
from reseat.sources.followed import LiveCluster, LiveState

__all__ = ["draw"]


def draw() -> None:
    """The clusters that can be read, the one that is looked at closer, and what came of reading it."""
    frame.needs_extra("live")
    offered = connections.choices()
    live = connections.chosen(offered)
    state = LiveState() if live is None else live.state  # one moment for all that the page says
    frame.answer(_sentence(offered, live, state))
    if state.snapshot is not None:
        frame.figures(snapshot_figures(state, state.snapshot))

    left, right = st.container(key="clusters-live").columns([2, 3], gap="large")
    with left:
        st.header("Clusters", anchor=False)
        if offered.all or offered.refused:
            connections.draw_list(offered, live)
        if not offered.reading.may:
            sign_in.draw_buttons("clusters")
        elif offered.typing.may:
            with st.expander("Another address", icon=":material/add_link:", expanded=not offered.all):
                draw_form(offered)
        else:
            st.caption(text.plain(offered.typing.sentence))
        draw_naming()
    with right:
        if live is not None:
            draw_card(live, state)
        else:
            st.markdown(
                "Reseat reads brokers, racks, replica lists, leaders and ISRs from ZooKeeper or from the brokers "
                "themselves, and shows them on every page. Reading never writes."
            )

    if live is not None and state.snapshot is not None:
        draw_changes(state, f"changes-{live.name}")
        draw_facts(state.snapshot)
    draw_rights()


def _sentence(offered: Connectable, live: LiveCluster | None, state: LiveState) -> str:
    """The sentence that answers the page's question: is there a live cluster, and how fresh is what one sees?"""
    if not offered.reading.may:
        return offered.reading.sentence
    if live is None:
        return "No live cluster yet. Enter an address, or add a cluster to the configuration."
    if state.snapshot is None:
        refused = state.error is not None and not state.refreshing
        return (
            f"{live.name} cannot be read."
            if refused
            else f"{live.name} has not been read yet. Reading changes nothing on it."
        )
    brokers = state.snapshot.layout.brokers
    away = [broker.id for broker in brokers if broker.state.away]
    size = f"{text.counted(len(brokers), 'broker')} and " + text.counted(
        state.snapshot.layout.partition_count, "partition"
    )
    if away:
        named = f"broker {away[0]} is" if len(away) == 1 else f"{len(away):,} are"
        size += f"; {named} not alive"
    if state.error is not None:
        return f"{live.name} is unreachable. Shown: the state read {text.ago(state.snapshot.taken_at)}: {size}."
    return f"{live.name} was read {text.ago(state.snapshot.taken_at)}: {size}."
