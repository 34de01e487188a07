"""The check of the throttle: that it is a rate, and how long copying takes with it at least."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE
from reseat.model.units import duration
from reseat.model.wording import counted, listed
from reseat.operate.checks.check import Check, failed, passed, unknown
from reseat.operate.checks.plan_diff import PlanDiff
from reseat.operate.checks.size import throttled_as_wholes
from reseat.schedule.batches import work_of

__all__ = ["throttle_suits"]

#: A plan that is to take longer than a week is more likely bytes taken for megabytes than meant.
_LONGEST = 7 * 86_400.0
#: Kafka's settings are 64-bit numbers.
_LARGEST = 2**63 - 1


def throttle_suits(diff: PlanDiff) -> Check:
    """21. The throttle is at least one byte a second, and copying takes no longer than a week with it.

    The least time is that of the broker with the most to send or to receive; KIP-73 limits each way by itself. What is
    written to a partition while it is copied comes through the same throttle, which no single reading can tell.
    """
    name, rate = "throttle_suits", diff.request.options.throttle
    if rate is None:
        return passed(name, "No throttle: copying uses all available network and disk bandwidth.")
    if not 1 <= rate <= _LARGEST:
        return failed(name, f"{rate:,} bytes/s is not a throttle: a whole number from 1 was expected.")
    busiest, told = _busiest(diff)
    wholes = throttled_as_wholes(diff)
    listed_whole = (
        f" For {counted(len(wholes), 'topic')} all replicas are throttled, because the list of moving replicas is "
        f"longer than Kafka accepts; their normal replication counts against the throttle, too: {listed(wholes)}."
        if wholes
        else ""
    )
    never = "It never completes if producers write more than that to the partitions being copied"
    if not told:
        return unknown(
            name,
            f"Copying takes an unknown time at {rate:,} bytes/s per broker: replica sizes are unknown. {never}: then "
            f"change the throttle of the run.{listed_whole}",
        )
    seconds = busiest / rate
    least = f"At {rate:,} bytes/s per broker, copying takes at least {duration(seconds)}."
    if seconds > _LONGEST:
        return failed(name, f"{least} {never}. Is the throttle in bytes?{listed_whole}", overridable=True)
    return passed(name, f"{least} {never}.{listed_whole}")


def _busiest(diff: PlanDiff) -> tuple[float, bool]:
    """The most bytes that one broker sends or receives; whether the size of everything that is copied is told."""
    work = work_of(diff.now, diff.after)
    copied = np.flatnonzero(work.copies)
    sizes = work.bytes[copied]
    if np.isnan(sizes).any():
        return 0.0, False
    brokers = len(work.broker_ids)
    sent = np.bincount(work.sender[copied], weights=sizes * work.copies[copied], minlength=brokers)
    receivers = work.receivers[copied]
    each = np.broadcast_to(sizes[:, None], receivers.shape)[receivers != NONE]
    received = np.bincount(receivers[receivers != NONE], weights=each, minlength=brokers)
    return float(max(sent.max(initial=0.0), received.max(initial=0.0))), True
