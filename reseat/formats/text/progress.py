"""Reads what ``kafka-reassign-partitions`` says of its work: progress, which is no layout.

``--verify`` says which reassignments are done, ``--list`` which are under way, ``--execute`` that it started and
which throttle it set. Alone, such a text is refused as a layout with a sentence that says what it is; beside a
layout it becomes facts. Topic names hold ``-`` and ``.``, so a partition is what follows the last ``-``.

Source: ``ReassignPartitionsCommand`` in Kafka 0.8.2, 2.8.2, 3.9.1 and 4.1.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.formats.text.form import Form, Paste
from reseat.model.wording import counted

__all__ = ["ReassignmentProgress"]

_VERIFIED = re.compile(
    r"Reassignment of (?:partition|replica) (?:\[(?P<old>[^\],]+),\s*\d+\]|(?P<new>\S+)-\d+(?:-\d+)?)\s+"
    r"(?P<verdict>is completed|completed successfully|is still in progress|is in progress|failed|"
    r"was not found|is not in progress|was started|did not)"
)
_LISTED = re.compile(
    r"^\s*(?P<topic>\S+)-(?P<partition>\d{1,10}): replicas: [\d,]*\.(?: adding: [\d,]*\.)?(?: removing: [\d,]*\.)?"
)
_HEADING = re.compile(
    r"^\s*(?:Status of partition reassignment:|Current partition reassignments:|No partition reassignments found\.)"
)
_SAID = re.compile(
    r"^\s*(?:Clearing (?:broker|topic)-level throttles|Warning: You must run|The (?:inter-broker|replica-alter-dir)|"
    r"Successfully started|Save this to use as|Current partition replica assignment|"
    r"Proposed partition reassignment configuration|Throttle was removed|Partition reassignment|"
    r"There is no (?:active|existing)|Successfully cancelled|None of the specified)"
)


class ReassignmentProgress(Form):
    """What the tool says of reassignments: facts beside a layout, and no layout alone."""

    def read(self, paste: Paste) -> None:
        """Take the lines in which the tool speaks of its work out of the paste."""
        told = _Told()
        paste.lines = [(number, text) for number, text in paste.lines if not told.takes(number, text)]
        if told.line:
            paste.facts |= told.facts
            paste.instead = paste.instead or told.refusal(paste.source)


@dataclass
class _Told:
    """What was said of reassignments.

    Attributes:
        completed: partitions told to be done.
        in_progress: partitions told to be under way.
        failed: partitions told to have failed or not to be found.
        line: the first line that speaks of progress, 0 where none does.
    """

    completed: int = 0
    in_progress: int = 0
    failed: int = 0
    line: int = 0

    @property
    def facts(self) -> dict[str, object]:
        """The counts as facts of a reading."""
        return {
            "reassignments_completed": self.completed,
            "reassignments_in_progress": self.in_progress,
            "reassignments_failed": self.failed,
        }

    def refusal(self, source: str) -> InputRefused:
        """The refusal of a text that tells progress alone."""
        told = [
            counted(number, f"reassignment is {what}", f"reassignments are {what}")
            for number, what in (
                (self.completed, "completed"),
                (self.in_progress, "in progress"),
                (self.failed, "failed or not found"),
            )
            if number
        ]
        return InputRefused(
            "This is the progress of a reassignment (kafka-reassign-partitions --verify or --list), not a layout"
            + (f": {', '.join(told)}. " if told else ". ")
            + "Use the output of kafka-topics --describe for the layout.",
            source=source,
            line=self.line,
        )

    def takes(self, number: int, text: str) -> bool:
        """Whether the tool speaks in a line; what it says counts."""
        if (found := _VERIFIED.search(text)) is not None:
            if found["verdict"] in ("is completed", "completed successfully"):
                self.completed += 1
            elif found["verdict"] in ("is still in progress", "is in progress", "was started"):
                self.in_progress += 1
            else:
                self.failed += 1
        elif _LISTED.match(text):
            self.in_progress += 1
        elif not _HEADING.match(text):
            return _SAID.match(text) is not None
        self.line = self.line or number
        return True
