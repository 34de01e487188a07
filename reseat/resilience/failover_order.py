"""Who would take over each partition, in which order, and how many more losses it bears.

Promises: the order in which Kafka's controller would elect, broker after broker lost, by the very rules of
``reseat.election``; so whatever set of brokers is lost, the leader is the first of this order that is not lost, and the
partition is offline when none is left.

Needs: any layout. Where the ISR is not told all replicas are taken to be in sync; a broker whose state is not told is
taken to be alive, but not where the source says that a partition has no leader (``reseat.election.candidates``).

How: the replicas that are alive and in sync, in assignment order; then, with a KRaft controller and where the layout
tells them, eligible leader replicas (KIP-966) that are alive: they are elected once nobody in sync is left. A broker
that a list names twice counts once.

Example: [1, 2, 3], ISR 1, 3: the order is 1, 3. Lose 1: 3 leads. Lose 1 and 3: offline.

Complexity: O(P R), and O(n R log R) for the n partitions of which not every replica can lead.

Source: ``PartitionLeaderElectionAlgorithms`` (2.8), ``PartitionChangeBuilder.electAnyLeader`` (KRaft).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.election import Mode
from reseat.election.candidates import candidates, electable
from reseat.election.isr import least_in_sync
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray
from reseat.model.arrays import row_counts

__all__ = ["FailoverOrder", "failover_order", "once"]


@dataclass(frozen=True, eq=False)
class FailoverOrder:
    """Who would take over, for P partitions with up to R replicas on B brokers.

    Attributes:
        layout: the layout.
        able: (P, R) bool, replicas that could lead, were the others lost.
        queue: (P, R) int32 positions of their brokers in the order in which they would be elected, -1 padded.
        waiting: (P,) int32, how many there are: as many brokers lost, and the partition is offline.
        in_sync: (P, R) bool, the ISR as told (all replicas where it is not).
        count: (P,) int32, its size.
        floor: (P,) int32, ``min.insync.replicas`` where it is told and asks for more than a leader; else 0: a partition
            with a leader is never below 1.
        floor_told: whether ``min.insync.replicas`` is told for any topic.
        leader_told: whether any leader is told.
    """

    layout: ClusterLayout
    able: BoolArray
    queue: IntArray
    waiting: IntArray
    in_sync: BoolArray
    count: IntArray
    floor: IntArray
    floor_told: bool
    leader_told: bool

    @property
    def short(self) -> BoolArray:
        """(P,) bool: partitions that are offline or below ``min.insync.replicas`` with nothing lost."""
        short: BoolArray = (self.waiting == 0) | (self.count < self.floor)
        return short


def failover_order(layout: ClusterLayout, mode: Mode = "zookeeper") -> FailoverOrder:
    """Who would take over in each partition.

    Args:
        layout: the layout.
        mode: which controller decides.
    """
    can = candidates(layout)
    in_sync = once(layout, can.in_sync)
    # Nobody else is left: then eligible replicas may lead too.
    able = electable(layout, can, mode, np.zeros_like(can.alive)) & can.alive & (layout.leader != NONE)[:, None]
    soon, able = _apart(layout, able & can.in_sync, able)
    floor = least_in_sync(layout, mode)
    return FailoverOrder(
        layout=layout,
        able=able,
        queue=_queue(layout.replicas, soon, able),
        waiting=row_counts(able),
        in_sync=in_sync,
        count=row_counts(in_sync),
        floor=np.where(floor > 1, floor, 0).astype(np.int32),
        floor_told=layout.floor_told,
        leader_told=bool((layout.leader != NOT_TOLD).any()),
    )


def once(layout: ClusterLayout, mask: BoolArray) -> BoolArray:
    """(P, R) bool: the mask with each broker of a row once, at its first place; itself where no list has one twice."""
    rows = layout.duplicates
    if not rows.size:
        return mask
    single = mask.copy()
    single[rows] = _once(layout.replicas[rows], mask[rows])
    return single


def _once(lists: IntArray, mask: BoolArray) -> BoolArray:
    kept = mask.copy()
    for column in range(1, lists.shape[1]):
        again = (lists[:, :column] == lists[:, column, None]) & kept[:, :column]
        kept[:, column] &= ~again.any(axis=1)
    return kept


def _apart(layout: ClusterLayout, soon: BoolArray, able: BoolArray) -> tuple[BoolArray, BoolArray]:
    """Both masks with each broker once, where it is in both where it is in the first."""
    rows = layout.duplicates
    if not rows.size:
        return soon, able
    lists = layout.replicas[rows]
    both = _once(np.hstack([lists, lists]), np.hstack([soon[rows], able[rows]]))
    soon, able = soon.copy(), able.copy()
    soon[rows] = both[:, : lists.shape[1]]
    able[rows] = soon[rows] | both[:, lists.shape[1] :]
    return soon, able


def _queue(replicas: IntArray, soon: BoolArray, able: BoolArray) -> IntArray:
    """(P, R): the brokers of ``soon`` from left to right, then the others of ``able``, -1 padded."""
    queue = replicas.copy()
    rows = np.flatnonzero(row_counts(soon) < row_counts(replicas != NONE))
    if rows.size:
        rank = np.where(soon[rows], 0, np.where(able[rows], 1, 2))
        order = np.argsort(rank, axis=1, kind="stable")
        left = np.where(able[rows], replicas[rows], NONE)
        queue[rows] = np.take_along_axis(left, order, axis=1)
    return queue
