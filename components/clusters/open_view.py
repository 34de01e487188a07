"""What is open in this session, a line each; and three doors to open another layout."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.shell import first_page, frame, navigation
from components.state import session
from components.state.open_layout import OpenLayout

__all__ = ["draw"]


def draw(open_layout: OpenLayout | None) -> None:
    """The layouts that are open, the one looked at marked; below them how to open another.

    Args:
        open_layout: what is looked at, or None.
    """
    layouts = session.layouts()
    frame.answer(_sentence(len(layouts), open_layout))
    with st.container(key="opened-list", gap="xsmall"):
        for name, reading in layouts.items():
            which, what, close = st.columns([3, 5, 1], vertical_alignment="center")
            looked = open_layout is not None and name == open_layout.name
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


def _sentence(count: int, open_layout: OpenLayout | None) -> str:
    if open_layout is None:
        return "No layout is open."
    return f"{text.counted(count, 'layout is', 'layouts are')} open; shown is {open_layout.name}."
