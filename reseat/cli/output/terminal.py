"""What a person at a terminal sees beside the answer: how far something is, on one line of standard error, and colours.

Nothing of it where standard error (for colours: the stream written to) is no terminal, so scripts and logs get the
sentences alone. ``NO_COLOR`` (https://no-color.org) and ``TERM=dumb`` turn colours off.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from reseat.errors import ReseatError

__all__ = ["PATIENCE", "Line", "painted", "wiped", "working"]

#: Seconds that something may take before a line says that it is at work: shorter ones would only flicker.
PATIENCE = 1.0
#: Seconds between two looks of the line.
_PACE = 0.2
_BAR = 20
#: How a finding's line begins, and the colour of that word: codes that terminals of forty years share.
_FINDING = re.compile(r"^( *)(CRITICAL|WARNING|INFO)(?= )")
_COLOURS = {"CRITICAL": "31;1", "WARNING": "33", "INFO": "36"}
#: One line a process: two at once would write over each other.
_drawn = threading.RLock()
_shown: Line | None = None


class Line:
    """A line that says how far something is, until it is done.

    Args:
        doing: what is done, as the line begins ("Planning").
        stream: the terminal.
        measure: asked from time to time how many of how many are done; None: only ``tell`` says so.
    """

    def __init__(self, doing: str, stream: TextIO, measure: Callable[[], tuple[int, int]] | None = None) -> None:
        self._doing, self._stream, self._measure = doing, stream, measure
        self._done, self._total = 0, 0
        self._began = time.monotonic()
        self._width = 0

    def tell(self, doing: str, done: int = 0, total: int | None = None) -> None:
        """Say what is done now, and how far it is; ``total`` None: not known."""
        self._doing, self._done, self._total = doing, done, total or 0

    def text(self, seconds: float) -> str:
        """The line after so many seconds."""
        parts = [self._doing]
        if self._total:
            full = _BAR * min(self._done, self._total) // self._total
            parts += [f"[{'#' * full}{'-' * (_BAR - full)}]", f"{self._done:,} of {self._total:,}"]
        elif self._done:
            parts.append(f"{self._done:,}")
        whole = int(seconds)
        return " ".join([*parts, f"{whole // 60}:{whole % 60:02}"])

    def draw(self) -> None:
        """Write the line over what it was."""
        if self._measure is not None:
            with suppress(ReseatError):  # whoever does the work says so, with what it means
                self._done, self._total = self._measure()
        with _drawn:
            text = self.text(time.monotonic() - self._began)[: shutil.get_terminal_size().columns - 1]
            self._put("\r" + text.ljust(self._width))
            self._width = len(text)

    def wipe(self) -> None:
        """Take the line away."""
        with _drawn:
            if self._width:
                self._put("\r" + " " * self._width + "\r")
            self._width = 0

    def _put(self, text: str) -> None:
        with suppress(OSError):  # a terminal that is gone stops nothing that is at work
            self._stream.write(text)
            self._stream.flush()


@contextmanager
def working(doing: str, measure: Callable[[], tuple[int, int]] | None = None) -> Iterator[Callable[..., None]]:
    """Something that can take longer than a second: a line on the terminal says so, and is gone in the end.

    Yields:
        ``Line.tell``; where standard error is no terminal, something that does nothing.
    """
    global _shown  # noqa: PLW0603 -- one a process, as the terminal is
    if not sys.stderr.isatty() or _shown is not None:
        yield (lambda *_: None) if _shown is None else _shown.tell
        return
    line, done = Line(doing, sys.stderr, measure), threading.Event()

    def draw() -> None:
        waited = done.wait(PATIENCE)
        while not waited:
            line.draw()
            waited = done.wait(_PACE)

    drawing = threading.Thread(target=draw, name="progress", daemon=True)
    _shown = line
    drawing.start()
    try:
        yield line.tell
    finally:
        done.set()
        drawing.join()
        _shown = None
        line.wipe()


@contextmanager
def wiped() -> Iterator[None]:
    """Text is written: no line of progress stands in its way; it is drawn below anew."""
    with _drawn:
        if _shown is not None:
            _shown.wipe()
        yield


def painted(line: str, stream: TextIO) -> str:
    """A line with its severity in colour, where it is written to a terminal that shows colours.

    Args:
        line: what is written; one that begins with no severity stays as it is.
        stream: where it is written.
    """
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty():
        return line
    return _FINDING.sub(lambda found: f"{found[1]}\x1b[{_COLOURS[found[2]]}m{found[2]}\x1b[0m", line)
