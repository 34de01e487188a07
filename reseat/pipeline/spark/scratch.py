"""A folder for one session's leavings (log, spilled data, the zip of code), gone when the session ends.

A process that is killed cannot tidy up. Its folder is locked as long as it lives (``flock``: the system lets go of it
with the process), so the next session finds the folders of the dead by their free locks, and removes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["scratch_folder"]

_PREFIX = "reseat-spark-"
_LOCK = "held"


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that nobody else can read, below the system's folder for temporary files; removed on exit."""
    _remove_the_dead(Path(tempfile.gettempdir()))
    made = Path(tempfile.mkdtemp(prefix=f".{_PREFIX}"))
    with (made / _LOCK).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # Under its name only once it is locked: nobody takes it for a dead one's.
        folder = made.rename(made.with_name(made.name[1:]))
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _remove_the_dead(parent: Path) -> None:
    """Remove folders of this user's processes that ended without removing them."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # gone meanwhile, another user's, or held by a living process
            if folder.lstat().st_uid != os.getuid() or folder.is_symlink():
                continue
            with (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
