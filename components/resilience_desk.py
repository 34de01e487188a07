"""The desk of the Resilience page: the ranked chart, the pair matrix and the detail side by side, the tables below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from components import frame, session, text
from components.pair_matrix import matrix_data, pair_matrix
from components.resilience_chart import HEIGHT, draw_ranked
from components.resilience_detail import draw_detail
from components.resilience_losses import Losses, corner, worst_brokers
from components.resilience_source import Subject
from components.resilience_table import draw_tables
from components.resilience_view import WHICH, Chosen, View, apply_event, chosen_of, measure_of
from reseat.resilience.words import MEASURES, WORDS

__all__ = ["draw_desk"]

_CSS = Path(__file__).with_name("resilience.css")
#: A matrix of a million cells is a megabyte to send and a tenth of a second to draw.
_MOST_DRAWN = 1_400
_VIEW, _CLICKS = "resilience-view", "resilience-clicks"


@st.fragment
def draw_desk(subject: Subject) -> None:
    """Draw all that a click changes; only this is drawn anew then.

    Args:
        subject: what is drawn.
    """
    st.html(_CSS)
    losses = subject.losses
    _switches(losses)
    chart, matrix, detail = st.columns([30, 42, 28], gap="small")
    with chart, st.container(key="resilience-chart"):
        name = f"resilience-ranked-{session.kept(_CLICKS, 0)}"
        draw_ranked(losses, _view(), name, partial(_clicked, subject, name))
    with matrix, st.container(key="resilience-matrix"):
        _matrix(subject)
    with detail:
        chosen = chosen_of(_view(), losses)
        if chosen is not None:
            draw_detail(losses, chosen, subject.find, subject.open)
    for note in losses.notes:
        st.caption(f":material/info: {text.plain(note)}")
    _how_to_read()
    with st.expander("The numbers", icon=":material/table:", key="resilience-numbers", on_change="rerun") as numbers:
        if numbers.open:
            draw_tables(subject, _view(), f"resilience-rows-{session.kept(_CLICKS, 0)}", partial(_hear, subject))


def _view() -> View:
    return session.kept(_VIEW, View())


def _switches(losses: Losses) -> None:
    """What is counted, and whose bars are drawn."""
    view = _view()
    told = [measure for measure in MEASURES if losses.told(measure)] or list(MEASURES[:1])
    with st.container(horizontal=True, vertical_alignment="bottom", key="resilience-switches"):
        measure = st.segmented_control(
            "Count",
            told,
            default=measure_of(view, losses),
            required=True,
            key=f"resilience-measure-{'-'.join(told)}",
            format_func=lambda one: WORDS[one].label,
            label_visibility="collapsed",
        )
        which = view.which
        if not losses.of_kind("rack").empty:
            which = st.segmented_control(
                "Bars",
                WHICH,
                default=view.which,
                required=True,
                key="resilience-which",
                format_func=lambda one: one[:1].upper() + one[1:],
                label_visibility="collapsed",
            )
    session.keep(_VIEW, replace(view, measure=measure, which=which))


def _matrix(subject: Subject) -> None:
    losses, view = subject.losses, _view()
    measure, count = measure_of(view, losses), len(losses.brokers)
    cells = losses.pairs.get(measure)
    if cells is None:
        with st.container(border=True, height=HEIGHT, key="resilience-no-pairs"):
            st.markdown(_no_pairs(losses))
        return
    shown = worst_brokers(cells, count, _MOST_DRAWN)
    ids = losses.brokers[shown].tolist()
    drawn = {
        one: (corner(losses.pairs[one], count, shown), (WORDS[one].one, WORDS[one].many))
        for one in MEASURES
        if one in losses.pairs
    }
    data = matrix_data(
        ids,
        [losses.racks[place] for place in shown.tolist()],
        drawn[measure],
        [drawn[one] for one in drawn if one != measure],
        selected=_marked(chosen_of(view, losses), ids),
    )
    event = pair_matrix(data)
    if len(ids) < count:
        st.caption(f"The {len(ids):,} brokers of {count:,} that stand in the worst pairs; the numbers below have all.")
    if event is not None:
        heard = apply_event(view, event, losses, ids)
        if heard != view:
            session.keep(_VIEW, heard)
            st.rerun(scope="fragment")


def _marked(chosen: Chosen | None, ids: list[int]) -> tuple[int, int] | None:
    """Row and column of the loss whose detail is open, where the matrix shows it."""
    if chosen is None or chosen.kind == "rack" or not set(chosen.lost) <= set(ids):
        return None
    return ids.index(chosen.lost[0]), ids.index(chosen.lost[-1])


def _no_pairs(losses: Losses) -> str:
    if len(losses.brokers) < 2:
        return "One broker alone makes no pair."
    return "No pairs for this."


def _clicked(subject: Subject, chart: str) -> None:
    """A click on a bar opens its detail; a browser may tell of one click twice, and late."""
    for place in session.clicked(chart, "y")[:1]:
        _hear(subject, chart, {"kind": "bar", "at": place})


def _hear(subject: Subject, name: str, event: Mapping[str, object]) -> None:
    """A click on the chart or a table: both begin anew, so that the next click on the same is one too."""
    clicks = session.kept(_CLICKS, 0)
    if f"-{clicks}" not in name:
        return
    session.keep(_VIEW, apply_event(_view(), event, subject.losses))
    session.keep(_CLICKS, clicks + 1)


def _how_to_read() -> None:
    frame.how_to_read(
        "**Bars**: each broker and each rack lost by itself, the worst first; the dashed line is what is so already, "
        "before anything is lost. **Matrix**: each cell is two brokers lost at once, the diagonal one alone; brokers "
        "stand by rack and then by id, the brighter the worse (by square root, so that single partitions are seen "
        "beside hundreds). Drag over a part of it to zoom in, Escape zooms out. Click a bar, a cell or a row of the "
        "table for its detail. **Offline**: no replica in sync is left (unclean election off). **Below min ISR**: "
        "writes with acks=all are rejected; offline ones count too."
    )
