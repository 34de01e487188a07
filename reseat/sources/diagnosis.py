"""A test of a connection, step by step, that says in words what is wrong and what to do about it.

What it promises, ranked: (1) nothing is changed on the cluster; (2) no secret is in a sentence; (3) the first step that
failed is the one to mend: what comes after it is not tried; (4) it ends within a few times the connection's timeout.

How it works: names are resolved and ports tried with the standard library; what speaks there is found out with
questions of its own (``reseat.sources.probing``), which tells a wrong port from a wrong password; then the clients that
read are opened and asked for the least of each kind of thing that a reading needs.
"""

from __future__ import annotations

import concurrent.futures
import errno
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from reseat.errors import ClusterUnreachable
from reseat.model.wording import counted, listed, verb
from reseat.sources import probing
from reseat.sources.addresses import host_and_port
from reseat.sources.connection import Connection
from reseat.sources.probing import Speaker

__all__ = ["Step", "StepVerdict", "diagnose"]

#: Servers and brokers that are tried at once.
_AT_ONCE = 32
#: Brokers whose advertised address is tried; of a larger cluster these tell enough.
_MOST_BROKERS = 300
#: Nodes below the root that are looked at for Kafka, where the chroot does not hold it.
_MOST_ROOTS = 200
#: Seconds for one server to take a connection; a firewall that drops packets would use up the whole timeout.
_CONNECT_SECONDS = 5.0
_TOPIC_DENIED, _CLUSTER_DENIED = 29, 31


class StepVerdict(Enum):
    """What came of a step. After ``FAILED`` nothing further is tried."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a test.

    Attributes:
        name: what was tested, in two or three words.
        verdict: what came of it.
        sentence: what was found and what to do; holds no secret.
        trouble: the slug of what is wrong, as ``ClusterUnreachable.trouble``, or None.
    """

    name: str
    verdict: StepVerdict
    sentence: str
    trouble: str | None = None


class _FailedError(Exception):
    """Ends a test; its step is reported already."""


class _Steps:
    def __init__(self, report: Callable[[Step], None] | None) -> None:
        self.taken: list[Step] = []
        self._report = report

    def passed(self, name: str, sentence: str) -> None:
        self._take(Step(name, StepVerdict.PASSED, sentence))

    def warned(self, name: str, sentence: str, trouble: str | None = None) -> None:
        self._take(Step(name, StepVerdict.WARNED, sentence, trouble))

    def failed(self, name: str, sentence: str, trouble: str) -> _FailedError:
        self._take(Step(name, StepVerdict.FAILED, sentence, trouble))
        return _FailedError()

    def _take(self, step: Step) -> None:
        self.taken.append(step)
        if self._report is not None:
            self._report(step)


def diagnose(connection: Connection, *, report: Callable[[Step], None] | None = None) -> tuple[Step, ...]:
    """Test a connection.

    Args:
        connection: what is tested.
        report: called with each step as it ends, from the same thread.

    Returns:
        The steps in order; where the last one failed, it says what to mend.
    """
    steps = _Steps(report)
    servers = connection.zookeeper or connection.bootstrap
    try:
        resolved = _names(steps, servers)
        reached = _ports(steps, resolved, min(connection.timeout_seconds, _CONNECT_SECONDS))
        if connection.zookeeper:
            _zookeeper(steps, connection, reached)
        else:
            _kafka(steps, connection, reached)
    except _FailedError:
        pass
    return tuple(steps.taken)


# ---- names and ports -----------------------------------------------------------------------------------------


def _names(steps: _Steps, servers: Sequence[str]) -> list[str]:
    with concurrent.futures.ThreadPoolExecutor(min(_AT_ONCE, len(servers))) as pool:
        known = list(pool.map(_resolves, servers))
    found = [server for server, told in zip(servers, known, strict=True) if told]
    lost = [host_and_port(server)[0] for server, told in zip(servers, known, strict=True) if not told]
    unknown = list(dict.fromkeys(lost))
    if not found:
        raise steps.failed(
            "Names",
            f"{listed(unknown)} {verb(len(unknown), 'is a name', 'are names')} that this machine cannot resolve. "
            "Check the spelling, and whether this machine uses the cluster's DNS (a VPN, /etc/hosts).",
            "name",
        )
    if unknown:
        steps.warned("Names", f"{listed(unknown)} cannot be resolved; {listed(found)} can.", "name")
    else:
        hosts = list(dict.fromkeys(host_and_port(server)[0] for server in found))
        steps.passed("Names", f"{listed(hosts)} {verb(len(hosts), 'is', 'are')} known to this machine.")
    return found


def _resolves(server: str) -> bool:
    try:
        socket.getaddrinfo(*host_and_port(server), type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return True


def _ports(steps: _Steps, servers: Sequence[str], seconds: float) -> list[str]:
    with concurrent.futures.ThreadPoolExecutor(min(_AT_ONCE, len(servers))) as pool:
        outcomes = dict(zip(servers, pool.map(lambda server: _takes(server, seconds), servers), strict=True))
    reached = [server for server, error in outcomes.items() if error is None]
    failures = {server: error for server, error in outcomes.items() if error is not None}
    if not reached:
        trouble, sentence = _unreached(failures, seconds)
        raise steps.failed("Ports", sentence, trouble)
    if failures:
        trouble, sentence = _unreached(failures, seconds)
        steps.warned("Ports", f"{listed(reached)} can be reached. {sentence}", trouble)
    else:
        steps.passed("Ports", f"{listed(reached)} {verb(len(reached), 'takes', 'take')} connections.")
    return reached


def _takes(server: str, seconds: float) -> OSError | None:
    try:
        probing.connect(server, seconds).close()
    except OSError as error:
        return error
    return None


def _unreached(failures: Mapping[str, OSError], seconds: float) -> tuple[str, str]:
    """The slug and the sentence of servers that take no connection, the most telling first."""
    by_trouble: dict[str, list[str]] = {}
    for server, error in failures.items():
        trouble = "route"
        if isinstance(error, ConnectionRefusedError):
            trouble = "refused"
        elif isinstance(error, TimeoutError) or error.errno == errno.ETIMEDOUT:
            trouble = "timeout"
        by_trouble.setdefault(trouble, []).append(server)
    words = {
        "refused": "{} refused the connection: the machine is there, and nobody listens on that port. Check the port, "
        "and whether the server runs.",
        "timeout": f"{{}} did not answer within {seconds:g} s: a firewall between, a machine that is down, or a wrong "
        "address.",
        "route": "{} cannot be reached from this machine: there is no route to it. Check the network or VPN.",
    }
    told = [words[trouble].format(listed(by_trouble[trouble])) for trouble in words if trouble in by_trouble]
    return next(trouble for trouble in words if trouble in by_trouble), " ".join(told)


# ---- what speaks there ---------------------------------------------------------------------------------------


def _speaker(steps: _Steps, name: str, server: str, connection: Connection) -> Speaker:
    try:
        return probing.what_speaks(server, connection.timeout_seconds)
    except OSError:
        raise steps.failed(name, f"{server} took a connection and then no further one.", "lost") from None


def _handshake(steps: _Steps, server: str, connection: Connection) -> bytes | None:
    """TLS as the connection asks for it; the first bytes that a broker answers, or None where none came."""
    from reseat.sources.kafka_admin.security import tls_context

    tls = replace(connection, security_protocol="SSL") if connection.zookeeper else connection
    context = tls_context(tls)
    if context is None:
        return None
    try:
        stream = probing.hello(server, context, min(connection.timeout_seconds, _CONNECT_SECONDS))
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
        when = "is over" if code == 10 else "has not begun"
        return f"The time for which the certificate of {server} is valid {when}. It must be renewed on the server."
    if code in (62, 64):
        return (
            f"The certificate of {server} is not for the name {host}. Name the server as its certificate does, or "
            "set check_hostname to false if you know that it is the right one."
        )
    known = "of the system" if connection.ca_file is None else f"in {connection.ca_file}"
    return (
        f"The certificate of {server} is signed by nobody {known} ({said}). Name a PEM file with the authority that "
        "signed it in ca_file."
    )


def _no_tls(steps: _Steps, server: str, connection: Connection, error: OSError) -> _FailedError:
    reason = getattr(error, "reason", None) or ""
    asks = (
        "asks for a certificate of the client; name cert_file and key_file."
        if connection.cert_file is None
        else "does not take the client's certificate."
    )
    if "CERTIFICATE_REQUIRED" in reason:
        return steps.failed("TLS", f"{server} {asks}", "tls")
    if "ALERT" in reason:
        words = reason.replace("_", " ").lower()
        return steps.failed("TLS", f"{server} ended the TLS handshake ({words}). Most likely it {asks}", "tls")
    speaker = _speaker(steps, "TLS", server, connection)
    if speaker is Speaker.TLS:  # it let the handshake end, or begin, and then closed without a word
        return steps.failed("TLS", f"{server} speaks TLS and closed the connection. Most likely it {asks}", "tls")
    if speaker is Speaker.KAFKA and not connection.zookeeper:
        plain = connection.security_protocol.replace("SASL_SSL", "SASL_PLAINTEXT").replace("SSL", "PLAINTEXT")
        plain = "SASL_PLAINTEXT" if connection.security_protocol == "SASL_SSL" else plain
        return steps.failed(
            "TLS",
            f"{server} is a listener of Kafka without TLS, but security_protocol is {connection.security_protocol}. "
            f"Use the port of the TLS listener, or {plain}.",
            "listener",
        )
    if speaker is Speaker.ZOOKEEPER and connection.zookeeper:
        return steps.failed(
            "TLS",
            f"{server} is ZooKeeper's plain port. Use its secure port, or set zookeeper_tls to false.",
            "listener",
        )
    return _stranger(steps, "TLS", server, speaker, connection)


def _stranger(steps: _Steps, name: str, server: str, speaker: Speaker, connection: Connection) -> _FailedError:
    """The step that says who answers instead of who was expected."""
    wanted, trouble = ("ZooKeeper", "not_zookeeper") if connection.zookeeper else ("Kafka", "not_kafka")
    words = {
        Speaker.ZOOKEEPER: "this is ZooKeeper's port. Read through ZooKeeper (--zookeeper, zookeeper = ...), or name a "
        "broker's port, by default 9092.",
        Speaker.KAFKA: "this is a Kafka broker's port. Read through the Admin protocol (--bootstrap, or bootstrap = "
        "...), or name ZooKeeper's port, by default 2181.",
        Speaker.HTTP: f"this is an HTTP server. Check the port: {wanted} speaks a protocol of its own, and no web "
        "page, REST proxy or console stands for it.",
        Speaker.TLS: "it speaks TLS, and a connection in plain text was asked for. "
        + (
            "Set zookeeper_tls to true, or use the plain port."
            if connection.zookeeper
            else f"Set security_protocol to {'SASL_SSL' if 'SASL' in connection.security_protocol else 'SSL'}, or use "
            "the port of a listener without TLS."
        ),
        Speaker.OTHER: "something answers that is neither Kafka nor ZooKeeper. Check the port.",
        Speaker.SILENT: "connections are taken and nothing is answered. Check the port; a proxy or load balancer "
        "without a server behind it behaves like this, and so does a server that stands still.",
    }
    slug = "listener" if speaker is Speaker.TLS else trouble
    return steps.failed(name, f"{server} is not {wanted} as asked for: {words[speaker]}", slug)


# ---- Kafka ---------------------------------------------------------------------------------------------------


def _kafka(steps: _Steps, connection: Connection, reached: Sequence[str]) -> None:
    from reseat.sources.kafka_admin.client import open_admin

    server = reached[0]
    try:
        answer = _handshake(steps, server, connection)
        if answer is not None:
            if not probing.is_kafka(answer):
                raise _stranger(steps, "Protocol", server, Speaker.OTHER if answer else Speaker.SILENT, connection)
        else:
            speaker = _speaker(steps, "Protocol", server, connection)
            if speaker is not Speaker.KAFKA:
                raise _stranger(steps, "Protocol", server, speaker, connection)
        steps.passed("Protocol", f"{server} speaks Kafka's protocol.")
        admin = open_admin(connection, servers=reached)
    except ClusterUnreachable as error:
        names = {"tls": "TLS", "listener": "Advertised addresses", "configuration": "Settings"}
        raise steps.failed(names.get(error.trouble, "Login"), error.sentence, error.trouble) from None
    with admin:
        version = ".".join(str(part) for part in admin.broker_version)
        how = f"as {connection.username}" if connection.username else "without a login"
        if connection.sasl_mechanism == "OAUTHBEARER":
            how = "with a token"
        steps.passed("Login", f"Let in {how}. The cluster's id is {admin.cluster_id}, Kafka {version} or later.")
        _advertised(
            steps, {broker.id: f"{_bracketed(broker.host)}:{broker.port}" for broker in admin.brokers().values()}
        )
        try:
            _rights(steps, admin)
        except ClusterUnreachable as error:
            raise steps.failed("Rights", error.sentence, error.trouble) from None


def _bracketed(host: str | None) -> str:
    return f"[{host}]" if host is not None and ":" in host else str(host)


def _advertised(steps: _Steps, addresses: Mapping[int, str]) -> None:
    """Whether this machine reaches the addresses that brokers tell their clients."""
    tried = dict(list(addresses.items())[:_MOST_BROKERS])
    if not tried:
        steps.warned("Advertised addresses", "No broker has an address.", "listener")
        return
    with concurrent.futures.ThreadPoolExecutor(min(_AT_ONCE, len(tried))) as pool:
        errors = list(pool.map(_advertised_fault, tried.values()))
    unreached = [
        f"broker {broker} ({address})"
        for (broker, address), fault in zip(tried.items(), errors, strict=True)
        if fault is not None
    ]
    if not unreached:
        steps.passed(
            "Advertised addresses",
            f"{counted(len(tried), 'broker')} can be reached at the {verb(len(tried), 'address', 'addresses')} that "
            f"{verb(len(tried), 'it tells', 'they tell')}.",
        )
        return
    names = " ".join(sorted({fault for fault in errors if fault is not None}))
    tells = verb(len(unreached), "it advertises", "they advertise")
    steps.warned(
        "Advertised addresses",
        f"{listed(unreached)} cannot be reached at the address that {tells}. {names} What only these brokers can tell "
        "(sizes, log directories) will be missing. Check advertised.listeners on the brokers, or let this machine "
        "resolve and reach these names.",
        "listener",
    )


def _advertised_fault(address: str) -> str | None:
    if not _resolves(address):
        return "A name is not known to this machine."
    return None if _takes(address, _CONNECT_SECONDS) is None else "A port takes no connection."


def _rights(steps: _Steps, admin: object) -> None:
    """The least of each kind of thing that a reading needs, to see which right is missing."""
    from typing import Any

    from kafka.protocol.admin import DescribeConfigsRequest, ListPartitionReassignmentsRequest
    from kafka.protocol.metadata import MetadataRequest

    client: Any = admin
    topics = client.send(MetadataRequest(topics=None)).topics
    missing = []
    seen = [topic.name for topic in topics if topic.error_code == 0]
    if len(seen) < len(topics):
        missing.append("DESCRIBE on Topic for some topics")
    if seen:
        request = DescribeConfigsRequest(
            resources=[DescribeConfigsRequest.DescribeConfigsResource(2, seen[0], ["min.insync.replicas"])]
        )
        if any(result.error_code == _TOPIC_DENIED for result in client.send(request).results):
            missing.append("DESCRIBE_CONFIGS on Topic (min.insync.replicas and throttles will be missing)")
    if client.supports(ListPartitionReassignmentsRequest):
        answer = client.send(ListPartitionReassignmentsRequest(timeout_ms=10_000, topics=None), broker="controller")
        if answer.error_code == _CLUSTER_DENIED:
            missing.append("DESCRIBE on Cluster (reassignments under way and sizes will be missing)")
    lacks = f" Missing: {'; '.join(missing)}." if missing else ""
    if not seen:
        steps.warned(
            "Rights",
            "No topic can be seen: the cluster is empty, or the right DESCRIBE on Topic is missing (Kafka hides topics "
            f"from who may not describe them).{lacks}",
            "authorization",
        )
    elif missing:
        steps.warned("Rights", f"{counted(len(seen), 'topic')} can be seen.{lacks}", "authorization")
    else:
        steps.passed("Rights", f"{counted(len(seen), 'topic')} can be seen, with settings and reassignments.")


# ---- ZooKeeper -----------------------------------------------------------------------------------------------


def _zookeeper(steps: _Steps, connection: Connection, reached: Sequence[str]) -> None:
    from reseat.sources.zookeeper.client import close_client, open_reading_client

    server = reached[0]
    try:
        if connection.zookeeper_tls:
            _handshake(steps, server, connection)
        else:
            speaker = _speaker(steps, "Protocol", server, connection)
            if speaker not in (
                Speaker.ZOOKEEPER,
                Speaker.SILENT,
            ):  # its commands may be switched off: then it is silent
                raise _stranger(steps, "Protocol", server, speaker, connection)
            if speaker is Speaker.ZOOKEEPER:
                steps.passed("Protocol", f"{server} is ZooKeeper.")
        client = open_reading_client(replace(connection, chroot=""), hosts=tuple(reached))
    except ClusterUnreachable as error:
        names = {"tls": "TLS", "not_zookeeper": "Protocol", "configuration": "Settings"}
        raise steps.failed(names.get(error.trouble, "Login"), error.sentence, error.trouble) from None
    try:
        how = "with a login" if connection.zookeeper_digest or connection.zookeeper_sasl_username else "without a login"
        steps.passed("Login", f"ZooKeeper gave a session {how}.")
        _nodes(steps, client, connection)
    finally:
        close_client(client)


def _nodes(steps: _Steps, client: object, connection: Connection) -> None:
    """Whether the chroot holds a Kafka cluster, and whether its nodes may be read."""
    from typing import Any

    from kazoo.exceptions import KazooException, NoAuthError, NoNodeError
    from kazoo.handlers.threading import KazooTimeoutError

    reader: Any = client
    root = connection.chroot
    try:
        if root and reader.exists(root) is None:
            raise steps.failed("Chroot", f"There is no node {root}. {_where_kafka_is(reader)}", "chroot")
        if reader.exists(f"{root}/brokers/ids") is None:
            where = f"The node {root} is there, but it" if root else "ZooKeeper's root"
            raise steps.failed("Chroot", f"{where} holds no /brokers/ids. {_where_kafka_is(reader)}", "chroot")
        steps.passed("Chroot", f"{root or 'The root'} holds a Kafka cluster.")
        denied = []
        counts = {}
        for path in ("/brokers/ids", "/brokers/topics", "/config/topics"):
            try:
                counts[path] = len(reader.get_children(f"{root}{path}"))
            except NoAuthError:
                denied.append(f"{root}{path}")
            except NoNodeError:
                counts[path] = 0
    except (KazooException, KazooTimeoutError) as error:
        raise steps.failed("Chroot", f"ZooKeeper stopped answering ({type(error).__name__}).", "lost") from None
    if "/brokers/ids" not in counts or "/brokers/topics" not in counts:
        raise steps.failed(
            "Rights",
            f"The account may not read {listed(denied)}. ZooKeeper's ACL of these nodes must give it 'r' (read).",
            "authorization",
        )
    brokers, topics = counts["/brokers/ids"], counts["/brokers/topics"]
    told = f"{counted(brokers, 'broker')} and {counted(topics, 'topic')} can be read."
    if denied:
        steps.warned("Rights", f"{told} {listed(denied)} may not be read: min.insync.replicas will be missing.", "authorization")  # fmt: skip  # noqa: E501
    elif not brokers:
        steps.warned("Rights", f"{told} No broker is registered: all of them are down, or have left.")
    else:
        steps.passed("Rights", told)


def _where_kafka_is(reader: object) -> str:
    """A sentence that names the nodes below the root that hold a Kafka cluster, as far as they may be seen."""
    from typing import Any

    from kazoo.exceptions import KazooException

    client: Any = reader
    found = []
    try:
        if client.exists("/brokers/ids") is not None:
            found.append("the root (no chroot)")
        found += [
            f"/{name}"
            for name in sorted(client.get_children("/"))[:_MOST_ROOTS]
            if name != "zookeeper" and client.exists(f"/{name}/brokers/ids") is not None
        ]
    except KazooException:
        return "The chroot stands after the servers in the brokers' zookeeper.connect."
    if found:
        return f"A Kafka cluster is at {listed(found)}."
    return "No node below the root holds a Kafka cluster. The chroot stands in the brokers' zookeeper.connect."
