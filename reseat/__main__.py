"""``python -m reseat``: the command line."""

from __future__ import annotations

import sys

from reseat.cli import main, report_fault

if __name__ == "__main__":
    sys.excepthook = report_fault
    sys.exit(main())
