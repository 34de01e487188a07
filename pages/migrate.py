"""Migrate: topics of the shown cluster on their way to another open one; a target layout, waves, and what to run."""

from dataclasses import replace

import streamlit as st

from components.look import text
from components.migrate import drawn, form
from components.shell import frame, navigation
from components.state import addresses, caching, fields, session
from components.state.open_layout import OpenLayout
from reseat.errors import WishRefused
from reseat.migration import Migration, migrate


def draw(made: Migration) -> None:
    """The answer, the figure, and the views behind it."""
    drawn.draw_figures(made)
    for note in made.notes:
        st.markdown(f":orange[:material/warning:] {text.plain(note)}")
    drawn.draw_bars(made)
    views = {
        "Topics": drawn.draw_topics,
        "Waves": drawn.draw_waves,
        "Commands": drawn.draw_commands,
        "Before you begin": drawn.draw_before,
    }
    says = dict(zip(views, ("topics", "waves", "commands", "before"), strict=True))
    chosen = fields.segments(
        "Detail", list(views), name="detail", key="migrate-view", says=says, label_visibility="collapsed"
    )
    views[chosen](made)


def alone(open_layout: OpenLayout) -> None:
    """Only the source is open."""
    frame.answer(f"Open the target, too: topics of {open_layout.name} can move to another open layout.")
    st.caption(
        "Both clusters stay open side by side. Topics are compared, placed in the target and divided into waves; "
        "MirrorMaker 2 copies them. Nothing is executed from here."
    )
    navigation.link(navigation.CLUSTERS, "Open another layout")


open_layout = frame.page("Migrate")
others = session.beside()
if not others:
    alone(open_layout)
else:
    head = st.container()
    target = others[form.choose_target(list(others))]
    try:
        asked = form.draw_form(target)
        # What is excluded of the target is there all the same: its names are taken, and its replicas stay.
        there = caching.layout_of(target.reading, replace(target.edits, without=(), without_internal=False))
        with st.spinner("Placing topics …", show_time=True):
            tiered, directories = open_layout.reading.tiering.topics, target.reading.log_dirs
            made = caching.kept(migrate)(open_layout.layout, there, asked, tiered, directories)
        with head:
            frame.answer(made.sentence)
        draw(made)
    except WishRefused as refusal:
        with head:
            frame.answer(refusal.sentence)
        frame.refused(refusal, said=True)
addresses.publish()
