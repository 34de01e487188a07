"""How a cluster is reached: servers, security and a name. A value without behaviour; secrets never show in it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Connection", "Secret"]


class Secret:
    """A password, token or key that no repr, str, format, pickle or JSON shows; ``reveal()`` alone gives it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The secret itself, for the client library that needs it and for nothing else."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(…)"

    __str__ = __repr__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(("Secret", self._value))

    def __reduce__(self) -> str:
        raise TypeError("A secret is not pickled.")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where a cluster is and how to be let in. Exactly one of ``bootstrap`` and ``zookeeper`` is the way of reading.

    Attributes:
        name: the name by which the person knows the cluster.
        bootstrap: ``host:port`` of brokers; beside ``zookeeper`` they serve for sizes, log directories and throttles.
        zookeeper: ``host:port`` of ZooKeeper servers; empty: read through the Admin protocol.
        chroot: path under which Kafka keeps its nodes, "" or "/kafka".
        security_protocol: ``PLAINTEXT``, ``SSL``, ``SASL_PLAINTEXT`` or ``SASL_SSL``, of the brokers.
        sasl_mechanism: ``PLAIN``, ``SCRAM-SHA-256``, ``SCRAM-SHA-512``, ``OAUTHBEARER``, ``GSSAPI`` (Kerberos) or None.
        username: of SASL.
        password: of SASL.
        token: a bearer token for OAUTHBEARER.
        token_command: a command whose standard output is a fresh bearer token (one line), or empty.
        kerberos_service: the service of the brokers' principals, for GSSAPI.
        kerberos_keytab: a keytab to sign in with, or None: the ticket of who runs Reseat.
        kerberos_principal: whom to sign in as, or None: the keytab's first, or the ticket's.
        ca_file: PEM file with certificate authorities, or None: the system's.
        cert_file: PEM file with the client's certificate, or None.
        key_file: PEM file with the client's key, or None.
        key_password: of ``key_file``.
        check_hostname: whether a certificate must name the server.
        zookeeper_digest: ``user:password`` of ZooKeeper's digest authentication.
        zookeeper_sasl_username: of ZooKeeper's SASL (DIGEST-MD5).
        zookeeper_sasl_password: of ZooKeeper's SASL.
        zookeeper_tls: whether ZooKeeper is reached through TLS (with ``ca_file``, ``cert_file``, ``key_file``).
        timeout_seconds: for one request, and for the first connection.
    """

    name: str = ""
    bootstrap: tuple[str, ...] = ()
    zookeeper: tuple[str, ...] = ()
    chroot: str = ""
    security_protocol: str = "PLAINTEXT"
    sasl_mechanism: str | None = None
    username: str | None = None
    password: Secret | None = None
    token: Secret | None = None
    token_command: tuple[str, ...] = ()
    kerberos_service: str = "kafka"
    kerberos_keytab: str | None = None
    kerberos_principal: str | None = None
    ca_file: str | None = None
    cert_file: str | None = None
    key_file: str | None = None
    key_password: Secret | None = None
    check_hostname: bool = True
    zookeeper_digest: Secret | None = None
    zookeeper_sasl_username: str | None = None
    zookeeper_sasl_password: Secret | None = None
    zookeeper_tls: bool = False
    timeout_seconds: float = field(default=15.0)

    @property
    def protocol(self) -> str:
        """``zookeeper`` or ``admin``: how the layout is read."""
        return "zookeeper" if self.zookeeper else "admin"

    @property
    def address(self) -> str:
        """Servers and chroot as a person writes them; holds no secret."""
        return ",".join(self.zookeeper) + self.chroot if self.zookeeper else ",".join(self.bootstrap)
