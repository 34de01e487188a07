"""Kafka's rules of who may lead, for many partitions at once.

Promises: for each partition the very replica that Kafka's controller chooses, always in assignment order and never at
random.

Needs: masks over the replica columns, (P, R) bool: who is alive, who is in sync, each already without padding and
without Confluent's observers, which are never ordinary candidates.

How: each rule is a mask of candidates and the first True column of it.

Example: assignment [1, 2, 3], ISR {2, 3}, broker 2 alive, 1 and 3 not. Offline: column 1 (broker 2). Preferred: none.

Complexity: O(P R).

Source: ``kafka.controller.PartitionLeaderElectionAlgorithms`` (ZooKeeper controller, to 3.9) and
``org.apache.kafka.controller.PartitionChangeBuilder`` (KRaft).
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray
from reseat.model.arrays import row_any
from reseat.model.naming import version_of

__all__ = ["Mode", "controlled_shutdown", "first_column", "mode_of", "offline", "preferred", "reassignment"]

#: Kafka has no ZooKeeper from this version on.
_KRAFT_ALONE = (4,)
#: Which controller decides. They differ for partitions without a leader, and in who counts as able to lead.
Mode: TypeAlias = Literal["zookeeper", "kraft"]


def mode_of(layout: ClusterLayout | None, metadata: object = None, version: object = None) -> Mode:
    """Which controller decides: as told, else KRaft where layout or version show it, else the ZooKeeper era's.

    Args:
        layout: the layout; None where only the rest is at hand.
        metadata: ``zookeeper`` or ``kraft``: where the cluster keeps its metadata; None where not told.
        version: of Kafka, as text; None where not told.
    """
    if metadata:
        return "kraft" if metadata == "kraft" else "zookeeper"
    numbers = version_of(version) if isinstance(version, str) else None
    eligible = layout is not None and layout.eligible is not None
    return "kraft" if eligible or (numbers is not None and numbers >= _KRAFT_ALONE) else "zookeeper"


def first_column(mask: BoolArray) -> IntArray:
    """The first True column of each row, (P,) int32; -1 where there is none."""
    if not mask.shape[1]:
        return np.full(len(mask), NONE, np.int32)
    return np.where(row_any(mask), mask.argmax(axis=1), NONE).astype(np.int32)


def offline(alive: BoolArray, in_sync: BoolArray, *, unclean: bool) -> IntArray:
    """The leader died: the first replica that is alive and in sync; if unclean, else the first that is alive."""
    clean = first_column(alive & in_sync)
    return np.where((clean == NONE), first_column(alive), clean).astype(np.int32) if unclean else clean


def reassignment(alive: BoolArray, in_sync: BoolArray) -> IntArray:
    """The leader is not in the target or is dead: the first of the target that is alive and in sync."""
    return first_column(alive & in_sync)


def preferred(alive: BoolArray, in_sync: BoolArray) -> IntArray:
    """The preferred replica, column 0, if it is alive and in sync; else no change."""
    return first_column((alive & in_sync)[:, :1])


def controlled_shutdown(alive: BoolArray, in_sync: BoolArray, shutting_down: BoolArray) -> IntArray:
    """A broker shuts down in order: the first replica that is alive, in sync and not shutting down itself."""
    return first_column(alive & in_sync & ~shutting_down)
