"""``python -m reseat``, and the command ``reseat`` of an installed one: the command line."""

from __future__ import annotations

import sys

from reseat.cli import main, report_fault

__all__ = ["run"]


def run() -> int:
    """Run the command of this process; what it returns is the exit code."""
    sys.excepthook = report_fault
    return main()


if __name__ == "__main__":
    sys.exit(run())
