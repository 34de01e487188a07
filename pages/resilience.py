"""Resilience: which single loss hurts most, rack by rack and broker by broker, and what every pair would do."""

import streamlit as st

from components.over_time.no_history import draw_empty
from components.resilience.desk import draw_desk
from components.resilience.source import choose
from components.resilience.words import answer, figures
from components.shell import first_page, frame
from components.state import addresses, caching, fields, session
from reseat.errors import InputRefused
from reseat.history.places import Places, places


def nothing_yet(where: Places) -> None:
    """No layout is open and nothing was landed: two ways to begin, the one that needs no pipeline first."""
    names = ["The open layout", "Saved snapshots"]
    says = dict(zip(names, ("open", "saved"), strict=True))
    here, history = fields.tabs(names, name="begin", key="resilience-begin", says=says)
    with here:
        st.markdown(
            "**Open a layout to analyse the failure of every broker, rack and pair of brokers.** Nothing "
            "is sent anywhere: what you read stays in this server's memory."
        )
        first_page.doors()
    with history:
        draw_empty(where, shows="Effect of each single failure")


open_layout = frame.standalone(linked=True, shows="either")
where = places()
history = None
try:
    tables = session.history(where.tables)
    history = tables if caching.from_tables(tables, "clusters", tables.clusters) else None
except InputRefused as refusal:
    frame.refused(refusal)
if open_layout is None and history is None:
    nothing_yet(where)
    addresses.publish()
    st.stop()
subject = choose(open_layout, where, history)
if subject is not None:
    frame.answer(answer(subject.losses))
    frame.figures(figures(subject.losses))
    draw_desk(subject)
addresses.publish()
