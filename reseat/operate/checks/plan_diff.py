"""What a plan touches: its partitions as they are now beside what they shall become, row by row, over the same brokers.

Promises: one row per partition of the plan that the cluster has; ``now``, ``current`` and ``after`` have the same rows
and the same brokers, so that their positions can be compared; racks of brokers that are down, which a ZooKeeper cluster
then tells no longer, are those that the plan or the reading shown at confirmation told.

Needs: a plan as read (``SealedPlan``) and a reading of the cluster.

How: rows are found by binary search; nothing is an object a partition.

Complexity: O(n (log P + R^2)) for n partitions of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from reseat.model import NONE, BoolArray, BrokerState, ClusterLayout, IntArray, Longs, Snapshot
from reseat.model.arrays import lists_differ, newcomers, row_any
from reseat.operate.request import PlanRequest

__all__ = ["PlanDiff", "same_members"]


def same_members(a: IntArray, b: IntArray) -> BoolArray:
    """(n,) bool: rows whose padded lists name the same brokers, in whatever order; none twice."""
    same: BoolArray = ~row_any(newcomers(a, b)) & ~row_any(newcomers(b, a))
    return same


@dataclass(frozen=True, eq=False)
class PlanDiff:
    """A plan laid beside a reading. n: partitions of the plan; m: those of them that the cluster has.

    Attributes:
        request: what is asked.
        snapshot: the reading.
        row: (n,) row of each partition in the reading, -1 where it is gone.
        now: (m rows) the partitions as they are, replicas that a reassignment adds or removes included.
        current: (m rows) the same once everything under way is done: what the plan was made for.
        after: (m rows) the lists that they shall have.
        known: (B,) bool, brokers that the reading has; the others only the plan names.
        racks_then: rack by broker id when the plan was made (or of the reading shown); None: not told at all.
    """

    request: PlanRequest
    snapshot: Snapshot
    row: Longs
    now: ClusterLayout
    current: ClusterLayout
    after: ClusterLayout
    known: BoolArray
    racks_then: Mapping[int, str | None] | None

    @classmethod
    def of(cls, request: PlanRequest, snapshot: Snapshot) -> PlanDiff:
        """Lay the plan beside the reading."""
        plan, layout = request.plan, snapshot.layout
        row = layout.rows_of(plan.proposed)
        here = row >= 0
        known_ids = layout.broker_ids
        ours = layout.select(row[here])
        theirs = [
            replace(broker, rack=None, host=None, state=BrokerState.DEAD)
            for broker in plan.proposed.brokers
            if layout.position(broker.id) is None
        ]
        now = ours.with_brokers(theirs) if theirs else ours
        racks = _racks_then(request)
        now = now.with_brokers(
            replace(broker, rack=racks[broker.id])
            for broker in now.brokers
            if racks is not None and broker.rack is None and _down(broker.state) and racks.get(broker.id) is not None
        )
        proposed = plan.proposed if bool(here.all()) else plan.proposed.select(here)
        return cls(
            request=request,
            snapshot=snapshot,
            row=row,
            now=now,
            current=now.target(),
            after=proposed.with_brokers(now.brokers),
            known=now.is_broker(known_ids),
            racks_then=racks,
        )

    @cached_property
    def planned(self) -> Longs:
        """(m,) rows of the plan that the cluster has."""
        return np.flatnonzero(self.row >= 0)

    @cached_property
    def changed(self) -> Longs:
        """Rows (of ``now``) whose list is not yet what the plan says: the rest needs nothing."""
        return np.flatnonzero(lists_differ(self.current.replicas, self.after.replicas))

    @cached_property
    def newcomers(self) -> BoolArray:
        """(m, width of ``after``) bool: replicas that the partition does not have yet, and copies."""
        return newcomers(self.now.replicas, self.after.replicas)

    @cached_property
    def goes(self) -> BoolArray:
        """(m, width of ``now``) bool: replicas that the partition has, and shall not have."""
        return newcomers(self.after.replicas, self.now.replicas)

    @cached_property
    def moving(self) -> Longs:
        """Changed rows that gain or lose a replica; a change of order alone touches no data."""
        rows = self.changed
        touched = row_any(self.newcomers[rows]) | row_any(self.goes[rows])
        return rows[touched]

    @cached_property
    def alive(self) -> BoolArray:
        """(B,) bool: brokers that can serve as far as is told: alive, or in the reading without a word on it."""
        return self.now.in_state(BrokerState.ALIVE, BrokerState.CORDONED, BrokerState.NOT_TOLD) & self.known

    def names(self, rows: Longs) -> tuple[str, ...]:
        """``topic-partition`` of rows of ``now``."""
        return self.now.names_at(rows)

    def ids(self, positions: npt.NDArray[np.integer]) -> tuple[int, ...]:
        """Broker ids of positions, ascending, once each; padding left out."""
        present = np.unique(positions)
        return tuple(int(i) for i in self.now.broker_ids[present[present != NONE]])


def _racks_then(request: PlanRequest) -> Mapping[int, str | None] | None:
    if request.plan.racks is not None:
        return request.plan.racks
    return None if request.shown is None else {broker.id: broker.rack for broker in request.shown.brokers}


def _down(state: BrokerState) -> bool:
    return state in (BrokerState.DEAD, BrokerState.NOT_TOLD)
