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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress

import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.assemble import counted
from reseat.formats.cut_off import cut_off
from reseat.formats.gather import Gathered, Part
from reseat.formats.idlists import padded
from reseat.formats.lines import Block, chunks
from reseat.formats.reading import Limits
from reseat.model import NONE, NOT_TOLD, BoolArray, Finding, IntArray, Severity
from reseat.model.naming import LARGEST_ID, id_in

__all__ = ["looks_like_describe", "read_describe"]

KIND = "kafka-topics --describe"

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
_COLUMN = re.compile(
    r"[ \t]*+\b(Adding Replicas|Removing Replicas|Elr|LastKnownElr|Offline|Observers|LiveObservers|MarkedForDeletion)"
    r":[ \t]*+([0-9]{1,10}(?:,[ ]?[0-9]{1,10})*|N/A|true|false|none|)[ \t]*+",
    re.IGNORECASE,
)
_LISTS = {
    "adding replicas": "adding",
    "removing replicas": "removing",
    "elr": "eligible",
    "lastknownelr": "last_known_eligible",
    "observers": "observers",
    "liveobservers": "observers",
    "offline": "offline",
}
#: A header as Kafka prints it since topics have ids (KIP-516).
_WITH_ID = re.compile(
    rb"^[ \t]*Topic:[ \t]*[^\s:=,]++[ \t]++TopicId:[ \t]*[^\s:]++[ \t]++PartitionCount:", re.MULTILINE
)
#: The first release whose tool prints a column: no release before it has what the column tells (KIP-455, KIP-966).
_SINCE = {"adding": (2, 4), "removing": (2, 4), "eligible": (3, 7), "last_known_eligible": (3, 7)}
_SINCE_ID = (2, 8)
#: What a person may have written behind a number. Runs of white space give nothing back (``*+``) here and above, so
#: that no text takes more than linear time.
_NOTE = r"(?:[ \t]*+\[[^\]\n]{0,80}\])?+"
_PARTITION = re.compile(rf"\bpartition:[ \t]*+([0-9]{{1,10}})(?![0-9]){_NOTE}[ \t]*+", re.IGNORECASE)
_REST = re.compile(
    rf"leader:[ \t]*+(-1|none|[0-9]{{1,10}}(?![0-9]))?+{_NOTE}[ \t]*+"
    rf"replicas:[ \t]*+((?:[0-9]{{1,10}}(?:,[ ]?[0-9]{{1,10}})*)?)(?![0-9]){_NOTE}[ \t]*+"
    rf"(?:isr:[ \t]*+((?:[0-9]{{1,10}}(?:,[ ]?[0-9]{{1,10}})*)?)(?![0-9]){_NOTE})?",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"(?:topic:[ \t]*)?([^\s:=,]*)[ \t]*$", re.IGNORECASE)
#: A topic's name with a blank in it, which no topic has.
_TORN_NAME = re.compile(r"\btopic:[ \t]*+[^\s:=,]++(?:[ \t]++[^\s:=,]++){1,8}[ \t]*+$", re.IGNORECASE)
_HEADER_LABEL = re.compile(r"(TopicId|PartitionCount|ReplicationFactor|MarkedForDeletion|Configs):[ \t]*")
#: How a row and a heading begin.
_BEGUN = re.compile(r"[ \t]*Topic:")
_TOPIC_LABEL = re.compile(r"Topic:[ \t]*([^\s:=,]+)")
_MIN_IN_SYNC = re.compile(r"(?:^|[,\s])min\.insync\.replicas=([0-9]{1,9})(?![0-9])")
_MARKED = re.compile(r"[ \t]*MarkedForDeletion:[ \t]*(true|false)", re.IGNORECASE)
_ROW_START = re.compile(r"\bpartition:[ \t]*[0-9]", re.IGNORECASE)
_CONTINUES = re.compile(r"^[ \t]*[a-z]+(?:\.[a-z0-9]+)+=")
_LOOKS = re.compile(rb"[Pp]artition:[ \t]*[0-9]{1,10}\b[^\n]{0,80}?[Ll]eader:|PartitionCount:")
#: A row that cannot be read as one, whatever is wrong with it.
_DAMAGED = re.compile(r"\bpartition:[ \t]*+(?:[0-9]++|\S).{0,80}?\b(?:leader|replicas):", re.IGNORECASE)
_DAMAGED_WHY = (
    "A damaged row of kafka-topics --describe: Partition, Leader (an id, none or -1), Replicas and Isr (ids divided by "
    "commas) were expected."
)
#: What stands behind a list that is not whole: what divides no ids, or a comma before what is no id ("1,x", "1,-2").
_GOES_ON = re.compile(r"[;:/|.+_-]|,[^\s,]")
#: Lines that one row may be wrapped over.
_WRAPPED = 3
#: Characters before "Partition:" in which the topic's name is looked for; Kafka's longest name has 249.
_LONGEST_WORD = 400


def looks_like_describe(data: bytes) -> bool:
    """Whether a text holds a row or a header of ``kafka-topics --describe``."""
    return _LOOKS.search(data) is not None


def read_describe(blocks: Sequence[Block], source: str, limits: Limits) -> tuple[Part | None, list[Block]]:
    """Read the describe rows and headers of a paste.

    Args:
        blocks: its text.
        source: the text's name.
        limits: what is accepted.

    Returns:
        What was read, None where there is neither a row nor a header; and the lines that were not used.

    Raises:
        LimitMet: too many partitions or replicas.
    """
    reader = _Reader(source, limits)
    others = []
    for block in blocks:
        if not looks_like_describe(block.data):
            others.append(block)
            continue
        lost = cut_off(block.data) if block is blocks[-1] else b""
        for chunk, index in chunks(block.data.removesuffix(lost)):
            reader.chunk(chunk, index, block)
        if lost:
            reader.told.misread(block.number(block.data.count(b"\n")), lost.decode("utf-8", "replace"), _DAMAGED_WHY)
    part = reader.finish()
    return part, [*others, Block.of(reader.left)]


class _Leaders(dict[bytes, int]):
    def __missing__(self, told: bytes) -> int:
        number = NONE if told in (b"none", b"-1") else int(told)
        self[told] = number if number <= LARGEST_ID else LARGEST_ID + 1
        return self[told]


class _Words(dict[bytes, int]):
    """Topic codes by the bytes that name them; -1 where a row names none."""

    def __init__(self, told: Gathered) -> None:
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

    def parse_new(self) -> None:
        for tail in list(self.codes)[len(self.parsed) :]:
            columns, left, marked = _columns_of(tail.decode("utf-8", "replace"))
            self.parsed.append(columns)
            self.left.append(left)
            self.marked.append(marked)


def _columns_of(tail: str) -> tuple[dict[str, list[int] | None], str, bool]:
    """The lists of a row's columns after Isr (None: "N/A"), what is left over, and whether it is marked."""
    columns: dict[str, list[int] | None] = {}
    marked = False
    at = 0
    while (found := _COLUMN.match(tail, at)) is not None:
        label, value = found[1].lower(), found[2]
        if label == "markedfordeletion":
            marked = value.lower() == "true"
        else:
            columns[_LISTS[label]] = None if value == "N/A" else _ids(value)
        at = found.end()
    return columns, tail[at:].strip(), marked


def _ids(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number.strip().isdecimal()]


class _Reader:
    def __init__(self, source: str, limits: Limits) -> None:
        self.told = Gathered(source, limits, whole_topics=True)
        self.limits = limits
        self.words = _Words(self.told)
        self.leaders = _Leaders()
        self.tails = _Tails()
        self.header: str | None = None  # topic of the header last met
        self.configs: str | None = None  # topic whose Configs may go on in the next line
        self.factor: dict[str, int] = {}
        self.marked: set[str] = set()
        self.floors: dict[
            bytes, tuple[bool, int | None]
        ] = {}  # by a header's configs: is it plain, min.insync.replicas
        self.left: list[tuple[int, str]] = []
        self.first_line = 0
        self.headless = 0
        self.since: set[tuple[int, int]] = set()
        self.isr_told = False
        self.last_line = 0
        # The row last met that ends with its replicas: its line, its text, and what adds it.
        self.short: tuple[int, str, Callable[[], None]] | None = None

    # ---- the regular path ----------------------------------------------------------------------------------

    def chunk(self, data: bytes, index: int, block: Block) -> None:
        if _SINCE_ID not in self.since and b"TopicId:" in data and _WITH_ID.search(data):
            self.since.add(_SINCE_ID)
        found = _LINE.findall(data)
        if data.endswith(b"\n") and found and not any(found[-1]):
            found.pop()  # the empty match after the last line end
        if not found:
            return
        words, partitions, leaders, replicas, isrs, tails, others = zip(*found, strict=True)
        is_row = np.fromiter(map(bool, partitions), np.bool_, len(found))
        del found
        rows = np.flatnonzero(is_row)
        if len(rows):
            codes = self.tails.codes
            tail_of = np.fromiter(map(codes.__getitem__, compress(tails, is_row)), np.int64, len(rows))
            self.tails.parse_new()
            another = np.array([_ROW_START.search(left) is not None for left in self.tails.left], np.bool_)
            if another[tail_of].any():  # several rows on one line: not regular after all
                again = rows[another[tail_of]]
                lines = data.split(b"\n")
                as_text = list(others)
                for row in again.tolist():
                    as_text[row] = lines[row]
                others = tuple(as_text)
                is_row[again] = False
                tail_of = tail_of[~another[tail_of]]
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
        bad |= bad_isr | bad_partition | (leader > LARGEST_ID) | (topic_of < 0)
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
                    else f"An id in this row is above {LARGEST_ID:,}, the largest that Kafka knows.",
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
        self.first_line = self.first_line or int(line[0])

    def _topics(
        self, words: tuple[bytes, ...], rows: npt.NDArray[np.int64], header_at: list[tuple[int, int]]
    ) -> IntArray:
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
        tail_of: npt.NDArray[np.int64],
        topic_of: IntArray,
        line: npt.NDArray[np.int64],
        lists: dict[str, tuple[IntArray, BoolArray]],
    ) -> None:
        used, place = np.unique(tail_of, return_inverse=True)
        parsed = [self.tails.parsed[i] for i in used.tolist()]
        for name in sorted({name for columns in parsed for name in columns}):
            values = [columns.get(name) for columns in parsed]
            if name == "offline":
                for value in values:
                    self.told.dead.update(value or ())
                continue
            width = max((len(value) for value in values if value), default=0)
            table = np.full((len(values), width), NONE, np.int32)
            for row, value in enumerate(values):
                if value:
                    table[row, : len(value)] = [i if i <= LARGEST_ID else NONE for i in value]
            tells = np.array([value is not None for value in values], np.bool_)
            lists[name] = (table[place], tells[place])
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

    # ---- the tolerant path ---------------------------------------------------------------------------------

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
            if _ROW_START.search(text):
                alone, next_position = text, position
                for more in range(_WRAPPED):
                    if _complete(text):
                        break
                    following = lines[position] if position < len(lines) else None
                    if following is None or following[0] != at + more + 1:
                        break
                    text = f"{text.rstrip()} {following[1].decode('utf-8', 'replace').strip()}"
                    position += 1
                if position > next_position and not _goes_on_from(text, len(alone.rstrip())):
                    text, position = alone, next_position  # damaged, not wrapped: the lines below are their own
                self._several(number, text)
            elif not text.isspace():
                self._no_row(number, text)
            if self.header != before:
                before = self.header
                header_at.append((at, NONE if before is None else self.told.topic(before)))

    def _several(self, number: int, text: str) -> None:
        """A line that holds one or more rows somewhere."""
        at = 0
        for found in _PARTITION.finditer(text):
            if found.start() < at:
                continue
            rest = _REST.match(text, found.end())
            if rest is None:
                continue
            if _GOES_ON.match(text, rest.end()) or (rest[3] is None and text[rest.end() :].strip() == ","):
                continue  # a list that goes on in a way that is not known: half of it would be an invented row
            gap = text[at : found.start()]
            if _TORN_NAME.search(gap[-_LONGEST_WORD:]):
                continue  # half of a name would be another topic
            ahead = max(0, len(gap) - _LONGEST_WORD)
            word = _WORD_BEFORE.search(gap[ahead:])
            name = word[1] if word else ""
            gap = gap[: ahead + word.start()] if word else gap
            if gap.strip():
                self._no_row(number, gap)
            topic = name or self.header
            columns, _, marked = _columns_of(text[rest.end() :])
            self._printed(columns)
            at = rest.end() + _tail_length(text[rest.end() :])
            add = partial(
                self._row,
                number,
                text[found.start() : at],
                topic=topic,
                partition=int(found[1]),
                rest=rest,
                columns=columns,
            )
            if rest[3] is None and not text[rest.end() :].strip():
                self._settle()
                self.short = number, text, add
            else:
                self.isr_told |= rest[3] is not None
                add()
            if marked and topic:
                self.marked.add(topic)
        if text[at:].strip():
            self._no_row(number, text[at:])

    def _printed(self, columns: Iterable[str]) -> None:
        """What these columns tell of the Kafka that printed them."""
        self.since.update(_SINCE[name] for name in columns if name in _SINCE)

    def _settle(self, *, over: bool = False) -> None:
        """Add the row that ends with its replicas: its ISR is not told.

        But for one at the end of a text whose other rows tell theirs: that was cut off, and who can say where.
        """
        if self.short is None:
            return
        number, text, add = self.short
        self.short = None
        if over and self.isr_told and number == self.last_line:
            self.told.misread(number, text, _DAMAGED_WHY)
        else:
            add()

    def _row(
        self,
        number: int,
        text: str,
        *,
        topic: str | None,
        partition: int,
        rest: re.Match[str],
        columns: dict[str, list[int] | None],
    ) -> None:
        leader = NOT_TOLD if rest[1] is None else NONE if rest[1].lower() in ("none", "-1") else int(rest[1])
        replicas = _ids(rest[2])
        lists: dict[str, list[int] | None] = {"in_sync": None if rest[3] is None else _ids(rest[3]), **columns}
        self.told.dead.update(lists.pop("offline", None) or ())
        largest = max([partition, leader, *replicas, *(i for ids in lists.values() for i in ids or ())])
        if topic is None:
            self.told.misread(number, text, "A row without a topic, and no header above it names one.")
        elif largest > LARGEST_ID:
            self.told.misread(number, text, f"An id in this row is above {LARGEST_ID:,}, the largest that Kafka knows.")
        else:
            self.told.add(topic, partition, replicas, line=number, leader=leader, lists=lists)
            self.first_line = self.first_line or number

    def _no_row(self, number: int, text: str) -> None:
        """A header, the rest of one, or a line for other readers."""
        labels = list(_HEADER_LABEL.finditer(text))
        if (
            labels
            and labels[0][1] == "Configs"
            and len(labels) == 1
            and not _TOPIC_LABEL.search(text[: labels[0].start()])
        ):
            if self.configs is not None:
                self._config(self.configs, text[labels[0].end() :])
                return
        elif labels:
            self._header(number, text, labels)
            return
        elif self.configs is not None and _CONTINUES.match(text):
            self._config(self.configs, text)
            return
        self.configs = None
        if _DAMAGED.search(text):
            self.told.misread(number, text, _DAMAGED_WHY)
            return
        self._leave(number, text)

    def _leave(self, number: int, text: str) -> None:
        """Leave a line to the other readers."""
        if len(self.left) >= self.limits.lines:
            raise LimitMet(
                f"The text holds more than {self.limits.lines:,} lines that are not rows of kafka-topics --describe. "
                "Delete the lines that do not belong to it.",
                line=number,
            )
        self.left.append((number, text))

    def _header(self, number: int, text: str, labels: list[re.Match[str]]) -> None:
        before = text[: labels[0].start()]
        names = list(_TOPIC_LABEL.finditer(before))
        values: dict[str, str] = {}
        for place, label in enumerate(labels):
            stop = labels[place + 1].start() if place + 1 < len(labels) else len(text)
            values[label[1]] = text[label.end() : stop].strip()
            if label[1] == "Configs":
                values["Configs"] = text[label.end() :]
                break
        marked = values.get("MarkedForDeletion", "").lower() == "true"
        if not names:
            # The label was damaged ("opic:test"): the rows name their topic themselves.
            self.header = self.configs = None
            self._leave(number, text)
            return
        topic = names[-1][1]
        ahead = before[: names[-1].start()].strip(" \t>`")
        if ahead:
            self._leave(number, ahead)
        self.header = self.configs = topic
        self.told.topic(topic)
        self.first_line = self.first_line or number
        for heading, declared in (("PartitionCount", self.told.declared), ("ReplicationFactor", self.factor)):
            if (count := id_in(values.get(heading, ""))) is not None:
                declared[topic] = count
        configs = values.get("Configs", "")
        found = _MARKED.search(configs)
        if marked or (found and found[1].lower() == "true"):
            self.marked.add(topic)
        self._config(topic, configs)

    def _is_plain(self, configs: bytes) -> bool:
        """Whether a header's configs hold neither a mark nor a row; each distinct text is looked at once."""
        if configs not in self.floors:
            found = _MIN_IN_SYNC.search(configs.decode("utf-8", "replace"))
            plain = b"artition:" not in configs and b"Marked" not in configs
            self.floors[configs] = (plain, int(found[1]) if found else None)
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
        floors = [self.floors[text][1] for text in configs]
        self.told.min_in_sync.update((name, low) for name, low in zip(names, floors, strict=True) if low is not None)
        self.first_line = self.first_line or block.number(index + lines[0][0])
        self.header = self.configs = names[-1]

    def _config(self, topic: str, configs: str) -> None:
        found = _MIN_IN_SYNC.search(configs)
        if found:
            self.told.min_in_sync[topic] = int(found[1])

    # ---- the end -------------------------------------------------------------------------------------------

    def finish(self) -> Part | None:
        self._settle(over=True)
        told = self.told
        for at, (number, text) in enumerate(self.left):
            if number == self.last_line and _BEGUN.match(text):  # neither a row nor a heading: the text ends within it
                told.misread(number, text, _DAMAGED_WHY)
                del self.left[at]
                break
        if not told.row_count and not told.declared and not told.skipped.result():
            return None
        other = told.topics_with_other_factor(self.factor)
        if other:
            told.findings.append(
                Finding(
                    "header_factor_differs",
                    Severity.NOTE,
                    f"{counted(len(other), 'topic has', 'topics have')} rows with another number of replicas than the "
                    f"header's ReplicationFactor, such as {other[0]}. The rows count.",
                    topics=other,
                )
            )
        if self.marked:
            told.findings.append(
                Finding(
                    "marked_for_deletion",
                    Severity.ATTENTION,
                    f"{counted(len(self.marked), 'topic is', 'topics are')} marked for deletion, such as "
                    f"{min(self.marked)}: do not plan moves for what is being deleted.",
                    topics=tuple(sorted(self.marked)),
                )
            )
        for columns in self.tails.parsed:
            self._printed(columns)
        part = told.part(KIND, line=self.first_line or 1)
        return replace(part, reading=replace(part.reading, since=max(self.since, default=None)))


def _goes_on_from(text: str, length: int) -> bool:
    """Whether the last row that begins in the first ``length`` characters ends beyond them, and so is wrapped."""
    begins = [found for found in _PARTITION.finditer(text) if found.start() < length]
    rest = _REST.match(text, begins[-1].end()) if begins else None
    return rest is not None and rest.end() > length


def _complete(text: str) -> bool:
    """Whether the last row that starts in a text also ends in it."""
    last = max((found.end() for found in _PARTITION.finditer(text)), default=len(text))
    rest = _REST.match(text, last)
    return rest is not None and rest[3] is not None


def _tail_length(tail: str) -> int:
    at = 0
    while (found := _COLUMN.match(tail, at)) is not None:
        at = found.end()
    return at
