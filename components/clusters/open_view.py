"""What is open in this session, a line each; and three doors to open another layout."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.shell import first_page, frame, navigation
from components.state import session
from components.state.open_layout import OpenLayout

__all__ = ["draw"]


def draw(seat: OpenLayout | None) -> None:
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
                help="Shown now" if looked else "Show this layout",
                on_click=session.select_layout,
                args=(name,),
            )
            sizes = ", ".join(
                (
                    text.counted(len(reading.layout.brokers), "broker"),
                    text.counted(reading.layout.partition_count, "partition"),
                )
            )
            what.caption(f"{text.plain(reading.kind)}: {sizes}")
            close.button(
                "Close",
                key=f"opened-close-{name}",
                icon=":material/close:",
                type="tertiary",
                help=f"Close {text.plain(name, 60)}: it leaves this session",
                on_click=session.close,
                args=(name,),
            )
    if len(layouts) > 1:
        navigation.link(navigation.MIGRATE, "Migrate topics from the shown one to another")
    st.header("Open another layout" if layouts else "Open a layout", anchor=False)
    first_page.doors()


def _sentence(count: int, seat: OpenLayout | None) -> str:
    if seat is None:
        return "No layout is open."
    return f"{text.counted(count, 'layout is', 'layouts are')} open; shown is {seat.name}."
