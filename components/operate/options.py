"""How a run is carried out, as a person sets it: before it begins and while it is at work."""

from __future__ import annotations

import re
from dataclasses import replace

import streamlit as st

from components.state import fields
from reseat.errors import WishRefused
from reseat.operate.journal.records import RunOptions
from reseat.schedule.batches import Order
from reseat.schedule.windows import read_windows

__all__ = ["draw_options"]

#: What each order is called.
ORDERS = {
    Order.SMALLEST: "The smallest partitions",
    Order.LARGEST: "The largest partitions",
    Order.LEADERS: "New preferred leaders",
}

_MEGABYTE = 1_000_000
#: No broker sends as much in a second.
_MOST_MEGABYTES = 1_000_000


def draw_options(options: RunOptions, key: str, *, addressed: bool = False) -> RunOptions:
    """Draw throttle and moves at a time beside each other, and the schedule below.

    Args:
        options: as they are.
        key: the fields' name on the page.
        addressed: whether the page's address says them; not of a run at work, which a button changes.

    Returns:
        As the person has them; a throttle that was not touched keeps its bytes.

    Raises:
        WishRefused: the window or the pause points that were typed are none.
    """
    first, second = st.columns(2, vertical_alignment="bottom")
    told = (options.throttle or 0) / _MEGABYTE
    before = round(told) if told >= 1 or not told else 1
    rate = fields.number(
        "Replication throttle per broker (MB/s)",
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
    return _scheduled(replace(options, max_concurrent_moves_per_broker=most, throttle=throttle), key, addressed)


def _scheduled(options: RunOptions, key: str, addressed: bool) -> RunOptions:
    """Draw which partitions go first, the window and the pause points."""
    order = fields.select(
        "Goes first",
        list(Order),
        name="order" if addressed else None,
        key=f"{key}-order",
        says={one: one.value for one in Order},
        default=options.order,
        format_func=ORDERS.__getitem__,
    )
    first, second = st.columns(2, vertical_alignment="bottom")
    windows = fields.search(
        "Only during",
        "" if options.windows is None else str(options.windows),
        name="window" if addressed else None,
        key=f"{key}-window",
        place=first,
        placeholder="at any time",
        help="Times of day such as 22:00-06:00 Europe/Berlin, several with commas; without a time zone they are UTC. "
        "Outside of them nothing is sent, and what is in progress finishes.",
    )
    points = fields.search(
        "Pause after partitions",
        ", ".join(map(str, options.pause_after)),
        name="pause_after" if addressed else None,
        key=f"{key}-pause-after",
        place=second,
        placeholder="no pause",
        help="Numbers such as 10, 200: once so many partitions have moved, the run waits until you resume it.",
    )
    return replace(options, order=order, windows=read_windows(windows), pause_after=_points(points))


def _points(typed: str) -> tuple[int, ...]:
    words = typed.replace(",", " ").split()
    wrong = [word for word in words if not re.fullmatch(r"[1-9][0-9]{0,6}", word, re.ASCII)]
    if wrong:
        raise WishRefused(f"{wrong[0]!r} is no number of partitions to pause after: 10, 200 was expected.")
    return tuple(sorted(set(map(int, words))))
