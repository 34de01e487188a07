"""The process between the dashboard and the pipeline: it sees to it that nothing of a job outlives whoever wanted it.

``python reseat/jobs/guard.py SECONDS COMMAND ...`` starts the command in a session of its own and waits for it.
Its standard input is a pipe of which the dashboard holds the other end. When that end is closed, because somebody
cancelled or because the dashboard is gone in whatever way (kill -9 included), the command is asked to end (SIGTERM);
what is left of it after so many seconds, Spark's JVM and its Python workers above all, is killed. The pipe is the
system's own and cannot be forgotten: no handler needs to run in a server that dies.

What the command leaves behind comes to this process (Linux: PR_SET_CHILD_SUBREAPER), also what began a process group
of its own, as Spark's Python workers do. Where a system cannot do that, only the command's process group is ended.

Uses the standard library alone, so that it starts in a few hundredths of a second. Exits as the command did, with 128
and the signal's number where a signal ended it, and with 127 where the command could not be started.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

#: Seconds between two looks at what is left.
_LOOK = 0.05
#: Seconds in which what was killed must be gone.
_KILLED_WITHIN = 5.0
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
NOT_STARTED = 127


def main(arguments: Sequence[str]) -> int:
    """Run a command until it ends or nobody wants it any more.

    Args:
        arguments: the seconds that it has to end kindly, then its words.
    """
    grace, command = float(arguments[0]), list(arguments[1:])
    unwanted, ended = threading.Event(), threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: unwanted.set())
    _take_orphans()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 -- our own words
    except OSError as error:
        sys.stderr.write(f"{command[0]} could not be started: {error.strerror or error}.\n")
        return NOT_STARTED
    threading.Thread(target=_listen, args=(unwanted,), daemon=True).start()
    threading.Thread(target=_await, args=(process, ended), daemon=True).start()
    while not ended.wait(_LOOK):
        if unwanted.is_set():
            process.terminate()
            if not ended.wait(grace):
                process.kill()
                ended.wait()
    _clear(process.pid, grace)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _take_orphans() -> None:
    """Become the parent of whatever a descendant leaves behind."""
    with contextlib.suppress(OSError, AttributeError):  # not Linux: see above
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _listen(unwanted: threading.Event) -> None:
    """Wait until the other end of our standard input is closed; nothing is ever written to it."""
    while os.read(0, 1024):
        pass
    unwanted.set()


def _await(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    process.wait()
    ended.set()


def _clear(group: int, grace: float) -> None:
    """Let what a command left behind end by itself, as a JVM does whose driver is gone; then kill it."""
    until = time.monotonic() + grace
    while _left(group) and time.monotonic() < until:
        time.sleep(_LOOK)
    until = time.monotonic() + _KILLED_WITHIN
    while _left(group) and time.monotonic() < until:
        _kill(group, whole_group=True)
        for child in _children():
            _kill(child, whole_group=False)
        time.sleep(_LOOK)


def _left(group: int) -> bool:
    """Whether anything is left; what has ended is put away first, or it would count as being there."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return bool(_children())
    return True


def _children() -> list[int]:
    """Our children, orphans that came to us included; empty where the system does not tell."""
    me = os.getpid()
    try:
        return [int(child) for child in Path(f"/proc/{me}/task/{me}/children").read_text().split()]
    except OSError:
        return []


def _kill(process: int, *, whole_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        (os.killpg if whole_group else os.kill)(process, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
