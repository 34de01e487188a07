"""A schedule looked at: how busy each broker is over its batches, and how racks and min ISR stand after each.

Promises: every byte that a batch of the preview copies is counted at its sender and at its receivers, in the column of
its batch. A partition stands as before up to its batch and as planned from the end of it: a reassignment ends once its
new replicas are in sync. What is unknown (racks, ISR, ``min.insync.replicas``) is counted nowhere, and where nothing of
it is known there are no numbers.

Needs: the plan, its work and the batches that ``reseat.schedule.batches`` made of it.

Complexity: O(P) for the standing, O(copies) for the bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reseat.balance import health
from reseat.balance.racks import rack_violating
from reseat.model import NONE, BoolArray, FloatArray, IntArray, Longs, Plan
from reseat.model.arrays import row_counts
from reseat.schedule.batches import Preview, Work

__all__ = ["Busy", "Standing", "bytes_by_broker", "standing"]


@dataclass(frozen=True, eq=False)
class Busy:
    """Bytes sent and received by broker over batches, grouped in columns; B brokers, c columns.

    Attributes:
        broker_ids: (B,) int32.
        edges: (c + 1,) batches: column i holds those from ``edges[i]`` up to ``edges[i + 1]``, not included.
        bytes: (B, c) float64, sizes that are not told left out.
    """

    broker_ids: IntArray
    edges: Longs
    bytes: FloatArray

    def busiest(self, most: int) -> Busy:
        """The brokers with the most bytes, at most so many, in the order in which they stand."""
        places = np.sort(np.argsort(-self.bytes.sum(axis=1), kind="stable")[:most])
        return Busy(self.broker_ids[places], self.edges, self.bytes[places])


@dataclass(frozen=True, eq=False)
class Standing:
    """Partitions that stand badly before the first batch and after each; k batches.

    Attributes:
        rack_violations: (k + 1,) int64 partitions on fewer racks than possible; None where no rack is known.
        at_min_isr: (k + 1,) int64 partitions for which one replica less in sync stops acks=all writes; None where
            neither ISR nor ``min.insync.replicas`` is known.
    """

    rack_violations: Longs | None
    at_min_isr: Longs | None


def bytes_by_broker(work: Work, preview: Preview, *, columns: int = 60) -> Busy:
    """How busy each broker is when.

    Args:
        work: what each partition costs.
        preview: its batches.
        columns: most columns; neighbouring batches share one where there are more.
    """
    count = min(columns, len(preview))
    edges = np.unique(np.linspace(0, len(preview), count + 1).round().astype(np.int64))
    column = np.searchsorted(edges, preview.batch, side="right") - 1
    size = np.nan_to_num(work.bytes)
    sums = np.zeros((len(work.broker_ids), max(len(edges) - 1, 0)), np.float64)
    sends = np.flatnonzero(work.sender != NONE)
    np.add.at(sums, (work.sender[sends], column[sends]), (size * work.copies)[sends])
    rows, place = np.nonzero(work.receivers != NONE)
    np.add.at(sums, (work.receivers[rows, place], column[rows]), size[rows])
    return Busy(work.broker_ids, edges, sums)


def standing(plan: Plan, rows: Longs, preview: Preview) -> Standing:
    """How partitions stand before the first batch and after each; ``rows`` (n,) are the plan's of each."""
    now, after = plan.current, plan.proposed
    racks = isr = None
    if now.racks:
        # A rack that is drained is one to be on until the last batch is done.
        later = rack_violating(after, ~after.is_broker(plan.wish.remove))
        racks = _after_each(rack_violating(now), later, rows, preview)
        racks[1:][-1:] = np.count_nonzero(later)
    least = health.min_in_sync_by_row(now)
    known = now.in_sync_known & (least >= 0)
    if known.any():
        before: BoolArray = known & (health.in_sync_count(now) <= least)
        later = known & (row_counts(after.replicas != NONE) <= least)
        isr = _after_each(before, later, rows, preview)
    return Standing(racks, isr)


def _after_each(before: BoolArray, after: BoolArray, rows: Longs, preview: Preview) -> Longs:
    there = rows >= 0
    change = after[rows[there]].astype(np.float64) - before[rows[there]]
    steps = np.bincount(preview.batch[there], change, len(preview)).round().astype(np.int64)
    return np.concatenate([[0], np.cumsum(steps)]).astype(np.int64) + int(np.count_nonzero(before))
