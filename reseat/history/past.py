"""One moment of the past as a whole snapshot, for every page to look at.

What it promises, ranked: (1) the snapshot is the one asked for: what the landed file says is held against the identity
in the tables; (2) where that file is gone or is another, the layout comes from the tables, and the snapshot says so;
(3) only that snapshot's rows are read.

Complexity: O(bytes of the file), or of the snapshot's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from reseat.errors import InputRefused, LayoutInvalid
from reseat.formats.documents.snapshot import read_snapshot
from reseat.formats.documents.snapshot_writer import identity
from reseat.history.folder import Folder
from reseat.history.read import History
from reseat.history.rebuild import layout_from_tables
from reseat.model import Consistency, Gaps, LogDirectory, Snapshot
from reseat.model.snapshot import GAPS_BY_PROTOCOL

__all__ = ["snapshot_at"]

_COLUMNS = (
    "taken_at", "path", "way", "cluster_id", "metadata", "version", "controller", "consistency", "reassigning",
    "incomplete",
)  # fmt: skip


def snapshot_at(history: History, landing: str | Path | Folder, cluster: str, snapshot_id: str) -> Snapshot:
    """A snapshot that the tables know.

    Args:
        history: the tables.
        landing: the landing zone that they were made from.
        cluster: the cluster.
        snapshot_id: the snapshot's identity.

    Returns:
        What the landed file says; where that cannot be had, what the tables say, with a sentence in ``not_read``.

    Raises:
        InputRefused: the tables do not know it, or cannot be read.
    """
    rows = history.table("snapshots", cluster, snapshot_id=snapshot_id, columns=_COLUMNS).to_pylist()
    if not rows:
        raise InputRefused(
            f"No snapshot {snapshot_id[:40]} of cluster {cluster[:100]} is in the tables; it may have been thinned out "
            "by retention.",
            source=history.where,
        )
    told = rows[0]
    zone = landing if isinstance(landing, Folder) else Folder.open(landing)
    try:
        return _landed(zone, str(told["path"]), cluster, snapshot_id)
    except InputRefused as unreadable:
        return _rebuilt(history, cluster, snapshot_id, told, str(unreadable))


def _landed(landing: Folder, path: str, cluster: str, snapshot_id: str) -> Snapshot:
    if not landing.exists(path):
        raise InputRefused("The saved file no longer exists.", source=path)
    snapshot = replace(read_snapshot(landing.read(path), source=path), cluster=cluster)
    if identity(snapshot) != snapshot_id:
        raise InputRefused("The saved file holds another snapshot than the ingested one.", source=path)
    return snapshot


def _rebuilt(history: History, cluster: str, snapshot_id: str, told: Mapping[str, Any], unreadable: str) -> Snapshot:
    not_read = [
        f"{unreadable} This layout was rebuilt from the tables: configurations and the original text are unknown."
    ]
    if told["reassigning"]:
        not_read.append("The tables do not include which replicas a reassignment in progress adds and removes.")
    if told["incomplete"]:
        not_read.append("Partitions were missing from the input; the tables do not include which.")
    rows = [history.table(name, cluster, snapshot_id=snapshot_id) for name in ("brokers", "replicas", "topic_spread")]
    try:
        layout = layout_from_tables(*rows)
    except LayoutInvalid as error:
        raise InputRefused(f"{unreadable} {error}", source=history.where) from error
    log_dirs = tuple(
        LogDirectory(row["broker"], **one)
        for row in rows[0].select(["broker", "log_dirs"]).to_pylist()
        for one in row["log_dirs"] or ()
    )
    return Snapshot(
        layout=replace(layout, gaps=GAPS_BY_PROTOCOL.get(told["way"], Gaps())),
        log_dirs=log_dirs,
        taken_at=told["taken_at"],
        protocol=told["way"],
        cluster=cluster,
        cluster_id=told["cluster_id"],
        controller=told["controller"],
        metadata=told["metadata"],
        version=told["version"],
        consistency=Consistency(told["consistency"]),
        not_read=tuple(not_read),
        under_way_told=told["reassigning"] == 0,
    )
