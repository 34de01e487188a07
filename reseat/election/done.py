"""The layout once a plan is done: its replica lists, who leads then, and who is in sync.

Promises: the leader stays if it is in the target and alive, else the first of the target that is alive takes over; the
ISR of a changed partition holds its whole target, since a reassignment is done only then. Where nobody leads there is
nobody to copy from, and where a leader or an ISR is not told it stays so.

Example: [1, 2] led by 1 becomes [3, 2]: 3 takes over, and the ISR is 3 and 2.

Complexity: O(P R).

Source: ``ReassignPartitionLeaderElectionStrategy``, ``KafkaController.onPartitionReassignment`` (KIP-455).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.election import rules
from reseat.election.candidates import column_of
from reseat.model import NONE, NOT_TOLD, BoolArray, ClusterLayout, IntArray, Plan
from reseat.model.arrays import holds, on_brokers, row_any

__all__ = ["layout_after", "once_done"]


def layout_after(plan: Plan) -> ClusterLayout:
    """The cluster once a plan is done: as ``once_done``, without the brokers that have left and hold nothing."""
    layout = once_done(plan)
    gone = layout.is_broker(plan.wish.remove) & (layout.replicas_by_broker == 0)
    if not gone.any():
        return layout
    # The last two places are for -2 and -1, as negative positions look them up: not told, and no broker.
    shift = np.append(np.where(gone, NOT_TOLD, np.cumsum(~gone) - 1), [NOT_TOLD, NONE]).astype(np.int32)
    return replace(
        layout,
        brokers=tuple(broker for broker, left in zip(layout.brokers, gone.tolist(), strict=True) if not left),
        replicas=shift[layout.replicas],
        leader=shift[layout.leader],
    )


def once_done(plan: Plan) -> ClusterLayout:
    """The proposed layout once the data has moved: its leaders and its ISR; brokers that left are still named."""
    current, proposed = plan.current, plan.proposed
    if current.brokers != proposed.brokers:
        current = current.with_brokers(proposed.brokers)
        proposed = proposed.with_brokers(current.brokers)
    changed = plan.changed
    at = np.flatnonzero(changed)
    leader = current.leader.copy()
    target = proposed.replicas[at]
    alive = on_brokers(target, proposed.available)
    if proposed.observers is not None:
        alive &= ~proposed.observers[at]
    old = current.replicas[at]
    before = leader[at]
    stays = row_any((target == before[:, None]) & alive)
    takes_over = column_of(target, rules.reassignment(alive, target != NONE))
    common = row_any(holds(old, target))
    leader[at] = np.select(
        # Nobody leads: there is nobody to copy from. Not told, and it may be one that stays: still not told.
        [before == NONE, (before == NOT_TOLD) & common, stays],
        [before, before, before],
        takes_over,
    )
    in_sync, told = _in_sync_done(current, proposed, at, old, target)
    return replace(proposed, leader=leader, in_sync=in_sync, in_sync_told=told)


def _in_sync_done(
    current: ClusterLayout, proposed: ClusterLayout, at: np.ndarray, old: IntArray, target: IntArray
) -> tuple[BoolArray, BoolArray]:
    width = proposed.replicas.shape[1]
    in_sync = np.zeros(proposed.replicas.shape, np.bool_)
    if current.in_sync is not None:
        shared = min(width, current.replicas.shape[1])
        in_sync[:, :shared] = current.in_sync[:, :shared]
    told = current.in_sync_known.copy()
    was = np.zeros(old.shape, np.bool_) if current.in_sync is None else current.in_sync[at]
    kept = holds(np.where(was, old, NONE), target)
    leaderless = (current.leader[at] == NONE)[:, None]
    in_sync[at] = np.where(leaderless, kept, target != NONE)
    told[at] |= current.leader[at] != NONE
    return in_sync, told
