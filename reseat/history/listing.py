"""What a folder of this machine holds: one system call a file, which 100,000 of them need.

Names that begin with ``.`` or ``_`` are hidden, as all readers of Parquet data sets have it. A link, a pipe, a socket
and a device are no files: what a link leads to may be anybody's, and who opens a pipe waits until somebody writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Closed", "FileFact", "Hidden", "hides", "is_listed", "level", "scan"]

#: What is listed of that which is hidden: nothing, files in folders that are not, or all.
Hidden = Literal["none", "files", "all"]
#: Is told why something is left out, by its path; None: what cannot be listed refuses the listing.
Closed = Callable[[str, Exception], None] | None
#: What is no file, by the type that the file system tells.
_NO_FILE = {
    stat.S_IFLNK: "a link, which is not followed",
    stat.S_IFIFO: "a pipe, not a file",
    stat.S_IFSOCK: "a socket, not a file",
    stat.S_IFCHR: "a device, not a file",
    stat.S_IFBLK: "a device, not a file",
}


@dataclass(frozen=True, slots=True)
class FileFact:
    """What a listing tells of a file.

    Attributes:
        path: relative to the folder.
        size: in bytes.
        modified_ns: when it was last written, in ns since 1970; 0 where the file system does not tell.
    """

    path: str
    size: int
    modified_ns: int


def hides(name: str) -> bool:
    """Whether a name is hidden."""
    return name.startswith((".", "_"))


def is_listed(folders: Sequence[str], name: str, hidden: Hidden) -> bool:
    """Whether a file of this name, in these folders one in the other, is listed."""
    return hidden == "all" or not (any(map(hides, folders)) or (hidden == "none" and hides(name)))


def scan(folder: str, prefix: str, hidden: Hidden, closed: Closed) -> Iterator[FileFact]:
    """The files of a folder at any depth.

    Args:
        folder: where it is; where there is none, there are no files.
        prefix: put before each path: empty, or ends with ``/``.
        hidden: what is listed of that which is hidden.
        closed: is told of a folder that cannot be listed, of a file that cannot be looked at, and of what is no file;
            they are left out.

    Raises:
        OSError: something cannot be listed, and ``closed`` is None.
    """
    stack = [(folder, prefix)]
    while stack:
        here, before = stack.pop()
        try:
            files, folders = level(here, before, hidden, closed)
        except OSError as error:
            if closed is None:
                raise
            closed(before.rstrip("/"), error)
            continue
        yield from files
        stack += [(f"{here}/{name}", f"{before}{name}/") for name in folders]


def level(here: str, before: str, hidden: Hidden, closed: Closed) -> tuple[list[FileFact], list[str]]:
    """The files directly in a folder, and the names of the folders in it. Links are neither.

    Args:
        here: where it is; where there is none, nothing is in it.
        before: put before each file's path: empty, or ends with ``/``.
        hidden: what is listed of that which is hidden.
        closed: is told of a file that cannot be looked at, and of what is no file; they are left out.

    Raises:
        OSError: the folder cannot be listed; or a file cannot be looked at, and ``closed`` is None.
    """
    files: list[FileFact] = []
    folders: list[str] = []
    try:
        entries = os.scandir(here)
    except FileNotFoundError:
        return files, folders  # never made, or deleted since its parent was listed
    with entries:
        for entry in entries:
            hides_itself = hides(entry.name)
            if hides_itself and hidden == "none":
                continue
            if entry.is_dir(follow_symlinks=False):
                if hidden == "all" or not hides_itself:
                    folders.append(entry.name)
                continue
            try:
                fact = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            except OSError as error:
                if closed is None:
                    raise
                closed(f"{before}{entry.name}", error)
                continue
            if stat.S_ISREG(fact.st_mode):
                files.append(FileFact(f"{before}{entry.name}", fact.st_size, fact.st_mtime_ns))
            elif closed is not None and not hides_itself:
                closed(f"{before}{entry.name}", OSError(_NO_FILE.get(stat.S_IFMT(fact.st_mode), "no file")))
    return files, folders
