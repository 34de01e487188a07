"""``make test``: the check and all tests, so that both cores have work from the first minute to the last.

Beside each other run ``make check``, which has one core for as long as mypy reads all the code anew, and two of these
at a time, in this order:

- the tests with real Kafka or Spark, in three processes, since Kafka is waited for while Spark reckons; where
  ``RESEAT_REQUIRE`` names Kafka, its jars are fetched first, which takes a new machine a minute;
- those that need only their process, in one, but for some folders of them;
- the browser's with a dashboard a process, in two processes. All at once take longer, and so do three with browsers
  (tried): they drive each other out of the caches of two cores;
- these folders, in one: the browser's leave a seventh of two cores idle where nothing is beside them.

A file's tests share a server or a session, and files keep their own order: a long one of few tests is not the last to
begin. What runs beside is shown when it is over. Where the check fails, the tests are ended; where tests fail, the
others run to their end all the same. Each run ends with its ten slowest.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=10", "--durations-min=0.5")
_MAKE = ("make", "--no-print-directory")
_BY_FILE = ("--dist", "loadfile", "--no-loadscope-reorder")

#: Which of those that need only their process are begun last: a fifth of their work.
_LATER = ("tests/planning", "tests/replication", "tests/report")

#: How long the end of a process may go unseen.
_LOOK_SECONDS = 0.2


def marked(*marks: str) -> list[str]:
    """The files that name one of these marks, those of the first mark first: a process imports all that it is given."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    named = [file for mark in marks for file in files if re.search(rf"pytest\.mark\.{mark}\b", file.read_text("utf-8"))]
    return [str(file.relative_to(ROOT)) for file in dict.fromkeys(named)]


def _environment() -> dict[str, str]:
    """Where bytecode is not kept, each of some hundred processes compiles and rewrites all it imports anew."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Run:
    """Commands that run from now on, one after the other while they succeed; what they say is shown at once, or later.

    Args:
        commands: each a program and its arguments; the next begins when somebody asks whether all are over.
        beside: whether what they say is shown when they are over.
    """

    def __init__(self, *commands: Sequence[str], beside: bool = False) -> None:
        self._said = tempfile.TemporaryFile() if beside else None  # noqa: SIM115 (as long as the process)
        self._next = iter(commands)
        self._process = self._begun(next(self._next))

    def _begun(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        said = subprocess.STDOUT if self._said is not None else None
        return subprocess.Popen(command, cwd=ROOT, env=_environment(), stdout=self._said, stderr=said)

    @property
    def over(self) -> bool:
        """Whether all have ended, or one has failed."""
        if self._process.poll() == 0 and (command := next(self._next, None)) is not None:
            self._process = self._begun(command)
        return self._process.poll() is not None

    @property
    def failed(self) -> bool:
        """Whether one has ended, and all was not well."""
        return self._process.poll() not in (None, 0)

    def interrupt(self) -> None:
        """End it as Ctrl-C does, with the servers that it has started."""
        self._next = iter(())
        if not self.over:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()

    def end(self) -> bool:
        """Wait until all is over, and show what was not shown; whether all was well."""
        while not self.over:
            time.sleep(_LOOK_SECONDS)
        if self._said is not None:
            self._said.seek(0)
            sys.stdout.buffer.write(self._said.read())
            sys.stdout.flush()
        return not self.failed


def _wait(runs: Sequence[Run], until: Callable[[], bool]) -> None:
    """Until then, or until the first of them, the check, has failed."""
    while not runs[0].failed:
        [run.over for run in runs]  # who asks lets its next command begin
        if until():
            break
        time.sleep(_LOOK_SECONDS)


def main() -> int:
    """Run everything; the exit code is 0 where all is well."""
    # What a script starts with "&" ignores Ctrl-C, and so would all that is started here and is to be ended by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    check = Run((*_MAKE, "check"), beside=True)
    jars = [(*_MAKE, "kafka-jars")] if "kafka" in os.environ.get("RESEAT_REQUIRE", "").split(",") else []
    served = (*_PYTEST, "-n", "3", *_BY_FILE, "-m", "(kafka or spark) and not browser and not slow")
    servers = Run(*jars, (*served, *marked("spark", "kafka")), beside=True)
    runs = [check, servers]
    try:
        if not any((ROOT / "tests").rglob("*-pytest-*.pyc")):
            # Each process rewrites the assertions of all files, 14 s of a core, unless another has done so before.
            collect, nowhere = [*_PYTEST, "--collect-only"], subprocess.DEVNULL
            subprocess.run(collect, cwd=ROOT, env=_environment(), stdout=nowhere, stderr=nowhere, check=False)
        plain = (*_PYTEST, "-m", "not slow and not browser and not kafka and not spark")
        browser = (*_PYTEST, "-n", "2", *_BY_FILE, "-m", "browser and not slow")
        runs.append(Run((*plain, *(f"--ignore={folder}" for folder in _LATER))))
        for command in ((*browser, *marked("browser")), (*plain, *_LATER)):
            _wait(runs, lambda: sum(not run.over for run in runs[1:]) < 2)
            if check.failed:
                break
            runs.append(Run(command, beside=True))
        _wait(runs, lambda: all(run.over for run in runs))
    except KeyboardInterrupt:  # all of them were told as well
        for run in runs:
            run.interrupt()
        return 130
    if check.failed:
        for run in runs:
            run.interrupt()
    well = [run.end() for run in (*runs[1:], check)]
    return 0 if all(well) else 1


if __name__ == "__main__":
    sys.exit(main())
