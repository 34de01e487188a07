"""The groups of the connected cluster: read when asked for, then told as any other story."""

from __future__ import annotations

import streamlit as st

from components.consumers import scenario
from components.consumers.live_members import STORIES
from components.look import text
from components.look.notices import refused
from components.state import session
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat import audit
from reseat.consumers import ASSIGNORS
from reseat.consumers.events import Rebalance
from reseat.consumers.rounds import GroupState
from reseat.errors import ReseatError
from reseat.sources.followed import LiveCluster
from reseat.sources.kafka_admin.groups import Listing, LiveGroup, LiveMember

__all__ = ["draw_groups", "group_as_read", "show_recorded"]

_LISTED: Slot[Listing] = Slot("consumers-listed")
_GROUP: Slot[LiveGroup] = Slot("consumers-live-group")
_NEVER = Listing(())
_NONE = "No group of consumers is listed: there is none, or this user lacks DESCRIBE on them."
#: What the brokers' assignors are called here, by the name that they have in a group of the consumer protocol.
_OF_BROKERS = {"uniform": "broker-uniform", "range": "broker-range"}


def draw_groups(open_layout: OpenLayout | None) -> None:
    """Where a live cluster is connected, its groups, one to choose; reading begins when it is asked for."""
    live = None if open_layout is None else open_layout.live
    if live is None:
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="consumers-live"):
        listing = _LISTED.of(live.name).get(_NEVER)
        known = {one.name: one for one in listing.groups if one.consumes}
        names = list(known)
        if not live.connection.bootstrap:
            st.caption("Groups are read from brokers: add bootstrap servers to this ZooKeeper connection.")
            return
        words = "Refresh the list" if names else f"Groups of {text.plain(live.name, 40)}"
        if st.button(words, icon=":material/groups:", key="consumers-list"):
            _list(live)
            st.rerun()
        if not names:
            if listing is not _NEVER:
                st.caption(text.plain(" ".join(listing.not_read[:3] or (_NONE,))))
            return
        chosen = st.selectbox(
            "Group",
            names,
            index=None,
            format_func=lambda name: f"{text.visible(name, 60)} · {known[name].kind} · {known[name].state.lower()}",
            placeholder=f"{text.counted(len(names), 'group')}: choose one",
            label_visibility="collapsed",
            key="consumers-group",
        )
        show = st.button("Show it", key="consumers-show", disabled=chosen is None)
    if listing.not_read:
        st.caption(text.plain(" ".join(listing.not_read[:3])))
    if show and chosen is not None:
        _show(live, chosen)


def _list(live: LiveCluster) -> None:
    from reseat.sources.kafka_admin.client import open_admin
    from reseat.sources.kafka_admin.groups.reading import list_groups

    try:
        audit.record("reading", who=session.person().name, cluster=live.name)
        with st.spinner("Listing groups …"), open_admin(live.connection) as admin:
            _LISTED.of(live.name).set(list_groups(admin))
    except ReseatError as error:
        refused(error)
        st.stop()


def _show(live: LiveCluster, name: str) -> None:
    """Read a group, and tell it."""
    from reseat.sources.kafka_admin.client import open_admin
    from reseat.sources.kafka_admin.groups.reading import describe_group, state_of

    try:
        audit.record("reading", who=session.person().name, cluster=live.name)
        with st.spinner("Reading the group …"), open_admin(live.connection) as admin:
            group = describe_group(admin, name)
    except ReseatError as error:
        refused(error)
        return
    if group.kind not in STORIES:
        _show_whole(group)
        st.rerun()
    _GROUP.set(group)
    state, notes = state_of(group)
    known = _OF_BROKERS if group.kind == "consumer" else {one: one for one in ASSIGNORS}
    assignor = known.get(group.assignor, "broker-uniform" if group.kind == "consumer" else "range")
    if group.assignor and group.assignor not in known:
        notes = (
            *notes,
            f"Its assignor is {group.assignor}, which Reseat does not have; it is shown with {assignor} instead.",
        )
    scenario.begin(
        name, state, (Rebalance(),) if state.members else (), assignor=assignor, note=" ".join(notes) or None
    )
    st.rerun()


def show_recorded() -> None:
    """Show the share group that was recorded, for whoever has none at hand."""
    _show_whole(_RECORDED_SHARE, "An example: a group of Kafka 4.4.0, recorded while records were produced.")


def _show_whole(group: LiveGroup, note: str | None = None) -> None:
    """Show a group of which no story of owners can be told."""
    _GROUP.set(group)
    scenario.begin(group.name, GroupState({}, {}), (), assignor=scenario.current().assignor, note=note)


def group_as_read(name: str) -> LiveGroup | None:
    """The live group of this name as it was read, if the story told is its; else None."""
    group = _GROUP.get(LiveGroup("", "", "", "", -1))
    return group if group.name and group.name == name else None


def _member(identity: str, *partitions: int) -> LiveMember:
    """One of three console share consumers."""
    reads = tuple(("payments", partition) for partition in partitions)
    return LiveMember(
        identity, "console-share-consumer", "127.0.0.1", topics=("payments",), assignment=reads, generation=4
    )


#: As ``ShareGroupDescribe`` and ``DescribeShareGroupOffsets`` of a real 4.4.0 told it while records were produced.
_RECORDED_SHARE = LiveGroup(
    name="payments-workers",
    kind="share",
    state="Stable",
    assignor="simple",
    coordinator=2,
    members=(
        _member("V1hHg_EXSiidZ_CiczZFaw", 0),
        _member("IvnLZ0JfTtWfHqyAYcoDFg", 0, 1),
        _member("UFen8c_8TYKUPfMbxafd8g", 1),
    ),
    committed={("payments", 0): 3591, ("payments", 1): 1809},
    ends={("payments", 0): 3857, ("payments", 1): 1943},
    partitions={"payments": 2},
    epoch=4,
    assignment_epoch=4,
    lags={("payments", 0): 133, ("payments", 1): 67},
)
