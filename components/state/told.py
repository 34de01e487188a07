"""What came of a person's act, said until they act again: a page that is redrawn by itself says it still."""

from __future__ import annotations

from typing import NoReturn

import streamlit as st

from components.state import store
from components.state.slots import Slot

__all__ = ["Told", "begin", "redraw", "told"]


class Told:
    """What came of one kind of act in this session; None: nothing that is to be read.

    Filled without asking Streamlit, which would end the page's run where the person acts while the cluster is awaited.
    """

    def __init__(self) -> None:
        self._what: object = None
        self._read = False

    def tell(self, what: object) -> None:
        """Keep it, or forget what was kept (None)."""
        self._what, self._read = what, False

    def read(self) -> object:
        """What is to be said in this run of the page: once, and again as long as the page is redrawn by itself."""
        if self._read and not store.state().by_itself:
            self._what = None
        self._read = True
        return self._what


def told(name: str) -> Told:
    """What came of the acts of this name, which is unlike any other slot's."""
    return Slot[Told](name).once(Told)


def redraw() -> NoReturn:
    """Redraw the whole page although nobody acted: a part of it saw that there is news."""
    store.state().redrawing = True
    st.rerun()


def begin() -> None:
    """A run of a page begins."""
    now = store.state()
    now.by_itself, now.redrawing = now.redrawing, False
