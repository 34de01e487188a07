"""What came of reading a text, drawn: what it was, what else it told, what was skipped and where, what contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from components.look import tables, text
from components.look.notices import findings, not_read
from components.state.open_layout import OpenLayout
from reseat.model.edits import left_out_topics

if TYPE_CHECKING:
    from reseat.formats.input.reading import Reading

__all__ = ["draw_reading"]


def draw_reading(seat: OpenLayout) -> None:
    """What was read, so that nothing is dropped in silence."""
    reading, edits = seat.reading, seat.edits
    st.markdown(f"{text.code(reading.source)} is {text.plain(reading.kind)}. {_not_told(seat)}")
    if reading.facts:
        st.markdown(
            " · ".join(
                f"{text.plain(key.replace('_', ' '))} {text.code(_fact(fact))}" for key, fact in reading.facts.items()
            )
        )
    if seat.snapshot is not None:
        not_read(seat.snapshot)
    findings(reading.findings)
    out = left_out_topics(reading.layout.topics, edits)
    if out:
        gone = reading.layout.partition_count - seat.layout.partition_count
        st.markdown(
            f"{text.counted(len(out), 'topic')} with {text.counted(gone, 'partition')} excluded by your choice "
            "(*Excluded topics*)."
        )
    if edits.racks:
        st.markdown(f"You set the racks of {text.counted(len(edits.racks), 'broker')}.")
    _skipped(reading)


def _fact(fact: object) -> str:
    """A fact as words: lists without Python's brackets, counts with separators."""
    if isinstance(fact, tuple | list | frozenset | set):
        return ", ".join(str(one) for one in fact) or "none"
    return f"{fact:,}" if isinstance(fact, int) and not isinstance(fact, bool) else str(fact)


def _not_told(seat: OpenLayout) -> str:
    """What the text does not say, so that nobody takes it for none."""
    layout = seat.layout
    missing = [
        words
        for words, told in (
            ("leaders", bool((layout.leader != -2).any())),
            ("in-sync replicas", layout.in_sync is not None),
            ("sizes", layout.size_bytes is not None),
            ("racks", bool(layout.racks)),
            ("replica order", bool(layout.order_told.all())),
        )
        if not told
    ]
    return f"Not included: {', '.join(missing)}." if missing else ""


def _skipped(reading: Reading) -> None:
    import pandas as pd

    skipped = reading.skipped
    if not skipped:
        st.caption("No line was skipped.")
        return
    lines = sum(piece.lines for piece in skipped)
    st.markdown(f"{text.counted(lines, 'line')} skipped:")
    first = skipped[: tables.MOST_ROWS]
    frame_ = pd.DataFrame(
        {
            "line": [
                str(piece.line) if piece.lines == 1 else f"{piece.line} to {piece.line + piece.lines - 1}"
                for piece in first
            ],
            "why": [text.visible(piece.why) for piece in first],
            "text": [text.visible(piece.text) for piece in first],
        }
    )
    line, why = st.column_config.TextColumn(width=90, alignment="right"), st.column_config.TextColumn(width=420)
    tables.table(frame_, "skipped", {"line": line, "why": why}, height=260)
    if len(first) < len(skipped):
        st.caption(tables.shown_of(len(first), len(skipped), "piece"))
