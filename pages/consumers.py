"""Consumers: which member reads which partition, why, and what a change of the group costs; no layout is needed."""

import streamlit as st

from components.consumers import form, scenario, side_by_side
from components.consumers.figures import draw_figures
from components.consumers.live_groups import draw_groups, group_as_read
from components.consumers.live_members import STORIES, draw_members, draw_whole, sentence_of
from components.consumers.matrix import MOST_COLUMNS, draw_matrix
from components.consumers.scenario import GroupScenario
from components.consumers.sequence import draw_sequence
from components.look import text
from components.shell import frame, navigation
from components.state import addresses, fields
from reseat.consumers import ASSIGNORS, BROKER_ASSIGNORS
from reseat.consumers.walk import View, events_of
from reseat.errors import GroupInvalid


def sequence(told: GroupScenario, view: View) -> None:
    """Messages and calls as a diagram, or that there are none."""
    if view.round is None and not view.calls:
        st.markdown("No message and no listener call: the group does not rebalance.")
        return
    left_out = draw_sequence(view, cooperative=scenario.strategy(told).cooperative)
    if left_out:
        st.caption(f"{text.counted(left_out, 'more member')} with the same messages.")


def calls(told: GroupScenario, view: View) -> None:
    """What each listener is told, in order."""
    cooperative = scenario.strategy(told).cooperative
    events, _ = events_of(view, cooperative=cooperative, most_members=len(view.members))
    side_by_side.draw_calls([(e.sender, e.name, e.content) for e in events if e.kind == "call"])


def strategies(told: GroupScenario) -> None:
    """All strategies on the same story, and on the group as it stands at its end."""
    names = list(dict.fromkeys([*ASSIGNORS, *BROKER_ASSIGNORS, told.assignor]))
    measured = scenario.measured(told, names)
    side_by_side.draw_side_by_side(measured, told.assignor)
    end = next(one for one in measured if one.assignor == told.assignor).transitions[-1].after
    words = "One more or one fewer member at the end of the story, by assignor"
    with fields.fold(words, name="one_more", key="consumers-one-more"):
        side_by_side.draw_what_if(scenario.what_if_of(end, names))


def told_by(told: GroupScenario) -> None:
    """The story at the place where one looks."""
    walk, group = scenario.walk(told), group_as_read(told.name)
    if not walk:
        with answer:
            frame.answer("This group has no members and no events.")
        if group is not None:
            draw_members(group)
        form.draw_edit(told, told.state)
        return
    place = max(0, min(told.place, len(walk) - 1))
    view = walk[place]
    with answer:
        frame.answer(view.transition.sentence)
    with steps:
        form.draw_steps(walk, place)
    draw_figures(told, view)
    if left_out := draw_matrix(view):
        st.caption(left_out)
    frame.how_to_read(
        "Rows are members in the order in which they joined, columns the partitions of each topic; pale cells are a "
        "member's subscription. Grey: owned as before; sky blue, +: newly owned; purple and hatched, −: no longer "
        "owned; orange, dotted: given up, without an owner until the next rebalance. ‖ paused during the rebalance. On "
        "the right: each member's partitions, the change, and its surplus over an equal share of each topic. The group "
        "leader runs range, roundrobin, sticky and cooperative-sticky (classic groups; -2.8: as clients of 2.8 "
        "compute it, the others as those of 3.9 to 4.4); broker-uniform and "
        "broker-range run on brokers (KIP-848), and members come to their target heartbeat by heartbeat. Beyond "
        f"{MOST_COLUMNS} partitions a cell counts a member's partitions of a topic."
    )
    names = ["Messages", "Listener calls", "Side by side", "Add an event", "As read"]
    says = dict(zip(names, ("messages", "calls", "side", "add", "read"), strict=True))
    messages, listeners, side, edit, *as_read = fields.tabs(
        names if group else names[:-1], name="tab", key=f"consumers-tabs-{group is None}", says=says
    )
    with messages:
        sequence(told, view)
    with listeners:
        calls(told, view)
    with side:
        strategies(told)
    with edit:
        form.draw_edit(told, walk[-1].transition.after)
    if group is not None:
        with as_read[0]:
            draw_members(group)


open_layout = frame.lesson(navigation.CONSUMERS)
answer = st.container()
form.draw_sources()
draw_groups(open_layout)
told = scenario.current()
whole = group_as_read(told.name)
if whole is not None and whole.kind not in STORIES:
    with answer:
        frame.answer(sentence_of(whole))
    if told.note:
        st.caption(text.plain(told.note))
    draw_whole(whole)
    addresses.publish()
    st.stop()
row = st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small")
strategy, steps = row.container(width="content"), row.container(width="content")  # one line where there is room
try:
    with strategy:
        told = form.draw_strategy(told)
    for note in (told.error, told.note):
        if note:
            st.markdown(f":orange[:material/info:] {text.plain(note)}")
    told_by(told)
except GroupInvalid as error:
    with answer:
        frame.answer("This group definition is invalid.")
    frame.refused(error)
addresses.publish(scenario.to_query(told))
