"""Who holds the journal's lock on a cluster, and whether that process is still alive.

What it promises: a process that is gone (killed, its machine restarted) is never taken for alive, and one that is
alive on this machine is never taken for gone, however long it has been silent.

How it works: a process is told by its machine, its namespace of process ids, its id and the moment it started, since
ids are given out again. On the same machine and namespace these are looked up. Of one elsewhere, or hidden from this
user (``hidepid``, systemd's ``ProtectProc``), nothing can be, so the heartbeat decides: silent for longer than
``SILENT_SECONDS`` means gone.

Complexity: one read of ``/proc``; where there is none, one ``ps``.
"""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["SILENT_SECONDS", "Owner", "is_alive", "this_process"]

#: A runner shows a heartbeat every few seconds; six missed ones from another machine are taken for its end.
SILENT_SECONDS = 60.0
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process.

    Attributes:
        host: the machine's name, for people and to tell machines apart.
        space: the namespace of process ids (containers have their own), "" where the system has none.
        boot: of which start of the machine, "" where the system does not tell.
        pid: process id.
        started: when the process started, in the system's own words.
    """

    host: str
    space: str
    boot: str
    pid: int
    started: str

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host}"


def this_process() -> Owner:
    """The process that asks."""
    pid = os.getpid()
    return Owner(socket.gethostname(), _space(), _boot(), pid, _started(pid) or "")


def is_alive(owner: Owner, silent_seconds: float) -> bool:
    """Whether an owner is still there.

    Args:
        owner: the process.
        silent_seconds: since its last heartbeat.
    """
    here = this_process()
    if (owner.host, owner.space) != (here.host, here.space):
        return silent_seconds <= SILENT_SECONDS
    if owner.boot != here.boot:
        return False
    try:
        return bool(owner.started) and _started(owner.pid) == owner.started
    except PermissionError:
        return silent_seconds <= SILENT_SECONDS


@cache
def _boot() -> str:
    file = _PROC / "sys/kernel/random/boot_id"
    return file.read_text().strip() if file.exists() else ""


def _space() -> str:
    link = _PROC / "self/ns/pid"
    return str(link.readlink()) if link.is_symlink() else ""


def _started(pid: int) -> str | None:
    """When a process started; None where there is no such process, or it has ended and nobody has collected it.

    Raises:
        PermissionError: there is one, which this user may not look at.
    """
    if (_PROC / "self/stat").exists():
        try:
            stat = (_PROC / str(pid) / "stat").read_text()
        except OSError:
            with suppress(ProcessLookupError):
                os.kill(pid, 0)  # sends nothing, and finds what /proc hides
            return None
        # The name stands in brackets and may hold blanks and brackets itself; the state follows it.
        fields = stat[stat.rindex(")") + 2 :].split()
        return None if fields[0] in "ZXx" else fields[19]
    told = subprocess.run(  # noqa: S603
        ["/bin/ps", "-o", "stat=,lstart=", "-p", str(pid)],
        capture_output=True,
        text=True,
        check=False,
        env={"LC_ALL": "C", "TZ": "UTC"},  # in whose words and zone it would tell the time
    ).stdout.split(maxsplit=1)
    return None if len(told) < 2 or told[0].startswith("Z") else told[1].strip()
