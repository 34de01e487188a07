"""Writing a file so that nobody ever sees a part of it, also where the process or the machine dies in the middle.

How it works: the data is written under a name that readers of data sets overlook (it starts with a dot), forced to
disk, and then given its name in one step; the folder is forced to disk too. What a dying process leaves behind
(``.….part``) is never read and may be deleted.

Complexity: O(bytes).
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

__all__ = ["atomic_write", "sync_to_disk"]


def atomic_write(file: Path, data: bytes, *, overwrite: bool = True, mode: int = 0o666) -> bool:
    """Write a file so that nobody ever sees a part of it.

    Args:
        file: the file; its folder exists.
        data: its content.
        overwrite: whether a file of this name is replaced; False: it stays, and nothing is written.
        mode: who may read it, as far as the process's mask allows. As of any new file by default: another account's
            pipeline may have to read it.

    Returns:
        Whether it was written: of many who do not overwrite and try at once, one is told True.

    Raises:
        OSError: it cannot be written; then nothing is left behind.
    """
    # Without the file's own name, which may be as long as a name can be.
    hidden = file.with_name(f".{secrets.token_hex()}.part")
    try:
        descriptor = os.open(hidden, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        if overwrite:
            hidden.replace(file)
        elif not _link(hidden, file):
            return False
    finally:
        with suppress(FileNotFoundError):
            hidden.unlink()
    sync_to_disk(file.parent)
    return True


def sync_to_disk(place: Path) -> None:
    """Force a file's content, or the names in a folder, to disk.

    Raises:
        OSError: it is not there, or the disk refuses.
    """
    descriptor = os.open(place, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _link(hidden: Path, file: Path) -> bool:
    """Give a file its name, unless there is one of that name; say whether it has it."""
    try:
        os.link(hidden, file)
    except FileExistsError:
        return False
    except OSError:
        # A file system without hard links: two processes that do this at once may both be told that they did it.
        if file.exists():
            return False
        hidden.replace(file)
    return True
