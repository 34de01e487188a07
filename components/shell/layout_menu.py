"""Which layout one looks at, the first word of the strip: a menu of those that are open, and what to do with one."""

from __future__ import annotations

import streamlit as st

from components.look import text
from components.shell import keep_layout, navigation, wall
from components.state import session
from components.state.open_layout import OpenLayout

__all__ = ["choose", "draw"]

#: Characters of a layout's name in the strip; its middle goes, since names of one kind begin alike and end apart.
_NAME = 60


def draw(open_layout: OpenLayout) -> None:
    """The name, and the menu behind it; on the wall the name alone."""
    label = f"**{text.plain(open_layout.name, _NAME)}**"
    if session.on_wall():
        st.markdown(label, width="content")
        return
    with st.popover(label, key="layout-menu", type="tertiary"), st.container(gap="xsmall"):
        choose(open_layout)
        navigation.link(navigation.CLUSTERS, "Open another layout", also=navigation.ClustersView.OPEN.query)
        wall.offer()
        st.button(
            "Close this layout",
            key="layout-close",
            icon=":material/close:",
            type="tertiary",
            help="Removes it from this session. A link still opens it until the server has dropped it too.",
            on_click=session.close,
            args=(open_layout.name,),
        )
        with st.expander("Save snapshot", icon=":material/archive:"):
            keep_layout.draw(open_layout)


def choose(open_layout: OpenLayout) -> None:
    """The field by which another of the open layouts is looked at, on all pages."""
    names = list(session.layouts())
    chosen = st.selectbox(
        "Layout", names, index=names.index(open_layout.name), key=f"layout-{len(names)}-{open_layout.name}"
    )
    if chosen != open_layout.name:
        session.select_layout(chosen)
        st.rerun()
