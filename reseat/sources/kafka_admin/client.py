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
import contextlib
import random
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias

import kafka.errors as kafka_errors
from kafka.future import Future as KafkaFuture
from kafka.net.selector import NetworkSelector
from kafka.protocol.metadata import MetadataRequest

from reseat.errors import Cancelled, ClusterUnreachable
from reseat.model import Broker, BrokerState
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.probe import speaks_tls
from reseat.sources.kafka_admin.quiet_logging import withhold_secrets
from reseat.sources.kafka_admin.security import sasl_settings, tls_context
from reseat.sources.kafka_admin.transport import BoundedManager
from reseat.sources.kafka_admin.troubles import unreachable

__all__ = ["AdminClient", "Answer", "open_admin"]

#: An answer under way; ``result()`` raises ``ClusterUnreachable``.
Answer: TypeAlias = "concurrent.futures.Future[Any]"

#: Frames up to this size are read; a million partitions are some 60 MB. What is not Kafka often looks like a huge one.
_LARGEST_FRAME = 300_000_000
#: How many servers are tried at once, and after which pause the next ones.
_TRIED_AT_ONCE, _PAUSE_SECONDS = 3, 0.5
#: kafka-python refuses to send where so many requests are in flight on one connection; callers here bound themselves.
_IN_FLIGHT = 10_000
#: A caller waits this much longer than the client's own deadline before it gives the client up.
_GRACE_SECONDS = 3.0
#: Addresses learnt this long ago are asked for again where one does not lead to its broker.
_FRESH_SECONDS = 2.0
#: How long a set ``cancelled`` may go unseen.
_LOOK_SECONDS = 0.1
_NOT_CONTROLLER = 41
_CONNECTION_ERRORS = (kafka_errors.KafkaError, OSError, ValueError, KeyError)


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
            raise ClusterUnreachable("No server is named; host:port of a broker was expected.", "configuration")
        self.connection = connection
        self.cluster_id: str | None = None
        self._servers = servers
        self._closed = False
        self._failures: dict[int, ClusterUnreachable] = {}
        self._refreshed = 0.0
        context = tls_context(connection)
        settings = sasl_settings(connection)
        # Any: kafka-python's classes are typed in part only.
        make_manager: Any = BoundedManager
        # A large answer takes a while to decode: that is no fault to warn of.
        self._net: Any = NetworkSelector(client_id="reseat", slow_task_threshold_secs=0)
        self._manager: Any = make_manager(
            self._net,
            bootstrap_servers=list(servers),
            client_id="reseat",
            security_protocol=connection.security_protocol,
            ssl_context=context,
            request_timeout_ms=connection.timeout_seconds * 1000,
            receive_message_max_bytes=_LARGEST_FRAME,
            max_in_flight_requests_per_connection=_IN_FLIGHT,
            reconnect_backoff_max_ms=1000,
            **settings,
        )
        self._net.start()

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
        return dict(self._manager.broker_version_data.api_versions)

    @property
    def broker_version(self) -> tuple[int, ...]:
        """Kafka's version as the requests it knows tell it: ``(2, 8)``; a later patch looks the same."""
        return tuple(self._manager.broker_version)

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
            for node in sorted(self._manager.cluster.brokers(), key=lambda node: node.node_id)
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
    ) -> Answer:
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

    def wait(self, answer: Answer, seconds: float | None = None) -> Any:
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
        self._net.call_soon_threadsafe(self._manager.close)
        self._net.stop(timeout_ms=_GRACE_SECONDS * 1000)
        self._net.close()

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
        raise told

    def _looked_closer(self, failure: ClusterUnreachable) -> ClusterUnreachable:
        """A server that closes the connection, or stays silent, may have expected TLS: see, and say so."""
        if failure.trouble not in ("lost", "timeout", "not_kafka") or failure.server is None:
            return failure
        if self.connection.security_protocol in ("SSL", "SASL_SSL"):
            if failure.trouble != "lost":
                return failure
            sentence = (
                f"{failure.server} closes the connection after the TLS handshake: it wants a client's certificate "
                "(cert_file, key_file), or is not Kafka."
            )
            return ClusterUnreachable(sentence, "tls", failure.server)
        if speaks_tls(failure.server):
            sentence = f"{failure.server} speaks TLS. Set security_protocol to SSL or SASL_SSL."
            return ClusterUnreachable(sentence, "tls", failure.server)
        if failure.trouble != "lost":
            return failure
        sentence = (
            f"{failure.server} closes the connection at Kafka's first request: it is not a broker. Check the port."
        )
        return ClusterUnreachable(sentence, "not_kafka", failure.server)

    async def _connect(self, deadline: float) -> None:
        nodes = self._manager.cluster.bootstrap_brokers()
        first, failures = await self._first_of([node.node_id for node in nodes], deadline)
        if first is None:
            raise _most_telling(failures)
        opened = self._manager._conns[first]
        node = self._manager.cluster.broker_metadata(first)
        server = f"{node.host}:{node.port}"
        self._manager.broker_version_data = opened.broker_version_data
        await self._metadata(first, server, deadline)
        for node in nodes:
            if node.node_id in self._manager._conns:
                self._manager._conns.pop(node.node_id).close()
        await self._reach_advertised(server, deadline)

    async def _metadata(self, first: str, server: str, deadline: float) -> None:
        """The cluster's id and brokers; where a listener wants more than we gave, this first request shows it."""
        try:
            self.cluster_id = (await self._learn(first, deadline)).cluster_id
        except ClusterUnreachable as failure:
            if failure.trouble == "lost" and self.connection.security_protocol in ("PLAINTEXT", "SSL"):
                sentence = (
                    f"{server} is Kafka, and closes the connection at the first request: it wants a login. "
                    "Set security_protocol to SASL_PLAINTEXT or SASL_SSL, with a mechanism and a user."
                )
                raise ClusterUnreachable(sentence, "authentication", server) from None
            if failure.trouble == "version":
                sentence = f"{server} is a KRaft controller's port, or not a broker's. Name a broker's host:port."
                raise ClusterUnreachable(sentence, "listener", server) from None
            raise

    async def _reach_advertised(self, server: str, deadline: float) -> None:
        """One of the addresses that the brokers advertise must lead somewhere: every further request goes there."""
        ids = [node.node_id for node in self._manager.cluster.brokers()]
        if not ids:
            raise ClusterUnreachable(f"{server} answers, and knows of no broker of its cluster.", "lost", server)
        random.shuffle(ids)
        reached, failures = await self._first_of(ids, deadline)
        if reached is not None:
            return
        failure = _most_telling(failures)
        if failure.trouble in ("name", "route", "refused", "timeout", "lost"):
            sentence = (
                f"{server} answers, but no broker can be reached at the address that it advertises. {failure.sentence} "
                "See advertised.listeners, and whether this is the listener meant for this machine."
            )
            raise ClusterUnreachable(sentence, "listener", failure.server)
        raise failure

    # ---- on the client's own thread --------------------------------------------------------------------------

    def _start(self, work: Callable[[], Awaitable[Any]]) -> Answer:
        """Run a coroutine on the client's thread; its errors become ``ClusterUnreachable``."""
        answer: Answer = concurrent.futures.Future()

        async def run() -> None:
            try:
                outcome = await work()
            except _CONNECTION_ERRORS as error:
                answer.set_exception(unreachable(error, self.connection, None))
            except ClusterUnreachable as failure:
                answer.set_exception(failure)
            except BaseException:  # the client is being closed, or a fault: whoever waits must not wait for ever
                answer.set_exception(ClusterUnreachable("The connection to the cluster was closed.", "lost"))
                raise
            else:
                answer.set_result(outcome)

        try:
            self._net.call_soon_threadsafe(run)
        except (RuntimeError, OSError):
            answer.set_exception(ClusterUnreachable("The connection to the cluster is closed.", "lost"))
        return answer

    async def _to_broker(self, request: Any, broker: int, deadline: float) -> Any:
        return await self._exchange(await self._reached(broker, deadline), request, deadline)

    async def _to_any(self, request: Any, deadline: float, again: bool) -> Any:
        failure: ClusterUnreachable | None = None
        for broker in self._in_order():
            try:
                connection = await self._reached(broker, deadline)
            except ClusterUnreachable as failed:
                failure = failed
                continue
            try:
                return await self._exchange(connection, request, deadline)
            except ClusterUnreachable as failed:
                if not again or failed.trouble != "lost":
                    raise
                failure = failed
        raise failure or ClusterUnreachable("The cluster reports no live broker.", "lost")

    async def _to_controller(self, request: Any, deadline: float) -> Any:
        controller = await self._refresh(deadline)
        answer = await self._to_broker(request, controller, deadline)
        if not _says_not_controller(answer):
            return answer
        return await self._to_broker(request, await self._refresh(deadline), deadline)

    def _in_order(self) -> Iterable[int]:
        """Brokers in the order in which they are asked: connected and idle ones first, then by chance."""
        ids = [node.node_id for node in self._manager.cluster.brokers()]
        random.shuffle(ids)
        open_now = self._manager._conns

        def cost(broker: int) -> tuple[bool, int]:
            connection = open_now.get(broker)
            connected = connection is not None and connection.connected and not connection.paused
            return not connected, len(connection.in_flight_requests) if connection is not None else 0

        return sorted(ids, key=cost)

    async def _refresh(self, deadline: float) -> int:
        """Learn of the brokers anew from any of them; returns the controller's id (on KRaft: a broker's)."""
        failure: ClusterUnreachable | None = None
        for broker in self._in_order():
            try:
                await self._reached(broker, deadline, known=True)
                answer = await self._learn(broker, deadline)
            except ClusterUnreachable as failed:
                failure = failed
                continue
            if answer.controller_id >= 0:
                return int(answer.controller_id)
            failure = ClusterUnreachable("The cluster currently has no controller.", "lost")
        raise failure or ClusterUnreachable("The cluster reports no live broker.", "lost")

    async def _learn(self, node: Any, deadline: float) -> Any:
        request = MetadataRequest(
            topics=[],
            allow_auto_topic_creation=False,
            include_cluster_authorized_operations=False,
            include_topic_authorized_operations=False,
        )
        answer = await self._exchange(self._manager._conns[node], request, deadline)
        self._manager.cluster.update_metadata(answer)
        self._refreshed = time.monotonic()
        return answer

    async def _reached(self, broker: int, deadline: float, *, known: bool = False) -> Any:
        """An open connection to a broker.

        Args:
            broker: its id.
            deadline: by when.
            known: whether the address known now is good enough; else one that does not lead there is asked for anew.
        """
        if not known and self._manager.cluster.broker_metadata(broker) is None:
            await self._refresh(deadline)
        address = self._manager.cluster.broker_metadata(broker)
        if address is None:
            raise ClusterUnreachable(f"Broker {broker} is not registered with the cluster.", "lost")
        try:
            return await self._open(broker, deadline)
        except ClusterUnreachable:
            if known or time.monotonic() - self._refreshed < _FRESH_SECONDS:
                raise
            await self._refresh(deadline)
            now = self._manager.cluster.broker_metadata(broker)
            if now is None or (now.host, now.port) == (address.host, address.port):
                raise
        return await self._open(broker, deadline)  # it came back at another address

    async def _open(self, broker: int, deadline: float) -> Any:
        connection = self._manager._conns.get(broker)
        if connection is not None and connection.connected:
            return connection
        closed = connection is None or connection.closed
        if closed and broker in self._failures and self._manager.connection_delay(broker) > 0:
            raise self._failures[broker]  # tried a moment ago
        _, failures = await self._first_of([broker], deadline)
        if failures:
            raise failures[broker]
        return self._manager._conns[broker]

    async def _first_of(self, nodes: Sequence[Any], deadline: float) -> tuple[Any, dict[Any, ClusterUnreachable]]:
        """Connect to the first that lets us in; None and why each did not, where none does.

        A few are tried at once; the next few as soon as these failed, or have been silent for a moment.
        """
        race = _Race()
        while race.tried < len(nodes) and race.winner is None:
            some = nodes[race.tried : race.tried + _TRIED_AT_ONCE]
            race.tried += len(some)
            race.turn = KafkaFuture()
            for node in some:
                self._try(node, deadline, race)
            patience = deadline - time.monotonic() if race.tried == len(nodes) else _PAUSE_SECONDS
            with contextlib.suppress(kafka_errors.KafkaTimeoutError):
                await self._manager.wait_for(race.turn, max(0.001, patience) * 1000)
        for node in nodes:
            if race.winner is None and node not in race.failures:
                race.failures[node] = self._failed(node, kafka_errors.KafkaTimeoutError())
        return race.winner, race.failures

    def _try(self, node: Any, deadline: float, race: _Race) -> None:
        """Begin to connect to a node; its outcome goes to the race."""

        def opened(_: Any) -> None:
            self._failures.pop(node, None)
            race.winner = node if race.winner is None else race.winner
            race.look()

        def failed(error: BaseException) -> None:
            race.failures[node] = self._failed(node, error)
            race.look()

        try:
            opening = self._opening(node, deadline)
        except kafka_errors.KafkaError as error:
            failed(error)
            return
        opening.init_future.add_callback(opened)
        opening.init_future.add_errback(failed)

    def _failed(self, node: Any, error: BaseException) -> ClusterUnreachable:
        address = self._manager.cluster.broker_metadata(node)
        who = f"Broker {node} at " if isinstance(node, int) else ""
        failure = unreachable(error, self.connection, f"{address.host}:{address.port}", who)
        self._failures[node] = failure
        return failure

    def _opening(self, node: Any, deadline: float) -> Any:
        """A connection to a node that is open, or being opened within the deadline."""
        milliseconds = max(0.001, deadline - time.monotonic()) * 1000
        connection = self._manager._conns.get(node)
        if connection is not None and not connection.closed:
            return connection
        self._manager._conns.pop(node, None)
        self._manager._auth_failures.pop(node, None)
        self._manager.reset_backoff(node)
        return self._manager.get_connection(node, timeout_ms=milliseconds, refresh_metadata_on_err=False)

    async def _exchange(self, connection: Any, request: Any, deadline: float) -> Any:
        """Send on an open connection and await the response."""
        try:
            while connection.paused and connection.connected and time.monotonic() < deadline:
                await self._net.sleep(
                    0.01
                )  # the broker throttles us (KIP-219): it says how long, kafka-python keeps it
            left = max(0.001, deadline - time.monotonic())
            return await connection.send_request(request, request_timeout_ms=left * 1000)
        except _CONNECTION_ERRORS as error:
            node = self._manager.cluster.broker_metadata(connection.node_id)
            server = f"{node.host}:{node.port}" if node is not None else None
            who = f"Broker {connection.node_id} at " if isinstance(connection.node_id, int) else ""
            raise unreachable(error, self.connection, server, who) from None


@dataclass
class _Race:
    """Servers that are connected to at once: how many were begun, which was first, and why others failed."""

    tried: int = 0
    winner: Any = None
    failures: dict[Any, ClusterUnreachable] = field(default_factory=dict)
    turn: Any = None

    def look(self) -> None:
        """End the turn where one won, or all that were begun have failed."""
        if not self.turn.is_done and (self.winner is not None or len(self.failures) == self.tried):
            self.turn.success(None)


def _most_telling(failures: dict[Any, ClusterUnreachable]) -> ClusterUnreachable:
    """Of several failures, the one that came furthest: who was refused a login had the right address."""
    order = ("authorization", "authentication", "configuration", "version", "tls", "not_kafka", "lost", "timeout")
    return min(failures.values(), key=lambda f: order.index(f.trouble) if f.trouble in order else len(order))


def _says_not_controller(answer: Any) -> bool:
    """Whether all of a response is NOT_CONTROLLER: then nothing of it was done."""
    if getattr(answer, "error_code", 0) == _NOT_CONTROLLER:
        return True
    for name in ("topics", "responses", "results"):
        parts = getattr(answer, name, None)
        if parts:
            return all(getattr(part, "error_code", 0) == _NOT_CONTROLLER for part in parts)
    return False
