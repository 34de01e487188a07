"""Reassignment JSON as a form of text: which of several documents is the current assignment, and which is proposed.

``--generate`` prints two documents, ``--execute`` of 0.8 too, each below a heading; people paste the input of
``--execute`` below the output of ``kafka-topics``. The words above a document say what it is; where none do, one that
gives other replicas to partitions told earlier in the text is the proposed assignment.
"""

from __future__ import annotations

import re

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.document import Document
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.rows.gather import Part
from reseat.formats.text.form import Form, Paste
from reseat.formats.text.reassignment import read_document
from reseat.formats.text.rest import has_partitions
from reseat.model import ClusterLayout, Finding, Severity
from reseat.model.arrays import lists_differ

__all__ = ["IN_PROGRESS", "Reassignments"]

#: What calls an assignment proposed that ZooKeeper holds in /admin/reassign_partitions.
IN_PROGRESS = "in progress"

_BEGINS = re.compile(rb'\s*\{\s*(?:"version"\s*:\s*\d{1,9}\s*,\s*)?"partitions"\s*:\s*\[\s*\{[^{}]{0,10000}"replicas"')
#: Bytes in which the first entry is looked for.
_HEAD = 20_000
#: A document that is the whole text is read without being split above this size.
_LARGE = 1_000_000
_EMPTY = re.compile(rb"\[\s*\]")
_PROPOSED = ("proposed partition reassignment", "successfully started reassignment of partitions\n")
_CURRENT = ("current partition replica assignment",)


class Reassignments(Form):
    """The documents that ``kafka-reassign-partitions`` takes and prints."""

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The reading of a large text that is one document; None where something may stand behind it."""
        if len(data) <= _LARGE or not _BEGINS.match(data[:_HEAD]) or data.rstrip()[-1:] != b"}":
            return None
        try:
            return read_document(data, source=source, limits=limits)
        except LimitMet:
            raise
        except InputRefused:
            return None

    def claims(self, found: Document) -> bool:
        """Whether it lists partitions with their replicas, or what are meant to be such."""
        head = found.head("partitions")
        if head.startswith(b"{") or has_partitions(found):
            return False
        replicas = b'"replicas"' in head or _EMPTY.match(head) is not None
        return replicas or (b'"topic"' in head and b'"partition"' not in head)

    def read(self, paste: Paste) -> None:
        """Current assignments become parts; of the proposed ones the last in the text counts."""
        proposed: list[tuple[Part, str]] = []
        for found in paste.of(self):
            with paste.skipping(found):
                reading = read_document(found.data, source=paste.source, first_line=found.line, limits=paste.limits)
                part = Part(reading, found.line)
                under_way = found in paste.targets
                role = IN_PROGRESS if under_way else _role(part, paste, paste.headings.get(found, ""))
                if role in ("", "current"):
                    paste.add(part)
                else:
                    proposed.append((part, role))
        if proposed:
            *earlier, paste.proposed = proposed
            for part, _ in earlier:
                paste.skipped.add(part.line, "", "An earlier proposed assignment; the last one in the text is used.")


def _role(part: Part, paste: Paste, heading: str) -> str:
    """What an assignment is by the words above it; else "second" where it contradicts what was read before."""
    last, role = -1, ""
    for words, name in ((_PROPOSED, "proposed"), (_CURRENT, "current")):
        for word in words:
            at = heading.rfind(word)
            if at > last:
                last, role = at, name
    if role or not any(_told_otherwise(told.reading.layout, part.reading.layout) for told in paste.parts):
        return role
    paste.findings.append(
        Finding(
            "taken_as_proposed",
            Severity.NOTE,
            f"The assignment in line {part.line} gives different replicas for partitions that come "
            "earlier in the text: it is treated as the proposed one.",
            places=(f"line {part.line}",),
        )
    )
    return "second"


def _told_otherwise(told: ClusterLayout, further: ClusterLayout) -> bool:
    """Whether a further assignment gives a partition that is told already another list."""
    rows = told.rows_of(further)
    both = rows >= 0
    return bool(lists_differ(told.replica_ids[rows[both]], further.replica_ids[both]).any())
