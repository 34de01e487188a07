"""A live group as it was read: its members with what they have and are to have; share and streams groups whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from components.look import tables, text
from components.shell import frame
from reseat.model.wording import verb
from reseat.sources.kafka_admin.groups import KINDS, LiveGroup, LiveMember, Tasks

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STORIES", "draw_members", "draw_whole", "sentence_of"]

#: Kinds whose assignment is ownership, so that a story can be told of it.
STORIES = ("classic", "consumer")
_SHARED = (
    "**Assignment is not ownership here.** The coordinator gives each partition to at least one member that subscribes "
    "to its topic, and to several where there are more members than partitions; all of those may fetch from it at the "
    "same time. What a member has of its own is records: each goes to one of them, locked for a while "
    "(`group.share.record.lock.duration.ms`, 30 s by default). It acknowledges, releases or rejects each record on its "
    "own; what is released, or not acknowledged in time, goes to any member, until a record was delivered "
    "`group.share.delivery.count.limit` times (5 by default) and is given up. So nothing stops when the assignment "
    "changes, more members than partitions are of use, and a partition's records come in no fixed order."
)
_STREAMS = (
    "**Tasks are assigned, not partitions.** A task is a partition number of a subtopology, such as `0_3`, and reads "
    "that partition of each of its source topics. Active tasks process; standby tasks keep a copy of their state; "
    "warm-up tasks restore it before they take over."
)


def sentence_of(group: LiveGroup) -> str:
    """A share or streams group in one sentence."""
    read = {partition for member in group.members for partition in member.assignment}
    behind = f"; {_behind(group)}" if group.lag else ""
    members = text.counted(len(group.members), "member")
    if group.kind == "share":
        share = verb(len(group.members), "shares", "share")
        return f"{text.visible(group.name, 80)}: {members} {share} {text.counted(len(read), 'partition')}{behind}."
    tasks = sum(len(member.tasks.active) for member in group.members if member.tasks is not None)
    return f"{text.visible(group.name, 80)}: {members} with {text.counted(tasks, 'active task')}{behind}."


def _behind(group: LiveGroup) -> str:
    most = "at most " if group.lag_at_most else ""
    return f"lag {most}{text.counted(sum(group.lag.values()), 'record')}"


def draw_whole(group: LiveGroup) -> None:
    """A share or streams group: what its assignment means, members, and partitions or tasks."""
    for problem in group.problems:
        st.markdown(f":orange[:material/info:] {text.plain(problem)}")
    st.markdown(_SHARED if group.kind == "share" else _STREAMS)
    draw_members(group)
    if group.kind == "share":
        _draw_shared(group)
    else:
        _draw_subtopologies(group)


def draw_members(group: LiveGroup) -> None:
    """Members of a group of any kind, with client, host and lag, and with their targets where there are such."""
    lag = f"{_behind(group)} in {text.counted(len(group.lag), 'partition')} with committed offsets"
    lag = lag if group.lag else "no offsets are committed yet"
    epochs = "" if group.epoch is None else f", epoch {group.epoch:,}"
    if group.assignment_epoch not in (None, group.epoch):
        epochs += f" with the assignment of epoch {group.assignment_epoch:,}"
    st.markdown(
        f"**{text.plain(group.name, 80)}** ({KINDS.get(group.kind, text.plain(group.kind, 40))}) is "
        f"{text.plain(group.state.lower(), 40)}, coordinated by broker {group.coordinator}, assigned by "
        f"{text.plain(group.assignor, 60) or 'nobody'}{epochs}; {lag}."
    )
    if group.on_the_way:
        st.markdown(
            f":orange[:material/sync:] {text.counted(len(group.on_the_way), 'member')} on the way to the target: a "
            "member first gives up what is not its any more, then gets what others have given up."
        )
    tables.table(_members(group).head(tables.MOST_ROWS), "consumers-members", height=260)


def _members(group: LiveGroup) -> pd.DataFrame:
    import pandas as pd

    lag = group.lag
    columns: dict[str, Any] = {
        "member": [text.visible(member.id, 80) for member in group.members],
        "client": [text.visible(member.client_id, 60) for member in group.members],
        "host": [text.visible(member.host, 60) for member in group.members],
        "static": [text.visible(member.instance_id or "", 60) for member in group.members],
    }
    if group.epoch is not None:
        columns["epoch"] = [member.generation for member in group.members]
    columns["partitions"] = [len(member.assignment) for member in group.members]
    if any(member.target is not None for member in group.members):
        columns["target"] = [len(member.target or ()) for member in group.members]
        columns["to give up"] = [_listed(set(member.assignment) - set(member.target or ())) for member in group.members]
        columns["to get"] = [_listed(set(member.target or ()) - set(member.assignment)) for member in group.members]
    if group.kind == "consumer" and any(member.classic for member in group.members):
        columns["protocol"] = ["classic" if member.classic else "consumer" for member in group.members]
    if group.kind == "streams":
        columns |= _tasks(group.members)
    if group.kind != "share":  # of a partition that several read it is nobody's
        told = [[lag[one] for one in member.assignment if one in lag] for member in group.members]
        columns["lag"] = pd.array([sum(lags) if lags else None for lags in told], dtype="Int64")
    return pd.DataFrame(columns)


def _tasks(members: tuple[LiveMember, ...]) -> dict[str, list[object]]:
    told = [member.tasks or Tasks() for member in members]
    return {
        "active": [", ".join(one.active) for one in told],
        "standby": [", ".join(one.standby) for one in told],
        "warm-up": [", ".join(one.warm_up) for one in told],
    }


def _draw_shared(group: LiveGroup) -> None:
    """Who may take from which partition, and how far each is."""
    import pandas as pd

    takers: dict[tuple[str, int], list[str]] = {}
    for member in group.members:
        for partition in member.assignment:
            takers.setdefault(partition, []).append(member.id)
    rows = sorted({*takers, *group.committed})
    lag = group.lag
    rows_shown = rows[: tables.MOST_ROWS]
    frame_of = pd.DataFrame(
        {
            "topic": [text.visible(topic, 80) for topic, _ in rows_shown],
            "partition": [partition for _, partition in rows_shown],
            "members": [len(takers.get(one, ())) for one in rows_shown],
            "may take": [text.visible(", ".join(takers.get(one, ())), 200) for one in rows_shown],
            "start": pd.array([group.committed.get(one) for one in rows_shown], dtype="Int64"),
            "end": pd.array([group.ends.get(one) for one in rows_shown], dtype="Int64"),
            "lag": pd.array([lag.get(one) for one in rows_shown], dtype="Int64"),
        }
    )
    tables.table(frame_of, "consumers-shared", height=300)
    frame.how_to_read(
        "Records before *start* are done with for good; those from there to *end* may be locked by a member, done with "
        "out of order, or waiting. *Lag* is what the coordinator counts as not done with; before Kafka 4.2, which does "
        "not tell it, all of these."
    )
    if len(rows) > len(rows_shown):
        st.caption(tables.shown_of(len(rows_shown), len(rows), "partition"))


def _draw_subtopologies(group: LiveGroup) -> None:
    """What each subtopology reads."""
    import pandas as pd

    frame_of = pd.DataFrame(
        {
            "subtopology": [text.visible(name, 60) for name in group.subtopologies],
            "source topics": [text.visible(", ".join(topics), 300) for topics in group.subtopologies.values()],
            "tasks": [
                max((group.partitions.get(topic, 0) for topic in topics), default=0)
                for topics in group.subtopologies.values()
            ],
        }
    )
    tables.table(frame_of, "consumers-subtopologies", height=160)


def _listed(partitions: set[tuple[str, int]]) -> str:
    return text.visible(", ".join(f"{topic}-{partition}" for topic, partition in sorted(partitions)), 200)
