"""Reads one reassignment JSON document, the text that Kafka's reassign tool takes and prints.

What it promises, in this order:

1. Nothing is dropped in silence: every entry is a partition of the layout, or a piece skipped with its place and why.
2. Any document is read alike, whatever its white space, the order of its keys, and its size.
3. A million partitions are read in less time and memory than parsing them into plain Python objects takes.

What it needs: one JSON document, ``{"version":1,"partitions":[{"topic","partition","replicas","log_dirs"?}]}``.

How it works: the outermost object is read without looking into ``partitions``. That list is cut where a ``}`` is
followed by ``,`` and ``{``, about every two megabytes, and each piece is decoded as a list of entries of exactly the
expected type. A cut may fall inside a string or a nested list; then the piece before it is not a list of whole
entries and its decoding fails. So if every piece decodes, the pieces joined by commas are the list, entry by entry,
and only one piece's objects are alive at a time. If any fails, the whole list is read entry by entry with the same
decoder, which tells the entries that are not partitions, and keys that are not known, with their places.

Example: ``{"version":1,"partitions":[{"topic":"a","partition":0,"replicas":[1,2]}]}`` is partition a-0 on brokers 1
and 2, preferred leader 1. Leaders, ISR, liveness and sizes are not told.

Complexity: O(bytes) time; memory for the columns, the text and one piece.

Source: Kafka's ``ReassignPartitionsCommand`` (``parsePartitionReassignmentData``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.json_scan import check_width
from reseat.formats.input.reading import LIMITS, Limits, Reading, Skipped
from reseat.formats.input.shown import shown
from reseat.formats.rows.assemble import assemble
from reseat.formats.rows.bounds import check_size
from reseat.formats.rows.row_findings import PLACES_NAMED, Rows, first_few, not_understood, place_finding
from reseat.formats.text.reassignment_bare import BARE, Offsets, read_bare
from reseat.formats.text.reassignment_entries import (
    ENTRIES,
    ENTRY,
    KNOWN_KEYS,
    PARTITIONS,
    RAW_LIST,
    EntryColumns,
    keys_of,
    repeats,
    top_keys,
    why_no_partition,
)
from reseat.formats.text.reassignment_text import DocumentText
from reseat.model import ClusterLayout, Finding, Longs, Severity
from reseat.model.wording import counted

__all__ = ["SEAL_KEY", "DocumentParts", "read_document", "read_parts"]

#: The key in which Reseat says what a plan was made for (``reseat.formats.documents.sealed``); Kafka's tools ignore it.
SEAL_KEY = "reseat"

#: Bytes of one piece: large enough that a piece's fixed cost vanishes, small enough that its objects stay in the cache.
PIECE = 2_000_000
_CUT = re.compile(rb"\}[ \t\r\n]*,[ \t\r\n]*\{")
_BATCH = 50_000
#: Bytes of one entry: a thousand directories with the longest paths there are take half of it.
_LONGEST_ENTRY = 8_000_000
_ENTRY_KEYS = (b'"topic"', b'"partition"', b'"replicas"')
_TEXT_KEPT = 200
_BOM = b"\xef\xbb\xbf"


def read_document(data: bytes, *, source: str = "pasted text", first_line: int = 1, limits: Limits = LIMITS) -> Reading:
    """Read one reassignment JSON document.

    Args:
        data: the document in UTF-8, any white space around it.
        source: the file's name, or what the text is called.
        first_line: the line number of the document's first line in what it was cut from.
        limits: what is accepted.

    Returns:
        The layout (leaders, ISR, liveness and sizes not told), pieces skipped, and findings of kind
        ``repeated_rows``, ``contradicting_rows``, ``duplicate_replicas``, ``no_replicas``, ``log_dirs_length``,
        ``unknown_keys`` and ``unknown_version``.

    Raises:
        InputRefused: it is no JSON (with line and column), or JSON of another kind, or no
            entry of it is a partition with replicas.
        LimitMet: it is larger or deeper than ``limits`` allow.
    """
    check_size(data, source, limits)
    document = data.removeprefix(_BOM)
    bare = BARE.fullmatch(document) if len(document) < PIECE else None
    if bare is not None:
        return read_bare(document, bare, Offsets(document, first_line), source, limits)
    return _Reader(document, source, first_line, limits).read()


@dataclass(frozen=True, eq=False)
class DocumentParts:
    """One document as it was told, for those who need more of it than its layout.

    Attributes:
        reading: what ``read_document`` answers.
        rows: its entries in the order told; one a partition where ``reading`` found no repeat.
        seal: the value of the key ``reseat`` as JSON, or None where there is none.
    """

    reading: Reading
    rows: Rows
    seal: bytes | None


def read_parts(data: bytes, *, source: str = "pasted text", limits: Limits = LIMITS) -> DocumentParts:
    """Read one reassignment JSON document and keep its entries in the order told, and its key ``reseat``.

    Raises:
        InputRefused: as ``read_document``; the short form that people write by hand is refused too.
        LimitMet: as ``read_document``.
    """
    check_size(data, source, limits)
    reader = _Reader(data.removeprefix(_BOM), source, 1, limits)
    reading = reader.read()
    return DocumentParts(reading, reader.rows, reader.seal)


class _Reader:
    """One document being read; holds what every step needs."""

    def __init__(self, document: bytes, source: str, first_line: int, limits: Limits) -> None:
        self.document = document
        self.source = source
        self.limits = limits
        self.place = Offsets(document, first_line)
        self.text = DocumentText(document, source, limits, self.place)
        self.skipped: list[Skipped] = []
        self.findings: list[Finding] = []
        self.unknown: dict[str, int] = {}
        self.rows: Rows
        self.seal: bytes | None = None
        self._kept: list[int] | None = None
        self._wrong: list[int] = []
        self._raws: list[msgspec.Raw] = []

    def read(self) -> Reading:
        top = self.text.top_level()
        self._note_keys(top)
        body = bytes(memoryview(top["partitions"]))
        columns = self._by_pieces(body)
        if columns is None:
            columns = self._by_entries(top["partitions"])
        rows, other_length = columns.rows(lambda row: self._place_of(top["partitions"], row), self.source, self.limits)
        self.rows = rows
        layout, contradictions = assemble(rows, log_dirs=columns.log_dirs)
        self._note_repeated_keys(top)
        if self.skipped:
            places = [
                f"entry {number + 1:,} in {self.place(self._start_of(number))}" for number in self._wrong[:PLACES_NAMED]
            ]
            self.findings.append(
                not_understood(len(self._wrong), places, "entry of 'partitions'", "entries of 'partitions'")
            )
            layout = replace(layout, gaps=replace(layout.gaps, unread_rows=len(self._wrong)))
        self.findings.extend(contradictions)
        if other_length.size:
            self.findings.append(_log_dirs_finding(layout, rows, other_length))
        if self.unknown:
            self.findings.append(
                Finding(
                    kind="unknown_keys",
                    severity=Severity.NOTE,
                    sentence="Keys that Kafka does not know were ignored: "
                    + ", ".join(
                        f"'{shown(key)}' ({counted(count, 'time', 'times')})"
                        for key, count in list(self.unknown.items())[:PLACES_NAMED]
                    )
                    + (f" and {len(self.unknown) - PLACES_NAMED:,} more." if len(self.unknown) > PLACES_NAMED else "."),
                )
            )
        return Reading(
            layout=layout,
            kind="reassignment JSON",
            source=self.source,
            skipped=tuple(self.skipped),
            findings=tuple(self.findings),
        )

    def _note_keys(self, top: dict[str, msgspec.Raw]) -> None:
        """The seal, the version, and keys that are not known."""
        for key, value in top.items():
            if key == SEAL_KEY:
                self.seal = bytes(memoryview(value))
            elif key not in ("version", "partitions"):
                self.text.check_depth(value)
                self.unknown[key] = self.unknown.get(key, 0) + 1
        version = bytes(memoryview(top["version"])) if "version" in top else b"1"
        if version != b"1":
            self.findings.append(
                Finding(
                    kind="unknown_version",
                    severity=Severity.ATTENTION,
                    sentence=f"The document says version {version[:40].decode('utf-8', 'replace')}; Kafka's tools "
                    "accept only version 1. It was read as version 1.",
                )
            )

    # ---- the list of partitions ----------------------------------------------------------------------------

    def _by_pieces(self, body: bytes) -> EntryColumns | None:
        """All entries, if every piece is a list of whole entries of the expected type; else None."""
        columns = EntryColumns()
        inner = body.strip()
        for start, stop in _pieces(inner):
            if stop - start > PIECE + _LONGEST_ENTRY:
                return None
            try:
                entries = ENTRIES.decode(b"[" + inner[start:stop] + b"]")
            except (msgspec.DecodeError, UnicodeDecodeError):
                return None
            if not entries:
                return None
            columns.append(entries)
        return columns

    def _by_entries(self, partitions: msgspec.Raw) -> EntryColumns:
        """Entry by entry: what is a partition is read, what is not is skipped with its place and why."""
        check_width(memoryview(partitions), self.limits.partitions, "entries of 'partitions'", self.source)
        try:
            raws = RAW_LIST.decode(partitions)
        except msgspec.ValidationError as error:
            raise self.text.refused("The value of 'partitions' is not a list.") from error
        if not raws:
            raise self.text.refused(
                "The list of partitions is empty: there is nothing to read. Kafka's tools refuse such a text too."
            )
        columns, kept = EntryColumns(), []
        wrong: list[tuple[int, str]] = []
        without_replicas = 0
        for start in range(0, len(raws), _BATCH):
            entries = []
            for number, raw in enumerate(raws[start : start + _BATCH], start):
                try:
                    if len(memoryview(raw)) > _LONGEST_ENTRY:
                        raise LimitMet(
                            f"Entry {number + 1:,} of 'partitions' has {len(memoryview(raw)):,} bytes; "
                            f"{_LONGEST_ENTRY:,} is the limit.",
                            source=self.source,
                        )
                    entry = ENTRY.decode(raw)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    keys = keys_of(raw)
                    without_replicas += "topic" in keys and "partition" in keys and "replicas" not in keys
                    wrong.append((number, why_no_partition(error, keys, raw)))
                    if len(wrong) > self.limits.lines:
                        raise LimitMet(
                            f"More than {self.limits.lines:,} entries of 'partitions' are not partitions; the first of "
                            f"them: {wrong[0][1]}",
                            source=self.source,
                        ) from error
                    continue
                for key, value in keys_of(raw).items():
                    if key not in KNOWN_KEYS:
                        self.text.check_depth(value)
                        self.unknown[key] = self.unknown.get(key, 0) + 1
                entries.append(entry)
                kept.append(number)
            if entries:
                columns.append(entries)
        if not kept and without_replicas == len(raws):
            raise self.text.refused(
                "This is the list of partitions that kafka-leader-election takes; no replicas are in it. Give "
                "kafka-topics --describe, or a reassignment JSON.",
            )
        self._kept = kept
        self._raws = raws
        self._skip(wrong)
        self._wrong = [number for number, _ in wrong]
        if not kept:
            raise InputRefused(
                "The only entry of 'partitions' is not a partition."
                if len(raws) == 1
                else f"None of the {len(raws):,} entries of 'partitions' is a partition.",
                source=self.source,
                line=self.skipped[0].line,
                details=tuple(f"Line {piece.line}: {piece.why}" for piece in self.skipped[:PLACES_NAMED]),
            )
        return columns

    def _skip(self, wrong: list[tuple[int, str]]) -> None:
        line, seen = self.place.line(0), 0
        for number, why in wrong:
            offset, text = self._start_of(number), bytes(memoryview(self._raws[number]))
            line += self.document.count(b"\n", seen, offset)  # from the last place on: linear over the document
            seen = offset
            self.skipped.append(
                Skipped(
                    line=line,
                    text=text[:_TEXT_KEPT].decode("utf-8", "replace"),
                    why=f"Entry {number + 1:,} of 'partitions': {why}",
                    lines=text.count(b"\n") + 1,
                )
            )

    def _note_repeated_keys(self, top: dict[str, msgspec.Raw]) -> None:
        """Keys that stand twice in one object, of which parsers take the last: half of a plan could be lost so."""
        places: list[str] = []
        what = ""
        kept = _address(top["partitions"]) - _address(self.document)
        length = len(memoryview(top["partitions"]))
        if self.document.count(PARTITIONS, 0, kept) > 1:  # the last one's own key, and others
            twice = top_keys(self.document[:kept])
            if len(twice) > 1:
                places, what = [self.place(at) for at in twice[:PLACES_NAMED]], "Key 'partitions' stands"
        entries = len(self.rows.partition) + len(self._wrong)
        for key in _ENTRY_KEYS if not places else ():
            if self.document.count(key, kept, kept + length) > entries:
                self._raws = self._raws or RAW_LIST.decode(top["partitions"])
                doubled = [number for number, raw in enumerate(self._raws) if repeats(bytes(memoryview(raw)), key)]
                if doubled:
                    places = [self.place(self._start_of(number)) for number in doubled[:PLACES_NAMED]]
                    word = key.decode().strip('"')
                    what = f"Key {word!r} stands in {counted(len(doubled), 'entry', 'entries')}"
                    break
        if places:
            self.findings.append(
                Finding(
                    kind="repeated_keys",
                    severity=Severity.BROKEN,
                    sentence=f"{what} more than once: {first_few(places)}. The last one counts, as in Kafka's "
                    "tools; was something to be added that replaces what stood before?",
                    places=tuple(places),
                )
            )

    def _place_of(self, partitions: msgspec.Raw, row: int) -> str:
        if not self._raws:
            self._raws = RAW_LIST.decode(partitions)  # only now, as something is to be said of an entry
        return self.place(self._start_of(row if self._kept is None else self._kept[row]))

    def _start_of(self, entry: int) -> int:
        return _address(self._raws[entry]) - _address(self.document)


def _address(text: bytes | msgspec.Raw) -> int:
    """Where a text stands in memory: a raw value is a view of the document it was decoded from, not a copy."""
    return int(np.frombuffer(memoryview(text), np.uint8).ctypes.data)


def _pieces(body: bytes) -> Iterator[tuple[int, int]]:
    """Spans of ``[...]`` between its brackets, cut where one entry seems to end and the next to begin."""
    start, end = 1, len(body) - 1
    while True:
        cut = _CUT.search(body, min(start + PIECE, end), end)
        if cut is None:
            yield start, end
            return
        yield start, cut.start() + 1
        start = cut.end() - 1


def _log_dirs_finding(layout: ClusterLayout, rows: Rows, other_length: Longs) -> Finding:
    return place_finding(
        layout,
        rows,
        other_length,
        kind="log_dirs_length",
        severity=Severity.ATTENTION,
        sentence="{what} of a different length than replicas: {examples}. Kafka refuses such lists; they were ignored.",
        one="partition has log_dirs",
        many="partitions have log_dirs",
    )
