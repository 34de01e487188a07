"""Pages are drawn one at a time, in the order in which they were asked for.

Python lets one thread go on at a time. Where ten pages are drawn at once, each step of an answer to "are you alive?"
waits for turns of all ten, and every page is ready as late as the last. One after the other they take a little less
processor time, and most are ready sooner. A page that takes long (it waits for a cluster, or for what is computed
beside the server) soon counts no more, and nobody waits long for their turn.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["PAGES", "Turns"]


class Turns:
    """Who may go on; shared between threads.

    Args:
        counts: seconds after which whoever is at it counts no more: the next one begins beside it.
        patience: seconds after which one that waits begins, whoever is before it.

    Attributes:
        taken: how many are at it.
        waiting: those whose turn has not come, in order.
    """

    def __init__(self, counts: float, patience: float) -> None:
        self._counts, self._patience = counts, patience
        self._lock = threading.Lock()
        self.waiting: deque[threading.Condition] = deque()
        self._last: threading.Condition | None = None
        self._over = 0.0
        self.taken = 0

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn; it is over with the block."""
        mine = threading.Condition(self._lock)
        with self._lock:
            until = time.monotonic() + self._patience
            self.waiting.append(mine)
            while (left := min(until, self._begins(mine)) - time.monotonic()) > 0:
                mine.wait(left)
            self.waiting.remove(mine)
            self._last, self._over = mine, time.monotonic() + self._counts
            self.taken += 1
            self._tell()
        try:
            yield
        finally:
            with self._lock:
                self.taken -= 1
                if self._last is mine:
                    self._over = 0.0
                    self._tell()

    def _begins(self, one: threading.Condition) -> float:
        return self._over if self.waiting[0] is one else float("inf")

    def _tell(self) -> None:
        if self.waiting:
            self.waiting[0].notify()


#: Most pages of 20,000 partitions take 0.1 s; those of a million take 0.5 s, and nobody waits for that.
PAGES = Turns(counts=0.1, patience=0.3)
