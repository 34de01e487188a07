"""From what ZooKeeper told to a snapshot: the layout, its findings, and what stands beside it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reseat.model import ClusterLayout, Consistency, Snapshot
from reseat.model.wording import counted, listed
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.columns import layout_of
from reseat.sources.zookeeper.findings import cluster_findings, cut, node_findings, state_findings
from reseat.sources.zookeeper.gathered import Gathered, NodeAccess
from reseat.sources.zookeeper.topics import StateNode, Topic

__all__ = ["snapshot_of"]

#: The oldest Kafka that writes a version of a node, by kind and version (``BrokerIdZNode``, ``TopicZNode``).
_SINCE = {"broker": {4: (0, 10), 5: (2, 7)}, "topic": {2: (2, 4), 3: (2, 8)}}


def snapshot_of(
    told: Gathered,
    connection: Connection,
    taken_at: datetime,
    consistency: Consistency,
    unsettled: tuple[str, ...],
) -> Snapshot:
    """The snapshot of what ZooKeeper told.

    Args:
        told: what was read.
        connection: names the cluster.
        taken_at: before the first request.
        consistency: whether all of it was true at one moment.
        unsettled: topics that changed meanwhile.
    """
    topics = [topic for topic in told.topics.values() if _is_there(told, topic)]
    layout, findings = layout_of(told, topics)
    findings = (*findings, *node_findings(told), *state_findings(layout, topics), *cluster_findings(told, layout))
    return Snapshot(
        layout=layout,
        taken_at=taken_at,
        protocol="zookeeper",
        cluster=connection.name or None,
        cluster_id=told.cluster_id,
        controller=told.controller,
        metadata="zookeeper",
        findings=findings,
        consistency=consistency,
        unsettled=unsettled,
        not_read=_not_read(told, topics),
        under_way_told=not _is_closed(told, "/admin/reassign_partitions"),
        broker_configs=_broker_configs(told, layout),
        topic_configs={name: values for name, values in told.topic_configs.items() if values},
        pending=told.pending,
        facts=_facts(told, topics),
    )


def _is_there(told: Gathered, topic: Topic) -> bool:
    node = told.nodes.get(topic.path)
    return node is not None and node.access is NodeAccess.TOLD


def _is_closed(told: Gathered, path: str) -> bool:
    node = told.nodes.get(path)
    return node is not None and node.access is NodeAccess.DENIED


def _not_read(told: Gathered, topics: Sequence[Topic]) -> tuple[str, ...]:
    closed = sorted(node.path for node in told.nodes.values() if node.access is NodeAccess.DENIED)
    out = []
    if closed:
        out.append(
            f"This account may not read {counted(len(closed), 'node')} in ZooKeeper: {listed(map(cut, closed))}. Their "
            "content is missing."
        )
    states = sum(topic.known.count(StateNode.DENIED) for topic in topics)
    if states:
        out.append(f"The states of {counted(states, 'partition')} are closed to this account in ZooKeeper.")
    return tuple(out)


def _broker_configs(told: Gathered, layout: ClusterLayout) -> dict[int, dict[str, str]]:
    """Values by broker: its own before those of the cluster's default entity."""
    default = told.broker_configs.get(None, {})
    merged = {broker.id: default | told.broker_configs.get(broker.id, {}) for broker in layout.brokers}
    return {broker: values for broker, values in merged.items() if values}


def _facts(told: Gathered, topics: Sequence[Topic]) -> dict[str, object]:
    facts: dict[str, object] = {"alive_brokers": tuple(sorted(told.registrations))}
    if told.controller_epoch is not None:
        facts["controller_epoch"] = told.controller_epoch
    versions = [
        _SINCE[kind].get(version, (0, 0))
        for kind, version in (
            *(("broker", registration.version) for registration in told.registrations.values()),
            *(("topic", topic.node.version) for topic in topics if topic.node is not None),
        )
    ]
    since = max(versions, default=(0, 0))
    if since > (0, 0):
        facts["version_at_least"] = f"{since[0]}.{since[1]}"
    return facts
