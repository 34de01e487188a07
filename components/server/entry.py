"""The first visit of a server, where Streamlit guesses wrong which pages there are.

Streamlit finds ``pages/`` beside ``app.py`` and takes the app for one of the older kind until ``st.navigation`` has run
once. If the first address that anybody opens on a new server is a page's own (a shared link), ``app.py`` is not run,
and the page appears without its title, its settings and its neighbours.
"""

from __future__ import annotations

import streamlit as st
from streamlit import config
from streamlit.runtime.pages_manager import PagesManager

__all__ = ["serves", "through_app"]


def serves() -> None:
    """The server begins: an address that no file of ``pages/`` is named after is not said to be missing."""
    PagesManager.uses_pages_directory = False


def through_app() -> None:
    """Start the run again through ``app.py`` if it was left out; does nothing on any later visit of the server.

    Under AppTest the guess is made anew in each run, and starting again would forget which button was pressed; there a
    page runs by itself.
    """
    if PagesManager.uses_pages_directory and not config.get_option("global.appTest"):
        PagesManager.uses_pages_directory = False
        st.rerun()
