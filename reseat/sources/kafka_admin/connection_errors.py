"""What went wrong with a connection to Kafka -> ``ClusterUnreachable``: a slug, the server, and a sentence in words.

Promises: (1) every error of kafka-python, of sockets and of TLS has a slug; (2) nothing secret is in the sentence: a
server's own words are quoted only with the connection's secrets taken out; (3) the original exception is not chained:
its frames hold the client's settings.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl

import kafka.errors as kafka_errors

from reseat.errors import ClusterUnreachable
from reseat.sources.connection import Connection

__all__ = ["TLS_ALERT", "unreachable", "without_secrets"]

#: How kafka-python tells a TLS alert that it took for a frame's length: alert (21), TLS 1.x (3, 0-4).
TLS_ALERT = re.compile(r"Invalid frame length: 3525(18|19)\d{3}")
_ROUTE = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EADDRNOTAVAIL, errno.ENETDOWN, errno.EHOSTDOWN, errno.EACCES)
_LOST = (errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED, errno.ENOTCONN, errno.EBADF)
_QUOTED = 200
#: A hint that OpenSSL gives for "the other side does not speak TLS".
_NOT_TLS = (
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "UNKNOWN_PROTOCOL",
    "PACKET_LENGTH_TOO_LONG",
    "RECORD_LAYER_FAILURE",
)


def unreachable(error: BaseException, connection: Connection, server: str | None, who: str = "") -> ClusterUnreachable:
    """Say in words what an error means.

    Args:
        error: what kafka-python, a socket or TLS raised.
        connection: for its security, and for the secrets to take out.
        server: ``host:port`` concerned, or None.
        who: "Broker 3 at " before the server, where it is known.
    """
    if isinstance(error, ClusterUnreachable):
        return error
    if isinstance(error, kafka_errors.KafkaConnectionError) and error.args and isinstance(error.args[0], OSError):
        error = error.args[0]  # a connection that was open: kafka-python wraps what the socket raised
    slug, sentence = _in_words(error, connection, f"{who}{server or 'The cluster'}")
    return ClusterUnreachable(sentence, slug, server)


def without_secrets(text: str, connection: Connection) -> str:
    """``text`` with every secret of the connection taken out, should a server have repeated one."""
    for secret in (connection.password, connection.token, connection.key_password):
        if secret is not None and secret.reveal():
            text = text.replace(secret.reveal(), "…")
    return text


def _in_words(error: BaseException, connection: Connection, server: str) -> tuple[str, str]:
    if isinstance(error, socket.gaierror):
        return "name", f"{server}: the name does not resolve. Check its spelling, and the DNS of this machine."
    if isinstance(error, ssl.SSLCertVerificationError):
        return "tls", (
            f"{server} presents a certificate that is not accepted: {error.verify_message}. Check ca_file, and that "
            "the certificate names this host."
        )
    if isinstance(error, ssl.SSLError):
        return "tls", _tls(error, server)
    if isinstance(error, kafka_errors.KafkaError):
        return _kafka(error, connection, server)
    if isinstance(error, TimeoutError):
        return "timeout", f"{server} did not answer within {connection.timeout_seconds:g} s. Is a firewall in between?"
    if isinstance(error, OSError):
        return _socket(error, server)
    if isinstance(error, (ValueError, KeyError)) and connection.sasl_mechanism:
        # kafka-python's SCRAM raises these where the server's message is not what its own password would give.
        return "authentication", f"{server} and this client have different passwords for {_user(connection)}."
    return "lost", f"{server}: the connection failed ({type(error).__name__})."


def _tls(error: ssl.SSLError, server: str) -> str:
    reason = str(error.reason or "")
    if reason in _NOT_TLS:
        return f"{server} does not speak TLS. Use a TLS listener, or security_protocol without SSL."
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError) or "EOF" in reason:
        return (
            f"{server} closed the connection during the TLS handshake: it does not speak TLS, or requires a client "
            "certificate."
        )
    words = reason.replace("_", " ").lower() or type(error).__name__
    if "CERTIFICATE" in reason or "ALERT" in reason:
        return f"{server} refused this client in the TLS handshake ({words}). Check cert_file and key_file."
    return f"{server}: the TLS handshake failed ({words})."


def _socket(error: OSError, server: str) -> tuple[str, str]:
    if error.errno == errno.ECONNREFUSED:
        return (
            "refused",
            f"{server} refuses the connection: nothing listens there. Is the broker up, and is the port right?",
        )
    if error.errno in _ROUTE:
        return "route", f"{server} cannot be reached from this machine: there is no route to it."
    if error.errno == errno.ETIMEDOUT:
        return "timeout", f"{server} did not answer: the connection timed out. Is a firewall in between?"
    if error.errno in _LOST:
        return "lost", f"{server} closed the connection."
    return "route", f"{server} cannot be reached ({errno.errorcode.get(error.errno or 0, type(error).__name__)})."


def _kafka(error: kafka_errors.KafkaError, connection: Connection, server: str) -> tuple[str, str]:
    words = without_secrets(_quoted(error), connection)
    if isinstance(error, kafka_errors.UnsupportedSaslMechanismError):
        offered = re.search(r"Enabled mechanisms: (.*)", words)
        offers = f"; it offers {offered.group(1).strip('[]')}" if offered else ""
        return "authentication", f"{server} does not offer the SASL mechanism {connection.sasl_mechanism}{offers}."
    if isinstance(error, kafka_errors.IllegalSaslStateError):
        return (
            "authentication",
            f"{server} does not ask for SASL. Use a SASL listener, or security_protocol without it.",
        )
    if isinstance(error, kafka_errors.SaslAuthenticationFailedError):
        # The server's own words, behind the error's name that kafka-python puts twice in front.
        said = re.sub(r"^(\[Error \d+\] )?(SaslAuthenticationFailedError: )*", "", words)
        return "authentication", f"{server} does not let {_user(connection)} in: {said.rstrip('.')}."
    if isinstance(error, kafka_errors.AuthorizationError):
        return "authorization", f"{server} does not allow {_user(connection)} this ({error.message})."
    if isinstance(error, kafka_errors.UnsupportedVersionError):
        return "version", f"{server} does not support the request: {words}"
    if isinstance(error, kafka_errors.InvalidReceiveError) and TLS_ALERT.search(words):
        return "tls", f"{server} speaks TLS. Set security_protocol to SSL or SASL_SSL."
    if isinstance(error, kafka_errors.KafkaProtocolError):
        return "not_kafka", f"{server} answers, but not as Kafka does. Check the port."
    if isinstance(error, kafka_errors.KafkaTimeoutError | kafka_errors.RequestTimedOutError):
        return "timeout", (
            f"{server} accepted the connection and did not answer within {connection.timeout_seconds:g} s: it is "
            "overloaded, or not a broker."
        )
    if isinstance(error, kafka_errors.KafkaConfigurationError):
        return "configuration", f"{server}: the client's settings are not accepted: {words}."
    if isinstance(error, kafka_errors.BrokerResponseError):
        return "lost", f"{server} answered with an error: {getattr(error, 'message', None) or words}."
    return "lost", f"{server} closed the connection."


def _user(connection: Connection) -> str:
    name = connection.username or connection.kerberos_principal
    return f"user {name!r}" if name else "this client"


def _quoted(error: BaseException) -> str:
    """What an error says, on one line and cut; control characters of a hostile server become blanks."""
    text = " ".join("".join(c if c.isprintable() else " " for c in str(error)).split())
    return text if len(text) <= _QUOTED else text[:_QUOTED] + "…"
