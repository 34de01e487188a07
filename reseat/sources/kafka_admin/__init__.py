"""A live cluster through Kafka's Admin protocol (kafka-python) -> a snapshot. Never writes.

May import: what ``reseat.sources`` may, and kafka-python, which nothing outside this package and ``reseat.operate``
loads, and which is loaded only where a cluster is read.
"""

from __future__ import annotations

import threading

from reseat.model import Snapshot
from reseat.sources.connection import Connection
from reseat.sources.progress import Report

__all__ = ["read_admin_cluster"]


def read_admin_cluster(
    connection: Connection, *, report: Report | None = None, cancelled: threading.Event | None = None
) -> Snapshot:
    """Read a cluster as its brokers tell it.

    Args:
        connection: its ``bootstrap`` servers, security and timeout.
        report: called with each step, from this thread.
        cancelled: set by another thread to stop.

    Raises:
        ClusterUnreachable: no broker can be reached, or none tells metadata; says why in words.
        Cancelled: ``cancelled`` was set.
    """
    from reseat.sources.kafka_admin.reading import read

    return read(connection, report=report, cancelled=cancelled)
