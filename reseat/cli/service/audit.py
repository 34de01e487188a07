"""``audit verify``: whether the audit log is as it was written."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from pathlib import Path

from reseat.audit import VARIABLE, verify
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.writer import say, write_json
from reseat.errors import InputRefused
from reseat.model.wording import counted

__all__ = ["audit"]


def audit(chosen: argparse.Namespace) -> int:
    """Check the file; see the command's ``--help``."""
    file = chosen.file or os.environ.get(VARIABLE, "").strip()
    if not file:
        raise InputRefused(f"No audit log is named: give its file, or set {VARIABLE}.")
    found = verify(Path(file).expanduser(), last=chosen.last)
    if chosen.json:
        write_json(asdict(found))
    elif found.fault:
        say(f"{file} does not hold. {found.fault} {counted(found.lines, 'line holds', 'lines hold')} before that.")
    else:
        say(f"{file} holds: {counted(found.lines, 'line')}.")
        if found.last:
            say(f"The last one was written at {found.last_at} and has the hash {found.last}.")
    return ExitCode.UNFINISHED if found.fault else ExitCode.DONE
