"""``make test``: the check and all tests, so that both cores have work from the first minute to the last.

Beside each other run

- ``make check``, which has one core for as long as mypy reads all the code anew;
- the tests with real Kafka or Spark, in three processes, since Kafka is waited for while Spark reckons;
- those that need only their process, then the browser's with a dashboard a process, in two processes each. All three
  at once take longer, and so do three with browsers (tried): they drive each other out of the caches of two cores.

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
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=10", "--durations-min=0.5")
_BY_FILE = ("--dist", "loadfile", "--no-loadscope-reorder")


def marked(*marks: str) -> list[str]:
    """The files that name one of these marks, those of the first mark first: a process imports all that it is given."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    named = [file for mark in marks for file in files if re.search(rf"pytest\.mark\.{mark}\b", file.read_text("utf-8"))]
    return [str(file.relative_to(ROOT)) for file in dict.fromkeys(named)]


def _environment() -> dict[str, str]:
    """Where bytecode is not kept, each of some hundred processes compiles and rewrites all it imports anew."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Run:
    """A process that runs from now on; what it says is shown at once, or when it is over."""

    def __init__(self, *command: str, beside: bool = False) -> None:
        self._said = tempfile.TemporaryFile() if beside else None  # noqa: SIM115 (as long as the process)
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=_environment(), stdout=self._said, stderr=subprocess.STDOUT if beside else None
        )

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    @property
    def failed(self) -> bool:
        """Whether it has ended, and all was not well."""
        return self._process.poll() not in (None, 0)

    def interrupt(self) -> None:
        """End it as Ctrl-C does, with the servers that it has started."""
        if not self.over:
            self._process.send_signal(signal.SIGINT)
        self._process.wait()

    def end(self) -> bool:
        """Wait until it is over, and show what was not shown; whether all was well."""
        self._process.wait()
        if self._said is not None:
            self._said.seek(0)
            sys.stdout.buffer.write(self._said.read())
            sys.stdout.flush()
        return not self.failed


def main() -> int:
    """Run everything; the exit code is 0 where all is well."""
    # What a script starts with "&" ignores Ctrl-C, and so would all that is started here and is to be ended by it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    served = "(kafka or spark) and not browser and not slow"
    check = Run("make", "--no-print-directory", "check", beside=True)
    servers = Run(*_PYTEST, "-n", "3", *_BY_FILE, "-m", served, *marked("spark", "kafka"), beside=True)
    runs, well = [check, servers], True
    try:
        if not any((ROOT / "tests").rglob("*-pytest-*.pyc")):
            # Each process rewrites the assertions of all files, 14 s of a core, unless another has done so before.
            collect, nowhere = [*_PYTEST, "--collect-only"], subprocess.DEVNULL
            subprocess.run(collect, cwd=ROOT, env=_environment(), stdout=nowhere, stderr=nowhere, check=False)
        for command in (
            (*_PYTEST, "-n", "2", "-m", "not slow and not browser and not kafka and not spark"),
            (*_PYTEST, "-n", "2", *_BY_FILE, "-m", "browser and not slow", *marked("browser")),
        ):
            runs.append(Run(*command))
            while not runs[-1].over and not check.failed:
                time.sleep(0.2)
            if check.failed:
                for run in runs:
                    run.interrupt()
                break
            well &= runs[-1].end()
    except KeyboardInterrupt:  # all of them were told as well
        for run in runs:
            run.interrupt()
        return 130
    return 0 if check.end() and servers.end() and well else 1


if __name__ == "__main__":
    sys.exit(main())
