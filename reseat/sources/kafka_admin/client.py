"""A client of Kafka's Admin protocol that every caller uses: for reading and for writing alike.

A thin wrapper over kafka-python's connection manager, which runs on a thread of its own. What it adds: requests to
many brokers in flight at once; timeouts that hold; every failure as ``ClusterUnreachable`` with a slug and a sentence;
and no secret in logs or exceptions.

    with open_admin(connection) as admin:
        answer = admin.send(MetadataRequest(topics=None))
        answers = [admin.submit(DescribeLogDirsRequest(topics=None), broker=id) for id in admin.brokers()]
"""

from __future__ import annotations

import concurrent.futures
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from types import TracebackType
from typing import Any, TypeAlias

from kafka.protocol.metadata import MetadataRequest

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.model import Broker, BrokerState
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.connection_errors import unreachable
from reseat.sources.kafka_admin.connector import CONNECTION_ERRORS, Connector, most_telling
from reseat.sources.kafka_admin.network import Network
from reseat.sources.kafka_admin.quiet_logging import withhold_secrets
from reseat.sources.kafka_admin.requests import metadata_of
from reseat.sources.probing import speaks_tls

__all__ = ["AdminClient", "PendingAnswer", "open_admin", "outcome", "told_by_brokers"]

#: An answer under way; ``result()`` raises ``ClusterUnreachable``.
PendingAnswer: TypeAlias = "concurrent.futures.Future[Any]"

#: A caller waits this much longer than the client's own deadline before it gives the client up.
_GRACE_SECONDS = 3.0
#: Addresses learnt this long ago are asked for again where one does not lead to its broker.
_FRESH_SECONDS = 2.0
#: How long a set ``cancelled`` may go unseen.
_LOOK_SECONDS = 0.1
#: Pauses before servers that closed the connection at once, or know no broker yet, are asked again.
_AGAIN_SECONDS = (0.25, 0.75)
#: How long a server may take to answer the question whether it speaks TLS.
_PROBE_SECONDS = 3.0
_NOT_CONTROLLER = 41


def open_admin(
    connection: Connection, *, servers: Sequence[str] | None = None, cancelled: threading.Event | None = None
) -> AdminClient:
    """Connect to a cluster.

    Args:
        connection: security and timeout; its ``bootstrap`` are the servers asked first.
        servers: ``host:port`` to ask first instead.
        cancelled: set by another thread to stop waiting.

    Raises:
        Cancelled: ``cancelled`` was set.
        ClusterUnreachable: ``name``, ``route``, ``refused``, ``timeout``: no server could be reached; ``not_kafka``,
            ``tls``, ``authentication``, ``authorization``, ``version``: one was, and it did not let us in;
            ``listener``: it did, but the addresses that the brokers advertise cannot be reached;
            ``configuration``: a setting cannot be used.
    """
    admin = AdminClient(connection, tuple(servers if servers is not None else connection.bootstrap))
    try:
        admin.connect(cancelled)
    except BaseException:
        admin.close()
        raise
    return admin


class AdminClient:
    """An open connection to one cluster. Made by ``open_admin``; safe to use from several threads.

    Attributes:
        connection: how it was reached.
        cluster_id: the id that the cluster gives itself, or None where not told (before 0.10.1).
    """

    def __init__(self, connection: Connection, servers: tuple[str, ...]) -> None:
        withhold_secrets()
        if not servers:
            raise ClusterUnreachable("No server given; host:port of a broker was expected.", "configuration")
        self.connection = connection
        self.cluster_id: str | None = None
        self._servers = servers
        self._closed = False
        self._refreshed = 0.0
        self._refused: dict[str, str] = {}  # of the servers asked first, where none let us in: why, as a slug
        self._network = Network(servers, connection)
        self._connector = Connector(self._network, connection)

    def __enter__(self) -> AdminClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"AdminClient({','.join(self._servers)})"

    # ---- what the cluster told at the start ------------------------------------------------------------------

    @property
    def versions(self) -> dict[int, tuple[int, int]]:
        """Lowest and highest version by request key (KIP-35), as the first broker reached told them."""
        return self._network.versions

    @property
    def broker_version(self) -> tuple[int, ...]:
        """Kafka's version as the requests it knows tell it: ``(2, 8)``; a later patch looks the same."""
        return self._network.broker_version

    def supports(self, request: type, version: int = 0) -> bool:
        """Whether the cluster and kafka-python both know this version (or a later one) of a request."""
        known = self.versions.get(request.API_KEY)  # type: ignore[attr-defined]
        return known is not None and known[1] >= version and request.max_version >= version  # type: ignore[attr-defined]

    @property
    def patience(self) -> float:
        """Seconds after which a caller gives up on an answer: a little more than what the client itself allows."""
        return self.connection.timeout_seconds + _GRACE_SECONDS

    def brokers(self) -> dict[int, Broker]:
        """The brokers that were alive when metadata was read last, by id, at the addresses they advertise."""
        return {
            node.node_id: Broker(node.node_id, node.rack, node.host, node.port, BrokerState.ALIVE)
            for node in sorted(self._network.brokers(), key=lambda node: node.node_id)
        }

    # ---- asking ----------------------------------------------------------------------------------------------

    def send(
        self, request: Any, broker: int | str | None = None, *, timeout: float | None = None, again: bool = False
    ) -> Any:
        """Send a request and wait for its response. Arguments and errors as ``submit``."""
        seconds = self.connection.timeout_seconds if timeout is None else timeout
        return self.wait(self.submit(request, broker, timeout=seconds, again=again), seconds)

    def submit(
        self, request: Any, broker: int | str | None = None, *, timeout: float | None = None, again: bool = False
    ) -> PendingAnswer:
        """Send a request and return at once; several may be in flight, also to one broker.

        Args:
            request: one of kafka-python's request classes; its version is the highest that both sides know.
            broker: a broker's id; ``"controller"`` (asked for anew; one NOT_CONTROLLER is followed to where the
                controller went); None: any broker that can be reached.
            timeout: seconds for connecting, sending and the response together; the connection's by default.
            again: whether another broker is asked where the connection is lost after the request was sent. Only
                for requests that change nothing, and only with ``broker=None``.

        Returns:
            A future whose ``result()`` is the response, or raises ``ClusterUnreachable``: ``lost`` or ``timeout``
            leave open whether the broker did what it was asked; every other slug says that it did not.
            Errors inside a response are left to the caller.
        """
        seconds = self.connection.timeout_seconds if timeout is None else timeout
        deadline = time.monotonic() + seconds
        if broker == "controller":
            return self._start(lambda: self._to_controller(request, deadline))
        if isinstance(broker, int):
            return self._start(lambda: self._to_broker(request, broker, deadline))
        return self._start(lambda: self._to_any(request, deadline, again))

    def wait(self, answer: PendingAnswer, seconds: float | None = None) -> Any:
        """The result of an answer under way, at the latest a little after its own timeout.

        Raises:
            ClusterUnreachable: as the answer says, or ``timeout`` where even the client's thread does not answer.
        """
        patience = (self.connection.timeout_seconds if seconds is None else seconds) + _GRACE_SECONDS
        try:
            return answer.result(patience)
        except concurrent.futures.TimeoutError:
            raise ClusterUnreachable(f"The cluster did not answer within {patience:g} s.", "timeout") from None

    def refresh(self) -> dict[int, Broker]:
        """Ask for the brokers again (metadata without topics) and return them as ``brokers``.

        Raises:
            ClusterUnreachable: no broker answers.
        """
        deadline = time.monotonic() + self.connection.timeout_seconds
        self.wait(self._start(lambda: self._refresh(deadline)))
        return self.brokers()

    def close(self) -> None:
        """Close every connection; requests under way end with ``lost``. Again does no harm."""
        if self._closed:
            return
        self._closed = True
        self._network.close(_GRACE_SECONDS)

    # ---- the start -------------------------------------------------------------------------------------------

    def connect(self, cancelled: threading.Event | None = None) -> None:
        """Reach one of the servers, be let in, learn of the brokers, and reach one of these. Errors: ``open_admin``."""
        deadline = time.monotonic() + self.connection.timeout_seconds
        answer = self._start(lambda: self._connect(deadline))
        while cancelled is not None and time.monotonic() < deadline:
            if concurrent.futures.wait([answer], _LOOK_SECONDS).done:
                break
            if cancelled.is_set():
                raise Cancelled("The reading was stopped.")
        try:
            self.wait(answer)
        except ClusterUnreachable as failure:
            told = self._looked_closer(failure)
        else:
            return
        others = [f"{server} ({reason})" for server, reason in self._refused.items() if server != told.server]
        if others:
            told.sentence += f" Nor could the other servers be used: {', '.join(others)}."
        raise told

    def _looked_closer(self, failure: ClusterUnreachable) -> ClusterUnreachable:
        """A server that closes the connection, or stays silent, may have expected TLS: see, and say so."""
        if failure.reason not in ("lost", "timeout", "not_kafka") or failure.server is None:
            return failure
        if self.connection.security_protocol in ("SSL", "SASL_SSL"):
            if failure.reason != "lost":
                return failure
            sentence = (
                f"{failure.server} closes the connection after the TLS handshake: it requires a client certificate "
                "(cert_file, key_file), or is not Kafka."
            )
            return ClusterUnreachable(sentence, "tls", failure.server)
        if speaks_tls(failure.server, _PROBE_SECONDS):
            sentence = f"{failure.server} speaks TLS. Set security_protocol to SSL or SASL_SSL."
            return ClusterUnreachable(sentence, "tls", failure.server)
        if failure.reason != "lost":
            return failure
        sentence = (
            f"{failure.server} closes each connection at Kafka's first request: it is not a broker. Check the port."
        )
        return ClusterUnreachable(sentence, "not_kafka", failure.server)

    async def _connect(self, deadline: float) -> None:
        nodes = [node.node_id for node in self._network.servers()]
        first, failures = await self._connector.first_of(nodes, deadline)
        for pause in _AGAIN_SECONDS:
            closed = [node for node in nodes if first is None and failures[node].reason == "lost"]
            if not closed or time.monotonic() + pause >= deadline:
                break
            # A broker that starts or ends, or a proxy before it, closes what it has taken: once says nothing yet.
            await self._network.pause(pause)
            first, later = await self._connector.first_of(closed, deadline)
            failures |= later
        if first is None:
            self._refused = {str(failure.server): failure.reason for failure in failures.values()}
            raise most_telling(failures)
        server = str(self._network.server(first))
        self._network.speak_as(first)
        await self._metadata(first, server, deadline)
        for pause in _AGAIN_SECONDS:
            if self._network.brokers() or time.monotonic() + pause >= deadline:
                break
            await self._network.pause(pause)  # a broker that has just started is told of the others a moment later
            await self._metadata(first, server, deadline)
        for node in nodes:
            self._network.drop(node)
        await self._reach_advertised(server, deadline)

    async def _metadata(self, first: str, server: str, deadline: float) -> None:
        """The cluster's id and brokers; where a listener wants more than we gave, this first request shows it."""
        try:
            self.cluster_id = (await self._learn(first, deadline)).cluster_id
        except ClusterUnreachable as failure:
            if failure.reason == "lost" and self.connection.security_protocol in ("PLAINTEXT", "SSL"):
                sentence = (
                    f"{server} is Kafka, and closes the connection at the first request: it requires a login. Set "
                    "security_protocol to SASL_PLAINTEXT or SASL_SSL, with a mechanism and a user."
                )
                raise ClusterUnreachable(sentence, "authentication", server) from None
            if failure.reason == "version":
                sentence = f"{server} is a KRaft controller's port, or not a broker's. Name a broker's host:port."
                raise ClusterUnreachable(sentence, "listener", server) from None
            raise

    async def _reach_advertised(self, server: str, deadline: float) -> None:
        """One of the addresses that the brokers advertise must lead somewhere: every further request goes there."""
        ids = [node.node_id for node in self._network.brokers()]
        if not ids:
            raise _knows_none(server)
        random.shuffle(ids)
        reached, failures = await self._connector.first_of(ids, deadline)
        if reached is not None:
            return
        failure = most_telling(failures)
        if failure.reason in ("name", "route", "refused", "timeout", "lost"):
            sentence = (
                f"{server} answers, but no broker can be reached at the address that it advertises. {failure.sentence} "
                "Check advertised.listeners, and whether this is the listener for this machine."
            )
            raise ClusterUnreachable(sentence, "listener", failure.server)
        raise failure

    # ---- on the client's own thread --------------------------------------------------------------------------

    def _start(self, work: Callable[[], Awaitable[Any]]) -> PendingAnswer:
        """Run a coroutine on the client's thread; its errors become ``ClusterUnreachable``."""
        answer: PendingAnswer = concurrent.futures.Future()

        async def run() -> None:
            try:
                outcome = await work()
            except CONNECTION_ERRORS as error:
                answer.set_exception(unreachable(error, self.connection, None))
            except ClusterUnreachable as failure:
                answer.set_exception(failure)
            except BaseException:  # the client is being closed, or a fault: whoever waits must not wait for ever
                answer.set_exception(ClusterUnreachable("The connection to the cluster was closed.", "lost"))
                raise
            else:
                answer.set_result(outcome)

        try:
            self._network.run(run)
        except (RuntimeError, OSError):
            answer.set_exception(ClusterUnreachable("The connection to the cluster is closed.", "lost"))
        return answer

    async def _to_broker(self, request: Any, broker: int, deadline: float) -> Any:
        await self._reach(broker, deadline)
        return await self._connector.exchange(broker, request, deadline)

    async def _to_any(self, request: Any, deadline: float, again: bool) -> Any:
        failure: ClusterUnreachable | None = None
        for broker in self._in_order():
            try:
                await self._reach(broker, deadline)
            except ClusterUnreachable as failed:
                failure = failed
                continue
            try:
                answer = await self._connector.exchange(broker, request, deadline)
                if isinstance(request, MetadataRequest) and not answer.brokers:
                    raise _knows_none(f"Broker {broker}")
            except ClusterUnreachable as failed:
                if not again or failed.reason != "lost":
                    raise
                failure = failed
            else:
                return answer
        raise failure or ClusterUnreachable("The cluster reports no live broker.", "lost")

    async def _to_controller(self, request: Any, deadline: float) -> Any:
        controller = await self._refresh(deadline)
        answer = await self._to_broker(request, controller, deadline)
        if not _says_not_controller(answer):
            return answer
        return await self._to_broker(request, await self._refresh(deadline), deadline)

    def _in_order(self) -> list[int]:
        """Brokers in the order in which they are asked: connected and idle ones first, then by chance."""
        ids = [node.node_id for node in self._network.brokers()]
        random.shuffle(ids)
        return sorted(ids, key=self._network.load)

    async def _refresh(self, deadline: float) -> int:
        """Learn of the brokers anew from any of them; returns the controller's id (on KRaft: a broker's)."""
        failure: ClusterUnreachable | None = None
        for broker in self._in_order():
            try:
                await self._reach(broker, deadline, known=True)
                answer = await self._learn(broker, deadline)
            except ClusterUnreachable as failed:
                failure = failed
                continue
            if answer.controller_id >= 0:
                return int(answer.controller_id)
            failure = ClusterUnreachable("The cluster currently has no controller.", "lost")
        raise failure or ClusterUnreachable("The cluster reports no live broker.", "lost")

    async def _learn(self, node: Any, deadline: float) -> Any:
        answer = await self._connector.exchange(node, metadata_of([]), deadline)
        self._network.learn(answer)
        self._refreshed = time.monotonic()
        return answer

    async def _reach(self, broker: int, deadline: float, *, known: bool = False) -> None:
        """Have an open connection to a broker.

        Args:
            broker: its id.
            deadline: by when.
            known: whether the address known now is good enough; else one that does not lead there is asked for anew.
        """
        if not known and self._network.address(broker) is None:
            await self._refresh(deadline)
        server = self._network.server(broker)
        if server is None:
            raise ClusterUnreachable(f"Broker {broker} is not registered with the cluster.", "lost")
        try:
            await self._connector.open(broker, deadline)
        except ClusterUnreachable:
            if known or time.monotonic() - self._refreshed < _FRESH_SECONDS:
                raise
            await self._refresh(deadline)
            if self._network.server(broker) in (None, server):
                raise
        else:
            return
        await self._connector.open(broker, deadline)  # it came back at another address


def outcome(admin: AdminClient, answer: PendingAnswer, seconds: float | None = None) -> Any:
    """The result of an answer under way, or the ``ClusterUnreachable`` that says why there is none."""
    try:
        return admin.wait(answer, seconds)
    except ClusterUnreachable as failure:
        return failure


def told_by_brokers(admin: AdminClient, requests: Iterable[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The outcome of each broker's own request, in their order; all are sent at once."""
    under_way = [(broker, admin.submit(request, broker)) for broker, request in requests]
    return ((broker, outcome(admin, answer)) for broker, answer in under_way)


def _knows_none(who: str) -> ClusterUnreachable:
    """What a broker is worth that has only just started: it is Kafka, but its answers tell nothing of the cluster."""
    sentence = f"{who} answers, but knows no broker of its cluster: the controller has told it of none yet. "
    return ClusterUnreachable(sentence + "Try again, or name another broker.", "lost")


def _says_not_controller(answer: Any) -> bool:
    """Whether all of a response is NOT_CONTROLLER: then nothing of it was done."""
    if getattr(answer, "error_code", 0) == _NOT_CONTROLLER:
        return True
    for name in ("topics", "responses", "results"):
        parts = getattr(answer, name, None)
        if parts:
            return all(getattr(part, "error_code", 0) == _NOT_CONTROLLER for part in parts)
    return False
