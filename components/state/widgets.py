"""What widgets, charts and components of ours hold just now, for their callbacks; a browser can tell anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import streamlit as st

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

__all__ = ["chosen_rows", "clicked", "clicked_names", "event_in", "held", "number_or_none", "set_in"]

_Number = TypeVar("_Number", int, float)
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


def number_or_none(
    label: str, begins: _Number | None, *, key: str, place: DeltaGenerator | None = None, **how: Any
) -> _Number | None:
    """A field for a number that need not be there; further words are those of ``st.number_input``.

    What it begins with is not Streamlit's default, which comes back wherever the field is emptied.
    """
    if begins is not None:
        st.session_state.setdefault(key, begins)
    number: _Number | None = (st if place is None else place).number_input(label, value=None, key=key, **how)
    return number


def event_in(component: str) -> Mapping[str, object] | None:
    """What a person just did in a component of ours, for its callback; None where it tells nothing that can be read."""
    said = st.session_state[component].get("event") if component in st.session_state else None
    return dict(said) if isinstance(said, Mapping) else None


def chosen_rows(table: str) -> list[int]:
    """Rows of a table that were chosen, by their place in it, for its ``on_select``."""
    rows: list[int] = st.session_state[table]["selection"]["rows"] if table in st.session_state else []
    return sorted(rows)
