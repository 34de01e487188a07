"""Resilience: which single loss hurts most, rack by rack and broker by broker, and what every pair would do."""

import streamlit as st

from components import caching, first_page, frame, session
from components.pipeline_empty import draw_empty
from components.pipeline_places import Places, places
from components.resilience_desk import draw_desk
from components.resilience_source import choose
from components.resilience_words import answer, figures
from reseat.errors import InputRefused


def nothing_yet(where: Places) -> None:
    """No layout is open and nothing was landed: two ways to begin, the one that needs no pipeline first."""
    here, history = st.tabs(["A layout that you open", "The history of your clusters"])
    with here:
        st.markdown(
            "**Open a layout, and the loss of every broker, rack and pair of brokers is tried on it at once.** Nothing "
            "is sent anywhere: what you read stays in this server's memory."
        )
        first_page.doors()
    with history:
        draw_empty(where, shows="Which single loss hurts most")


seat = frame.standalone(linked=True, shows="either")
where = places()
history = None
try:
    tables = session.history(where.tables)
    history = tables if caching.asked(tables, "clusters", tables.clusters) else None
except InputRefused as refusal:
    frame.refused(refusal)
if seat is None and history is None:
    nothing_yet(where)
    st.stop()
subject = choose(seat, where, history)
if subject is not None:
    frame.answer(answer(subject.losses))
    frame.figures(figures(subject.losses))
    draw_desk(subject)
if seat is not None:
    session.publish(seat)
