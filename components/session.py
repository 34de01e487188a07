"""What one person looks at: the layouts read, which one, its edits and the what-if. Alone uses st.session_state."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st

from components import caching, links
from components.edits import Edits
from components.live import LiveCluster
from components.past import Past
from components.pipeline_places import places
from reseat.errors import InputRefused
from reseat.formats.reading import Reading
from reseat.formats.snapshot import identity, reading_of
from reseat.model import ClusterLayout, Snapshot, Wish

__all__ = [
    "REFRESH_SECONDS",
    "Seat",
    "back_to_present",
    "chosen_rows",
    "clicked",
    "clicked_names",
    "edits",
    "follow_live",
    "forget_link",
    "keep",
    "kept",
    "layouts",
    "open_live",
    "open_past",
    "open_reading",
    "pending_link",
    "publish",
    "refresh_every",
    "seat",
    "select_layout",
    "set_edits",
    "set_refresh_every",
    "set_wish",
    "shelve",
    "typed_clusters",
]

_KEY = "reseat"
#: How often a live cluster can be read by itself; a link that asks for anything else is by hand.
REFRESH_SECONDS = (10, 30, 60, 300)
#: Moments of the past that stay among the layouts, the one looked at included; one may hold a million partitions.
_MOST_PASTS = 4
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
        snapshot: the reading of a live cluster or the moment of the past that this is, or None for uploads and
            samples.
        live: the live cluster that is followed, or None.
        past: which moment of a cluster's history this is, or None for the present.
    """

    layout: ClusterLayout
    reading: Reading
    name: str
    read_at: datetime
    digest: str
    wish: Wish
    edits: Edits
    snapshot: Snapshot | None = None
    live: LiveCluster | None = None
    past: Past | None = None

    @property
    def connection_name(self) -> str | None:
        """By what the person knows the live cluster, or None for uploads and samples."""
        return None if self.live is None else self.live.name


@dataclass
class _Opened:
    reading: Reading
    read_at: datetime
    edits: Edits = field(default_factory=Edits)
    snapshot: Snapshot | None = None
    live: LiveCluster | None = None
    past: Past | None = None

    def follow(self) -> None:
        """Take the latest reading of the live cluster; the edits stay."""
        state = None if self.live is None else self.live.state
        if state is not None and state.snapshot is not None and state.reading is not None:
            self.reading, self.snapshot, self.read_at = state.reading, state.snapshot, state.snapshot.taken_at


@dataclass
class _State:
    opened: dict[str, _Opened] = field(default_factory=dict)
    current: str | None = None
    wish: Wish = field(default_factory=Wish)
    link: links.Link | None = None
    started: bool = False
    kept: dict[str, object] = field(default_factory=dict)
    #: Clusters whose address was typed: their passwords live as long as this session, and nowhere else.
    typed: dict[str, LiveCluster] = field(default_factory=dict)
    #: What was looked at before one went into the past, and the what-if there.
    present: str | None = None
    present_wish: Wish = field(default_factory=Wish)


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
    if link.past is not None and not link.trouble:
        _follow_past(state, link, link.past)
        return
    shelved = caching.shelf().find(link.digest)
    live = caching.live_clusters().find(link.name) if link.live is not None else None
    read = None if live is None else live.state.reading
    if link.trouble or (shelved is None and read is None):
        state.link = link
    elif (
        read is not None and link.live is not None
    ):  # of a live cluster one sees the latest reading, also where the link is older
        state.opened[link.name] = _Opened(read, datetime.now(UTC), link.edits, live=live)
        state.current, state.wish = link.name, link.wish
        state.opened[link.name].follow()
        state.kept[f"refresh {link.name}"] = float(link.live) if link.live in REFRESH_SECONDS else 0.0
    elif shelved is not None:
        state.opened[shelved.name] = _Opened(shelved.reading, shelved.read_at, shelved.edits)
        state.current, state.wish = shelved.name, link.wish


def _follow_past(state: _State, link: links.Link, past: Past) -> None:
    """Open the moment of the past that a link names; where the history does not have it, say so."""
    where = places()
    try:
        history = caching.history_in(where.tables)
        snapshot = caching.past_snapshot(history, where.landing, past.cluster, past.snapshot_id)
    except InputRefused as refusal:
        state.link = replace(link, trouble=f"The moment that the link names cannot be opened. {refusal.sentence}")
        return
    _open_past(state, snapshot, past.snapshot_id, link.wish, link.edits)


def seat() -> Seat | None:
    """What the person looks at now, or None where nothing is read yet."""
    state = _state()
    if state.current is None:
        return None
    opened = state.opened[state.current]
    layout = caching.layout_of(opened.reading, opened.edits)
    return Seat(
        layout,
        opened.reading,
        state.current,
        opened.read_at,
        layout.digest,
        state.wish,
        opened.edits,
        opened.snapshot,
        opened.live,
        opened.past,
    )


def follow_live() -> None:
    """Let what is looked at be the latest reading of its live cluster; once, as a page begins to be drawn."""
    state = _state()
    if state.current is not None:
        state.opened[state.current].follow()


def open_live(live: LiveCluster) -> None:
    """Look at a live cluster that was read, from now on at its latest reading; a what-if on it stays."""
    state = _state()
    reading = live.state.reading
    if reading is None:
        return
    link, state.link = state.link, None
    opened = next((name for name, one in state.opened.items() if one.live is live), None)
    name = opened or _free_name(state, reading, live.name)
    if opened is None:
        state.opened[name] = _Opened(reading, datetime.now(UTC), live=live)
    state.opened[name].follow()
    if state.current != name:
        state.current, state.wish = name, Wish()
    if link is not None and not link.trouble and link.live is not None and link.name == name:
        set_refresh_every(name, link.live)
        state.opened[name].edits, state.wish = link.edits, link.wish


def open_past(snapshot: Snapshot, snapshot_id: str | None = None, wish: Wish | None = None) -> None:
    """Look at a moment of a cluster's history, on all pages, as if it were the present.

    Args:
        snapshot: what the cluster was then.
        snapshot_id: its identity, made anew where it is not given.
        wish: the what-if on it; None: none.
    """
    state = _state()
    state.link = None
    _open_past(state, snapshot, snapshot_id or identity(snapshot), wish or Wish(), Edits())


def _open_past(state: _State, snapshot: Snapshot, snapshot_id: str, wish: Wish, edits: Edits) -> None:
    if state.current is None or not _is_past(state, state.current):
        state.present, state.present_wish = state.current, state.wish
    past = Past(snapshot.cluster or snapshot.cluster_id or "", snapshot_id, snapshot.taken_at)
    kept = [name for name, one in state.opened.items() if one.past is not None and name != past.name]
    for name in kept[: max(len(kept) + 1 - _MOST_PASTS, 0)]:
        del state.opened[name]
    reading = reading_of(snapshot, source=past.name)
    state.opened[past.name] = _Opened(reading, snapshot.taken_at, edits, snapshot, past=past)
    state.current, state.wish = past.name, wish


def back_to_present() -> None:
    """Look again at what was looked at before one went into the past, with its what-if."""
    state = _state()
    if state.present in state.opened:
        state.current, state.wish = state.present, state.present_wish
        return
    state.current, state.wish = None, Wish()  # one came from a page that needs no layout: there is none to go back to
    state.opened = {name: one for name, one in state.opened.items() if one.past is None}
    # Where no layout is open nothing is put into the address either: loading the page anew would lead back there.
    for name in set(st.query_params) & set(links.NAMES):
        del st.query_params[name]


def refresh_every(cluster: str) -> float | None:
    """How often this person wants a live cluster to be read, in seconds, or None: by hand."""
    return kept(f"refresh {cluster}", 0.0) or None


def set_refresh_every(cluster: str, seconds: float | None) -> None:
    """Want a live cluster to be read so often; it is, as long as somebody who wants it looks at a page."""
    keep(f"refresh {cluster}", float(seconds or 0) if seconds in REFRESH_SECONDS else 0.0)


def typed_clusters() -> dict[str, LiveCluster]:
    """The clusters whose address was typed in this session, by name; to be added to."""
    return _state().typed


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
        if state.opened[name].past is not None and state.current is not None and not _is_past(state, state.current):
            state.present, state.present_wish = state.current, state.wish
        state.current, state.wish = name, Wish()


def _is_past(state: _State, name: str) -> bool:
    return state.opened[name].past is not None


def publish(seated: Seat, own: Collection[str] = ()) -> None:
    """Put what is looked at into the address, and on the server's shelf so that the link reopens it.

    Args:
        seated: what is looked at.
        own: names of the address that belong to the page; they stay as they are.
    """
    query = shelve(seated) | {name: text for name, text in st.query_params.to_dict().items() if name in own}
    if st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def shelve(seated: Seat) -> dict[str, str]:
    """Put what is looked at on the server's shelf, and return the query that reopens it."""
    live = seated.live
    shared = live is not None and caching.live_clusters().find(live.name) is live
    caching.shelf().put(
        caching.Shelved(
            seated.reading,
            seated.name,
            seated.read_at,
            seated.edits,
            seated.digest,
            latest_of=None if live is None else live.name,
        )
    )
    every = int(refresh_every(seated.name) or 0) if shared else None
    return links.to_query(seated.digest, seated.name, seated.edits, seated.wish, live=every, past=seated.past)


def kept(name: str, default: _Kept) -> _Kept:
    """What a page kept under a name in this session (a zoom, an opened row), or the default."""
    found = _state().kept.get(name, default)
    return found if isinstance(found, type(default)) else default


def keep(name: str, value: object) -> None:
    """Keep a page's own choice in this session."""
    _state().kept[name] = value


def clicked(chart: str, axis: str = "x") -> list[int]:
    """Places along an axis of a chart that were clicked, for its ``on_click``."""
    points = st.session_state[chart]["selection"]["points"] if chart in st.session_state else []
    return sorted({round(point[axis]) for point in points if axis in point})


def clicked_names(chart: str) -> list[str]:
    """What the marks that were clicked are called: the first of each one's ``customdata``, where that is a text."""
    points = st.session_state[chart]["selection"]["points"] if chart in st.session_state else []
    data = [point.get("customdata") for point in points]
    firsts = [one[0] if isinstance(one, list | tuple) and one else one for one in data]
    return [one for one in firsts if isinstance(one, str)]


def chosen_rows(table: str) -> list[int]:
    """Rows of a table that were chosen, by their place in it, for its ``on_select``."""
    rows: list[int] = st.session_state[table]["selection"]["rows"] if table in st.session_state else []
    return sorted(rows)
