"""What is unknown of the layout that one looks at: named in the strip, with a panel that takes what is known.

The panel holds what was read and skipped, racks told by hand, and topics left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from components.look import text
from components.shell.racks_form import draw_racks_form
from components.shell.readings import draw_reading
from components.state import session
from components.state.open_layout import OpenLayout
from reseat.formats.input.lines import unread
from reseat.formats.recognised import lacks
from reseat.model.edits import left_out_topics
from reseat.model.wording import listed

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


def draw(seat: OpenLayout) -> None:
    """The button in the strip, and the panel behind it."""
    words, weighty = in_words(seat)
    label = f":orange[:material/help: {words}]" if weighty else words or _NAME
    with st.popover(label, key="quality", type="tertiary"), st.container(key="quality-panel"):
        st.markdown(f"**{_NAME}**")
        read, racks, topics = st.tabs(["Input", "Racks", "Excluded topics"], key=f"quality-{seat.name}")
        with read:
            _order(seat)
            draw_reading(seat)
        with racks:
            draw_racks_form(seat, "quality")
        with topics:
            _left_out(seat)


def in_words(seat: OpenLayout) -> tuple[str, bool]:
    """What the strip says is unknown, missing or left out, in a few words; and whether a plan depends on it.

    Args:
        seat: what is looked at.
    """
    gaps, unknown = seat.layout.gaps, lacks(seat.layout)
    # The weighty first: in a narrow strip the rest is a count.
    absent = sorted(
        (what for what, (lacking, part) in unknown.items() if lacking and not part),
        key=lambda what: what not in _WEIGHTY,
    )
    partly = [what for what, (lacking, part) in unknown.items() if lacking and part]
    not_read = () if seat.snapshot is None else seat.snapshot.not_read
    rights = dict.fromkeys(_RIGHT.findall(" ".join(not_read)))
    said = [f"{listed(list(rights))} needed"] if rights else []
    said += ["input incomplete"] if gaps.incomplete else []
    if absent:
        more = f" and {len(absent) - _MOST} more" if len(absent) > _MOST else ""
        said.append(f"{', '.join(absent[:_MOST])}{more} unknown{': add them' if set(absent) & set(_ADDED) else ''}")
    if partly:
        said.append(f"some {', '.join(partly[:_MOST])} unknown")
    lost = unread(seat.reading.skipped)
    if lost:
        said.append(f"{text.counted(lost, 'line')} skipped")
    out = left_out_topics(seat.reading.layout.topics, seat.edits)
    if out:
        said.append(f"{text.counted(len(out), 'topic')} excluded")
    grave = bool(rights) or gaps.incomplete or any(what in _WEIGHTY for what in (*absent, *partly))
    return " · ".join(said), grave


def _order(seat: OpenLayout) -> None:
    """Some texts do not keep assignment order; only the person can say that the lists are in it."""
    untold = int((~seat.reading.layout.order_told).sum())
    if not untold:
        return
    vouched = st.toggle(
        "Replica lists are in assignment order",
        value=seat.edits.order_vouched,
        key=f"order-{seat.name}-{seat.edits.order_vouched}",  # as the two below: an edit made elsewhere shows here
        help=f"Replica order is unknown for {text.counted(untold, 'topic')}, so nothing can be planned or "
        "elected there. Switch this on only if you know that the first replica of each list is the preferred leader.",
    )
    if vouched != seat.edits.order_vouched:
        session.set_edits(replace(seat.edits, order_vouched=vouched))
        st.rerun()


def _left_out(seat: OpenLayout) -> None:
    internal = st.toggle(
        "Exclude internal topics",
        value=seat.edits.without_internal,
        key=f"internal-{seat.name}-{seat.edits.without_internal}",
        help="Topics whose name starts with an underscore, such as __consumer_offsets and _schemas",
    )
    words = st.text_area(
        "Names or patterns, one per line",
        value="\n".join(seat.edits.without),
        key=f"without-{seat.name}-{seat.edits.without}",
        height=90,
        placeholder="test-*",
    )
    patterns = tuple(line.strip() for line in words.splitlines() if line.strip())
    wanted = replace(seat.edits, without_internal=internal, without=patterns)
    out = left_out_topics(seat.reading.layout.topics, wanted)
    if out:
        st.caption(
            f"{text.counted(len(out), 'topic')} excluded: {text.plain(', '.join(out[:6]))}{' …' if out[6:] else ''}"
        )
    if wanted != seat.edits:
        session.set_edits(wanted)
        st.rerun()
