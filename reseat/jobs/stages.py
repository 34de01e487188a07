"""The jobs that the dashboard starts, as the words of their commands; the same that a person would type."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace

from reseat.jobs.process import Stage

__all__ = ["demo_job", "forecast_job", "run_job", "typed"]

#: Characters of a line of a command, what begins and ends one that goes on included: it stands in half a page.
_WIDTH, _NEXT, _ON = 54, "    ", " \\"
_PROGRESS = ("--progress", "json")
#: Seconds that the stages of the demo week took on two cores: made, ingested, analysed.
_DEMO_SECONDS = (2.0, 29.0, 15.0)


def _reseat(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "reseat", *words)


def run_job(landing: str, tables: str) -> tuple[Stage, ...]:
    """Take in what has landed since the last run, then try every loss on the latest snapshot of each cluster.

    Args:
        landing: where snapshots land.
        tables: where the tables are.
    """
    return (
        Stage(
            "Ingesting new snapshots",
            _reseat("pipeline", "run", "--landing", landing, "--tables", tables, *_PROGRESS),
        ),
        Stage(
            "Analysing failures on the latest snapshots",
            _reseat("pipeline", "sweep", "--tables", tables, "--latest", *_PROGRESS),
        ),
    )


def demo_job(landing: str, tables: str) -> tuple[Stage, ...]:
    """Make a week of a cluster that never was, then run the pipeline over it as over any other.

    It is the same week each time, so that how long each stage takes is known.
    """
    making = Stage("Generating the demo week", _reseat("pipeline", "demo", "--landing", landing, *_PROGRESS))
    stages = (making, *run_job(landing, tables))
    return tuple(replace(stage, seconds=seconds) for stage, seconds in zip(stages, _DEMO_SECONDS, strict=True))


def forecast_job(tables: str, limits: str) -> tuple[Stage, ...]:
    """Say which limit each cluster meets first, while nobody else wants the processor.

    Args:
        tables: where the tables are.
        limits: the limits file.
    """
    command = _reseat("forecast", "--fleet", "--tables", tables, "--limits", limits)
    return (Stage("Forecasting which limits are met", ("nice", "-n", "10", *command)),)


def typed(*words: str) -> str:
    """A command as a person types it into a shell, whatever the words hold; a long one goes on in further lines."""
    lines = [""]
    for option in _options(("python", "-m", "reseat", *words)):
        if lines[-1].strip() and len(f"{lines[-1]} {option}{_ON}") > _WIDTH:
            lines.append(_NEXT)
        lines[-1] += f" {option}" if lines[-1].strip() else option
    return f"{_ON}\n".join(lines)


def _options(words: tuple[str, ...]) -> list[str]:
    """The words for a shell, each option in one piece with its value."""
    pieces: list[list[str]] = [[]]
    for at, word in enumerate(words):
        if word.startswith("--") and at:
            pieces.append([])
        pieces[-1].append(word)
    return [shlex.join(piece) for piece in pieces]
