"""One layout that has the brokers, topics and partitions of two: what stands at the sides of their difference."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, ClusterLayout, IntArray
from reseat.model.arrays import of_one_width

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

    def codes(layout: ClusterLayout) -> IntArray:
        return np.array([code[name] for name in layout.topics], np.int32)[layout.topic_of]

    lists, gone_lists = of_one_width(after.replica_ids, before.replica_ids[gone])
    return ClusterLayout.from_columns(
        topics=topics,
        topic_of=np.concatenate([codes(after), codes(before)[gone]]),
        partition=np.concatenate([after.partition, before.partition[gone]]),
        replicas=np.concatenate([lists, gone_lists]),
        brokers=brokers,
    )
