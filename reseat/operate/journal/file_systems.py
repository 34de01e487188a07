"""Which file system a file is on, as far as Linux tells: a journal must be on one of this machine."""

from __future__ import annotations

import os
import re
from pathlib import Path

__all__ = ["network_file_system"]

_MOUNTS = Path("/proc/self/mountinfo")
#: Kinds whose files other machines may have open, and whose locks and shared memory SQLite cannot rely on.
_NETWORK = frozenset({
    "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.ceph-fuse", "fuse.gcsfuse", "fuse.glusterfs",
    "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "gfs", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
    "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "wekafs",
})  # fmt: skip
_ESCAPED = re.compile(r"\\([0-7]{3})")


def network_file_system(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """The kind of network file system that a file is on; None: it is on this machine, or the system does not tell.

    Args:
        path: the file, or where it would be.
        mounts: what is mounted, as Linux tells a process.
    """
    if not mounts.exists():
        return None
    told = [line.partition(" - ") for line in mounts.read_text(errors="surrogateescape").splitlines()]
    # A later mount hides an earlier one at the same place.
    kinds = {Path(_unescaped(left.split()[4])): right.split()[0] for left, dash, right in told if dash}
    there = Path(os.path.realpath(path))
    kind = next((kinds[place] for place in (there, *there.parents) if place in kinds), None)
    return kind if kind in _NETWORK else None


def _unescaped(place: str) -> str:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 8)), place)
