"""What widgets, charts and components of ours hold just now, for their callbacks; a browser can tell anything."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

__all__ = ["chosen_rows", "clicked", "clicked_names", "event_in", "held", "set_in"]

#: Characters of what is set in a component.
_MOST_SET = 100


def clicked(chart: str, axis: str = "x") -> list[int]:
    """Places along an axis of a chart that were clicked, for its ``on_click``."""
    points = st.session_state[chart]["selection"]["points"] if chart in st.session_state else []
    return sorted({round(point[axis]) for point in points if axis in point})


def clicked_names(chart: str) -> list[str]:
    """What the marks that were clicked are called: the first of each one's ``customdata``, where that is a text."""
    points = st.session_state[chart]["selection"]["points"] if chart in st.session_state else []
    data = [point.get("customdata") for point in points]
    firsts = [one[0] if isinstance(one, list | tuple) and one else one for one in data]
    return [one for one in firsts if isinstance(one, str)]


def set_in(component: str, name: str) -> str:
    """What a person set in a component of ours, for its callback; a browser can tell anything."""
    said = st.session_state[component].get(name) if component in st.session_state else None
    return said[:_MOST_SET] if isinstance(said, str) else ""


def held(widget: str) -> object | None:
    """What a person just set a widget to, for its callback; None where it is not drawn."""
    return st.session_state.get(widget)


def event_in(component: str) -> Mapping[str, object] | None:
    """What a person just did in a component of ours, for its callback; None where it tells nothing that can be read."""
    said = st.session_state[component].get("event") if component in st.session_state else None
    return dict(said) if isinstance(said, Mapping) else None


def chosen_rows(table: str) -> list[int]:
    """Rows of a table that were chosen, by their place in it, for its ``on_select``."""
    rows: list[int] = st.session_state[table]["selection"]["rows"] if table in st.session_state else []
    return sorted(rows)
