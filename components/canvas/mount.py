"""Components of ours, registered with Streamlit from the real files of their folders. May import: Streamlit."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.components.v2.bidi_component import main

if TYPE_CHECKING:
    from streamlit.components.v2.types import ComponentRenderer
    from streamlit.runtime.state import SessionState
    from streamlit.runtime.state.common import WidgetValuePresenter

__all__ = ["mount"]

_SHARED = Path(__file__).parent


@cache
def mount(folder: Path, *before: str, isolated: bool = True) -> ComponentRenderer:
    """The component of a folder; Streamlit wants it registered once, not once a rerun.

    Args:
        folder: has ``NAME.html``, ``NAME.css`` and ``NAME.js``, or some of them, where NAME is its own.
        before: what ``NAME.js`` and ``NAME.css`` build on, scripts and styles by their name, joined in before them: of
            the folder, else those that several share. ``keeping`` comes before all.
        isolated: whether its styles end at itself.
    """
    name = folder.name

    def read(file: str) -> str | None:
        found = next((place for place in (folder / file, _SHARED / file) if place.exists()), None)
        return None if found is None else found.read_text("utf-8")

    def joined(ending: str) -> str | None:
        return "\n".join(filter(None, (read(f"{one}.{ending}") for one in ("keeping", *before, name)))) or None

    return st.components.v2.component(
        f"reseat_{name}",
        html=read(f"{name}.html"),
        css=joined("css"),
        js=joined("js") if (folder / f"{name}.js").exists() else None,
        isolate_styles=isolated,
    )


def _shown(aggregator_id: str, *_: object) -> WidgetValuePresenter:
    """What the state of a session shows of a component: what it holds, and what a person just did in it.

    Args:
        aggregator_id: the widget that hears of what a person does.
    """

    def shown(held: object, session: SessionState) -> object:
        if not isinstance(held, dict):
            return held
        done = session._new_widget_state.get(aggregator_id) or ()
        return {one["event"]: one.get("value") for one in done} | held

    return shown


# Streamlit's own makes a class each time that it is asked, several times a component and page: rings of forty objects
# that only a collection finds, with fifty people a half of all that collections looked through (decision 0059).
main.make_bidi_component_presenter = _shown  # type: ignore[attr-defined, assignment]
