"""The loss of any set of brokers: what happens at once, and what healing it takes. The reference of this package.

Promises: ``loss`` says of one set of brokers what ``reseat.election.stop`` and ``reseat.planning.remove_brokers`` say
of it, with unclean leader election off. It is the answer to a click, and what the counts of all brokers, racks and
pairs are tested against.

What the numbers mean, all of the state *after* the loss:
    - ``offline_partitions``: nobody is left that is alive and in sync (or, with KRaft, an eligible leader replica).
      Partitions that were offline before are among them.
    - ``below_min_isr``: those, and partitions with fewer replicas left in their ISR than ``min.insync.replicas`` (1
      where it is not told); partitions below it before are among them. None where it is told for no topic.
    - ``leaders_moved``: partitions that a lost broker led and that another takes over: who is elected is the first in
      assignment order that is alive, in sync and not lost. None where no leader is told.
    - ``moves`` and what follows: ``reseat.resilience.healing``.
    Where an ISR is not told all replicas are taken to be in sync.

Example: {0: [1, 2], 1: [2, 3]}, leaders 1 and 2, broker 2 lost: nothing is offline, partition 1 is taken over by 3, and
2 replicas must be copied.

Complexity: O(P R), and the placing of what is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from reseat.election import Mode, Reason, stop
from reseat.election.candidates import candidates, electable
from reseat.election.isr import least_in_sync
from reseat.model import NONE, NOT_TOLD, ClusterLayout
from reseat.model.arrays import row_any, row_counts
from reseat.resilience.failover_order import once
from reseat.resilience.healing import Healer, Healing

__all__ = ["Loss", "loss", "pair"]


@dataclass(frozen=True, slots=True)
class Loss:
    """What the loss of some brokers does; a number that cannot be told is None, never 0.

    Attributes:
        lost: ids of the brokers lost, ascending.
        rack: the rack lost, where it is one.
        offline_partitions: partitions of which no replica in sync remains (unclean election off), or that have no
            leader already.
        below_min_isr: partitions with fewer replicas in sync than ``min.insync.replicas``, offline ones included.
        leaders_moved: partitions that get another leader.
        leaders_to: (broker id, partitions that it takes over), by id; brokers that take over none are left out.
        healing: what it takes to heal it for good; None where it was not asked for.
    """

    lost: tuple[int, ...]
    rack: str | None
    offline_partitions: int
    below_min_isr: int | None
    leaders_moved: int | None
    leaders_to: tuple[tuple[int, int], ...]
    healing: Healing | None = None


def loss(layout: ClusterLayout, broker_ids: Iterable[int], *, mode: Mode = "zookeeper") -> Loss:
    """What the loss of these brokers, all at once, does.

    Args:
        layout: the layout; it is not changed.
        broker_ids: the brokers lost.
        mode: which controller decides.

    Raises:
        WishRefused: the layout does not know one of the brokers.
    """
    preview = stop(layout, broker_ids, mode=mode)
    can = candidates(layout)
    lost = np.searchsorted(layout.broker_ids, np.array(preview.stopped, np.int32)).astype(np.int32)
    gone = np.isin(layout.replicas, lost)
    remaining = can.alive & ~gone
    offline = ~row_any(remaining & electable(layout, can, mode, remaining)) | (layout.leader == NONE)
    left = row_counts(once(layout, can.in_sync) & ~gone)
    # A partition with a leader has at least that one in sync, so that a minimum of 1 (or not told) is met.
    floor = least_in_sync(layout, mode)
    below = offline | ((left < floor) & (floor > 1))
    taken_over = np.isin(preview.election.reason, [Reason.TAKES_OVER, Reason.ELIGIBLE])
    heirs, numbers = np.unique(preview.election.leader_after[taken_over], return_counts=True)
    return Loss(
        lost=preview.stopped,
        rack=None,
        offline_partitions=int(np.count_nonzero(offline)),
        below_min_isr=int(np.count_nonzero(below)) if layout.floor_told else None,
        leaders_moved=int(numbers.sum()) if bool((layout.leader != NOT_TOLD).any()) else None,
        leaders_to=tuple(zip(heirs.tolist(), numbers.tolist(), strict=True)),
        healing=Healer.of(layout).heal(lost),
    )


def pair(layout: ClusterLayout, one: int, other: int, *, mode: Mode = "zookeeper") -> Loss:
    """What the loss of two brokers does, with who takes over and what healing it takes.

    Args:
        layout: the layout.
        one: a broker id.
        other: another.
        mode: which controller decides.

    Raises:
        WishRefused: the layout does not know one of them.
    """
    return loss(layout, (one, other), mode=mode)
