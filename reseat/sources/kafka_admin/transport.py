"""kafka-python's connection manager with this project's way of opening sockets: bounded, and with the real errors.

kafka-python 3.0.12 resolves names on the thread that drives every connection, gives a TLS handshake no time limit, and
turns the exceptions of sockets and TLS into text. Here a name is resolved on a thread of its own, the whole way to an
open connection has one deadline, what failed is closed, the exception that made it fail is what is raised, and a
broker's last words are heard.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
import threading
import time
from typing import Any

from kafka.errors import KafkaTimeoutError
from kafka.future import Future
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

__all__ = ["BoundedManager"]

_PENDING = (errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK)
_CONNECT_SECONDS = 30.0


class _HearsLastWords:
    """Takes what came before the end of a connection, which kafka-python drops where both are read at once.

    A broker that refuses a password says so and closes: without this its words would be lost half of the time.
    """

    def _sock_recv(self) -> tuple[bytes, Exception | None]:
        received, error = super()._sock_recv()  # type: ignore[misc]
        return (received, None) if received else (received, error)  # the end is read again, by itself


class _PlainTransport(_HearsLastWords, KafkaTCPTransport):
    pass


class _TlsTransport(_HearsLastWords, KafkaSSLTransport):
    pass


#: As factories without types: kafka-python's constructors have none.
_PLAIN: Any = _PlainTransport
_TLS: Any = _TlsTransport


class BoundedManager(KafkaConnectionManager):
    """Opens connections within a deadline and raises what really went wrong."""

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        deadline = time.monotonic() + _CONNECT_SECONDS if timeout_at is None else timeout_at
        plain: Any = await _opened(self._net, node.host, node.port, self.config["socket_options"], deadline)
        try:
            if not self.ssl_enabled:
                return _PLAIN(self._net, plain, host=node.host)
            transport = _TLS(self._net, plain, host=node.host, ssl_context=self.config["ssl_context"])
            plain = transport._sock  # wrapping took the file descriptor over
            await _handshake(self._net, plain, deadline)
        except BaseException:  # also where the reading was given up: the coroutine is closed at this very point
            plain.close()
            raise
        return transport


async def _opened(net: NetworkSelector, host: str, port: int, options: Any, deadline: float) -> socket.socket:
    """A connected socket, each address of the name tried within its share of the time left."""
    answer = _resolved(net, host, port)
    timer = net.call_at(deadline, lambda: _settle(answer, TimeoutError(errno.ETIMEDOUT, "no answer from the DNS")))
    try:
        addresses = await answer
    finally:
        net.cancel(timer)
    failure: OSError = socket.gaierror(socket.EAI_NONAME, "no address")
    for position, (family, kind, protocol, _, address) in enumerate(addresses):
        share = (deadline - time.monotonic()) / (len(addresses) - position)
        try:
            return await _connected(net, (family, kind, protocol), address, options, time.monotonic() + share)
        except OSError as error:
            failure = error
    raise failure


async def _connected(
    net: NetworkSelector, kind: tuple[int, int, int], address: Any, options: Any, deadline: float
) -> socket.socket:
    sock = socket.socket(*kind)
    try:
        sock.setblocking(False)
        for option in options:
            sock.setsockopt(*option)
        told = sock.connect_ex(address)
        if told in _PENDING:
            await _io(net.wait_write(sock, timeout_at=deadline))
            told = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if told not in (0, errno.EISCONN):
            raise OSError(told, os.strerror(told))
    except BaseException:
        sock.close()
        raise
    return sock


async def _handshake(net: NetworkSelector, sock: ssl.SSLSocket, deadline: float) -> None:
    while True:
        try:
            sock.do_handshake()
        except ssl.SSLWantReadError:
            await _io(net.wait_read(sock, timeout_at=deadline))
        except ssl.SSLWantWriteError:
            await _io(net.wait_write(sock, timeout_at=deadline))
        else:
            return


async def _io(waiting: Any) -> None:
    try:
        await waiting
    except KafkaTimeoutError:
        raise TimeoutError(errno.ETIMEDOUT, "timed out") from None


def _resolved(net: NetworkSelector, host: str, port: int) -> Future:
    """The addresses of a name, resolved on a thread of its own: a slow DNS must not stop the other connections."""
    answer = Future()

    def resolve() -> None:
        outcome: Any
        try:
            found = socket.getaddrinfo(host, port, socket.AF_UNSPEC, socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            outcome = error if isinstance(error, OSError) else socket.gaierror(socket.EAI_NONAME, "not a host name")
        else:
            outcome = found
        try:
            net.call_soon_threadsafe(lambda: _settle(answer, outcome))
        except (RuntimeError, OSError):
            return  # the client was closed meanwhile: nobody waits for the answer

    threading.Thread(target=resolve, name="reseat-resolve", daemon=True).start()
    return answer


def _settle(answer: Any, outcome: Any) -> None:
    """Give the outcome unless one was given; only on the thread that drives the connections."""
    if not answer.is_done:
        (answer.failure if isinstance(outcome, OSError) else answer.success)(outcome)
