"""The dashboard's server around a page that says which doors are open."""

from pathlib import Path

import streamlit as st

from components.server import settings

app = st.App(Path(__file__).with_name("doors_page.py"), **settings.settings())
