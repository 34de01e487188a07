"""What was told and what is still to be told, in one file that a dying process leaves whole.

What it promises, ranked: (1) each change of an alert is one message with one key, however often the process is killed
between finding, writing and telling; (2) a message leaves the file only after the webhook took it, or after a week;
(3) one process at a time.

How it works: the alerts that hold and the messages to send are one JSON document, replaced in one step
(``atomic_write``); the key is made of what changed and of the snapshot that says so. Killed after the webhook answered
and before that was written, the message is sent again with the same key: no sender can do better than that alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from reseat.alerts.raised import AlertState
from reseat.atomic_write import atomic_write
from reseat.errors import InputRefused
from reseat.existing import may_exist

__all__ = ["Message", "Outbox", "default_state", "opened"]

#: A message that nobody took for so long is given up.
_KEPT = timedelta(days=7)


class Message(msgspec.Struct, frozen=True):
    """What a webhook is told.

    Attributes:
        id: the same for the same change of an alert, also when it is sent again.
        event: ``began`` or ``over``.
        alert: the alert's name.
        cluster: the cluster.
        sentence: how it is.
        snapshot_id: the snapshot that says so.
        taken_at: when that was taken.
        found_at: when the change was found.
    """

    id: str
    event: str
    alert: str
    cluster: str
    sentence: str
    snapshot_id: str
    taken_at: datetime
    found_at: datetime


class _State(msgspec.Struct):
    holding: list[tuple[str, str]] = []
    waiting: list[Message] = []
    limits: str | None = None


class Outbox:
    """The file, held by this process alone.

    Args:
        file: the file, which need not exist.
        limits: the limits file whose alerts are told.

    Raises:
        InputRefused: it is no such file, or one of another limits file's alerts: those would be forgotten, and what
            waits would be told to the wrong webhook.
    """

    def __init__(self, file: Path, limits: str) -> None:
        self._file = file
        self._limits = limits
        try:
            self._state = msgspec.json.decode(file.read_bytes(), type=_State) if may_exist(file) else _State()
        except (OSError, msgspec.DecodeError, RecursionError) as error:
            raise InputRefused(f"This is no file of alerts ({error}); name another.", source=str(file)) from error
        if self._state.limits not in (None, limits):
            said = f"It is of the alerts in {self._state.limits}; name another with --state."
            raise InputRefused(
                f"{said} If that file has moved, delete this one: what holds is told again.", source=str(file)
            )

    @property
    def waiting(self) -> tuple[Message, ...]:
        """What is still to be told, oldest first."""
        return tuple(self._state.waiting)

    def note(self, found: Iterable[AlertState], known: Iterable[str], now: datetime) -> None:
        """Write down what began and what is over since the last time.

        Args:
            found: each alert at each cluster; what is unknown stays as it was.
            known: the names of all alerts; one that is not among them any more is forgotten, not over.
            now: the time, UTC.
        """
        names = set(known)
        holding = {(cluster, alert) for cluster, alert in self._state.holding if alert in names}
        waiting = list(self._state.waiting)
        for one in found:
            key = (one.cluster, one.alert)
            if one.holds is None or one.holds == (key in holding):
                continue
            event = "began" if one.holds else "over"
            mark = hashlib.sha256("\0".join((*key, event, one.snapshot_id, one.sentence)).encode()).hexdigest()[:32]
            message = Message(mark, event, one.alert, one.cluster, one.sentence, one.snapshot_id, one.taken_at, now)
            waiting.append(message)
            holding ^= {key}
        self._write(sorted(holding), waiting)

    def told(self, message: Message) -> None:
        """The webhook took a message."""
        self._write(self._state.holding, [one for one in self._state.waiting if one.id != message.id])

    def give_up(self, now: datetime) -> tuple[Message, ...]:
        """Forget what waits for more than a week; returns it."""
        old = tuple(one for one in self._state.waiting if now - one.found_at > _KEPT)
        if old:
            self._write(self._state.holding, [one for one in self._state.waiting if one not in old])
        return old

    def _write(self, holding: list[tuple[str, str]], waiting: list[Message]) -> None:
        state = _State(holding, waiting, self._limits)
        try:
            atomic_write(self._file, msgspec.json.encode(state))
        except OSError as error:
            said = f"What is to be told cannot be written: {error.strerror or error}."
            raise InputRefused(said, source=str(self._file)) from error
        self._state = state


def default_state(env: Mapping[str, str]) -> Path:
    """``reseat/alerts.json`` in ``XDG_STATE_HOME``, else in ``~/.local/state``."""
    told = Path(env.get("XDG_STATE_HOME") or "")
    home = told if told.is_absolute() else Path(env.get("HOME") or Path.home()) / ".local" / "state"
    return home / "reseat" / "alerts.json"


@contextmanager
def opened(file: Path, limits: str) -> Iterator[Outbox]:
    """The outbox in a file, which need not exist; refused while another process has it.

    Raises:
        InputRefused: another process has it, or as ``Outbox``.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(file.with_name(f"{file.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputRefused(f"It cannot be opened: {error.strerror or error}.", source=str(file)) from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise InputRefused("Another reseat watch is at work on this file.", source=str(file)) from None
        yield Outbox(file, limits)
    finally:
        os.close(lock)
