"""Every pair of brokers lost, exactly, by counting in which partitions both have a part: no plan and no pass a pair.

Promises: for each of the B (B - 1) / 2 pairs the numbers of ``reseat.resilience.loss``: offline, below min ISR, leaders
that move, replicas and bytes to copy; and who takes over (``takeovers``), where that is asked for. The least spread and
racks are told by ``loss`` when one is asked about.

Needs: any layout.

How: inclusion and exclusion. What a pair does is what each of the two does alone, corrected by partitions in which both
count:

    offline(a, b)   = always + alone(a) + alone(b) + partitions that exactly a and b could lead
    below(a, b)     = always + alone(a) + alone(b) - partitions that either one alone brings down
                      + partitions that only both together do (one more in the ISR than the minimum, both in it)
    moved(a, b)     = moved(a) + moved(b) - partitions of a or b that move when it alone is lost, and that the other one
                      is the last for
    moves(a, b)     = moves(a) + moves(b): each replica is copied once

A correction is counted over the R (R - 1) / 2 pairs of places in the replica lists: a partition with three replicas
says something of three pairs only, however many there are.

Whether the rest can hold the replicas: a partition with h of the L live brokers has L - h to spare. It needs one for
each lost replica, and each live broker lost that does not hold it is one fewer. So two live brokers need 2 to spare
wherever one of them holds a replica, a dead one and a live one 2 where the dead one does and 1 elsewhere, two dead ones
as many as replicas they hold.

Example: {0: [1, 2], 1: [2, 3]}: pair 1, 2: partition 0 is offline, 3 replicas are lost; with one broker left, no plan.

Complexity: O(P R^2 + B^2) in time, O(P + B^2) in memory; who takes over O(B^3) of both.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from reseat.election import Mode
from reseat.model import BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.resilience.counting import GroupCounts, counted_by_group
from reseat.resilience.failover_order import FailoverOrder, failover_order
from reseat.resilience.healing import Healer
from reseat.resilience.takeovers import Takeovers, takeovers_of_pairs

__all__ = ["Pairs", "pairs"]

_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Pairs:
    """What the loss of each of n pairs of brokers does, pairs in ascending order of their ids.

    Attributes:
        brokers: (B,) int32 broker ids, ascending.
        first: (n,) int32 broker id.
        second: (n,) int32 broker id, larger than the first.
        offline_partitions: (n,) int64.
        below_min_isr: (n,) int64, offline ones included; None where the minimum is told for no topic.
        leaders_moved: (n,) int64; None where no leader is told.
        moves: (n,) int64 replicas to copy; -1 where the rest cannot hold them.
        bytes_to_move: (n,) float64 bytes of these; NaN where sizes are not told of all, or the rest cannot hold them.
        leaders_to: who takes over after each; None where it was not asked for, or takes more room than there is.
    """

    brokers: IntArray
    first: IntArray
    second: IntArray
    offline_partitions: Longs
    below_min_isr: Longs | None
    leaders_moved: Longs | None
    moves: Longs
    bytes_to_move: FloatArray
    leaders_to: Takeovers | None = None

    def __len__(self) -> int:
        return len(self.first)


@dataclass(frozen=True, slots=True)
class _Corner:
    """Places of pairs in the upper triangle of a B x B matrix, row by row."""

    brokers: int

    @property
    def size(self) -> int:
        """How many pairs there are."""
        return self.brokers * (self.brokers - 1) // 2

    def place(self, one: IntArray, other: IntArray) -> Longs:
        """(m,) int64 the place of each pair of different positions, in either order."""
        low = np.minimum(one, other).astype(np.int64)
        high = np.maximum(one, other).astype(np.int64)
        return low * (2 * self.brokers - low - 1) // 2 + high - low - 1

    def tally(self, one: IntArray, other: IntArray) -> Longs:
        """(n,) int64 how often each pair occurs."""
        return np.bincount(self.place(one, other), minlength=self.size).astype(np.int64)

    def sums(self, values: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
        """(n,) the sum of the values of both brokers."""
        one, other = np.triu_indices(self.brokers, 1)
        both: npt.NDArray[_Number] = np.add(values[one], values[other])
        return both


def pairs(layout: ClusterLayout, *, mode: Mode = "zookeeper", most_takeovers: int = 0) -> Pairs:
    """What the loss of each pair of brokers does.

    Args:
        layout: the layout.
        mode: which controller decides.
        most_takeovers: who takes over is told where all pairs together have no more entries of it than this, a broker
            with what it takes over being one; 8 bytes each. 0: it is not told.
    """
    brokers = len(layout.brokers)
    corner = _Corner(brokers)
    at = failover_order(layout, mode)
    alone = counted_by_group(at, np.arange(brokers, dtype=np.int32), brokers)
    replicas = [np.ascontiguousarray(column) for column in layout.replicas.T]
    one, other = np.triu_indices(brokers, 1)
    always = int(np.count_nonzero(at.waiting == 0))
    moves, size = _moves(Healer.of(layout), corner)
    return Pairs(
        brokers=layout.broker_ids,
        first=layout.broker_ids[one],
        second=layout.broker_ids[other],
        offline_partitions=alone.offline[one] + alone.offline[other] - always + _only_two(at, replicas, corner),
        below_min_isr=_below(at, alone, replicas, corner) if at.floor_told else None,
        leaders_moved=_moved(at, alone, replicas, corner) if at.leader_told else None,
        moves=moves,
        bytes_to_move=size,
        leaders_to=takeovers_of_pairs(at, alone.takes_over, most=most_takeovers) if most_takeovers else None,
    )


def _places(width: int) -> list[tuple[int, int]]:
    """Every two places in a replica list."""
    return list(itertools.combinations(range(width), 2))


def _only_two(at: FailoverOrder, replicas: list[IntArray], corner: _Corner) -> Longs:
    """(n,) partitions that exactly these two could lead."""
    two = at.waiting == 2
    found = np.zeros(corner.size, np.int64)
    for i, j in _places(len(replicas)):
        rows = np.flatnonzero(two & at.able[:, i] & at.able[:, j])
        found += corner.tally(replicas[i][rows], replicas[j][rows])
    return found


def _below(at: FailoverOrder, alone: GroupCounts, replicas: list[IntArray], corner: _Corner) -> Longs:
    """(n,) partitions offline or below min ISR: what either does, less what both do, and what only both together do."""
    sound = ~at.short
    last_one, last_two = sound & (at.waiting == 1), sound & (at.waiting == 2)
    tight, loose = sound & (at.count == at.floor), sound & (at.count == at.floor + 1)
    either = [(tight & there) | (last_one & able) for there, able in zip(at.in_sync.T, at.able.T, strict=True)]
    found = corner.sums(alone.below) - int(np.count_nonzero(at.short))
    for i, j in _places(len(replicas)):
        rows = np.flatnonzero(either[i] & either[j])
        found -= corner.tally(replicas[i][rows], replicas[j][rows])
        together = (loose & at.in_sync[:, i] & at.in_sync[:, j]) | (last_two & at.able[:, i] & at.able[:, j])
        rows = np.flatnonzero(together & ~either[i] & ~either[j])
        found += corner.tally(replicas[i][rows], replicas[j][rows])
    return found


def _moved(at: FailoverOrder, alone: GroupCounts, replicas: list[IntArray], corner: _Corner) -> Longs:
    """(n,) partitions that get another leader."""
    leader = at.layout.leader
    found = corner.sums(alone.moved)
    led_two = (at.waiting == 2) & (leader >= 0)
    for i, j in _places(len(replicas)):
        its = (leader == replicas[i]) | (leader == replicas[j])
        rows = np.flatnonzero(led_two & at.able[:, i] & at.able[:, j] & its)
        found -= corner.tally(replicas[i][rows], replicas[j][rows])
    if replicas:
        # A leader that could not be elected itself (it is no replica, or told to be dead), and one that could.
        rows = np.flatnonzero((at.waiting == 1) & (leader >= 0) & (leader != at.queue[:, 0]))
        found -= corner.tally(leader[rows], at.queue[rows, 0])
    return found


def _moves(healer: Healer, corner: _Corner) -> tuple[Longs, FloatArray]:
    """(n,) replicas to copy, -1 where the rest cannot hold them, and their bytes, NaN where not told."""
    if not healer.plannable:
        return np.full(corner.size, -1, np.int64), np.full(corner.size, np.nan)
    held = healer.held
    moves = corner.sums(held)
    size = np.full(corner.size, np.nan)
    if healer.size is not None:
        owner = np.repeat(np.arange(corner.brokers), held)
        mine = np.bincount(owner, weights=healer.size[healer.rows], minlength=corner.brokers)
        size = corner.sums(mine.astype(np.float64))
    size[moves == 0] = 0
    full = _no_room(healer, corner)
    moves[full] = -1
    size[full] = np.nan
    return moves, size


def _no_room(healer: Healer, corner: _Corner) -> BoolArray:
    """(n,) bool: pairs without which some partition finds too few brokers (see the head of the file)."""
    one, other = np.triu_indices(corner.brokers, 1)
    slack = healer.slack
    least = np.full(corner.brokers, np.iinfo(np.int32).max, np.int32)
    owner = np.repeat(np.arange(corner.brokers), healer.held)
    np.minimum.at(least, owner, slack[healer.rows])
    # What each must find to spare in its own partitions: itself, and the other one where that is alive.
    alive = healer.live.astype(np.int32)
    full: BoolArray = least[one] < 1 + alive[other]
    full |= least[other] < 1 + alive[one]
    if np.count_nonzero(~healer.live) > 1:
        dead = np.append(~healer.live, False)
        tight = healer.layout.replicas[(slack < 2) & ~healer.stuck]
        for i, j in _places(tight.shape[1]):
            both = dead[tight[:, i]] & dead[tight[:, j]]
            full |= corner.tally(tight[both, i], tight[both, j]) > 0
    return full
