"""One cluster on Connect: how it is reached, test, read, progress, and how often it is read again."""

from __future__ import annotations

from contextlib import AbstractContextManager

import streamlit as st

from components.look import text
from components.shell import navigation
from components.shell.live_strip import progress_in_words
from components.state import connections, session
from components.state.connections import state_in_words
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome
from reseat.sources.followed import LiveCluster, LiveState

__all__ = ["draw_card"]

#: While something is under way a person watches; a look costs the server a millisecond.
_LOOK_SECONDS = 1.0
_BY_HAND = "Off"
_EVERY = {_BY_HAND: None, "10 s": 10.0, "30 s": 30.0, "1 min": 60.0, "5 min": 300.0}
_ICONS = {
    StepOutcome.PASSED: ":green[:material/check_circle:]",
    StepOutcome.WARNED: ":orange[:material/warning:]",
    StepOutcome.FAILED: ":red[:material/error:]",
}


def draw_card(live: LiveCluster, drawn: LiveState) -> None:
    """Draw it, and keep it up to date while something is under way.

    Args:
        live: the cluster.
        drawn: the state of which the rest of the page tells; the page is drawn anew once that is no longer true.
    """
    with st.container(border=True, key="connect-card"):
        st.fragment(_draw, run_every=_LOOK_SECONDS)(live, _tells(drawn))


def _tells(state: LiveState) -> tuple[object, ...]:
    """What the rest of the page tells of: a reading that is under way, came or was refused, and what is open."""
    return state.refreshing, state.tried_at, _open_name()


def _open_name() -> str | None:
    open_layout = session.open_layout()
    return None if open_layout is None else open_layout.name


def _draw(live: LiveCluster, drawn: tuple[object, ...]) -> None:
    state, connection = live.state, live.connection
    connections.open_if_read(live, state)
    if _tells(state) != drawn:
        st.rerun()
    st.markdown(f"**{text.plain(live.name, 80)}** · {state_in_words(state)}")
    security = "TLS" if connection.zookeeper_tls else "plain text"
    if not connection.zookeeper:
        security = connection.security_protocol
        if connection.sasl_mechanism:
            security += f", {connection.sasl_mechanism}"
    st.caption(
        f"{'ZooKeeper' if connection.zookeeper else 'Admin protocol'} · {text.plain(connection.address, 200)} · "
        f"{text.plain(security)}"
    )
    _buttons(live, state)
    if state.progress is not None:
        _progress(live, state)
    elif state.error is not None:
        st.markdown(f":red[:material/cloud_off:] **{text.plain(str(state.error))}**")
        if state.snapshot is not None:
            st.markdown(
                f"Pages show the last reading, from {text.plain(text.ago(state.snapshot.taken_at))}. "
                + (
                    f"Reseat retries every {text.duration(every)}."
                    if (every := session.refresh_every(live.name)) is not None
                    else "Refresh shows the current state as soon as the cluster answers."
                )
            )
    _steps(state)
    _refresh_choice(live)


def _buttons(live: LiveCluster, state: LiveState) -> None:
    open_layout = session.open_layout()
    is_open = open_layout is not None and open_layout.live is live
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Refresh" if is_open else "Read",
            key="connect-read",
            icon=":material/refresh:" if is_open else ":material/download:",
            disabled=state.refreshing,
            on_click=connections.read_to_open,
            args=(live,),
        )
        if state.snapshot is not None and not is_open:
            st.button(
                "Show the last reading",
                key="connect-open",
                icon=":material/visibility:",
                on_click=session.open_live,  # before anything is drawn: a click is not lost to a reading that comes
                args=(live,),
            )
        st.button(
            "Test the connection",
            key="connect-test",
            icon=":material/network_check:",
            disabled=state.testing,
            on_click=connections.test,
            args=(live,),
        )
        if state.refreshing:
            st.button("Cancel", key="connect-cancel", icon=":material/close:", on_click=live.cancel)
        if is_open:
            navigation.link(navigation.OVERVIEW, "See the layout")


def _progress(live: LiveCluster, state: LiveState) -> None:
    progress = state.progress
    if progress is None:
        return
    words = text.plain(progress_in_words(progress))
    done = min(1.0, progress.done / progress.total) if progress.total else 0.0
    st.progress(done, text=f"{words[0].upper()}{words[1:]} …")
    if state.snapshot is not None:
        st.caption("Pages show the last reading until then.")


def _steps(state: LiveState) -> None:
    if not state.steps and not state.testing:
        return
    tested, tried = state.tested_at, state.tried_at
    if tested is not None and tried is not None and tried > tested and not state.testing:
        title = f"Tested {text.plain(text.ago(tested))}"
        place: AbstractContextManager[object] = st.expander(title, icon=":material/network_check:")
    else:
        place = st.container(key="connect-steps", gap="xsmall")
    with place:
        for step in state.steps:
            st.markdown(_step(step))
        if state.testing:
            st.markdown(":material/pending: Testing …")
        elif state.steps[-1].outcome is not StepOutcome.FAILED:
            warned = sum(step.outcome is StepOutcome.WARNED for step in state.steps)
            st.markdown(
                f"**Connection works, with {text.counted(warned, 'warning')}.**" if warned else "**Connection works.**"
            )


def _step(step: DiagnosisStep) -> str:
    words = {StepOutcome.PASSED: "", StepOutcome.WARNED: " (warning)", StepOutcome.FAILED: " (failed)"}
    return f"{_ICONS[step.outcome]} **{step.name}{words[step.outcome]}.** {text.plain(step.sentence)}"


def _refresh_choice(live: LiveCluster) -> None:
    now = session.refresh_every(live.name)
    names = list(_EVERY)
    wanted = st.segmented_control(
        "Auto-refresh",
        names,
        default=next((name for name, seconds in _EVERY.items() if seconds == now), _BY_HAND),
        key=f"connect-every-{live.name}",
        required=True,
        help="Runs while a page of the cluster is open. Everyone who has it open sees the same readings.",
    )
    session.set_refresh_every(live.name, _EVERY[wanted or _BY_HAND])
