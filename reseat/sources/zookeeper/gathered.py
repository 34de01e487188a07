"""What was read from ZooKeeper so far, with the zxids of each node: filled by ``reading``, used by ``snapshot``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from reseat.model import BoolArray
from reseat.sources.zookeeper.consistency import Span
from reseat.sources.zookeeper.nodes import Registration
from reseat.sources.zookeeper.topics import StateNode, Topic

__all__ = ["Gathered", "Node", "NodeAccess", "shown"]


class NodeAccess(Enum):
    """What came of asking for a node."""

    TOLD = "told"
    MISSING = "missing"
    DENIED = "denied"
    UNUSABLE = "unusable"


@dataclass(slots=True)
class Node:
    """One of the nodes that are not states, as it was seen last.

    Attributes:
        path: below the chroot.
        lists: whether its children are asked for, not its data.
        take: what is done with what it told: bytes, names, or None where there is nothing.
        access: what came of it; None before.
        newest: zxid of its last change, or of its parent's children where it is missing.
        floor: a zxid in whose state, or a later one, it was seen.
    """

    path: str
    lists: bool
    take: Callable[[object], None]
    access: NodeAccess | None = None
    newest: int = 0
    floor: int = 0


@dataclass
class Gathered:
    """What was read; filled by ``read`` and looked at by ``snapshot_of``.

    Attributes:
        registrations: what each live broker says of itself, by id.
        topics: by name.
        topic_configs: overrides that matter, by topic.
        broker_configs: values that matter, by broker id; of the default entity under None.
        controller: its broker id, or None.
        controller_epoch: its epoch, or None.
        cluster_id: or None.
        pending: targets by (topic, partition) in /admin/reassign_partitions.
        preferred: whether a preferred election is asked for in /admin.
        deleting: topics to be deleted.
        migrating: whether the cluster is between ZooKeeper and KRaft (KIP-866).
        faults: (what it ends a sentence with) by path, for nodes that were not understood.
        nodes: every node but states, by path.
        odd: names of children that are no ids, by the path of their parent.
    """

    registrations: dict[int, Registration] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)
    topic_configs: dict[str, dict[str, str]] = field(default_factory=dict)
    broker_configs: dict[int | None, dict[str, str]] = field(default_factory=dict)
    controller: int | None = None
    controller_epoch: int | None = None
    cluster_id: str | None = None
    pending: dict[tuple[str, int], tuple[int, ...]] = field(default_factory=dict)
    preferred: bool = False
    migrating: bool = False
    deleting: tuple[str, ...] = ()
    faults: dict[str, tuple[str, ...]] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    odd: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def span(self) -> Span:
        """The zxids at which all of it is known to have been true."""
        newest, floor = 0, np.iinfo(np.int64).max
        for node in self.nodes.values():
            if node.access in (NodeAccess.TOLD, NodeAccess.MISSING):
                newest, floor = max(newest, node.newest), min(floor, node.floor)
        for topic in self.topics.values():
            rows = shown(topic)
            if rows.any():
                newest = max(newest, int(np.frombuffer(topic.newest, np.int64)[rows].max()))
                floor = min(floor, int(np.frombuffer(topic.floor, np.int64)[rows].min()))
        return Span(newest, int(floor))


def shown(topic: Topic) -> BoolArray:
    """(n,) which states of a topic's partitions are told or known to be missing: what consistency speaks of."""
    known = np.frombuffer(topic.known, np.uint8)
    return np.asarray((known != StateNode.DENIED) & (known != StateNode.ASKED), np.bool_)
