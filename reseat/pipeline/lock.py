"""One job at a time on the same tables; a dead job's lock blocks nobody.

What it promises, in this order:

1. Two jobs do not work on the same tables at once: of two that start together, at least one is refused. Elsewhere than
   on this machine one that sleeps may wake beside another; that it then publishes nothing is kept by
   ``reseat.pipeline.turns``, whatever the clocks say.
2. A job that is gone, however it went, holds nothing: at once on this machine, after 60 seconds elsewhere.
3. Who is refused is told who is at work, where and since when.

How it works: on a file system of this machine, ``flock`` on ``_reseat/lock``: the kernel lets go of it when the process
ends, and no child gets it (the descriptor is closed on exec, so that Spark's JVM cannot keep it). The file stays and
says who holds it.

Elsewhere (S3, HDFS, ABFS) there is no such lock, so each job writes an object of its own under ``_reseat/locks`` and
*then* lists the others. As every one writes before it looks, of two at least one sees the other, and whoever sees
another withdraws: a job that already holds it wins, two that only ask try again after a random moment. The holder
writes its object again every 15 seconds; one that was not written for 60 seconds is dead and is deleted. Times are the
service's own, taken from the objects, so that clocks need not agree. :meth:`Lease.check`, right before a commit,
refuses a job that was frozen for so long that another may have taken over.

Complexity: one system call here; a put and a listing elsewhere.

Source: flock(2); Lamport's bakery, without the queue (CACM 1974).
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import secrets
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.folder import Folder
from reseat.history.places import PRIVATE

__all__ = ["Lease", "check_free", "hold"]

_LOCK = f"{PRIVATE}/lock"
_ASKING = f"{PRIVATE}/locks"
#: Seconds between two signs of life, after which without one a job is dead, and after which it must think so itself:
#: well before others do.
BEAT, _DEAD, _DOUBTFUL = 15.0, 60.0, 40.0
#: How often two jobs that ask at the same moment try again.
_TRIES = 5


@dataclass(slots=True)
class Lease:
    """The lock, while it is held."""

    _tables: Folder
    _mine: str = ""  # our object; none is needed on this machine
    _last_beat: float = 0.0
    _lost: bool = False
    _over: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Make sure that the lock is still held; costs nothing on this machine.

        Raises:
            PipelineBusy: it may be another's by now.
        """
        if not self._mine:
            return
        silent = _now() - self._last_beat
        # A loss is final: a job that slept and then signs again must not think that it held the lock all along.
        self._lost = self._lost or silent > _DOUBTFUL or not self._tables.exists(self._mine)
        if self._lost:
            raise PipelineBusy(
                f"This job sent no heartbeat for {max(silent, _DOUBTFUL):.0f} s, so another job may have taken over "
                "the tables. It published nothing more; start it again."
            )


@contextmanager
def hold(tables: Folder, what: str) -> Iterator[Lease]:
    """Hold the tables' lock.

    Args:
        tables: the tables; their folder is made where it does not exist.
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
    with _local(tables, told) if tables.local is not None else _remote(tables, told) as held:
        yield held


def check_free(tables: Folder, what: str) -> None:
    """Refuse before Spark is started what ``hold`` would refuse after it.

    On an object store, where asking for the lock takes its time, nothing is checked.

    Args:
        tables: the tables; their folder is made where it does not exist.
        what: what the job does.

    Raises:
        PipelineBusy: another living job holds the lock.
        InputRefused: the folder cannot be written.
    """
    if tables.local is not None:
        with hold(tables, what):
            pass


@contextmanager
def _local(tables: Folder, told: dict[str, str]) -> Iterator[Lease]:
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
        yield Lease(tables)
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)  # lets go of the lock


@contextmanager
def _remote(tables: Folder, told: dict[str, str]) -> Iterator[Lease]:
    mine = f"{_ASKING}/{secrets.token_hex(8)}.json"
    held = Lease(tables, mine)
    try:
        _ask(held, told)
        beating = threading.Thread(target=_beat, args=(held, told), name="reseat-lock", daemon=True)
        beating.start()
        try:
            yield held
        finally:
            held._over.set()
            beating.join(BEAT)
    finally:
        tables.delete(mine)


def _ask(held: Lease, told: dict[str, str]) -> None:
    """Write an object of our own, and then look whether another job lives."""
    tables, mine = held._tables, held._mine
    for attempt in range(_TRIES):
        _sign(held, told, "asks")
        others = _living(tables, mine)
        if not others:
            _sign(held, told, "holds")
            return
        tables.delete(mine)
        if attempt + 1 == _TRIES or any(one.get("state") == "holds" for one in others):
            raise _busy(tables, json.dumps(others[0]).encode())
        held._over.wait(random.uniform(0.1, 1.0) * (attempt + 1))  # noqa: S311


def _living(tables: Folder, mine: str) -> list[dict[str, str]]:
    """What the other jobs say that gave a sign of life; the objects of dead ones are deleted."""
    facts = tables.files(_ASKING, ".json")
    now = next((one.modified_ns for one in facts if one.path == mine), None)
    others: list[dict[str, str]] = []
    for one in facts:
        if one.path == mine:
            continue
        if now is not None and (now - one.modified_ns) / 1e9 > _DEAD:
            tables.delete(one.path)
            continue
        try:
            others.append(_said(tables.read(one.path)))
        except InputRefused:
            if tables.exists(one.path):
                raise
    return others


def _sign(held: Lease, told: dict[str, str], state: str) -> None:
    begun = _now()  # before the request: the service's time is later, never earlier
    held._tables.write(held._mine, json.dumps(told | {"state": state}).encode())
    held._last_beat = begun


def _beat(held: Lease, told: dict[str, str]) -> None:
    while not held._over.wait(BEAT):
        try:
            held.check()
            _sign(held, told, "holds")
        except PipelineBusy:
            return
        except InputRefused:
            continue  # the service does not answer; check() sees how long for


def _now() -> float:
    """Seconds that also pass while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


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
