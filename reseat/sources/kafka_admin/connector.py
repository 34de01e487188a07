"""Opens connections to servers and brokers: a few at once, and with a sentence for each that cannot be reached."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import kafka.errors as kafka_errors

from reseat.errors import ClusterUnreachable
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.connection_errors import unreachable
from reseat.sources.kafka_admin.network import Network, Turn

__all__ = ["CONNECTION_ERRORS", "Connector", "most_telling"]

#: What kafka-python raises where a connection fails.
CONNECTION_ERRORS = (kafka_errors.KafkaError, OSError, ValueError, KeyError)
#: How many servers are tried at once, and after which pause the next ones.
_TRIED_AT_ONCE, _PAUSE_SECONDS = 3, 0.5


class Connector:
    """Opens nodes of a network and remembers why one could not be. For the network's thread alone.

    Args:
        network: whose nodes.
        connection: for the sentences: its security, and the secrets to keep out of them.
    """

    def __init__(self, network: Network, connection: Connection) -> None:
        self._network = network
        self._connection = connection
        self._failures: dict[Any, ClusterUnreachable] = {}

    async def open(self, node: Any, deadline: float) -> None:
        """Have an open connection to a node.

        Raises:
            ClusterUnreachable: there is none within the deadline, or the last try has only just failed.
        """
        if self._network.is_open(node):
            return
        if node in self._failures and self._network.is_closed(node) and self._network.was_tried_just_now(node):
            raise self._failures[node]
        _, failures = await self.first_of([node], deadline)
        if failures:
            raise failures[node]

    async def first_of(self, nodes: Sequence[Any], deadline: float) -> tuple[Any, dict[Any, ClusterUnreachable]]:
        """Connect to the first that lets us in; None and why each did not, where none does.

        A few are tried at once; the next few as soon as these failed, or have been silent for a moment.
        """
        race = _Race()
        while race.tried < len(nodes) and race.winner is None:
            some = nodes[race.tried : race.tried + _TRIED_AT_ONCE]
            race.tried += len(some)
            race.turn = Turn()
            for node in some:
                self._try(node, deadline, race)
            patience = deadline - time.monotonic() if race.tried == len(nodes) else _PAUSE_SECONDS
            await self._network.wait(race.turn, max(0.001, patience))
        for node in nodes:
            if race.winner is None and node not in race.failures:
                race.failures[node] = self._failed(node, kafka_errors.KafkaTimeoutError())
        return race.winner, race.failures

    async def exchange(self, node: Any, request: Any, deadline: float) -> Any:
        """Send to a node that is open and await the response.

        Raises:
            ClusterUnreachable: it did not come.
        """
        try:
            return await self._network.exchange(node, request, deadline)
        except CONNECTION_ERRORS as error:
            raise self._in_words(node, error) from None

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
            self._network.begin_opening(node, max(0.001, deadline - time.monotonic()), opened, failed)
        except kafka_errors.KafkaError as error:
            failed(error)

    def _failed(self, node: Any, error: BaseException) -> ClusterUnreachable:
        failure = self._failures[node] = self._in_words(node, error)
        return failure

    def _in_words(self, node: Any, error: BaseException) -> ClusterUnreachable:
        who = f"Broker {node} at " if isinstance(node, int) else ""
        return unreachable(error, self._connection, self._network.server(node), who)


@dataclass
class _Race:
    """Servers that are connected to at once: how many were begun, which was first, and why others failed."""

    tried: int = 0
    winner: Any = None
    failures: dict[Any, ClusterUnreachable] = field(default_factory=dict)
    turn: Turn = field(default_factory=Turn)

    def look(self) -> None:
        """End the turn where one won, or all that were begun have failed."""
        if self.winner is not None or len(self.failures) == self.tried:
            self.turn.end()


def most_telling(failures: Mapping[Any, ClusterUnreachable]) -> ClusterUnreachable:
    """Of several failures, the one that came furthest: who was refused a login had the right address."""
    order = ("authorization", "authentication", "configuration", "version", "tls", "not_kafka", "lost", "timeout")
    return min(failures.values(), key=lambda f: order.index(f.reason) if f.reason in order else len(order))
