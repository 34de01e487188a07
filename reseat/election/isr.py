"""How ISR and eligible leader replicas (KIP-966) shrink while brokers are stopped, for many partitions at once.

Promises: the ISR and the ELR that the controller's metadata hold once it has taken the stopped brokers out.

Needs: who stands for election (``candidates``), and (P, R) bool, whose broker is stopped.

How: a controller takes brokers out one after the other, here in ascending order of their ids. The last member of an ISR
stays in it, so that it is waited for. With eligible leader replicas the ISR may become empty: while it holds at least
min ISR there is no ELR; below that, whoever leaves the ISR is eligible. Min ISR is ``min.insync.replicas``, 1 where
it is not told, and to KRaft never more than there are replicas.

Example: ISR 1, 2, 3, min ISR 2, all stopped. Without ELR: ISR 3. With ELR: 1 leaves (two are left: no ELR), 2 leaves
(ELR 2), 3 leaves: ISR empty, ELR 2, 3.

Complexity: O(P R), and O(n R^2) for the n partitions that lose their whole ISR.

Source: ``ReplicaStateMachine.doRemoveReplicasFromIsr`` (2.8), ``PartitionChangeBuilder.maybePopulateTargetElr`` and
``ReplicationControlManager.getTopicEffectiveMinIsr`` (4.0).
"""

from __future__ import annotations

import numpy as np

from reseat.election.candidates import Candidates
from reseat.election.rules import Mode
from reseat.model import BoolArray, ClusterLayout, IntArray
from reseat.model.arrays import row_any, row_counts

__all__ = ["eligible_afterwards", "least_in_sync", "shrunk", "with_eligible"]


def with_eligible(layout: ClusterLayout, mode: Mode) -> bool:
    """Whether this controller keeps eligible leader replicas: KRaft, of a layout that tells them."""
    return mode == "kraft" and layout.eligible is not None


def least_in_sync(layout: ClusterLayout, mode: Mode) -> IntArray:
    """(P,) int32: fewer in sync than this and acks=all is refused; below 1 where it is not told.

    A KRaft cluster asks for at most as many as there are replicas; in the ZooKeeper era a topic of one replica with
    ``min.insync.replicas=2`` takes no acks=all at all.
    """
    if layout.min_in_sync is None:
        return np.zeros(layout.partition_count, np.int32)
    floor = layout.min_in_sync[layout.topic_of]
    if mode == "kraft":
        floor = np.minimum(floor, layout.replication_factor)
    return floor.astype(np.int32)


def shrunk(layout: ClusterLayout, can: Candidates, gone: BoolArray, mode: Mode) -> BoolArray:
    """(P, R) bool: the ISR once the brokers of ``gone`` are out of it, before anybody is elected."""
    left = can.in_sync & ~gone
    if with_eligible(layout, mode):
        return left
    emptied = np.flatnonzero(~row_any(left & can.alive) & row_any(can.in_sync & gone))
    leaving = can.in_sync[emptied] & gone[emptied]
    last = np.where(leaving, layout.replicas[emptied], -1).max(axis=1, initial=-1)
    left[emptied] = leaving & (layout.replicas[emptied] == last[:, None])
    return left


def eligible_afterwards(layout: ClusterLayout, before: BoolArray, after: BoolArray) -> BoolArray:
    """(P, R) bool: the ELR once an ISR has become another, its members leaving in ascending order of their ids.

    Args:
        layout: with its ELR before.
        before: (P, R) bool, the ISR before.
        after: (P, R) bool, the ISR afterwards.
    """
    floor = np.maximum(least_in_sync(layout, "kraft"), 1)
    nobody = np.zeros(after.shape, np.bool_)
    eligible: BoolArray = (nobody if layout.eligible is None else layout.eligible) & ~after
    eligible[row_counts(after) >= floor] = False
    short = np.flatnonzero((row_counts(after) < floor) & row_any(before & ~after))
    left, replicas = before[short] & ~after[short], layout.replicas[short]
    # How many are in the ISR once this one has left it: those with a larger id, and those that stay.
    later = (left[:, None, :] & (replicas[:, None, :] > replicas[:, :, None])).sum(axis=2)
    remaining = later + row_counts(after[short])[:, None]
    eligible[short] |= left & (remaining < floor[short][:, None])
    return eligible
