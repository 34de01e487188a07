"""How much less a schedule copies where brokers start new replicas of tiered topics behind the last tiered offset.

Promises: no copy is quicker than the low end that this gives. How much of a local log is tiered already no broker tells
in bytes, so such a copy counts as nothing at the low end and as the whole local log at the high one; likely is the part
of the topic's local records that is not tiered yet, or all of them where that is not told. On every other broker a new
replica copies all of the leader's local log; what only remote storage holds is never copied.

Source: KIP-405: an empty follower of a tiered topic starts at the leader's local log start offset; KIP-1023: or after
the last tiered offset, where the follower's broker has ``follower.fetch.last.tiered.offset.enable``.

Complexity: O(partitions x replicas).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout, FloatArray
from reseat.model.arrays import on_brokers
from reseat.model.tiering import Tiering
from reseat.schedule.batches import Preview, Work, bytes_at_busiest

__all__ = ["left_out", "likely_bytes", "with_tiered"]


def likely_bytes(work: Work, proposed: ClusterLayout, tiering: Tiering) -> FloatArray:
    """(n, W) float64: bytes that each receiver likely copies, NaN where not told, 0 where there is none.

    Args:
        work: what each partition costs.
        proposed: the partitions that it was made of, in its order.
        tiering: which topics are tiered, and which brokers start behind that.
    """
    part = tiering.parts_not_tiered(proposed.topics)[proposed.topic_of]
    each = work.bytes[:, None] * np.where(_behind(work, proposed, tiering), part[:, None], 1.0)
    return np.where(work.receivers != NONE, each, 0.0)


def with_tiered(preview: Preview, work: Work, proposed: ClusterLayout, tiering: Tiering) -> Preview:
    """The same schedule, less what is tiered already, at the low end and as is likely; arguments as above."""
    behind = _behind(work, proposed, tiering)
    if not behind.any():
        return preview
    whole, likely = work.bytes_of_copies, likely_bytes(work, proposed, tiering)
    _, lowest = bytes_at_busiest(work, preview.batch, len(preview), np.where(behind, 0.0, whole))
    slowest, middle = bytes_at_busiest(work, preview.batch, len(preview), np.where(np.isnan(likely), whole, likely))
    return replace(preview, slowest=slowest, likely=middle, lowest=lowest)


def _behind(work: Work, proposed: ClusterLayout, tiering: Tiering) -> BoolArray:
    """(n, W) bool: copies of which what is tiered already is left out."""
    tiered = proposed.is_topic(tiering.topics)[proposed.topic_of]
    return on_brokers(work.receivers, np.isin(work.broker_ids, tiering.after_tiered)) & tiered[:, None]


def left_out(preview: Preview) -> str:
    """Which times of a schedule leave out what is tiered already, as a sentence with a space before it; "" if none."""
    if not preview.lowest < preview.busiest:
        return ""
    times = "low and likely times leave" if preview.likely < preview.busiest else "low time leaves"
    return f" The {times} out what is tiered already."
