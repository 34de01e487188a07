"""kafka-python's network layer behind one door, the only module that knows its insides.

kafka-python documents its clients and its protocol; the connection manager below them is neither documented nor as
this project needs it. Version 3.0.12 resolves names on the thread that drives every connection, gives a TLS handshake
no time limit, turns the exceptions of sockets and TLS into text, and drops a broker's last words. What is done about
that needs parts of it that are private: a test names each, so that a new version that lacks one is seen at once.

A node is a broker's id, or the name that kafka-python gives to a server that is asked first. What is ``async``, and
``begin_opening``, is for the network's own thread (``run``).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import Any

from kafka.errors import KafkaConnectionError, KafkaTimeoutError
from kafka.future import Future
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

from reseat.sources.addresses import server_at
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.security import sasl_settings, tls_context
from reseat.sources.kafka_admin.sockets import connected_socket, end_handshake

__all__ = ["Network", "Turn"]

#: Frames up to this size are read; a million partitions are some 60 MB. What is not Kafka often looks like a huge one.
_LARGEST_FRAME = 300_000_000
#: kafka-python refuses to send where so many requests are in flight on one connection; callers here bound themselves.
_IN_FLIGHT = 10_000
_CONNECT_SECONDS = 30.0
#: How often a connection that the broker throttles is looked at again.
_THROTTLED_SECONDS = 0.01


class Network:
    """The connections to the servers of one cluster, on a thread of their own.

    Args:
        servers: ``host:port`` that are asked first.
        connection: security and timeout.

    Raises:
        ClusterUnreachable: ``configuration``: a setting cannot be used.
    """

    def __init__(self, servers: tuple[str, ...], connection: Connection) -> None:
        context, settings = tls_context(connection), sasl_settings(connection)
        # Any: kafka-python's classes are typed in part only.
        make_manager: Any = _Manager
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

    def run(self, work: Callable[[], Awaitable[None]]) -> None:
        """Begin a coroutine on the network's thread.

        Raises:
            RuntimeError, OSError: the network is closed.
        """
        self._net.call_soon_threadsafe(work)

    def close(self, seconds: float) -> None:
        """Close every connection and end the thread, which has so long for it."""
        self._net.call_soon_threadsafe(self._manager.close)
        self._net.stop(timeout_ms=seconds * 1000)
        self._net.close()

    # ---- what the cluster told -----------------------------------------------------------------------------------

    @property
    def versions(self) -> dict[int, tuple[int, int]]:
        """Lowest and highest version by request key, as the first broker reached told them."""
        return dict(self._manager.broker_version_data.api_versions)

    @property
    def broker_version(self) -> tuple[int, ...]:
        """Kafka's version as the requests it knows tell it."""
        return tuple(self._manager.broker_version)

    def servers(self) -> list[Any]:
        """The servers that are asked first: ``node_id``, ``host`` and ``port`` of each."""
        return list(self._manager.cluster.bootstrap_brokers())

    def brokers(self) -> list[Any]:
        """The brokers of the metadata read last: ``node_id``, ``host``, ``port`` and ``rack`` of each."""
        return list(self._manager.cluster.brokers())

    def address(self, node: Any) -> Any:
        """Where a node is: ``host`` and ``port``; None where it is not known."""
        return self._manager.cluster.broker_metadata(node)

    def server(self, node: Any) -> str | None:
        """The same as ``host:port``."""
        address = self.address(node)
        return None if address is None else server_at(address.host, address.port)

    def learn(self, metadata: Any) -> None:
        """Take the brokers from a response to MetadataRequest."""
        self._manager.cluster.update_metadata(metadata)

    def speak_as(self, node: Any) -> None:
        """From now on use the versions of requests that this node, which is open, told."""
        self._manager.broker_version_data = self._manager._conns[node].broker_version_data

    # ---- connections ---------------------------------------------------------------------------------------------

    def is_open(self, node: Any) -> bool:
        """Whether requests can be sent to a node."""
        connection = self._manager._conns.get(node)
        return connection is not None and bool(connection.connected)

    def is_closed(self, node: Any) -> bool:
        """Whether a node is neither open nor being opened."""
        connection = self._manager._conns.get(node)
        return connection is None or bool(connection.closed)

    def load(self, node: Any) -> tuple[bool, int]:
        """What a request to this node would wait for: smaller is sooner."""
        connection = self._manager._conns.get(node)
        ready = connection is not None and connection.connected and not connection.paused
        return not ready, len(connection.in_flight_requests) if connection is not None else 0

    def was_tried_just_now(self, node: Any) -> bool:
        """Whether opening a node failed so short a time ago that it is not worth another try."""
        return bool(self._manager.connection_delay(node) > 0)

    def begin_opening(
        self, node: Any, seconds: float, opened: Callable[[Any], None], failed: Callable[[BaseException], None]
    ) -> None:
        """Begin to open a node, unless it is open or somebody does so already.

        Args:
            node: which.
            seconds: how long it may take.
            opened: called once requests can be sent to it.
            failed: called with what went wrong instead.

        Raises:
            KafkaError: it cannot even be tried.
        """
        connection = self._manager._conns.get(node)
        if connection is None or connection.closed:
            self._manager._conns.pop(node, None)
            self._manager._auth_failures.pop(node, None)
            self._manager.reset_backoff(node)
            connection = self._manager.get_connection(node, timeout_ms=seconds * 1000, refresh_metadata_on_err=False)
        connection.init_future.add_callback(opened)
        connection.init_future.add_errback(failed)

    def drop(self, node: Any) -> None:
        """Close the connection to a node, where there is one."""
        if node in self._manager._conns:
            self._manager._conns.pop(node).close()

    async def exchange(self, node: Any, request: Any, deadline: float) -> Any:
        """Send on an open connection and await the response.

        Raises:
            KafkaError, OSError, ValueError, KeyError: what kafka-python makes of what went wrong.
        """
        connection = self._manager._conns.get(node)
        if connection is None:
            raise KafkaConnectionError("closed meanwhile")
        while connection.paused and connection.connected and time.monotonic() < deadline:
            # The broker throttles us (KIP-219): it says how long, kafka-python keeps it.
            await self._net.sleep(_THROTTLED_SECONDS)
        left = max(0.001, deadline - time.monotonic())
        return await connection.send_request(request, request_timeout_ms=left * 1000)

    async def pause(self, seconds: float) -> None:
        """Wait so long."""
        await self._net.sleep(seconds)

    async def wait(self, turn: Turn, seconds: float) -> bool:
        """Wait until a turn ends, at most so long; says whether it did."""
        try:
            await self._manager.wait_for(turn.future, seconds * 1000)
        except KafkaTimeoutError:
            return False
        return True


class Turn:
    """Something that ends once; for the network's thread alone."""

    def __init__(self) -> None:
        make_future: Any = Future
        self.future = make_future()

    def end(self) -> None:
        """End it, unless it has ended."""
        if not self.future.is_done:
            self.future.success(None)


class _HearsLastWords:
    """Takes what came before the end of a connection, which kafka-python drops where both are read at once.

    A broker that refuses a password says so and closes: without this its words would be lost half of the time.
    """

    def _sock_recv(self) -> tuple[bytes, Exception | None]:
        received, error = super()._sock_recv()  # type: ignore[misc]
        return (received, None) if received else (received, error)  # the end is read again, by itself


class _PlainTransport(_HearsLastWords, KafkaTCPTransport):
    pass


class _TlsTransport(_HearsLastWords, KafkaSSLTransport):
    pass


#: As factories without types: kafka-python's constructors have none.
_PLAIN: Any = _PlainTransport
_TLS: Any = _TlsTransport


class _Manager(KafkaConnectionManager):
    """Opens connections within a deadline, closes what failed, and raises what really went wrong."""

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        deadline = time.monotonic() + _CONNECT_SECONDS if timeout_at is None else timeout_at
        plain: Any = await connected_socket(self._net, node.host, node.port, self.config["socket_options"], deadline)
        try:
            if not self.ssl_enabled:
                return _PLAIN(self._net, plain, host=node.host)
            transport = _TLS(self._net, plain, host=node.host, ssl_context=self.config["ssl_context"])
            plain = transport._sock  # wrapping took the file descriptor over
            await end_handshake(self._net, plain, deadline)
        except BaseException:  # also where the reading was given up: the coroutine is closed at this very point
            plain.close()
            raise
        return transport
