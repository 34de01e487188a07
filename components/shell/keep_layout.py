"""Keep this layout: what was read lands in the landing zone, as what its cluster was at a moment."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import streamlit as st

from components.look import text
from components.shell import navigation, sign_in
from components.state import session
from components.state.open_layout import OpenLayout
from components.state.slots import Slot
from reseat.access import Door
from reseat.errors import ReseatError
from reseat.history.places import places
from reseat.model import Snapshot
from reseat.sources.keeping import moment_of, own_moment, snapshot_of_files, snapshot_of_reading
from reseat.sources.landing import land

__all__ = ["draw", "name_for", "snapshot_to_keep"]

#: The name of the cluster that a layout was kept as.
_KEPT_AS: Slot[str] = Slot("kept as")


@dataclass(frozen=True, slots=True)
class _Note:
    """What came of the last press of the button."""

    sentence: str
    where: str = ""


def draw(open_layout: OpenLayout) -> None:
    """The form, and what came of it."""
    if open_layout.past is not None:
        st.caption("This is a snapshot from the history: it is already saved.")
        return
    answer = session.may(Door.SAVE_SNAPSHOT)
    if not answer.may:
        sign_in.draw_closed(answer, "keep")
        return
    key = open_layout.name  # not its digest: a live cluster is read again while somebody types
    with st.form(f"keep-{key}", border=False):
        st.caption("Adds this layout to its cluster's history.")
        name = st.text_input(
            "Cluster",
            value=name_for(open_layout),
            key=f"keep-name-{key}",
            max_chars=100,
            placeholder="orders-prod",
            help="Use the same name each time: snapshots with the same name form one history",
        )
        when = None
        if open_layout.snapshot is None:
            when = st.text_input(
                "Snapshot time",
                value=_moment(_known_moment(open_layout)),
                key=f"keep-when-{key}",
                max_chars=60,
                help="With Z for UTC, or an offset: 2026-05-01T14:00:00+02:00. Preset to the time at which the input "
                "was read here, unless the input includes its own",
            )
        else:
            st.caption(f"Snapshot time: {open_layout.snapshot.taken_at:%Y-%m-%d %H:%M:%S} UTC.")
        _what_is_kept(open_layout)
        if st.form_submit_button("Save", icon=":material/archive:"):
            _keep(open_layout, name.strip(), when)
    _note(open_layout)


def name_for(open_layout: OpenLayout) -> str:
    """The name under which a layout would be kept: the one it was kept by, or what it says itself; else empty."""
    facts = open_layout.reading.facts
    told = _KEPT_AS.of(open_layout.name).get("") or (
        (open_layout.snapshot.cluster or open_layout.name) if open_layout.snapshot is not None else facts.get("cluster")
    )
    # What may stand in an address or a file, and not in the name of a folder.
    return re.sub(r"[^A-Za-z0-9._-]+", "-", told).strip("._-")[:100] if isinstance(told, str) else ""


def snapshot_to_keep(open_layout: OpenLayout, when: datetime | None) -> Snapshot:
    """What was read, with racks told by hand, without the what-if, and with all its topics.

    Args:
        open_layout: what is looked at.
        when: the moment, for what does not say its own.

    Raises:
        InputRefused: the moment cannot be, or there is nothing in it.
    """
    files = session.texts_of(open_layout.reading)
    if open_layout.snapshot is not None:
        taken = open_layout.snapshot
    elif files:
        taken = snapshot_of_files(files, taken_at=when, reading=open_layout.reading).snapshot
    else:
        taken = snapshot_of_reading(open_layout.reading, taken_at=when or open_layout.read_at)
    if open_layout.edits.racks:
        by_hand = {"racks_by_hand": {str(broker): rack for broker, rack in open_layout.edits.racks}}
        taken = replace(
            taken, layout=taken.layout.with_racks(dict(open_layout.edits.racks)), facts={**taken.facts, **by_hand}
        )
    return taken


def _what_is_kept(open_layout: OpenLayout) -> None:
    said = []
    if not open_layout.wish.is_empty:
        said.append("The what-if is not saved, only what was read.")
    if open_layout.edits.without or open_layout.edits.without_internal:
        said.append("Excluded topics are saved too.")
    if open_layout.edits.racks:
        said.append("Racks that you added are saved with it.")
    if said:
        st.caption(" ".join(said))


def _keep(open_layout: OpenLayout, name: str, when: str | None) -> None:
    if not name:
        _noted(open_layout).set(_Note("Enter a cluster name: the history is saved under it."))
        return
    try:
        moment = None if when is None else moment_of(when)
        with st.spinner("Saving …"):
            taken = snapshot_to_keep(open_layout, moment)
            landed = land(taken, places().landing, name)
    except ReseatError as error:
        _noted(open_layout).set(_Note(str(error)))
        return
    _KEPT_AS.of(open_layout.name).set(name)
    at = f"{name} at {taken.taken_at:%Y-%m-%d %H:%M:%S} UTC"
    sentence = f"Saved: {at}." if landed.new else f"Already saved: {at}. Nothing was written."
    _noted(open_layout).set(_Note(sentence, landed.where))


def _note(open_layout: OpenLayout) -> None:
    note = _noted(open_layout).get(_Note(""))
    if not note.sentence:
        return
    if not note.where:
        st.markdown(f":red[:material/block: {text.plain(note.sentence)}]")
        return
    st.markdown(f":green[:material/check_circle:] {text.plain(note.sentence)}")
    st.code(note.where, language=None, wrap_lines=True)
    st.caption("It appears in the history after the next pipeline run.")
    navigation.link(navigation.HISTORY, "Open History")


def _known_moment(open_layout: OpenLayout) -> datetime:
    return own_moment(open_layout.reading) or open_layout.read_at.replace(microsecond=0)


def _moment(when: datetime) -> str:
    utc = when.astimezone(UTC)
    return f"{utc:%Y-%m-%dT%H:%M:%S}{f'.{utc.microsecond:06d}' if utc.microsecond else ''}Z"


def _noted(open_layout: OpenLayout) -> Slot[_Note]:
    return Slot[_Note]("keep").of(open_layout.name)
