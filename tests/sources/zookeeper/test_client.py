"""Connecting to ZooKeeper: what is wrong is said in words, and no secret is said at all."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kazoo.client import KazooClient
from kazoo.security import make_acl

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.sources.connection import Connection, Secret
from reseat.sources.zookeeper import read_zookeeper_cluster
from reseat.sources.zookeeper.client import close_client, open_client, open_reading_client
from reseat.sources.zookeeper.handler import Attempt
from reseat.sources.zookeeper.refusals import unreachable
from tests.servers.zookeeper import ZooKeeperServer, certificates, digest_of, start_zookeeper
from tests.sources.zookeeper.nodes_of import connection_to, put, put_topic, registration, writer

PASSWORD = "planted-Secret-1871"


def trouble_of(connection: Connection) -> ClusterUnreachable:
    """The error that opening a connection ends with."""
    with pytest.raises(ClusterUnreachable) as caught:
        close_client(open_reading_client(connection))
    return caught.value


@contextlib.contextmanager
def listener(says: bytes | None) -> Iterator[str]:
    """A server that takes connections, says something and closes; with None it stays silent. Gives host:port."""
    ends = threading.Event()
    held: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.1)

        def serve() -> None:
            while not ends.is_set():
                try:
                    taken, _ = server.accept()
                except TimeoutError:
                    continue
                held.append(taken)
                if says is not None:
                    taken.recv(100)
                    taken.sendall(says)
                    taken.close()

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"127.0.0.1:{server.getsockname()[1]}"
        finally:
            ends.set()
            thread.join()
            for taken in held:
                taken.close()


def test_a_port_where_nothing_listens_is_told_at_once() -> None:
    """Refused: the sentence names the server and asks whether ZooKeeper runs; the patience is not waited for."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

    error = trouble_of(Connection(zookeeper=(f"127.0.0.1:{port}",), timeout_seconds=600))

    assert error.reason == "refused"
    assert error.server == f"127.0.0.1:{port}"
    assert "nothing listens there" in str(error)
    assert trouble_of(Connection(zookeeper=(f"[::1]:{port}",))).server == f"[::1]:{port}"


def test_a_name_that_nobody_knows_is_told() -> None:
    """A host that does not resolve."""
    error = trouble_of(Connection(zookeeper=("no-such-host.invalid:2181",)))

    assert error.reason == "name"
    assert "No address is known for no-such-host.invalid:2181" in str(error)


def test_one_server_that_answers_is_enough(zookeeper: ZooKeeperServer) -> None:
    """Names that do not resolve and servers that are down do not matter while one of the list is there."""
    down = "127.0.0.1:1"
    client = open_reading_client(replace(connection_to(zookeeper), zookeeper=("no.invalid:1", down, zookeeper.hosts)))
    try:
        assert client.exists("/zookeeper") is not None
    finally:
        close_client(client)


@pytest.mark.parametrize("says", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"", b"\x00\x00\x00\x05hello"])
def test_something_else_than_zookeeper_is_told(says: bytes) -> None:
    """A port where something else answers, or hangs up."""
    with listener(says) as server:
        error = trouble_of(Connection(zookeeper=(server,), timeout_seconds=20))

    assert error.reason == "not_zookeeper"
    assert "does not answer like ZooKeeper" in str(error)


def test_a_server_that_says_nothing_ends_the_patience() -> None:
    """A port that takes connections and stays silent."""
    with listener(None) as server:
        error = trouble_of(Connection(zookeeper=(server,), timeout_seconds=0.5))

    assert error.reason == "timeout"
    assert "has sent nothing for 0.5 s" in str(error)


def test_waiting_for_a_connection_can_be_stopped() -> None:
    """Cancelled while a silent server is waited for."""
    stop = threading.Event()
    stop.set()
    with listener(None) as server, pytest.raises(Cancelled):
        open_reading_client(Connection(zookeeper=(server,)), cancelled=stop)


@pytest.mark.parametrize(
    "connection",
    [
        Connection(zookeeper=("host:port",)),
        Connection(zookeeper=(":2181",)),
        Connection(zookeeper=("127.0.0.1:2181",), chroot="/a/../b"),
        Connection(zookeeper=("127.0.0.1:2181",), zookeeper_tls=True, ca_file="/nowhere/ca.pem"),
    ],
)
def test_what_is_no_connection_is_refused_before_anything_is_sent(connection: Connection) -> None:
    """Addresses, chroots and files that cannot be."""
    assert trouble_of(connection).reason == "configuration"


def test_a_chroot_that_is_not_there_is_told(zookeeper: ZooKeeperServer) -> None:
    """The sentence names the path; where a child of the chroot holds a cluster, it names that."""
    with writer(zookeeper, "/nested/kafka") as client:
        put(client, "/brokers/ids/1", registration(1))

    missing = trouble_of(connection_to(zookeeper, "/no-such-chroot"))
    with pytest.raises(ClusterUnreachable) as empty:
        read_zookeeper_cluster(connection_to(zookeeper, "/nested"))

    assert missing.reason == empty.value.reason == "chroot"
    assert "has no node /no-such-chroot" in str(missing)
    assert "There is one below /nested/kafka." in str(empty.value)


# ---- authentication ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ZooKeeperServer]:
    """A ZooKeeper with a superuser, SASL for one user and nothing for who comes without."""
    server = start_zookeeper(
        tmp_path_factory.mktemp("guarded"), superuser=f"super:{PASSWORD}", sasl={"reader": PASSWORD}
    )
    try:
        yield server
    finally:
        server.stop()


def closed_to_all_but(server: ZooKeeperServer, chroot: str, scheme: str, identity: str, *, states: bool = True) -> None:
    """A cluster whose nodes one identity may read, and nobody else."""
    client = KazooClient(server.hosts, auth_data=[("digest", f"super:{PASSWORD}")])
    client.start()
    try:
        client.ensure_path(chroot)
        client.chroot = chroot
        put(client, "/brokers/ids/1", registration(1, "a"))
        put_topic(client, "orders", {0: [1]})
        put(client, "/config/brokers/1", {"version": 1, "config": {"leader.replication.throttled.rate": "1"}})
        only = [make_acl(scheme, identity, read=True)]
        state = "/brokers/topics/orders/partitions/0/state"
        for path in ("/brokers/ids", "/brokers/ids/1", "/brokers/topics", "/brokers/topics/orders"):
            client.set_acls(path, only)
        client.set_acls(state, only if states else [make_acl("digest", digest_of("nobody:x"), read=True)])
        client.ensure_path("/admin/reassign_partitions")
        for path in ("/config/brokers", "/admin/reassign_partitions"):
            client.set_acls(path, [make_acl("digest", digest_of("nobody:x"), read=True)])
    finally:
        client.stop()
        client.close()


def test_read_on_the_essential_nodes_suffices(guarded: ZooKeeperServer) -> None:
    """An account with READ alone on the nodes of ESSENTIAL reads a layout; what is closed is named."""
    closed_to_all_but(guarded, "/digest", "digest", digest_of(f"viewer:{PASSWORD}"))

    snapshot = read_zookeeper_cluster(connection_to(guarded, "/digest", zookeeper_digest=Secret(f"viewer:{PASSWORD}")))

    assert snapshot.layout.assignments() == {("orders", 0): [1]}
    assert snapshot.layout.leader_ids.tolist() == [1]
    assert snapshot.not_read[0].startswith(
        "This account may not read 2 nodes in ZooKeeper: /admin/reassign_partitions and /config/brokers."
    )
    assert not snapshot.under_way_told


def test_without_permission_on_the_essential_nodes_nothing_is_shown(guarded: ZooKeeperServer) -> None:
    """Nobody's account, and a wrong digest, which ZooKeeper takes for somebody else."""
    closed_to_all_but(guarded, "/closed", "digest", digest_of(f"viewer:{PASSWORD}"))
    for secret in (None, Secret("viewer:wrong")):
        with pytest.raises(ClusterUnreachable) as caught:
            read_zookeeper_cluster(connection_to(guarded, "/closed", zookeeper_digest=secret))

        assert caught.value.reason == "authorization"
        assert "may not read /brokers/ids and /brokers/topics" in str(caught.value)
        assert "READ, and nothing else" in str(caught.value)


def test_states_that_are_closed_are_not_told(guarded: ZooKeeperServer) -> None:
    """A partition whose state this account may not read has no leader told, and a finding with its path."""
    closed_to_all_but(guarded, "/states", "world", "anyone", states=False)

    snapshot = read_zookeeper_cluster(connection_to(guarded, "/states"))

    assert snapshot.layout.leader_ids.tolist() == [-2]
    assert [f.places for f in snapshot.findings if f.kind == "state_denied"] == [
        ("/brokers/topics/orders/partitions/0/state",)
    ]


def test_sasl_lets_in_who_has_the_password(guarded: ZooKeeperServer) -> None:
    """DIGEST-MD5: the right password reads what the SASL identity may read, a wrong one is refused in words."""
    closed_to_all_but(guarded, "/sasl", "sasl", "reader")
    right = connection_to(guarded, "/sasl", zookeeper_sasl_username="reader", zookeeper_sasl_password=Secret(PASSWORD))

    snapshot = read_zookeeper_cluster(right)
    error = trouble_of(replace(right, zookeeper_sasl_password=Secret("wrong")))

    assert snapshot.layout.assignments() == {("orders", 0): [1]}
    assert error.reason == "authentication"
    assert "did not accept the SASL user reader" in str(error)
    assert "wrong" not in str(error)


def test_no_secret_reaches_a_log_or_an_exception(guarded: ZooKeeperServer, caplog: pytest.LogCaptureFixture) -> None:
    """With every log at its most talkative, over success, failure and a lost connection."""
    names = [*logging.root.manager.loggerDict, "kazoo", "kazoo.client", "kazoo.protocol.connection", "reseat.zookeeper"]
    for name in names:
        caplog.set_level(1, logger=name)
    caplog.set_level(1)
    connection = connection_to(
        guarded,
        zookeeper_digest=Secret(f"viewer:{PASSWORD}"),
        zookeeper_sasl_username="reader",
        zookeeper_sasl_password=Secret(PASSWORD),
    )
    said = [repr(connection), str(connection)]
    for tried in (
        connection,
        replace(connection, chroot="/nowhere"),
        replace(connection, zookeeper_sasl_username="nobody"),
        replace(connection, zookeeper=("127.0.0.1:1",)),
    ):
        try:
            client = open_client(tried)
        except ClusterUnreachable as error:
            said += ["".join(traceback.format_exception(error)), repr(error)]
        else:
            said += [repr(client), str(client)]
            session = client._session_passwd.hex()
            close_client(client)
            assert session not in caplog.text
    said.append(caplog.text)
    said += [str(vars(record)) for record in caplog.records]

    assert any("Zookeeper connection established" in text for text in said)
    assert not [text for text in said if PASSWORD in text]


# ---- TLS -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ZooKeeperServer, Connection]]:
    """A ZooKeeper with a TLS port that asks for a client's certificate, and a connection that has all it needs.

    Its own certificate is for 127.0.0.1, and not for that address's name.
    """
    folder = tmp_path_factory.mktemp("secured")
    issued, client = certificates(folder / "certificates", "127.0.0.1")
    server = start_zookeeper(folder, certificates=issued, superuser=f"super:{PASSWORD}", sasl={"reader": PASSWORD})
    connection = Connection(
        zookeeper=(f"127.0.0.1:{server.secure_port}",),
        zookeeper_tls=True,
        ca_file=str(issued.authority),
        cert_file=str(client),
        timeout_seconds=5,
    )
    try:
        yield server, connection
    finally:
        server.stop()


def test_tls_with_a_client_certificate_reads(secured: tuple[ZooKeeperServer, Connection]) -> None:
    """The certificate of both sides is checked, and the cluster is read through it."""
    server, connection = secured
    with writer(server) as client:
        put(client, "/brokers/ids/1", registration(1))
        put_topic(client, "orders", {0: [1]})

    assert read_zookeeper_cluster(connection).layout.assignments() == {("orders", 0): [1]}


def test_sasl_within_tls_reads_what_only_its_user_may(secured: tuple[ZooKeeperServer, Connection]) -> None:
    """Both at once; with the certificate alone the nodes stay closed, and a wrong password is refused."""
    server, by_certificate = secured
    closed_to_all_but(server, "/both", "sasl", "reader")
    there = replace(by_certificate, chroot="/both")
    both = replace(there, zookeeper_sasl_username="reader", zookeeper_sasl_password=Secret(PASSWORD))
    with pytest.raises(ClusterUnreachable) as closed:
        read_zookeeper_cluster(there)

    assert read_zookeeper_cluster(both).layout.assignments() == {("orders", 0): [1]}
    assert closed.value.reason == "authorization"
    assert trouble_of(replace(both, zookeeper_sasl_password=Secret("wrong"))).reason == "authentication"


def test_what_is_wrong_with_tls_is_told(secured: tuple[ZooKeeperServer, Connection], tmp_path: Path) -> None:
    """An authority that did not sign, no client certificate, TLS to the plain port, and none to the TLS port."""
    server, connection = secured
    stranger, _ = certificates(tmp_path, "localhost")

    untrusted = trouble_of(replace(connection, ca_file=str(stranger.authority)))
    nameless = trouble_of(replace(connection, cert_file=None))
    plain = trouble_of(replace(connection, zookeeper=(server.hosts,)))
    secure = trouble_of(replace(connection, zookeeper_tls=False))

    assert untrusted.reason == nameless.reason == plain.reason == "tls"
    assert "is not accepted" in str(untrusted)
    assert "client's certificate" in str(nameless)
    assert "plain port" in str(plain)
    assert secure.reason == "not_zookeeper"
    assert "TLS port" in str(secure)


@pytest.mark.parametrize("error", [ssl.SSLZeroReturnError(), ssl.SSLEOFError(), ConnectionResetError()], ids=repr)
def test_whoever_ends_a_handshake_may_be_a_plain_port(error: OSError) -> None:
    """Whatever this version of Python calls it."""
    connection = Connection(zookeeper=("zk:2181",), zookeeper_tls=True)
    if isinstance(error, ssl.SSLError):
        error.reason = ""  # OpenSSL's, where it has one
    refusal = unreachable([Attempt("zk:2181", error)], connection.zookeeper, connection)

    assert refusal.reason == "tls"
    assert "zk:2181" in refusal.sentence
    assert "is it ZooKeeper's plain port?" in refusal.sentence


def test_the_hostname_of_a_certificate_is_checked(secured: tuple[ZooKeeperServer, Connection]) -> None:
    """A certificate for another host is refused, unless the check is switched off."""
    server, connection = secured
    elsewhere = replace(connection, zookeeper=(f"localhost:{server.secure_port}",))
    error = trouble_of(elsewhere)
    close_client(open_reading_client(replace(elsewhere, check_hostname=False)))

    assert error.reason == "tls"
    assert "is not accepted" in str(error)
