"""What is open in this session, a line each; and three doors to open another layout."""

from __future__ import annotations

import streamlit as st

from components import first_page, frame, session, text
from components.session import Seat

__all__ = ["draw"]


def draw(seat: Seat | None) -> None:
    """The layouts that are open, the one looked at marked; below them how to open another.

    Args:
        seat: what is looked at, or None.
    """
    layouts = session.layouts()
    frame.answer(_sentence(len(layouts), seat))
    with st.container(key="opened-list", gap="xsmall"):
        for name, reading in layouts.items():
            which, what, close = st.columns([3, 5, 1], vertical_alignment="center")
            looked = seat is not None and name == seat.name
            which.button(
                text.plain(name, 60),
                key=f"opened-{name}",
                icon=f":material/radio_button_{'checked' if looked else 'unchecked'}:",
                width="stretch",
                help="You look at it" if looked else "Look at it",
                on_click=session.select_layout,
                args=(name,),
            )
            sizes = ", ".join(
                (
                    text.plural(len(reading.layout.brokers), "broker"),
                    text.plural(reading.layout.partition_count, "partition"),
                )
            )
            what.caption(f"{text.plain(reading.kind)}: {sizes}")
            close.button(
                "Close",
                key=f"opened-close-{name}",
                icon=":material/close:",
                type="tertiary",
                help=f"This session forgets {text.plain(name, 60)}",
                on_click=session.close,
                args=(name,),
            )
    st.header("Open another layout" if layouts else "Open a layout", anchor=False)
    first_page.doors()


def _sentence(count: int, seat: Seat | None) -> str:
    if seat is None:
        return "No layout is open."
    return f"{text.plural(count, 'layout is', 'layouts are')} open; you look at {seat.name}."
