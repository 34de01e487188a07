"""``python -m reseat``, and the command ``reseat`` of an installed one: the command line."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

from reseat.cli import main, report_fault

__all__ = ["run"]


def run() -> int:
    """Run the command of this process; what it returns is the exit code."""
    sys.excepthook = report_fault
    # What the caller has closed is opened again: else the next file, a journal, would be what others write to. From
    # nowhere nothing comes, standard output refuses as a full disk does, and nobody hears what is said beside it.
    for name, mode in (("stdin", "r"), ("stdout", "r"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 (as long as the process)
    # An arrow is not among the letters of every terminal, nor of a file that Windows writes.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    return main()


if __name__ == "__main__":
    sys.exit(run())
