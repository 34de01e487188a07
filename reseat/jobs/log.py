"""What the pipeline's process says, line by line: progress is told from words, and secrets are struck out.

The command writes its progress to standard error as JSON, one object a line (``--progress json``); everything else
(its report, Spark's warnings) is for people and goes into a log of bounded length.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from reseat.access.token import TOKEN_VARIABLE
from reseat.model.wording import visible

__all__ = ["LINES", "PipelineProgress", "Veil", "child_environment", "read_progress"]

#: Lines of the log that are kept, and characters of a line.
LINES, WIDTH = 400, 500
#: A value shorter than this is not struck out: it would be found in every other word.
_SHORTEST = 6
_STRUCK = "•••"
#: Variables that hold what nobody but their owner should see, by a part of their name.
_SECRET = re.compile(
    r"SECRET|PASSW|TOKEN|CREDENTIAL|PRIVATE|DIGEST|(^|_)AUTH|ACCESS_KEY|API_?KEY|SAS_|ACCOUNT_KEY", re.I
)
#: Who writes a URL as ``s3://key:secret@bucket`` shows both.
_IN_URL = re.compile(r"(?<=://)[^/@\s]+(?=@)")
#: Live clusters are not the pipeline's business: what reaches them, or opens writing, stays with the dashboard.
_KEPT_BACK = ("RESEAT_CLUSTER_", TOKEN_VARIABLE)


@dataclass(frozen=True, slots=True)
class PipelineProgress:
    """How far a step of a job is.

    Attributes:
        step: the step's name.
        done: how much of it is done.
        total: how much there is, or None where that is not known.
        sentence: the same in words.
    """

    step: str
    done: int
    total: int | None
    sentence: str

    @property
    def part(self) -> float | None:
        """How much of it is done, from 0 to 1; None where that is not known."""
        return None if not self.total else min(1.0, max(0.0, self.done / self.total))


class Veil:
    """Strikes out of a line what the environment holds as secrets.

    Args:
        environment: the variables of the process that speaks.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        values = {
            line
            for name, value in environment.items()
            if _SECRET.search(name)
            for line in value.splitlines()
            if len(line) >= _SHORTEST
        }
        longest_first = sorted(values, key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, longest_first))) if values else None

    def over(self, line: str) -> str:
        """The line as it may be shown: without secrets, control characters and endless length."""
        shown = _IN_URL.sub(_STRUCK, line)
        if self._secrets is not None:
            shown = self._secrets.sub(_STRUCK, shown)
        return visible(shown[:WIDTH].rstrip().replace("\t", "    "), WIDTH)


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that a pipeline's process gets: all but what reaches live clusters or opens writing to them."""
    return {name: value for name, value in environment.items() if not name.startswith(_KEPT_BACK)}


def read_progress(line: str) -> PipelineProgress | None:
    """What a line of progress says; None for a line that is none."""
    if not line.startswith("{"):
        return None
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or not isinstance(told.get("step"), str):
        return None
    done, total = told.get("done"), told.get("total")
    return PipelineProgress(
        told["step"],
        done if isinstance(done, int) else 0,
        total if isinstance(total, int) else None,
        str(told.get("sentence") or told["step"]),
    )
