"""The steps of a test of a connection, and what came of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

__all__ = ["DiagnosisStep", "StepFailedError", "StepOutcome", "Steps"]


class StepOutcome(Enum):
    """What came of a step. After ``FAILED`` nothing further is tried."""

    PASSED = "passed"
    WARNED = "warned"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DiagnosisStep:
    """One step of a test.

    Attributes:
        name: what was tested, in two or three words.
        outcome: what came of it.
        sentence: what was found and what to do; holds no secret.
        reason: the slug of what is wrong, as ``ClusterUnreachable.reason``, or None.
    """

    name: str
    outcome: StepOutcome
    sentence: str
    reason: str | None = None


class StepFailedError(Exception):
    """Ends a test; its step is reported already."""


class Steps:
    """The steps of one test, each told as it is taken.

    Args:
        report: called with each step, or None.
    """

    def __init__(self, report: Callable[[DiagnosisStep], None] | None) -> None:
        self.taken: list[DiagnosisStep] = []
        self._report = report

    def passed(self, name: str, sentence: str) -> None:
        """Take a step that found nothing to mend."""
        self.take(DiagnosisStep(name, StepOutcome.PASSED, sentence))

    def warned(self, name: str, sentence: str, reason: str | None = None) -> None:
        """Take a step after which the test goes on, and that found something to look at."""
        self.take(DiagnosisStep(name, StepOutcome.WARNED, sentence, reason))

    def failed(self, name: str, sentence: str, reason: str) -> StepFailedError:
        """Take the step that ends the test, and make what is raised for that."""
        self.take(DiagnosisStep(name, StepOutcome.FAILED, sentence, reason))
        return StepFailedError()

    def take(self, step: DiagnosisStep) -> None:
        """Take a step as it is."""
        self.taken.append(step)
        if self._report is not None:
            self._report(step)
