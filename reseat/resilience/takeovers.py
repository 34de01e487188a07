"""Who takes over when two brokers are lost, for every pair at once: counted, with no plan and no pass a pair.

Promises: for each pair the ``leaders_to`` of ``reseat.resilience.loss``; or None where all pairs together name more
brokers than the caller has room for.

Needs: ``FailoverOrder``, and who takes over when each broker is lost alone.

How: who is elected is the first of the partition's queue that is not lost. So what a alone hands to c it hands to c
also when b is lost with it, but for what it would have handed to b: that goes to the second of the queue.

    to(a, b; c) = alone(a; c) + alone(b; c)                      for c other than a and b
                  + partitions led by one, the other their first candidate, and c their second

The last is one entry a partition at most, sorted by pair. Then a row of the matrix of pairs, a with every b behind it,
is one addition of columns.

Example: queues [2, 3] and [3] of two partitions led by 1. Lose 1: one goes to 2, one to 3. Lose 1 and 2: both to 3.
Lose 1 and 3: one to 2, and nobody takes the other.

Complexity: O(B^3) additions in B steps, O(P log P) for the seconds; 8 bytes an entry, of which there are up to
B (B - 1) (B - 2) / 2. Nothing is counted further once there are too many.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.model import NONE, IntArray, Longs
from reseat.resilience.failover_order import FailoverOrder

__all__ = ["Takeovers", "takeovers_of_pairs"]


@dataclass(frozen=True, eq=False)
class Takeovers:
    """Who takes over after each of n losses; entries ``offsets[i]`` to ``offsets[i + 1]`` are those of loss i.

    Attributes:
        offsets: (n + 1,) int64.
        brokers: (m,) int32 broker ids, ascending within a loss; brokers that take over nothing are left out.
        leaders: (m,) int32 partitions that each takes over.
    """

    offsets: Longs
    brokers: IntArray
    leaders: IntArray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def of(self, place: int) -> tuple[tuple[int, int], ...]:
        """(broker id, partitions that it takes over) of one loss, by id, as ``Loss.leaders_to`` has them."""
        mine = slice(int(self.offsets[place]), int(self.offsets[place + 1]))
        return tuple(zip(self.brokers[mine].tolist(), self.leaders[mine].tolist(), strict=True))


def takeovers_of_pairs(at: FailoverOrder, alone: Longs, *, most: int) -> Takeovers | None:
    """Who takes over after each pair, pairs in the order of the upper triangle, row by row.

    Args:
        at: who would take over.
        alone: (B, B) partitions that each broker (column) takes over when one (row) is lost alone.
        most: entries that there is room for.

    Returns:
        None where there are more.
    """
    brokers = len(alone)
    ids = at.layout.broker_ids
    single = alone.astype(np.int32)
    cells, amounts = _seconds(at, brokers)
    # Cell (a, b, c) with a < b, as one number; those of a stand together.
    starts = np.searchsorted(cells, np.arange(brokers + 1, dtype=np.int64) * brokers * brokers)
    counts = [np.zeros(1, np.int64)]
    heirs: list[IntArray] = []
    leaders: list[IntArray] = []
    found = 0
    for one in range(brokers - 1):
        block = single[one + 1 :] + single[one]
        mine = slice(starts[one], starts[one + 1])
        block.ravel()[cells[mine] - (one * brokers + one + 1) * brokers] += amounts[mine]
        others = np.arange(one + 1, brokers)
        block[:, one] = 0
        block[others - one - 1, others] = 0
        filled = np.flatnonzero(block)
        found += len(filled)
        if found > most:
            return None
        counts.append(np.count_nonzero(block, axis=1).astype(np.int64))
        heirs.append(ids[filled % brokers])
        leaders.append(block.ravel()[filled])
    none = np.empty(0, np.int32)
    return Takeovers(np.concatenate(counts).cumsum(), np.concatenate([none, *heirs]), np.concatenate([none, *leaders]))


def _seconds(at: FailoverOrder, brokers: int) -> tuple[Longs, IntArray]:
    """Cells (a, b, c), ascending, with a < b, and in how many partitions c takes over only once both are lost.

    One of a and b leads these, the other is the first that would take over.
    """
    if at.queue.shape[1] < 2:
        return np.empty(0, np.int64), np.empty(0, np.int32)
    leader = at.layout.leader
    rows = np.flatnonzero((leader >= 0) & (at.waiting >= 2))
    lost, queue = leader[rows], at.queue[rows]
    # The first two of the queue without the leader; the leader stands in it once, if at all.
    leads = queue == lost[:, None]
    first = np.where(leads[:, 0], queue[:, 1], queue[:, 0])
    second = np.where(leads[:, 0] | leads[:, 1], queue[:, 2] if queue.shape[1] > 2 else NONE, queue[:, 1])
    told = second != NONE
    low = np.minimum(lost[told], first[told]).astype(np.int64)
    high = np.maximum(lost[told], first[told])
    cells, amounts = np.unique((low * brokers + high) * brokers + second[told], return_counts=True)
    return cells, amounts.astype(np.int32)
