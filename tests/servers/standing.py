"""A process that is made to stand still."""

from __future__ import annotations

import os
import signal
import subprocess

__all__ = ["stand_still"]


def stand_still(process: subprocess.Popen[str] | subprocess.Popen[bytes]) -> None:
    """Stop a child of this process where it is (SIGSTOP), and return once all of its threads are stopped.

    On a busy machine other threads go on until one of them is given a core and takes the signal.
    """
    process.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
