"""Sockets on kafka-python's event loop: bounded, and with the real errors.

A name is resolved on a thread of its own, the whole way to an open connection has one deadline, what failed is closed,
and the exception that made it fail is what is raised.
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
from kafka.net.selector import NetworkSelector

__all__ = ["connected_socket", "end_handshake"]

_PENDING = (errno.EINPROGRESS, errno.EALREADY, errno.EWOULDBLOCK)


async def connected_socket(net: NetworkSelector, host: str, port: int, options: Any, deadline: float) -> socket.socket:
    """A connected socket, each address of the name tried within its share of the time left.

    Raises:
        OSError: what went wrong with the last address, or with the name.
    """
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


async def end_handshake(net: NetworkSelector, sock: ssl.SSLSocket, deadline: float) -> None:
    """Bring the TLS handshake of a connected socket to its end.

    Raises:
        OSError: it failed (``ssl.SSLError``), or the deadline is over.
    """
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
