"""Which layout one looks at, the first word of the strip: a menu of those that are open, and what to do with one."""

from __future__ import annotations

import streamlit as st

from components import keep_layout, navigation, session, text, wall
from components.session import Seat

__all__ = ["draw"]

#: Characters of a layout's name in the strip; its middle goes, since names of one kind begin alike and end apart.
_NAME = 60


def draw(seat: Seat) -> None:
    """The name, and the menu behind it; on the wall the name alone."""
    label = f"**{text.plain(seat.name, _NAME)}**"
    if session.on_wall():
        st.markdown(label, width="content")
        return
    names = list(session.layouts())
    with st.popover(label, key="layout-menu", type="tertiary"), st.container(gap="xsmall"):
        chosen = st.selectbox("Layout", names, index=names.index(seat.name), key=f"layout-{len(names)}-{seat.name}")
        if chosen != seat.name:
            session.select_layout(chosen)
            st.rerun()
        navigation.link(navigation.CLUSTERS, "Open another layout")
        wall.offer()
        st.button(
            "Close this layout",
            key="layout-close",
            icon=":material/close:",
            type="tertiary",
            help="This session forgets it. A link opens it for whoever has it until the server forgets it too.",
            on_click=session.close,
            args=(seat.name,),
        )
        with st.expander("Save snapshot", icon=":material/archive:"):
            keep_layout.draw(seat)
