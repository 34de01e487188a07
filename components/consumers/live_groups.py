"""The groups of the connected cluster: read when asked for, then told as any other story."""

from __future__ import annotations

import streamlit as st

from components.consumers import scenario
from components.look import tables, text
from components.look.notices import refused
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat.consumers import ASSIGNORS
from reseat.consumers.events import Rebalance
from reseat.errors import ReseatError
from reseat.sources.followed import LiveCluster
from reseat.sources.kafka_admin.client import open_admin
from reseat.sources.kafka_admin.groups import Listing, LiveGroup, describe_group, list_groups, state_of

__all__ = ["draw_groups", "draw_members", "group_as_read"]

_LISTED: Slot[Listing] = Slot("consumers-listed")
_GROUP: Slot[LiveGroup] = Slot("consumers-live-group")
#: Groups whose members consume: the others are Kafka Connect's, share groups, and so on.
_CONSUMERS = ("consumer", "")


def draw_groups(seat: OpenLayout | None) -> None:
    """Where a live cluster is connected, its groups, one to choose; reading begins when it is asked for."""
    live = None if seat is None else seat.live
    if live is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="consumers-live"):
        listing = _LISTED.of(live.name).get(Listing(()))
        names = [
            one.name for one in listing.groups if one.protocol in _CONSUMERS and one.kind in ("classic", "consumer")
        ]
        if not live.connection.bootstrap:
            st.caption("Groups are read from brokers: add bootstrap servers to this ZooKeeper connection.")
            return
        words = "Refresh the list" if names else f"Groups of {text.plain(live.name, 40)}"
        if st.button(words, icon=":material/groups:", key="consumers-list"):
            _list(live)
            st.rerun()
        if not names:
            if listing.not_read:
                st.caption(text.plain(" ".join(listing.not_read[:3])))
            return
        states = {one.name: one.state.lower() for one in listing.groups}
        chosen = st.selectbox(
            "Group",
            names,
            index=None,
            format_func=lambda name: f"{text.visible(name, 60)} · {states[name]}",
            placeholder=f"{text.counted(len(names), 'group')}: choose one",
            label_visibility="collapsed",
            key="consumers-group",
        )
        if st.button("Show it", key="consumers-show", disabled=chosen is None) and chosen is not None:
            _show(live, chosen)
    if listing.not_read:
        st.caption(text.plain(" ".join(listing.not_read[:3])))


def _list(live: LiveCluster) -> None:
    try:
        with st.spinner("Listing groups …"), open_admin(live.connection) as admin:
            _LISTED.of(live.name).set(list_groups(admin))
    except ReseatError as error:
        refused(error)
        st.stop()


def _show(live: LiveCluster, name: str) -> None:
    """Read a group, and tell it."""
    try:
        with st.spinner("Reading the group …"), open_admin(live.connection) as admin:
            group = describe_group(admin, name)
    except ReseatError as error:
        refused(error)
        return
    state, notes = state_of(group)
    assignor = group.assignor if group.assignor in ASSIGNORS else "range"
    if group.assignor and group.assignor not in ASSIGNORS:
        notes = (
            *notes,
            f"Its assignor is {group.assignor}, which Reseat does not have; it is shown with range instead.",
        )
    scenario.begin(
        name, state, (Rebalance(),) if state.members else (), assignor=assignor, note=" ".join(notes) or None
    )
    _GROUP.set(group)
    st.rerun()


def group_as_read(name: str) -> LiveGroup | None:
    """The live group of this name as it was read, if the story told is its; else None."""
    group = _GROUP.get(LiveGroup("", "", "", "", -1))
    return group if group.name and group.name == name else None


def draw_members(group: LiveGroup) -> None:
    """A live group as it was read: members with client, host and lag."""
    import pandas as pd

    lag = group.lag
    behind = sum(lag.values())
    st.markdown(
        f"**{text.plain(group.name, 80)}** is {text.plain(group.state.lower(), 40)}, coordinated by broker "
        f"{group.coordinator}, assigned by {text.plain(group.assignor, 60) or 'nobody'}; "
        f"lag {text.counted(behind, 'record')} in {text.counted(len(lag), 'partition')} with committed offsets."
    )
    frame = pd.DataFrame(
        {
            "member": [text.visible(member.id, 80) for member in group.members],
            "client": [text.visible(member.client_id, 60) for member in group.members],
            "host": [text.visible(member.host, 60) for member in group.members],
            "static": [text.visible(member.instance_id or "", 60) for member in group.members],
            "partitions": [len(member.assignment) for member in group.members],
            "lag": [sum(lag.get(partition, 0) for partition in member.assignment) for member in group.members],
        }
    ).head(tables.MOST_ROWS)
    tables.table(frame, "consumers-members", height=260)
