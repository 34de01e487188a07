"""How long something is tried again, and how often: one small value, so that a test needs no real time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

__all__ = ["Patience"]


@dataclass(frozen=True, slots=True)
class Patience:
    """Attempts within a bounded time, with pauses that grow.

    Attributes:
        seconds: no attempt begins later than this after the first one.
        pause: seconds before the second attempt; each pause is half as long again as the one before.
        longest: no pause is longer.
        clock: seconds that only grow.
        wait: lets that many seconds pass.
    """

    seconds: float
    pause: float = 0.1
    longest: float = 1.0
    clock: Callable[[], float] = time.monotonic
    wait: Callable[[float], None] = time.sleep

    def attempts(self) -> Iterator[int]:
        """0, 1, 2, ... with a pause before each but the first, until the time is over; at least one."""
        until = self.clock() + self.seconds
        attempt, pause = 0, self.pause
        yield attempt
        while self.clock() + pause <= until:
            self.wait(pause)
            pause = min(self.longest, pause * 1.5)
            attempt += 1
            yield attempt
