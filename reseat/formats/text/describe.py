"""Reads ``kafka-topics --describe`` of every version, 0.8 to 4.x, Confluent's too, and damaged copies of it.

What it promises, in this order: no row is invented; no text is dropped in silence (what is no row stays for the
other readers or is reported); headers are never trusted for what rows tell themselves.

How it works: one pass over the lines with one regular expression, in chunks that end at a line end. A line that is
one whole row gives its fields to columns, which are turned into numbers without an object a partition. Columns
after ``Isr`` are parsed once a distinct text, since most rows share it. Any other line goes to the tolerant path,
which looks for labels and not for white space: rows whose line ends were lost, headers glued to rows or wrapped
over lines, rows at the end of an exception's message, notes in brackets.

Example: ``Topic: a  Partition: 0  Leader: none  Replicas: 1,2  Isr:`` is partition a-0 with replicas 1 and 2, no
leader and an empty ISR.

Complexity: O(bytes); about 3 microseconds a row, and 5 more for a header of its own.
Source: ``TopicCommand.PartitionDescription.printDescription`` and ``TopicDescription`` in Kafka 2.0.1, 2.8.2, 3.9.1,
4.1; KIP-455 (adding, removing), KIP-966 (Elr).
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import compress

import numpy as np

from reseat.formats.input.lines import Block, chunks
from reseat.formats.input.reading import Limits
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.rows.idlists import padded
from reseat.formats.text.cut_off import cut_off
from reseat.formats.text.describe_lines import (
    CONSTRAINED,
    DAMAGED_WHY,
    IS_TIERED,
    MIN_IN_SYNC,
    ROW_START,
    LineReader,
    columns_of,
    complete,
    goes_on_from,
    is_torn,
)
from reseat.formats.text.form import Form, Paste
from reseat.model import NONE, BoolArray, IntArray, Longs
from reseat.model.arrays import matrix_of
from reseat.model.naming import LARGEST_ID

__all__ = ["Describe"]

_LINE = re.compile(
    rb"^(?:"
    rb"[ \t>`]*+(?:[Tt]opic:[ \t]*+)?+([^\s:=,>`]*)[ \t]*+[Pp]artition:[ \t]*+(\d{1,10})"
    rb"[ \t]++[Ll]eader:[ \t]*+(-1|none|\d{1,10})"
    rb"[ \t]++[Rr]eplicas:[ \t]*+([\d,]*+)[ \t]++[Ii]sr:[ \t]*+([\d,]*+)(?!(?<=,)\S)([^\d,\n;:/|.+_-][^\n]*)?"
    rb"|([^\n]*))$",
    re.MULTILINE,
)
#: A header as Kafka prints it; any other is taken apart label by label.
_HEADER = re.compile(
    rb"^(?:[ \t]*Topic:[ \t]*([^\s:=,]+)[ \t]+(?:TopicId:[ \t]*[^\s:]+[ \t]+)?PartitionCount:[ \t]*(\d{1,10})[ \t]+"
    rb"ReplicationFactor:[ \t]*(\d{1,10})[ \t]*(?:[ \t]Configs:([^\n]*))?|[^\n]*)$",
    re.MULTILINE,
)
#: A header as Kafka prints it since topics have ids (KIP-516).
_WITH_ID = re.compile(
    rb"^[ \t]*Topic:[ \t]*[^\s:=,]++[ \t]++TopicId:[ \t]*[^\s:]++[ \t]++PartitionCount:", re.MULTILINE
)
_SINCE_ID = (2, 8)
#: How a row or a heading begins; what a line that begins otherwise says may go on from the line above it.
_BEGINS = re.compile(rb"[ \t]*[Tt]opic:")
#: How the rest of a list may begin that a terminal broke.
_LIST_GOES_ON = re.compile(rb"[\d,]")
_LOOKS = re.compile(rb"[Pp]artition:[ \t]*[0-9]{1,10}\b[^\n]{0,80}?[Ll]eader:|PartitionCount:")
#: Lines that one row may be wrapped over.
_WRAPPED = 3


class Describe(Form):
    """Rows and headers of ``kafka-topics --describe``."""

    def read(self, paste: Paste) -> None:
        """Take them out of the text."""
        reader = _Reader(paste.source, paste.limits)
        last = paste.blocks[-1] if paste.blocks else None
        for block in paste.take_blocks(_LOOKS):
            lost = cut_off(block.data) if block is last else b""
            for chunk, index in chunks(block.data.removesuffix(lost), _BEGINS):
                reader.chunk(chunk, index, block)
            if lost:
                line = block.number(block.data.count(b"\n"))
                reader.told.misread(line, lost.decode("utf-8", "replace"), DAMAGED_WHY)
        paste.add(reader.finish())
        paste.blocks.append(Block.of(reader.left))


class _Leaders(dict[bytes, int]):
    def __missing__(self, told: bytes) -> int:
        self[told] = NONE if told in (b"none", b"-1") else int(told)
        return self[told]


class _Words(dict[bytes, int]):
    """Topic codes by the bytes that name them; -1 where a row names none."""

    def __init__(self, told: RowBuilder) -> None:
        self._told = told

    def __missing__(self, word: bytes) -> int:
        self[word] = self._told.topic(word.decode("utf-8", "replace")) if word else NONE
        return self[word]


class _Tails:
    """The columns after Isr, each distinct text parsed once."""

    def __init__(self) -> None:
        self.codes: dict[bytes, int] = defaultdict(lambda: len(self.codes))
        self.parsed: list[dict[str, list[int] | None]] = []
        self.left: list[str] = []
        self.marked: list[bool] = []
        self.large: list[bool] = []

    def parse_new(self) -> None:
        for tail in list(self.codes)[len(self.parsed) :]:
            text = tail.decode("utf-8", "replace")
            columns, length, marked = columns_of(text)
            self.parsed.append(columns)
            self.left.append(text[length:].strip())
            self.marked.append(marked)
            self.large.append(any(i > LARGEST_ID for ids in columns.values() for i in ids or ()))


class _Reader(LineReader):
    def __init__(self, source: str, limits: Limits) -> None:
        super().__init__(source, limits)
        self.words = _Words(self.told)
        self.leaders = _Leaders()
        self.tails = _Tails()
        #: By a header's configs: is it plain, min.insync.replicas, is the topic tiered.
        self.floors: dict[bytes, tuple[bool, int | None, bool]] = {}

    def finish(self) -> Part | None:
        for columns in self.tails.parsed:
            self.printed(columns)
        return super().finish()

    # ---- rows that are whole lines -------------------------------------------------------------------------

    def chunk(self, data: bytes, index: int, block: Block) -> None:
        if _SINCE_ID not in self.since and b"TopicId:" in data and _WITH_ID.search(data):
            self.since.add(_SINCE_ID)
        found = _LINE.findall(data)
        words, partitions, leaders, replicas, isrs, tails, others = zip(*found, strict=True)
        is_row = np.fromiter(map(bool, partitions), np.bool_, len(found))
        del found
        rows = np.flatnonzero(is_row)
        if len(rows):
            codes = self.tails.codes
            tail_of = np.fromiter(map(codes.__getitem__, compress(tails, is_row)), np.int64, len(rows))
            self.tails.parse_new()
            another = np.array([ROW_START.search(left) is not None for left in self.tails.left], np.bool_)
            below = np.flatnonzero(is_row[:-1] & ~is_row[1:]) + 1
            torn = np.zeros(len(is_row), np.bool_)
            torn[[line - 1 for line in below.tolist() if _LIST_GOES_ON.match(others[line])]] = True
            odd = another[tail_of] | torn[rows]
            if odd.any():  # several rows on one line, or one over several: not regular after all
                again = rows[odd]
                lines = data.split(b"\n")
                as_text = list(others)
                for row in again.tolist():
                    as_text[row] = lines[row]
                others = tuple(as_text)
                is_row[again] = False
                tail_of = tail_of[~odd]
                rows = np.flatnonzero(is_row)
        self.isr_told |= bool(len(rows))
        texts = np.flatnonzero(~is_row)
        if said := data.rstrip():
            self.last_line = block.number(index + said.count(b"\n"))
        header_at: list[tuple[int, int]] = []
        self._others([(int(i), others[i]) for i in texts.tolist() if others[i]], index, block, header_at)
        if not len(rows):
            return
        words = tuple(compress(words, is_row))
        topic_of = self._topics(words, rows, header_at)
        ids, bad = padded(tuple(compress(replicas, is_row)), self.limits)
        isr, bad_isr = padded(tuple(compress(isrs, is_row)), self.limits)
        partition, bad_partition = padded(tuple(compress(partitions, is_row)), self.limits)
        leader = np.fromiter(map(self.leaders.__getitem__, compress(leaders, is_row)), np.int64, len(rows))
        bad |= bad_isr | bad_partition | (leader > LARGEST_ID) | (topic_of < 0) | np.array(self.tails.large)[tail_of]
        line = block.number_all(rows + index)
        if bad.any():
            text = data.split(b"\n")
            for row in np.flatnonzero(bad).tolist():
                raw = text[int(rows[row])].decode("utf-8", "replace")
                nameless = topic_of[row] < 0
                self.told.misread(
                    int(line[row]),
                    raw,
                    "A row without a topic, and no header above it names one."
                    if nameless
                    else f"An id in this row is above {LARGEST_ID:,}, Kafka's largest id.",
                )
        good = np.flatnonzero(~bad)
        lists: dict[str, tuple[IntArray, BoolArray]] = {"in_sync": (isr[good], np.ones(len(good), np.bool_))}
        self._tail_columns(tail_of[good], topic_of[good], line[good], lists)
        self.told.add_columns(
            topic_of[good],
            partition[good, 0],
            line=line[good],
            replicas=ids[good],
            leader=leader[good].astype(np.int32),
            lists=lists,
        )

    def _topics(self, words: tuple[bytes, ...], rows: Longs, header_at: list[tuple[int, int]]) -> IntArray:
        """(n,) topic codes; a row without a name takes that of the header above it, -1 where there is none."""
        codes = np.fromiter(map(self.words.__getitem__, words), np.int32, len(words))
        nameless = np.flatnonzero(codes == NONE)
        if nameless.size:
            at = np.array([position for position, _ in header_at], np.int64)
            header = np.array([code for _, code in header_at], np.int32)
            above = np.searchsorted(at, rows[nameless]) - 1
            codes[nameless] = header[above]
        return codes

    def _tail_columns(
        self,
        tail_of: Longs,
        topic_of: IntArray,
        line: Longs,
        lists: dict[str, tuple[IntArray, BoolArray]],
    ) -> None:
        used, place = np.unique(tail_of, return_inverse=True)
        parsed = [self.tails.parsed[i] for i in used.tolist()]
        self.told.dead.update(*(columns.get("offline") or () for columns in parsed))
        for name in sorted({name for columns in parsed for name in columns} - {"offline"}):
            values = [columns.get(name) for columns in parsed]
            tells = np.array([value is not None for value in values], np.bool_)
            lists[name] = (matrix_of(value or () for value in values)[place], tells[place])
        for at, code in enumerate(used.tolist()):
            if self.tails.marked[code] or self.tails.left[code]:
                rows = np.flatnonzero(place == at)
                if self.tails.marked[code]:
                    names = list(self.told.codes)
                    self.marked.update(names[i] for i in np.unique(topic_of[rows]).tolist())
                if self.tails.left[code]:
                    for row in rows.tolist():
                        self.told.skipped.add(
                            int(line[row]), self.tails.left[code], "A column after Isr that Reseat does not know."
                        )

    # ---- other lines ---------------------------------------------------------------------------------------

    def _others(
        self, lines: list[tuple[int, bytes]], index: int, block: Block, header_at: list[tuple[int, int]]
    ) -> None:
        header_at.append((-1, NONE if self.header is None else self.told.topic(self.header)))
        before = self.header
        position = 0
        headers = _HEADER.findall(b"\n".join(raw for _, raw in lines)) if lines else []
        if all(name and self._is_plain(configs) for name, _, _, configs in headers):
            self._regular_headers(lines, headers, index, block, header_at)
            return
        while position < len(lines):
            at, raw = lines[position]
            if headers[position][0] and self._is_plain(headers[position][3]):
                self._regular_headers(
                    lines[position : position + 1], headers[position : position + 1], index, block, header_at
                )
                before = self.header
                position += 1
                continue
            text = raw.decode("utf-8", "replace")
            number = block.number(index + at)
            position += 1
            if ROW_START.search(text):
                alone, below = text, position
                for more in range(_WRAPPED):
                    following = lines[position] if position < len(lines) else None
                    if following is None or following[0] != at + more + 1:
                        break
                    rest = following[1].decode("utf-8", "replace")
                    torn = is_torn(text, rest)
                    if complete(text) and not torn:
                        break
                    text = f"{text}{rest.rstrip()}" if torn else f"{text.rstrip()} {rest.strip()}"
                    position += 1
                if not goes_on_from(text, len(alone.rstrip())):
                    text, position = alone, below  # damaged, not wrapped: the lines below are their own
                self.several(number, text)
            elif not text.isspace():
                self.no_row(number, text)
            if self.header != before:
                before = self.header
                header_at.append((at, NONE if before is None else self.told.topic(before)))

    def _is_plain(self, configs: bytes) -> bool:
        """Whether a header's configs hold no mark, constraint or row; each distinct text is looked at once."""
        if configs not in self.floors:
            said = configs.decode("utf-8", "replace")
            found = MIN_IN_SYNC.search(said)
            plain = not any(word in configs for word in (b"artition:", b"Marked", CONSTRAINED.encode()))
            self.floors[configs] = (plain, int(found[1]) if found else None, IS_TIERED.search(said) is not None)
        return self.floors[configs][0]

    def _regular_headers(
        self,
        lines: list[tuple[int, bytes]],
        headers: list[tuple[bytes, bytes, bytes, bytes]],
        index: int,
        block: Block,
        header_at: list[tuple[int, int]],
    ) -> None:
        """Headers as Kafka prints them, all at once: there may be one for every row."""
        if not lines:
            return
        words, counts, factors, configs = zip(*headers, strict=True)
        names = b"\n".join(words).decode("utf-8", "replace").split("\n")
        header_at.extend(zip((at for at, _ in lines), map(self.told.topic, names), strict=True))
        self.told.declared.update(zip(names, map(int, counts), strict=True))
        self.factor.update(zip(names, map(int, factors), strict=True))
        told = [self.floors[text] for text in configs]
        self.told.min_in_sync.update(
            (name, low) for name, (_, low, _) in zip(names, told, strict=True) if low is not None
        )
        self.told.tiered.update(name for name, (_, _, tiered) in zip(names, told, strict=True) if tiered)
        self.header = names[-1]
        self.configs = names[-1], block.number(index + lines[-1][0])
