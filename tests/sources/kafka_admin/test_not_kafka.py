"""Addresses behind which no broker is: each told in words, within the timeout, without a server's help."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from kafka.protocol.metadata import MetadataRequest

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.connection import Connection, Secret
from reseat.sources.kafka_admin import read_admin_cluster
from reseat.sources.kafka_admin.client import open_admin
from tests.servers.stub_kafka import StubKafka, even

Serve = Callable[[bytes | None], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts a server that answers whatever comes with the same bytes and closes; None: it stays silent."""
    listening: list[socket.socket] = []
    held: list[socket.socket] = []

    def start(answer: bytes | None) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        listening.append(server)

        def accept() -> None:
            while True:
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                if answer is None:
                    held.append(peer)
                    continue
                with peer:
                    peer.recv(4096)
                    peer.sendall(answer)

        threading.Thread(target=accept, daemon=True).start()
        return f"127.0.0.1:{server.getsockname()[1]}"

    yield start
    for server in listening:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    for peer in held:
        peer.close()


def _trouble(server: str, **choices: object) -> ClusterUnreachable:
    with pytest.raises(ClusterUnreachable) as refused:
        open_admin(Connection(bootstrap=(server,), timeout_seconds=2.0, **choices))  # type: ignore[arg-type]
    return refused.value


@pytest.mark.parametrize(
    "answer",
    [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x00\x00\x00\x08\x00\x00\x00\x63abcd", b"SSH-2.0-OpenSSH_9.2\r\n"],
    ids=["http", "closes", "other frame", "ssh"],
)
def test_what_is_not_kafka_is_called_so(serve: Serve, answer: bytes) -> None:
    """A server that answers in another protocol, or just closes, is told as not Kafka."""
    server = serve(answer)

    refused = _trouble(server)

    assert (refused.reason, refused.server) == ("not_kafka", server), str(refused)


@pytest.mark.parametrize("answers", [2, None], ids=["told a moment later", "never told"])
def test_a_broker_that_has_only_just_started(answers: int | None) -> None:
    """It knows no broker until the controller tells it: it is asked again, and never said to be anything but Kafka."""
    asked: list[int] = []

    def at_first_without(answer: Any, request: object, broker: int) -> Any:
        asked.append(broker)
        if answers is None or len(asked) <= answers:
            answer.brokers = []
        return answer

    with StubKafka(even(1, 1, [1], 1), {1: "a"}, changes={MetadataRequest: at_first_without}) as stub:
        if answers is None:
            refused = _trouble(stub.bootstrap[0])
            assert (refused.reason, len(asked)) == ("lost", 3)
            assert f"{stub.bootstrap[0]} answers, but knows no broker of its cluster" in str(refused)
            assert "not a broker" not in str(refused)
        else:
            with open_admin(Connection(bootstrap=stub.bootstrap, timeout_seconds=2.0)) as admin:
                assert list(admin.brokers()) == [1]


def test_a_silent_server_costs_the_timeout_and_no_more(serve: Serve) -> None:
    """A port that takes the connection and never answers ends with a timeout that says so."""
    server = serve(None)
    start = time.monotonic()

    refused = _trouble(server)

    assert refused.reason == "timeout"
    assert "accepted the connection" in str(refused)
    assert time.monotonic() - start < 10


def test_a_silent_server_costs_a_tls_handshake_the_timeout_too(serve: Serve) -> None:
    """A TLS handshake that is never answered ends within the timeout."""
    refused = _trouble(serve(None), security_protocol="SSL")

    assert refused.reason == "timeout"


def test_a_closed_port_and_an_unknown_name_are_told_apart() -> None:
    """Refused and not resolving are two slugs, and all name the server as one writes it: IPv6 in brackets."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    refused, unknown = _trouble(f"127.0.0.1:{port}"), _trouble("broker.invalid:9092")

    assert (refused.reason, refused.server) == ("refused", f"127.0.0.1:{port}")
    assert (unknown.reason, unknown.server) == ("name", "broker.invalid:9092")
    assert _trouble(f"[::1]:{port}").server == f"[::1]:{port}"


def test_of_several_servers_one_that_is_reached_is_told_about(serve: Serve) -> None:
    """Where a closed port and another protocol fail together, the one that came further is told."""
    with pytest.raises(ClusterUnreachable) as refused:
        open_admin(Connection(bootstrap=("broker.invalid:9092", serve(b"nothing like Kafka")), timeout_seconds=2.0))

    assert refused.value.reason == "not_kafka"
    assert str(refused.value).endswith("Nor could the other servers be used: broker.invalid:9092 (name).")


def test_a_broker_that_closes_what_it_takes_while_it_starts_is_asked_again() -> None:
    """A proxy before a broker that is not there yet takes connections and closes them; a moment later it is there."""
    with StubKafka(even(1, 1, [1], 1), {1: None}) as cluster, socket.create_server(("127.0.0.1", 0)) as front:
        closed: list[socket.socket] = []

        def take() -> None:
            with contextlib.suppress(OSError):
                while len(closed) < 2:
                    peer, _ = front.accept()
                    peer.close()
                    closed.append(peer)
                peer, _ = front.accept()
                with (
                    peer,
                    socket.create_connection(("127.0.0.1", int(cluster.bootstrap[0].rpartition(":")[2]))) as behind,
                ):
                    threading.Thread(target=_pass_on, args=(behind, peer), daemon=True).start()
                    _pass_on(peer, behind)

        threading.Thread(target=take, daemon=True).start()

        with open_admin(Connection(bootstrap=(f"127.0.0.1:{front.getsockname()[1]}",), timeout_seconds=5.0)) as admin:
            assert list(admin.brokers()) == [1]
        assert len(closed) == 2


def _pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while received := source.recv(4096):
            target.sendall(received)


def test_a_stop_is_heeded_while_nothing_answers(serve: Serve) -> None:
    """A reading that waits for a silent server is stopped at once, long before its timeout."""
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    start = time.monotonic()

    with pytest.raises(Cancelled):
        read_admin_cluster(Connection(bootstrap=(serve(None),), timeout_seconds=60.0), cancelled=stop)

    assert time.monotonic() - start < 20


def test_settings_that_cannot_be_used_are_named() -> None:
    """Nothing is sent where a setting is wrong; the sentence names it, and no value that is secret."""
    secret = Secret("planted-Secret-4711")
    troubles = {
        "ca_file": _trouble("broker.invalid:9092", security_protocol="SSL", ca_file="/nowhere/ca.pem"),
        "token_command": _trouble(
            "broker.invalid:9092",
            security_protocol="SASL_SSL",
            sasl_mechanism="OAUTHBEARER",
            token_command=("/nowhere/token", "--password", secret.reveal()),
        ),
        "username": _trouble(
            "broker.invalid:9092", security_protocol="SASL_SSL", sasl_mechanism="PLAIN", password=secret
        ),
        "bearer token": _trouble(
            "broker.invalid:9092",
            security_protocol="SASL_SSL",
            sasl_mechanism="OAUTHBEARER",
            token=Secret(secret.reveal() + "\x01auth=other"),
        ),
    }

    for setting, trouble in troubles.items():
        assert trouble.reason == "configuration"
        assert setting in str(trouble)
        assert secret.reveal() not in str(trouble)
