"""How a run is carried out, as a person sets it: before it begins and while it is at work."""

from __future__ import annotations

import streamlit as st

from reseat.operate.records import RunOptions

__all__ = ["draw_options"]

_MEGABYTE = 1_000_000


def draw_options(options: RunOptions, key: str) -> RunOptions:
    """Draw throttle and moves at a time beside each other.

    Args:
        options: as they are.
        key: the fields' name on the page.

    Returns:
        As the person has them; a throttle that was not touched keeps its bytes.
    """
    first, second = st.columns(2, vertical_alignment="bottom")
    told = (options.throttle or 0) / _MEGABYTE
    before = round(told) if told >= 1 or not told else 1
    rate = first.number_input(
        "Throttle, MB/s a broker",
        min_value=0,
        value=before,
        step=10,
        key=f"{key}-throttle",
        persist_state="session",
        help="What each broker may send and receive for these moves alone; 0 sets no throttle. The values set before "
        "are put back at the end.",
    )
    most = second.number_input(
        "Moves a broker at a time",
        min_value=1,
        value=options.moves_a_broker,
        max_value=max(10_000, options.moves_a_broker),
        key=f"{key}-moves-a-broker",
        persist_state="session",
        help="Small partitions go first. Fewer at a time are gentler on producers and easier to stop.",
    )
    throttle = options.throttle if int(rate) == before else int(rate) * _MEGABYTE or None
    return RunOptions(int(most), throttle)
