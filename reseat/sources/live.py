"""Reads a live cluster, by either way: the one door for pages, commands and the operator's guard.

Reading never writes. Both ways answer a ``Snapshot``; both report progress and can be cancelled between requests.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from reseat.model import Snapshot
from reseat.sources.connection import Connection

__all__ = ["Progress", "Report", "read_cluster"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reading is.

    Attributes:
        step: what is read now, in words ("partition states").
        done: how many of them.
        total: of how many, or None where not known yet.
    """

    step: str
    done: int = 0
    total: int | None = None


Report = Callable[[Progress], None]


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
    """
    if connection.zookeeper:
        from reseat.sources.zookeeper import read_zookeeper_cluster

        return read_zookeeper_cluster(connection, report=report, cancelled=cancelled)
    from reseat.sources.kafka_admin import read_admin_cluster

    return read_admin_cluster(connection, report=report, cancelled=cancelled)
