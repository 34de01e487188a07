"""A snapshot of Reseat as a form of text, whole or among others."""

from __future__ import annotations

from reseat.errors import InputRefused, LimitMet
from reseat.formats.documents.snapshot import read_snapshot, reading_of
from reseat.formats.documents.snapshot_fields import MARK, is_snapshot
from reseat.formats.input.document import Document
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.rows.gather import Part
from reseat.formats.text.form import DocumentForm, Paste

__all__ = ["SnapshotForm"]


class SnapshotForm(DocumentForm):
    """What Reseat saves of a cluster."""

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The reading of a text that is one snapshot; None where something may stand behind it."""
        if not is_snapshot(data) or data.rstrip()[-1:] != b"}":
            return None
        try:
            return _reading(data, source, limits)
        except LimitMet:
            raise
        except InputRefused:
            return None

    def claims(self, found: Document) -> bool:
        """Whether it has the mark."""
        return MARK in found.keys

    def part(self, found: Document, paste: Paste) -> Part:
        """Read one snapshot."""
        return Part(_reading(found.data, paste.source, paste.limits))


def _reading(data: bytes, source: str, limits: Limits) -> Reading:
    return reading_of(read_snapshot(data, source=source, limits=limits), source=source)
