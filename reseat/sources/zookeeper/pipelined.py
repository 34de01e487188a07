"""Asks many questions at once, and takes the answers in order.

What it promises, in this order: a person who stops it waits a fifth of a second; a lost connection ends it at once,
a silent server after the connection's patience; what is in flight stays bounded in number and in bytes.

How it works: ZooKeeper answers one session's requests in their order, so the questions in flight are a queue. It
starts with few and doubles while answers are small, to thousands: a node may hold a megabyte, and a thousand of those
in flight would be a gigabyte of somebody else's making.

With each answer comes its *floor*: the newest zxid known when the question was sent. ZooKeeper answers a session from
states that only move forward, so the answer was true at a state no older than its floor; ``consistency`` builds on it.

Complexity: O(questions) time, O(window) memory. Source: ZooKeeper Programmer's Guide, consistency guarantees (single
system image, FIFO client order).
"""

from __future__ import annotations

import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from kazoo.exceptions import (
    AuthFailedError,
    ConnectionClosedError,
    ConnectionLoss,
    NoNodeError,
    SessionExpiredError,
    ZookeeperError,
)

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.zookeeper.read_only import AsyncResult, ReadOnlyZooKeeper

__all__ = ["NodeResult", "Pipeline"]

_Item = TypeVar("_Item")

#: What came of one question: what was asked for, None where there is no such node, or the error that stands for it.
NodeResult = object

#: Questions in flight: at first, and at most. More than the latter was measured not to be quicker.
_FIRST_WINDOW, _WINDOW = 64, 2_048
#: Bytes of node data in flight, estimated from the answers so far.
_BYTES_IN_FLIGHT = 64_000_000
#: How long one wait lasts before it is looked whether somebody wants to stop.
_GLANCE_SECONDS = 0.1
#: Errors that end a session, and with it the reading.
_LOST = (ConnectionLoss, ConnectionClosedError, SessionExpiredError)
#: Answers that cannot be used, though the session goes on: no permission, a path that kazoo refuses, a name that is
#: not UTF-8, a reply cut short.
_UNUSABLE = (ZookeeperError, ValueError, struct.error)


class Pipeline:
    """Questions to one ZooKeeper, many in flight.

    Args:
        zookeeper: whom to ask.
        server: how the person calls it, for errors.
        patience: seconds to wait for the next answer.
        cancelled: set by another thread to stop.
    """

    def __init__(
        self, zookeeper: ReadOnlyZooKeeper, *, server: str, patience: float, cancelled: threading.Event | None = None
    ) -> None:
        self._zookeeper = zookeeper
        self._server = server
        self._patience = patience
        self._cancelled = cancelled

    @property
    def last_zxid(self) -> int:
        """The newest zxid that an answer told."""
        return self._zookeeper.last_zxid

    def sync(self) -> int:
        """Let the server catch up with its leader; returns the zxid before whatever is asked next."""
        # Also a server whose leader cannot be asked has a state that is true at one moment; it may be an old one.
        self._settled(self._zookeeper.sync("/"))
        return self._zookeeper.last_zxid

    def get(self, items: Iterable[tuple[str, _Item]]) -> Iterator[tuple[str, _Item, int, NodeResult]]:
        """Ask for nodes' data; yields (path, item, floor, (data, Stat) or None or error) in order."""
        return self._each(self._zookeeper.get, items)

    def children(self, items: Iterable[tuple[str, _Item]]) -> Iterator[tuple[str, _Item, int, NodeResult]]:
        """Ask for nodes' children; yields (path, item, floor, (names, Stat) or None or error) in order."""
        return self._each(self._zookeeper.children, items)

    def exists(self, items: Iterable[tuple[str, _Item]]) -> Iterator[tuple[str, _Item, int, NodeResult]]:
        """Ask for nodes' Stats; yields (path, item, floor, Stat or None or error) in order."""
        return self._each(self._zookeeper.exists, items)

    def _each(
        self, ask: Callable[[str], AsyncResult], items: Iterable[tuple[str, _Item]]
    ) -> Iterator[tuple[str, _Item, int, NodeResult]]:
        waiting: deque[tuple[str, _Item, int, AsyncResult]] = deque()
        zookeeper, window, answered, received = self._zookeeper, _FIRST_WINDOW, 0, 0
        for path, item in items:
            waiting.append((path, item, zookeeper.last_zxid, self._asked(ask, path)))
            if len(waiting) < window:
                continue
            # Half of them at a time, so that this thread and kazoo's take turns seldom.
            for _ in range(window // 2):
                asked, of, floor, answer = waiting.popleft()
                told = self._settled(answer)
                answered += 1
                if isinstance(told, tuple) and isinstance(told[0], bytes):
                    received += len(told[0])
                yield asked, of, floor, told
            room = _BYTES_IN_FLIGHT * answered // max(received, 1)
            window = max(2, min(2 * window, _WINDOW, room))
        while waiting:
            asked, of, floor, answer = waiting.popleft()
            yield asked, of, floor, self._settled(answer)

    def _asked(self, ask: Callable[[str], AsyncResult], path: str) -> AsyncResult:
        try:
            return ask(path)
        except ValueError as error:  # kazoo refuses "." and ".." in a path, which no node has either
            return _Refused(error)

    def _settled(self, answer: AsyncResult) -> NodeResult:
        """What came of a question.

        Raises:
            ClusterUnreachable: the connection was lost, or the server is silent.
            Cancelled: somebody wants to stop.
        """
        if self._cancelled is not None and self._cancelled.is_set():
            raise Cancelled("The reading was stopped.")
        if not answer.ready():
            self._await(answer)
        error = answer.exception
        if error is None:
            return answer.value
        if isinstance(error, NoNodeError):
            return None
        if isinstance(error, AuthFailedError):
            raise ClusterUnreachable(
                f"ZooKeeper at {self._server} no longer accepts this connection's credentials.",
                "authentication",
                self._server,
            ) from None
        if isinstance(error, _UNUSABLE) and not isinstance(error, _LOST):
            return error
        raise self._lost() from None

    def _lost(self) -> ClusterUnreachable:
        return ClusterUnreachable(
            f"The connection to ZooKeeper at {self._server} was lost while it was read. Read again.",
            "lost",
            self._server,
        )

    def _await(self, answer: AsyncResult) -> None:
        until = time.monotonic() + self._patience
        while not answer.wait(_GLANCE_SECONDS):
            if self._cancelled is not None and self._cancelled.is_set():
                raise Cancelled("The reading was stopped.")
            # What was in flight when the connection was lost is refused by kazoo; what is asked after that waits in
            # its queue for the next connection, which may never be.
            if not self._zookeeper.connected:
                raise self._lost()
            if time.monotonic() > until:
                raise ClusterUnreachable(
                    f"ZooKeeper at {self._server} has not answered for {self._patience:g} s. Is it overloaded or "
                    "hanging? Read again.",
                    "lost",
                    self._server,
                )


class _Refused:
    """An answer to a question that was never sent."""

    def __init__(self, error: ValueError) -> None:
        self.value: object = None
        self.exception: BaseException | None = error

    def ready(self) -> bool:
        return True

    def wait(self, timeout: float | None = None) -> bool:
        return timeout is None or True
