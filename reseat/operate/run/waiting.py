"""Waiting for a cluster that does not answer: said while it lasts, and left where nothing is to be waited for.

A run whose connection is in trouble is not over by that: what it has sent goes on at Kafka. So the cluster is asked
again, also where it does not let the user in; the runner gives that up after a while, which does not end the run. Two
things end the waiting at once: the process is told to end, and a stop while nothing is under way.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from reseat.errors import ClusterUnreachable
from reseat.operate.run import sentences
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.pace import Pace

__all__ = ["Barred", "Interrupted", "NothingUnderWay", "Patiently", "Waiting"]

_Answer = TypeVar("_Answer")

#: Troubles that a person has to mend, or that pass with a directory that is restarted.
_LASTING = frozenset({
    "authentication", "authorization", "chroot", "configuration", "not_kafka", "not_zookeeper", "tls", "version",
})  # fmt: skip
#: Between two tries where the cluster does not let the user in, at most.
_RARELY = 60.0


class Interrupted(Exception):
    """The process is told to end; the run stays as it is."""


class NothingUnderWay(Exception):
    """The cluster does not answer, nothing further is to be sent, and nothing that was sent is under way."""


class Patiently(Protocol):
    """Calls until the cluster answers."""

    def __call__(self, call: Callable[[], _Answer], /) -> _Answer:
        """What the call returns in the end."""


class Barred:
    """How often and how long a cluster is asked again that does not let the user in.

    Args:
        pace: for how long.
    """

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._since: float | None = None
        self._again_at = 0.0
        self._seconds = pace.retry_seconds

    @property
    def waits(self) -> bool:
        """Whether it is too early to ask again."""
        return self._since is not None and self._pace.now() < self._again_at

    def again(self, error: ClusterUnreachable, *, give_up: bool = True) -> float:
        """Seconds until it is asked again.

        Raises:
            ClusterUnreachable: the error, where it has lasted long enough and may be given up.
        """
        now = self._pace.now()
        self._since = now if self._since is None else self._since
        if give_up and now - self._since >= self._pace.barred_seconds:
            raise error
        seconds, self._seconds = self._seconds, min(2 * self._seconds, _RARELY)
        self._again_at = now + seconds
        return seconds

    @staticmethod
    def is_meant(error: ClusterUnreachable) -> bool:
        """Whether an error says that the user is not let in, or that the cluster is not what it should be."""
        return error.reason in _LASTING


class Waiting:
    """Waits for the cluster of one run.

    Args:
        ledger: the run, which says what it waits for.
        pace: how long between two tries.
        heed: called between two tries: what a person asked for meanwhile.
        interrupt: set where the process is told to end.
    """

    def __init__(self, ledger: Ledger, pace: Pace, heed: Callable[[], None], interrupt: threading.Event) -> None:
        self.pace = pace
        self._ledger = ledger
        self._heed = heed
        self._interrupt = interrupt

    def patiently(self, call: Callable[[], _Answer]) -> _Answer:
        """Call until the cluster answers; say meanwhile that it does not.

        Raises:
            Interrupted: the process is told to end.
            NothingUnderWay: nothing is to be waited for.
            ClusterUnreachable: it has not let the user in for too long.
        """
        since, seconds, barred = self.pace.clock(), self.pace.poll_seconds, Barred(self.pace)
        while True:
            self.refuse_to_go_on()
            try:
                return call()
            except ClusterUnreachable as error:
                lasting = Barred.is_meant(error)
                pause = barred.again(error) if lasting else seconds
                does_not = "has denied this run access" if lasting else "has not answered"
                self._ledger.say(f"The cluster {does_not} since {sentences.clock(since)}; trying again. {error}")
                self._heed()
                if self._ledger.stopping and not self._ledger.rows("sent"):
                    raise NothingUnderWay from error
                self.wait(pause)
                seconds = min(seconds * 2, self.pace.retry_seconds)

    def wait(self, seconds: float) -> None:
        """Wait, unless the process is told to end.

        Raises:
            Interrupted: it is.
        """
        self.refuse_to_go_on()
        self.pace.wait(seconds)
        self.refuse_to_go_on()

    def refuse_to_go_on(self) -> None:
        """Go on only where the process is not told to end.

        Raises:
            Interrupted: it is.
        """
        if self._interrupt.is_set():
            raise Interrupted
