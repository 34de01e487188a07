"""``doctor``: what of an installation is as it should be, and what is missing."""

from __future__ import annotations

import argparse
import os

from reseat.cli.inputs import secrets_files
from reseat.cli.output.exit_codes import ExitCode
from reseat.cli.output.terminal import working
from reseat.cli.output.writer import say, write_json
from reseat.observe.doctor import examine
from reseat.sources.diagnosis import DiagnosisStep, StepOutcome

__all__ = ["doctor"]

_MARKS = {StepOutcome.PASSED: "ok", StepOutcome.WARNED: "WARNING", StepOutcome.FAILED: "CRITICAL"}


def doctor(chosen: argparse.Namespace) -> int:
    """Look at everything; see the command's ``--help``."""

    def tell(step: DiagnosisStep) -> None:
        if not chosen.json:
            say(f"{_MARKS[step.outcome]} {step.name}: {step.sentence}")

    with working("Looking"):
        steps = examine(os.environ, secrets_files(), host=chosen.host, port=chosen.port, report=tell)
    if chosen.json:
        names = ("name", "outcome", "sentence", "reason")
        write_json(
            [dict(zip(names, (one.name, one.outcome.value, one.sentence, one.reason), strict=True)) for one in steps]
        )
    return ExitCode.UNFINISHED if any(one.outcome is StepOutcome.FAILED for one in steps) else ExitCode.DONE
