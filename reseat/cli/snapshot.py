"""``snapshot``: a live cluster read as it is, into a file that every other command reads."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from reseat.atomic_write import atomic_write
from reseat.balance.quorum import quorum_in_words
from reseat.cli.inputs import STANDARD_INPUT as STANDARD_OUTPUT
from reseat.cli.inputs import connection_of, note_reading
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import complain, say, write_bytes
from reseat.errors import InputRefused
from reseat.formats.documents.snapshot_writer import write_snapshot
from reseat.history.folder import Folder
from reseat.model import Consistency, Severity, Snapshot
from reseat.model.wording import counted, listed
from reseat.sources.connection import Connection
from reseat.sources.landing import check_cluster, land
from reseat.sources.live import read_cluster

__all__ = ["snapshot"]

_Reader = Callable[..., Snapshot]

_PROTOCOLS = {"zookeeper": "ZooKeeper", "admin": "its brokers"}


def snapshot(chosen: argparse.Namespace, *, read: _Reader | None = None) -> int:
    """Read a cluster and write what was asked for; see the command's ``--help``.

    Args:
        chosen: the arguments.
        read: what reads a cluster; None: ``read_cluster``.
    """
    connection = connection_of(chosen)
    if chosen.output is None and chosen.landing is None:
        raise InputRefused(
            "Where to save the snapshot is missing: --output FILE, or --landing DIR with --cluster NAME."
        )
    if chosen.landing is not None and chosen.cluster is None:
        raise InputRefused("--landing needs --cluster NAME, the name of the cluster in the history.")
    zone = None
    if chosen.landing is not None:  # what is wrong with the words is said before a large cluster is read
        check_cluster(chosen.cluster)
        zone = Folder.open(chosen.landing)
    taken = _read(connection, read or read_cluster)
    if chosen.cluster is not None:
        taken = replace(taken, cluster=chosen.cluster)
    written = []
    if chosen.output is not None and chosen.output != STANDARD_OUTPUT:
        _write(Path(chosen.output), write_snapshot(taken))
        written.append(chosen.output)
    if zone is not None:  # last: a landing zone that cannot be reached takes nothing from the file
        written.append(land(taken, zone, chosen.cluster).where)
    lines = _summary(taken, written)
    if chosen.output == STANDARD_OUTPUT:
        complain(*lines)
        write_bytes(write_snapshot(taken))
    else:
        say(*lines)
    return 0


def _read(connection: Connection, read: _Reader) -> Snapshot:
    note_reading(connection)
    with working("Reading") as tell:
        return read(connection, report=lambda at: tell(f"Reading {at.step}", at.done, at.total))


def _write(file: Path, data: bytes) -> None:
    try:
        if file.exists() and not file.is_file():  # a device or a pipe, which cannot be replaced
            file.write_bytes(data)
        else:
            atomic_write(file, data)
    except OSError as error:
        raise InputRefused(f"The file cannot be written: {error.strerror or error}.", source=str(file)) from error


def _summary(taken: Snapshot, written: list[str]) -> list[str]:
    layout = taken.layout
    name = taken.cluster or taken.cluster_id or "The cluster"
    by = _PROTOCOLS.get(taken.protocol, taken.protocol)
    lines = [
        f"{name}, read from {by} at {taken.taken_at:%Y-%m-%d %H:%M:%S} UTC: {counted(len(layout.brokers), 'broker')}, "
        f"{counted(len(layout.topics), 'topic')}, {counted(layout.partition_count, 'partition')}, "
        f"{counted(layout.replica_count, 'replica')}."
    ]
    if taken.quorum is not None:
        words = quorum_in_words(taken.quorum)
        lines.append(f"{words[:1].upper()}{words[1:]}.")
    if taken.consistency is Consistency.CONSISTENT:
        lines.append("It is consistent: nothing changed while it was read.")
    elif taken.consistency is Consistency.UNSETTLED:
        changed = f": {listed(taken.unsettled)}" if taken.unsettled else ""
        lines.append(f"The snapshot is not consistent: the cluster kept changing while it was read{changed}.")
    lines += [found.sentence for found in taken.findings if found.severity is not Severity.NOTE]
    lines += taken.not_read
    if written:
        lines.append(f"Written: {', '.join(written)}")
    return lines
