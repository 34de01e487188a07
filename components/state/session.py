"""What one person looks at: the layouts read, which one, its edits and the what-if."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import streamlit as st

from components.server import visitor
from components.state import caching, follow, links, shared, store, widgets
from components.state.linked import LinkedLayout
from components.state.open_layout import OpenLayout
from components.state.opened import REFRESH_SECONDS, Opened
from components.state.slots import Slot
from reseat.access import Decision, Door, Person
from reseat.formats.input.reading import Reading
from reseat.history.read import History
from reseat.jobs.process import Stage
from reseat.model import Wish
from reseat.model.edits import Edits
from reseat.sources.followed import LiveCluster
from reseat.sources.keeping import own_moment

__all__ = [
    "REFRESH_SECONDS",
    "about_session",
    "add_typed",
    "back_to_present",
    "beside",
    "cancel_pipeline",
    "close",
    "closed",
    "edits",
    "follow_live",
    "forget_link",
    "history",
    "layouts",
    "may",
    "on_wall",
    "open_layout",
    "open_live",
    "open_reading",
    "pending_link",
    "person",
    "refresh_every",
    "remember_texts",
    "select_layout",
    "set_edits",
    "set_refresh_every",
    "set_wall",
    "set_wish",
    "shelve",
    "show_chosen",
    "show_token",
    "start_pipeline",
    "texts_of",
    "typed_clusters",
]

#: How often this person wants a live cluster to be read.
_REFRESH: Slot[float] = Slot("refresh")


def person() -> Person:
    """Who looks at the page."""
    return visitor.person(store.state().token)


def show_token(shown: str) -> bool:
    """Take the server's token as somebody typed it, for as long as the session; says whether it is the right one."""
    state = store.state()
    state.token = shown.strip()
    return person().unlocked


def may(door: Door) -> Decision:
    """Whether a door opens for who looks at the page, now: asked at each use, since a sign-in grows old."""
    return follow.may(store.state(), door)


def history(where: str) -> History:
    """The tables in a folder, for who may see them.

    Raises:
        InputRefused: they may not, or it is no place, or of a kind that is not known.
    """
    return follow.history(store.state(), where)


def start_pipeline(stages: Sequence[Stage]) -> None:
    """Begin a job of the pipeline, for who may."""
    if may(Door.RUN_PIPELINE).may:
        shared.pipeline().start(stages)


def cancel_pipeline() -> None:
    """Cancel the job of the pipeline, for who may."""
    if may(Door.RUN_PIPELINE).may:
        shared.pipeline().cancel()


def open_layout() -> OpenLayout | None:
    """What the person looks at now, or None where nothing is read yet, or it is not for them (``closed``)."""
    current = store.state().current
    return None if current is None or closed() is not None else _open(current)


def beside() -> dict[str, OpenLayout]:
    """The layouts that are open beside the one looked at, by name, oldest first; those that are for the person."""
    state = store.state()
    doors = {name: opened.door for name, opened in state.opened.items() if name != state.current}
    return {name: _open(name) for name, door in doors.items() if door is None or may(door).may}


def _open(name: str) -> OpenLayout:
    opened = store.state().opened[name]
    layout = caching.layout_of(opened.reading, opened.edits)
    return OpenLayout(
        layout,
        opened.reading,
        name,
        opened.read_at,
        layout.digest,
        opened.wish,
        opened.edits,
        opened.snapshot,
        opened.live,
        opened.past,
        opened.after and not opened.wish.is_empty,
    )


def closed() -> Decision | None:
    """Why the person may not see what they have open: a sign-in that they need, or that has grown old; else None."""
    here = store.state().here
    door = None if here is None else here.door
    answer = None if door is None else may(door)
    return None if answer is None or answer.may else answer


def follow_live() -> None:
    """Let what is looked at be the latest reading of its live cluster; once, as a page begins to be drawn."""
    here = store.state().here
    if here is not None:
        here.follow()


def open_live(live: LiveCluster) -> None:
    """Look at a live cluster that was read, from now on at its latest reading; a what-if on it stays."""
    state = store.state()
    reading = live.state.reading
    if reading is None:
        return
    link, state.link = state.link, None
    opened = next((name for name, one in state.opened.items() if one.live is live), None)
    name = opened or state.free_name(reading, live.name)
    if opened is None:
        state.opened[name] = Opened(reading, datetime.now(UTC), live=live)
    state.opened[name].follow()
    state.look(name)
    if link is not None and not link.error and link.live is not None and link.name == name:
        set_refresh_every(name, link.live)
        there = state.opened[name]
        there.edits, there.wish, there.after = link.edits, link.wish, link.after


def back_to_present() -> None:
    """Look again at what was looked at before one went into the past, with its what-if."""
    state = store.state()
    if state.present in state.opened:
        state.look(state.present)
        return
    state.current = None  # one came from a page that needs no layout: there is none to go back to
    state.opened = {name: one for name, one in state.opened.items() if one.past is None}
    _clear_address()


def _clear_address() -> None:
    """Where no layout is open nothing is put into the address either: loading the page anew would lead back there."""
    for name in set(st.query_params) & set(links.NAMES):
        del st.query_params[name]


def close(name: str) -> None:
    """Close a layout: it is forgotten, and one looks at the one looked at before, if there is any."""
    state = store.state()
    state.close(name)
    if state.current is None:
        _clear_address()


def remember_texts(reading: Reading, files: Sequence[tuple[str, bytes]]) -> None:
    """Keep the texts that a layout was read from as long as it is open; where they are too many, the oldest go.

    Args:
        reading: what was read of them.
        files: (name, content) of each.
    """
    store.state().remember_texts(reading.layout.digest, tuple(files))


def texts_of(reading: Reading) -> tuple[tuple[str, bytes], ...]:
    """The texts that a layout was read from, where they are kept; else nothing."""
    return store.state().texts.get(reading.layout.digest, ())


def refresh_every(cluster: str) -> float | None:
    """How often this person wants a live cluster to be read, in seconds, or None: by hand."""
    return _REFRESH.of(cluster).get(0.0) or None


def set_refresh_every(cluster: str, seconds: float | None) -> None:
    """Want a live cluster to be read so often; it is, as long as somebody who wants it looks at a page."""
    _REFRESH.of(cluster).set(float(seconds or 0) if seconds in REFRESH_SECONDS else 0.0)


def typed_clusters() -> dict[str, LiveCluster]:
    """The clusters whose address was typed in this session, by name, oldest first."""
    return dict(store.state().typed)


def add_typed(live: LiveCluster) -> None:
    """Keep a cluster whose address was typed; the oldest that is not open makes way."""
    store.state().add_typed(live)


def set_wish(wish: Wish) -> None:
    """Look at another what-if, and at what it leads to; an empty wish is the present."""
    here = store.state().here
    if here is not None:
        here.wish, here.after = wish, True


def on_wall() -> bool:
    """Whether pages are shown alone, for a screen on the wall."""
    return store.state().wall


def set_wall(wall: bool) -> None:
    """Show pages alone, or with all around them again."""
    store.state().wall = wall


def about_session() -> dict[str, str]:
    """What every address of this session says, whether a layout is open or not."""
    return dict(store.WALL) if on_wall() else {}


def show_chosen(switch: str) -> None:
    """Let all pages show what the what-if leads to, or the present beside which it stays: what the switch holds.

    A browser that is behind tells of the switch though nobody touched it: what it holds then is what was shown.
    """
    here = store.state().here
    if here is not None:
        here.after = bool(widgets.held(switch))


def edits() -> Edits:
    """The edits of the layout looked at."""
    here = store.state().here
    return Edits() if here is None else here.edits


def set_edits(value: Edits) -> None:
    """Look at the same layout with other racks or without other topics; the what-if stays."""
    here = store.state().here
    if here is not None:
        here.edits = value


def open_reading(reading: Reading, name: str) -> None:
    """Look at a layout that was just read, without a what-if, or with the one of the link that waits for it."""
    state = store.state()
    link, state.link = state.link, None
    name = state.free_name(reading, name)
    state.opened[name] = Opened(reading, own_moment(reading) or datetime.now(UTC))
    state.look(name)
    if link is not None and not link.error:
        there = state.opened[name]
        if link.names(caching.layout_of(reading, link.edits).digest):
            there.edits, there.wish, there.after = link.edits, link.wish, link.after
        else:
            state.link = replace(link, error=_other_layout(link, reading))


def _other_layout(link: links.Link, reading: Reading) -> str:
    return (
        f"The link is about the layout {link.digest}; what was opened is {reading.layout.digest}. "
        "They differ, so the link's what-if is not applied."
    )


def pending_link() -> links.Link | None:
    """The link that could not be opened yet: its layout is not on this server, or it was not understood."""
    return store.state().link


def forget_link() -> None:
    """Do without the link that could not be opened."""
    store.state().link = None


def layouts() -> dict[str, Reading]:
    """All layouts read in this session by name, oldest first."""
    return {name: opened.reading for name, opened in store.state().opened.items()}


def select_layout(name: str) -> None:
    """Look at another of the layouts read, with its own what-if."""
    state = store.state()
    if name in state.opened and name != state.current:
        if state.opened[name].past is not None and state.current is not None and not state.is_past(state.current):
            state.present = state.current
        state.look(name)


def shelve(looked_at: OpenLayout) -> dict[str, str]:
    """Put what is looked at on the server's shelf, and return the query that reopens it."""
    live, state = looked_at.live, store.state()
    known = live is not None and shared.live_clusters().find(live.name) is live
    shared.linked_layouts().put(
        LinkedLayout(
            looked_at.reading,
            looked_at.name,
            looked_at.read_at,
            looked_at.edits,
            looked_at.digest,
            latest_of=None if live is None else live.name,
            door=state.opened[looked_at.name].door if looked_at.name in state.opened else None,
        )
    )
    every = int(refresh_every(looked_at.name) or 0) if known else None
    query = links.to_query(
        looked_at.digest,
        looked_at.name,
        looked_at.edits,
        looked_at.wish,
        live=every,
        past=looked_at.past,
        after=looked_at.after,
    )
    return query | about_session()
