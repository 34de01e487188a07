"""Every broker lost, or every rack lost: what happens at once, counted in one pass over the partitions.

Promises: for each group of brokers (a broker alone, or all of a rack) the same numbers as ``reseat.resilience.loss``
has for it, and who takes over.

Needs: ``FailoverOrder``, and the group of each broker; a broker is in one group.

How: a partition is looked at once, not once a group. It goes offline with the group that all of its queue is in, if
there is one; it falls below min ISR with the groups that hold so many of its ISR; its leader moves with the leader's
group, to the first of the queue that is in another. Each answer is one entry, and entries are counted by group.

Example: [1, 2, 3], racks a: 1, 2 and b: 3, leader 1, min ISR 2. Lose a: 3 takes over, below min ISR. Lose b: nothing.

Complexity: O(P R^2) for the groups, R the replication factor; O(G B) for who takes over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.resilience.failover_order import FailoverOrder

__all__ = ["GroupCounts", "counted_by_group"]


@dataclass(frozen=True, eq=False)
class GroupCounts:
    """What the loss of each of G groups of the B brokers does at once.

    Attributes:
        offline: (G,) int64 partitions that are offline then.
        below: (G,) int64 partitions that are offline or below ``min.insync.replicas`` then.
        takes_over: (G, B) int64 partitions that each broker takes over.
    """

    offline: Longs
    below: Longs
    takes_over: Longs

    @property
    def moved(self) -> Longs:
        """(G,) int64 partitions that get another leader."""
        moved: Longs = self.takes_over.sum(axis=1)
        return moved


def counted_by_group(at: FailoverOrder, group: IntArray, groups: int) -> GroupCounts:
    """Count what each group's loss does.

    Args:
        at: who would take over.
        group: (B,) int32 the group of each broker; groups from ``groups`` on are not asked about.
        groups: G.
    """
    table = np.append(group, np.int32(NONE))
    queue = [table[column] for column in at.queue.T]
    alone = at.waiting > 0
    for column in queue[1:]:
        alone &= (column == queue[0]) | (column == NONE)
    fate = np.where(alone, queue[0], NONE) if queue else np.full(len(at.waiting), NONE, np.int32)
    return GroupCounts(
        offline=int(np.count_nonzero(at.waiting == 0)) + _tally(fate[fate != NONE], groups),
        below=_below(at, [table[column] for column in at.layout.replicas.T], fate, groups),
        takes_over=_takes_over(at, queue, group, groups),
    )


def _tally(entries: npt.NDArray[np.integer], groups: int) -> Longs:
    """(G,) how often each group occurs; groups not asked about are left out."""
    return np.bincount(entries, minlength=groups)[:groups].astype(np.int64)


def _below(at: FailoverOrder, groups_of: list[IntArray], fate: IntArray, groups: int) -> Longs:
    """(G,) partitions offline or below min ISR once each group is lost."""
    always = int(np.count_nonzero(at.short))
    below = np.full(groups, always, np.int64)
    rows = np.flatnonzero((at.floor > 0) & ~at.short)
    in_sync = [column[rows] for column in at.in_sync.T]
    mine = [column[rows] for column in groups_of]
    margin = at.count[rows] - at.floor[rows]
    falls_by_isr = np.zeros(len(rows), np.bool_)  # whether the group that takes it offline is counted here already
    for j, (there, group) in enumerate(zip(in_sync, mine, strict=True)):
        lost = np.zeros(len(rows), np.int32)
        first = there.copy()
        for i, (other, its) in enumerate(zip(in_sync, mine, strict=True)):
            together = other & (its == group)
            lost += together
            if i < j:
                first &= ~together
        falls = first & (lost > margin)
        below += _tally(group[falls], groups)
        falls_by_isr |= falls & (group == fate[rows])
    offline: BoolArray = (fate != NONE) & ~at.short
    offline[rows[falls_by_isr]] = False
    below += _tally(fate[offline], groups)
    return below


def _takes_over(at: FailoverOrder, queue: list[IntArray], group: IntArray, groups: int) -> Longs:
    """(G, B) partitions that each broker takes over once each group is lost."""
    brokers = len(group)
    rows = np.flatnonzero(at.layout.leader >= 0)
    lost = group[at.layout.leader[rows]]
    successor = np.full(len(rows), NONE, np.int32)
    for column, its in zip(at.queue.T[::-1], queue[::-1], strict=True):
        here = its[rows]
        successor = np.where((here != NONE) & (here != lost), column[rows], successor)
    told = (successor != NONE) & (lost < groups)
    key = lost[told].astype(np.int64) * brokers + successor[told]
    return np.bincount(key, minlength=groups * brokers).reshape(groups, brokers).astype(np.int64)
