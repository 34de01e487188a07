"""The pipeline as processes of their own, one job at a time for the whole server: progress, log, cancel, how it ended.

A job is a row of stages (make a demo week, take in what has landed, try every loss), each a command that runs below
``reseat/jobs/guard.py``. No page waits for it: a thread reads what it says, and pages look at ``state`` when
they like, so that a reload, or a second person, sees the same job. Cancelling is always safe: a job that is killed at
any moment leaves tables as they were or as they will be, and the next one heals what was begun.

When the server ends, in whatever way, its end of the guard's pipe is closed and the job ends too.

Knows nothing of Streamlit and of Spark: ``components.state.caching`` shares the one of this server.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import IO

from reseat.jobs.log import LINES, PipelineProgress, Veil, child_environment, read_progress

__all__ = ["Phase", "PipelineProcess", "PipelineState", "Stage"]

_GUARD = Path(__file__).with_name("guard.py")
#: Where the package is, so that the process finds it from whatever folder the dashboard was started in.
_HOME = Path(__file__).resolve().parents[2]
#: Seconds that a cancelled job has to end kindly.
GRACE = 10.0
#: Bytes of a line that are read at once: one without an end does not fill the memory.
_LINE_BYTES = 65_536
#: Seconds in which the last words of a process that has ended must have come.
_LAST_WORDS = 5.0
_REFUSED = 2
#: Seconds at the measured pace that a machine's own is weighed against: a short first stage says little of it.
_STEADY = 30.0
#: What the command line writes before a refusal.
_SPEAKER = re.compile(r"^reseat( [a-z]+)*: ")


class Phase(Enum):
    """Where a job stands."""

    IDLE = "idle"
    RUNNING = "running"
    STOPPING = "stopping"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def busy(self) -> bool:
        """Whether a process is at work."""
        return self in (Phase.RUNNING, Phase.STOPPING)


@dataclass(frozen=True, slots=True)
class Stage:
    """One command of a job.

    Attributes:
        title: what it does, as "Taking in what has landed".
        command: its words.
        seconds: how long it took where it was measured; None where that depends on what there is to do.
    """

    title: str
    command: tuple[str, ...]
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class PipelineState:
    """A job at one moment.

    Attributes:
        number: counts the jobs of this server; 0 before the first.
        phase: where it stands.
        stages: its stages.
        at: the stage that is at work, or was the last, from 0.
        progress: how far that stage is, or None before it said so.
        started_at: when the job began, UTC.
        stage_at: when the stage that is at work began, UTC.
        ended_at: when it ended, UTC; None while it is at work.
        exit_code: of the last stage that ended.
        said: the last words of each stage that has ended, which are what it did.
        sentence: how the job ended, in words; empty while it is at work.
        log: the last lines that it said, and when each step began (UTC), without secrets.
    """

    number: int = 0
    phase: Phase = Phase.IDLE
    stages: tuple[Stage, ...] = ()
    at: int = 0
    progress: PipelineProgress | None = None
    started_at: datetime | None = None
    stage_at: datetime | None = None
    ended_at: datetime | None = None
    exit_code: int | None = None
    said: tuple[str, ...] = ()
    sentence: str = ""
    log: tuple[str, ...] = ()

    def seconds_left(self, now: datetime) -> float | None:
        """About how long the job still works; None where its stages were never measured.

        The stages that have ended tell the pace of this machine. A stage that takes longer than that is expected to
        end at any moment.

        Args:
            now: the time in UTC.
        """
        times = [stage.seconds for stage in self.stages]
        if self.started_at is None or self.stage_at is None or not times or None in times:
            return None
        measured = [seconds for seconds in times if seconds is not None]
        took, before = (self.stage_at - self.started_at).total_seconds(), sum(measured[: self.at])
        pace = (took + _STEADY) / (before + _STEADY)
        worked = (now - self.stage_at).total_seconds()
        return max(0.0, pace * measured[self.at] - worked) + pace * sum(measured[self.at + 1 :])


class PipelineProcess:
    """The one pipeline of a server.

    Args:
        clock: tells the time in UTC.
        grace: seconds that a cancelled job has to end kindly.
        ended: told the state of a job when it ended.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        grace: float = GRACE,
        ended: Callable[[PipelineState], None] = lambda _: None,
    ) -> None:
        self._ended = ended
        self._clock = clock
        self._grace = grace
        self._changed = threading.Condition()
        self._state = PipelineState()
        self._log: deque[str] = deque(maxlen=LINES)
        self._last = ""
        #: Our end of the guard's pipe; closing it ends the stage.
        self._wanted: IO[bytes] | None = None

    @property
    def state(self) -> PipelineState:
        """How things stand now."""
        with self._changed:
            return replace(self._state, log=tuple(self._log))

    def start(self, stages: Sequence[Stage], environment: Mapping[str, str] | None = None) -> bool:
        """Begin a job unless one is at work; says whether it began.

        Args:
            stages: what is run, one after the other, as long as each ends with 0.
            environment: the variables of its processes; by default those of the server. What reaches live clusters is
                left out.
        """
        with self._changed:
            if self._state.phase.busy:
                return False
            self._log.clear()
            number = self._state.number + 1
            self._state = PipelineState(number, Phase.RUNNING, tuple(stages), started_at=self._clock())
        variables = child_environment(os.environ if environment is None else environment)
        variables["PYTHONPATH"] = os.pathsep.join(filter(None, (str(_HOME), variables.get("PYTHONPATH"))))
        variables["PYTHONUNBUFFERED"] = "1"
        threading.Thread(target=self._run, args=(variables,), name=f"reseat-pipeline-{number}", daemon=True).start()
        return True

    def cancel(self) -> None:
        """Ask the job to end; it is killed where it does not. Does nothing where none is at work."""
        with self._changed:
            if self._state.phase is Phase.RUNNING:
                self._set(phase=Phase.STOPPING)
            if self._wanted is not None:
                self._wanted.close()
                self._wanted = None

    def wait(self, seconds: float) -> bool:
        """Wait until no job is at work; says whether that came to be."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._state.phase.busy, seconds)

    def wait_for(self, condition: Callable[[PipelineState], bool], seconds: float) -> bool:
        """Wait until the state is as asked; says whether that came to be."""
        with self._changed:
            return self._changed.wait_for(lambda: condition(replace(self._state, log=tuple(self._log))), seconds)

    def _run(self, environment: dict[str, str]) -> None:
        """The thread of a job: stage after stage."""
        phase, sentence = Phase.FAILED, "The job ended with an internal error; see the server's log."
        try:
            phase, sentence = self._stages(environment)
        finally:
            with self._changed:
                self._set(phase=phase, sentence=sentence, ended_at=self._clock(), progress=None)
                state = self._state
            self._ended(state)

    def _stages(self, environment: dict[str, str]) -> tuple[Phase, str]:
        veil, stages = Veil(environment), self._state.stages
        for at, stage in enumerate(stages):
            try:
                code = self._stage(at, stage, environment, veil)
            except OSError as error:
                return Phase.FAILED, f"{stage.title}: no process could be started ({error.strerror or error})."
            with self._changed:
                last, stopping = self._last, self._state.phase is Phase.STOPPING
                self._set(exit_code=code, said=(*self._state.said, last))
            if stopping and (code != 0 or at + 1 < len(stages)):
                return Phase.CANCELLED, "It was cancelled. The tables are whole; the next run continues from there."
            if code == _REFUSED:
                return Phase.REFUSED, _SPEAKER.sub("", last) or f"{stage.title} was refused without a message."
            if code:
                return Phase.FAILED, _how_it_failed(stage, code, last)
        return Phase.DONE, self._last

    def _stage(self, at: int, stage: Stage, environment: dict[str, str], veil: Veil) -> int | None:
        """Run one stage; its exit code, or None where the job was cancelled before it began."""
        with self._changed:
            self._last = ""
            self._set(at=at, progress=None, stage_at=self._clock())
            if self._state.phase is Phase.STOPPING:
                return None
            guard = subprocess.Popen(  # noqa: S603 -- no word of it comes from outside
                [sys.executable, "-I", str(_GUARD), str(self._grace), *stage.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=environment,
            )
            self._wanted = guard.stdin
        assert guard.stdout is not None  # noqa: S101 -- a pipe was asked for
        reader = threading.Thread(target=self._read, args=(guard.stdout, veil), name="reseat-pipeline-log", daemon=True)
        reader.start()
        code = guard.wait()
        # Whoever still holds the pipe is no part of the job any more: what it may say is not waited for.
        reader.join(_LAST_WORDS)
        with self._changed:
            if self._wanted is not None:
                self._wanted.close()
                self._wanted = None
        return code

    def _read(self, pipe: IO[bytes], veil: Veil) -> None:
        """The thread that hears what a stage says."""
        with pipe:
            while raw := pipe.readline(_LINE_BYTES):
                rest = raw
                while rest and not rest.endswith(b"\n"):  # the rest of an endless line is heard and forgotten
                    rest = pipe.readline(_LINE_BYTES)
                line = raw.decode(errors="replace").strip("\r\n")
                progress = read_progress(line)
                with self._changed:
                    if progress is not None:
                        told, before = replace(progress, sentence=veil.over(progress.sentence)), self._state.progress
                        # A step's beginning is an entry of the log; how it gets on is not.
                        if before is None or before.step != told.step:
                            self._log.append(f"{self._clock():%H:%M:%S} UTC {told.sentence}")
                        self._set(progress=told)
                    elif line.strip():
                        self._last = veil.over(line)
                        self._log.append(self._last)
                        self._changed.notify_all()

    def _set(self, **values: object) -> None:
        """Change the state; the lock is held."""
        self._state = replace(self._state, **values)  # type: ignore[arg-type]
        self._changed.notify_all()


def _how_it_failed(stage: Stage, code: int, last: str) -> str:
    if code > 128:
        how = f"was ended from outside by signal {code - 128}"
        why = " The machine may have run out of memory." if code == 137 else ""
        return f"{stage.title} {how}.{why} The tables are whole; the next run continues from there."
    return f"{stage.title} failed with exit code {code}. {_SPEAKER.sub('', last)}".strip()
