"""Reads any text in which somebody wrote a layout down, also several outputs in one paste.

What it promises, in this order: limits hold before any heavy work; nothing is dropped in silence (what is not in
the layout stands in ``skipped`` or ``findings``); the result is a reading or a refusal in one sentence, never
another exception.

How it works: bytes become clean UTF-8; a text that is of one form as a whole goes to that form. Any other is a paste:
it is split into JSON documents, each for the form that claims it, and text; then each of ``FORMS`` in turn takes what
it understands and leaves the rest; what is left is reported. Parts of different forms are merged at the end.

Complexity: O(bytes).
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from reseat.errors import InputRefused, LayoutInvalid, LimitMet
from reseat.formats.forms import FORMS, FORMS_TOLD
from reseat.formats.input.decode import check_lines, decoded, is_parquet
from reseat.formats.input.document import document
from reseat.formats.input.json_fault import fault_of
from reseat.formats.input.json_fault import refusal as json_refusal
from reseat.formats.input.lines import Block, SkippedLines, why_not_used
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.input.split import Piece, split
from reseat.formats.rows.combining import combine_parts
from reseat.formats.rows.gaps import fewer_rows
from reseat.formats.text.form import Paste
from reseat.formats.text.reassignment_form import IN_PROGRESS
from reseat.model import Finding, Severity
from reseat.model.wording import counted

__all__ = ["read"]

#: A text above this size is looked at as JSON only where it begins like it.
_LARGE = 1_000_000
#: How JSON begins, and neither a log line ("[2026-01-01") nor a progress line ("[orders,0]").
_BEGINS_JSON = re.compile(rb"[\[{]\s*(?:[\[{\"']|\Z)")
#: Characters before a document in which its heading is looked for.
_HEADING = 400
#: A shell's mark of a missing line end; a fence.
_MARKS = ("%", "`", "```")


def read(text: str | bytes, *, source: str = "pasted text", limits: Limits = LIMITS) -> Reading:
    """Read a layout from a text or file of any known form.

    Args:
        text: what was pasted, or a file's bytes.
        source: the file's name, or what the text is called in messages.
        limits: what is accepted.

    Returns:
        The layout, what was skipped and what was found odd on the way.

    Raises:
        InputRefused: there is no layout in it; the sentence says what it is instead, where that is known.
        LimitMet: it is larger, deeper or longer than the limits.
    """
    try:
        if isinstance(text, bytes) and is_parquet(text):
            from reseat.formats.tables.table import read_parquet

            return read_parquet(text, source=source, limits=limits)
        data, findings = decoded(text, source, limits)
        reading = _read(data, source, limits)
    except LimitMet as met:
        met.source = met.source or source
        raise
    except LayoutInvalid as error:
        raise InputRefused(f"The text is not a valid layout: {error}", source=source) from error
    return replace(reading, findings=(*findings, *reading.findings)) if findings else reading


def _read(data: bytes, source: str, limits: Limits) -> Reading:
    for form in FORMS:
        reading = form.whole(data, source, limits)
        if reading is not None:
            return reading
    return _PasteReader(data, source, limits).read()


class _PasteReader:
    """One paste, taken apart and read."""

    def __init__(self, data: bytes, source: str, limits: Limits) -> None:
        self.data = data
        self.source = source
        self.limits = limits
        self.paste = Paste(source, limits, _placeholder(source))
        self.broken: dict[int, InputRefused] = {}  # by line: JSON that starts there, damaged

    def read(self) -> Reading:
        paste = self.paste
        self._take_apart()
        for form in FORMS:
            form.read(paste)
        for number, text in paste.lines:
            if text.strip() not in _MARKS:
                broken = self.broken.get(number)
                paste.skipped.add(number, text, why_not_used(text) if broken is None else broken.sentence)
        if not paste.parts and paste.proposed is not None:
            self._proposed_alone()
        if not paste.parts:
            raise self._refusal()
        return self._result()

    # ---- taking apart --------------------------------------------------------------------------------------

    def _take_apart(self) -> None:
        before: Piece | None = None  # the text above a document
        for piece in split(self.data, self.source, self.limits):
            if piece.is_cut:
                self._not_whole(piece)
            elif not piece.is_json:
                self._text(piece)
                before = piece
            else:
                self._document(piece, before)

    def _of(self, piece: Piece) -> bytes:
        whole = piece.start == 0 and piece.end == len(self.data)
        return self.data if whole else self.data[piece.start : piece.end]

    def _text(self, piece: Piece) -> None:
        if piece.open is not None:
            line = piece.line + self.data.count(b"\n", piece.start, piece.open)
            self.broken[line] = json_refusal(self.data, piece.open, self.source, line)
        try:
            check_lines(self.data, piece, self.source, self.limits)
        except LimitMet as met:
            # What is wrong with damaged JSON is not the length of its line.
            raise (next(reversed(self.broken.values()), None) or self._json_of_no_form() or met) from None
        self.paste.blocks.append(Block(self._of(piece), piece.line))

    def _not_whole(self, piece: Piece) -> None:
        """JSON that the end of the text cuts off: nothing in it is read, as what is missing is not known."""
        error = json_refusal(self.data, piece.start, self.source, piece.line)
        lines = self.data.count(b"\n", piece.start, len(self.data.rstrip())) + 1
        self.paste.refuse(error, piece.line, self.data[piece.start : piece.end], lines)

    def _document(self, piece: Piece, before: Piece | None) -> None:
        raw = self._of(piece)
        try:
            found = document(raw, piece.line, self.source, self.limits)
        except InputRefused as error:
            if re.search(rb"\\[\[\]_{}*]", raw[:_LARGE]):
                error.sentence += " The backslashes before brackets come from a page's markup: delete them."
            self.paste.refuse(error, piece.line, raw, raw.count(b"\n") + 1)
            return
        self.paste.documents.append((found, next(form for form in FORMS if form.claims(found))))
        if before is not None and before.end == piece.start:
            start = max(before.start, piece.start - _HEADING)
            self.paste.headings[found] = self.data[start : piece.start].decode("utf-8", "replace").lower()

    # ---- the end -------------------------------------------------------------------------------------------

    def _proposed_alone(self) -> None:
        if self.paste.proposed is None:
            return
        part, role = self.paste.proposed
        under_way = "a reassignment in progress (/admin/reassign_partitions)"
        what = under_way if role == IN_PROGRESS else "a proposed assignment"
        self.paste.findings.append(
            Finding(
                "proposed_only",
                Severity.ATTENTION,
                f"This is {what}, without a current assignment: it is shown as if it were the current one.",
                places=(f"line {part.line}",),
            )
        )
        self.paste.parts.append(part)
        self.paste.proposed = None

    def _result(self) -> Reading:
        paste = self.paste
        reading = combine_parts(paste.parts)
        cut = fewer_rows(reading.layout)
        if cut is not None and not reading.layout.partition_count:
            first = paste.parts[0]
            raise InputRefused(
                f"This is {first.reading.kind}, but there is no partition in it: {cut.sentence}",
                source=self.source,
                line=first.line,
            )
        proposed = None if paste.proposed is None else paste.proposed[0].reading
        pieces = SkippedLines()
        of_proposed = () if proposed is None else proposed.skipped
        pieces.extend(sorted([*paste.skipped.result(), *reading.skipped, *of_proposed], key=lambda piece: piece.line))
        return replace(
            reading,
            proposed=reading.proposed if proposed is None else proposed.layout,
            proposed_findings=reading.proposed_findings if proposed is None else proposed.findings,
            skipped=pieces.result(),
            findings=(*paste.findings, *reading.findings),
            facts={**reading.facts, **paste.facts},
        )

    def _refusal(self) -> InputRefused:
        """Why there is no layout: the most telling reason."""
        paste = self.paste
        refused = sorted([*paste.refused, *self.broken.values()], key=lambda error: error.line or 0)
        if paste.refused or (refused and not paste.facts):  # facts: what the text tells is no damaged JSON
            first = refused[0]
            first.details = tuple(error.sentence for error in refused[1:20])
            return first
        other = paste.instead or self._json_of_no_form()
        if other is not None:
            return other
        lines = self.data.count(b"\n") + 1
        return InputRefused(
            f"No layout was found in {counted(lines, 'line', 'lines')}. Reseat reads {FORMS_TOLD}.",
            source=self.source,
            details=tuple(f"Line {piece.line}: {piece.why}" for piece in paste.skipped.result()[:20]),
        )

    def _json_of_no_form(self) -> InputRefused | None:
        """Why a text that is JSON as a whole, or begins like it, holds no layout; None for any other text."""
        start = len(self.data) - len(self.data.lstrip())
        begins = _BEGINS_JSON.match(self.data, start) is not None
        try:
            fault = fault_of(memoryview(self.data)[start:]) if begins or len(self.data) < _LARGE else None
        except RecursionError:
            return LimitMet(f"JSON nested deeper than {self.limits.depth} levels; no layout is.", source=self.source)
        if fault is not None:
            return json_refusal(self.data, start, self.source, 1 + self.data.count(b"\n", 0, start)) if begins else None
        if not begins and len(self.data) >= _LARGE:
            return None
        what = {b"[": "a list", b'"': "a text"}.get(self.data[start : start + 1], "a single value")
        return InputRefused(
            f"This is JSON, but in no format that Reseat reads: {what}, where an object was expected.",
            source=self.source,
        )


def _placeholder(source: str) -> str:
    stem = PurePath(source).stem if "." in source else ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem)[:200].strip(".-") or "unnamed-topic"
