"""The brokers of a cluster that is written to through ZooKeeper: asked for what no node tells, where they answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from reseat.errors import ClusterUnreachable
from reseat.operate.targets.zookeeper_session import ZooKeeperSession
from reseat.sources.connection import Connection
from reseat.sources.zookeeper.nodes import broker_node

if TYPE_CHECKING:
    from reseat.sources.kafka_admin.client import AdminClient

__all__ = ["BrokersBeside"]

#: Brokers that could not be asked for sizes are left alone this long.
_ASIDE_SECONDS = 60.0

_Told = TypeVar("_Told")


class BrokersBeside:
    """Brokers beside a ZooKeeper: log directories and log ends are asked of them.

    Args:
        connection: their servers, where it names some, and security.
        session: where they are registered.
        alive: tells which of them are alive.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        connection: Connection,
        session: ZooKeeperSession,
        alive: Callable[[], frozenset[int]],
        clock: Callable[[], float],
    ) -> None:
        self._connection = connection
        self._session = session
        self._alive = alive
        self._clock = clock
        self._admin: AdminClient | None = None
        self._aside_until = clock()

    def ask(self, question: Callable[[AdminClient], _Told | None]) -> _Told | None:
        """Ask the brokers through their Admin protocol; where it cannot be reached, not again for a while."""
        if self._clock() < self._aside_until:
            return None
        from reseat.sources.kafka_admin.client import open_admin

        try:
            if self._admin is None:
                servers = self._connection.bootstrap or self._registered()
                if not servers:
                    return None
                self._admin = open_admin(self._connection, servers=servers)
            return question(self._admin)
        except ClusterUnreachable:
            self.close()
            self._aside_until = self._clock() + _ASIDE_SECONDS
            return None

    def _registered(self) -> tuple[str, ...]:
        """``host:port`` that the brokers registered for the connection's security protocol."""
        from reseat.sources.zookeeper.brokers import endpoints_for

        ids = sorted(self._alive())
        nodes = self._session.read([f"/brokers/ids/{one}" for one in ids])
        told = (broker_node(one, None if node is None else node.data) for one, node in zip(ids, nodes, strict=True))
        return endpoints_for(told, self._connection.security_protocol)

    def close(self) -> None:
        """Close every connection to them."""
        if self._admin is not None:
            self._admin.close()
            self._admin = None
