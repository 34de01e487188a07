"""The Consumers page's fields: which group, which strategy, the walk through its story, and what else shall happen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from components.consumers import scenario
from components.consumers.live_groups import show_recorded
from components.consumers.scenario import GroupScenario
from components.look import text
from components.look.downloads import download
from components.look.notices import refused
from components.state import fields
from reseat.consumers import Member
from reseat.consumers.events import GroupEvent, Join, Leave, Partitions, Restart, Return, Subscribe, Timeout, title
from reseat.consumers.examples import EXAMPLES
from reseat.consumers.rebalancing import GroupState
from reseat.consumers.text import MOST_EVENTS, MOST_PARTITIONS, read_group, write_group
from reseat.consumers.walk import View
from reseat.errors import GroupInvalid, InputRefused

__all__ = ["draw_edit", "draw_sources", "draw_steps", "draw_strategy"]

_CSS = Path(__file__).with_name("consumers.css")
#: What a member or topic may be called here, in letters.
_LONGEST_NAME = 200
_HINT = '{"topics": {"orders": 4}, "members": [{"id": "a", "topics": ["orders"]}], "story": [{"leave": "a"}]}'


def draw_sources() -> None:
    """The examples, one click each, and a group of one's own as text."""
    st.html(_CSS)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="consumers-examples"):
        for example in EXAMPLES:
            st.button(
                example.name,
                key=f"tale-{example.slug}",
                help=example.shows,
                on_click=scenario.begin_example,
                args=(example,),
            )
        st.button(
            "A share group",
            key="tale-share",
            help="Three members on two partitions (KIP-932), as Kafka 4.4 told it: assignment is not ownership",
            on_click=show_recorded,
        )
        # Another one once a group was read: it is closed.
        with st.popover("Your group", icon=":material/upload_file:", key=scenario.ANEW.key("consumers-own")):
            _own()


def _own() -> None:
    st.markdown("A group as JSON: members, topics and events. It is only read: nothing in it is executed.")
    file = st.file_uploader(
        "GROUP.json", type=["json", "txt"], key=scenario.ANEW.key("consumers-file"), max_upload_size=20
    )
    pasted = st.text_area("Or paste it", key="consumers-text", placeholder=_HINT, height=140)
    why = st.container()  # above the button: a popover is as high as there is room
    # Never disabled: what is typed comes with the click that leaves the field, and that would be lost.
    if not st.button("Read", key="consumers-read", type="primary") or (file is None and not pasted.strip()):
        return
    name, data = ("pasted", pasted) if file is None else (file.name, file.getvalue())
    try:
        read = read_group(data, name)
        kept = scenario.current().assignor
        scenario.begin(name, read.state, read.events, assignor=kept)
    except InputRefused as error:
        with why:
            refused(error)
        return
    st.rerun()


def draw_strategy(told: GroupScenario) -> GroupScenario:
    """The strategies; returns the scenario by the one that is chosen."""
    names, error = scenario.assignors()
    if error:
        st.markdown(f":orange[:material/warning:] {text.plain(error)}")
    fields.offered("assignor", names)
    fields.offered("at", [str(told.place)])
    # The key holds what the field begins with: a scenario that was begun anew, or a link, begins it anew.
    chosen = st.segmented_control(
        "Assignor",
        names,
        default=told.assignor if told.assignor in names else names[0],
        required=True,
        key=scenario.ANEW.key("consumers-assignor"),
        label_visibility="collapsed",
        persist_state="session",
    )
    if chosen == told.assignor:
        return told
    scenario.choose(chosen)
    return scenario.current()


def draw_steps(walk: Sequence[View], place: int) -> None:
    """First, back, on, last; and at which step one is."""
    buttons = (
        ("first", ":material/first_page:", "The story's beginning", 0, None),
        ("back", ":material/chevron_left:", "A rebalance back", place - 1, "Left"),
        ("on", ":material/chevron_right:", "A rebalance on", place + 1, "Right"),
        ("last", ":material/last_page:", "The story's end", len(walk) - 1, None),
    )
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="consumers-steps"):
        for name, icon, words, target, shortcut in buttons:
            inside = 0 <= target < len(walk) and target != place
            st.button(
                words,
                key=f"walk-{name}",
                icon=icon,
                help=words,
                on_click=scenario.go,
                args=(target,),
                disabled=not inside,
                shortcut=shortcut,
            )
        view = walk[place]
        rounds = len(view.transition.rounds)
        what = "round of heartbeats" if view.round is not None and view.round.order else "rebalance"
        of = f", {what} {view.which + 1} of {rounds}" if rounds > 1 else ""
        last = walk[-1].number + 1
        st.markdown(f"Step {view.number + 1} of {last}{of}", width="content")


def draw_edit(told: GroupScenario, end: GroupState) -> None:
    """What else shall happen, after the story's end; a member, a topic and one click each."""
    if len(told.events) >= MOST_EVENTS:
        st.markdown(f"The story has {MOST_EVENTS:,} steps, the most that this page shows.")
        return
    member, topic, joins = st.columns(3, gap="medium")
    with member:
        _of_members(end)
    with topic:
        _of_topics(end)
    with joins:
        _new_member(end)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Remove the last step",
            key="consumers-take-back",
            icon=":material/undo:",
            on_click=scenario.take_back,
            disabled=len(told.events) < 2,
            help=f"Last step: {text.plain(title(told.events[-1]), 200)}" if told.events else None,
        )
        download(
            "GROUP.json",
            "group.json",
            lambda: write_group(told.state, told.events),
            key="consumers-download",
            kind="tertiary",
        )


def _of_members(end: GroupState) -> None:
    names = [*end.members, *(name for name in end.out if name not in end.members)]
    chosen = st.selectbox(
        "A member", names, key=scenario.ANEW.key("consumers-member"), format_func=text.visible, disabled=not names
    )
    with st.container(horizontal=True, gap="xsmall"):
        here, out = chosen in end.members, chosen in end.out
        name = chosen or ""
        _button("leaves", "logout", Leave(name), off=not here or out)
        _button("times out", "timer_off", Timeout(name), off=not here)
        _button("comes back", "login", Return(name), off=not out)
        _button("restarts", "restart_alt", Restart(name), off=not here or out)
    known = sorted({*end.partitions, *(t for m in end.members.values() for t in m.topics)})
    now = end.members[name].topics if here and not out else ()
    topics = st.multiselect(
        "subscribes to", known, default=list(now), key=f"consumers-reads-{name}-{len(known)}", format_func=text.visible
    )
    _button(
        "changes its topics", "topic", Subscribe(name, tuple(topics)), off=not here or out or set(topics) == set(now)
    )


def _of_topics(end: GroupState) -> None:
    name = st.selectbox(
        "A topic",
        sorted(end.partitions),
        key=scenario.ANEW.key("consumers-topic"),
        accept_new_options=True,
        format_func=text.visible,
        placeholder="a name",
    )
    least = end.partitions.get(name or "", 0)
    count = st.number_input(
        "has partitions",
        min_value=least,
        max_value=MOST_PARTITIONS,
        value=min(least + 1, MOST_PARTITIONS),
        step=1,
        key=f"consumers-count-{name}-{least}",
    )
    _button(
        "gains partitions", "add", Partitions((name or "")[:_LONGEST_NAME], int(count)), off=not name or count == least
    )


def _new_member(end: GroupState) -> None:
    taken = {*end.members, *end.out}
    free = next(name for number in range(len(taken) + 1) if (name := f"C{number}") not in taken)
    name = st.text_input("New member", free, key=f"consumers-new-{free}-{len(taken)}", max_chars=_LONGEST_NAME)
    static = st.toggle("static", key="consumers-static", help="With its name as group.instance.id (KIP-345)")
    known = sorted({t for m in end.members.values() for t in m.topics} or end.partitions)
    topics = st.multiselect("subscribes to", known, default=known, key=f"consumers-joins-{free}-{len(known)}")
    member = Member(name.strip(), tuple(topics), instance_id=name.strip() if static else None)
    _button("joins", "person_add", Join(member), off=not name.strip())


def _button(words: str, icon: str, event: GroupEvent, *, off: bool) -> None:
    """A button that lets something happen; what cannot be is said on the spot."""
    if not st.button(words, key=f"let-{words.replace(' ', '-')}", icon=f":material/{icon}:", disabled=off):
        return
    try:
        scenario.add(event)
    except GroupInvalid as error:
        refused(error)
        return
    st.rerun()
