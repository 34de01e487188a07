"""What takes long is computed in processes beside the server's, so that pages of others are drawn meanwhile.

A few processes, begun when the first is needed, each answering one question at a time. Layouts that a process has are
named to it and not sent again, arrays are mapped and not copied (``parcels``). A question is a function that stands at
the top of a module, with arguments that can be pickled, and its answer.

Knows nothing of Streamlit: ``components.state.caching`` says what is asked here, and when nobody waits any more.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from reseat.errors import WorkerEnded
from reseat.jobs.parcels import Parcel, receive, send
from reseat.jobs.worker import RAISED, UNKNOWN
from reseat.model import ClusterLayout

__all__ = ["MOST", "Workers"]

#: Processes at most: a second person with a large layout does not wait for the first one's rebalance.
MOST = 2
#: Seconds between two looks whether somebody still waits for an answer.
_LOOK = 0.2
#: Seconds after which it is looked at all: what is nearly done is better finished and kept than begun anew.
_FINISHED = 2.0
#: Where the package is, so that the process finds it from whatever folder the server was started in.
_HOME = Path(__file__).resolve().parents[2]
_P = ParamSpec("_P")
_Answer = TypeVar("_Answer")


class Workers:
    """The processes of a server; shared between its threads."""

    def __init__(self) -> None:
        self._idle: list[_Worker] = []
        self._busy = 0
        self._free = threading.Condition()

    def ask(
        self, wanted: Callable[[], None], function: Callable[_P, _Answer], *args: _P.args, **kwargs: _P.kwargs
    ) -> _Answer:
        """What a function says, computed in a process beside this one.

        Args:
            wanted: raises where nobody waits for the answer any more: what computes it for longer is ended.
            function: stands at the top of a module; it and what it gets and says can be pickled.
            args: its arguments.
            kwargs: its named arguments.

        Raises:
            WorkerEnded: the process could not be started, or ended before it had answered; the next question begins
                another one.
            BaseException: whatever the function or ``wanted`` raises.
        """
        worker = self._taken(wanted)
        try:
            answer = worker.answer(wanted, (function, args, kwargs))
        finally:
            with self._free:
                self._busy -= 1
                if worker.alive:
                    self._idle.append(worker)
                self._free.notify()
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the processes that have nothing to do, and give their memory back."""
        with self._free:
            idle, self._idle = self._idle, []
        for worker in idle:
            worker.end()

    def _taken(self, wanted: Callable[[], None]) -> _Worker:
        """A process that has nothing to do, the one that was used last first: it has the layouts."""
        with self._free:
            while self._busy == MOST:
                if not self._free.wait(_LOOK):
                    wanted()
            self._busy += 1
            while self._idle:
                worker = self._idle.pop()
                if worker.alive:
                    return worker
                worker.end()
        try:
            return _Worker()
        except OSError as error:
            with self._free:
                self._busy -= 1
                self._free.notify()
            raise WorkerEnded(f"The process for it could not be started: {error.strerror}.") from error


class _Worker:
    """One process, with the layouts that it was told of."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (str(_HOME), os.environ.get("PYTHONPATH"))))
        try:
            self._process = subprocess.Popen(  # noqa: S603 -- no word of it comes from outside
                [sys.executable, "-P", "-m", "reseat.jobs.worker", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env={**os.environ, "PYTHONPATH": path},
            )
        except OSError:
            ours.close()
            raise
        finally:
            theirs.close()
        self._channel = ours
        self._known: weakref.WeakValueDictionary[str, ClusterLayout] = weakref.WeakValueDictionary()

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None and self._channel.fileno() >= 0

    def answer(self, wanted: Callable[[], None], question: tuple[object, ...]) -> Any:
        """Ask, and wait for the answer."""
        try:
            parcel = self._asked(wanted, question)
            if parcel.value[0] == UNKNOWN:  # a layout made way there
                self._known.clear()
                parcel = self._asked(wanted, question)
        except BaseException:  # whatever comes: what is answered after that nobody would understand
            self.end()
            raise
        self._known.update(parcel.layouts)
        kind, said = parcel.value
        if kind == RAISED:
            raise said
        return said

    def _asked(self, wanted: Callable[[], None], question: tuple[object, ...]) -> Parcel:
        try:
            sent = send(self._channel, question, dict(self._known))
            over = time.monotonic() + _FINISHED
            while not select.select([self._channel], [], [], _LOOK)[0]:
                if time.monotonic() > over:
                    wanted()
            parcel = receive(self._channel, sent.layouts)
        except OSError as error:
            raise WorkerEnded(f"It could not be asked of the process beside this one: {error.strerror}.") from error
        if parcel is None:
            raise WorkerEnded(f"The process that was computing this {self._how_it_ended()}.")
        self._known.update(sent.layouts)
        return parcel

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "stopped answering"
        if code == -signal.SIGKILL:
            return "was killed, as the system does when memory runs out"
        return f"ended with {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"

    def end(self) -> None:
        """End it, whatever it does."""
        self._channel.close()
        self._process.kill()
        self._process.wait()
