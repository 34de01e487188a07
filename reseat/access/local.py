"""Where a browser's connection comes from, as far as its headers tell: this machine, another, or a proxy."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

__all__ = ["local_use", "same_origin"]

#: Headers that a proxy adds: with one of them the connection's address is the proxy's.
_PROXY_HEADERS = frozenset(
    ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
)


def local_use(server_address: str | None, client_address: str | None, headers: Mapping[str, str]) -> bool:
    """Whether this looks like a browser on this very machine that asks a server which listens on this machine alone.

    It can be wrong: a proxy on the same machine that adds no header (nginx's ``proxy_pass`` alone does not) looks the
    same. So it is never enough by itself.

    Args:
        server_address: the address that the server listens on; None or "" is every interface.
        client_address: where the connection comes from; None where the server says that it is a loopback address
            (Streamlit does).
        headers: of the connection, names in any case.
    """
    named = {name.lower(): value for name, value in headers.items()}
    if _PROXY_HEADERS & named.keys():
        return False
    if not server_address or not _is_loopback(server_address):
        return False
    if client_address is not None and not _is_loopback(client_address):
        return False
    return "host" in named and _is_loopback(_host_of(named["host"]))


def same_origin(headers: Mapping[str, str]) -> bool:
    """Whether the page that opened a connection came from the host and port that it asks.

    Args:
        headers: of the connection, names in any case.
    """
    named = {name.lower(): value for name, value in headers.items()}
    asked = named.get("host", "")
    return bool(asked) and urlsplit(named.get("origin", "")).netloc.casefold() == asked.casefold()


def _host_of(header: str) -> str:
    """The host of a Host header, without its port."""
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.rpartition(":")[0] if header.count(":") == 1 else header


def _is_loopback(address: str) -> bool:
    if address.casefold() == "localhost":
        return True
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
    return (mapped or parsed).is_loopback
