"""What an address opens: the one a session begins with, and those that the browser goes back and forward to.

In between the session leads and the address follows it. Going back is the one time when both have changed, and then
the address wins: it is what the person asked to see again. What the session has open is looked at as it is; only what
it has closed since is looked for on the server's shelf.
"""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from components.server import visitor
from components.state import caching, shared
from components.state.links import Link
from components.state.opened import REFRESH_SECONDS, Opened, SessionState
from components.state.past import Past
from reseat.access import Decision, Door, ask
from reseat.errors import InputRefused, WriteRefused
from reseat.formats.documents.snapshot import reading_of
from reseat.history.places import places
from reseat.model import Snapshot, Wish
from reseat.model.edits import Edits

if TYPE_CHECKING:
    from reseat.history.read import History

__all__ = ["begin", "history", "may", "open_past", "return_to"]


def may(state: SessionState, door: Door) -> Decision:
    """Whether a door opens for whose session this is, now."""
    person = visitor.person(state.token)
    try:
        visitor.note_sign_in(person)
    except WriteRefused as refused:  # who cannot be written down does nothing here
        return Decision(False, str(refused))
    return ask(door, person, visitor.access(), time.time())


def history(state: SessionState, where: str) -> History:
    """The tables in a folder, for who may see them.

    Raises:
        InputRefused: they may not, or it is no place, or of a kind that is not known.
    """
    answer = may(state, Door.READ_HISTORY)
    if not answer.may:
        raise InputRefused(answer.sentence)
    return caching.history_in(where)


def begin(state: SessionState, link: Link | None) -> None:
    """Open what a link names, or keep it until its file is there."""
    if link is None:
        return
    if link.past is not None and not link.error:
        _begin_in_the_past(state, link, link.past)
        return
    shelved = shared.linked_layouts().find(link.digest)
    named = link.live is not None and may(state, Door.READ_CLUSTERS).may
    live = shared.live_clusters().find(link.name) if named else None
    read = None if live is None else live.state.reading
    if link.error or (shelved is None and read is None):
        state.link = link
        return
    if read is not None:
        # Of a live cluster one sees the latest reading, also where the link is older.
        state.opened[link.name] = Opened(read, datetime.now(UTC), link.edits, live=live)
        _look(state, link.name, link)
        state.opened[link.name].follow()
    elif shelved is not None:
        name = state.free_name(shelved.reading, shelved.name)
        state.opened[name] = Opened(shelved.reading, shelved.read_at, shelved.edits, came_by=shelved.door)
        _look(state, name, link)


def return_to(state: SessionState, link: Link | None) -> None:
    """Look again at what an address of this session names, with its what-if.

    An address that names no layout changes nothing: it is that of a page before it was drawn.
    """
    if link is None:
        return
    state.link = None
    name = None if link.error else _open_already(state, link)
    if name is None:
        begin(state, link)
        return
    if link.past is not None:
        _leave_present(state)
    _look(state, name, link)


def open_past(
    state: SessionState, snapshot: Snapshot, snapshot_id: str, wish: Wish, edits: Edits, *, after: bool = True
) -> None:
    """Look at a moment of a cluster's history."""
    _leave_present(state)
    past = Past(snapshot.cluster or snapshot.cluster_id or "", snapshot_id, snapshot.taken_at)
    reading = reading_of(snapshot, source=past.name)
    state.opened[past.name] = Opened(reading, snapshot.taken_at, edits, wish, after, snapshot, past=past)
    state.look(past.name)


def _look(state: SessionState, name: str, link: Link) -> None:
    """Look at an open layout as the link does."""
    state.look(name)
    state.opened[name].wish, state.opened[name].after = link.wish, link.after
    if link.live is not None:
        state.kept[f"refresh {name}"] = float(link.live) if link.live in REFRESH_SECONDS else 0.0


def _open_already(state: SessionState, link: Link) -> str | None:
    """Which open layout the link names, its edits made the link's; None where none is."""
    if link.past is not None:
        found = [name for name, one in state.opened.items() if one.past is not None and one.past.link == link.past.link]
        for name in found:
            state.opened[name].edits = link.edits
        return next(iter(found), None)
    opened = state.opened.get(link.name)
    if opened is None or opened.past is not None:
        return None
    # Of a live cluster one sees the latest reading; a link holds not all racks where they are many, the session does.
    if link.names(caching.layout_of(opened.reading, opened.edits).digest):
        return link.name
    if opened.live is not None or link.names(caching.layout_of(opened.reading, link.edits).digest):
        opened.edits = link.edits
        return link.name
    return None


def _begin_in_the_past(state: SessionState, link: Link, past: Past) -> None:
    """Open the moment of the past that a link names; where the history does not have it, say so."""
    where = places()
    try:
        snapshot = caching.past_snapshot(history(state, where.tables), where.landing, past.cluster, past.snapshot_id)
    except InputRefused as refusal:
        state.link = replace(link, error=f"The snapshot in the link cannot be opened. {refusal.sentence}")
        return
    open_past(state, snapshot, past.snapshot_id, link.wish, link.edits, after=link.after)


def _leave_present(state: SessionState) -> None:
    """Remember what was looked at before one goes into the past."""
    if state.current is None or not state.is_past(state.current):
        state.present = state.current
