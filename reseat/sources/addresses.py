"""Servers as a person writes them -> ``host:port`` and chroot: ``zk1:2181,zk2:2181/kafka``, ``[::1]:9092``.

Promises: (1) what is accepted has a host that a resolver can be asked for and a port from 1 to 65535; (2) a text that
may hold a password (``user:password@host``) is never quoted in the refusal; (3) order is kept, repeats fall away.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable

from reseat.errors import InputRefused

__all__ = ["KAFKA_PORT", "ZOOKEEPER_PORT", "host_and_port", "read_servers", "read_zookeeper", "server_at"]

#: The ports that Kafka and ZooKeeper use where none is configured.
KAFKA_PORT, ZOOKEEPER_PORT = 9092, 2181
#: More servers than these are a mistake: a client needs a few to begin with, and learns the rest.
_MOST_SERVERS = 200
#: The longest address; a host name has at most 253 characters.
_LONGEST = 300
#: Host names as resolvers take them, with the underscore that container networks use.
_HOST = re.compile(r"(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?")  # fmt: skip  # noqa: E501
_SHOWN = 60


def read_servers(text: str, *, port: int = KAFKA_PORT) -> tuple[str, ...]:
    """Servers with commas (or blanks) between.

    Args:
        text: ``b1:9092,b2:9092``; a server without a port gets ``port``.
        port: the default port.

    Returns:
        ``host:port`` each, IPv6 in brackets, in order and once each.

    Raises:
        InputRefused: a server is not ``host:port``; says which and why.
    """
    parts = [part for part in re.split(r"[,\s]+", text.strip()) if part]
    if not parts:
        raise InputRefused("No server given; host:port was expected, several separated by commas.")
    if len(parts) > _MOST_SERVERS:
        raise InputRefused(f"{len(parts):,} servers are given; at most {_MOST_SERVERS} are read. A few are enough.")
    return tuple(dict.fromkeys(_server(part, port) for part in parts))


def read_zookeeper(text: str) -> tuple[tuple[str, ...], str]:
    """ZooKeeper servers and the chroot that follows the last of them.

    Returns:
        ``host:port`` each, and the chroot: "" or ``/kafka``, without a slash at its end.

    Raises:
        InputRefused: a server is not ``host:port``, or the chroot is no path.
    """
    scheme = _scheme(text)
    if scheme is not None:
        raise InputRefused(f"'{scheme}' was found before a server; ZooKeeper servers are host:port without it.")
    servers, slash, path = text.strip().partition("/")
    chroot = (slash + path).rstrip("/").rstrip()
    if "," in chroot:
        raise InputRefused(
            "A comma follows the chroot. It is written once, after the last server: zk1:2181,zk2:2181/kafka."
        )
    if chroot and (
        any(part in ("", ".", "..") for part in chroot[1:].split("/"))
        or not chroot.isprintable()
        or len(chroot) > _LONGEST
    ):
        raise InputRefused("The chroot is not a ZooKeeper path; one such as /kafka was expected, without empty parts.")
    return read_servers(servers, port=ZOOKEEPER_PORT), chroot


def host_and_port(server: str) -> tuple[str, int]:
    """Host (IPv6 without brackets) and port of a ``host:port`` that ``read_servers`` made."""
    host, _, port = server.rpartition(":")
    return host.removeprefix("[").removesuffix("]"), int(port)


def server_at(host: str | None, port: int | str | None) -> str:
    """The ``host:port`` of a host as resolvers and brokers name it: IPv6 gets its brackets."""
    return f"[{host}]:{port}" if host is not None and ":" in host else f"{host}:{port}"


def _server(text: str, default: int) -> str:
    if "@" in text:
        raise InputRefused(
            "A server contains '@'. User names and passwords do not belong in an address; host:port was expected."
        )
    scheme = _scheme(text)
    if scheme is not None:
        raise InputRefused(
            f"'{scheme}' was found before a server; host:port was expected without it. The security protocol says how "
            "brokers are reached."
        )
    if len(text) > _LONGEST or not text.isprintable():
        raise InputRefused("A server is not host:port; it is too long or has characters that no host name has.")
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or not _is(ipaddress.IPv6Address, host) or (rest and not rest.startswith(":")):
            raise InputRefused(f"'{text[:_SHOWN]}' is not an IPv6 address in brackets; [::1]:9092 was expected.")
        return f"[{host}]:{_port(rest[1:], text, default) if rest else default}"
    if text.count(":") > 1:
        raise InputRefused(f"'{text[:_SHOWN]}' has several colons; an IPv6 address is written [::1]:9092.")
    host, colon, port = text.partition(":")
    if not _HOST.fullmatch(host):
        raise InputRefused(f"'{text[:_SHOWN]}' is not host:port; '{host[:_SHOWN]}' is not a host name.")
    if re.fullmatch(r"[\d.]+", host) and not _is(ipaddress.IPv4Address, host):
        raise InputRefused(f"'{host[:_SHOWN]}' is neither an IPv4 address nor a host name.")
    return f"{host}:{_port(port, text, default) if colon else default}"


def _scheme(text: str) -> str | None:
    found = re.match(r"\s*[A-Za-z][A-Za-z0-9+._-]{0,30}://", text)
    return found.group().strip() if found else None


def _port(digits: str, text: str, default: int) -> int:
    if not digits:
        return default
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 1 <= int(digits) <= 65_535:
        raise InputRefused(f"'{text[:_SHOWN]}' has no port; a number from 1 to 65535 was expected after the colon.")
    return int(digits)


def _is(kind: Callable[[str], object], host: str) -> bool:
    try:
        kind(host)
    except ValueError:
        return False
    return True
