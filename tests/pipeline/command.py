"""``pipeline run`` as a user starts it: a process of its own, watched by its progress, stopped at a moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import psutil

from tests.servers.spark import jvm_options
from tests.servers.standing import stand_still

__all__ = ["Command", "ended"]

#: As the session of ``conftest`` is, for the same reason.
_QUICK = (
    "--conf=spark.sql.shuffle.partitions=2",
    "--conf=spark.sql.codegen.wholeStage=false",
    "--conf=spark.sql.codegen.factoryMode=NO_CODEGEN",
)
_JVM = "spark.driver.extraJavaOptions"
#: Seconds that a JVM may take to see that its driver is gone.
_TO_END = 60


@dataclass
class Command:
    """One process.

    Attributes:
        process: the process.
        told: the progress that it told so far.
    """

    process: subprocess.Popen[str]
    told: list[dict[str, object]]

    @classmethod
    def start(cls, landing: Path, tables: Path, *further: str) -> Command:
        """Start ``pipeline run`` on two cores, or where ``further`` says."""
        where = further or ("--master", "local[2]")
        words = ["--landing", str(landing), "--tables", str(tables), *where, *_QUICK]
        if "--remote" not in where:  # the JVM is another's there
            words += ["--memory=1g", "--conf", f"{_JVM}={jvm_options()}"]
        process = subprocess.Popen(
            [sys.executable, "-m", "reseat", "pipeline", "run", *words, "--progress", "json"],
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        return cls(process, [])

    def until(self, step: str) -> None:
        """Wait until it tells that it is at this step; every line that it writes is progress."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.told.append(json.loads(line))
            if self.told[-1]["step"] == step:
                return
        self.process.communicate()
        raise AssertionError(f"ended with {self.process.returncode} before {step}: {self.told[-3:]}")

    def finish(self) -> tuple[int, str, list[str]]:
        """Exit code, output, and what it wrote beside progress, once it has ended."""
        out, err = self.process.communicate(timeout=300)
        words = []
        for line in err.splitlines():
            try:
                self.told.append(json.loads(line))
            except ValueError:
                words.append(line)
        return self.process.returncode, out, words

    def kill(self) -> list[psutil.Process]:
        """``kill -9`` it alone; gives the processes that it had started."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        return below

    def pause(self) -> None:
        """Stop it where it is, until ``go_on``."""
        stand_still(self.process)

    def go_on(self) -> None:
        """Let it go on."""
        os.kill(self.process.pid, signal.SIGCONT)


def ended(processes: list[psutil.Process]) -> bool:
    """Whether all of these have ended by themselves, after a while."""
    patience = Event()
    for _ in range(_TO_END * 10):
        if not any(map(_lives, processes)):
            return True
        patience.wait(0.1)
    return False


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
