"""Snapshots -> the landing zone: a folder with one immutable file each, from which histories are made.

What it promises, in this order:

1. A file becomes visible only when it is whole, also where the process or the machine dies in the middle.
2. No file is ever overwritten; the same snapshot delivered again is the same file.
3. The cluster's name names one folder directly in the landing zone, and nothing outside it.

How it works: the file is written under a name that readers of data sets overlook (it starts with a dot), forced to
disk, then linked to its name, which fails where that exists; the folder is forced to disk too. The name is the moment
and the snapshot's identity: ``cluster=NAME/20260501T120000.000000Z-IDENTITY.json``. A file that a dying process leaves
behind (``.….part``) is never read and may be deleted.

Complexity: O(bytes).
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from dataclasses import replace
from datetime import UTC
from pathlib import Path

from reseat.errors import InputRefused
from reseat.formats.snapshot import identity, write_snapshot
from reseat.model import Snapshot

__all__ = ["land", "write_whole"]

#: What a cluster may be called here: it names a folder of a partitioned data set, on any file system.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def land(snapshot: Snapshot, folder: Path | str, cluster: str) -> Path:
    """Put a snapshot into a landing zone.

    Args:
        snapshot: the snapshot; the file names ``cluster`` as its cluster.
        folder: the landing zone, made where it does not exist.
        cluster: the name under which the cluster's history is kept: up to 100 letters, digits, ``.``, ``_``, ``-``.

    Returns:
        The file, which may have been there before.

    Raises:
        InputRefused: the name is no name of a cluster, or the folder cannot be written.
    """
    if not _NAME.fullmatch(cluster):
        raise InputRefused(
            f"{cluster[:60]!r} cannot name a cluster in the landing zone; up to 100 letters, digits, '.', '_' and '-' "
            "were expected, beginning with a letter or digit."
        )
    if _URL.match(str(folder)):
        raise InputRefused(f"A folder of this machine was expected as the landing zone, not {str(folder)[:100]}.")
    named = replace(snapshot, cluster=cluster)
    moment = named.taken_at if named.taken_at.tzinfo is None else named.taken_at.astimezone(UTC)
    home = Path(folder) / f"cluster={cluster}"
    file = home / f"{moment:%Y%m%dT%H%M%S.%fZ}-{identity(named)}.json"
    try:
        home.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            write_whole(file, write_snapshot(named), overwrite=False)
    except OSError as error:
        raise InputRefused(
            f"The landing zone cannot be written: {error.strerror or error}.", source=str(folder)
        ) from error
    return file


def write_whole(file: Path, data: bytes, *, overwrite: bool = True) -> None:
    """Write a file so that nobody ever sees a part of it.

    Args:
        file: the file; its folder exists.
        data: its content.
        overwrite: whether a file of this name is replaced; False: it stays, and nothing is written.

    Raises:
        OSError: it cannot be written; then nothing is left behind.
    """
    hidden = file.with_name(f".{file.name[:100]}.{os.getpid()}-{secrets.token_hex(4)}.part")
    try:
        # The mode that any new file has here: another account's pipeline may have to read it.
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if overwrite:
            hidden.replace(file)
        else:
            _link(hidden, file)
    finally:
        with suppress(FileNotFoundError):
            hidden.unlink()
    folder = os.open(file.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _link(hidden: Path, file: Path) -> None:
    """Give a file its name, unless there is one of that name."""
    try:
        os.link(hidden, file)
    except FileExistsError:
        return
    except OSError:
        # A file system without hard links. Two processes that land one snapshot at once then put one whole file in
        # place of another that says the same.
        if not file.exists():
            hidden.replace(file)
