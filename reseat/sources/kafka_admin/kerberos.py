"""Signing in by Kerberos: the ticket that a login needs, and kafka-python's GSSAPI with it.

kafka-python signs in as whoever the process is. Here each connection may have a keytab of its own: what GSSAPI gets
with it stays in this process's memory, is fetched anew before it ends, and is no file. Without a keytab the ticket is
that of whoever runs Reseat (``kinit``, ``KRB5CCNAME``, or ``KRB5_CLIENT_KTNAME``), as for any other program.

Needs the extra ``kerberos``: whoever imports this has asked for it (``installed.missing``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gssapi
import kafka.errors as kafka_errors
from kafka.net.sasl import register_sasl_mechanism
from kafka.net.sasl.gssapi import SaslMechanismGSSAPI

from reseat.errors import ClusterUnreachable
from reseat.sources.connection import Connection

__all__ = ["login"]


@dataclass(frozen=True)
class _Login:
    """What kafka-python carries to each login: the name of the brokers' service, and how credentials are got."""

    service: str
    credentials: Callable[[], Any]


def login(connection: Connection) -> dict[str, object]:
    """GSSAPI as kafka-python's connection manager takes it; a ticket is there, or is fetched now.

    Raises:
        ClusterUnreachable: ``authentication``: there is no ticket, and none is given; says why, in Kerberos' words.
    """
    keytab, principal = connection.kerberos_keytab, connection.kerberos_principal
    store = None
    if keytab is not None:
        kept = hashlib.sha256(f"{keytab}\n{principal}".encode()).hexdigest()[:16]
        store = {"client_keytab": keytab, "ccache": f"MEMORY:reseat-{kept}"}

    def credentials() -> Any:
        # Anew for each login: a client lives longer than a ticket, and what was once got is not renewed.
        name = gssapi.Name(principal, gssapi.NameType.kerberos_principal) if principal is not None else None
        return gssapi.Credentials(name=name, usage="initiate", store=store)

    try:
        credentials().inquire()  # asks the KDC, where a keytab has yet to be shown to it
    except gssapi.exceptions.ExpiredCredentialsError:
        raise ClusterUnreachable(f"The Kerberos ticket has expired. {_instead(connection)}", "authentication") from None
    except gssapi.exceptions.GSSError as error:
        raise ClusterUnreachable(_no_ticket(connection, error), "authentication") from None
    settings = _Login(connection.kerberos_service, credentials)
    return {"sasl_mechanism": "GSSAPI", "sasl_kerberos_name": settings}


def _no_ticket(connection: Connection, error: gssapi.exceptions.GSSError) -> str:
    whose = f" for {connection.kerberos_principal}" if connection.kerberos_principal else ""
    return f"There is no Kerberos ticket{whose} ({_words(error)}). {_instead(connection)}"


def _instead(connection: Connection) -> str:
    if connection.kerberos_keytab is None:
        return "Run kinit as the user that runs Reseat, or name a keytab in kerberos_keytab."
    which = f"holds {connection.kerberos_principal}" if connection.kerberos_principal else "is the cluster's user's"
    return f"Check that {connection.kerberos_keytab} {which} (klist -k), and that the KDC of krb5.conf can be reached."


def _words(error: gssapi.exceptions.GSSError) -> str:
    """What Kerberos itself says of an error; GSSAPI's words are the same for most of them."""
    major = not error.min_code  # then what is wrong is GSSAPI's to say
    said = error.get_all_statuses(error.maj_code if major else error.min_code, major)
    return " ".join("; ".join(said).split()).rstrip(".")


class _Mechanism(SaslMechanismGSSAPI):
    """kafka-python's, with the login's own credentials, and errors that say which service was looked for."""

    def __init__(self, **config: Any) -> None:
        of: _Login = config["sasl_kerberos_name"]
        self._is_done = self._is_authenticated = False
        self.auth_id = f"{of.service}@{config['host']}"
        named = gssapi.Name(self.auth_id, gssapi.NameType.hostbased_service)
        self._within(lambda: self._begin(named, of.credentials))

    def _begin(self, named: Any, credentials: Callable[[], Any]) -> None:
        self.gssapi_name = named.canonicalize(gssapi.MechType.kerberos)
        self._client_ctx = gssapi.SecurityContext(name=self.gssapi_name, creds=credentials(), usage="initiate")
        self._next_token = self._client_ctx.step(None)

    def receive(self, auth_bytes: bytes) -> None:
        """The server's turn."""
        hear: Any = super().receive
        self._within(lambda: hear(auth_bytes))

    def _within(self, work: Any) -> None:
        try:
            work()
        except gssapi.exceptions.GSSError as error:
            host = self.auth_id.partition("@")[2]
            raise kafka_errors.SaslAuthenticationFailedError(
                f"{_words(error)}. Kerberos was asked for {self.auth_id.partition('@')[0]}/{host}: check "
                "kerberos_service, and that the broker is reached by the name that its keytab has"
            ) from None


register_sasl_mechanism("GSSAPI", _Mechanism, overwrite=True)
