"""The short form in which people write an assignment by hand: ``topic {0:[0,2],1:[1,0]}``."""

from __future__ import annotations

import re

import msgspec

from reseat.errors import InputRefused
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.input.shown import shown
from reseat.formats.rows.assemble import assemble
from reseat.formats.text.reassignment_entries import (
    Entry,
    EntryColumns,
)

__all__ = ["BARE", "Offsets", "read_bare"]

# What an older document or a person writes: topic-reassign {0:[0,2],1:[1,0]}
BARE = re.compile(
    rb"\s*(?P<topic>[\w.-]{1,249})\s*:?\s*"
    rb"\{(?P<body>\s*\"?\d{1,10}\"?\s*:\s*\[[\d\s,]*\]\s*(?:,\s*\"?\d{1,10}\"?\s*:\s*\[[\d\s,]*\]\s*)*)\}\s*"
)
_BARE_ENTRY = re.compile(rb"(\d{1,10})\"?\s*:\s*\[([\d\s,]*)\]")


class Offsets:
    """Offsets of a document in words."""

    def __init__(self, document: bytes, first_line: int) -> None:
        self._document = document
        self._first_line = first_line

    def line(self, offset: int) -> int:
        """The number of the line."""
        return self._first_line + self._document.count(b"\n", 0, offset)

    def __call__(self, offset: int) -> str:
        """``line 3, column 12``."""
        start = self._document.rfind(b"\n", 0, offset) + 1
        column = len(self._document[start:offset].decode("utf-8", "replace")) + 1
        return f"line {self.line(offset)}, column {column}"


def read_bare(document: bytes, bare: re.Match[bytes], place: Offsets, source: str, limits: Limits) -> Reading:
    """The short form that people write by hand: ``orders {0:[0,2],1:[1,0]}``."""
    columns, starts = EntryColumns(), []
    entries = []
    for found in _BARE_ENTRY.finditer(document, bare.start("body"), bare.end("body")):
        numbers = [text.strip() for text in found[2].split(b",")] if found[2].strip() else []
        try:
            entry = msgspec.convert(
                {"topic": bare["topic"].decode(), "partition": int(found[1]), "replicas": [int(n) for n in numbers]},
                Entry,
            )
        except (ValueError, msgspec.ValidationError) as error:
            raise InputRefused(
                f"Partition {int(found[1])} of {bare['topic'].decode()}: a list of broker ids was expected; found "
                f"{shown(found[2].decode())!r}.",
                source=source,
                line=place.line(found.start()),
            ) from error
        entries.append(entry)
        starts.append(found.start())
    columns.append(entries)
    rows, _ = columns.rows(lambda row: place(starts[row]), source, limits)
    layout, findings = assemble(rows)
    return Reading(layout=layout, kind="assignment of one topic", source=source, findings=findings)
