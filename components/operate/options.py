"""How a run is carried out, as a person sets it: before it begins and while it is at work."""

from __future__ import annotations

import streamlit as st

from components.state import fields
from reseat.operate.journal.records import RunOptions

__all__ = ["draw_options"]

_MEGABYTE = 1_000_000
#: No broker sends as much in a second.
_MOST_MEGABYTES = 1_000_000


def draw_options(options: RunOptions, key: str, *, addressed: bool = False) -> RunOptions:
    """Draw throttle and moves at a time beside each other.

    Args:
        options: as they are.
        key: the fields' name on the page.
        addressed: whether the page's address says them; not of a run at work, which a button changes.

    Returns:
        As the person has them; a throttle that was not touched keeps its bytes.
    """
    first, second = st.columns(2, vertical_alignment="bottom")
    told = (options.throttle or 0) / _MEGABYTE
    before = round(told) if told >= 1 or not told else 1
    rate = fields.number(
        "Throttle, MB/s per broker",
        0,
        max(_MOST_MEGABYTES, before),
        before,
        name="throttle" if addressed else None,
        key=f"{key}-throttle",
        step=10,
        place=first,
        help="Limit on what each broker sends and receives for these moves; 0 sets no throttle. The earlier values "
        "are restored at the end.",
    )
    most = fields.number(
        "Moves per broker at a time",
        1,
        max(10_000, options.max_concurrent_moves_per_broker),
        options.max_concurrent_moves_per_broker,
        name="at_a_time" if addressed else None,
        key=f"{key}-moves-a-broker",
        place=second,
        help="Small partitions go first. Fewer at a time are gentler on producers and easier to stop.",
    )
    throttle = options.throttle if rate == before else rate * _MEGABYTE or None
    return RunOptions(most, throttle)
