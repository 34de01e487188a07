"""Reseat's dashboard: the server, the page's settings and the list of pages, nothing else.

Streamlit loads this file once to serve it, and then runs it for whoever opens a page.
"""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.server import entry, housekeeping, settings, turns
from components.shell import navigation
from components.state import addresses, caching, watched

if get_script_run_ctx(suppress_warning=True) is None:
    entry.serves()
    watched.begin()
    app = st.App(__file__, lifespan=housekeeping.lifespan(caching.forget), **settings.settings())
else:
    st.set_page_config(
        page_title="Reseat", page_icon=str(Path(__file__).with_name("components") / "shell" / "logo.svg"), layout="wide"
    )
    page = navigation.pages()
    st.set_page_config(page_title=addresses.begin(page.title))
    with watched.drawing(page.title), turns.PAGES.turn(), housekeeping.forgetting_widgets():
        navigation.draw(page.title)
        page.run()
        addresses.end(page.title)
