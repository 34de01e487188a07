"""Reseat's dashboard: the server, the page's settings and the list of pages, nothing else.

Streamlit loads this file once to serve it, and then runs it for whoever opens a page.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components import serving

if get_script_run_ctx(suppress_warning=True) is None:
    app = st.App(__file__, **serving.settings())
else:
    st.set_page_config(page_title="Reseat", page_icon="components/logo.svg", layout="wide")
    st.navigation(
        {
            "": [
                st.Page("pages/overview.py", title="Overview", icon=":material/monitoring:", default=True),
                st.Page("pages/connect.py", title="Connect", icon=":material/cable:"),
                st.Page("pages/heatmap.py", title="Heatmap", icon=":material/grid_on:"),
                st.Page("pages/racks.py", title="Racks", icon=":material/dns:"),
                st.Page("pages/plan.py", title="Plan", icon=":material/swap_horiz:"),
                st.Page("pages/operate.py", title="Operate", icon=":material/play_circle:"),
                st.Page("pages/leaders.py", title="Leaders", icon=":material/star:"),
                st.Page("pages/fingerprints.py", title="Fingerprints", icon=":material/fingerprint:"),
                st.Page("pages/new_topic.py", title="New topic", icon=":material/add_box:"),
            ],
            "Tell": [
                st.Page("pages/report.py", title="Report", icon=":material/description:"),
            ],
            "Over time": [
                st.Page("pages/fleet.py", title="Fleet", icon=":material/lan:"),
                st.Page("pages/history.py", title="History", icon=":material/history:"),
                st.Page("pages/resilience.py", title="Resilience", icon=":material/health_and_safety:"),
            ],
            "Learn": [
                st.Page("pages/placement.py", title="Placement", icon=":material/school:"),
                st.Page("pages/compare.py", title="Compare placements", icon=":material/compare:"),
                st.Page("pages/replication.py", title="Replication", icon=":material/content_copy:"),
                st.Page("pages/consumers.py", title="Consumers", icon=":material/groups:"),
            ],
        },
        expanded=True,
    ).run()
