"""The runs of a cluster, latest first, a line each; a click opens one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from components.look import text
from components.operate.run import state_words
from components.operate.start import begins
from components.state.past import clock
from reseat.operate.executed import drain_of
from reseat.operate.journal.records import Run

__all__ = ["draw_history"]

#: Runs listed with a button; older ones are chosen from a list.
_LISTED = 8


def draw_history(runs: Sequence[Run], opened: int | None, choose: Callable[[int], None], *, at_work: bool) -> None:
    """Draw the runs of a cluster.

    Args:
        runs: in any order.
        opened: the run that is looked at, or None.
        choose: called with the id of the run that the person opens.
        at_work: whether somebody is at work on the one that is not over.
    """
    st.header("Runs of this cluster", anchor=False)
    latest = sorted(runs, key=lambda run: run.id, reverse=True)
    if not latest:
        st.caption("Nothing has been executed on this cluster from this journal.")
        return
    with st.container(key="history", gap="xsmall"):
        for run in latest[:_LISTED]:
            _line(run, run.id == opened, choose, at_work or begins(run))
        if latest[_LISTED:]:
            _older(latest[_LISTED:], choose)


def _line(run: Run, opened: bool, choose: Callable[[int], None], at_work: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"history-{run.id}", gap="small"):
        st.button(
            run.title,
            key=f"open-run-{run.id}",
            type="tertiary",
            icon=":material/visibility:" if opened else ":material/history:",
            help="Shown now" if opened else "Show this run",
            on_click=choose,
            args=(run.id,),
        )
        st.markdown(state_words(run.state, alive=at_work), width="content")
        drain, took = drain_of(run), ""
        if run.ended_at is not None:
            took = f" · took {text.duration((run.ended_at - run.approved_at).total_seconds())}"
        st.caption(
            f"{drain and f'{drain} · '}{text.plain(run.operator, 60)} · approved {clock(run.approved_at)}{took}",
            width="content",
        )


def _older(runs: Sequence[Run], choose: Callable[[int], None]) -> None:
    by_id = {run.id: run for run in runs}
    with st.container(horizontal=True, vertical_alignment="bottom", key="history-older"):
        chosen = st.selectbox(
            "Older runs",
            list(by_id),
            index=None,
            placeholder=f"{text.counted(len(runs), 'older run')}",
            format_func=lambda number: f"{by_id[number].title}, {by_id[number].state.value}",
            key="history-chosen",
            label_visibility="collapsed",
            width=320,
        )
        st.button("Show it", key="history-open", disabled=chosen is None, on_click=choose, args=(chosen or runs[0].id,))
