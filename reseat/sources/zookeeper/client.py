"""Opens connections to ZooKeeper, and says in words why one could not be opened.

What it promises, in this order: no secret in a log, an exception or a repr; an error names what is wrong and what to
do; a server that refuses, a name that does not exist or a certificate that is not trusted is told at once, not when
the time is over.

How it works: kazoo connects in a thread of its own and retries for ever. This waits beside it and looks at the
attempts that its handler keeps: once each server was tried and none let us in, the most telling attempt becomes the
error. A connection that was made and then dropped tells nothing by itself; ZooKeeper's ``srvr`` command then tells a
server without quorum from one that is no ZooKeeper.
"""

from __future__ import annotations

import logging
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import AuthFailedError, KazooException
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.hosts import collect_hosts
from kazoo.protocol.states import KeeperState
from kazoo.retry import KazooRetry

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.handler import AttentiveHandler, QuietLog
from reseat.sources.zookeeper.read_only import ReadingClient
from reseat.sources.zookeeper.refusals import named, not_authenticated, not_let_in, unreachable

__all__ = ["close_client", "open_client", "open_reading_client"]

_Client = TypeVar("_Client", bound=KazooClient)
#: How often the state of a connection that is being made is looked at.
_GLANCE_SECONDS = 0.02
#: The least that one attempt may take, however many addresses share the patience.
_BRIEFEST = 1.0
#: Attempts an address before it counts as one that will not have us: a server that just restarts drops the first.
_ATTEMPTS = 2
#: How long a session is closed in good order; beyond, its thread is left to end by itself.
_CLOSING_SECONDS = 1.0
#: ZooKeeper grants sessions of 2 to 20 ticks, 4 to 40 s by default.
_SESSION_SECONDS = (4.0, 30.0)
#: States in which kazoo has given up. It tries again after everything but a refusal of who we are.
_ENDED = (KeeperState.AUTH_FAILED, KeeperState.CLOSED)
_LOG = QuietLog(logging.getLogger("reseat.zookeeper"), {})


def open_client(
    connection: Connection, *, hosts: tuple[str, ...] | None = None, cancelled: threading.Event | None = None
) -> KazooClient:
    """Open a client that may write: for the operator alone. Reading has ``open_reading_client``.

    Args:
        connection: servers, chroot, security and patience.
        hosts: servers to use in place of the connection's.
        cancelled: set by another thread to stop.

    Returns:
        A started client below the chroot; end it with ``close_client``.

    Raises:
        ClusterUnreachable: it cannot be opened; the sentence says why.
        Cancelled: ``cancelled`` was set.
    """
    return _open(KazooClient, connection, hosts, cancelled)


def open_reading_client(
    connection: Connection, *, hosts: tuple[str, ...] | None = None, cancelled: threading.Event | None = None
) -> ReadingClient:
    """Open a client that refuses to write. Arguments and errors as those of ``open_client``."""
    return _open(ReadingClient, connection, hosts, cancelled)


def close_client(client: KazooClient) -> None:
    """End a client's session and threads, within about a second also where the server no longer answers."""

    def end() -> None:
        # kazoo waits here for the server; where that is gone it says so, and nothing is left to do.
        with suppress(KazooException, KazooTimeoutError, OSError):
            client.stop()
            client.close()

    closing = threading.Thread(target=end, name="close ZooKeeper session", daemon=True)
    closing.start()
    closing.join(_CLOSING_SECONDS)


def _open(
    make: Callable[..., _Client],
    connection: Connection,
    hosts: tuple[str, ...] | None,
    cancelled: threading.Event | None,
) -> _Client:
    servers = hosts or connection.zookeeper
    addresses = _addresses(servers, connection.chroot)
    # kazoo tries one address after the other: one that is silent must leave time for the others.
    handler = AttentiveHandler(_tls_context(connection), max(_BRIEFEST, connection.timeout_seconds / addresses))
    shortest, longest = _SESSION_SECONDS
    client = make(
        hosts=",".join(servers) + connection.chroot.rstrip("/"),
        timeout=min(max(connection.timeout_seconds, shortest), longest),
        handler=handler,
        auth_data=_digest(connection),
        sasl_options=_sasl(connection),
        logger=_LOG,
        connection_retry=KazooRetry(max_tries=-1, delay=0.1, backoff=2, max_delay=2.0, sleep_func=handler.sleep_func),
        command_retry=KazooRetry(max_tries=1, sleep_func=handler.sleep_func),
    )
    try:
        client.start_async()  # type: ignore[no-untyped-call]
        opening = _Opening(client, handler, connection, (servers, addresses), cancelled)
        opening.await_session()
        opening.find_chroot()
    except BaseException:
        close_client(client)
        raise
    return client


class _Opening:
    """A connection that is being made."""

    def __init__(
        self,
        client: KazooClient,
        handler: AttentiveHandler,
        connection: Connection,
        servers: tuple[tuple[str, ...], int],
        cancelled: threading.Event | None,
    ) -> None:
        self._client = client
        self._handler = handler
        self._connection = connection
        self._servers, self._addresses = servers
        self._cancelled = cancelled
        self._until = time.monotonic() + connection.timeout_seconds

    def await_session(self) -> None:
        """Wait until ZooKeeper has let us in.

        Raises:
            ClusterUnreachable: it has not.
            Cancelled: ``cancelled`` was set.
        """
        client, servers, connection = self._client, self._servers, self._connection
        glance = threading.Event()
        while not client.connected:
            late = self._late()
            attempts = tuple(self._handler.attempts)
            failed = [attempt for attempt in attempts if attempt.error is not None]
            made = [attempt for attempt in attempts if attempt.error is None]
            if made and client.client_state in _ENDED:
                raise not_authenticated(connection, servers)
            if len(made) > _ATTEMPTS * self._addresses:
                raise not_let_in(made[-1].server, connection)
            if made and late:
                raise ClusterUnreachable(
                    f"{made[-1].server} accepts connections but has sent nothing for {connection.timeout_seconds:g} s. "
                    "Is ZooKeeper hanging there, or is it something else?",
                    "timeout",
                    made[-1].server,
                )
            if late or (not made and len(failed) >= self._addresses):
                raise unreachable(failed, servers, connection)
            glance.wait(_GLANCE_SECONDS)

    def find_chroot(self) -> None:
        """Ask the first question, which waits for authentication too, and see whether the chroot is there.

        Raises:
            ClusterUnreachable: ZooKeeper does not answer, does not accept who we are, or has no such node.
            Cancelled: ``cancelled`` was set.
        """
        client, servers, connection = self._client, self._servers, self._connection
        answer = client.exists_async("/")
        while not answer.wait(_GLANCE_SECONDS):
            if self._late():
                raise ClusterUnreachable(
                    f"{named(servers)} accepted the connection and then did not answer within "
                    f"{connection.timeout_seconds:g} s. Is ZooKeeper overloaded or hanging?",
                    "timeout",
                    servers[0],
                )
        error = answer.exception
        if isinstance(error, AuthFailedError) or client.client_state in _ENDED:
            raise not_authenticated(connection, servers)
        if error is not None:
            if connection.zookeeper_sasl_username is not None:
                raise not_authenticated(connection, servers)
            raise ClusterUnreachable(
                f"{named(servers)} closed the connection right after it was made. If ZooKeeper asks for SASL or a "
                "client certificate, give the connection one.",
                "authentication",
                servers[0],
            )
        if answer.value is None:
            raise ClusterUnreachable(
                f"ZooKeeper at {named(servers)} has no node {connection.chroot}. The chroot is the path after the "
                "hosts in the brokers' zookeeper.connect; correct it here.",
                "chroot",
                servers[0],
            )

    def _late(self) -> bool:
        """Whether the connection's patience is over.

        Raises:
            Cancelled: ``cancelled`` was set.
        """
        if self._cancelled is not None and self._cancelled.is_set():
            raise Cancelled("The reading was stopped.")
        return time.monotonic() > self._until


def _addresses(servers: tuple[str, ...], chroot: str) -> int:
    """How many addresses the servers have together; a name may have several, of which only one may answer.

    Raises:
        ClusterUnreachable: the servers or the chroot are not written as such, or nobody knows any of the names.
    """
    try:
        pairs, _ = collect_hosts(",".join(servers))
    except ValueError:
        raise ClusterUnreachable(
            f"{named(servers)} is not a list of ZooKeeper servers; host:port is expected.", "configuration"
        ) from None
    if chroot and (not chroot.startswith("/") or {".", ".."} & set(chroot.split("/"))):
        raise ClusterUnreachable(
            f"{chroot} is not a chroot; a path such as /kafka is expected.", "configuration", servers[0]
        )
    known, unknown = 0, ""
    for host, port in pairs:
        try:
            known += len(socket.getaddrinfo(host, port, 0, 0, socket.IPPROTO_TCP))
        except (OSError, UnicodeError) as error:
            unknown = getattr(error, "strerror", None) or "not a host name"
    if not known:
        raise ClusterUnreachable(
            f"No address is known for {named(servers)} ({unknown}). Check the spelling, and the DNS of this machine.",
            "name",
            servers[0],
        )
    return known


def _digest(connection: Connection) -> list[tuple[str, str]]:
    secret = connection.zookeeper_digest
    return [] if secret is None else [("digest", secret.reveal())]


def _sasl(connection: Connection) -> dict[str, str] | None:
    user, password = connection.zookeeper_sasl_username, connection.zookeeper_sasl_password
    if user is None or password is None:
        return None
    return {"mechanism": "DIGEST-MD5", "username": user, "password": password.reveal()}


def _tls_context(connection: Connection) -> ssl.SSLContext | None:
    """The TLS that the connection asks for, None without.

    Raises:
        ClusterUnreachable: a file is missing or is not what it should be.
    """
    if not connection.zookeeper_tls:
        return None
    for what, name in (
        ("authorities", connection.ca_file),
        ("the client's certificate", connection.cert_file),
        ("the client's key", connection.key_file),
    ):
        if name is not None and not Path(name).is_file():
            raise ClusterUnreachable(f"There is no file {name} with {what} for TLS.", "configuration")
    try:
        context = ssl.create_default_context(cafile=connection.ca_file)
    except (ssl.SSLError, OSError):
        raise ClusterUnreachable(
            f"{connection.ca_file} holds no certificate authority in PEM form.", "configuration"
        ) from None
    context.check_hostname = connection.check_hostname
    if connection.cert_file is not None:
        # Never None: OpenSSL would ask for the password on the terminal, and wait there.
        password = "" if connection.key_password is None else connection.key_password.reveal()
        try:
            context.load_cert_chain(connection.cert_file, connection.key_file or connection.cert_file, password)
        except (ssl.SSLError, OSError, ValueError):
            raise ClusterUnreachable(
                f"The certificate {connection.cert_file} and its key could not be used: both must be PEM, belong "
                "together, and the key's password must be right.",
                "configuration",
            ) from None
    return context
