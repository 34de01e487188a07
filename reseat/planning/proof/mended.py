"""What is wrong with partitions, restated: how many replicas each is to have, and which of them it may not give up.

Complexity: O(P R log R).
"""

from __future__ import annotations

import numpy as np

from reseat.model import NONE, BoolArray, Longs
from reseat.planning.proof.compared import Change

__all__ = ["mended"]


def mended(change: Change) -> tuple[BoolArray, Longs]:
    """What partitions are to be after a mend.

    Returns:
        (n, W) replicas of changed rows before that stay: of partitions that drop live ones the leader and the last
        in-sync copy. (P,) replicas that each partition has in the end: as many as most of its topic have (of equals
        the greater number), but what must stay; one that cannot move has each of its own once.
    """
    lists = change.current.replicas
    named = (lists != NONE).sum(axis=1)
    ordered = np.sort(lists, axis=1)
    distinct = named - ((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] != NONE)).sum(axis=1)
    topic = change.current.topic_of
    often = np.zeros((len(change.current.topics), lists.shape[1] + 1), np.int64)
    np.add.at(often, (topic, named), 1)
    common = lists.shape[1] - often[:, ::-1].argmax(axis=1)  # of equals the greater
    factor = np.where(change.pinned, distinct, common[topic])
    alive = (change.before != NONE) & ~change.leaving[change.before]
    for column in range(1, alive.shape[1]):
        alive[:, column] &= ~(change.before[:, :column] == change.before[:, column, None]).any(axis=1)
    drops = alive.sum(axis=1) > factor[change.rows]
    must = change.must_stay(alive) & (drops & ~change.pinned[change.rows])[:, None]
    factor[change.rows] = np.maximum(factor[change.rows], must.sum(axis=1))
    return must, factor
