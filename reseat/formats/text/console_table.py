"""Reads tables that consoles print: ``rpk topic describe -p`` and the Confluent Cloud CLI's topic description.

What it promises, in this order: a cell is taken for the column whose heading stands at its place in the row, and a
row with another number of cells than the heading is not guessed at but reported; the order of replicas is told
only where the tool keeps it.

How it works: a line whose cells include Partition, Leader and Replicas (or Moving-from) heads a table; rows follow
until a line does not fit. rpk sorts replicas by id, so its order is not the assignment order and not told. rpk
prints no topic name in the table: it is taken from the command, the summary or the title above.

Source: Redpanda's rpk (``topic describe``, ``cluster partitions move-status``), Confluent's CLI.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reseat.formats.input.reading import Limits
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.text.form import Form, Paste
from reseat.model import NONE, NOT_TOLD, Finding, Severity
from reseat.model.naming import LARGEST_ID, id_in

__all__ = ["ConsoleTables"]

_RPK = "rpk topic describe"
_CCLOUD = "the Confluent CLI's topic description"

_CELL = re.compile(r"\[[^\[\]]*\]|[^\s|]+")
_HEADING_CELL = re.compile(r"[^\s|]+(?: [^\s|]+)*")
_COMMAND = re.compile(r"\brpk\b.{0,200}?\btopic\s+describe\s+(?:-{1,2}\S+\s+)*([A-Za-z0-9._-]{1,249})")
_NAME = re.compile(r"^\s*NAME\s{2,}([A-Za-z0-9._-]{1,249})\s*$", re.IGNORECASE)
_TITLE = re.compile(r"^\s*([A-Za-z0-9._-]{1,249}), \d+ partitions?, \d+ replicas?\s*$")
_RULE = re.compile(r"^[\s+|=-]*$")
#: Cells of a heading, as each is used.
_USED = {
    "TOPIC": "topic",
    "NAMESPACE-TOPIC": "topic",
    "PARTITION": "partition",
    "LEADER": "leader",
    "EPOCH": "epoch",
    "REPLICAS": "replicas",
    "MOVING-FROM": "replicas",
    "MOVING-TO": "target",
    "IN-SYNC REPLICAS": "in_sync",
    "IN-SYNC-REPLICAS": "in_sync",
    "ISR": "in_sync",
    "OFFLINE_REPLICAS": "offline",
    "OFFLINE-REPLICAS": "offline",
}


#: Characters of a line in which a heading or a name is looked for.
_LOOKED_AT = 2_000
#: Signs of a partition's row from which on a line below a heading counts as a damaged one.
_ENOUGH = 2


class ConsoleTables(Form):
    """Tables of rpk and of the Confluent CLI."""

    def read(self, paste: Paste) -> None:
        """Take the tables out of the lines."""
        part, paste.lines = _Reader(paste.source, paste.limits, paste.placeholder).read(paste.lines)
        paste.add(part)


class _Reader:
    def __init__(self, source: str, limits: Limits, placeholder: str) -> None:
        self.told = RowBuilder(source, limits, order=False)
        self.after = RowBuilder(source, limits, order=False)
        self.placeholder = placeholder
        self.heading: list[str] | None = None
        self.named: str | None = None
        self.unnamed = 0
        self.kind = _RPK
        self.first = 0

    def read(self, lines: Sequence[tuple[int, str]]) -> tuple[Part | None, list[tuple[int, str]]]:
        left: list[tuple[int, str]] = []
        for number, text in lines:
            heading = _heading(text)
            if heading is not None:
                self._start(heading, number)
            elif self.heading is not None and self._row(number, text, self.heading):
                self.first = self.first or number
            else:
                ends = self.heading is not None and self.first and not _RULE.match(text)
                self.heading = None if ends else self.heading
                if not self._names_topic(text):
                    left.append((number, text))
        if not self.first:
            return None, [*lines]
        part = self.told.part(self.kind)
        if self.after.row_count:
            target = self.after.part(self.kind).reading.layout
            part = replace(part, reading=replace(part.reading, proposed=target))
        return part, left

    def _names_topic(self, text: str) -> bool:
        """Whether the line names the topic of the table that follows (a title or a command)."""
        for pattern in (_COMMAND, _NAME, _TITLE):
            if (found := pattern.search(text[:_LOOKED_AT])) is not None:
                self.named = found[1]
                return pattern is not _COMMAND
        return False

    def _start(self, heading: list[str], number: int) -> None:
        self.heading = heading
        if "TOPIC" in heading:
            self.kind, self.told.order = _CCLOUD, True
        elif "NAMESPACE-TOPIC" not in heading and self.named is None:
            self.unnamed += 1
            self.named = self.placeholder if self.unnamed == 1 else f"{self.placeholder}-{self.unnamed}"
            self.told.findings.append(
                Finding(
                    "topic_name_not_told",
                    Severity.ATTENTION,
                    f"Neither the table nor a command above it names its topic: it is called {self.named} here.",
                    topics=(self.named,),
                    places=(f"line {number}",),
                )
            )
        self.topic, self.named = self.named, None
        if not self.told.order:
            self.told.findings.append(
                Finding(
                    "order_not_told",
                    Severity.ATTENTION,
                    "rpk sorts replicas by id, so the assignment order, and with it the preferred leader, is unknown.",
                    topics=() if self.topic is None else (self.topic,),
                )
            )

    def _damaged(self, number: int, text: str, cells: list[str], heading: list[str]) -> bool:
        """Whether this is a row of the table all the same; it is reported then, and the table goes on."""
        if _signs(cells, heading) < _ENOUGH:
            return False
        self.told.misread(
            number,
            text,
            f"A damaged row: {len(heading)} cells were expected, as in the heading, with a partition id and a "
            "list of replica ids.",
        )
        return True

    def _row(self, number: int, text: str, heading: list[str]) -> bool:
        cells = _CELL.findall(text)
        if len(cells) != len(heading):
            return self._damaged(number, text, cells, heading)
        told = {_USED[name]: cell for name, cell in zip(heading, cells, strict=True) if name in _USED}
        replicas = _ids(told["replicas"])
        if replicas is None or not told["partition"].isdecimal():
            return self._damaged(number, text, cells, heading)
        partition = id_in(told["partition"])
        topic = told.get("topic", self.topic or self.placeholder)
        if "NAMESPACE-TOPIC" in heading:
            topic = topic.rpartition("/")[2]
        leader_told = told.get("leader")
        leader = NOT_TOLD if leader_told is None else id_in(leader_told) if leader_told.isdecimal() else NONE
        isr = _ids(told["in_sync"]) if "in_sync" in told else None
        target = _ids(told["target"]) if "target" in told else None
        self.told.dead.update(_known(_ids(told.get("offline", "")) or ()))
        epoch = id_in(told.get("epoch", ""))
        if partition is None or leader is None or None in {*replicas, *(isr or ()), *(target or ())}:
            self.told.misread(number, text, f"An id in this row is above {LARGEST_ID:,}, Kafka's largest id.")
            return True
        self.told.add(
            topic,
            partition,
            _known(replicas),
            line=number,
            leader=leader,
            leader_epoch=NOT_TOLD if epoch is None else epoch,
            lists={"in_sync": None if isr is None else _known(isr)},
        )
        if target is not None:
            self.after.add(topic, partition, _known(target), line=number)
        return True


def _signs(cells: list[str], heading: list[str]) -> int:
    """How many signs of a partition's row a line shows: an id in the partition's place, in the leader's, a list."""
    told = {_USED[name]: cell for name, cell in zip(heading, cells, strict=False) if name in _USED}
    ids = (told.get("partition", "").isdecimal(), told.get("leader", "").isdecimal())
    return sum((*ids, any(cell.startswith("[") for cell in cells)))


def _heading(text: str) -> list[str] | None:
    """The heading's cells in capitals, None where the line heads no table of partitions."""
    if "artition" not in text and "PARTITION" not in text:
        return None
    cells = [cell.upper() for cell in _HEADING_CELL.findall(text[:_LOOKED_AT])]
    used = {_USED[cell] for cell in cells if cell in _USED}
    return cells if used.issuperset(("partition", "replicas")) and used & {"leader", "target"} else None


def _ids(cell: str) -> list[int | None] | None:
    """The ids in a cell, None for one that Kafka does not know; None where the cell is no list of numbers."""
    inside = cell.strip("[]").replace(",", " ").split()
    return [id_in(item) for item in inside] if all(item.isdecimal() for item in inside) else None


def _known(ids: Iterable[int | None]) -> list[int]:
    return [i for i in ids if i is not None]
