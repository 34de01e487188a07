"""Opens a cluster for writing, the way that its connection means or the one asked for."""

from __future__ import annotations

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.records import Run
from reseat.operate.targets.target import Target
from reseat.sources.connection import Connection

__all__ = ["open_target", "protocol_to_go_on"]


def open_target(connection: Connection, protocol: str | None = None) -> Target:
    """A cluster open for writing.

    Args:
        connection: how it is reached.
        protocol: ``admin`` or ``zookeeper``; None: the connection's own. A connection that has both may be opened
            by either: through ZooKeeper a topic may have gaps in its ids; through the Admin protocol (2.4 and later)
            what is under way can be cancelled, and an unclean election held.

    Raises:
        ClusterUnreachable: the cluster does not answer or does not let this user in, or the connection does not tell
            the servers of that way.
    """
    chosen = protocol or connection.protocol
    if chosen == "zookeeper":
        if not connection.zookeeper:
            raise ClusterUnreachable(
                "This connection names no ZooKeeper servers, so nothing can be written to their nodes.", "configuration"
            )
        from reseat.operate.targets.zookeeper import ZooKeeperTarget

        return ZooKeeperTarget(connection)
    if chosen != "admin":
        raise ClusterUnreachable(f"{chosen!r} is not a way to write: admin or zookeeper was expected.", "configuration")
    if not connection.bootstrap:
        raise ClusterUnreachable(
            "This connection names no brokers (bootstrap), which the Admin protocol needs.", "configuration"
        )
    from reseat.operate.targets.admin import AdminTarget

    return AdminTarget(connection)


def protocol_to_go_on(connection: Connection, run: Run) -> str:
    """The way by which a run goes on: the one that it was approved for, where this connection names servers of it.

    A cluster before 2.4 that is written through nodes may name brokers too, for sizes: they could not carry it out.
    """
    offered = {"admin": connection.bootstrap, "zookeeper": connection.zookeeper}
    return run.protocol if run.protocol is not None and offered.get(run.protocol) else connection.protocol
