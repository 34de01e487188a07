"""What kazoo is given to run on: connections that remember why they failed, a quick select, a log without secrets.

kazoo tells a caller only that it could not connect in time; the reason stays in its log. Its connections are made by
a handler that may be given, so this one keeps each attempt with its error. It also makes the TLS context (kazoo's own
adds the system's authorities to those that were named), asks the kernel for readiness with ``poll`` on descriptors
that it already knows, where kazoo makes and closes a selector for every request and every answer, and wakes kazoo's
thread by a count in place of a byte a request, which would block its caller for ever once a connection is lost.
"""

from __future__ import annotations

import logging
import select
import socket
import ssl
import threading
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.serialization import SASL, Auth, Connect

from reseat.sources.addresses import server_at

__all__ = ["Attempt", "AttentiveHandler", "QuietLog"]

#: Requests that carry a secret: a password, an answer to a challenge, the password of a session.
_SECRET = (Auth, SASL, Connect)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to connect.

    Attributes:
        server: ``host:port``.
        error: what went wrong below ZooKeeper's protocol, None where the connection was made.
    """

    server: str
    error: OSError | None


class AttentiveHandler(SequentialThreadingHandler):
    """kazoo's threads, with connections that are remembered.

    Args:
        context: for TLS, None without.
        seconds: the longest that one attempt may take.

    Attributes:
        attempts: every attempt so far, in order.
    """

    def __init__(self, context: ssl.SSLContext | None, seconds: float) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.attempts: list[Attempt] = []
        self._context = context
        self._seconds = seconds
        self._polls = threading.local()

    def create_connection(
        self, address: tuple[str, int], hostname: str | None = None, **_options: object
    ) -> socket.socket:
        """Connect to an address; ``hostname`` is what its certificate must name."""
        host, port = address
        server = server_at(hostname or host, port)
        try:
            made = socket.create_connection((host, port), self._seconds)
            try:
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self._context is not None:
                    made = self._context.wrap_socket(made, server_hostname=hostname or host)
            except BaseException:
                made.close()
                raise
        except OSError as error:
            self.attempts.append(Attempt(server, error))
            raise
        self.attempts.append(Attempt(server, None))
        return made

    def create_socket_pair(self) -> tuple[_BellReader, _BellWriter]:
        """What kazoo's callers wake its thread with: one that never blocks the caller."""
        bell = _Bell()
        return _BellReader(bell), _BellWriter(bell)

    def select(
        self, rlist: Sequence[Any], wlist: Sequence[Any], xlist: Sequence[Any], timeout: float | None = None
    ) -> tuple[list[Any], list[Any], list[Any]]:
        """Wait until a socket can be read or written.

        A poll object holds nothing but numbers, so one made for these descriptors serves for as long as they do.
        """
        if not hasattr(select, "poll"):
            ready: tuple[list[Any], list[Any], list[Any]] = super().select(  # type: ignore[no-untyped-call]
                rlist, wlist, xlist, timeout
            )
            return ready
        readers, writers = {s.fileno(): s for s in rlist}, {s.fileno(): s for s in wlist}
        if -1 in readers or -1 in writers:
            raise ValueError("A socket is closed.")
        key = (tuple(readers), tuple(writers))
        if not hasattr(self._polls, "by_descriptors"):
            self._polls.by_descriptors = {}
        polls: dict[object, select.poll] = self._polls.by_descriptors
        poll = polls.get(key)
        if poll is None:
            poll = polls[key] = select.poll()
            for descriptor in readers:
                poll.register(descriptor, select.POLLIN | (select.POLLOUT if descriptor in writers else 0))
            for descriptor in writers:
                if descriptor not in readers:
                    poll.register(descriptor, select.POLLOUT)
        events = poll.poll(None if timeout is None else max(0, int(timeout * 1000)))
        broken = select.POLLHUP | select.POLLERR | select.POLLNVAL  # the read or write itself then tells what it is
        return (
            [readers[fd] for fd, event in events if fd in readers and event & (select.POLLIN | broken)],
            [writers[fd] for fd, event in events if fd in writers and event & (select.POLLOUT | broken)],
            [],
        )


class _Bell:
    """Counts calls of one thread on another; the socket beneath holds one byte while there is any.

    kazoo sends a byte for every request. Where its thread does not read them, as while a connection is lost, the
    socket is full after a few hundred and the next request blocks its caller for ever. A count is never full.
    """

    def __init__(self) -> None:
        self.reader, self.writer = socket.socketpair()
        self._lock = threading.Lock()
        self._calls = 0

    def ring(self) -> None:
        with self._lock:
            self._calls += 1
            if self._calls == 1:
                self.writer.send(b"\0")

    def heard(self) -> None:
        with self._lock:
            if not self._calls:
                raise BlockingIOError("Nobody has called.")
            self._calls -= 1
            if not self._calls:
                self.reader.recv(1)


class _BellReader:
    """The end that kazoo's thread waits at."""

    def __init__(self, bell: _Bell) -> None:
        self._bell = bell

    def fileno(self) -> int:
        return self._bell.reader.fileno()

    def recv(self, _size: int) -> bytes:
        self._bell.heard()
        return b"\0"

    def close(self) -> None:
        self._bell.reader.close()


class _BellWriter:
    """The end that callers ring at."""

    def __init__(self, bell: _Bell) -> None:
        self._bell = bell

    def send(self, data: bytes) -> int:
        self._bell.ring()
        return len(data)

    def close(self) -> None:
        self._bell.writer.close()


class QuietLog(logging.LoggerAdapter[logging.Logger]):
    """A log for kazoo in which no secret ever stands, however verbose logging is set.

    kazoo logs every request at DEBUG, ``Auth`` with its password included, and the session's password below that.
    """

    def isEnabledFor(self, level: int) -> bool:  # noqa: N802  # the name is logging's
        """Nothing below INFO is: there kazoo logs requests."""
        return level >= logging.INFO and super().isEnabledFor(level)

    def log(self, level: int, msg: object, *args: object, **kwargs: Any) -> None:
        """Log, unless a request that carries a secret would be shown."""
        if not any(isinstance(arg, _SECRET) for arg in args):
            super().log(level, msg, *args, **kwargs)

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Leave the message as it is."""
        return msg, kwargs
