"""Changing a story on the Replication page: the events as lines, the replicas, and what could happen instead."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from components.look import text
from components.replication.form import ANEW, begin, keep_now, kept
from components.replication.words import event_group, event_words
from reseat.errors import ScenarioInvalid
from reseat.replication import Acks, Elect, Event, Partition, Produce, start
from reseat.replication.choices import possible
from reseat.replication.events import written
from reseat.replication.request import Lane, ParsedEvents, branched, brokers_in, of_scenario

__all__ = ["draw_branches", "draw_story"]

#: Headings of the choices, in the order in which they stand.
_GROUPS = ("Clients", "Replication", "Brokers", "Time and disk")


def draw_story() -> None:
    """The events as lines of text, and on which brokers; keeps what they say."""
    now = kept()
    begun, suffix = now.begun, ANEW.turn
    replicas, leader = st.columns(2)
    brokers_text = replicas.text_input(
        "Replicas, the preferred leader first",
        ",".join(map(str, begun.brokers)),
        key=f"replicas-{suffix}",
        persist_state="session",
    )
    first = leader.text_input("First leader", str(begun.leader), key=f"leader-{suffix}", persist_state="session")
    lines = st.text_area(
        "Events, one per line",
        begun.text,
        height=290,
        key=f"story-{suffix}",
        help="produce VALUE [0|1|all], fetch N, catch N, lose N, crash N [lose], restart N [lose], return N, "
        "elect [N] [unclean], tick MS, flush N, checkpoint N, consume",
        persist_state="session",
    )
    said = replace(now.now, text=lines)
    try:
        brokers, leads = brokers_in(brokers_text), brokers_in(first)
        start(brokers, leader=leads[0])
        said = replace(said, brokers=brokers, leader=leads[0])
    except ScenarioInvalid as error:
        st.markdown(f":orange[:material/warning:] {text.plain(str(error))}")
    keep_now(said)
    st.button(
        "Restore the story",
        key="story-back",
        icon=":material/undo:",
        disabled=said.is_scenarios,
        on_click=begin,
        args=(replace(of_scenario(said.base), beside=said.beside),),
    )


def draw_branches(story: ParsedEvents, lane: Lane) -> None:
    """What could happen after the step that one looks at; a click takes the place of what followed."""
    request = kept().now
    seen = min(request.step, len(lane.steps))
    request = replace(request, step=seen)
    choices = _choices(lane.at(seen))
    when = "for the start" if seen == 0 else f"after step {seen}"
    st.markdown(f"**What if something else happens?** Choose an event {when}; the events after it are dropped.")
    for group in _GROUPS:
        events = [event for event in choices if event_group(event) == group]
        if not events:
            continue
        with st.container(
            horizontal=True, gap="xsmall", vertical_alignment="center", key=f"branch-{_GROUPS.index(group)}"
        ):
            st.markdown(f":gray[{group}]", width=92)
            for event in events:
                st.button(
                    text.plain(event_words(event)),
                    key=f"branch {written(event)}",
                    help=f"The line {text.code(written(event))}",
                    on_click=begin,
                    args=(branched(request, story, event),),
                )


def _choices(state: Partition) -> list[Event]:
    """What can happen, and what a person may ask for besides: another acks, an unclean election."""
    out: list[Event] = []
    for event in possible(state):
        out.append(event)
        if isinstance(event, Produce):
            out.append(Produce(event.value, Acks.LEADER))
        if isinstance(event, Elect) and not state.rules.unclean:
            out.append(Elect(unclean=True))
    return out
