"""Reseat's dashboard: the server, the page's settings and the list of pages, nothing else.

Streamlit loads this file once to serve it, and then runs it for whoever opens a page.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components import addresses, entry, navigation, serving

if get_script_run_ctx(suppress_warning=True) is None:
    entry.serves()
    app = st.App(__file__, **serving.settings())
else:
    st.set_page_config(page_title="Reseat", page_icon="components/logo.svg", layout="wide")
    page = navigation.pages()
    st.set_page_config(page_title=addresses.tab(page.title))
    navigation.draw(page.title)
    page.run()
