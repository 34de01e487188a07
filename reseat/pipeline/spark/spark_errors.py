"""What Spark raises, as one sentence with details: an operator reads what failed, not how Spark is built."""

from __future__ import annotations

import contextlib
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from reseat.errors import SparkFailed

__all__ = ["in_words", "without_traces"]

_LINES = 12  # of Spark's log: enough to see the first cause
_WORKERS_WORDS = re.compile(r"Traceback \(most recent call last\):\n(?:[ \t].*\n)*(\S.*)")
#: A cause in Java's own stack trace, without the name of its class.
_CAUSE = re.compile(r"^Caused by: (?:[\w.$]+: )?(\S.*)", re.MULTILINE)
_LOGGED = re.compile(
    r"^(?:[\d:]{8} )?(?:ERROR|FATAL|Exception in thread|Error:|Caused by:|java\.lang\.OutOfMemory|\t*\[FAILED ).*",
    re.MULTILINE,  # the last is of a package that was fetched
)


@contextlib.contextmanager
def in_words(what: str, *, log: Path | None = None, ended: Callable[[], int | None] = lambda: None) -> Iterator[None]:
    """Let Spark's exceptions out as ``SparkFailed``, with the exception as its cause; all others pass as they are.

    With RESEAT_DEBUG set Spark's own pass too, whole.

    Args:
        what: the sentence's beginning: "Spark failed", "Spark could not be started on yarn".
        log: the JVM's log, whose errors become the details.
        ended: the exit code of the JVM where it has ended.

    Raises:
        SparkFailed: in place of an exception of PySpark or Py4J.
        KeyboardInterrupt: in place of one that only came as something was put away after it.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError, ConnectionError) as error:
        if _was_asked_to_end(error):
            raise KeyboardInterrupt from error
        code = ended()
        if code is None and isinstance(error, ConnectionError):
            raise  # not Spark's: its JVM is there
        if os.environ.get("RESEAT_DEBUG"):
            raise
        raise SparkFailed(f"{what}: {_reason(error, code)}", details=_errors(log)) from error


@contextlib.contextmanager
def without_traces() -> Iterator[None]:
    """Keep Py4J from writing tracebacks to standard error; with RESEAT_DEBUG set it does.

    Where a call to the JVM fails, or is interrupted as this process is asked to end, Py4J logs that through the root
    logger before it raises (read in 0.10.9): what it raises is told in words, once.
    """
    if os.environ.get("RESEAT_DEBUG"):
        yield
        return
    root = logging.getLogger()
    root.addFilter(_is_not_py4j)
    try:
        yield
    finally:
        root.removeFilter(_is_not_py4j)


def _is_not_py4j(record: logging.LogRecord) -> bool:
    return record.module != "java_gateway"


def _was_asked_to_end(error: BaseException | None) -> bool:
    """Whether this came as Ctrl-C was on its way out: an interrupted call leaves a connection that answers nothing."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__context__
    return False


def _reason(error: BaseException, code: int | None) -> str:
    """The one line that tells most, as the end of a sentence."""
    if code is not None:
        killed = " (killed, as the system does when memory runs out)" if code in {-9, 137} else ""
        return f"its Java process ended with code {code}{killed}."
    text = str(error).partition("\n\nJVM stacktrace:")[0]
    workers = _WORKERS_WORDS.findall(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and lines[0].startswith("An error occurred while calling"):
        lines = _CAUSE.findall(text)[:1] or lines[1:]  # that was Py4J's own word, which tells nothing
    reason = workers[-1] if workers else lines[0] if lines else type(error).__name__
    return reason if reason.endswith((".", "?", "!")) else f"{reason}."


def _errors(log: Path | None) -> tuple[str, ...]:
    """The first errors in the log, or its last lines where it holds none."""
    if log is None or not log.is_file():
        return ()
    text = log.read_text(errors="replace")
    return tuple(list(dict.fromkeys(map(str.strip, _LOGGED.findall(text))))[:_LINES] or text.splitlines()[-_LINES:])
