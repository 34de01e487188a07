"""How patient a runner is: between two looks, before it doubts, before it tries again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

__all__ = ["Pace"]


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)


def _clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient the executor is. Tests bring a clock of their own.

    Attributes:
        poll_seconds: between two looks at the cluster, while something changes.
        grace_seconds: how long a partition must stand as nobody asked for before it counts as somebody's doing.
        again_seconds: how long one whose sending is not known to have arrived must stand as before, until it is sent
            again.
        stalled_seconds: without any change before a run is called stalled.
        retry_seconds: between two tries to reach the cluster, at most.
        barred_seconds: for how long a cluster is asked again that does not let this user in: its directory may be
            restarting. The tries become rare, since a wrong password tried often locks the user out.
        health_seconds: between two readings of the whole cluster, at least.
        wait: waits so many seconds, or until the process is told to end.
        now: seconds of a clock that only goes forward.
        clock: the time of day, with a time zone: what windows, and sentences that say since when, are told by.
    """

    poll_seconds: float = 0.25
    grace_seconds: float = 15.0
    again_seconds: float = 3.0
    stalled_seconds: float = 60.0
    retry_seconds: float = 5.0
    barred_seconds: float = 600.0
    health_seconds: float = 10.0
    wait: Callable[[float], object] = _pause
    now: Callable[[], float] = time.monotonic
    clock: Callable[[], datetime] = _clock
