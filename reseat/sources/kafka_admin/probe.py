"""Whether a server speaks TLS: tried after a connection without TLS came to nothing. Sends no credential."""

from __future__ import annotations

import socket
import ssl

__all__ = ["speaks_tls"]

_PROBE_SECONDS = 3.0


def speaks_tls(server: str) -> bool:
    """Whether ``host:port`` answers a TLS greeting with one; which certificate it shows does not matter here."""
    host, _, port = server.rpartition(":")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host.strip("[]"), int(port)), timeout=_PROBE_SECONDS) as plain,
            context.wrap_socket(plain) as spoken,
        ):
            return spoken.version() is not None
    except ssl.SSLError as error:
        # An alert is spoken in TLS too: a server that wants a client's certificate says so this way.
        return "ALERT" in (error.reason or "")
    except (OSError, ValueError):
        return False
