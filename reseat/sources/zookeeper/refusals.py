"""Why ZooKeeper could not be connected to, in words: the most telling attempt, and what a server says itself."""

from __future__ import annotations

import errno
import socket
import ssl
from contextlib import suppress

from reseat.errors import ClusterUnreachable
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.handler import Attempt

__all__ = ["named", "not_authenticated", "not_let_in", "unreachable"]


def unreachable(failed: list[Attempt], servers: tuple[str, ...], connection: Connection) -> ClusterUnreachable:
    """The error for servers of which none could be connected to: that of the most telling attempt."""
    told = sorted((_why(a, connection) for a in failed), key=lambda why: _TELLING.index(why.reason))
    if not told:
        return ClusterUnreachable(
            f"{named(servers)} did not answer within {connection.timeout_seconds:g} s. Is the address right, and "
            "does a firewall let it through?",
            "timeout",
            servers[0],
        )
    others = len({a.server for a in failed}) - 1
    if others:
        told[0].sentence += f" None of the {others + 1} servers could be reached."
    return told[0]


#: What to tell first where servers fail in different ways.
_TELLING = ("tls", "refused", "route", "timeout")


def _why(attempt: Attempt, connection: Connection) -> ClusterUnreachable:
    error, server = attempt.error, attempt.server
    if isinstance(error, ssl.SSLCertVerificationError):
        return ClusterUnreachable(
            f"The certificate of {server} is not accepted: {error.verify_message}. Name the authority that signed it "
            "(ca_file), or the host as the certificate has it.",
            "tls",
            server,
        )
    if isinstance(error, ssl.SSLError):
        reason = (error.reason or "").replace("_", " ").lower()
        # Python before 3.11.4 calls an end that comes before an answer a proper one: Debian 12's is such a one.
        ended = isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError)
        no_tls = ended or any(sign in reason for sign in ("wrong version number", "record layer"))
        return ClusterUnreachable(
            f"{server} does not speak TLS: is it ZooKeeper's plain port?"
            if no_tls
            else f"TLS with {server} failed ({reason or 'the connection was closed'}).",
            "tls",
            server,
        )
    if isinstance(error, TimeoutError):
        return ClusterUnreachable(
            f"{server} did not answer within {connection.timeout_seconds:g} s. Is the address right, and does a "
            "firewall let it through?",
            "timeout",
            server,
        )
    if isinstance(error, ConnectionRefusedError):
        return ClusterUnreachable(
            f"{server} refuses connections: nothing listens there. Is ZooKeeper running, and is this its client port?",
            "refused",
            server,
        )
    if isinstance(error, ConnectionResetError) and connection.zookeeper_tls:
        return ClusterUnreachable(
            f"{server} closed the connection during TLS: is it ZooKeeper's plain port?", "tls", server
        )
    code = errno.errorcode.get(error.errno or 0, "") if error is not None else ""
    return ClusterUnreachable(
        f"There is no route to {server}{f' ({code})' if code else ''}. Is this machine on the right network?",
        "route",
        server,
    )


def not_let_in(server: str, connection: Connection) -> ClusterUnreachable:
    """The error where connections are made and dropped before a session is."""
    if connection.zookeeper_tls:
        # A server that misses or refuses the client's certificate says so only after the handshake (TLS 1.3).
        wanted = "does not accept" if connection.cert_file else "asks for"
        return ClusterUnreachable(
            f"{server} drops the connection after the TLS handshake. Most likely it {wanted} the client's certificate "
            "(cert_file, key_file); or the server is not ZooKeeper.",
            "tls",
            server,
        )
    said = _srvr(server)
    if b"not currently serving requests" in said:
        return ClusterUnreachable(
            f"{server} is a ZooKeeper without a quorum: it serves no requests. Start the other servers.",
            "refused",
            server,
        )
    if said.startswith(b"Zookeeper version"):
        return ClusterUnreachable(
            f"{server} is a ZooKeeper, but opens no session. It may have too many clients (maxClientCnxns).",
            "refused",
            server,
        )
    return ClusterUnreachable(
        f"{server} accepts connections but does not answer like ZooKeeper. Is it ZooKeeper's client port, and not its "
        "TLS port or a broker?",
        "not_zookeeper",
        server,
    )


def _srvr(server: str) -> bytes:
    """What a server says to ZooKeeper's ``srvr``; nothing where it says nothing within a second."""
    host, _, port = server.rpartition(":")
    said = b""
    with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), 1.0) as probe:
        probe.sendall(b"srvr")
        said = probe.recv(200)
    return said


def not_authenticated(connection: Connection, servers: tuple[str, ...]) -> ClusterUnreachable:
    """The error where ZooKeeper does not accept who we are."""
    user = connection.zookeeper_sasl_username
    return ClusterUnreachable(
        f"ZooKeeper at {named(servers)} did not accept "
        + (f"the SASL user {user} with this password." if user else "this connection's credentials.")
        + " Check both, and that the server is set up for SASL (DIGEST-MD5).",
        "authentication",
        servers[0],
    )


def named(servers: tuple[str, ...]) -> str:
    """The servers as one writes them."""
    return ",".join(servers)
