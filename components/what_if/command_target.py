"""Whom commands are printed for: the cluster's version, detected or asked, and the address to reach it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from components.look import text
from components.state import addresses, fields, slots
from components.state.slots import Slot

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["VERSIONS", "CommandTarget", "draw_code", "draw_target"]

#: Releases of Kafka that differ in their commands or in how they make a topic, newest first: most clusters are young.
VERSIONS = ("4.4", "4.1", "4.0", "3.9", "3.3", "3.0", "2.8", "2.5", "2.4", "2.2", "2.1", "2.0", "1.0", "0.10.2")
#: What the address and the session call the version; the server never stands in an address.
_NAME = "version"
_VERSION: Slot[str] = Slot(_NAME)


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """The cluster as far as a command must know it.

    Attributes:
        version: Kafka's version, or None where neither the layout nor the person told it.
        bootstrap: a broker, ``host:port``.
        zookeeper: a ZooKeeper server beside it, by its usual port.
    """

    version: str | None
    bootstrap: str
    zookeeper: str


def draw_target(detected: str | None, where: DeltaGenerator, server: DeltaGenerator) -> CommandTarget:
    """The two fields; what is chosen on one page is chosen on all.

    Args:
        detected: the version that a live cluster or a snapshot told, or None.
        where: the place of the version's field.
        server: the place of the address's field.
    """
    options = [version for version in (detected, *VERSIONS) if version]
    options = list(dict.fromkeys(options))
    told = fields.offered(_NAME, options, where) or _VERSION.get(detected or "")
    version = where.selectbox(
        "Kafka version",
        options,
        index=options.index(told) if told in options else None,
        format_func=lambda one: f"{one} (detected)" if one == detected else one,
        placeholder="Which version?",
        key=slots.field(f"version-{detected}" if detected else "version"),
    )
    _VERSION.set(version or "")
    addresses.tell(_NAME, "" if version in (None, detected) else version or "")
    address = server.text_input(
        "Bootstrap server (host:port)", value="HOST:9092", key="bootstrap", persist_state="session"
    )
    host = address.rpartition(":")[0]
    return CommandTarget(version, address or "HOST:9092", f"{host or 'HOST'}:2181")


def draw_code(title: str, why: str, command: str) -> None:
    """One command with what it is for."""
    st.markdown(f"**{title}.** {text.plain(why)}")
    st.code(command, language="bash", wrap_lines=True)
