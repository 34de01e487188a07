"""One job at a time on tables that lie on a disk of this machine; a dead job's lock blocks nobody.

What it promises, in this order:

1. Two jobs do not work on the same tables at once.
2. A job that is gone, however it went, holds nothing, at once.
3. Who is refused is told who is at work, where and since when.

How it works: ``flock`` on ``_reseat/lock``: the kernel lets go of it when the process ends, and no child gets it (the
descriptor is closed on exec, so that Spark's JVM cannot keep it). The file stays and says who holds it. Elsewhere there
is no lock: Delta tables keep jobs apart themselves (``reseat.pipeline.delta_commit``).

Complexity: one system call.

Source: flock(2).
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.delta import delta_of
from reseat.history.folder import Folder
from reseat.history.places import PRIVATE

__all__ = ["check_free", "hold"]

_LOCK = f"{PRIVATE}/lock"


@contextmanager
def hold(tables: Folder, what: str) -> Iterator[None]:
    """Hold the tables' lock.

    Args:
        tables: the tables, on a disk of this machine; their folder is made where it does not exist.
        what: what the job does, for others who ask: ``run``, ``sweep``, ``compact``.

    Raises:
        PipelineBusy: another living job holds it.
        InputRefused: the folder cannot be written.
    """
    told = {
        "what": what,
        "process": str(os.getpid()),
        "machine": socket.gethostname(),
        "since": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC",
    }
    file = tables.path(_LOCK)
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)  # noqa: PTH103, PTH120
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        raise InputRefused(f"The tables cannot be written: {error.strerror}.", source=tables.where) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _busy(tables, os.pread(descriptor, 4096, 0)) from None
        except OSError as error:
            raise InputRefused(
                f"The file system of the tables has no locks ({error.strerror}); choose another place for them.",
                source=tables.where,
            ) from error
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, json.dumps(told).encode(), 0)
        except OSError as error:  # no room is left, usually
            raise InputRefused(f"The tables cannot be written: {error.strerror}.", source=tables.where) from error
        yield
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)  # lets go of the lock


def check_free(tables: Folder, what: str) -> None:
    """Refuse before Spark is started what ``hold`` would refuse after it; elsewhere than here there is no lock.

    Args:
        tables: the tables; their folder is made where it does not exist.
        what: what the job does.

    Raises:
        PipelineBusy: another living job holds the lock.
        InputRefused: the folder cannot be written.
    """
    if tables.local is not None and delta_of(tables) is None:
        with hold(tables, what):
            pass


def _said(data: bytes) -> dict[str, str]:
    """What a job wrote of itself; nothing where it is just being written."""
    try:
        told = json.loads(data)
    except ValueError:
        return {}
    return {str(key): str(value) for key, value in told.items()} if isinstance(told, dict) else {}


def _busy(tables: Folder, data: bytes) -> PipelineBusy:
    told = _said(data)
    who = (
        f"{told['what']} (process {told.get('process', '?')} on {told.get('machine', '?')}, since {told['since']})"
        if {"what", "since"} <= set(told)
        else "another job"
    )
    return PipelineBusy(
        f"The tables in {tables.where} are being written by {who}. Wait for it or stop it; a job that has ended holds "
        "no lock.",
        told,
    )
