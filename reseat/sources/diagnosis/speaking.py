"""Who answers at a server: TLS as it was asked for, or somebody else than was expected."""

from __future__ import annotations

import ssl
from dataclasses import replace

from reseat.sources import probing
from reseat.sources.addresses import host_and_port
from reseat.sources.connection import Connection
from reseat.sources.diagnosis.reaching import CONNECT_SECONDS
from reseat.sources.diagnosis.steps import StepFailedError, Steps
from reseat.sources.probing import Speaker

__all__ = ["handshake", "speaker_at", "stranger"]


def speaker_at(steps: Steps, name: str, server: str, connection: Connection) -> Speaker:
    """Who answers at a server in plain text.

    Raises:
        StepFailedError: nobody takes a connection any more.
    """
    try:
        return probing.what_speaks(server, connection.timeout_seconds)
    except OSError:
        raise steps.failed(name, f"{server} accepted one connection and then no further one.", "lost") from None


def handshake(steps: Steps, server: str, connection: Connection) -> bytes | None:
    """TLS as the connection asks for it; the first bytes that a broker answers, or None where none came.

    Raises:
        StepFailedError: there is no TLS, or it is not trusted, or it wants more than we have.
        ClusterUnreachable: a file of certificates cannot be used.
    """
    from reseat.sources.kafka_admin.security import tls_context

    tls = replace(connection, security_protocol="SSL") if connection.zookeeper else connection
    context = tls_context(tls)
    if context is None:
        return None
    try:
        stream = probing.hello(server, context, min(connection.timeout_seconds, CONNECT_SECONDS))
    except ssl.SSLCertVerificationError as error:
        raise steps.failed("TLS", _not_trusted(server, error, connection), "tls") from None
    except (ssl.SSLError, TimeoutError, ConnectionError) as error:
        raise _no_tls(steps, server, connection, error) from None
    with stream:
        version = stream.version()
        try:
            answer = b"" if connection.zookeeper else probing.frame_of_kafka(stream)
        except (ssl.SSLError, ConnectionError) as error:  # with TLS 1.3 ours is refused only after the handshake
            raise _no_tls(steps, server, connection, error) from None
        except OSError:
            answer = b""
    steps.passed("TLS", f"{server} speaks {version}, and its certificate is trusted.")
    return answer


def _not_trusted(server: str, error: ssl.SSLCertVerificationError, connection: Connection) -> str:
    code, said = error.verify_code, error.verify_message
    host = host_and_port(server)[0]
    if code in (10, 9):
        when = "has expired" if code == 10 else "is not valid yet"
        return f"The certificate of {server} {when}. It must be renewed on the server."
    if code in (62, 64):
        return (
            f"The certificate of {server} is not issued for the name {host}. Use a name from the certificate, or set "
            "check_hostname to false if you know that it is the right one."
        )
    known = "that this machine trusts" if connection.ca_file is None else f"in {connection.ca_file}"
    return (
        f"The certificate of {server} is not signed by an authority {known} ({said}). Name a PEM file with the "
        "authority that signed it in ca_file."
    )


def _no_tls(steps: Steps, server: str, connection: Connection, error: OSError) -> StepFailedError:
    reason = getattr(error, "reason", None) or ""
    asks = (
        "requires a client certificate; set cert_file and key_file."
        if connection.cert_file is None
        else "does not accept the client certificate."
    )
    if "CERTIFICATE_REQUIRED" in reason:
        return steps.failed("TLS", f"{server} {asks}", "tls")
    if "ALERT" in reason:
        words = reason.replace("_", " ").lower()
        return steps.failed("TLS", f"{server} ended the TLS handshake ({words}). Most likely it {asks}", "tls")
    speaker = speaker_at(steps, "TLS", server, connection)
    if speaker is Speaker.TLS:  # it let the handshake end, or begin, and then closed without a word
        return steps.failed("TLS", f"{server} speaks TLS and closed the connection. Most likely it {asks}", "tls")
    if speaker is Speaker.KAFKA and not connection.zookeeper:
        plain = connection.security_protocol.replace("SASL_SSL", "SASL_PLAINTEXT").replace("SSL", "PLAINTEXT")
        return steps.failed(
            "TLS",
            f"{server} is a Kafka listener without TLS, but security_protocol is {connection.security_protocol}. Use "
            f"the port of the TLS listener, or {plain}.",
            "listener",
        )
    if speaker is Speaker.ZOOKEEPER and connection.zookeeper:
        return steps.failed(
            "TLS",
            f"{server} is ZooKeeper's plain port. Use its secure port, or set zookeeper_tls to false.",
            "listener",
        )
    return stranger(steps, "TLS", server, speaker, connection)


def stranger(steps: Steps, name: str, server: str, speaker: Speaker, connection: Connection) -> StepFailedError:
    """The step that says who answers instead of who was expected."""
    wanted, reason = ("ZooKeeper", "not_zookeeper") if connection.zookeeper else ("Kafka", "not_kafka")
    words = {
        Speaker.ZOOKEEPER: "this is ZooKeeper's port. Read through ZooKeeper (--zookeeper, zookeeper = ...), or name a "
        "broker's port, by default 9092.",
        Speaker.KAFKA: "this is a Kafka broker's port. Read through the Admin protocol (--bootstrap, or bootstrap = "
        "...), or name ZooKeeper's port, by default 2181.",
        Speaker.HTTP: f"this is an HTTP server. Check the port: {wanted} has its own protocol; a web page, REST "
        "proxy or console does not speak it.",
        Speaker.TLS: "it speaks TLS, and a plaintext connection was requested. "
        + (
            "Set zookeeper_tls to true, or use the plain port."
            if connection.zookeeper
            else f"Set security_protocol to {'SASL_SSL' if 'SASL' in connection.security_protocol else 'SSL'}, or use "
            "the port of a listener without TLS."
        ),
        Speaker.OTHER: "something answers that is neither Kafka nor ZooKeeper. Check the port.",
        Speaker.SILENT: "connections are accepted, but nothing is answered. Check the port; a proxy or load balancer "
        "without a server behind it behaves like this, and so does a server that hangs.",
    }
    slug = "listener" if speaker is Speaker.TLS else reason
    return steps.failed(name, f"{server} is not {wanted}: {words[speaker]}", slug)
