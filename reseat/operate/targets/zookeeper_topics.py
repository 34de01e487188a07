"""A new topic by its two nodes, written in one transaction: its settings, and its replica lists.

Source: Kafka's ``AdminZkClient`` (2.8.2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kazoo.exceptions import NodeExistsError

from reseat.errors import ClusterUnreachable, PlacementRefused
from reseat.model.naming import LARGEST_ID
from reseat.operate.targets.patience import Patience
from reseat.operate.targets.zookeeper_assignments import lists_of, read_topics, registered
from reseat.operate.targets.zookeeper_session import NODE_BYTES, Change, Lost, ZooKeeperSession, open_question
from reseat.placement.topic_names import colliding, name_error
from reseat.placement.topic_spec import TopicSpec
from reseat.placement.topic_texts import zookeeper_nodes
from reseat.sources.zookeeper.nodes import broker_node

__all__ = ["create_topic"]


def create_topic(
    zookeeper: ZooKeeperSession,
    patience: Patience,
    topic: str,
    assignments: Mapping[int, Sequence[int]],
    configs: Mapping[str, str],
) -> str | None:
    """Make a topic; returns why it was refused, or None.

    Args:
        zookeeper: the session.
        patience: how long a lost connection is waited for.
        topic: its name.
        assignments: the replica list of each partition id.
        configs: its settings, which Kafka does not check on this way.

    Raises:
        ClusterUnreachable: ZooKeeper is away; whether the topic was made is then known once it answers again.
    """
    existing = zookeeper.children("/brokers/topics") or []
    refusal = _refused(zookeeper, topic, assignments, existing)
    if refusal is not None:
        return refusal
    spec = TopicSpec.placed(topic, assignments, configs=tuple(sorted(configs.items())))
    try:
        nodes = zookeeper_nodes(spec, version=_version(zookeeper, existing))
    except PlacementRefused as error:
        return str(error)
    config, main = ((node.path, node.data.encode()) for node in nodes)
    if max(len(config[1]), len(main[1])) > NODE_BYTES:
        return f"The topic's node would have {len(main[1]):,} bytes; {NODE_BYTES:,} is the limit."
    lost = False
    for _ in patience.attempts():
        try:
            left = zookeeper.read([config[0]])[0]  # settings of a topic of this name that was deleted
            refusals = zookeeper.together([Change(*config, None if left is None else left.version), Change(*main)])
        except Lost:
            lost = True
            continue
        except ClusterUnreachable:
            if lost:
                break
            raise
        if not any(refusals):
            return None
        if isinstance(refusals[1], NodeExistsError) or zookeeper.read([main[0]])[0] is not None:
            now = read_topics(zookeeper, [topic]).get(topic)
            same = now is not None and lists_of(now) == {one: tuple(ids) for one, ids in assignments.items()}
            return None if lost and same else f"Topic '{topic}' already exists."
    raise open_question(f"topic {topic}")


def _refused(
    zookeeper: ZooKeeperSession, topic: str, assignments: Mapping[int, Sequence[int]], existing: list[str]
) -> str | None:
    wrong = name_error(topic)
    if wrong is not None:
        return wrong
    if topic in existing:
        return f"Topic '{topic}' already exists."
    others = colliding(topic, existing)
    if others:
        return f"Topic '{topic}' collides with existing topic: {', '.join(others)}"
    if zookeeper.read([f"/admin/delete_topics/{topic}"])[0] is not None:
        return f"Topic '{topic}' is marked for deletion."
    below = [one for one in assignments if not 0 <= one <= LARGEST_ID]
    if below:
        return f"{below[0]} is not a partition id: a whole number from 0 was expected."
    return None


def _version(zookeeper: ZooKeeperSession, existing: Sequence[str]) -> int:
    """1 or 2, as the cluster's topics have it; 3 is 2 with a topic id, which the controller adds by itself."""
    if not existing:
        return _version_by_brokers(zookeeper)
    sample = read_topics(zookeeper, existing[:: max(1, len(existing) // 20)])
    return max(1, min(2, max((node.version for node in sample.values()), default=1)))


def _version_by_brokers(zookeeper: ZooKeeperSession) -> int:
    ids = sorted(registered(zookeeper))
    nodes = zookeeper.read([f"/brokers/ids/{broker}" for broker in ids])
    told = [broker_node(broker, node.data).version for broker, node in zip(ids, nodes, strict=True) if node]
    # Registrations have version 5 from 2.7 on; before, the oldest form is read by every version.
    return 2 if told and min(told) >= 5 else 1
