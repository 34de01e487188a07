"""Replication: which records survive which failure? A story of one partition, step by step; no layout is needed."""

import streamlit as st

from components.canvas.log_strips import log_strips, log_strips_data
from components.look import text
from components.replication.edit import draw_branches, draw_story
from components.replication.form import ANEW, draw_form, draw_picture, keep_now, kept
from components.replication.words import lane_name, outcome
from components.shell import frame, navigation
from components.state import addresses
from reseat.replication.request import Lane, compared, looked_at, parse_events, to_query


def answered(named: list[tuple[str, Lane]]) -> None:
    """The sentence that says what the story comes to, under both rules where two stand beside each other."""
    said = [f"{name}, {outcome(lane, short=len(named) > 1)}." for name, lane in named]
    frame.answer(" ".join(said))


open_layout = frame.lesson(navigation.REPLICATION)
answer = st.container()
draw_picture()
draw_form()
player = st.container(key="replication-player")
branches, edit = st.columns([1.35, 1], gap="large")
with edit:
    draw_story()
request = kept().now
story = parse_events(request.text)
lanes = compared(request, story)
named = [(lane_name(lane.rules, request.beside), lane) for lane in lanes]
with answer:
    answered(named)
with player:
    for error in filter(None, (kept().error, story.error, lanes[0].error)):
        st.markdown(f":orange[:material/warning:] {text.plain(error)}")
    step = log_strips(log_strips_data(named, request.step, ANEW.turn))
if step is not None:
    keep_now(looked_at(kept().now, step))
with branches:
    draw_branches(story, lanes[0])
addresses.publish(to_query(kept().now))
frame.how_to_read(
    "Each strip is a replica's log, each cell a record coloured by the leader epoch in which it was written. **HW**, "
    "the high watermark, is the mark above: what lies left of it is committed and read by consumers. **LEO**, the "
    "log end offset, is the mark below. The bar under the cells is what is on disk; dashed cells are only in the page "
    "cache. A box on a dashed line is a response in flight. Keys: arrows step, space plays, Home and End jump. A "
    "fetch counts here before it is answered, as it is usually taught; Kafka's code counts it after, which is the "
    "same one fetch later."
)
