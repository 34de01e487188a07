"""Copysets: how widely replicas are scattered, and the chance that a few brokers lost at random lose some partition.

Promises: exact counts. A copyset is a set of brokers that holds all replicas of some partition, in sync or not. Of all
ways to lose 2 (3) of the B brokers, ``losing_two`` (``losing_three``) hold some copyset whole: one of 3 brokers counts
for the loss of 3, one of 2 or 1 for it too.

Needs: any layout; partitions without replicas are left out. Every broker of the layout may be among the lost, also one
that is dead already.

How: each list is sorted and becomes one number, so that distinct sets are distinct numbers. Brokers that alone hold a
partition (``ones``) make every loss that they are in count. Among the n others, copysets of two are the edges of a
graph, and the triples with an edge are, by inclusion and exclusion over the edges of a triple,

    m (n - 2)  -  sum over brokers of C(degree, 2)  +  triangles

to which copysets of three without an edge are added. So no triple is enumerated but those that are copysets.

Example: {0: [1, 2], 1: [1, 2], 2: [2, 3]} on brokers 1 to 4: copysets {1, 2} and {2, 3}. Of the 6 pairs 2 lose data: 1
in 3; of the 4 triples 3 hold a copyset (1 2 3, 1 2 4, 2 3 4).

Complexity: O(P R log P) for the sets, O(B^3) additions and multiplications in one matrix product for the triangles (0.1
s at 1,000 brokers).

Source: A. Cidon, S. Rumble, R. Stutsman, S. Katti, J. Ousterhout, M. Rosenblum, "Copysets: Reducing the Frequency of
Data Loss in Cloud Storage", USENIX ATC 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Longs
from reseat.model.arrays import row_counts

__all__ = ["Copysets", "copysets", "distinct_sets"]


#: Rows of the matrix product at a time: 16 MB at 1,000 brokers, 80 MB at 5,000.
_BLOCK = 4_096


@dataclass(frozen=True, slots=True)
class Copysets:
    """How widely the replicas of B brokers are scattered.

    Attributes:
        brokers: B.
        copysets: distinct sets of brokers that hold a partition.
        losing_two: pairs of brokers whose loss loses all replicas of some partition.
        losing_three: triples of brokers, likewise.
    """

    brokers: int
    copysets: int
    losing_two: int
    losing_three: int

    @property
    def chance_two(self) -> float | None:
        """The chance that losing 2 random brokers loses all replicas of some partition; None with fewer than 2."""
        ways = comb(self.brokers, 2)
        return self.losing_two / ways if ways else None

    @property
    def chance_three(self) -> float | None:
        """The same for 3 random brokers; None with fewer than 3."""
        ways = comb(self.brokers, 3)
        return self.losing_three / ways if ways else None


def copysets(layout: ClusterLayout) -> Copysets:
    """Count a layout's copysets and what losing 2 or 3 of its brokers at random may lose."""
    brokers = len(layout.brokers)
    sets = distinct_sets(layout)
    size = row_counts(sets != NONE)
    alone = np.zeros(brokers, np.bool_)
    alone[sets[size == 1, :1].ravel()] = True
    others = ~np.append(alone, False)
    free = int(np.count_nonzero(~alone))

    def without_ones(number: int) -> IntArray:
        """Copysets of so many brokers, none of which holds a partition alone."""
        few = sets[size == number, :number]
        return few[others[few].all(axis=1)]

    edges, threes = without_ones(2), without_ones(3)
    linked = np.zeros((brokers, brokers), np.bool_)
    if len(edges):
        linked[edges[:, 0], edges[:, 1]] = linked[edges[:, 1], edges[:, 0]] = True
    degree = linked.sum(axis=1, dtype=np.int64)
    with_edge = len(edges) * (free - 2) - int((degree * (degree - 1) // 2).sum()) + _triangles(linked)
    bare = np.ones(len(threes), np.bool_)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        if len(threes):
            bare &= ~linked[threes[:, i], threes[:, j]]
    return Copysets(
        brokers=brokers,
        copysets=len(sets),
        losing_two=comb(brokers, 2) - comb(free, 2) + len(edges),
        losing_three=comb(brokers, 3) - comb(free, 3) + with_edge + int(np.count_nonzero(bare)),
    )


def distinct_sets(layout: ClusterLayout) -> IntArray:
    """(n, R) int32: the distinct sets of broker positions that hold a partition, ascending, -1 padded on the right."""
    lists = layout.replicas[row_counts(layout.replicas != NONE) > 0]
    if not lists.size:
        return np.empty((0, layout.replicas.shape[1]), np.int32)
    last = len(layout.brokers)  # padding sorts behind every broker
    ordered = np.sort(np.where(lists == NONE, last, lists), axis=1)
    if layout.duplicates.size:
        ordered[:, 1:][ordered[:, 1:] == ordered[:, :-1]] = last
        ordered = np.sort(ordered, axis=1)
    _, first = np.unique(_numbered(ordered, last + 1), return_index=True)
    kept = ordered[first]
    return np.where(kept == last, NONE, kept).astype(np.int32)


def _numbered(ordered: IntArray, base: int) -> Longs:
    """(n,) int64 that is equal for equal rows: as a number in this base, renumbered whenever it would grow too long."""
    key = np.zeros(len(ordered), np.int64)
    bound = 1
    for column in ordered.T:
        if bound * base >= 1 << 62:
            distinct, key = np.unique(key, return_inverse=True)
            key, bound = key.astype(np.int64).ravel(), len(distinct)
        key = key * base + column
        bound *= base
    return key


def _triangles(linked: BoolArray) -> int:
    """Triples of brokers of which every two are linked."""
    ends = np.flatnonzero(linked.any(axis=1))
    if len(ends) < 3:
        return 0
    # float32 counts exactly up to 2^24 common neighbours, and its matrix product is the fastest there is.
    graph = linked[np.ix_(ends, ends)].astype(np.float32)
    closed = 0
    for start in range(0, len(ends), _BLOCK):
        some = graph[start : start + _BLOCK]
        closed += int((some @ graph)[some > 0].sum(dtype=np.float64))
    return closed // 6
