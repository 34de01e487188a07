"""A run watched: it is drawn anew every few seconds while it is open, can be stopped, and is verified at its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st

from components.look import text
from components.operate import reading, start
from components.operate.checks import draw_check
from components.operate.operated_cluster import OperatedCluster, look_at
from components.operate.options import draw_options
from components.operate.run import draw_moves, draw_progress, state_words
from components.state.past import clock
from components.state.slots import Slot
from components.state.told import redraw, told
from reseat.errors import ReseatError, WishRefused
from reseat.operate.executed import drain_of
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunProgress, RunState
from reseat.operate.run import wishes
from reseat.operate.run.places import as_shown
from reseat.operate.run.stalled import Watched, look_again
from reseat.operate.verify import Verification

__all__ = ["draw_run", "hear_of_runs"]

_TROUBLE = "operate-trouble"
_WATCHED: Slot[tuple[int, Watched]] = Slot("operate-watched")

#: Seconds between two looks at the journal; for plans of many partitions more, since each is drawn.
_EVERY, _EVERY_LARGE, _LARGE = 2.0, 10.0, 20_000


def draw_run(operated: OperatedCluster, journal: Journal, run_id: int) -> None:
    """Draw a run of this cluster's journal.

    Args:
        operated: the cluster and the person.
        journal: where the run is.
        run_id: the run.
    """
    progress = _progress(journal, run_id)
    run = progress.run
    _line(operated, run, progress)
    if run.state.open and operated.may_write:
        _draw_open(operated, journal, progress)
    if not run.state.open:
        _draw_moving(operated, journal, run_id, _stands(progress))
        return
    every = _EVERY_LARGE if progress.partitions > _LARGE else _EVERY
    st.fragment(_draw_moving, run_every=every)(operated, journal, run_id, _stands(progress))


def hear_of_runs(operated: OperatedCluster, drawn: int | None) -> None:
    """Draw the page anew where somebody else began a run, or theirs ended, while a plan is looked at.

    Args:
        operated: the cluster.
        drawn: id of the open run that the page tells of.
    """
    now = operated.open_run
    if (None if now is None else now.id) != drawn:
        redraw()


def _stands(progress: RunProgress) -> tuple[object, ...]:
    """What of a run the line, the buttons and the result above its progress are drawn by."""
    run = progress.run
    return run.state, progress.alive, run.paused_by, run.stop, run.options


def _progress(journal: Journal, run_id: int) -> RunProgress:
    """How far a run is; one that a process was begun for just now counts as being worked on, until that shows."""
    progress = journal.progress(run_id)
    return replace(progress, alive=progress.alive or start.begins(progress.run))


def _line(operated: OperatedCluster, run: Run, progress: RunProgress) -> None:
    """Which run this is, and how it was approved."""
    throttle = "no throttle" if run.options.throttle is None else f"{text.size(run.options.throttle)}/s per broker"
    throttle += text.plain(run.options.schedule_in_words)
    overridden = ", ".join(text.plain(name.replace("_", " ")) for name in run.overridden)
    with st.container(horizontal=True, vertical_alignment="center", key="run-line", gap="small"):
        st.markdown(f"**{run.title}{_does(run)}** {state_words(run.state, alive=progress.alive)}", width="content")
        st.caption(
            f"approved by {text.plain(run.operator, 60)}, {clock(run.approved_at)} · "
            f"{text.counted(run.options.max_concurrent_moves_per_broker, 'move')} per broker at a time, {throttle} · "
            f"plan {text.code(run.hash[:12])}" + (f" · overrides {overridden}" if overridden else ""),
            width="content",
        )
        st.button(
            "Back to the plan", key="to-plan", type="tertiary", icon=":material/arrow_back:",
            on_click=look_at, args=(operated, "plan"),
        )  # fmt: skip


def _does(run: Run) -> str:
    """Whoever comes to it at night sees at once what it does."""
    drain = drain_of(run)
    return f": {drain}" if drain else ""


def _draw_moving(operated: OperatedCluster, journal: Journal, run_id: int, stands: tuple[object, ...]) -> None:
    """What changes while a run is open; drawn by itself, so that nothing else on the page does."""
    progress = _progress(journal, run_id)
    progress = replace(progress, moves=tuple(as_shown(progress.run, progress.moves)))
    if _stands(progress) != stands:
        redraw()  # a pause point is reached while the run waits for what is in progress: it is paused before and after
    kept = _WATCHED.get((0, Watched()))
    seen = kept[1] if kept[0] == run_id else Watched()
    now = time.monotonic()
    seen = look_again(seen, progress.moves, now)
    _WATCHED.set((run_id, seen))
    stalled = seen.stalled(now)
    ended = not progress.run.state.open
    draw_progress(
        progress,
        operated.snapshot.layout,
        stalled,
        (lambda: _draw_ended(operated, progress)) if ended else lambda: None,
    )
    draw_moves(progress, stalled)


def _draw_open(operated: OperatedCluster, journal: Journal, progress: RunProgress) -> None:
    """What a person may ask of a run: stop, cancel, pause, another pace; and go on where nobody is at work."""
    run = progress.run
    stopping = bool(run.stop) or run.state is RunState.STOPPING
    # Each stays in its place whatever the run does: a popover that moved up would stand open under the mouse.
    with st.container(horizontal=True, key="run-buttons"):
        _draw_stop(operated, journal, run, stopping=stopping, cancelling=run.stop == "cancel")
        paused = bool(run.paused_by)
        st.button(
            "Resume" if paused else "Pause",
            key="resume" if paused else "pause",
            icon=":material/resume:" if paused else ":material/pause_circle:",
            disabled=stopping,
            help="Batches are sent again." if paused else "Nothing is sent until you resume; what is in progress "
                                                          "finishes.",
            on_click=_wish, args=(wishes.resume if paused else wishes.pause, operated, journal, run),
        )  # fmt: skip
        with st.popover("Pace", icon=":material/speed:", key=f"pace-{run.id}-{stopping}", disabled=stopping):
            _draw_pace(operated, journal, run)
        if not progress.alive:
            st.button(
                "Continue", key="go-on", type="primary", icon=":material/play_arrow:",
                help="What is in progress is checked first; nothing is sent twice.",
                on_click=_go_on, args=(operated, journal, run),
            )  # fmt: skip
    _draw_trouble()


def _draw_stop(operated: OperatedCluster, journal: Journal, run: Run, *, stopping: bool, cancelling: bool) -> None:
    """The two ways to end a run before its time."""
    with st.popover("Stop", icon=":material/stop_circle:", key=f"stop-{run.id}-{stopping}", disabled=stopping):
        st.markdown(
            "**Nothing further is sent.** What is in progress at Kafka finishes; waiting partitions stay as they "
            "are. The throttles are restored. What has moved stays moved: a rollback reverts it."
        )
        st.button("Send nothing further", key="stop", on_click=_stop, args=(operated, journal, run, False))
    # Another key once it was asked for: it closes by that, and what comes of it is seen.
    with st.popover("Cancel", icon=":material/cancel:", key=f"cancel-{run.id}-{cancelling}", disabled=cancelling):
        st.markdown(
            "**Nothing further is sent, and what is in progress is reverted:** those partitions keep the replicas they "
            "had, and what was copied so far is dropped. What is done stays: a rollback reverts it too."
        )
        if operated.protocol_of(run) == "zookeeper":
            st.caption("Through ZooKeeper's node Kafka cannot cancel what is in progress: it finishes.")
        st.button(
            "Revert what is in progress", key="cancel", type="primary", on_click=_stop,
            args=(operated, journal, run, True),
        )  # fmt: skip


def _draw_pace(operated: OperatedCluster, journal: Journal, run: Run) -> None:
    """Another throttle, more or fewer moves at a time: for a run at work as for one that nobody works on."""
    st.markdown("Applies from the next batch. The throttles from before the run are still restored at its end.")
    try:
        # Fields begin anew with what was changed elsewhere, and behind a pause point: *Change* would take that back.
        options = draw_options(run.options, f"run-{run.id}-{hash(run.options)}")
    except WishRefused as error:
        st.markdown(f":red[:material/block:] {text.plain(str(error))}")
        return
    st.button(
        "Change", key="set", type="primary", disabled=options == run.options,
        on_click=_wish, args=(partial(wishes.change, options=options), operated, journal, run),
    )  # fmt: skip


def _wish(ask: Callable[..., Run], operated: OperatedCluster, journal: Journal, run: Run) -> None:
    """A callback: ask whoever is at work on the run, through the journal."""
    try:
        operated.insist()
        ask(journal, run.id, operator=operated.person.name)
    except ReseatError as error:
        told(_TROUBLE).tell(error)


def _stop(operated: OperatedCluster, journal: Journal, run: Run, cancel: bool) -> None:
    """A callback: ask whoever carries the run out to stop; where nobody does, begin somebody who does it."""
    try:
        operated.insist()
        if wishes.stop(journal, run.id, cancel=cancel, operator=operated.person.name):
            start.go_on(operated, run)
    except ReseatError as error:
        told(_TROUBLE).tell(error)


def _go_on(operated: OperatedCluster, journal: Journal, run: Run) -> None:
    """A callback: begin a process that goes on with the run; a pause ends by that."""
    try:
        operated.insist()
        if run.paused_by:
            wishes.resume(journal, run.id, operator=operated.person.name)
        start.go_on(operated, run)
    except ReseatError as error:
        told(_TROUBLE).tell(error)


def _draw_trouble() -> None:
    """Why the last button did nothing."""
    trouble = told(_TROUBLE).read()
    if trouble is not None:
        st.markdown(f":red[:material/block:] {text.plain(str(trouble))}")


def _draw_ended(operated: OperatedCluster, progress: RunProgress) -> None:
    """What Kafka tells of a run that is over, and its rollback."""
    _draw_verification(operated, progress.run)
    touched = sum(move.state in ("done", "sent", "failed") for move in progress.moves)
    with st.container(horizontal=True, key="run-buttons", vertical_alignment="center"):
        st.button(
            "Roll back",
            key="roll-back", icon=":material/undo:", disabled=not touched,
            on_click=look_at, args=(operated, "rollback", progress.run.id),
        )  # fmt: skip
        st.caption(
            "Restores the replica lists from before the run, with the same checks as any plan; they are shown first."
            if touched
            else "Nothing was executed, so there is nothing to roll back.",
            width="content",
        )


_KEPT: Slot[tuple[int, Verification | None, datetime]] = Slot("operate-verified")


def _draw_verification(operated: OperatedCluster, run: Run) -> None:
    """Ask Kafka whether the cluster is as planned, once by itself where a run is done, and say what it tells."""
    of, found, when = _KEPT.get((run.id, None, datetime.now(UTC)))
    if of != run.id:
        found = None
    with st.container(border=True, key="verification"):
        slot = st.container()
        asked = found is not None or run.state is RunState.DONE
        again = st.button(
            "Verify again" if asked else "Verify with Kafka",
            key="verify",
            icon=":material/fact_check:",
            type="tertiary",
        )
        with slot:
            if again or (found is None and run.state is RunState.DONE):
                found = _ask(operated, run)
                when = datetime.now(UTC)
            if found is not None:
                _draw(found, when)


def _ask(operated: OperatedCluster, run: Run) -> Verification | None:
    from reseat.formats.documents.sealed import read_sealed
    from reseat.operate.verify import verify

    try:
        with st.spinner("Verifying with Kafka …", show_time=True):
            sealed = read_sealed(run.plan, source=f"the plan of run {run.id}")
            now = reading.read(operated) if sealed.leaving else None
            with reading.target_of(operated) as target:
                found = verify(target, sealed, now)
    except ReseatError as error:
        st.markdown(f":red[:material/link_off:] Unknown right now: {text.plain(str(error))}")
        return None
    _KEPT.set((run.id, found, datetime.now(UTC)))
    operated.live.refresh(operated.person.name)  # what every page shows shall be what was just verified
    return found


def _draw(found: Verification, when: datetime) -> None:
    icon, colour, word = (
        (":material/verified:", "green", "Verified") if found.holds else (":material/error:", "red", "Not as planned")
    )
    drained = found.drained.sentence if found.drained is not None else None
    said = " ".join(sentence for sentence in found.sentences if sentence != drained)
    st.markdown(f":{colour}[{icon} **{word}.**] {text.plain(said)} Seen {clock(when)}.")
    if found.drained is not None:
        draw_check(found.drained)
