"""Who can stand for election: what the source tells of liveness and ISR, and what is inferred where it does not.

Three rules turn what is told into who can lead:

1. A broker that is dead, fenced or shutting down cannot. One whose state is not told can, except (2).
2. Where a partition is told to have *no* leader, a broker whose state is not told cannot lead it: a controller elects a
   live member of the ISR at once, so if there were one the partition would have a leader.
3. Where the ISR is not told, all replicas are taken to be in sync; the rows are marked as assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, BrokerState, ClusterLayout, IntArray

__all__ = ["Candidates", "able", "candidates", "leader_counts"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Masks over the replica columns, (P, R) bool, padding and observers False in each; and (P,) ``assumed``.

    Attributes:
        alive: the replica's broker can lead.
        in_sync: the replica is in the ISR, or in an ISR that is not told.
        assumed: (P,) bool, rows whose ISR is not told.
    """

    alive: BoolArray
    in_sync: BoolArray
    assumed: BoolArray


def able(layout: ClusterLayout) -> BoolArray:
    """(B,) bool: brokers that can lead as far as is told: alive, or not told to be otherwise."""
    return np.array([b.state in (BrokerState.ALIVE, BrokerState.NOT_TOLD) for b in layout.brokers], np.bool_)


def candidates(layout: ClusterLayout) -> Candidates:
    """Who can stand for election in each partition, by the three rules above."""
    standing = layout.replicas != NONE
    if layout.observers is not None:
        standing &= ~layout.observers
    alive = np.append(able(layout), False)[layout.replicas]
    alive &= standing
    leaderless = layout.leader == NONE
    if leaderless.any():
        surely = np.array([b.state is BrokerState.ALIVE for b in layout.brokers] + [False], np.bool_)
        alive[leaderless] &= surely[layout.replicas[leaderless]]
    if layout.in_sync is None:
        in_sync = standing.copy()
    else:
        in_sync = standing & (layout.in_sync | ~layout.in_sync_known[:, None])
    return Candidates(alive=alive, in_sync=in_sync, assumed=~layout.in_sync_known)


def leader_counts(layout: ClusterLayout, leader: IntArray) -> npt.NDArray[np.int64]:
    """(B,) int64: partitions that each broker leads, by positions, (P,) int32."""
    brokers = len(layout.brokers)
    return np.bincount(np.maximum(leader, NONE) + 1, minlength=brokers + 1)[1:].astype(np.int64)
