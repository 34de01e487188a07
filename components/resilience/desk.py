"""The desk of the Resilience page: the ranked chart, the pair matrix and the detail side by side, the tables below."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from components.canvas.pair_matrix import matrix_data, pair_matrix
from components.look import text
from components.resilience.detail import draw_detail
from components.resilience.figure import HEIGHT, draw_ranked
from components.resilience.source import Subject
from components.resilience.table import draw_tables, singles_on_paper
from components.resilience.view import (
    WHICH,
    Chosen,
    ResilienceView,
    apply_event,
    chosen_in,
    chosen_of,
    measure_of,
    said_of,
)
from components.shell import frame
from components.state import addresses, fields, widgets
from components.state.slots import Anew, Slot
from reseat.resilience.losses import Losses, corner, worst_brokers
from reseat.resilience.words import MEASURES, WORDS

__all__ = ["draw_desk"]

_CSS = Path(__file__).with_name("resilience.css")
#: A matrix of a million cells is a megabyte to send and a tenth of a second to draw.
_MOST_DRAWN = 1_400
_VIEW: Slot[ResilienceView] = Slot("resilience-view", addressed=True)
_CLICKS = Anew("resilience-clicks")
#: The address's name for the loss whose detail is open.
_LOSS = "loss"


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
        name = _CLICKS.key("resilience-ranked")
        draw_ranked(losses, _view(), name, partial(_clicked, subject, name))
    with matrix, st.container(key="resilience-matrix"):
        _matrix(subject)
    with detail:
        chosen, linked = chosen_of(_view(), losses), st.query_params.get(_LOSS, "")
        if addresses.comes() and linked != fields.offered(_LOSS, [linked] if chosen_in(linked) == chosen else ()):
            _keep(replace(_view(), chosen=None))
        if chosen is not None:
            draw_detail(losses, chosen, subject.find, subject.opens, subject.quorum(chosen))
    for note in losses.notes:
        st.caption(f":material/info: {text.plain(note)}")
    _how_to_read()
    with fields.fold("The numbers", name="numbers", key="resilience-numbers", icon=":material/table:") as numbers:
        if numbers.open:
            draw_tables(subject, _view(), _CLICKS.key("resilience-rows"), partial(_hear, subject))
        else:
            singles_on_paper(losses, _view())
    addresses.publish()


def _view() -> ResilienceView:
    begun = ResilienceView(chosen=chosen_in(st.query_params.get(_LOSS, "")))
    return _VIEW.get(begun)


def _keep(view: ResilienceView) -> None:
    _VIEW.set(view)
    addresses.tell(_LOSS, said_of(view.chosen))


def _switches(losses: Losses) -> None:
    """What is counted, and whose bars are drawn."""
    view = _view()
    told = [measure for measure in MEASURES if losses.told(measure)] or list(MEASURES[:1])
    with st.container(horizontal=True, vertical_alignment="bottom", key="resilience-switches"):
        measure = fields.segments(
            "Count",
            told,
            name="measure",
            default=losses.first_telling if losses.first_telling in told else told[0],
            key=f"resilience-measure-{'-'.join(told)}",
            format_func=lambda one: WORDS[one].label,
            label_visibility="collapsed",
        )
        which = view.which
        if not losses.of_kind("rack").empty:
            which = fields.segments(
                "Bars",
                WHICH,
                name="bars",
                key="resilience-which",
                says=dict(zip(WHICH, ("both", "racks", "brokers"), strict=True)),
                format_func=lambda one: one[:1].upper() + one[1:],
                label_visibility="collapsed",
            )
    _keep(replace(view, measure=measure, which=which))


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

    def hear(event: Mapping[str, object]) -> None:
        if event.get("token") == data["token"]:
            _keep(apply_event(view, event, losses, ids))

    pair_matrix(data, fields.figure("pairs", hear, zoom="zoom"))
    if len(ids) < count:
        st.caption(f"The {len(ids):,} of {count:,} brokers that are in the worst pairs; the numbers below include all.")


def _marked(chosen: Chosen | None, ids: list[int]) -> tuple[int, int] | None:
    """Row and column of the loss whose detail is open, where the matrix shows it."""
    if chosen is None or chosen.kind == "rack" or not set(chosen.lost) <= set(ids):
        return None
    return ids.index(chosen.lost[0]), ids.index(chosen.lost[-1])


def _no_pairs(losses: Losses) -> str:
    if len(losses.brokers) < 2:
        return "Pairs need two brokers."
    return "Pairs are not analysed for this measure."


def _clicked(subject: Subject, chart: str) -> None:
    """A click on a bar opens its detail; a browser may tell of one click twice, and late."""
    for place in widgets.clicked(chart, "y")[:1]:
        _hear(subject, chart, {"kind": "bar", "at": place})


def _hear(subject: Subject, name: str, event: Mapping[str, object]) -> None:
    """A click on the chart or a table: both begin anew, so that the next click on the same is one too."""
    if not name.startswith((_CLICKS.key("resilience-ranked"), _CLICKS.key("resilience-rows"))):
        return
    _keep(apply_event(_view(), event, subject.losses))
    _CLICKS.begin()


def _how_to_read() -> None:
    frame.how_to_read(
        "**Bars**: each broker and each rack lost by itself, worst first; the dashed line is the value before any "
        "loss. **Matrix**: each cell is two brokers lost at once, the diagonal is one alone; brokers are "
        "sorted by rack, then by id; the brighter the worse (a square-root scale, so that single partitions are "
        "visible next to hundreds). Drag to zoom in, Escape zooms out. Click a bar, a cell or a row of the "
        "table for its details. A partition counts as offline where no in-sync replica remains, with unclean election "
        "off, and then as below min ISR too.",
        [WORDS[measure].label for measure in MEASURES],
    )
