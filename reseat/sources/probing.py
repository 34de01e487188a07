"""What speaks at an address: Kafka, ZooKeeper, TLS, HTTP, or nothing that is known here. Standard library alone.

How it works: a question is sent that one of them understands (Kafka's ApiVersions, ZooKeeper's ``srvr``, a TLS client
hello, an HTTP request), each on a connection of its own, and the first bytes of the answer are looked at. Nothing is
asked that changes anything, and no name or password is sent.

Sources: Kafka's protocol guide (ApiVersions v0), ZooKeeper's four letter words, RFC 8446 (record layer).
"""

from __future__ import annotations

import socket
import ssl
import struct
from enum import Enum

from reseat.sources.addresses import host_and_port

__all__ = ["Speaker", "cannot_listen", "connect", "frame_of_kafka", "hello", "is_kafka", "speaks_tls", "what_speaks"]

#: An answer to a question that is understood comes at once; who needs longer than this is not asked further.
_PATIENCE_SECONDS = 3.0
_CORRELATION = 0x52534541
#: ApiVersions, version 0, client id "reseat": every Kafka from 0.10 on answers it before any login.
_API_VERSIONS = struct.pack(">hhih", 18, 0, _CORRELATION, 6) + b"reseat"
_ASK_KAFKA = struct.pack(">i", len(_API_VERSIONS)) + _API_VERSIONS
#: The longest list of versions that a broker would send.
_LONGEST_FRAME = 100_000
#: Bytes of an answer that tell who sent it.
_ENOUGH = 24
_OF_ZOOKEEPER = (b"Zookeeper version", b"srvr is not executed", b"This ZooKeeper instance")
_TLS_RECORDS = (b"\x15\x03", b"\x16\x03")


class Speaker(Enum):
    """Who answers at an address."""

    KAFKA = "Kafka"
    ZOOKEEPER = "ZooKeeper"
    TLS = "TLS"
    HTTP = "an HTTP server"
    OTHER = "something else"
    SILENT = "nothing"


def cannot_listen(host: str, port: int) -> str | None:
    """Why this machine cannot listen there, in the system's words, or None; port 0 asks about the host alone."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as tried:
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            tried.bind((host, port))
    except OSError as error:
        return error.strerror or str(error)
    return None


def connect(server: str, seconds: float) -> socket.socket:
    """A connection to ``host:port``.

    Raises:
        OSError: as the system tells it.
    """
    return socket.create_connection(host_and_port(server), timeout=seconds)


def hello(server: str, context: ssl.SSLContext, seconds: float) -> ssl.SSLSocket:
    """A connection with TLS.

    Raises:
        OSError: the server cannot be reached; ``ssl.SSLError``: there is no TLS, or it is not trusted.
    """
    plain = connect(server, seconds)
    try:
        return context.wrap_socket(plain, server_hostname=host_and_port(server)[0])
    except BaseException:
        plain.close()
        raise


def frame_of_kafka(stream: socket.socket) -> bytes:
    """Ask for Kafka's versions and return the first bytes of what comes; empty where the connection is closed."""
    stream.sendall(_ASK_KAFKA)
    answer = b""
    while len(answer) < 10:
        got = stream.recv(64)
        if not got:
            break
        answer += got
    return answer


def is_kafka(answer: bytes) -> bool:
    """Whether the first bytes of an answer are those of a broker."""
    if len(answer) < 10:
        return False
    size, correlation = struct.unpack(">ii", answer[:8])
    return bool(6 <= size <= _LONGEST_FRAME and correlation == _CORRELATION)


def what_speaks(server: str, seconds: float) -> Speaker:
    """Who answers at ``host:port`` without TLS of ours.

    Raises:
        OSError: it cannot be reached at all.
    """
    patience = min(seconds, _PATIENCE_SECONDS)
    connect(server, patience).close()
    answer = _asked(server, _ASK_KAFKA, patience)
    if is_kafka(answer):
        return Speaker.KAFKA
    for start, speaker in ((b"HTTP/", Speaker.HTTP), *((record, Speaker.TLS) for record in _TLS_RECORDS)):
        if answer.startswith(start):
            return speaker
    if _asked(server, b"srvr", patience).startswith(_OF_ZOOKEEPER):
        return Speaker.ZOOKEEPER
    if speaks_tls(server, patience):
        return Speaker.TLS
    web = _asked(server, b"GET / HTTP/1.0\r\n\r\n", patience)
    if web.startswith(b"HTTP/"):
        return Speaker.HTTP
    return Speaker.OTHER if answer or web else Speaker.SILENT


def speaks_tls(server: str, seconds: float) -> bool:
    """Whether a TLS server answers, trusted or not."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # nothing is told to it: it is only seen whether there is one
    try:
        hello(server, context, seconds).close()
    except ssl.SSLError as error:
        # Whoever complains about our certificate or versions has understood TLS.
        return "ALERT" in (error.reason or "") or "UNSUPPORTED_PROTOCOL" in (error.reason or "")
    except OSError:
        return False
    return True


def _asked(server: str, question: bytes, seconds: float) -> bytes:
    """The first bytes of the answer to a question, as many as came; empty where none does."""
    answer = b""
    try:
        with connect(server, seconds) as stream:
            stream.sendall(question)
            while len(answer) < _ENOUGH and not is_kafka(answer):
                got = stream.recv(4096)
                if not got:
                    break
                answer += got
    except OSError:
        pass  # what came before the connection was lost or time was over tells all the same
    return answer
