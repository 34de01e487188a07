"""Changes of a small layout that nobody plans but that happen: partitions made, lists changed, brokers gone, leaders.

Each function takes a layout with in-sync replicas, leaders and what is under way, as a live cluster tells them, and
answers another one. Complexity: O(P R) each, and a Python step for each row that ``with_lists`` changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, Broker, ClusterLayout, IntArray
from reseat.model.arrays import widened

__all__ = ["with_leaders", "with_lists", "with_partitions", "without_broker", "without_partitions"]

_NOBODY: Mapping[int, Collection[int]] = {}


def without_partitions(brokers: Sequence[Broker]) -> ClusterLayout:
    """A cluster on its first day."""
    none = np.zeros((0, 1), np.bool_)
    return ClusterLayout.from_columns(
        topics=[],
        topic_of=[],
        partition=[],
        replicas=np.zeros((0, 1), np.int32),
        in_sync=none,
        adding=none,
        removing=none,
        min_in_sync=[],
        brokers=brokers,
    )


def with_partitions(
    layout: ClusterLayout, topic: str, first: int, replicas: IntArray, *, min_in_sync: int
) -> ClusterLayout:
    """Further partitions, led by their first replica, with everybody in sync.

    Args:
        layout: the layout.
        topic: their topic, which may be new.
        first: id of the first of them; the others follow.
        replicas: (n, R) int32 broker ids.
        min_in_sync: ``min.insync.replicas`` of the topic, where it is new.
    """
    topics = layout.topics if topic in layout.topics else (*layout.topics, topic)
    floors = [] if layout.min_in_sync is None else layout.min_in_sync.tolist()
    floors += [min_in_sync] * (len(topics) - len(layout.topics))
    count, width = len(replicas), max(layout.replicas.shape[1], replicas.shape[1])
    columns = _columns(layout, width)
    nobody = np.zeros((count, width), np.bool_)
    further: dict[str, npt.NDArray[Any]] = {
        "topic_of": np.full(count, topics.index(topic), np.int32),
        "partition": np.arange(first, first + count, dtype=np.int32),
        "replicas": widened(replicas, width),
        "leader": replicas[:, 0],
        "leader_epoch": np.zeros(count, np.int32),
        "in_sync": widened(np.ones(replicas.shape, np.bool_), width, False),
        "adding": nobody,
        "removing": nobody,
    }
    joined: dict[str, Any] = {name: np.concatenate([columns[name], column]) for name, column in further.items()}
    return ClusterLayout.from_columns(topics=topics, brokers=layout.brokers, min_in_sync=floors, **joined)


def without_broker(layout: ClusterLayout, broker: int) -> ClusterLayout:
    """Without a broker that holds nothing."""
    return ClusterLayout.from_columns(
        topics=layout.topics,
        brokers=[known for known in layout.brokers if known.id != broker],
        min_in_sync=layout.min_in_sync,
        **_columns(layout, layout.replicas.shape[1]),
    )


def with_leaders(layout: ClusterLayout, leader_ids: IntArray) -> ClusterLayout:
    """With other leaders, (P,) broker ids or -1; whoever takes over begins an epoch."""
    columns = _columns(layout, layout.replicas.shape[1])
    columns["leader_epoch"] = layout.leader_epoch + (leader_ids != layout.leader_ids)
    columns["leader"] = leader_ids
    return ClusterLayout.from_columns(
        topics=layout.topics, brokers=layout.brokers, min_in_sync=layout.min_in_sync, **columns
    )


def with_lists(
    layout: ClusterLayout,
    lists: Mapping[int, Sequence[int]],
    comes: Mapping[int, Collection[int]] = _NOBODY,
    goes: Mapping[int, Collection[int]] = _NOBODY,
) -> ClusterLayout:
    """With other replica lists in some rows: who was in sync stays so, and leaders stay as they are.

    Args:
        layout: the layout.
        lists: broker ids by row.
        comes: by row, who is being added.
        goes: by row, who is being removed.
    """
    width = max(layout.replicas.shape[1], *(len(one) for one in lists.values()), 1)
    columns = _columns(layout, width)
    for row, brokers in lists.items():
        in_sync = set(columns["replicas"][row][columns["in_sync"][row]].tolist())
        for name, blank in (("replicas", NONE), ("in_sync", False), ("adding", False), ("removing", False)):
            columns[name][row] = blank
        for place, broker in enumerate(brokers):
            columns["replicas"][row, place] = broker
            columns["in_sync"][row, place] = broker in in_sync
            columns["adding"][row, place] = broker in comes.get(row, ())
            columns["removing"][row, place] = broker in goes.get(row, ())
    needed = max(1, int((columns["replicas"] != NONE).sum(axis=1).max(initial=0)))
    for name in ("replicas", "in_sync", "adding", "removing"):
        columns[name] = columns[name][:, :needed]
    return ClusterLayout.from_columns(
        topics=layout.topics, brokers=layout.brokers, min_in_sync=layout.min_in_sync, **columns
    )


def _columns(layout: ClusterLayout, width: int) -> dict[str, Any]:
    """Copies of the columns by row, with broker ids, as ``ClusterLayout.from_columns`` takes them; lists so wide."""
    nobody = np.zeros(layout.replicas.shape, np.bool_)
    masks = {
        name: nobody if column is None else column
        for name, column in (("in_sync", layout.in_sync), ("adding", layout.adding), ("removing", layout.removing))
    }
    return {
        "topic_of": layout.topic_of,
        "partition": layout.partition,
        "replicas": widened(layout.replica_ids, width).copy(),
        "leader": layout.leader_ids,
        "leader_epoch": layout.leader_epoch,
        **{name: widened(column, width, False).copy() for name, column in masks.items()},
    }
