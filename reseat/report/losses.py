"""What losing each broker, rack or pair would take from one layout, counted without placing anything anew.

Promises: the numbers of ``reseat.resilience``; what cannot be told is None, never 0.

Complexity: as ``reseat.resilience.counting`` and ``pairs``; pairs are left out above ``MOST_PAIRED`` brokers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.election import Mode
from reseat.model import ClusterLayout, Longs
from reseat.model.arrays import row_keys
from reseat.resilience import copysets, pairs
from reseat.resilience.counting import GroupCounts, counted_by_group
from reseat.resilience.failover_order import FailoverOrder, failover_order
from reseat.resilience.words import MEASURES, LossMeasure, Worst, who

__all__ = ["MOST_PAIRED", "LossGroup", "LossSummary", "PairLoss", "losses_of"]


#: Above so many brokers pairs are not counted: their number grows with the square.
MOST_PAIRED = 1_500
#: Pairs that are kept, the worst first.
_KEPT = 20


@dataclass(frozen=True, eq=False)
class LossGroup:
    """What each of n losses of a kind does.

    Attributes:
        names: (n) broker ids, or names of racks.
        by: by measure (n,) partitions; a measure that is not told is left out.
    """

    names: tuple[int, ...] | tuple[str, ...]
    by: dict[LossMeasure, Longs]


@dataclass(frozen=True, slots=True)
class PairLoss:
    """What the loss of two brokers does; None where it is not told."""

    brokers: tuple[int, int]
    offline_partitions: int
    below_min_isr: int | None


@dataclass(frozen=True, eq=False)
class LossSummary:
    """What each loss would do to one layout.

    Attributes:
        brokers: every single broker.
        racks: every rack; None where no broker has one.
        pairs: the worst pairs of brokers, worst first; None where they were not counted.
        already: what is offline or below min ISR before anything is lost; every loss counts it too.
        chance_two: the chance that two random brokers lost for good take every copy of some partition; None where
            there are no two.
        chance_three: the same of three.
        worst: which of them hurt most.
    """

    brokers: LossGroup
    racks: LossGroup | None
    pairs: tuple[PairLoss, ...] | None
    already: dict[LossMeasure, int]
    chance_two: float | None
    chance_three: float | None
    worst: Worst


def losses_of(layout: ClusterLayout, mode: Mode) -> LossSummary:
    """The losses of a layout.

    Args:
        layout: the layout.
        mode: which controller decides.
    """
    at = failover_order(layout, mode)
    count = len(layout.brokers)
    already: dict[LossMeasure, int] = {"offline_partitions": int(np.count_nonzero(at.waiting == 0))}
    if at.floor_told:
        already["below_min_isr"] = int(np.count_nonzero(at.short))
    brokers = LossGroup(
        tuple(layout.broker_ids.tolist()), _told(at, counted_by_group(at, np.arange(count, dtype=np.int32), count))
    )
    racks = None
    if layout.racks:
        # A broker without a rack is a group of its own, and is not asked about.
        racks = LossGroup(layout.racks, _told(at, counted_by_group(at, layout.rack_groups, len(layout.racks))))
    worst_pairs, pair, harmful = _pairs(layout, mode, already)
    scattered = copysets(layout)
    return LossSummary(
        brokers=brokers,
        racks=racks,
        pairs=worst_pairs,
        already=already,
        chance_two=scattered.chance_two,
        chance_three=scattered.chance_three,
        worst=Worst(
            brokers=tuple(layout.broker_ids.tolist()),
            racks=len(layout.racks),
            broker=_worst("broker", brokers, already),
            rack={} if racks is None else _worst("rack", racks, already),
            pair=pair,
            harmful_brokers=int((brokers.by["offline_partitions"] > already["offline_partitions"]).sum()),
            harmful_pairs=harmful,
            already=already,
            pairs_told=worst_pairs is not None,
            pairs_keep_a_copy=scattered.chance_two == 0,
        ),
    )


def _told(at: FailoverOrder, counts: GroupCounts) -> dict[LossMeasure, Longs]:
    told: dict[LossMeasure, Longs] = {"offline_partitions": counts.offline}
    if at.floor_told:
        told["below_min_isr"] = counts.below
    if at.leader_told:
        told["leaders_moved"] = counts.moved
    return told


def _worst(kind: str, group: LossGroup, already: dict[LossMeasure, int]) -> dict[LossMeasure, tuple[str, int]]:
    """By measure who does most, the first of equals by the measures that follow, and how much on top."""
    found: dict[LossMeasure, tuple[str, int]] = {}
    for number, measure in enumerate(MEASURES):
        if measure not in group.by or not len(group.names):
            continue
        further = [group.by[one] for one in MEASURES[number:] if one in group.by]
        at = int(np.lexsort(tuple(-column for column in reversed(further)))[0])
        beyond = int(group.by[measure][at]) - already.get(measure, 0)
        if beyond > 0:
            name = group.names[at]
            lost, rack = ((name,), None) if isinstance(name, int) else ((), name)
            found[measure] = who(kind, lost, rack), beyond
    return found


def _pairs(
    layout: ClusterLayout, mode: Mode, already: dict[LossMeasure, int]
) -> tuple[tuple[PairLoss, ...] | None, dict[LossMeasure, tuple[tuple[int, int], int]], int]:
    """The worst pairs, who does most by measure, and how many take a partition offline."""
    if not 2 <= len(layout.brokers) <= MOST_PAIRED:
        return None, {}, 0
    found = pairs(layout, mode=mode)
    told = {"offline_partitions": found.offline_partitions}
    if found.below_min_isr is not None:
        told["below_min_isr"] = found.below_min_isr
    best: dict[LossMeasure, tuple[tuple[int, int], int]] = {}
    rank = row_keys(found.offline_partitions, 0 if found.below_min_isr is None else found.below_min_isr)
    for measure in MEASURES[:2]:
        if measure not in told:
            continue
        at = int(np.argmax(rank if measure == "offline_partitions" else told[measure]))
        beyond = int(told[measure][at]) - already.get(measure, 0)
        if beyond > 0:
            best[measure] = (int(found.first[at]), int(found.second[at])), beyond
    kept = min(_KEPT, len(rank))
    first = np.sort(np.argpartition(-rank, kept - 1)[:kept])
    order = first[np.argsort(-rank[first], kind="stable")]
    below = found.below_min_isr
    worst = tuple(
        PairLoss(
            (int(found.first[at]), int(found.second[at])),
            int(found.offline_partitions[at]),
            None if below is None else int(below[at]),
        )
        for at in order.tolist()
    )
    harmful = int(np.count_nonzero(found.offline_partitions > already["offline_partitions"]))
    return worst, best, harmful
