"""The requests of a reading: in flight within bounds, progress told, and a stop that is heeded at once."""

from __future__ import annotations

import concurrent.futures
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.kafka_admin.client import AdminClient, PendingAnswer, outcome
from reseat.sources.progress import ReadingProgress, Report

__all__ = ["BATCHES_AT_ONCE", "BROKERS_AT_ONCE", "RequestBatch"]

_Key = TypeVar("_Key")
#: How long a set ``cancelled`` may go unseen while answers are awaited.
_LOOK_SECONDS = 0.1


#: Requests in flight at once: bounds what the cluster is asked to do for us, and what memory answers take.
BROKERS_AT_ONCE, BATCHES_AT_ONCE = 64, 8


class RequestBatch:
    """Sends the requests of a reading, tells how far it is, and stops it between requests.

    Args:
        report: called with each step, or None.
        cancelled: set by another thread to stop, or None.
    """

    def __init__(self, report: Report | None, cancelled: threading.Event | None) -> None:
        self._report = report
        self._cancelled = cancelled or threading.Event()

    def tell(self, step: str, done: int = 0, total: int | None = None) -> None:
        """Report a step.

        Raises:
            Cancelled: the person stopped the reading.
        """
        self.check()
        if self._report is not None:
            self._report(ReadingProgress(step, done, total))

    def check(self) -> None:
        """Stop here where the person said so.

        Raises:
            Cancelled: the person stopped the reading.
        """
        if self._cancelled.is_set():
            raise Cancelled("The reading was stopped.")

    def wait(self, admin: AdminClient, answer: PendingAnswer) -> Any:
        """The result of one answer.

        Raises:
            ClusterUnreachable: as the answer says.
            Cancelled: the person stopped the reading meanwhile.
        """
        for _, told in self.each(admin, "", [(None, lambda: answer)], 1):
            if isinstance(told, ClusterUnreachable):
                raise told
            return told
        raise AssertionError("one answer was asked for")

    def each(
        self, admin: AdminClient, step: str, requests: Iterable[tuple[_Key, Callable[[], PendingAnswer]]], at_once: int
    ) -> Iterator[tuple[_Key, Any]]:
        """Send requests, so many at once, and give each outcome as it comes: a response or ``ClusterUnreachable``.

        Args:
            admin: whose patience bounds each wait.
            step: what is reported, with how many are done; "" reports nothing.
            requests: a key and what sends the request.
            at_once: how many are in flight.

        Raises:
            Cancelled: the person stopped the reading.
        """
        left = list(reversed(list(requests)))
        total, done = len(left), 0
        under_way: dict[PendingAnswer, tuple[_Key, float]] = {}
        while left or under_way:
            self.check()
            while left and len(under_way) < at_once:
                key, send = left.pop()
                under_way[send()] = (key, time.monotonic() + admin.patience)
            concurrent.futures.wait(under_way, _LOOK_SECONDS, concurrent.futures.FIRST_COMPLETED)
            now = time.monotonic()
            for answer in [a for a, (_, until) in under_way.items() if a.done() or now > until]:
                key, _ = under_way.pop(answer)
                done += 1
                if step:
                    self.tell(step, done, total)
                yield key, _outcome(admin, answer)


def _outcome(admin: AdminClient, answer: PendingAnswer) -> Any:
    if not answer.done():
        return ClusterUnreachable("The cluster did not answer in time.", "timeout")
    return outcome(admin, answer, 0.0)
