"""What is unknown of the layout that one looks at: named in the strip, with a panel that takes what is known.

The panel holds what was read and skipped, racks told by hand, and topics left out.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from components.look import tables, text
from components.look.notices import findings, not_read
from components.shell.racks_form import draw_racks_form
from components.state import session
from components.state.open_layout import OpenLayout
from reseat.formats.input.lines import unread
from reseat.formats.recognised import lacks
from reseat.model.edits import left_out_topics
from reseat.model.wording import listed

if TYPE_CHECKING:
    from reseat.formats.input.reading import Reading

__all__ = ["draw", "in_words"]

#: Things that are named in the strip before the rest is counted.
_MOST = 2
_NAME = "Data quality"
#: What the panel takes.
_ADDED = ("racks",)
#: What is unknown of these can make a plan wrong, or none; of the others it makes a figure unknown.
_WEIGHTY = ("replica order", "racks")
#: How a reading of a live cluster names a right that its user lacks.
_RIGHT = re.compile(r"\b([A-Z_]+ on [A-Z]+) is needed")


def draw(open_layout: OpenLayout) -> None:
    """The button in the strip, and the panel behind it."""
    words, weighty = in_words(open_layout)
    label = f":orange[:material/help: {words}]" if weighty else words or _NAME
    with st.popover(label, key="quality", type="tertiary"), st.container(key="quality-panel"):
        st.markdown(f"**{_NAME}**")
        read, racks, topics = st.tabs(["Input", "Racks", "Excluded topics"], key=f"quality-{open_layout.name}")
        with read:
            _order(open_layout)
            _draw_reading(open_layout)
        with racks:
            draw_racks_form(open_layout, "quality")
        with topics:
            _left_out(open_layout)


def in_words(open_layout: OpenLayout) -> tuple[str, bool]:
    """What the strip says is unknown, missing or left out, in a few words; and whether a plan depends on it.

    Args:
        open_layout: what is looked at.
    """
    gaps, unknown = open_layout.layout.gaps, lacks(open_layout.layout)
    # The weighty first: in a narrow strip the rest is a count.
    absent = sorted(
        (what for what, (lacking, part) in unknown.items() if lacking and not part),
        key=lambda what: what not in _WEIGHTY,
    )
    partly = [what for what, (lacking, part) in unknown.items() if lacking and part]
    not_read = () if open_layout.snapshot is None else open_layout.snapshot.not_read
    rights = dict.fromkeys(_RIGHT.findall(" ".join(not_read)))
    said = [f"{listed(list(rights))} needed"] if rights else []
    said += ["input incomplete"] if gaps.incomplete else []
    if absent:
        more = f" and {len(absent) - _MOST} more" if len(absent) > _MOST else ""
        said.append(f"{', '.join(absent[:_MOST])}{more} unknown{': add them' if set(absent) & set(_ADDED) else ''}")
    if partly:
        said.append(f"some {', '.join(partly[:_MOST])} unknown")
    lost = unread(open_layout.reading.skipped)
    if lost:
        said.append(f"{text.counted(lost, 'line')} skipped")
    out = left_out_topics(open_layout.reading.layout.topics, open_layout.edits)
    if out:
        said.append(f"{text.counted(len(out), 'topic')} excluded")
    grave = bool(rights) or gaps.incomplete or any(what in _WEIGHTY for what in (*absent, *partly))
    return " · ".join(said), grave


def _order(open_layout: OpenLayout) -> None:
    """Some texts do not keep assignment order; only the person can say that the lists are in it."""
    untold = int((~open_layout.reading.layout.order_told).sum())
    if not untold:
        return
    vouched = st.toggle(
        "Replica lists are in assignment order",
        value=open_layout.edits.order_vouched,
        key=f"order-{open_layout.name}-{open_layout.edits.order_vouched}",  # an edit made elsewhere shows, as below
        help=f"Replica order is unknown for {text.counted(untold, 'topic')}, so nothing can be planned or "
        "elected there. Switch this on only if you know that the first replica of each list is the preferred leader.",
    )
    if vouched != open_layout.edits.order_vouched:
        session.set_edits(replace(open_layout.edits, order_vouched=vouched))
        st.rerun()


def _left_out(open_layout: OpenLayout) -> None:
    internal = st.toggle(
        "Exclude internal topics",
        value=open_layout.edits.without_internal,
        key=f"internal-{open_layout.name}-{open_layout.edits.without_internal}",
        help="Topics whose name starts with an underscore, such as __consumer_offsets and _schemas",
    )
    words = st.text_area(
        "Names or patterns, one per line",
        value="\n".join(open_layout.edits.without),
        key=f"without-{open_layout.name}-{open_layout.edits.without}",
        height=90,
        placeholder="test-*",
    )
    patterns = tuple(line.strip() for line in words.splitlines() if line.strip())
    wanted = replace(open_layout.edits, without_internal=internal, without=patterns)
    out = left_out_topics(open_layout.reading.layout.topics, wanted)
    if out:
        st.caption(
            f"{text.counted(len(out), 'topic')} excluded: {text.plain(', '.join(out[:6]))}{' …' if out[6:] else ''}"
        )
    if wanted != open_layout.edits:
        session.set_edits(wanted)
        st.rerun()


def _draw_reading(open_layout: OpenLayout) -> None:
    """What was read, so that nothing is dropped in silence."""
    reading, edits = open_layout.reading, open_layout.edits
    st.markdown(f"{text.code(reading.source)}: {text.plain(reading.kind)}. {_not_told(open_layout)}")
    if reading.facts:
        st.markdown(
            " · ".join(
                f"{text.plain(key.replace('_', ' '))} {text.code(_fact(fact))}" for key, fact in reading.facts.items()
            )
        )
    if open_layout.snapshot is not None:
        not_read(open_layout.snapshot)
    findings(reading.findings)
    out = left_out_topics(reading.layout.topics, edits)
    if out:
        gone = reading.layout.partition_count - open_layout.layout.partition_count
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


def _not_told(open_layout: OpenLayout) -> str:
    """What the text does not say, so that nobody takes it for none."""
    layout = open_layout.layout
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
