"""A live ZooKeeper-era cluster -> Snapshot. May import what ``sources`` may; kazoo is loaded only where it is read."""

from __future__ import annotations

import threading

from reseat.model import Snapshot
from reseat.sources.connection import Connection
from reseat.sources.progress import Report
from reseat.sources.zookeeper.permissions import PERMISSIONS_NEEDED

__all__ = ["PERMISSIONS_NEEDED", "read_zookeeper_cluster"]


def read_zookeeper_cluster(
    connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None
) -> Snapshot:
    """Read a cluster from its ZooKeeper as it is; nothing is written, and nothing that writes could be.

    Args:
        connection: servers, chroot and security of ZooKeeper; with ``bootstrap``, or else the endpoints that brokers
            registered, sizes and log directories are asked of the brokers.
        report: called now and then, from the reading thread.
        cancelled: set by another thread to stop; heeded within a fifth of a second.

    Returns:
        A snapshot with ``protocol`` ``zookeeper``. ``consistency`` is ``CONSISTENT`` only where all of ZooKeeper's part
        is proven to have been true at one moment, else ``UNSETTLED`` with the topics that changed.

    Raises:
        ClusterUnreachable: ZooKeeper cannot be reached or read, holds no Kafka below the chroot, or was lost.
        Cancelled: ``cancelled`` was set.
    """
    from reseat.sources.zookeeper.reading import read  # kazoo is loaded where a cluster is read, not before

    return read(connection, report=report, cancelled=cancelled)
