"""Every single broker lost, and every rack lost, with what healing each takes.

Promises: for each one the numbers of ``reseat.resilience.loss``, all brokers (racks) for little more than one of them.

Needs: any layout. A broker that is dead already is listed too: what its loss did stands there, and what healing it
takes.

How: what happens at once is counted in one pass (``counting``); healing is placed one loss after the other, each over
its own partitions only (``healing``).

Example: {0: [1, 2], 1: [2, 3]}, leaders 1 and 2: broker 1: 1 leader moves to 2, 1 replica to copy; broker 2: 1 leader
to 3, 2 replicas; broker 3: no leader, 1 replica.

Complexity: O(P R^2), and over all losses together O(P R log P) and a small flow each.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from reseat.election import Mode
from reseat.model import ClusterLayout
from reseat.resilience.counting import GroupCounts, counted_by_group
from reseat.resilience.failover_order import FailoverOrder, failover_order
from reseat.resilience.healing import Healer
from reseat.resilience.loss import Loss

__all__ = ["racks", "singles"]


def singles(layout: ClusterLayout, *, mode: Mode = "zookeeper", among: Collection[int] | None = None) -> list[Loss]:
    """What the loss of each single broker does, by broker id.

    Args:
        layout: the layout.
        mode: which controller decides.
        among: ids of the brokers asked about; None: all.
    """
    at = failover_order(layout, mode)
    brokers = len(layout.brokers)
    counts = counted_by_group(at, np.arange(brokers, dtype=np.int32), brokers)
    healer = Healer.of(layout)
    wanted = None if among is None else frozenset(among)
    return [
        _loss(at, counts, healer, place, lost=[place])
        for place, broker in enumerate(layout.brokers)
        if wanted is None or broker.id in wanted
    ]


def racks(layout: ClusterLayout, *, mode: Mode = "zookeeper", among: Collection[str] | None = None) -> list[Loss]:
    """What the loss of each rack does, by its name; empty where no broker has a rack.

    Args:
        layout: the layout.
        mode: which controller decides.
        among: the racks asked about; None: all.
    """
    names = layout.racks
    if not names:
        return []
    at, healer = failover_order(layout, mode), Healer.of(layout)
    # A broker without a rack is a group of its own, and is not asked about.
    counts = counted_by_group(at, layout.rack_groups, len(names))
    wanted = None if among is None else frozenset(among)
    return [
        _loss(at, counts, healer, place, lost=np.flatnonzero(layout.rack_of == place), rack=name)
        for place, name in enumerate(names)
        if wanted is None or name in wanted
    ]


def _loss(
    at: FailoverOrder,
    counts: GroupCounts,
    healer: Healer,
    group: int,
    *,
    lost: npt.ArrayLike,
    rack: str | None = None,
) -> Loss:
    positions = np.asarray(lost, np.int32)
    takes_over = counts.takes_over[group]
    heirs = np.flatnonzero(takes_over)
    ids = at.layout.broker_ids
    return Loss(
        lost=tuple(ids[positions].tolist()),
        rack=rack,
        offline_partitions=int(counts.offline[group]),
        below_min_isr=int(counts.below[group]) if at.floor_told else None,
        leaders_moved=int(takes_over.sum()) if at.leader_told else None,
        leaders_to=tuple(zip(ids[heirs].tolist(), takes_over[heirs].tolist(), strict=True)),
        healing=healer.heal(positions),
    )
