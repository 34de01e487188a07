"""What one person looks at: the layouts read, which one, its edits and the what-if. Alone uses st.session_state."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st

from components import caching, links
from components.edits import Edits
from reseat.formats.reading import Reading
from reseat.model import ClusterLayout, Wish

__all__ = [
    "Seat",
    "edits",
    "forget_link",
    "keep",
    "kept",
    "layouts",
    "open_reading",
    "pending_link",
    "publish",
    "seat",
    "select_layout",
    "set_edits",
    "set_wish",
]

_KEY = "reseat"
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, eq=False)
class Seat:
    """What a page draws.

    Attributes:
        layout: the layout looked at: as read, with racks told by hand and without the topics left out.
        reading: what was read, with what was skipped.
        name: the file's or sample's name.
        read_at: when it was read, in UTC.
        digest: the layout's digest.
        wish: the what-if; empty where one looks at the present.
        edits: what was changed of the layout as read.
    """

    layout: ClusterLayout
    reading: Reading
    name: str
    read_at: datetime
    digest: str
    wish: Wish
    edits: Edits


@dataclass
class _Opened:
    reading: Reading
    read_at: datetime
    edits: Edits = field(default_factory=Edits)


@dataclass
class _State:
    opened: dict[str, _Opened] = field(default_factory=dict)
    current: str | None = None
    wish: Wish = field(default_factory=Wish)
    link: links.Link | None = None
    started: bool = False
    kept: dict[str, object] = field(default_factory=dict)


def _state() -> _State:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _State()
    state: _State = st.session_state[_KEY]
    if not state.started:
        state.started = True
        _follow(state, links.from_query(st.query_params.to_dict()))
    return state


def _follow(state: _State, link: links.Link | None) -> None:
    """Open what a link names, or keep it until its file is there."""
    if link is None:
        return
    shelved = caching.shelf().find(link.digest)
    if shelved is None or link.trouble:
        state.link = link
        return
    state.opened[shelved.name] = _Opened(shelved.reading, shelved.read_at, shelved.edits)
    state.current, state.wish = shelved.name, link.wish


def seat() -> Seat | None:
    """What the person looks at now, or None where nothing is read yet."""
    state = _state()
    if state.current is None:
        return None
    opened = state.opened[state.current]
    layout = caching.layout_of(opened.reading, opened.edits)
    return Seat(layout, opened.reading, state.current, opened.read_at, layout.digest, state.wish, opened.edits)


def set_wish(wish: Wish) -> None:
    """Look at another what-if; an empty wish is the present."""
    _state().wish = wish


def edits() -> Edits:
    """The edits of the layout looked at."""
    state = _state()
    return Edits() if state.current is None else state.opened[state.current].edits


def set_edits(value: Edits) -> None:
    """Look at the same layout with other racks or without other topics; the what-if stays."""
    state = _state()
    if state.current is not None:
        state.opened[state.current].edits = value


def open_reading(reading: Reading, name: str) -> None:
    """Look at a layout that was just read, without a what-if, or with the one of the link that waits for it."""
    state = _state()
    link, state.link = state.link, None
    name = _free_name(state, reading, name)
    state.opened[name] = _Opened(reading, datetime.now(UTC))
    state.current, state.wish = name, Wish()
    if link is not None and not link.trouble:
        state.opened[name].edits = link.edits
        layout = caching.layout_of(reading, link.edits)
        if link.names(layout.digest):
            state.wish = link.wish
        else:
            state.opened[name].edits = Edits()
            state.link = replace(link, trouble=_other_layout(link, reading))


def _free_name(state: _State, reading: Reading, name: str) -> str:
    """The name, with a number where another layout has it already: two pasted texts are two layouts."""
    taken = (name, *(f"{name} ({number})" for number in range(2, len(state.opened) + 2)))
    return next(
        free
        for free in taken
        if free not in state.opened or state.opened[free].reading.layout.digest == reading.layout.digest
    )


def _other_layout(link: links.Link, reading: Reading) -> str:
    return (
        f"The link is about the layout {link.digest}; what was opened is {reading.layout.digest[: links.DIGITS]}. "
        "They differ, so the link's what-if was not taken over."
    )


def pending_link() -> links.Link | None:
    """The link that could not be opened yet: its layout is not on this server, or it was not understood."""
    return _state().link


def forget_link() -> None:
    """Do without the link that could not be opened."""
    _state().link = None


def layouts() -> dict[str, Reading]:
    """All layouts read in this session by name, oldest first."""
    return {name: opened.reading for name, opened in _state().opened.items()}


def select_layout(name: str) -> None:
    """Look at another of the layouts read, without a what-if."""
    state = _state()
    if name in state.opened and name != state.current:
        state.current, state.wish = name, Wish()


def publish(seated: Seat) -> None:
    """Put what is looked at into the address, and on the server's shelf so that the link reopens it."""
    caching.shelf().put(
        caching.Shelved(seated.reading, seated.name, seated.read_at, seated.edits, seated.digest),
    )
    query = links.to_query(seated.digest, seated.name, seated.edits, seated.wish)
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def kept(name: str, default: _Kept) -> _Kept:
    """What a page kept under a name in this session (a zoom, an opened row), or the default."""
    found = _state().kept.get(name, default)
    return found if isinstance(found, type(default)) else default


def keep(name: str, value: object) -> None:
    """Keep a page's own choice in this session."""
    _state().kept[name] = value
