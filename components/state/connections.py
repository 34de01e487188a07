"""The clusters that a person can choose on Connect: named ones of this server, and those typed in this session."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import streamlit as st
from streamlit import config

from components.look import text
from components.server import visitor
from components.state import addresses, fields, session, shared
from components.state.slots import Slot
from reseat.access import Decision, Door
from reseat.errors import ClusterUnreachable, InputRefused, ReseatError
from reseat.sources.configuration import named_clusters
from reseat.sources.connection import Connection
from reseat.sources.followed import LiveCluster, LiveState

__all__ = [
    "Connectable",
    "choices",
    "choose",
    "chosen",
    "draw_list",
    "in_short",
    "open_if_read",
    "read",
    "read_to_open",
    "refused_address",
    "state_in_words",
    "test",
    "trouble",
]

_CHOSEN: Slot[str] = Slot("connect-chosen", addressed=True)
#: The cluster whose layout is to be opened as soon as it is read, and how many readings there were before.
_OPENING: Slot[tuple[str, int]] = Slot("connect-opening")
#: The address's name for the named cluster that is looked at closer.
_NAMED = "named"
#: More clusters than these scroll within a fixed height.
_MOST_ROWS = 7
#: From so many servers on, the list counts them.
_COUNTED = 3


@dataclass(frozen=True, slots=True)
class Connectable:
    """What can be connected to.

    Attributes:
        named: clusters by name, from the configuration; shared by everybody on this server.
        typed: clusters by name whose address was typed in this session.
        refused: why a configured cluster cannot be used, by its name or its file.
        reading: whether the person may read clusters at all; where not, there are none.
        typing: whether they may type an address.
    """

    named: dict[str, LiveCluster] = field(default_factory=dict)
    typed: dict[str, LiveCluster] = field(default_factory=dict)
    refused: dict[str, InputRefused] = field(default_factory=dict)
    reading: Decision = field(default=Decision(True, ""))
    typing: Decision = field(default=Decision(True, ""))

    @property
    def all(self) -> dict[str, LiveCluster]:
        """Both, named ones first."""
        return {**self.named, **self.typed}


def choices() -> Connectable:
    """The clusters of secrets.toml and the environment as they are now, and those typed, for who may read them."""
    reading, typing = session.may(Door.READ_CLUSTERS), session.may(Door.TYPE_ADDRESS)
    if not reading.may:
        return Connectable(reading=reading, typing=typing)
    found = named_clusters(None, os.environ, files=config.get_option("secrets.files"))
    registry = shared.live_clusters()
    named = {name: registry.of(connection) for name, connection in found.connections.items()}
    typed = session.typed_clusters() if typing.may else {}
    return Connectable(named, typed, found.refused, reading, typing)


def read(live: LiveCluster) -> None:
    """Begin to read a cluster, if the person may now; what they pressed may have been drawn before."""
    if session.may(Door.READ_CLUSTERS).may:
        live.refresh(session.person().name)


def read_to_open(live: LiveCluster) -> None:
    """Begin to read a cluster, and look at it as soon as it is read (``open_if_read``)."""
    _OPENING.set((live.name, live.state.generation))
    read(live)


def open_if_read(live: LiveCluster, state: LiveState) -> None:
    """Look at a cluster that was to be read for that, once it is."""
    name, before = _OPENING.get(("", 0))
    if name == live.name and state.generation > before:
        _OPENING.set(("", 0))
        session.open_live(live)


def test(live: LiveCluster) -> None:
    """Begin to test the connection to a cluster, likewise."""
    if session.may(Door.READ_CLUSTERS).may:
        live.test()


def refused_address(connection: Connection) -> InputRefused | None:
    """Why an address that somebody typed may not be reached, or None."""
    answer = session.may(Door.TYPE_ADDRESS)
    if not answer.may:
        return InputRefused(answer.sentence)
    server = visitor.access().addresses.refused((*connection.bootstrap, *connection.zookeeper))
    if server is None:
        return None
    return InputRefused(
        f"{server} is not an allowed address: this server connects to the addresses in RESEAT_ADDRESSES and to "
        "the clusters of its configuration."
    )


def choose(name: str) -> None:
    """Look closer at a cluster."""
    _CHOSEN.set(name)


def chosen(offered: Connectable) -> LiveCluster | None:
    """The cluster that is looked at closer: the one chosen, the one whose layout is open, or the first."""
    name = _CHOSEN.get(fields.offered(_NAMED, offered.all))
    # A typed cluster is called by its address, and that is nobody else's.
    addresses.tell(_NAMED, name if name in offered.named else "")
    _CHOSEN.set(name)
    wanted = offered.all.get(name)
    if wanted is not None:
        return wanted
    open_layout = session.open_layout()
    if open_layout is not None and open_layout.live is not None and open_layout.live in offered.all.values():
        return open_layout.live
    return next(iter(offered.all.values()), None)


def draw_list(offered: Connectable, current: LiveCluster | None) -> None:
    """Every cluster with its address and state; a click looks closer."""
    rows = len(offered.all) + len(offered.refused)
    with st.container(key="connect-list", height=54 * _MOST_ROWS if rows > _MOST_ROWS else "content", gap="xsmall"):
        for name, live in offered.all.items():
            left, right = st.columns([2, 3], vertical_alignment="center")
            left.button(
                text.plain(name, 40),
                key=f"choose-{name}",
                icon=f":material/radio_button_{'checked' if live is current else 'unchecked'}:",
                help=None if name in offered.named else "Entered in this session, visible to nobody else",
                width="stretch",
                on_click=choose,
                args=(name,),
            )
            right.caption(f"{text.plain(in_short(live.connection), 80)}  \n{state_in_words(live.state)}")
        for name, refusal in offered.refused.items():
            place = refusal.source or "the configuration"
            line = f", line {refusal.line}" if refusal.line is not None else ""
            sentence = refusal.sentence.removeprefix(f"Cluster {name}: ")
            st.markdown(
                f":red[:material/block: **{text.plain(name, 60)}** cannot be used:] {text.plain(sentence)} "
                f"({text.plain(place, 120)}{line})"
            )


def in_short(connection: Connection) -> str:
    """Servers and chroot, of many the first and how many there are."""
    servers = connection.zookeeper or connection.bootstrap
    if len(servers) < _COUNTED:
        return connection.address
    return f"{servers[0]}{connection.chroot} and {len(servers) - 1:,} more"


def trouble(error: ReseatError) -> str:
    """Why a cluster could not be read, in two words."""
    return error.in_short if isinstance(error, ClusterUnreachable) else "not readable"


def state_in_words(state: LiveState) -> str:
    """How things stand with a cluster, as Markdown."""
    if state.refreshing:
        return ":material/sync: being read"
    read = None if state.snapshot is None else f"read {text.ago(state.snapshot.taken_at)}"
    if state.error is not None:
        return f":red[:material/cloud_off: {trouble(state.error)}]" + (f" · {read}" if read else "")
    return f":green[:material/check_circle: {read}]" if read else "not read yet"
