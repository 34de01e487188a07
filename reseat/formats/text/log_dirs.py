"""Reads ``kafka-log-dirs --describe``: which broker holds a log of which partition, where, and how large.

What it promises: every log told is in the layout or in a finding; order, leaders and ISR are not told, for the
tool does not know them. A log that is being moved to another directory of the same broker (``isFuture``) is the
same replica, so it is not counted twice.

How it works: one broker at a time is turned into columns; logs are then sorted by partition and broker.

Complexity: O(logs log logs). Source: ``LogDirsCommand``; KIP-113.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.document import Document, id_of
from reseat.formats.input.reading import Limits
from reseat.formats.input.shown import shown
from reseat.formats.rows.gather import Part, RowBuilder
from reseat.formats.rows.row_findings import PLACES_NAMED
from reseat.formats.text.form import Form, Paste
from reseat.model import NONE, Broker, BrokerState, Finding, LogDirectory, Severity
from reseat.model.naming import id_in
from reseat.model.wording import counted, visible

__all__ = ["LogDirs"]

_KIND = "kafka-log-dirs --describe"

#: Kafka's sizes are Java longs.
_LARGEST_SIZE = 2**63 - 1
#: What the tool says before the JSON.
_SAID = re.compile(r"^\s*(?:Querying brokers for log directories|Received log directory information from brokers)")


class LogDirs(Form):
    """The JSON of ``kafka-log-dirs``; several outputs are read as one."""

    def claims(self, found: Document) -> bool:
        """Whether it lists brokers with their log directories."""
        return "brokers" in found.keys and ("version" in found.keys or b'"logDirs"' in found.head("brokers"))

    def read(self, paste: Paste) -> None:
        """All its documents become one part; what the tool says before them goes."""
        documents = paste.of(self)
        if documents:
            with paste.skipping(documents[0]):
                paste.add(_read(documents, paste))
        paste.lines = [(number, text) for number, text in paste.lines if not _SAID.match(text)]


def _read(documents: Sequence[Document], paste: Paste) -> Part:
    reader = _Reader(paste.source, paste.limits)
    for document in documents:
        for item in document.items("brokers"):
            reader.broker(item, document.line)
    if not reader.told.brokers:
        raise InputRefused(
            "This is the output of kafka-log-dirs, but it names no broker.", source=paste.source, line=documents[0].line
        )
    return reader.part(documents[0].line)


class _Reader:
    def __init__(self, source: str, limits: Limits) -> None:
        self.told = RowBuilder(source, limits, order=False)
        self.dirs: dict[str, int] = {}
        #: Each that a broker tells, also those that hold nothing.
        self.seen: dict[tuple[int, str], LogDirectory] = {}
        self.topic_of: list[int] = []
        self.partition: list[int] = []
        self.holder: list[int] = []
        self.size: list[float] = []
        self.dir_of: list[int] = []
        self.moving: list[str] = []

    def broker(self, item: object, line: int) -> None:
        row = item if isinstance(item, dict) else {}
        broker = id_of(row.get("broker"))
        if broker is None:
            self.told.skipped.add(line, str(item), "Not a broker with its log directories: the id is missing.")
            return
        directories = row.get("logDirs")
        offline: list[str] = []
        for directory in directories if isinstance(directories, list) else ():
            if not isinstance(directory, dict):
                self.told.skipped.add(line, str(directory), "Not a log directory.")
                continue
            name = str(directory.get("logDir"))
            error = directory.get("error")
            self.seen[broker, name] = LogDirectory(broker, name, error=None if error is None else shown(error))
            if error is not None:
                offline.append(name)
                self.told.findings.append(
                    Finding(
                        "log_dir_error",
                        Severity.BROKEN,
                        f"Broker {broker} reports {shown(error)} for its log directory {visible(name)}: "
                        "replicas there are offline.",
                        brokers=(broker,),
                        places=(f"line {line}",),
                    )
                )
            code = self.dirs.setdefault(name, len(self.dirs))
            logs = directory.get("partitions")
            for log in logs if isinstance(logs, list) else ():
                self._log(log, broker, code, line)
        told = Broker(broker, state=BrokerState.ALIVE, offline_dirs=tuple(sorted(set(offline))))
        self.told.broker(told, f"line {line}")

    def _log(self, log: object, broker: int, directory: int, line: int) -> None:
        row = log if isinstance(log, dict) else {}
        name = row.get("partition")
        topic, _, number = name.rpartition("-") if isinstance(name, str) else ("", "", "")
        partition = id_in(number)
        if not topic or partition is None:
            self.told.misread(line, str(log), "Not a log of a partition: 'topic-number' was expected.")
            return
        if row.get("isFuture") is True:
            self.moving.append(str(name))
            return
        size = row.get("size")
        self.topic_of.append(self.told.topic(topic))
        self.partition.append(partition)
        self.holder.append(broker)
        self.dir_of.append(directory)
        known = isinstance(size, (int, float)) and not isinstance(size, bool) and 0 <= size <= _LARGEST_SIZE
        self.size.append(float(size) if known and isinstance(size, (int, float)) else np.nan)
        if size is not None and not known:
            why = f"The size of {name} on broker {broker}: a number of bytes was expected; it was treated as unknown."
            self.told.misread(line, f"size: {size}", why)

    def part(self, line: int) -> Part:
        told = self.told
        topic_of, partition = np.array(self.topic_of, np.int32), np.array(self.partition, np.int32)
        holder, directory = np.array(self.holder, np.int32), np.array(self.dir_of, np.int32)
        order = np.lexsort((holder, partition, topic_of))
        topic_of, partition, holder, directory = topic_of[order], partition[order], holder[order], directory[order]
        size = np.array(self.size, np.float64)[order]
        same = np.zeros(len(order), np.bool_)
        same[1:] = (topic_of[1:] == topic_of[:-1]) & (partition[1:] == partition[:-1])
        twice = same.copy()
        twice[1:] &= holder[1:] == holder[:-1]
        if twice.any():
            at = np.flatnonzero(twice)
            example = f"{list(told.codes)[topic_of[at[0]]]}-{partition[at[0]]} on broker {holder[at[0]]}"
            unequal = int(np.count_nonzero(size[at] != size[at - 1]))
            told.findings.append(
                Finding(
                    "contradicting_rows" if unequal else "repeated_rows",
                    Severity.ATTENTION if unequal else Severity.NOTE,
                    f"{counted(len(at), 'log is', 'logs are')} reported twice, {unequal} of them with different sizes, "
                    f"such as {example}. The first one is used.",
                    brokers=tuple(sorted({int(i) for i in holder[at[:PLACES_NAMED]]})),
                )
            )
            topic_of, partition, holder = topic_of[~twice], partition[~twice], holder[~twice]
            directory, size, same = directory[~twice], size[~twice], same[~twice]
        first = np.flatnonzero(~same)
        row = np.cumsum(~same) - 1
        column = np.arange(len(row)) - first[row] if len(row) else row
        shape, limits = (len(first), int(column.max(initial=-1)) + 1), told.limits
        if shape[0] > limits.partitions or shape[0] * shape[1] > limits.cells or shape[1] > limits.replicas:
            raise LimitMet(
                f"{shape[0]:,} partitions with up to {shape[1]:,} replicas each are more than are read at once. "
                "Ask for fewer topics (--topic-list).",
                source=told.source,
            )
        replicas, directories = np.full(shape, NONE, np.int32), np.full(shape, NONE, np.int32)
        sizes = np.full(shape, np.nan)
        replicas[row, column], sizes[row, column], directories[row, column] = holder, size, directory
        told.add_columns(
            topic_of[first],
            partition[first],
            line=np.full(len(first), line, np.int64),
            replicas=replicas,
            by_replica={"size_bytes": sizes, "log_dir": directories},
        )
        told.note_misread("log", "logs")
        if self.moving:
            told.findings.append(
                Finding(
                    "log_dir_move",
                    Severity.NOTE,
                    f"{counted(len(self.moving), 'log is', 'logs are')} being moved to another directory of the same "
                    f"broker, such as {visible(self.moving[0])}.",
                )
            )
        told.findings.append(
            Finding(
                "order_not_told",
                Severity.NOTE,
                "kafka-log-dirs shows where replicas are, but not their order or which of them leads.",
            )
        )
        told.facts["log_dir_brokers"] = tuple(sorted(told.brokers))
        part = told.part(_KIND, assigns=False, log_dirs=tuple(self.dirs))
        return replace(part, reading=replace(part.reading, log_dirs=tuple(self.seen.values())), locate=None)
