"""The pipeline's line on a page: start it, see how far it is, read its log, cancel it; the same for everybody."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

from components.look import text
from components.shell import sign_in
from components.state import session, shared
from reseat.access import Door
from reseat.history.places import Places
from reseat.installed import missing
from reseat.jobs.process import Phase, PipelineState
from reseat.jobs.stages import run_job

__all__ = ["draw_bar", "ended_in_words", "working_in_words"]

_CSS = Path(__file__).with_name("pipeline_bar.css")
#: Seconds between two looks at it; a look costs the server a millisecond.
_LOOK_SECONDS = 1.0
#: More lines of the log than these scroll, in so many pixels.
_FEW_LINES, _LOG_HEIGHT = 8, 220
#: Icon and colour of how a job ended.
_ENDS = {
    Phase.DONE: (":material/check_circle:", "green"),
    Phase.CANCELLED: (":material/cancel:", "gray"),
    Phase.REFUSED: (":material/front_hand:", "orange"),
    Phase.FAILED: (":material/error:", "red"),
}
#: How long a stage took, as it says itself; here the whole job's time is told.
_SECONDS = re.compile(r" [\d.,]+ s\.$")
_WHAT_CANCEL_DOES = (
    "**The job is asked to stop, and killed after ten seconds, with Spark's Java process.** Nothing is lost or counted "
    "twice: the tables show the state before or after, and the next run repairs what was begun and continues."
)


def draw_bar(places: Places) -> None:
    """Draw the line, and keep it up to date; the page is drawn anew once a job or one of its stages begins or ends.

    What a stage made can be looked at while the next one works: the fleet is there before its failures are analysed.

    Args:
        places: where snapshots land, and where the tables are.
    """
    st.html(_CSS)
    state = shared.pipeline().state
    with st.container(key="pipeline"):
        st.fragment(_draw, run_every=_LOOK_SECONDS)(places, _step(state))


def _step(state: PipelineState) -> tuple[int, bool, int]:
    """What of a job the rest of the page depends on: which it is, whether it works, and at which stage."""
    return state.number, state.phase.busy, state.at


def _draw(places: Places, drawn: tuple[int, bool, int]) -> None:
    state, allowed, lacking = shared.pipeline().state, session.may(Door.RUN_PIPELINE), missing("spark")
    if _step(state) != drawn:
        st.rerun()  # buttons and tables elsewhere on the page belong to another state
    with st.container(key="pipeline-line", horizontal=True, vertical_alignment="center", gap="small"):
        if state.phase.busy:
            _cancel(state, allowed=allowed.may)
            st.markdown(working_in_words(state, datetime.now(UTC)), width="stretch")
        else:
            st.button(
                "Run the pipeline",
                key="pipeline-run",
                icon=":material/play_arrow:",
                disabled=not allowed.may or lacking is not None,
                on_click=session.start_pipeline,
                args=(run_job(places.landing, places.tables),),
                help="Ingests new snapshots, then analyses every failure on the latest snapshot of each cluster. It "
                "runs next to the dashboard, on this machine's cores.",
            )
            said = ended_in_words(state, places) if lacking is None else text.plain(str(lacking))
            st.markdown(said, width="stretch")
    if state.phase.busy:
        part = None if state.progress is None else state.progress.part
        # An empty bar that stands still for a minute looks like a job that does.
        with st.container(key=f"pipeline-{'far' if part else 'moving'}"):
            st.progress(part or 0.0)
    if not allowed.may:
        sign_in.draw_closed(allowed, "pipeline")
    if state.log or state.phase.busy:
        with st.expander("Log", icon=":material/terminal:", key="pipeline-log", on_change="rerun") as log:
            if log.open:
                said = "\n".join(state.log) or "No output yet."
                few = len(state.log) <= _FEW_LINES
                st.code(said, language=None, height="content" if few else _LOG_HEIGHT, wrap_lines=True)


def _cancel(state: PipelineState, *, allowed: bool) -> None:
    stopping = state.phase is Phase.STOPPING
    with st.popover(
        "Cancel",
        icon=":material/stop_circle:",
        key=f"pipeline-cancel-{state.number}-{stopping}",
        disabled=stopping or not allowed,
    ):
        st.markdown(_WHAT_CANCEL_DOES)
        st.button("Cancel now", key="pipeline-cancel", type="primary", on_click=session.cancel_pipeline)


def working_in_words(state: PipelineState, now: datetime) -> str:
    """What a job is doing, as Markdown: which stage, how far, since when, how long still."""
    since = (
        "" if state.started_at is None else f" · {text.duration(max(0.0, (now - state.started_at).total_seconds()))}"
    )
    if state.phase is Phase.STOPPING:
        return f":orange[:material/stop_circle:] **Cancelling**: stopping the job{since}"
    stage = f"**{text.plain(state.stages[state.at].title)}** ({state.at + 1} of {len(state.stages)})"
    how_far = "starting" if state.progress is None else text.plain(state.progress.sentence.rstrip("."), 160)
    left = state.seconds_left(now)
    # The last seconds are not counted down: a machine that is slower than measured would stand at none left.
    still = "" if left is None else " · nearly done" if left < 10 else f" · about {text.duration(left)} left"
    return f":blue[:material/sync:] {stage}: {how_far}{since}{still}"


def ended_in_words(state: PipelineState, places: Places) -> str:
    """How the last job of this server ended, as Markdown; where none was, which tables one sees."""
    if state.phase is Phase.IDLE or state.started_at is None or state.ended_at is None:
        return f"Tables in {text.code(places.tables, 90)}, from snapshots in {text.code(places.landing, 90)}"
    icon, colour = _ENDS[state.phase]
    took = text.duration((state.ended_at - state.started_at).total_seconds())
    when = f"{text.ago(state.ended_at)}, after {took}"
    said = text.plain(" ".join(_SECONDS.sub("", line) for line in state.said[-2:] if line), 120)
    sentence = text.plain(state.sentence.removeprefix("It was cancelled. "), 400)
    match state.phase:
        case Phase.DONE:
            return f":{colour}[{icon}] Done {when}. {said}"
        case Phase.REFUSED:
            return f":{colour}[{icon} **Not run:**] {sentence}"
        case Phase.CANCELLED:
            return f":{colour}[{icon}] Cancelled {when}. {sentence}"
        case _:
            return f":{colour}[{icon} **Failed** {when}.] {sentence}"
