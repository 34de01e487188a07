"""What one person looks at: the layouts read, which one, its edits and the what-if. Alone uses st.session_state."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components import caching, follow, links, visitor
from components.edits import Edits
from components.live import LiveCluster
from components.opened import REFRESH_SECONDS
from components.opened import Opened as _Opened
from components.opened import State as _State
from components.past import Past
from components.pipeline_process import Stage
from reseat.access import Answer, Door, Person
from reseat.formats.reading import Reading
from reseat.formats.snapshot import identity
from reseat.history.read import History
from reseat.model import ClusterLayout, Snapshot, Wish

__all__ = [
    "REFRESH_SECONDS",
    "Seat",
    "about_session",
    "add_typed",
    "back_to_present",
    "cancel_pipeline",
    "chosen_rows",
    "clicked",
    "clicked_names",
    "close",
    "closed",
    "edits",
    "field",
    "follow_address",
    "follow_live",
    "forget_link",
    "history",
    "keep",
    "kept",
    "layouts",
    "may",
    "on_wall",
    "open_live",
    "open_past",
    "open_reading",
    "pending_link",
    "person",
    "publish",
    "refresh_every",
    "remember_texts",
    "seat",
    "select_layout",
    "set_edits",
    "set_refresh_every",
    "set_wall",
    "set_wish",
    "shelve",
    "show_after",
    "show_token",
    "start_pipeline",
    "texts_of",
    "typed_clusters",
]

_KEY = "reseat"
#: What the address says on the wall.
_WALL = {"wall": "1"}
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
        after: whether pages that show one layout show the one after the what-if's plan; ``components.what_if`` derives
            it, and nothing else does.
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
    after: bool = False

    @property
    def connection_name(self) -> str | None:
        """By what the person knows the live cluster, or None for uploads and samples."""
        return None if self.live is None else self.live.name


def _state() -> _State:
    if _KEY not in st.session_state:
        st.session_state[_KEY] = _State()
    state: _State = st.session_state[_KEY]
    if not state.started:
        state.started = True
        state.wall = _WALL.items() <= st.query_params.to_dict().items()
        follow.begin(state, links.from_query(st.query_params.to_dict()))
    return state


def person() -> Person:
    """Who looks at the page."""
    return visitor.person(_state().token)


def show_token(shown: str) -> bool:
    """Take the server's token as somebody typed it, for as long as the session; says whether it is the right one."""
    state = _state()
    state.token = shown.strip()
    return person().unlocked


def may(door: Door) -> Answer:
    """Whether a door opens for who looks at the page, now: asked at each use, since a sign-in grows old."""
    return follow.may(_state(), door)


def history(where: str) -> History:
    """The tables in a folder, for who may see them.

    Raises:
        InputRefused: they may not, or it is no place, or of a kind that is not known.
    """
    return follow.history(_state(), where)


def start_pipeline(stages: Sequence[Stage]) -> bool:
    """Begin a job of the pipeline, for who may; says whether it began."""
    return may(Door.RUN_PIPELINE).may and caching.pipeline().start(stages)


def cancel_pipeline() -> None:
    """Cancel the job of the pipeline, for who may."""
    if may(Door.RUN_PIPELINE).may:
        caching.pipeline().cancel()


def follow_address() -> None:
    """Where the browser went back or forward, look at what its address names; before anything is drawn.

    Else the address is written and never read: what a person does in the page comes after what it was opened with.
    """
    context, query = get_script_run_ctx(suppress_warning=True), st.query_params.to_dict()
    if context is None or not context.is_history_navigation or not query:
        return
    state = _state()
    state.returns += 1
    state.wall = _WALL.items() <= query.items()
    for name in [name for name, page in state.addressed.items() if page == context.page_script_hash]:
        state.kept.pop(name, None)
    follow.return_to(state, links.from_query(query))


def field(key: str) -> str:
    """The key of a field whose choice stands in the address: where the browser went back, it begins with that again."""
    returns = _state().returns
    return f"{key}-{returns}" if returns else key


def seat() -> Seat | None:
    """What the person looks at now, or None where nothing is read yet, or it is not for them (``closed``)."""
    state = _state()
    if state.current is None or closed() is not None:
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
        state.after and not state.wish.is_empty,
    )


def closed() -> Answer | None:
    """Why the person may not see what they have open: a sign-in that they need, or that has grown old; else None."""
    state = _state()
    door = None if state.current is None else state.opened[state.current].door
    answer = None if door is None else may(door)
    return None if answer is None or answer.may else answer


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
    name = opened or state.free_name(reading, live.name)
    if opened is None:
        state.opened[name] = _Opened(reading, datetime.now(UTC), live=live)
    state.opened[name].follow()
    state.look(name, state.wish if state.current == name else Wish())
    if link is not None and not link.trouble and link.live is not None and link.name == name:
        set_refresh_every(name, link.live)
        state.opened[name].edits, state.wish, state.after = link.edits, link.wish, link.after


def open_past(snapshot: Snapshot, snapshot_id: str | None = None, wish: Wish | None = None) -> None:
    """Look at a moment of a cluster's history, on all pages, as if it were the present.

    Args:
        snapshot: what the cluster was then.
        snapshot_id: its identity, made anew where it is not given.
        wish: the what-if on it; None: none.
    """
    state = _state()
    state.link, state.after = None, True
    follow.open_past(state, snapshot, snapshot_id or identity(snapshot), wish or Wish(), Edits())


def back_to_present() -> None:
    """Look again at what was looked at before one went into the past, with its what-if."""
    state = _state()
    if state.present in state.opened:
        state.look(state.present, state.present_wish)
        return
    state.current, state.wish = None, Wish()  # one came from a page that needs no layout: there is none to go back to
    state.opened = {name: one for name, one in state.opened.items() if one.past is None}
    _clear_address()


def _clear_address() -> None:
    """Where no layout is open nothing is put into the address either: loading the page anew would lead back there."""
    for name in set(st.query_params) & set(links.NAMES):
        del st.query_params[name]


def close(name: str) -> None:
    """Close a layout: it is forgotten, and one looks at the one looked at before, if there is any."""
    state = _state()
    state.close(name)
    if state.current is None:
        _clear_address()


def remember_texts(reading: Reading, files: Sequence[tuple[str, bytes]]) -> None:
    """Keep the texts that a layout was read from as long as it is open; where they are too many, the oldest go.

    Args:
        reading: what was read of them.
        files: (name, content) of each.
    """
    _state().remember_texts(reading.layout.digest, tuple(files))


def texts_of(reading: Reading) -> tuple[tuple[str, bytes], ...]:
    """The texts that a layout was read from, where they are kept; else nothing."""
    return _state().texts.get(reading.layout.digest, ())


def refresh_every(cluster: str) -> float | None:
    """How often this person wants a live cluster to be read, in seconds, or None: by hand."""
    return kept(f"refresh {cluster}", 0.0) or None


def set_refresh_every(cluster: str, seconds: float | None) -> None:
    """Want a live cluster to be read so often; it is, as long as somebody who wants it looks at a page."""
    keep(f"refresh {cluster}", float(seconds or 0) if seconds in REFRESH_SECONDS else 0.0)


def typed_clusters() -> dict[str, LiveCluster]:
    """The clusters whose address was typed in this session, by name, oldest first."""
    return dict(_state().typed)


def add_typed(live: LiveCluster) -> None:
    """Keep a cluster whose address was typed; the oldest that is not open makes way."""
    _state().add_typed(live)


def set_wish(wish: Wish) -> None:
    """Look at another what-if, and at what it leads to; an empty wish is the present."""
    state = _state()
    state.wish, state.after = wish, True


def on_wall() -> bool:
    """Whether pages are shown alone, for a screen on the wall."""
    return _state().wall


def set_wall(wall: bool) -> None:
    """Show pages alone, or with all around them again."""
    _state().wall = wall


def about_session() -> dict[str, str]:
    """What every address of this session says, whether a layout is open or not."""
    return dict(_WALL) if on_wall() else {}


def show_after(after: bool) -> None:
    """Let all pages show what the what-if leads to, or the present beside which it stays."""
    _state().after = after


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
    name = state.free_name(reading, name)
    state.opened[name] = _Opened(reading, datetime.now(UTC))
    state.look(name, Wish())
    if link is not None and not link.trouble:
        state.opened[name].edits = link.edits
        layout = caching.layout_of(reading, link.edits)
        if link.names(layout.digest):
            state.wish, state.after = link.wish, link.after
        else:
            state.opened[name].edits = Edits()
            state.link = replace(link, trouble=_other_layout(link, reading))


def _other_layout(link: links.Link, reading: Reading) -> str:
    return (
        f"The link is about the layout {link.digest}; what was opened is {reading.layout.digest}. "
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
        if state.opened[name].past is not None and state.current is not None and not state.is_past(state.current):
            state.present, state.present_wish = state.current, state.wish
        state.look(name, Wish())


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
    live, state = seated.live, _state()
    shared = live is not None and caching.live_clusters().find(live.name) is live
    caching.shelf().put(
        caching.Shelved(
            seated.reading,
            seated.name,
            seated.read_at,
            seated.edits,
            seated.digest,
            latest_of=None if live is None else live.name,
            door=state.opened[seated.name].door if seated.name in state.opened else None,
        )
    )
    every = int(refresh_every(seated.name) or 0) if shared else None
    query = links.to_query(
        seated.digest, seated.name, seated.edits, seated.wish, live=every, past=seated.past, after=seated.after
    )
    return query | about_session()


def kept(name: str, default: _Kept) -> _Kept:
    """What a page kept under a name in this session (a zoom, an opened row), or the default."""
    found = _state().kept.get(name, default)
    return found if isinstance(found, type(default)) else default


def keep(name: str, value: object, *, addressed: bool = False) -> None:
    """Keep a page's own choice in this session.

    Args:
        name: the choice.
        value: what was chosen.
        addressed: whether the page's address tells it too: where the browser goes back, it is read from there again.
    """
    state, context = _state(), get_script_run_ctx(suppress_warning=True)
    state.kept[name] = value
    if addressed and context is not None:
        state.addressed[name] = context.page_script_hash


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
