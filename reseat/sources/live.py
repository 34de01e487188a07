"""Reads a live cluster, from ZooKeeper or from its brokers: the one door for pages, commands and the operator's guard.

Reading never writes. Both readers answer a ``Snapshot``, tell their progress (``reseat.sources.progress``) and can be
cancelled between requests.
"""

from __future__ import annotations

import threading

from reseat.installed import needs
from reseat.model import Snapshot
from reseat.sources.connection import Connection
from reseat.sources.progress import Report

__all__ = ["read_cluster"]


def read_cluster(
    connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None
) -> Snapshot:
    """Read a cluster as it is.

    Args:
        connection: where it is.
        report: called now and then, from the reading thread.
        cancelled: set by another thread to stop.

    Raises:
        ClusterUnreachable: it cannot be read; says why in words.
        Cancelled: ``cancelled`` was set.
        ExtraMissing: the libraries that read clusters are not installed.
    """
    with needs():
        if connection.zookeeper:
            from reseat.sources.zookeeper import read_zookeeper_cluster

            return read_zookeeper_cluster(connection, report=report, cancelled=cancelled)
        from reseat.sources.kafka_admin import read_admin_cluster

        return read_admin_cluster(connection, report=report, cancelled=cancelled)
