"""A placed topic made on the live cluster: by an Admin request, or as ZooKeeper nodes where the person says so."""

from __future__ import annotations

import re
from functools import partial

import streamlit as st

from components.look import text
from components.operate import reading, states
from components.operate.operated_cluster import OperatedCluster
from components.operate.reading import last_reading, read_now
from components.operate.short import draw_write, outcomes, write
from components.state import fields
from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.operate.checks.guard import check_topic
from reseat.operate.request import TopicRequest
from reseat.operate.topics import TopicCreated, create
from reseat.placement.topic_spec import TopicSpec

__all__ = ["created", "draw_created", "draw_creation", "numbered"]

_REQUEST, _NODES = "Admin request", "ZooKeeper nodes"
_IDS = re.compile(r"\s*\d{1,9}\s*(,\s*\d{1,9}\s*)*")


def numbered(spec: TopicSpec, typed: str) -> TopicSpec | str:
    """The topic with other partition ids, or what is wrong with the ids typed.

    Args:
        spec: with its replicas placed.
        typed: ids by commas, as many as there are partitions, ascending; empty: they stay 0 to n - 1.
    """
    if not typed.strip():
        return spec
    if not _IDS.fullmatch(typed):
        return "Enter partition ids as whole numbers separated by commas, such as 10, 21, 30."
    ids = [int(number) for number in typed.split(",")]
    if len(ids) != len(spec.assignment) or ids != sorted(set(ids)):
        return f"{len(spec.assignment)} different ids in ascending order are needed, one per partition."
    lists = [replicas for _, replicas in spec.assignment]
    return TopicSpec.placed(
        spec.name, dict(zip(ids, lists, strict=True)), configs=spec.configs, if_not_exists=spec.if_not_exists
    )


def draw_creation(operated: OperatedCluster, spec: TopicSpec) -> None:
    """Choose the way, check, confirm and make the topic; then what came of it.

    Args:
        operated: the cluster and the person.
        spec: the topic with the very replicas that the page shows.
    """
    nodes = False
    if "zookeeper" in operated.protocols and operated.snapshot.metadata != "kraft":
        ways = [_REQUEST, _NODES] if "admin" in operated.protocols else [_NODES]
        says = {_REQUEST: "request", _NODES: "nodes"}
        key = f"topic-made-{len(ways)}"
        chosen = fields.segments("Create via", ways, name="via", key=key, says=says, label_visibility="collapsed")
        nodes = chosen == _NODES
    wanted: TopicSpec | str = spec
    if nodes:
        typed = fields.search(
            "Partition ids, if not 0 to n − 1",
            name="ids",
            key="topic-ids",
            placeholder="10, 21, 30",
            help="Only ZooKeeper nodes allow ids with gaps. Kafka does not validate what is written to them; the "
            "checks below are the only ones.",
        )
        wanted = numbered(spec, typed)
        if isinstance(wanted, str):
            st.markdown(f":orange[:material/warning:] {text.plain(wanted)}")
            return
        if not st.checkbox(
            "Write the nodes directly: Kafka does not validate them and uses what it finds.", key="topic-nodes-chosen"
        ):
            return
    if isinstance(wanted, TopicSpec):
        _draw_confirmed(operated, wanted, nodes)


def _draw_confirmed(operated: OperatedCluster, spec: TopicSpec, nodes: bool) -> None:
    try:
        fresh = last_reading(operated)
    except (ClusterUnreachable, WriteRefused) as error:
        states.draw_unread(error)
        return
    checks = check_topic(
        _request(operated, spec, nodes, operated.cluster_id), fresh.snapshot, migrating=nodes and fresh.facts.migrating
    )
    draw_write(
        operated,
        fresh,
        checks,
        name=_name(operated, spec.name),
        key=f"topic-{'nodes' if nodes else 'request'}",
        label=f"Create {text.visible(spec.name, 60)} on {text.visible(operated.name, 60)}",
        doing="Creating the topic …",
        work=partial(_make, operated, spec, nodes),
    )


def _request(
    operated: OperatedCluster, spec: TopicSpec, nodes: bool, typed: str, overrides: frozenset[str] = frozenset()
) -> TopicRequest:
    return TopicRequest(
        topic=spec.name,
        assignments=dict(spec.assignment),
        configs=dict(spec.configs),
        as_nodes=nodes,
        **operated.requested_by(typed, overrides),
    )


def _make(
    operated: OperatedCluster, spec: TopicSpec, nodes: bool, typed: str, overrides: frozenset[str]
) -> TopicCreated:
    """Read once more, check once more, and make it."""
    now = read_now(operated)

    def work() -> tuple[TopicCreated, dict[str, object]]:
        with reading.target_of(operated, "zookeeper" if nodes else "admin") as target:
            made = create(target, spec, nodes=nodes)
        return made, {"made": made.made, "refusal": made.refusal, "differences": list(made.differences)}

    request = _request(operated, spec, nodes, typed, overrides)
    checks = check_topic(request, now.snapshot, migrating=nodes and now.facts.migrating)
    return write(operated, "topic", request.content, checks, work)


def _name(operated: OperatedCluster, topic: str) -> str:
    return f"topic {topic} {operated.cluster_id}"


def created(operated: OperatedCluster, topic: str) -> TopicCreated | None:
    """What came of making this topic in this session; None where nothing was sent."""
    found = outcomes().by_name.get(_name(operated, topic))
    return found if isinstance(found, TopicCreated) else None


def draw_created(found: TopicCreated) -> None:
    """What came of making a topic."""
    with st.container(border=True, key="topic-outcome"):
        if found.refusal is not None:
            st.markdown(f":red[:material/block:] **The cluster rejected it.** {text.plain(found.refusal)}")
            return
        how = "written as ZooKeeper nodes" if found.protocol == "zookeeper" else "created by Admin request"
        led = sum(told.leader >= 0 for told in found.seen.values())
        st.markdown(
            f":green[:material/check_circle:] **{text.plain(found.topic, 120)} exists:** {how}, "
            f"{text.counted(len(found.seen), 'partition')}, {led:,} with a leader."
        )
        for difference in found.differences:
            st.markdown(f":orange[:material/warning:] {text.plain(difference)}")
