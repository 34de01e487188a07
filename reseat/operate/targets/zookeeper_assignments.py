"""Partitions as ZooKeeper's nodes have them: replica lists, leaders, and what is reassigned or is to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.target import Assignment, Partition
from reseat.operate.targets.zookeeper_session import ZooKeeperSession
from reseat.sources.zookeeper.nodes import TopicNode, partition_state, reassignment_node, topic_node, whole_number

__all__ = ["REASSIGN", "lists_of", "read_assignments", "read_pending", "read_topics", "topic_path"]

#: The node that asks for reassignments.
REASSIGN = "/admin/reassign_partitions"


def topic_path(topic: str) -> str:
    """Where a topic's node is."""
    return f"/brokers/topics/{topic}"


def read_pending(session: ZooKeeperSession) -> dict[Partition, tuple[int, ...]]:
    """What the reassignment node asks for.

    Raises:
        ClusterUnreachable: it cannot be understood.
    """
    node = session.read([REASSIGN])[0]
    if node is None:
        return {}
    pending, fault = reassignment_node(node.data)
    if fault is not None and not pending:
        raise ClusterUnreachable(
            f"The node {REASSIGN} {fault}: what is in progress is unknown. The controller removes such a node "
            "when it next reads it; otherwise find out who wrote it.",
            "configuration",
        )
    return pending


def read_topics(session: ZooKeeperSession, names: Iterable[str]) -> dict[str, TopicNode]:
    """The nodes of these topics; one that is gone is absent."""
    wanted = sorted(names)
    nodes = session.read([topic_path(name) for name in wanted])
    return {name: topic_node(node.data) for name, node in zip(wanted, nodes, strict=True) if node is not None}


def read_assignments(
    session: ZooKeeperSession,
    wanted: Sequence[Partition],
    topics: Mapping[str, TopicNode],
    pending: Mapping[Partition, tuple[int, ...]],
) -> dict[Partition, Assignment]:
    """Partitions by their topics' nodes, their own state nodes and what is pending; one that is gone is absent."""
    lists = {name: lists_of(node) for name, node in topics.items()}
    there = [(topic, one) for topic, one in wanted if one in lists.get(topic, {})]
    states = session.read([f"{topic_path(topic)}/partitions/{one}/state" for topic, one in there])
    told: dict[Partition, Assignment] = {}
    for (topic, one), node in zip(there, states, strict=True):
        state = partition_state(node.data) if node is not None else None
        replicas = lists[topic][one]
        in_sync = tuple(state.isr or ()) if state is not None else ()
        adding = tuple(topics[topic].adding.get(one, ()))
        removing = tuple(topics[topic].removing.get(one, ()))
        target = pending.get((topic, one))
        if target is not None and not adding and not removing:
            adding = tuple(broker for broker in target if broker not in replicas or broker not in in_sync)
            removing = tuple(broker for broker in replicas if broker not in target)
        leader = max(-1, state.leader) if state is not None else -1
        told[topic, one] = Assignment(replicas, adding, removing, leader, in_sync, topics[topic].topic_id)
    return told


def lists_of(node: TopicNode) -> dict[int, tuple[int, ...]]:
    """Replica ids by partition."""
    lists: dict[int, tuple[int, ...]] = {}
    start = 0
    for partition, length in zip(node.partition, node.lengths, strict=True):
        lists[partition] = tuple(node.replicas[start : start + length])
        start += length
    return lists


def registered(zookeeper: ZooKeeperSession) -> frozenset[int]:
    """The ids of the brokers registered in ``/brokers/ids``.

    Raises:
        ClusterUnreachable: ``chroot``: there is no such node.
    """
    names = zookeeper.children("/brokers/ids")
    if names is None:
        raise ClusterUnreachable("ZooKeeper has no /brokers/ids. Is the chroot right?", "chroot")
    return frozenset(broker for broker in map(whole_number, names) if broker is not None)
