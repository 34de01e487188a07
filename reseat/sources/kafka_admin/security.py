"""A connection's security -> what kafka-python is given: TLS as a ready context, SASL, and where tokens come from.

Whatever is wrong with a file, a key's password or a token command is told here, before anything is sent: as
``ClusterUnreachable("configuration")`` that names the setting and never its value.
"""

from __future__ import annotations

import re
import ssl
import subprocess
import threading
import time

from kafka.net.sasl.oauth import AbstractTokenProvider

from reseat.errors import ClusterUnreachable
from reseat.installed import missing
from reseat.sources.connection import Connection, Secret

__all__ = ["TokenSource", "sasl_settings", "tls_context"]

_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER", "GSSAPI")
#: What RFC 6750 allows in a bearer token; anything else could smuggle fields into the SASL message.
_TOKEN = re.compile(r"[A-Za-z0-9\-._~+/]+=*")
#: A command's token is used this long before the command is asked again: brokers are reached one after the other, and
#: a token lives for minutes.
_TOKEN_SECONDS = 60.0
_COMMAND_SECONDS = 20.0
_NEEDS_SYSTEM = "It is compiled against the system's Kerberos: install gcc, python3-dev and libkrb5-dev (Debian) first."


def tls_context(connection: Connection) -> ssl.SSLContext | None:
    """The TLS context for the brokers, or None where ``security_protocol`` is without TLS.

    Raises:
        ClusterUnreachable: ``configuration``: a file is missing or is not PEM, or the key's password is wrong.
    """
    if connection.security_protocol not in ("SSL", "SASL_SSL"):
        return None
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.check_hostname = connection.check_hostname
    if connection.ca_file is not None:
        # Only these authorities, not the system's besides: a cluster with its own authority trusts no other.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.check_hostname = connection.check_hostname
        try:
            context.load_verify_locations(connection.ca_file)
        except (OSError, ssl.SSLError) as error:
            raise _file_refused("ca_file", connection.ca_file, error, "certificates in PEM") from None
    if connection.cert_file is not None:
        password = connection.key_password.reveal() if connection.key_password is not None else ""
        try:
            # A function, and never None: OpenSSL must not ask for a password on the terminal.
            context.load_cert_chain(connection.cert_file, connection.key_file, password=lambda: password)
        except (OSError, ssl.SSLError) as error:
            wanted = "a certificate and its key in PEM, and the key's password where it has one"
            raise _file_refused("cert_file or key_file", connection.cert_file, error, wanted) from None
    return context


def _file_refused(setting: str, path: str, error: OSError, wanted: str) -> ClusterUnreachable:
    why = "is not there" if isinstance(error, FileNotFoundError) else "cannot be used"
    return ClusterUnreachable(f"{setting} {why} ({path}); {wanted} was expected.", "configuration")


def sasl_settings(connection: Connection) -> dict[str, object]:
    """SASL as kafka-python's connection manager takes it; empty where ``security_protocol`` is without SASL.

    Raises:
        ClusterUnreachable: ``configuration``: the mechanism is none that is known, or what it needs is missing.
    """
    protocol, mechanism = connection.security_protocol, connection.sasl_mechanism
    if protocol not in ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"):
        raise ClusterUnreachable(
            "security_protocol is none of PLAINTEXT, SSL, SASL_PLAINTEXT and SASL_SSL.", "configuration"
        )
    if protocol not in ("SASL_PLAINTEXT", "SASL_SSL"):
        return {}
    if mechanism not in _MECHANISMS:
        raise ClusterUnreachable(
            f"security_protocol is {protocol}, so sasl_mechanism must be one of {', '.join(_MECHANISMS)}.",
            "configuration",
        )
    if mechanism == "OAUTHBEARER":
        source = TokenSource(connection.token, connection.token_command)
        source.token()  # a command that fails is told now, in its own words, and not as a failed login
        return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": source}
    if mechanism == "GSSAPI":
        return _kerberos(connection)
    if not connection.username or connection.password is None:
        raise ClusterUnreachable(f"sasl_mechanism {mechanism} needs a username and a password.", "configuration")
    username = connection.username
    if mechanism.startswith("SCRAM"):
        username = username.replace("=", "=3D").replace(",", "=2C")  # RFC 5802's saslname, which kafka-python leaves
    return {
        "sasl_mechanism": mechanism,
        "sasl_plain_username": username,
        "sasl_plain_password": connection.password.reveal(),
    }


def _kerberos(connection: Connection) -> dict[str, object]:
    lacking = missing("kerberos")
    if lacking is not None:
        raise ClusterUnreachable(f"{lacking} {_NEEDS_SYSTEM}", "configuration")
    try:
        from reseat.sources.kafka_admin.kerberos import login
    except (ImportError, OSError) as error:  # its package is there, the system's library is not
        raise ClusterUnreachable(
            f"The system's Kerberos cannot be used ({error}). {_NEEDS_SYSTEM}", "configuration"
        ) from None
    return login(connection)


class TokenSource(AbstractTokenProvider):
    """Bearer tokens for OAUTHBEARER: one that is given, or what a command prints.

    Args:
        token: a token that is used as it is, or None.
        command: a command without a shell; its standard output is one token. Asked again after a minute.
    """

    def __init__(self, token: Secret | None, command: tuple[str, ...] = ()) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        if token is None and not command:
            raise ClusterUnreachable("sasl_mechanism OAUTHBEARER needs a token or a token_command.", "configuration")
        self._given = token
        self._command = command
        self._last: tuple[float, Secret] | None = None
        self._lock = threading.Lock()

    def token(self) -> str:
        """A token that is fresh enough; called by kafka-python at each login.

        Raises:
            ClusterUnreachable: ``configuration``: the command failed, or what came is no token. Nothing that the
                command printed is quoted.
        """
        if not self._command and self._given is not None:
            return _checked(self._given.reveal(), "token")
        with self._lock:
            now = time.monotonic()
            if self._last is None or now - self._last[0] > _TOKEN_SECONDS:
                self._last = (now, Secret(_checked(self._ask(), "what token_command printed")))
            return self._last[1].reveal()

    def _ask(self) -> str:
        name = self._command[0]
        try:
            done = subprocess.run(  # noqa: S603  # the command is the owner's own setting; no shell reads it
                self._command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_COMMAND_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            sentence = f"token_command {name} gave no token within {_COMMAND_SECONDS:.0f} s."
        except (OSError, ValueError):
            sentence = f"token_command {name} could not be started; the path of a program was expected."
        else:
            if done.returncode == 0:
                return done.stdout.strip()
            sentence = f"token_command {name} failed with exit code {done.returncode}."
        raise ClusterUnreachable(sentence, "configuration") from None


def _checked(token: str, what: str) -> str:
    if not _TOKEN.fullmatch(token):
        raise ClusterUnreachable(
            f"{what} is not a bearer token; one line as in RFC 6750 was expected.", "configuration"
        )
    return token
