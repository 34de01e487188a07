"""Snapshots -> the landing zone: a folder with one immutable file each, from which histories are made.

What it promises, in this order:

1. A file becomes visible only when it is whole, also where the process or the machine dies in the middle.
2. No file is ever overwritten; the same snapshot delivered again is the same file.
3. The cluster's name names one folder directly in the landing zone, and nothing outside it.

How it works: ``reseat.history.folder`` writes whole files on any file system. The name is the moment and the snapshot's
identity: ``cluster=NAME/20260501T120000.000000Z-IDENTITY.json``. What a dying process leaves behind (``.….part``) is
never read, and ``landed_pieces`` takes it away.

Complexity: O(bytes) to land; to read, one listing of the zone, of which 100,000 files are in memory at a time, or
those of one folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from reseat.errors import InputRefused, LimitMet
from reseat.formats.documents.snapshot_writer import identity, write_snapshot
from reseat.formats.input.reading import LIMITS
from reseat.history.folder import FileFact, Folder
from reseat.history.listing import hides
from reseat.history.places import CLUSTER_NAME
from reseat.model import Snapshot
from reseat.model.snapshot import in_utc

__all__ = ["LandedFile", "check_cluster", "land", "landed_pieces"]

#: A file that is being written is written to all the while; one that nobody wrote to for so long has no writer left.
#: Long enough for the clocks of two machines that share a folder to differ.
_ABANDONED = timedelta(hours=1)
#: A snapshot dated farther ahead is of a machine whose clock is wrong: it would be the latest until then.
_AHEAD = timedelta(days=1)
_MOMENT = re.compile(r"[0-9]{8}T[0-9]{6}\.[0-9]{6}Z-")


@dataclass(frozen=True, slots=True)
class LandedFile:
    """A file of the landing zone.

    Attributes:
        path: relative to the landing zone.
        where: the whole path, or URL.
        new: whether it was not there before.
    """

    path: str
    where: str
    new: bool


def check_cluster(name: str) -> None:
    """Refuse what cannot name a cluster in a landing zone.

    Raises:
        InputRefused: it cannot; says what can.
    """
    if not CLUSTER_NAME.fullmatch(name):
        raise InputRefused(
            f"{name[:60]!r} cannot name a cluster in the landing zone; up to 100 letters, digits, '.', '_' and '-' "
            "were expected, beginning with a letter or digit."
        )


def land(snapshot: Snapshot, landing: Folder | Path | str, cluster: str) -> LandedFile:
    """Put a snapshot into a landing zone.

    Args:
        snapshot: the snapshot; the file names ``cluster`` as its cluster.
        landing: the landing zone, a folder or a path or URL of one; made where it does not exist.
        cluster: the name under which the cluster's history is kept: up to 100 letters, digits, ``.``, ``_``, ``-``.

    Returns:
        The file, and whether it is new.

    Raises:
        InputRefused: the name is no name of a cluster, or the landing zone cannot be written.
        LimitMet: the file would be larger than what is read.
    """
    check_cluster(cluster)
    zone = landing if isinstance(landing, Folder) else Folder.open(landing)
    named = replace(snapshot, cluster=cluster)
    path = f"cluster={cluster}/{_named(in_utc(named.taken_at))}-{identity(named)}.json"
    new = not zone.exists(path)
    if new:
        data = write_snapshot(named)
        if len(data) > LIMITS.bytes:
            raise LimitMet(
                f"The snapshot would have {len(data) / 1e6:,.0f} MB, and at most {LIMITS.megabytes:,} MB can be read: "
                "it is not saved."
            )
        new = zone.create(path, data)
    return LandedFile(path, zone.path(path) if zone.local is not None else f"{zone.where.rstrip('/')}/{path}", new)


def _named(moment: datetime) -> str:
    return f"{moment.year:04d}{moment:%m%dT%H%M%S.%fZ}"  # %Y of the year 900 has three digits


def landed_pieces(
    zone: Folder, *, closed: dict[str, str] | None = None, now: datetime | None = None
) -> Iterator[list[FileFact]]:
    """All files of a landing zone, some at a time; what writers that died left behind is deleted on the way.

    That are hidden ``.….part`` files that nobody wrote to for an hour. One that cannot be deleted stays, as where the
    pipeline may only read: it is in nobody's way. A file whose name is of a moment more than a day ahead waits for it.

    Args:
        zone: the landing zone.
        closed: is told why something is left out, by its path, as ``Folder.pieces`` tells it.
        now: the moment to count from; None: now.

    Yields:
        Files, in the order of ``Folder.pieces``.

    Raises:
        InputRefused: the landing zone cannot be listed.
    """
    now = datetime.now(UTC) if now is None else now
    before, latest = (now - _ABANDONED).timestamp() * 1e9, _named(now + _AHEAD)
    for piece in zone.pieces(hidden="files", closed=closed):
        files = []
        for one in piece:
            name = one.path.rpartition("/")[2]
            if _MOMENT.match(name) and name[: len(latest)] > latest:
                if closed is not None:
                    closed[one.path] = "its time is yet to come by this machine's clock: it waits"
            elif not hides(name):
                files.append(one)
            # A file system that does not tell times may hold one that is just being written.
            elif name.startswith(".") and name.endswith(".part") and 0 < one.modified_ns < before:
                with suppress(InputRefused):
                    zone.delete(one.path)
        if files:
            yield files
