"""How much less a schedule copies where brokers start new replicas of tiered topics behind the last tiered offset.

Promises: no copy is quicker than the low end that this gives. How much of a local log is tiered already no broker tells
in bytes, so such a copy counts as nothing at the low end and as the whole local log at the others. On every other
broker a new replica copies all of the leader's local log; what only remote storage holds is never copied.

Source: KIP-405: an empty follower of a tiered topic starts at the leader's local log start offset; KIP-1023: or after
the last tiered offset, where the follower's broker has ``follower.fetch.last.tiered.offset.enable``.

Complexity: O(partitions x replicas).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reseat.model import NONE, BoolArray, ClusterLayout
from reseat.model.tiering import Tiering
from reseat.schedule.batches import Preview, Work

__all__ = ["copies_what_is_not_tiered", "with_least"]


def copies_what_is_not_tiered(work: Work, proposed: ClusterLayout, tiering: Tiering) -> BoolArray:
    """(n, W) bool, as ``work.receivers``: copies of which what is tiered already is left out.

    Args:
        work: what each partition costs.
        proposed: the partitions that it was made of, in its order.
        tiering: which topics are tiered, and which brokers start behind that.
    """
    starts_behind = np.append(np.isin(work.broker_ids, tiering.after_tiered), False)
    tiered = proposed.is_topic(tiering.topics)[proposed.topic_of]
    behind: BoolArray = starts_behind[work.receivers] & tiered[:, None] & (work.receivers != NONE)
    return behind


def with_least(preview: Preview, work: Work, proposed: ClusterLayout, tiering: Tiering) -> Preview:
    """The same schedule, whose low end leaves out what may be tiered already; arguments as above."""
    behind = copies_what_is_not_tiered(work, proposed, tiering)
    if not behind.any():
        return preview
    each = np.where((work.receivers != NONE) & ~behind, np.nan_to_num(work.bytes)[:, None], 0.0)
    at, column = np.nonzero(each)
    brokers = len(work.broker_ids)
    received = np.bincount(work.receivers[at, column], each[at, column], brokers)
    sent = np.bincount(np.maximum(work.sender, 0), each.sum(axis=1), brokers)
    return replace(preview, lowest=float(max(received.max(initial=0.0), sent.max(initial=0.0))))
