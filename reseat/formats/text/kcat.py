"""Reads ``kcat -L`` (and ``kafkacat -L``) as text; ``-J`` is ``kcat_json``.

What it promises, in this order: no partition is invented or dropped in silence; a broker is dead only where the
list of brokers is whole and does not name it; assignment order is claimed only where it can be trusted.

How it works: rows of partitions go to columns by one regular expression over chunks of lines; brokers, topics and
headings are read one by one. Order: brokers up to 0.11 kept replica lists as sets, so what they answer is not
the assignment order (kcat issue 98). A text that names the controller comes from a broker and a client that speak
a newer metadata protocol; only then is the order taken as told.

Complexity: O(bytes). Source: kcat's ``metadata_print``; librdkafka's metadata structures.
"""

from __future__ import annotations

import re
from itertools import compress

import numpy as np

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.document import id_of
from reseat.formats.input.lines import Block, chunks
from reseat.formats.input.reading import Limits
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.rows.idlists import padded
from reseat.formats.text.form import Form, Paste
from reseat.model import NONE, Broker, BrokerState, Finding, Severity
from reseat.model.naming import LARGEST_ID

__all__ = ["Kcat", "finish"]

_KIND = "kcat -L"

_LINE = re.compile(
    rb"^(?:[ \t]*+partition (\d{1,10}), leader (-?\d{1,10}), replicas: ([\d,]*?), isrs: ([\d,]*+)[ \t]*+([^\n]*)"
    rb"|([^\n]*))$",
    re.MULTILINE,
)
_TOPIC = re.compile(r'^\s*topic "([^"]+)" with (\d{1,10}) partitions?:\s*(.*)$')
#: The last character of an ISR and the next line, where a terminal broke the list.
_TORN = re.compile(rb"(?=\d*,)[\d,]+\s*")
_DAMAGED_WHY = (
    "A damaged row of kcat -L: partition ID, leader ID, replicas: and isrs: (comma-separated ids) were expected."
)
#: A partition or a topic that cannot be read as one, whatever is wrong with it.
_DAMAGED = re.compile(r"^\s*partition\b[^0-9]{0,80}?[0-9]*+.{1,80}?\b(?:leader|replicas|isrs)\b")
_DAMAGED_TOPIC = re.compile(r"^\s*topic\b.{1,400}?\bwith\b.{0,40}?\bpartitions?\b")
_BROKER = re.compile(r"^\s*broker (-?\d{1,10}) at (\[[^\]\s]+\]|[^\s:]+):(\d{1,5})\s*+(\(controller\))?\s*+$")
_BROKERS = re.compile(r"^\s*(\d{1,9}) brokers?:\s*$")
_TOPICS = re.compile(r"^\s*(\d{1,9}) topics?:\s*$")
_TITLE = re.compile(r"^\s*Metadata for .{1,300}? \(from broker .{1,300}\):?\s*$")
_LOOKS = re.compile(
    rb'^[ \t]*(?:partition \d+, leader -?\d+, replicas:|topic "[^"\n]+" with \d+ partition|'
    rb"Metadata for [^\n]+ \(from broker)",
    re.MULTILINE,
)


class Kcat(Form):
    """The text of ``kcat -L``."""

    def read(self, paste: Paste) -> None:
        """Take its lines out of the text; refused where topics are declared, but no partition follows."""
        reader = _Reader(paste.source, paste.limits)
        for block in paste.take_blocks(_LOOKS):
            for chunk, index in chunks(block.data):
                reader.chunk(chunk, index, block)
        paste.add(reader.finish())
        paste.blocks.append(Block.of(reader.left))


class _Reader:
    def __init__(self, source: str, limits: Limits) -> None:
        self.told = RowBuilder(source, limits, whole_topics=True)
        self.limits = limits
        self.topic: str | None = None
        self.declared_brokers: int | None = None
        self.first_line = 0
        self.left: list[tuple[int, str]] = []

    def chunk(self, data: bytes, index: int, block: Block) -> None:
        found = _LINE.findall(data)
        partitions, leaders, replicas, isrs, rests, others = zip(*found, strict=True)
        is_row = np.fromiter(map(bool, partitions), np.bool_, len(found))
        topic_at: list[tuple[int, int]] = [(-1, NONE if self.topic is None else self.told.topic(self.topic))]
        torn = np.zeros(len(is_row), np.bool_)
        for at in np.flatnonzero(~is_row).tolist():
            if others[at].strip():
                if at and is_row[at - 1] and not rests[at - 1] and _TORN.fullmatch(isrs[at - 1][-1:] + others[at]):
                    torn[at - 1] = True
                self._other(block.number(index + at), others[at].decode("utf-8", "replace"))
                topic_at.append((at, NONE if self.topic is None else self.told.topic(self.topic)))
        rows = np.flatnonzero(is_row)
        if not len(rows):
            return
        ids, bad = padded(tuple(compress(replicas, is_row)), self.limits)
        isr, bad_isr = padded(tuple(compress(isrs, is_row)), self.limits)
        partition, bad_partition = padded(tuple(compress(partitions, is_row)), self.limits)
        leader = np.fromiter(map(int, compress(leaders, is_row)), np.int64, len(rows))
        leader = np.where(leader < 0, NONE, leader)
        above = np.searchsorted(np.array([at for at, _ in topic_at], np.int64), rows) - 1
        topic_of = np.array([code for _, code in topic_at], np.int32)[above]
        bad |= bad_isr | bad_partition | (leader > LARGEST_ID) | (topic_of < 0) | torn[rows]
        line = block.number_all(rows + index)
        if bad.any():
            text = data.split(b"\n")
            for row in np.flatnonzero(bad).tolist():
                self.told.misread(
                    int(line[row]),
                    text[int(rows[row])].decode("utf-8", "replace"),
                    _DAMAGED_WHY
                    if torn[rows[row]]
                    else "A partition without a topic above it."
                    if topic_of[row] < 0
                    else f"An id in this row is above {LARGEST_ID:,}, Kafka's largest id.",
                )
        for row, rest in zip(rows.tolist(), compress(rests, is_row), strict=True) if any(rests) else ():
            if rest:
                self.told.skipped.add(
                    block.number(index + row),
                    rest.decode("utf-8", "replace"),
                    "The partition's error, as kcat reports it.",
                )
        good = np.flatnonzero(~bad)
        self.told.add_columns(
            topic_of[good],
            partition[good, 0],
            line=line[good],
            replicas=ids[good],
            leader=leader[good].astype(np.int32),
            lists={"in_sync": (isr[good], np.ones(len(good), np.bool_))},
        )
        self._met(int(line[0]))

    def _met(self, line: int) -> None:
        self.first_line = min(self.first_line or line, line)

    def _other(self, number: int, text: str) -> None:
        if (found := _TOPIC.match(text)) is not None:
            self.topic = found[1]
            self.told.topic(found[1])
            self.told.declared[found[1]] = int(found[2])
            if found[3]:
                self.told.skipped.add(number, found[3], "The topic's error, as kcat reports it.")
        elif (found := _BROKER.match(text)) is not None:
            broker = id_of(int(found[1]))
            if broker is None:
                self.told.skipped.add(number, text, "A bootstrap address, not a broker of the cluster.")
                return
            self.told.broker(
                Broker(broker, host=found[2].strip("[]"), port=int(found[3]), state=BrokerState.ALIVE), f"line {number}"
            )
            if found[4]:
                self.told.facts["controller"] = broker
        elif (found := _BROKERS.match(text)) is not None:
            self.declared_brokers = int(found[1])
        elif (found := _TOPICS.match(text)) is not None:
            self.told.facts["declared_topics"] = self.told.topics_declared = int(found[1])
        elif _DAMAGED.match(text):
            self.told.misread(number, text, _DAMAGED_WHY)
        elif _DAMAGED_TOPIC.match(text):
            self.topic = None  # the partitions below are not those of the topic above
            self.told.misread(
                number, text, 'A damaged heading of kcat -L: topic "NAME" with N partitions: was expected.'
            )
        elif not _TITLE.match(text):
            if len(self.left) >= self.limits.lines:
                raise LimitMet(
                    f"The text holds more than {self.limits.lines:,} lines that are not rows of kcat -L. Delete the "
                    "lines that do not belong to it.",
                    line=number,
                )
            self.left.append((number, text))
            return
        self._met(number)

    def finish(self) -> Part | None:
        told = self.told
        if not told.row_count and not told.declared and not told.brokers:
            return None
        finish(told, self.declared_brokers, self.first_line)
        return told.part(_KIND)


def finish(told: RowBuilder, declared_brokers: int | None, line: int) -> None:
    """Findings and facts that hold for text and JSON alike."""
    if any(told.declared.values()) and not told.row_count:
        raise InputRefused(
            f"This is kcat -L with {len(told.brokers)} brokers and {len(told.declared)} topics, but no partition "
            "follows. The text is incomplete: copy the lines that start with 'partition' too.",
            source=told.source,
            line=line or None,
        )
    if told.brokers:
        if declared_brokers is None or declared_brokers <= len(told.brokers):
            told.alive = set(told.brokers)
        else:
            told.findings.append(
                Finding(
                    "fewer_brokers_than_declared",
                    Severity.NOTE,
                    f"kcat says {declared_brokers} brokers, but {len(told.brokers)} are listed: brokers that are not "
                    "listed may be alive.",
                )
            )
    told.order = "controller" in told.facts
    if not told.order and told.row_count:
        told.findings.append(
            Finding(
                "order_not_told",
                Severity.ATTENTION,
                "kcat prints replicas in the broker's order, and old brokers lose the assignment order; nothing here "
                "shows that this broker keeps it. State that the order is right, or use kafka-topics --describe.",
            )
        )
