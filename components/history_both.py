"""One layout that has the brokers, topics and partitions of two: what stands at the sides of their difference."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, ClusterLayout, IntArray

__all__ = ["both"]


def both(before: ClusterLayout, after: ClusterLayout) -> ClusterLayout:
    """All brokers, topics and partitions of two layouts of one cluster; where both have one, as it is in the later.

    Example: a topic that was deleted in between is a column, and a broker that came is a row.
    """
    gone = np.flatnonzero(after.rows_of(before) == NONE)
    known = {broker.id for broker in after.brokers}
    brokers = [*after.brokers, *(broker for broker in before.brokers if broker.id not in known)]
    if not len(gone):
        return after.with_brokers(brokers)
    topics = sorted({*before.topics, *after.topics})
    code = {name: place for place, name in enumerate(topics)}
    width = max(before.replicas.shape[1], after.replicas.shape[1])

    def codes(layout: ClusterLayout) -> IntArray:
        return np.array([code[name] for name in layout.topics], np.int32)[layout.topic_of]

    def wide(ids: IntArray) -> IntArray:
        return np.pad(ids, ((0, 0), (0, width - ids.shape[1])), constant_values=NONE)

    return ClusterLayout.from_columns(
        topics=topics,
        topic_of=np.concatenate([codes(after), codes(before)[gone]]),
        partition=np.concatenate([after.partition, before.partition[gone]]),
        replicas=np.concatenate([wide(after.replica_ids), wide(before.replica_ids[gone])]),
        brokers=brokers,
    )
