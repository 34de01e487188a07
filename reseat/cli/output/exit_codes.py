"""The exit codes of every command, in one table."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["ExitCode"]


class ExitCode(IntEnum):
    """How a command ended.

    Attributes:
        meaning: in a few words, for ``--help`` and docs/command-line.md.
    """

    DONE = 0, "done; of operate: with --wait also verified, without: started"
    UNFINISHED = (
        1,
        "internal error (RESEAT_DEBUG=1 shows the traceback); of operate: it was stopped, failed, or ended otherwise "
        "than planned or previewed, or not all that it said could be written; of doctor: something is broken; of "
        "audit: the log does not hold; of watch: messages are still waiting; of forecast --fleet: what it told could "
        "not be kept",
    )
    REFUSED = (
        2,
        "invalid input or request, an invalid plan, or a cluster that cannot be read: one message says why; of "
        "operate: nothing was sent",
    )
    STOPPED = 130, "stopped by Ctrl-C"
    TERMINATED = 143, "stopped by a termination (SIGTERM); operate and pipeline run --every have their own"

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        """A code with its meaning."""
        made = int.__new__(cls, code)
        made._value_ = code
        made.meaning = meaning
        return made
