"""Lines of ``kafka-topics --describe`` one by one: headers, rows that are not whole lines, and damage of any kind.

Labels are looked for and not white space: rows whose line ends were lost, headers glued to rows or wrapped over lines,
rows at the end of an exception's message, notes in brackets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.model import NONE, NOT_TOLD, Finding, Severity
from reseat.model.columns import BESIDE_ISR, COLUMNS
from reseat.model.naming import LARGEST_ID, id_in
from reseat.model.wording import counted

__all__ = [
    "DAMAGED_WHY",
    "IS_TIERED",
    "MIN_IN_SYNC",
    "ROW_START",
    "LineReader",
    "columns_of",
    "complete",
    "goes_on_from",
    "is_torn",
]

_KIND = "kafka-topics --describe"

_COLUMN = re.compile(
    r"[ \t]*+\b(Adding Replicas|Removing Replicas|Elr|LastKnownElr|Offline|Observers|LiveObservers|MarkedForDeletion)"
    r":[ \t]*+([0-9]{1,10}(?:,[ ]?[0-9]{1,10})*|N/A|true|false|none|)[ \t]*+",
    re.IGNORECASE,
)
_LISTS = {
    **{COLUMNS[name].label.lower(): name for name in BESIDE_ISR},
    "liveobservers": "observers",
    "offline": "offline",
}
#: The first release whose tool prints a column: no release before it has what the column tells (KIP-455, KIP-966).
_SINCE = {"adding": (2, 4), "removing": (2, 4), "eligible": (3, 7), "last_known_eligible": (3, 7)}
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
#: Where a heading tells ``min.insync.replicas``.
MIN_IN_SYNC = re.compile(r"(?:^|[,\s])min\.insync\.replicas=([0-9]{1,9})(?![0-9])")
#: And that the topic is tiered (KIP-405).
IS_TIERED = re.compile(r"(?:^|[,\s])remote\.storage\.enable=true(?![^,\s])", re.IGNORECASE)
#: And that Confluent's constraints say in which racks its replicas are to be.
CONSTRAINED = "confluent.placement.constraints={"
_MARKED = re.compile(r"[ \t]*MarkedForDeletion:[ \t]*(true|false)", re.IGNORECASE)
#: What only a row of a partition says.
ROW_START = re.compile(r"\bpartition:[ \t]*[0-9]", re.IGNORECASE)
_CONTINUES = re.compile(r"^[ \t]*[a-z]+(?:\.[a-z0-9]+)+=")
#: A row that cannot be read as one, whatever is wrong with it.
_DAMAGED = re.compile(r"\bpartition:[ \t]*+(?:[0-9]++|\S).{0,80}?\b(?:leader|replicas):", re.IGNORECASE)
#: Why a row is skipped.
DAMAGED_WHY = (
    "A damaged row of kafka-topics --describe: Partition, Leader (an id, none or -1), Replicas and Isr "
    "(comma-separated ids) were expected."
)
#: What stands behind a list that is not whole: what divides no ids, or a comma before what is no id ("1,x", "1,-2").
_GOES_ON = re.compile(r"[;:/|.+_-]|,[^\s,]")
#: The last character of a line and the next line, where a terminal broke a list or a number: no other line goes on so.
_TORN = re.compile(
    r"[0-9](?:,[0-9]|[0-9,]++[ \t]++(?:leader|(?:adding |removing )?replicas|isr|elr|lastknownelr|offline|observers):)"
    r"|,[0-9][0-9,]*+(?!\S)",
    re.IGNORECASE,
)
#: Characters before "Partition:" in which the topic's name is looked for; Kafka's longest name has 249.
_LONGEST_WORD = 400


class LineReader:
    """What lines tell, taken apart label by label.

    Attributes:
        told: what was read.
        header: the topic of the header last met.
        configs: the topic whose Configs may go on in the next line, and the line where they ended so far.
        factor: replication factors by topic, as headers say.
        marked: topics marked for deletion.
        constrained: topics with placement constraints.
        left: lines for the other readers.
        last_line: the last line of the text that is not blank.
        since: releases of Kafka that are the first to print what was met.
        isr_told: whether a row tells its ISR.
    """

    def __init__(self, source: str, limits: Limits) -> None:
        self.told = RowBuilder(source, limits, whole_topics=True)
        self.limits = limits
        self.header: str | None = None
        self.configs: tuple[str, int] | None = None
        self.factor: dict[str, int] = {}
        self.marked: set[str] = set()
        self.constrained: set[str] = set()
        self.left: list[tuple[int, str]] = []
        self.last_line = 0
        self.since: set[tuple[int, int]] = set()
        self.isr_told = False
        # The row last met that ends with its replicas: its line, its text, and what adds it.
        self._short: tuple[int, str, Callable[[], None]] | None = None

    def several(self, number: int, text: str) -> None:
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
                self.no_row(number, gap)
            topic = name or self.header
            columns, length, marked = columns_of(text[rest.end() :])
            self.printed(columns)
            at = rest.end() + length
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
                self._short = number, text, add
            else:
                self.isr_told |= rest[3] is not None
                add()
            if marked and topic:
                self.marked.add(topic)
        if text[at:].strip():
            self.no_row(number, text[at:])

    def printed(self, columns: Iterable[str]) -> None:
        """What these columns tell of the Kafka that printed them."""
        self.since.update(_SINCE[name] for name in columns if name in _SINCE)

    def _settle(self) -> None:
        """Add the row that ends with its replicas: its ISR is not told.

        But for one at the end of a text whose other rows tell theirs: that was cut off, and who can say where.
        """
        if self._short is None:
            return
        number, text, add = self._short
        self._short = None
        if self.isr_told and number == self.last_line:
            self.told.misread(number, text, DAMAGED_WHY)
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
            self.told.misread(number, text, f"An id in this row is above {LARGEST_ID:,}, Kafka's largest id.")
        else:
            self.told.add(topic, partition, replicas, line=number, leader=leader, lists=lists)

    def no_row(self, number: int, text: str) -> None:
        """A header, the rest of one, or a line for other readers."""
        labels = list(_HEADER_LABEL.finditer(text))
        above, self.configs = self.configs, None
        if above is not None and number - above[1] > 1:
            above = None  # a row of a partition is in between
        if (
            labels
            and labels[0][1] == "Configs"
            and len(labels) == 1
            and not _TOPIC_LABEL.search(text[: labels[0].start()])
        ):
            if above is not None:
                self._config(number, above[0], text[labels[0].end() :])
                return
        elif labels:
            self._header(number, text, labels)
            return
        elif above is not None and _CONTINUES.match(text):
            self._config(number, above[0], text)
            return
        if _DAMAGED.search(text):
            self.told.misread(number, text, DAMAGED_WHY)
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
            self.header, self.configs = None, None
            self._leave(number, text)
            return
        topic = names[-1][1]
        ahead = before[: names[-1].start()].strip(" \t>`")
        if ahead:
            self._leave(number, ahead)
        self.header = topic
        self.told.topic(topic)
        for heading, declared in (("PartitionCount", self.told.declared), ("ReplicationFactor", self.factor)):
            if (count := id_in(values.get(heading, ""))) is not None:
                declared[topic] = count
        configs = values.get("Configs", "")
        found = _MARKED.search(configs)
        if marked or (found and found[1].lower() == "true"):
            self.marked.add(topic)
        self._config(number, topic, configs)

    def _config(self, number: int, topic: str, configs: str) -> None:
        self.configs = topic, number
        found = MIN_IN_SYNC.search(configs)
        if found:
            self.told.min_in_sync[topic] = int(found[1])
        if IS_TIERED.search(configs):
            self.told.tiered.add(topic)
        if CONSTRAINED in configs:
            self.constrained.add(topic)

    def finish(self) -> Part | None:
        """What was read; None where there is neither a row nor a header."""
        self._settle()
        told = self.told
        # Neither a row nor a heading, and begun like one: the text ends within it.
        if self.left and self.left[-1][0] == self.last_line and _BEGUN.match(self.left[-1][1]):
            told.misread(*self.left.pop(), DAMAGED_WHY)
        if not told.row_count and not told.declared and not told.skipped.result():
            return None
        if other := told.topics_with_other_factor(self.factor):
            said = (
                f"{counted(len(other), 'topic has', 'topics have')} rows with another number of replicas than the "
                f"header's ReplicationFactor, such as {other[0]}. The rows are used."
            )
            told.findings.append(Finding("header_factor_differs", Severity.NOTE, said, topics=other))
        if marked := tuple(sorted(self.marked)):
            are = f"{counted(len(marked), 'topic is', 'topics are')} marked for deletion, such as {marked[0]}"
            said = f"{are}: do not plan moves for what is being deleted."
            told.findings.append(Finding("marked_for_deletion", Severity.ATTENTION, said, topics=marked))
        if constrained := tuple(sorted(self.constrained)):
            have = f"{counted(len(constrained), 'topic has', 'topics have')} placement constraints (Confluent)"
            said = f"{have}, such as {constrained[0]}: plans do not heed them."
            told.findings.append(Finding("placement_constraints", Severity.ATTENTION, said, topics=constrained))
        part = told.part(_KIND)
        return replace(part, reading=replace(part.reading, since=max(self.since, default=None)))


def columns_of(tail: str) -> tuple[dict[str, list[int] | None], int, bool]:
    """The lists of a row's columns after Isr (None: "N/A"), how long they are as text, and whether it is marked."""
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
    return columns, at, marked


def _ids(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number.strip().isdecimal()]


def goes_on_from(text: str, length: int) -> bool:
    """Whether the last row that begins in the first ``length`` characters ends beyond them, and so is wrapped."""
    begins = [found for found in _PARTITION.finditer(text) if found.start() < length]
    rest = _REST.match(text, begins[-1].end()) if begins else None
    return rest is not None and len(text[: rest.end()].rstrip()) > length


def is_torn(above: str, below: str) -> bool:
    """Whether a list or number that a line ends in goes on in the line below it."""
    return _TORN.match(above[-1:] + below) is not None


def complete(text: str) -> bool:
    """Whether the last row that starts in a text also ends in it: the ISR of a partition with a leader names it."""
    last = max((found.end() for found in _PARTITION.finditer(text)), default=len(text))
    rest = _REST.match(text, last)
    return rest is not None and rest[3] is not None and (rest[3] != "" or not (rest[1] or "").isdecimal())
