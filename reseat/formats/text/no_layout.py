"""What names topics or partitions but not their replicas, and JSON of no form: refused with what it is."""

from __future__ import annotations

import re

from reseat.errors import InputRefused
from reseat.formats.input.document import Document
from reseat.formats.input.shown import shown
from reseat.formats.rows.gather import Part
from reseat.formats.text.form import DocumentForm, Form, Paste

__all__ = ["Election", "PreferredElection", "TopicsToMove", "UnknownJson"]

_ELECTION = re.compile(r"preferred replica election for partitions|preferred-replica-election|leader election")
#: Lines in which the output of an election is looked for.
_LINES = 200
#: Keys of a document that are named.
_KEYS = 8


class TopicsToMove(DocumentForm):
    """The input of ``kafka-reassign-partitions --generate``."""

    def claims(self, found: Document) -> bool:
        """Whether it lists topics."""
        return "topics" in found.keys

    def part(self, found: Document, paste: Paste) -> Part:
        """Refused."""
        raise InputRefused(
            "This is topics-to-move JSON (the input of --generate): it names topics, but not their replicas. Give the "
            "output of kafka-topics --describe, or the JSON that --generate prints as the current assignment.",
            source=paste.source,
            line=found.line,
        )


class PreferredElection(DocumentForm):
    """The input of ``kafka-leader-election`` and of its ancestor."""

    def claims(self, found: Document) -> bool:
        """Whether it lists partitions by topic and number."""
        head = found.head("partitions")
        return b'"topic"' in head and b'"partition"' in head

    def part(self, found: Document, paste: Paste) -> Part:
        """Refused."""
        raise InputRefused(
            "This is preferred-election JSON: it names the partitions to elect leaders for, but not their replicas. "
            "Give the output of kafka-topics --describe.",
            source=paste.source,
            line=found.line,
        )


class Election(Form):
    """What the tools of elections print."""

    def read(self, paste: Paste) -> None:
        """Say that it is that, where no form has said what the text is."""
        if paste.instead is None and any(_ELECTION.search(text) for _, text in paste.lines[:_LINES]):
            paste.instead = InputRefused(
                "This is the output of a preferred-leader election, not a layout: it names partitions, but not their "
                "replicas. Give the output of kafka-topics --describe.",
                source=paste.source,
            )


class UnknownJson(Form):
    """Any other JSON."""

    def claims(self, found: Document) -> bool:
        """Every document that no form has claimed."""
        return True

    def read(self, paste: Paste) -> None:
        """Each is refused."""
        for found in paste.of(self):
            keys = ", ".join(map(shown, sorted(found.keys)[:_KEYS]))
            with paste.skipping(found):
                raise InputRefused(
                    f"This is JSON, but in no format that Reseat reads{f' (its keys: {keys})' if keys else ''}.",
                    source=paste.source,
                    line=found.line,
                )
