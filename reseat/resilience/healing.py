"""What it takes to heal a loss for good: replicas and bytes to copy, how even the rest can be, whether racks are kept.

Promises:
    1. ``moves``: the replicas on lost brokers; every one must be copied, and no more need be. None where the available
       brokers left cannot hold them: a copy on a broker that is fenced or shutting down heals nothing. A partition that
       has no live in-sync replica before the loss is not among them: it cannot be copied, and plans leave it too.
    2. ``least_spread``: of all plans with these moves and, among them, the best racks, the least spread of replica
       counts over the brokers left; the very number of ``reseat.planning.remove_brokers``. None where it is not exact.
    3. ``racks_kept``: whether each partition can lie on as many racks again as before the loss.

Needs: any layout. A reassignment under way is taken to end first, as plans do. Brokers known to be dead, fenced or
shutting down receive nothing; what they hold is not moved unless they are among the lost. A list that names a broker
twice cannot be planned: then there are no moves.

How: rows are sorted by broker once, so that each loss touches its own partitions only. Their newcomers are placed by
the planner's own ``Solver``, without the leaders and ties that do not change the spread.

Example: {0: [1, 2], 1: [2, 3], 2: [3, 1]}, broker 3 lost: 2 moves, brokers 1 and 2 end with 3 each: least spread 0.

Complexity: O(P R) once; O(n R log n) and a small flow for a loss of n replicas.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.balance.health import with_observers, without_live_copy
from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import on_brokers
from reseat.planning.solve.problem import Problem
from reseat.planning.solve.solver import Solver

__all__ = ["Healer", "Healing"]


@dataclass(frozen=True, slots=True)
class Healing:
    """What healing one loss takes.

    Attributes:
        moves: replicas to copy; None where the rest cannot hold them.
        bytes_to_move: bytes of these; None where sizes are not told of all.
        least_spread: fullest less emptiest broker left, in replicas; None where there are no moves to be had.
        racks_kept: whether no partition ends on fewer racks; None where no broker has a rack.
    """

    moves: int | None
    bytes_to_move: int | None
    least_spread: int | None
    racks_kept: bool | None


@dataclass(frozen=True, eq=False)
class Healer:
    """One layout, prepared so that each loss is looked at by its own partitions alone.

    Attributes:
        layout: the layout that is healed: reassignments under way are done.
        rows: (N,) int64 row of each replica that can be copied, sorted by broker.
        first: (B + 1,) int64 where each broker's replicas start in ``rows``.
        size: (P,) float64 bytes of a copy, NaN where not told; None where no size is told.
        rack: (B,) int32 rack of each broker; one without a rack is a rack of its own.
        racked: whether any broker has a rack.
        live: (B,) bool, brokers not known to be dead, fenced, shutting down or cordoned.
        stuck: (P,) bool, partitions that nothing can be copied of, or that a plan leaves for their observers.
        plannable: whether no list names a broker twice.
    """

    layout: ClusterLayout
    rows: Longs
    first: Longs
    size: FloatArray | None
    rack: IntArray
    racked: bool
    live: BoolArray
    stuck: BoolArray
    plannable: bool

    @classmethod
    def of(cls, layout: ClusterLayout) -> Healer:
        """Prepare a layout. O(P R)."""
        after = layout.target()
        # As it was read: what is leaving still serves as a source.
        stuck = without_live_copy(layout) | with_observers(layout)
        held = np.where(stuck[:, None], np.int32(NONE), after.replicas) if stuck.any() else after.replicas
        cells = np.argsort(held.ravel(), kind="stable")
        by_broker = np.bincount(held.ravel() + 1, minlength=len(after.brokers) + 1)
        return cls(
            layout=after,
            rows=cells[by_broker[0] :] // max(1, held.shape[1]),
            first=np.concatenate([[0], np.cumsum(by_broker[1:])]).astype(np.int64),
            size=after.copy_bytes,
            rack=after.rack_groups,
            racked=bool(after.racks),
            live=after.receiving,
            stuck=stuck,
            plannable=not after.duplicates.size,
        )

    @property
    def held(self) -> Longs:
        """(B,) int64: replicas of each broker that can be copied."""
        return np.diff(self.first)

    @property
    def slack(self) -> IntArray:
        """(P,) int32: live brokers that do not hold the partition."""
        held = on_brokers(self.layout.replicas, self.live).sum(axis=1, dtype=np.int32)
        return np.asarray(int(np.count_nonzero(self.live)) - held, np.int32)

    def heal(self, lost: IntArray) -> Healing:
        """What healing takes once these brokers are lost.

        Args:
            lost: (n,) positions of the brokers, each once.
        """
        at = [self.rows[self.first[b] : self.first[b + 1]] for b in lost.tolist()]
        rows = at[0] if len(at) == 1 and self.plannable else np.unique(np.concatenate([*at, np.empty(0, np.int64)]))
        gone = np.zeros(len(self.layout.brokers) + 1, np.bool_)
        gone[lost] = True
        lists = self.layout.replicas[rows]
        goes = gone[lists]
        staying = np.where(goes, NONE, lists).astype(np.int32)
        needed = goes.sum(axis=1)
        targets = self.live & ~gone[:-1]
        kept = None if not self.racked else self._racks_kept(lists, staying, needed, targets)
        taken = on_brokers(lists, targets).sum(axis=1)
        if not self.plannable or bool((needed > int(np.count_nonzero(targets)) - taken).any()):
            return Healing(None, None, None, kept)
        return Healing(
            moves=int(needed.sum()),
            bytes_to_move=self._bytes(rows, needed),
            least_spread=self._least_spread(lists, goes, targets, lost),
            racks_kept=kept,
        )

    def _bytes(self, rows: Longs, needed: Longs) -> int | None:
        if not needed.any():
            return 0
        if self.size is None:
            return None
        total = float((self.size[rows] * needed).sum())
        return None if np.isnan(total) else round(total)

    def _least_spread(self, lists: IntArray, goes: BoolArray, targets: BoolArray, lost: IntArray) -> int | None:
        if not targets.any():
            return None
        loads = self.layout.replicas_by_broker.copy()
        loads[lost] = 0
        if len(lists):
            staying = np.where(goes, np.int32(NONE), lists)
            problem = Problem(
                lists=lists,
                fixed=staying != NONE,
                targets=targets,
                rack=self.rack if self.racked else np.zeros_like(self.rack),
                out=goes,
                base=loads - np.bincount(staying.ravel() + 1, minlength=len(loads) + 1)[1:],
            )
            healed = Solver(problem, own_arcs=0).least_loads()
            if healed is None:
                return None
            loads = healed
        return int(np.ptp(loads[targets]))

    def _racks_kept(self, lists: IntArray, staying: IntArray, needed: Longs, targets: BoolArray) -> bool:
        """Whether each partition can lie on as many racks again: newcomers enter racks that are free to it first."""
        open_racks = np.zeros(int(self.rack.max(initial=-1)) + 1, np.bool_)
        open_racks[self.rack[targets]] = True
        before, _ = self._racks_of(lists, open_racks)
        stay, taken = self._racks_of(staying, open_racks)
        after = stay + np.minimum(needed, int(np.count_nonzero(open_racks)) - taken)
        return bool((after >= before).all())

    def _racks_of(self, lists: IntArray, counting: BoolArray) -> tuple[IntArray, IntArray]:
        """(n,) on how many racks each list lies, and on how many of those that count."""
        columns = list(np.append(self.rack, np.int32(NONE))[lists].T)
        counts = np.append(counting, False)
        racks, counted = np.zeros(len(lists), np.int32), np.zeros(len(lists), np.int32)
        for j, column in enumerate(columns):
            new = column != NONE
            for earlier in columns[:j]:
                new &= column != earlier
            racks += new
            counted += new & counts[column]
        return racks, counted
