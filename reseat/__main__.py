"""``python -m reseat``, and the command ``reseat`` of an installed one: the command line."""

from __future__ import annotations

import io
import os
import sys
import traceback
from pathlib import Path
from types import TracebackType

__all__ = ["report_fault", "run"]


def run() -> int:
    """Run the command of this process; what it returns is the exit code."""
    sys.excepthook = report_fault
    from reseat.cli import main  # a quarter of a second, in which Ctrl-C has its sentence too

    # What the caller has closed is opened again: else the next file, a journal, would be what others write to. From
    # nowhere nothing comes, standard output refuses as a full disk does, and nobody hears what is said beside it.
    for name, mode in (("stdin", "r"), ("stdout", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (as long as the process)
    # An arrow is not among the letters of every terminal, nor of a file that Windows writes.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors in ("strict", "surrogateescape"):
        sys.stdout.reconfigure(errors="backslashreplace")
    return main()


def report_fault(kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
    """Say in one line that Reseat itself failed; the traceback is shown where RESEAT_DEBUG is set.

    To be used as ``sys.excepthook``: Python then exits with code 1.
    """
    if issubclass(kind, KeyboardInterrupt):
        sys.stderr.write("reseat: stopped.\n")
        return
    if os.environ.get("RESEAT_DEBUG"):
        traceback.print_exception(kind, value, trace)
        return
    words = " ".join(str(value).split())[:200]
    sys.stderr.write(
        f"reseat: internal error ({kind.__name__}: {words}). Set RESEAT_DEBUG=1 for the traceback, and report it.\n"
    )


if __name__ == "__main__":
    sys.exit(run())
