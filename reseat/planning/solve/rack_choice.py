"""Which racks a partition's newcomers may enter: all best choices at once.

Promises: a choice of brokers has the least sum, over racks, of the square of the partition's replicas there, exactly
when it takes ``base`` replicas in each rack and ``extra`` more in different racks of ``open_racks``.

Needs: every partition has enough open brokers; what is missing comes out as ``extra`` without a rack that is open.

How: the j-th further replica in a rack that holds c costs ``2 (c + j) - 1``, which grows; so racks are filled up to a
level as water would, and only who gets the last, equally dear replicas is open.

Example: a partition stays once in racks a and b, needs one, and c is free: base none, extra 1, open_racks {c}. Needs it
two, of the only open racks a and b: base 1 in a and 1 in b.

Complexity: O(kinds x racks x R). Source: greedy for separable convex resource allocation; T. Ibaraki, N. Katoh,
"Resource Allocation Problems", 1988, chapter 4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.model import BoolArray, ClusterLayout, IntArray, Longs

__all__ = ["RackChoice", "rack_choice", "rack_of_each", "racks_of"]


def racks_of(layout: ClusterLayout) -> IntArray:
    """(B,) rack number of each broker; one without a rack is a rack of its own, and all are one where none has one."""
    return layout.rack_groups if layout.racks else np.zeros(len(layout.brokers), np.int32)


@dataclass(frozen=True, eq=False)
class RackChoice:
    """The best rack choices of G kinds of partitions over K racks.

    Attributes:
        base: (G, K) newcomers that each rack takes in every best choice.
        extra: (G,) further newcomers.
        open_racks: (G, K) bool, racks that may take one of them.
        level: (G,) what a rack holds before it takes one of them.
    """

    base: IntArray
    extra: Longs
    open_racks: BoolArray
    level: Longs

    def squares(self, held: IntArray) -> Longs:
        """(G,) the sum of squares over racks that hold so many (G, K) before."""
        squares: Longs = ((held + self.base).astype(np.int64) ** 2).sum(axis=1) + self.extra * (2 * self.level + 1)
        return squares

    def of(self, kinds: Longs) -> RackChoice:
        """The choices of some of the kinds, perhaps several times."""
        return RackChoice(self.base[kinds], self.extra[kinds], self.open_racks[kinds], self.level[kinds])


def rack_choice(held: IntArray, free: IntArray, need: Longs) -> RackChoice:
    """The best choices of kinds that hold ``held`` (G, K), find ``free`` (G, K) brokers and need ``need`` (G,)."""
    level = np.zeros(len(held), np.int64)
    base = np.zeros(held.shape, np.int32)
    # Fill every rack up to a level, the highest that does not take more than is needed.
    for step in range(1, int(held.max(initial=0) + need.max(initial=0)) + 1):
        taken = np.clip(step - held, 0, free)
        fits = taken.sum(axis=1) <= need
        if not fits.any():
            break
        base[fits] = taken[fits]
        level[fits] = step
    extra = need - base.sum(axis=1)
    open_racks = (held <= level[:, None]) & (level[:, None] - held < free) & (extra > 0)[:, None]
    return RackChoice(base, extra, open_racks, level)


def rack_of_each(choice: RackChoice, kind: Longs, sent: Longs) -> tuple[Longs, Longs]:
    """Deal the racks that kinds enter out to their partitions: (number of the partition, rack) of each newcomer.

    Each partition of a kind takes ``extra`` different racks. A rack is entered at most once a partition, so its
    share of the slots is a run no longer than the kind; dealing slots to partitions in turn never gives one twice.

    Args:
        choice: of G kinds.
        kind: (m,) the kind of each partition.
        sent: (G, K) how many of the further newcomers of each kind enter each rack.
    """
    row, pool = np.nonzero(choice.base[kind])
    times = choice.base[kind][row, pool]
    rows, pools = [np.repeat(row, times)], [np.repeat(pool, times)]
    group, pool = np.nonzero(sent)
    count = sent[group, pool]
    slot_group, slot_pool = np.repeat(group, count), np.repeat(pool, count)
    turn = np.arange(slot_group.size) - np.repeat(np.cumsum(count) - count, count)
    turn[choice.extra[slot_group] > 1] = 0
    order = np.lexsort((slot_pool, turn, slot_group))
    slot_group, slot_pool = slot_group[order], slot_pool[order]
    members, size = np.argsort(kind, kind="stable"), np.bincount(kind, minlength=len(choice.extra))
    first = np.cumsum(size) - size
    slots = np.bincount(slot_group, minlength=size.size)
    nth = np.arange(slot_group.size) - np.repeat(np.cumsum(slots) - slots, slots)
    rows.append(members[first[slot_group] + nth % np.maximum(size[slot_group], 1)])
    pools.append(slot_pool)
    return np.concatenate(rows).astype(np.int64), np.concatenate(pools).astype(np.int64)
