"""``make test``: the check and all tests, so that both cores have work from the first minute to the last.

Beside each other run

- ``make check``, which has one core for as long as mypy reads all the code anew;
- the tests with real Kafka or Spark, in three processes, since Kafka is waited for while Spark reckons;
- the browser's, in two processes with a dashboard each: they wait for pages;
- those that need only their process, in two that stand back: they wait for nothing, and fill what the others leave.

A file's tests share a server or a session, and files keep their own order: a long one of few tests is not the last to
begin. What the last of these say is shown at once, the others' when they are over. Where the check fails, the tests are
ended; where tests fail, the others run to their end all the same. Each run ends with its ten slowest.
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

    def __init__(self, *command: str, shown: bool = False) -> None:
        self._said = None if shown else tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process)
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=_environment(), stdout=self._said, stderr=None if shown else subprocess.STDOUT
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

    def end(self) -> int:
        """Wait until it is over, and show what was not shown; 0 where all was well, else 1."""
        self._process.wait()
        if self._said is not None:
            self._said.seek(0)
            sys.stdout.buffer.write(self._said.read())
            sys.stdout.flush()
        return int(self.failed)


def main() -> int:
    """Run everything; the exit code is 0 where all is well."""
    served = "(kafka or spark) and not browser and not slow"
    plain = "not slow and not browser and not kafka and not spark"
    check = Run("make", "--no-print-directory", "check")
    runs = [check, Run(*_PYTEST, "-n", "3", *_BY_FILE, "-m", served, *marked("spark", "kafka"))]
    try:
        if not any((ROOT / "tests").rglob("*-pytest-*.pyc")):
            # Each process rewrites the assertions of all files, 14 s of a core, unless another has done so before.
            collect, nowhere = [*_PYTEST, "--collect-only"], subprocess.DEVNULL
            subprocess.run(collect, cwd=ROOT, env=_environment(), stdout=nowhere, stderr=nowhere, check=False)
        runs += [
            Run(*_PYTEST, "-n", "2", *_BY_FILE, "-m", "browser and not slow", *marked("browser")),
            Run("nice", "-n", "5", *_PYTEST, "-n", "2", "-m", plain, shown=True),
        ]
        while not check.failed and not all(run.over for run in runs):
            time.sleep(0.2)
        if check.failed:
            for run in runs:
                run.interrupt()
        return max(run.end() for run in reversed(runs))
    except KeyboardInterrupt:  # all of them were told as well
        for run in runs:
            run.interrupt()
        return 130


if __name__ == "__main__":
    sys.exit(main())
