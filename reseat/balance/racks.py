"""How partitions sit on racks: sums of squares, violations, and the rows behind them.

Promises, in this order: the numbers are exact; a partition is judged by *racks as groups of brokers*, so that a broker
without a rack beside brokers with one is a rack of its own (nothing is known that it shares); where no broker has a
rack, rack terms are off (``None``, or nobody's).

Needs: any layout; duplicates and mixed replication factors are allowed.

How: each replica becomes the number of its group, then the columns of a row are compared in pairs. The sum of squares
of a row's group counts is the number of ordered pairs of replicas in one group, so no count is ever built: with c
replicas in a group there are c * c such pairs. Beyond 8 replicas a row, rows are sorted and runs are measured instead.

Example: racks a: 1, 2 and b: 3. [1, 2, 3] holds two replicas in a and one in b: 2 * 2 + 1 * 1 = 5. It sits on 2 racks,
and 2 is all there are, so it is no violation; [1, 2] sits on one rack of two: a violation.

Complexity: O(P R^2) comparisons of whole columns for R <= 8, O(P R log R) above; O(P R) memory.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from reseat.balance.spread import least_possible_spread, least_possible_spread_in_groups
from reseat.model import NONE, BoolArray, ClusterLayout, IntArray, Longs
from reseat.model.arrays import on_brokers, row_counts

__all__ = [
    "distinct_racks",
    "least_replica_spread",
    "rack_groups",
    "rack_squares",
    "rack_sum_of_squares",
    "rack_violating",
    "rack_violations",
    "shares_rack_while_free",
]

#: (B,) a code for each broker: what its rack is in.
_Level = npt.NDArray[np.integer]
#: Up to this many replicas a row, comparing columns in pairs is faster than sorting rows.
_PAIRWISE_WIDTH = 8


def rack_groups(layout: ClusterLayout) -> IntArray | None:
    """Each broker's rack as a group number, (B,) int32; None where no broker has a rack.

    Groups 0 to len(racks) - 1 are ``layout.racks``; each broker without a rack gets a further number of its own.
    """
    return layout.rack_groups if layout.racks else None


def rack_squares(layout: ClusterLayout) -> Longs | None:
    """Sum over racks of the square of the partition's replicas there, (P,) int64; None where no broker has a rack."""
    groups = rack_groups(layout)
    if groups is None:
        return None
    if layout.replicas.shape[1] > _PAIRWISE_WIDTH:
        return _squares_by_sorting(_groups_of(layout.replicas, groups))
    columns = _columns(layout.replicas, groups)
    squares = layout.replication_factor.astype(np.int64)
    for j in range(1, len(columns)):
        for i in range(j):
            squares += 2 * _same(columns[i], columns[j])
    return squares


def rack_sum_of_squares(layout: ClusterLayout) -> int | None:
    """``rack_squares`` over all partitions; None where no broker has a rack."""
    groups = rack_groups(layout)
    if groups is None:
        return None
    if layout.replicas.shape[1] > _PAIRWISE_WIDTH:
        return int(_squares_by_sorting(_groups_of(layout.replicas, groups)).sum())
    columns = _columns(layout.replicas, groups)
    pairs = sum(int(np.count_nonzero(_same(columns[i], columns[j]))) for j in range(1, len(columns)) for i in range(j))
    return layout.replica_count + 2 * pairs


def distinct_racks(layout: ClusterLayout, level: _Level | None = None, rows: Longs | None = None) -> IntArray | None:
    """On how many racks each partition sits, or on how many regions of a level, (P,) int32; None without any rack.

    With ``rows`` (n,) of these alone, (n,).
    """
    groups = rack_groups(layout)
    lists = layout.replicas if rows is None else layout.replicas[rows]
    return None if groups is None else _distinct(lists, groups if level is None else level.astype(np.int32))


def rack_violating(
    layout: ClusterLayout, remaining: BoolArray | None = None, levels: Iterable[_Level] = ()
) -> BoolArray:
    """Which partitions sit on fewer racks than they could, (P,) bool; all False where no broker has a rack.

    A partition could sit on min(RF, racks that have a broker among the remaining ones); so on regions.

    Args:
        layout: the layout.
        remaining: (B,) bool, the brokers that can hold replicas; all brokers of the layout by default.
        levels: of each level (B,) the regions that racks are in.
    """
    racks, wrong = rack_groups(layout), np.zeros(layout.partition_count, np.bool_)
    for groups in () if racks is None else (racks, *(level.astype(np.int32) for level in levels)):
        could = int(np.unique(groups if remaining is None else groups[remaining]).size)
        wrong |= _distinct(layout.replicas, groups) < np.minimum(layout.replication_factor, could)
    return wrong


def rack_violations(
    layout: ClusterLayout, remaining: BoolArray | None = None, levels: Iterable[_Level] = ()
) -> int | None:
    """The number of partitions that sit on fewer racks than they could (``rack_violating``); None without any rack."""
    return int(np.count_nonzero(rack_violating(layout, remaining, levels))) if layout.racks else None


def shares_rack_while_free(layout: ClusterLayout, usable: BoolArray) -> BoolArray:
    """Which partitions have two replicas in one rack while a rack with a usable broker has none, (P,) bool.

    A dead broker of which nobody tells the rack may be in any.

    Args:
        layout: the layout.
        usable: (B,) bool, the brokers that could take a replica.
    """
    groups = rack_groups(layout)
    if groups is None:
        return np.zeros(layout.partition_count, np.bool_)
    open_groups = np.bincount(groups[usable], minlength=int(groups.max(initial=-1)) + 1).astype(np.bool_)
    sharing = _distinct(layout.replicas, groups) < layout.replication_factor
    taken = _distinct(layout.replicas, groups, open_groups)
    somewhere = layout.dead & (layout.rack_of < 0)
    if somewhere.any():
        taken += row_counts(on_brokers(layout.replicas, somewhere))
    free: BoolArray = sharing & (taken < int(np.count_nonzero(open_groups)))
    return free


def least_replica_spread(layout: ClusterLayout, carriers: BoolArray, replicas: int) -> int | None:
    """The least spread of replica counts that keeps partitions on as many racks; None without carriers.

    A partition with no more replicas than there are racks holds at most one in each, so a rack of few brokers may have
    to hold more a broker than others: that is not a skew that could be mended. Exact for one replication factor up to
    the number of racks, a lower bound otherwise.

    Args:
        layout: the layout.
        carriers: (B,) bool, the brokers that can hold replicas.
        replicas: how many replicas they hold together.
    """
    if not carriers.any():
        return None
    groups = rack_groups(layout)
    if groups is None:
        return least_possible_spread(replicas, int(np.count_nonzero(carriers)))
    _, sizes = np.unique(groups[carriers], return_counts=True)
    partitions = np.bincount(layout.replication_factor)  # by replication factor
    factor = np.arange(len(partitions))
    most = np.where(factor <= len(sizes), np.minimum(factor, 1), factor)
    room = (np.minimum(most[None, :], sizes[:, None]) * partitions[None, :]).sum(axis=1)
    if int(room.sum()) < replicas:  # a layout that breaks racks, on so few brokers that it has to
        return least_possible_spread(replicas, int(np.count_nonzero(carriers)))
    return least_possible_spread_in_groups(replicas, sizes, room)


def _groups_of(lists: IntArray, groups: IntArray) -> IntArray:
    """(P, R) groups; padding gets -1, from the end of the table."""
    return np.append(groups, np.int32(NONE))[lists]


def _columns(lists: IntArray, groups: IntArray) -> list[IntArray]:
    """The columns of ``_groups_of``, each contiguous, which makes comparing them several times faster."""
    table = np.append(groups, np.int32(NONE))
    if int(table.max(initial=0)) < np.iinfo(np.int16).max:
        table = table.astype(np.int16)  # half the memory traffic, and that is what these loops wait for
    return [table[lists[:, j]] for j in range(lists.shape[1])]


def _same(a: IntArray, b: IntArray) -> BoolArray:
    """Which rows hold the same group in both columns; padding equals nothing (b stands right of a)."""
    equal: BoolArray = (a == b) & (b != NONE)
    return equal


def _distinct(lists: IntArray, groups: IntArray, counts: BoolArray | None = None) -> IntArray:
    if lists.shape[1] > _PAIRWISE_WIDTH:
        ordered = np.sort(_groups_of(lists, groups), axis=1)
        first = np.ones(ordered.shape, np.bool_)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        first &= ordered != NONE
        if counts is not None:
            first &= counts[ordered]
        return row_counts(first)
    columns = _columns(lists, groups)
    distinct = np.zeros(len(lists), np.int32)
    for j, column in enumerate(columns):
        new = column != NONE
        for earlier in columns[:j]:
            new &= column != earlier
        if counts is not None:
            new &= counts[column]
        distinct += new
    return distinct


def _squares_by_sorting(groups: IntArray) -> Longs:
    rows, width = groups.shape
    ordered = np.sort(groups, axis=1)
    starts = np.ones(ordered.shape, np.bool_)
    starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    at = np.flatnonzero(starts)
    lengths = np.diff(np.append(at, rows * width)).astype(np.int64)
    lengths[ordered.ravel()[at] == NONE] = 0
    return np.bincount(at // width, weights=lengths * lengths, minlength=rows).astype(np.int64)
