"""What only the brokers themselves know: sizes, log directories and the configurations in force.

What it promises, in this order: everything read from ZooKeeper stays as it is; brokers that cannot be reached, that
refuse or that belong to another cluster cost a sentence in ``not_read`` and a few seconds, never the reading.

How it works: the brokers named by the connection, or else the endpoints that brokers registered for its security
protocol, are asked through the Admin protocol for their log directories and configurations. ZooKeeper holds only what
was set dynamically; what stands in a broker's file, ``min.insync.replicas`` above all, a broker alone tells. A log is
placed beside its replica by binary search over (topic, partition).

The Admin protocol is not of the same moment as the reading: sizes are some seconds younger than the replica lists.

Complexity: O(L log P + L R) for L logs; 2 requests a broker and 1 for 500 topics.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from reseat.balance.directories import directory_findings, directory_loads
from reseat.errors import ClusterUnreachable
from reseat.model import NONE, BrokerState, ClusterLayout, Finding, IntArray, Longs, Severity, Snapshot
from reseat.model.snapshot import with_offline_dirs
from reseat.model.wording import counted, named, verb
from reseat.sources.connection import Connection
from reseat.sources.kafka_admin.client import AdminClient, open_admin
from reseat.sources.kafka_admin.configs import ConfigsTold, read_configs
from reseat.sources.kafka_admin.log_dirs import LogDirsTold, read_log_dirs
from reseat.sources.kafka_admin.placing import place_logs
from reseat.sources.kafka_admin.request_batch import RequestBatch
from reseat.sources.progress import Report
from reseat.sources.zookeeper.nodes import Registration

__all__ = ["complemented", "endpoints_for"]

#: Brokers whose addresses nobody gave us on purpose are waited for no longer than this, whatever the patience.
_REGISTERED_SECONDS = 5.0
#: Registered endpoints that are tried.
_TRIED = 16
_NOT_TOLD = "Sizes, log directories and settings from the brokers' files are unknown: "


def complemented(
    snapshot: Snapshot,
    connection: Connection,
    registrations: Mapping[int, Registration],
    *,
    report: Report | None = None,
    cancelled: threading.Event | None = None,
) -> Snapshot:
    """The snapshot with what its brokers tell beside it.

    Args:
        snapshot: what ZooKeeper told.
        connection: the brokers' security; its ``bootstrap`` are asked where given.
        registrations: what the live brokers say of themselves, by id.
        report: called with each step.
        cancelled: set by another thread to stop.

    Raises:
        Cancelled: ``cancelled`` was set.
    """
    patient = bool(connection.bootstrap)
    servers = connection.bootstrap or endpoints_for(registrations.values(), connection.security_protocol)[:_TRIED]
    if not servers:
        return _without(snapshot, f"no broker has registered a {connection.security_protocol} endpoint.")
    seconds = connection.timeout_seconds if patient else min(connection.timeout_seconds, _REGISTERED_SECONDS)
    batch = RequestBatch(report, cancelled)
    batch.tell("brokers' Admin protocol")
    try:
        with open_admin(replace(connection, timeout_seconds=seconds), servers=servers, cancelled=cancelled) as admin:
            if snapshot.cluster_id is not None and admin.cluster_id not in (None, snapshot.cluster_id):
                return _without(
                    snapshot,
                    f"{', '.join(servers[:3])} belong to cluster {admin.cluster_id}, ZooKeeper to "
                    f"{snapshot.cluster_id}. Correct the bootstrap servers.",
                )
            return _Complement(snapshot, admin, batch).made()
    except ClusterUnreachable as failure:
        return _without(snapshot, failure.sentence)


def endpoints_for(registrations: Iterable[Registration], protocol: str) -> tuple[str, ...]:
    """``host:port`` of the brokers' endpoints for a security protocol, as they registered them."""
    out = []
    for registration in registrations:
        for endpoint in registration.endpoints:
            listener, _, server = endpoint.partition("://")
            # Before 0.10.2 there is no map, and a listener is called like its protocol.
            if server and registration.protocols.get(listener, listener).upper() == protocol:
                host, _, port = server.rpartition(":")
                if host and port.isdecimal() and len(port) <= 5 and 0 < int(port) < 65_536:
                    out.append(server)
    return tuple(out)


def _without(snapshot: Snapshot, why: str) -> Snapshot:
    return replace(snapshot, not_read=(*snapshot.not_read, _NOT_TOLD + why))


class _Complement:
    """One reading of the brokers, for one snapshot."""

    def __init__(self, snapshot: Snapshot, admin: AdminClient, batch: RequestBatch) -> None:
        self._snapshot = snapshot
        self._admin = admin
        self._batch = batch
        self._not_read = list(snapshot.not_read)

    def made(self) -> Snapshot:
        snapshot = self._snapshot
        alive = [broker.id for broker in snapshot.layout.brokers if broker.state is BrokerState.ALIVE]
        configs = self._configs(alive)
        logs = self._logs(alive)
        placed = place_logs(snapshot.layout, snapshot.layout.replica_ids, logs)
        layout = replace(
            snapshot.layout,
            size_bytes=placed.size_bytes if np.isfinite(placed.size_bytes).any() else None,
            log_dir=placed.log_dir if placed.paths else None,
            log_dirs=placed.paths,
            min_in_sync=_min_in_sync(snapshot.layout, configs.min_in_sync),
        )
        layout = with_offline_dirs(layout, logs.directories)
        findings = (
            *snapshot.findings,
            *((_left_over(layout, placed.left_over),) if len(placed.left_over) else ()),
            *directory_findings(directory_loads(layout, logs.directories)),
            *logs.moving(),
        )
        brokers = dict(snapshot.broker_configs)
        for broker, values in configs.brokers.items():
            brokers[broker] = {**brokers.get(broker, {}), **values}
        version = self._admin.broker_version
        return replace(
            snapshot,
            layout=layout,
            findings=findings,
            not_read=tuple(self._not_read),
            broker_configs=dict(sorted(brokers.items())),
            log_dirs=logs.directories,
            version=".".join(map(str, version[:2])) if version else None,
        )

    def _configs(self, alive: list[int]) -> ConfigsTold:
        told = read_configs(self._admin, self._batch, self._snapshot.layout.topics, alive)
        if told.silent:
            self._not_read.append(_silent("Configurations in force", told.silent))
        missing = len(self._snapshot.layout.topics) - len(told.min_in_sync)
        if missing:
            self._not_read.append(
                f"The effective min.insync.replicas of {counted(missing, 'topic')} {verb(missing, 'is', 'are')} "
                "unknown; an override or a default in ZooKeeper is shown instead."
            )
        return told

    def _logs(self, alive: list[int]) -> LogDirsTold:
        told = read_log_dirs(self._admin, self._batch, alive)
        if told.silent:
            why = {broker: failure.sentence for broker, failure in told.silent.items()}
            self._not_read.append(_silent("Sizes and log directories", why))
        return told


def _min_in_sync(layout: ClusterLayout, in_force: Mapping[str, int]) -> IntArray | None:
    """(T,) what the brokers say is in force, else what ZooKeeper told."""
    known = layout.min_in_sync
    if known is None:
        return np.array([in_force.get(name, NONE) for name in layout.topics], np.int32) if in_force else None
    told = zip(layout.topics, known.tolist(), strict=True)
    return np.array([in_force.get(name, before) for name, before in told], np.int32)


def _left_over(layout: ClusterLayout, left_over: Longs) -> Finding:
    rows = np.unique(left_over[:, 0])
    named = [layout.name_of(int(row)) for row in rows[:3]]
    more = f" and {len(rows) - 3:,} more" if len(rows) > 3 else ""
    return Finding(
        "replica_left_over",
        Severity.NOTE,
        f"{counted(len(rows), 'partition has', 'partitions have')} a log on a broker that is not among the replicas: "
        f"{', '.join(named)}{more}. After a move it is deleted within a minute or so.",
        rows=rows,
        brokers=tuple(np.unique(left_over[:, 1]).tolist()),
    )


def _silent(what: str, why: Mapping[int, str]) -> str:
    """One sentence for the brokers that told nothing, with the first one's reason."""
    ids = sorted(why)
    reason = why[ids[0]]
    end = "" if reason.endswith((".", "?")) else "."
    return f"{what} of {named('broker', ids)} are unknown: {reason}{end}"
