"""The check of the throttle: that it is a rate, and how long copying takes with it at least."""

from __future__ import annotations

import numpy as np

from reseat.model import NONE
from reseat.model.wording import counted, listed
from reseat.operate.checks import Check, Verdict
from reseat.operate.checks_size import throttled_as_wholes
from reseat.operate.touched import Touched
from reseat.planning.schedule import work_of

__all__ = ["throttle_suits"]

#: A plan that is to take longer than a week is more likely bytes taken for megabytes than meant.
_LONGEST_DAYS = 7
_DAY = 86_400.0
#: Kafka's settings are 64-bit numbers.
_LARGEST = 2**63 - 1


def throttle_suits(touched: Touched) -> Check:
    """21. The throttle is at least one byte a second, and copying takes no longer than a week with it.

    The least time is that of the broker with the most to send or to receive; KIP-73 limits each way by itself. What is
    written to a partition while it is copied comes through the same throttle, which no single reading can tell.
    """
    name, rate = "throttle_suits", touched.request.throttle
    if rate is None:
        return Check(name, Verdict.PASSED, "No throttle: copying takes what network and disks give.")
    if not 1 <= rate <= _LARGEST:
        return Check(
            name, Verdict.FAILED, f"A throttle of {rate:,} bytes a second is none: a whole number from 1 is expected."
        )
    busiest, told = _busiest(touched)
    wholes = throttled_as_wholes(touched)
    listed_whole = (
        f" Of {counted(len(wholes), 'topic')} all replicas are throttled, since the list of those that copy is longer "
        f"than Kafka takes, so that their ordinary replication counts towards the rate: {listed(wholes)}."
        if wholes
        else ""
    )
    never = "It never ends where more than that is written to what is copied"
    if not told:
        return Check(
            name,
            Verdict.NOT_TOLD,
            f"How long copying takes with {rate:,} bytes a second at each broker is unknown, since sizes are not. "
            f"{never}: then go on with the run with another throttle.{listed_whole}",
        )
    seconds = busiest / rate
    least = f"With {rate:,} bytes a second at each broker copying takes {_long(seconds)} at least."
    if seconds > _LONGEST_DAYS * _DAY:
        return Check(
            name, Verdict.FAILED, f"{least} {never}. Is the throttle in bytes?{listed_whole}", overridable=True
        )
    return Check(name, Verdict.PASSED, f"{least} {never}.{listed_whole}")


def _busiest(touched: Touched) -> tuple[float, bool]:
    """The most bytes that one broker sends or receives; whether the size of everything that is copied is told."""
    work = work_of(touched.now, touched.after)
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


def _long(seconds: float) -> str:
    for most, unit, name in ((90.0, 1.0, "s"), (5_400.0, 60.0, "min"), (2 * _DAY, 3_600.0, "h")):
        if seconds < most:
            return f"{seconds / unit:,.0f} {name}"
    return f"{seconds / _DAY:,.0f} days"
