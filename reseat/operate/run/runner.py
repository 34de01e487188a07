"""A run in a process of its own: it outlives the dashboard and the terminal that started it.

The connection, with its secrets, goes through a pipe: never through arguments or the environment, where other users of
the machine, ``ps`` and crash reports would see it. What it says goes to a log beside the journal, which its owner alone
can read. ``python -m reseat.operate.run.runner JOURNAL RUN`` reads the connection as JSON from standard input.

A termination (SIGTERM, as of a service or container that is stopped) is nobody's word on the plan: the runner ends at
once and the run stays open, to be gone on with. While the journal cannot be written nothing is sent; for a day the
runner tries again, so that at night nobody has to continue a run whose disk was full for an hour.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from reseat.access import OPERATE_VARIABLE, writing_enabled
from reseat.errors import JournalUnwritable, ReseatError, WriteRefused
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import Run, RunState
from reseat.operate.run.execute import carry_out
from reseat.sources.connection import Connection, Secret

__all__ = ["AGAIN_SECONDS", "connection_from_json", "connection_to_json", "log_file", "main", "start"]

#: Seconds between two tries while the journal cannot be written, and how many.
AGAIN_SECONDS, _TRIES = 30.0, 2_880
#: Where the package is, so that the process finds it from whatever folder it is started in.
_PACKAGE_HOME = Path(__file__).resolve().parents[3]


def log_file(journal: Path, run_id: int) -> Path:
    """Where a runner writes what it says."""
    return journal.with_name(f"{journal.name}.run-{run_id}.log")


def start(connection: Connection, journal: Path, run_id: int, *, ended: Callable[[], None] = lambda: None) -> int:
    """Start a process that carries a run out, or goes on with it.

    Args:
        connection: how the cluster is reached.
        journal: the journal's file.
        run_id: the run.
        ended: called in a thread of its own once the process has ended, where this one lives so long.

    Returns:
        The process id.

    Raises:
        WriteRefused: the process could not be started.
    """
    path = journal.resolve()
    environment = dict(os.environ)
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_PACKAGE_HOME), environment.get("PYTHONPATH"))))
    try:
        log = os.open(log_file(path, run_id), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            process = subprocess.Popen(  # noqa: S603 -- no word of it comes from outside
                [sys.executable, "-P", "-m", "reseat.operate.run.runner", str(path), str(run_id)],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=environment,
            )
        finally:
            os.close(log)
        assert process.stdin is not None  # noqa: S101 -- a pipe was asked for
        with process.stdin as pipe:
            pipe.write(connection_to_json(connection).encode())
    except OSError as error:
        raise WriteRefused(
            f"No process could be started for run {run_id} ({error.strerror}); it stays approved. Its log is "
            f"{log_file(path, run_id)}."
        ) from error
    # Collects the process when it ends; until then it needs nobody.
    threading.Thread(target=_await, args=(process, ended), name=f"reseat-run-{run_id}", daemon=True).start()
    return process.pid


def _await(process: subprocess.Popen[bytes], ended: Callable[[], None]) -> None:
    process.wait()
    ended()


def connection_to_json(connection: Connection) -> str:
    """A connection with its secrets, for a pipe and nothing else."""
    values: dict[str, object] = {}
    for item in fields(connection):
        value = getattr(connection, item.name)
        values[item.name] = {"secret": value.reveal()} if isinstance(value, Secret) else value
    return json.dumps(values)


def connection_from_json(text: str) -> Connection:
    """What ``connection_to_json`` made."""
    values: dict[str, Any] = {}
    for name, value in json.loads(text).items():
        if isinstance(value, dict):
            values[name] = Secret(value["secret"])
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return Connection(**values)


def main(arguments: list[str]) -> int:
    """Carry a run out; the process's exit code: 0 where it was done, else 1."""
    from reseat.operate.targets.opening import open_target, protocol_to_go_on
    from reseat.sources.live import read_cluster

    path, run_id = Path(arguments[0]), int(arguments[1])
    connection = connection_from_json(sys.stdin.read())
    if not writing_enabled(os.environ):
        _log(f"Writing is not enabled: {OPERATE_VARIABLE}=1 was not set when Reseat was started.")
        return 1
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    journal = Journal(path)
    found = journal.run(run_id)
    try:
        target = open_target(connection, protocol_to_go_on(connection, found))
        interrupt = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):  # before, nothing is at work that would have to be left
            signal.signal(number, lambda *_: interrupt.set())
        try:
            carries = partial(carry_out, interrupt=interrupt, read=partial(read_cluster, connection), report=_log)
            ended = _while_unwritable(partial(carries, target, journal, run_id), interrupt)
        finally:
            target.close()
    except ReseatError as error:
        _log(str(error))
        if journal.run(run_id) == found:  # it never came to work on the run, which says nothing of it
            _leave_word(journal, found, error)
        return 1
    finally:
        journal.close()
    return 0 if ended.state is RunState.DONE else 1


def _while_unwritable(carried: Callable[[], Run], interrupt: threading.Event) -> Run:
    """The run as it ended; carried out anew, from where it stands, as often as the journal could not be written.

    Raises:
        JournalUnwritable: it could not for a day, or until the process was told to end.
    """
    for number in range(1, _TRIES + 1):
        try:
            return carried()
        except JournalUnwritable as error:
            if number == _TRIES or interrupt.is_set():
                raise
            if number == 1:
                _log(f"{error} Trying again every {AGAIN_SECONDS:.0f} s.")
        interrupt.wait(AGAIN_SECONDS)
    raise AssertionError  # the last try returns or raises


def _leave_word(journal: Journal, run: Run, error: ReseatError) -> None:
    """The journal says why a run was not worked on, unless somebody else is at work on it, or has ended it."""
    try:
        with journal.lease(run.cluster_id, operator=run.operator) as lease:
            state = journal.run(run.id).state
            if state.open:
                journal.set_state(lease, run.id, state, f"The executor ended: {error} Continue it, or cancel it.")
    except WriteRefused as refused:
        _log(str(refused))


def _log(sentence: str) -> None:
    with suppress(OSError):  # a log on a full disk ends no run, and the journal has the sentence
        sys.stdout.write(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC {sentence}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
