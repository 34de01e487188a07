"""A test of a connection says what is wrong: small servers stand for what a person may have named by mistake."""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

from reseat.sources.configuration import connection_from_values
from reseat.sources.connection import Connection
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome, diagnose
from reseat.sources.probing import Speaker, what_speaks
from tests.servers.zookeeper import start_zookeeper

Answer = Callable[[bytes], bytes]


@contextlib.contextmanager
def listening(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[str]:
    """A server on a free port that answers the first bytes of each connection, and closes it where that is nothing."""
    server = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def serve_one(plain: socket.socket) -> None:
        with contextlib.suppress(OSError), plain:
            plain.settimeout(10)
            stream = plain if context is None else context.wrap_socket(plain, server_side=True)
            with stream:
                while not ended.is_set():
                    question = stream.recv(4096)
                    reply = answer(question) if question else b""
                    if not reply:
                        return
                    stream.sendall(reply)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                stream, _ = server.accept()
                threading.Thread(target=serve_one, args=(stream,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        ended.set()
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def web(question: bytes) -> bytes:
    """An HTTP server, which takes everything for HTTP."""
    return b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"


def zookeeper(question: bytes) -> bytes:
    """A ZooKeeper without quorum, as far as ``srvr`` goes."""
    return b"This ZooKeeper instance is not currently serving requests\n" if question == b"srvr" else b""


def kafka(question: bytes) -> bytes:
    """A broker, as far as its list of versions goes: error code 0, no versions."""
    if question[4:6] != struct.pack(">h", 18):
        return b""
    body = question[8:12] + struct.pack(">hi", 0, 0)
    return struct.pack(">i", len(body)) + body


def silent(question: bytes) -> bytes:
    """Takes a connection and closes it."""
    return b""


def free() -> str:
    """An address at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"127.0.0.1:{server.getsockname()[1]}"


def test(connection: Connection) -> DiagnosisStep:
    """The last step of a test; all before it passed, or warned."""
    reported: list[DiagnosisStep] = []
    steps = diagnose(connection, report=reported.append)

    assert tuple(reported) == steps
    assert all(step.outcome is not StepOutcome.FAILED for step in steps[:-1])
    return steps[-1]


test.__test__ = False  # type: ignore[attr-defined]


def brokers(*servers: str, **more: object) -> Connection:
    """A connection through brokers."""
    return connection_from_values({"bootstrap": ",".join(servers), "timeout_seconds": 4, **more})


def through_zookeeper(*servers: str, **more: object) -> Connection:
    """A connection through ZooKeeper."""
    return connection_from_values({"zookeeper": ",".join(servers), "timeout_seconds": 4, **more})


@pytest.mark.parametrize("make", [brokers, through_zookeeper])
def test_a_name_that_does_not_resolve(make: Callable[..., Connection]) -> None:
    """Named, with where names come from."""
    step = test(make("no-such-host.invalid:1"))

    assert (step.name, step.outcome, step.reason) == ("Names", StepOutcome.FAILED, "name")
    assert "no-such-host.invalid" in step.sentence


@pytest.mark.parametrize("make", [brokers, through_zookeeper])
def test_a_port_on_which_nobody_listens(make: Callable[..., Connection]) -> None:
    """Refused: the machine is there, the server is not."""
    server = free()
    step = test(make(server))

    assert (step.name, step.reason) == ("Ports", "refused")
    assert server in step.sentence


def test_one_server_of_two_suffices() -> None:
    """The other is named as a warning, and the test goes on."""
    with listening(web) as server:
        steps = diagnose(brokers("no-such-host.invalid:1", server))

    assert [(step.name, step.outcome) for step in steps] == [
        ("Names", StepOutcome.WARNED),
        ("Ports", StepOutcome.PASSED),
        ("Protocol", StepOutcome.FAILED),
    ]


@pytest.mark.parametrize(
    ("answer", "trouble", "words"),
    [(web, "not_kafka", "HTTP server"), (zookeeper, "not_kafka", "ZooKeeper's port"), (silent, "not_kafka", "nothing")],
)
def test_what_is_not_kafka(answer: Answer, trouble: str, words: str) -> None:
    """Recognised for what it is."""
    with listening(answer) as server:
        step = test(brokers(server))

    assert (step.name, step.reason) == ("Protocol", trouble)
    assert words in step.sentence


@pytest.mark.parametrize(
    ("answer", "trouble", "words"),
    [(web, "not_zookeeper", "HTTP server"), (kafka, "not_zookeeper", "Kafka broker's port")],
)
def test_what_is_not_zookeeper(answer: Answer, trouble: str, words: str) -> None:
    """Recognised for what it is."""
    with listening(answer) as server:
        step = test(through_zookeeper(server))

    assert (step.name, step.reason) == ("Protocol", trouble)
    assert words in step.sentence


# ---- TLS -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> tuple[trustme.CA, Path]:
    """An authority, and its certificate in a file."""
    made = trustme.CA()
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    made.cert_pem.write_to_path(str(file))
    return made, file


def served(authority: trustme.CA, *names: str, **more: object) -> ssl.SSLContext:
    """The TLS of a server with a certificate for these names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(*names, **more).configure_cert(context)  # type: ignore[arg-type]
    return context


def test_plain_text_against_tls_and_the_other_way_round(authority: tuple[trustme.CA, Path]) -> None:
    """Either is the wrong listener, and the sentence names the protocol that fits."""
    made, file = authority
    with listening(kafka, served(made, "127.0.0.1")) as server:
        plain = test(brokers(server))
    with listening(kafka) as server:
        tls = test(brokers(server, security_protocol="SSL", ca_file=str(file)))
        sasl = test(brokers(server, security_protocol="SASL_SSL", sasl_mechanism="PLAIN", username="a", password="b"))

    assert (plain.reason, tls.reason, sasl.reason) == ("listener", "listener", "listener")
    assert "SSL" in plain.sentence
    assert "or PLAINTEXT." in tls.sentence
    assert "or SASL_PLAINTEXT." in sasl.sentence


def test_an_authority_that_is_not_known(authority: tuple[trustme.CA, Path]) -> None:
    """ca_file is what is missing."""
    with listening(kafka, served(authority[0], "127.0.0.1")) as server:
        step = test(brokers(server, security_protocol="SSL"))

    assert (step.name, step.reason) == ("TLS", "tls")
    assert "ca_file" in step.sentence


def test_a_certificate_for_another_name(authority: tuple[trustme.CA, Path]) -> None:
    """The name that was asked for is in the sentence; check_hostname switches it off."""
    made, file = authority
    with listening(kafka, served(made, "broker.example.com")) as server:
        step = test(brokers(server, security_protocol="SSL", ca_file=str(file)))
        lenient = diagnose(brokers(server, security_protocol="SSL", ca_file=str(file), check_hostname=False))

    assert step.reason == "tls"
    assert "not issued for the name 127.0.0.1" in step.sentence
    assert next(one for one in lenient if one.name == "TLS").outcome is StepOutcome.PASSED


def test_a_certificate_that_is_over(authority: tuple[trustme.CA, Path]) -> None:
    """Expired: to be mended on the server."""
    from datetime import UTC, datetime

    made, file = authority
    context = served(
        made, "127.0.0.1", not_after=datetime(2020, 1, 1, tzinfo=UTC), not_before=datetime(2019, 1, 1, tzinfo=UTC)
    )
    with listening(kafka, context) as server:
        step = test(brokers(server, security_protocol="SSL", ca_file=str(file)))

    assert step.reason == "tls"
    assert "renewed" in step.sentence


def test_a_server_that_asks_for_a_certificate(authority: tuple[trustme.CA, Path]) -> None:
    """cert_file and key_file are what is missing."""
    made, file = authority
    context = served(made, "127.0.0.1")
    context.verify_mode = ssl.CERT_REQUIRED
    made.configure_trust(context)
    with listening(kafka, context) as server:
        step = test(brokers(server, security_protocol="SSL", ca_file=str(file)))

    assert (step.name, step.reason) == ("TLS", "tls")
    assert "requires a client certificate" in step.sentence


def test_a_web_server_with_tls(authority: tuple[trustme.CA, Path]) -> None:
    """TLS is fine there, and still it is not Kafka."""
    made, file = authority
    with listening(web, served(made, "127.0.0.1")) as server:
        step = test(brokers(server, security_protocol="SSL", ca_file=str(file)))

    assert (step.name, step.reason) == ("Protocol", "not_kafka")


@pytest.mark.parametrize(
    ("answer", "speaker"),
    [(web, Speaker.HTTP), (zookeeper, Speaker.ZOOKEEPER), (kafka, Speaker.KAFKA), (silent, Speaker.SILENT)],
)
def test_who_speaks(answer: Answer, speaker: Speaker) -> None:
    """Each by the answer to the question that it understands."""
    with listening(answer) as server:
        found = what_speaks(server, 4)

    assert found is speaker


# ---- a real ZooKeeper ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ensemble(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A ZooKeeper with an empty cluster at /right, a node /wrong without one, and /closed, which nobody may read."""
    from kazoo.client import KazooClient
    from kazoo.security import make_digest_acl

    server = start_zookeeper(tmp_path_factory.mktemp("zookeeper"))
    client = KazooClient(hosts=server.hosts)
    try:
        client.start(20)
        for path in ("/right/brokers/ids/1", "/right/brokers/topics", "/wrong", "/closed/brokers/ids/1"):
            client.ensure_path(path)
        client.create("/closed/brokers/topics", acl=[make_digest_acl("owner", "owned", read=True)])
        yield server.hosts
    finally:
        client.stop()
        client.close()
        server.stop()


def test_zookeeper_that_can_be_read(ensemble: str) -> None:
    """Every step passes, and the last one counts what is there."""
    steps = diagnose(through_zookeeper(f"{ensemble}/right"))

    assert [step.outcome for step in steps] == [StepOutcome.PASSED] * 6
    assert steps[-1].sentence == "1 broker and 0 topics can be read."


@pytest.mark.parametrize("chroot", ["", "/wrong", "/no/such"])
def test_a_chroot_without_kafka_names_those_that_have_one(ensemble: str, chroot: str) -> None:
    """The sentence says where Kafka's nodes are."""
    step = test(through_zookeeper(f"{ensemble}{chroot}"))

    assert (step.name, step.reason) == ("Chroot", "chroot")
    assert "A Kafka cluster is at /closed and /right." in step.sentence


def test_nodes_that_may_not_be_read(ensemble: str) -> None:
    """The node and the right that is missing are named."""
    step = test(through_zookeeper(f"{ensemble}/closed"))

    assert (step.name, step.reason) == ("Rights", "authorization")
    assert "/closed/brokers/topics" in step.sentence


def test_zookeepers_port_named_as_a_brokers(ensemble: str) -> None:
    """Recognised by its own answer."""
    step = test(brokers(ensemble))

    assert step.reason == "not_kafka"
    assert "this is ZooKeeper's port" in step.sentence
