"""Resilience: which single loss hurts most, rack by rack and broker by broker, and what every pair would do."""

import streamlit as st

from components import caching, frame, session, sidebar
from components.pipeline_empty import draw_empty
from components.pipeline_places import places
from components.resilience_desk import draw_desk
from components.resilience_source import choose
from components.resilience_words import answer, figures
from reseat.errors import InputRefused

seat = frame.standalone()
where = places()
history = None
try:
    tables = caching.history_in(where.tables)
    history = tables if caching.asked(tables, "clusters", tables.clusters) else None
except InputRefused as refusal:
    frame.refused(refusal)
if seat is None and history is None:
    draw_empty(where, landed=False, shows="Which single loss hurts most")
    st.markdown("Or try every loss on a layout that you open here, without any pipeline:")
    sidebar.open_layout("main")
    st.stop()
subject = choose(seat, where, history)
if subject is not None:
    frame.answer(answer(subject.losses))
    frame.figures(figures(subject.losses))
    draw_desk(subject)
if seat is not None:
    session.publish(seat)
