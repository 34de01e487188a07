"""Reads any text in which somebody wrote a layout down, also several outputs in one paste.

What it promises, in this order: limits hold before any heavy work; nothing is dropped in silence (what is not in
the layout stands in ``skipped`` or ``findings``); the result is a reading or a refusal in one sentence, never
another exception.

How it works: bytes become clean UTF-8; the paste is split into JSON documents and text; documents are told apart
by their keys; each reader takes the lines it understands out of the text and leaves the others; what is left is
reported. Parts of different kinds are merged at the end.

Complexity: O(bytes).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from reseat.errors import InputRefused, LayoutInvalid, LimitMet
from reseat.formats.assemble import counted
from reseat.formats.combining import combine, combine_parts
from reseat.formats.console_table import read_tables
from reseat.formats.cruise_control import read_cruise_control
from reseat.formats.decode import check_lines, decoded, is_parquet
from reseat.formats.describe import read_describe
from reseat.formats.detect import Document, DocumentKind, document
from reseat.formats.gaps import fewer_rows
from reseat.formats.gather import Part
from reseat.formats.idlists import widened
from reseat.formats.json_fault import fault_of
from reseat.formats.json_fault import refusal as json_refusal
from reseat.formats.kcat import read_kcat, read_kcat_json
from reseat.formats.lines import Block, SkippedLines, why_not_used
from reseat.formats.log_dirs import SAID as LOG_DIRS_SAID
from reseat.formats.log_dirs import read_log_dirs
from reseat.formats.progress import Progress, read_progress
from reseat.formats.racks import read_racks
from reseat.formats.reading import LIMITS, Limits, Reading
from reseat.formats.reassignment import read_document
from reseat.formats.rest import read_rest
from reseat.formats.shown import shown
from reseat.formats.snapshot import is_snapshot, read_snapshot, reading_of
from reseat.formats.split import Piece, split
from reseat.formats.topicmappr import read_topicmappr
from reseat.formats.zookeeper import KINDS as ZOOKEEPER_KINDS
from reseat.formats.zookeeper import ZooKeeper, read_zookeeper
from reseat.formats.zookeeper import refusal as zookeeper_refusal
from reseat.model import Broker, ClusterLayout, Finding, Severity

__all__ = ["read", "read_together"]

_RACKS_CSV = re.compile(
    rb'^(?:[ \t]*#[^\n]*\n|[ \t]*\n)*[ \t]*"?broker[a-z_. ]*"?[ \t]*[,;\t][ \t]*"?rack', re.IGNORECASE
)
_REASSIGNMENT_HEAD = re.compile(
    rb'\s*\{\s*(?:"version"\s*:\s*\d{1,9}\s*,\s*)?"partitions"\s*:\s*\[\s*\{[^{}]{0,10000}"replicas"'
)
#: A document that is the whole text goes to its reader without being split above this size.
_LARGE = 1_000_000
#: How JSON begins, and neither a log line ("[2026-01-01") nor a progress line ("[orders,0]").
_BEGINS_JSON = re.compile(rb"[\[{]\s*(?:[\[{\"']|\Z)")
#: Refused pieces that are kept; the message tells fewer.
_REFUSED = 100
#: Characters before a document in which its heading is looked for.
_HEADING = 400
_PROPOSED = ("proposed partition reassignment", "successfully started reassignment of partitions\n")
_CURRENT = ("current partition replica assignment",)
_ELECTION = re.compile(r"preferred replica election for partitions|preferred-replica-election|leader election")


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
            from reseat.formats.table import read_parquet  # its library is heavy

            return read_parquet(text, source=source, limits=limits)
        data, findings = decoded(text, source, limits)
        reading = _read(data, source, limits)
    except LimitMet as met:
        met.source = met.source or source
        raise
    except LayoutInvalid as error:
        raise InputRefused(f"The text does not make a layout: {error}", source=source) from error
    return replace(reading, findings=(*findings, *reading.findings)) if findings else reading


def read_together(texts: Sequence[tuple[str | bytes, str]], *, limits: Limits = LIMITS) -> Reading:
    """Read several texts about one cluster as one layout: ``read`` each, then ``combine``.

    Args:
        texts: each text, and what it is called in messages.
        limits: what is accepted of each.

    Raises:
        InputRefused: one of them cannot be read.
        LimitMet: one of them is larger, deeper or longer than the limits.
        ValueError: no text is given.
    """
    return combine([read(text, source=source, limits=limits) for text, source in texts])


def _read(data: bytes, source: str, limits: Limits) -> Reading:
    if is_snapshot(data) and data.rstrip()[-1:] == b"}":
        try:
            return _snapshot(data, source, limits)
        except LimitMet:
            raise
        except InputRefused:
            pass  # perhaps there is something behind it: split them
    if _is_csv(data[:20_000]):
        from reseat.formats.table import read_csv

        check_lines(data, Piece(0, len(data), 1, False), source, limits)
        return read_csv(data, source=source, limits=limits)
    if _RACKS_CSV.match(data[:20_000]):
        return _racks(data, source, limits)
    if len(data) > _LARGE and _REASSIGNMENT_HEAD.match(data[:20_000]) and data.rstrip()[-1:] == b"}":
        try:
            return read_document(data, source=source, limits=limits)
        except LimitMet:
            raise
        except InputRefused:
            pass  # perhaps two documents, or text behind: split them
    return _Paste(data, source, limits).read()


def _is_csv(head: bytes) -> bool:
    """Whether the first line that is no comment names the columns of a table of replicas or partitions."""
    for line in head.split(b"\n"):
        plain = line.strip().lower()
        if plain and not plain.startswith(b"#"):
            cells = {cell.strip(b" \t\"'") for cell in re.split(rb"[,;\t]", plain)}
            return cells >= {b"topic", b"partition"}
    return False


def _snapshot(data: bytes, source: str, limits: Limits) -> Reading:
    return reading_of(read_snapshot(data, source=source, limits=limits), source=source)


def _racks(data: bytes, source: str, limits: Limits) -> Reading:
    racks = read_racks(data.decode("utf-8"), source=source, limits=limits)
    layout = ClusterLayout.from_assignments({}, brokers=[Broker(i, rack=rack) for i, rack in racks.items()])
    return Reading(layout=layout, kind="racks", source=source)


class _Paste:
    """One paste, taken apart and read."""

    def __init__(self, data: bytes, source: str, limits: Limits) -> None:
        self.data = data
        self.source = source
        self.limits = limits
        self.placeholder = _placeholder(source)
        self.skipped = SkippedLines()
        self.findings: list[Finding] = []
        self.refused: list[InputRefused] = []
        self.broken: dict[int, InputRefused] = {}  # by line: JSON that starts there, damaged
        self.documents: list[Document] = []
        self.headings: dict[int, str] = {}
        self.texts: list[Piece] = []
        self.parts: list[Part] = []
        self.lines: list[tuple[int, str]] = []
        self.proposed: tuple[Part, str] | None = None

    def read(self) -> Reading:
        self._take_apart()
        self._bulk()
        zookeeper = self._zookeeper()
        self._reassignments(zookeeper)
        self._other_documents()
        progress = self._small_readers()
        if not self.parts and self.proposed is not None:
            self._proposed_alone()
        if not self.parts:
            raise self._refusal(zookeeper, progress)
        return self._result(zookeeper, progress)

    # ---- taking apart --------------------------------------------------------------------------------------

    def _take_apart(self) -> None:
        for piece in split(self.data, self.source, self.limits):
            if piece.is_cut:
                self._not_whole(piece, piece.start)
                continue
            if not piece.is_json:
                self._text(piece)
                continue
            whole = piece.start == 0 and piece.end == len(self.data)
            raw = self.data if whole else self.data[piece.start : piece.end]
            found = self._document(raw, piece)
            if found is not None:
                self.documents.append(found)
                if found.kind is DocumentKind.REASSIGNMENT:
                    self.headings[id(found)] = self._heading(piece)

    def _text(self, piece: Piece) -> None:
        if piece.open is not None:
            line = piece.line + self.data.count(b"\n", piece.start, piece.open)
            self.broken[line] = json_refusal(self.data, piece.open, self.source, line)
        try:
            check_lines(self.data, piece, self.source, self.limits)
        except LimitMet as met:
            # What is wrong with damaged JSON is not the length of its line.
            raise (next(reversed(self.broken.values()), None) or self._json_of_no_form() or met) from None
        self.texts.append(piece)

    def _not_whole(self, piece: Piece, start: int) -> None:
        """JSON that the end of the text cuts off: nothing in it is read, as what is missing is not known."""
        error = json_refusal(self.data, start, self.source, piece.line)
        self._refuse(error)
        self.skipped.add(
            piece.line,
            self.data[start : start + 200].decode("utf-8", "replace"),
            error.sentence,
            self.data.count(b"\n", start, len(self.data.rstrip())) + 1,
        )

    def _document(self, raw: bytes, piece: Piece) -> Document | None:
        try:
            return document(raw, piece.line, self.source, self.limits)
        except InputRefused as error:
            if re.search(rb"\\[\[\]_{}*]", raw[:_LARGE]):
                error.sentence += " The backslashes before brackets come from a page's markup: delete them."
            self._refuse(error)
            self.skipped.add(piece.line, raw[:200].decode("utf-8", "replace"), error.sentence, raw.count(b"\n") + 1)
            return None

    def _refuse(self, error: InputRefused) -> None:
        """Keep why a piece holds no layout; the first are told where nothing else does."""
        if len(self.refused) < _REFUSED:
            self.refused.append(error)

    def _heading(self, piece: Piece) -> str:
        """The text before a document, after the document before it."""
        start = max(self.texts[-1].start if self.texts else piece.start, piece.start - _HEADING)
        before = self.texts[-1] if self.texts else None
        if before is None or before.end != piece.start:
            return ""
        return self.data[start : piece.start].decode("utf-8", "replace").lower()

    # ---- readers, one after the other ----------------------------------------------------------------------

    def _bulk(self) -> None:
        """Describe and kcat rows, which may be millions; everything else stays as lines."""
        blocks = []
        for piece in self.texts:
            whole = piece.start == 0 and piece.end == len(self.data)
            blocks.append(Block(self.data if whole else self.data[piece.start : piece.end], piece.line))
        for reader in (read_describe, read_kcat):
            part, blocks = reader(blocks, self.source, self.limits)
            if part is not None:
                self.parts.append(part)
        loose = sum(block.data.count(b"\n") for block in blocks)
        if loose > self.limits.lines:
            raise LimitMet(
                f"The text holds {loose:,} lines that are not rows of a known output; at most {self.limits.lines:,} "
                "are checked. Delete the lines that do not belong to it.",
                source=self.source,
            )
        self.lines = sorted(line for block in blocks for line in block.lines())

    def _zookeeper(self) -> ZooKeeper:
        found = read_zookeeper(self.lines, self.documents, self.source, self.limits, self.placeholder)
        self.lines = found.left
        if found.part is not None:
            self.parts.append(found.part)
        return found

    def _reassignments(self, zookeeper: ZooKeeper) -> None:
        current: list[Part] = []
        proposed: list[tuple[Part, str]] = []
        for found in self.documents:
            if found.kind is not DocumentKind.REASSIGNMENT:
                continue
            try:
                reading = read_document(found.data, source=self.source, first_line=found.line, limits=self.limits)
            except LimitMet:
                raise
            except InputRefused as error:
                self._not_used(found, error)
                continue
            part = Part(reading, found.line)
            role = "under way" if id(found) in zookeeper.targets else _role(self.headings.get(id(found), ""))
            if not role and any(_told_otherwise(p.reading.layout, reading.layout) for p in (*self.parts, *current)):
                role = "second"
                self.findings.append(
                    Finding(
                        "taken_as_proposed",
                        Severity.NOTE,
                        f"The assignment in line {found.line} gives other replicas to partitions that the text tells "
                        "before: it is taken as the proposed one.",
                        places=(f"line {found.line}",),
                    )
                )
            if role in ("", "current"):
                current.append(part)
            else:
                proposed.append((part, role))
        self.parts.extend(current)
        if proposed:
            self.proposed = proposed[-1]
            for part, _ in proposed[:-1]:
                self.skipped.add(part.line, "", "An earlier proposed assignment; the last one in the text is used.")

    def _other_documents(self) -> None:
        log_dirs = [d for d in self.documents if d.kind is DocumentKind.LOG_DIRS]
        readers = {DocumentKind.KCAT: read_kcat_json, DocumentKind.CRUISE_CONTROL: read_cruise_control}
        for found in self.documents:
            if found.kind in ZOOKEEPER_KINDS or found.kind in (DocumentKind.REASSIGNMENT, DocumentKind.LOG_DIRS):
                continue
            try:
                if found.kind in readers:
                    self.parts.append(readers[found.kind](found, self.source, self.limits))
                elif found.kind is DocumentKind.REST_TOPIC:
                    self.parts.append(read_rest(found, self.source, self.limits, self.placeholder))
                elif found.kind is DocumentKind.SNAPSHOT:
                    self.parts.append(Part(_snapshot(found.data, self.source, self.limits), found.line))
                elif found.kind is DocumentKind.RACKS:
                    self.parts.append(Part(_racks(found.data, self.source, self.limits), found.line))
                else:
                    raise InputRefused(
                        _no_layout(found), source=self.source, line=found.line, recognised=found.kind.value
                    )
            except LimitMet:
                raise
            except InputRefused as error:
                self._not_used(found, error)
        if log_dirs:
            try:
                self.parts.append(read_log_dirs(log_dirs, self.source, self.limits))
            except LimitMet:
                raise
            except InputRefused as error:
                self._not_used(log_dirs[0], error)

    def _not_used(self, found: Document, error: InputRefused) -> None:
        self._refuse(error)
        self.skipped.add(
            found.line, found.data[:200].decode("utf-8", "replace"), error.sentence, found.data.count(b"\n") + 1
        )

    def _small_readers(self) -> Progress:
        part, self.lines = read_topicmappr(self.lines, self.source, self.limits)
        if part is not None:
            self.parts.append(part)
        part, self.lines = read_tables(self.lines, self.source, self.limits, self.placeholder)
        if part is not None:
            self.parts.append(part)
        progress = read_progress(self.lines)
        self.lines = [(number, text) for number, text in progress.left if not LOG_DIRS_SAID.match(text)]
        for number, text in self.lines:
            if text.strip() not in ("%", "`", "```"):  # a shell's mark of a missing line end; a fence
                broken = self.broken.get(number)
                self.skipped.add(number, text, why_not_used(text) if broken is None else broken.sentence)
        return progress

    # ---- the end -------------------------------------------------------------------------------------------

    def _proposed_alone(self) -> None:
        part, role = self.proposed if self.proposed is not None else (None, "")
        if part is None:
            return
        what = (
            "a reassignment under way (/admin/reassign_partitions)" if role == "under way" else "a proposed assignment"
        )
        self.findings.append(
            Finding(
                "proposed_only",
                Severity.ATTENTION,
                f"This is {what}, and no current assignment is told: it is shown as if it were the current one.",
                places=(f"line {part.line}",),
            )
        )
        self.parts.append(part)
        self.proposed = None

    def _result(self, zookeeper: ZooKeeper, progress: Progress) -> Reading:
        for found, what in zookeeper.nameless:
            self.skipped.add(
                found.line,
                found.data[:200].decode("utf-8", "replace"),
                f"This is {what}.",
                found.data.count(b"\n") + 1,
            )
        reading = combine_parts(self.parts)
        cut = fewer_rows(reading.layout)
        if cut is not None and not reading.layout.partition_count:
            raise InputRefused(
                f"This is {self.parts[0].reading.kind}, but there is no partition in it: {cut.sentence}",
                source=self.source,
                line=self.parts[0].line,
                recognised=self.parts[0].reading.kind,
            )
        pieces = SkippedLines()
        of_proposed = () if self.proposed is None else self.proposed[0].reading.skipped
        pieces.extend(sorted([*self.skipped.result(), *reading.skipped, *of_proposed], key=lambda piece: piece.line))
        return replace(
            reading,
            proposed=reading.proposed if self.proposed is None else self.proposed[0].reading.layout,
            proposed_findings=reading.proposed_findings if self.proposed is None else self.proposed[0].reading.findings,
            skipped=pieces.result(),
            findings=(*self.findings, *reading.findings),
            facts={**reading.facts, **progress.facts},
        )

    def _refusal(self, zookeeper: ZooKeeper, progress: Progress) -> InputRefused:
        """Why there is no layout: the most telling reason."""
        refused = sorted([*self.refused, *self.broken.values()], key=lambda error: error.line or 0)
        if refused and not (progress.line and not self.refused):
            first = refused[0]
            first.details = tuple(error.sentence for error in refused[1:20])
            return first
        if zookeeper.nameless:
            return zookeeper_refusal(zookeeper.nameless, self.source)
        if progress.line:
            return progress.refusal(self.source)
        if any(_ELECTION.search(text) for _, text in self.lines[:200]):
            return InputRefused(
                "This is the output of a preferred-leader election, not a layout: it names partitions, but not their "
                "replicas. Give the output of kafka-topics --describe.",
                source=self.source,
                recognised="the output of an election",
            )
        other = self._json_of_no_form()
        if other is not None:
            return other
        lines = self.data.count(b"\n") + 1
        return InputRefused(
            f"No layout was found in {counted(lines, 'line', 'lines')}. Reseat reads kafka-topics "
            "--describe, reassignment JSON, kafka-log-dirs, ZooKeeper nodes, kcat -L, rpk topic describe -p, "
            "topicmappr, Cruise Control's cluster state, CSV, Parquet and its own snapshots.",
            source=self.source,
            details=tuple(f"Line {piece.line}: {piece.why}" for piece in self.skipped.result()[:20]),
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
            f"This is JSON, but of no form that Reseat reads: {what}, where an object was expected.",
            source=self.source,
            recognised="JSON that Reseat does not know",
        )


def _placeholder(source: str) -> str:
    stem = PurePath(source).stem if "." in source else ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem)[:200].strip(".-") or "unnamed-topic"


def _role(heading: str) -> str:
    """What the words before a document say of it: "current", "proposed", or nothing."""
    last, role = -1, ""
    for words, name in ((_PROPOSED, "proposed"), (_CURRENT, "current")):
        for word in words:
            at = heading.rfind(word)
            if at > last:
                last, role = at, name
    return role


def _told_otherwise(told: ClusterLayout, further: ClusterLayout) -> bool:
    """Whether a further assignment gives a partition that is told already another list."""
    code = {name: i for i, name in enumerate(sorted({*told.topics, *further.topics}))}

    def keys(layout: ClusterLayout) -> npt.NDArray[np.int64]:
        codes = np.array([code[name] for name in layout.topics], np.int64)
        return (codes[layout.topic_of] << 32) | layout.partition if len(codes) else np.empty(0, np.int64)

    _, rows, others = np.intersect1d(keys(told), keys(further), assume_unique=True, return_indices=True)
    width = max(told.replicas.shape[1], further.replicas.shape[1])
    return bool((widened(told.replica_ids, width)[rows] != widened(further.replica_ids, width)[others]).any())


def _no_layout(found: Document) -> str:
    """What a document is that holds no layout."""
    if found.kind is DocumentKind.TOPICS_TO_MOVE:
        return (
            "This is topics-to-move JSON (the input of --generate): it names topics, but not who holds them. Give the "
            "output of kafka-topics --describe, or the JSON that --generate prints as the current assignment."
        )
    if found.kind is DocumentKind.PREFERRED_ELECTION:
        return (
            "This is preferred-election JSON: it names the partitions to elect leaders for, but not their replicas. "
            "Give the output of kafka-topics --describe."
        )
    keys = ", ".join(map(shown, sorted(found.keys)[:8]))
    return f"This is JSON, but of no form that Reseat reads{f' (its keys: {keys})' if keys else ''}."
