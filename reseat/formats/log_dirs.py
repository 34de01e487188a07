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

import numpy as np

from reseat.errors import InputRefused, LimitMet
from reseat.formats.assemble import PLACES_NAMED, check_brokers, check_misread, check_topics, counted, not_understood
from reseat.formats.detect import Document, id_of
from reseat.formats.gather import Part
from reseat.formats.lines import SkippedLines
from reseat.formats.reading import Limits, Reading
from reseat.model import NONE, Broker, BrokerState, ClusterLayout, Finding, Severity
from reseat.model.naming import id_in

__all__ = ["SAID", "read_log_dirs"]

KIND = "kafka-log-dirs --describe"

#: Kafka's sizes are Java longs.
_LARGEST_SIZE = 2**63 - 1
#: What the tool says before the JSON.
SAID = re.compile(r"^\s*(?:Querying brokers for log directories|Received log directory information from brokers)")


def read_log_dirs(documents: Sequence[Document], source: str, limits: Limits) -> Part:
    """Read one or several outputs as one.

    Raises:
        InputRefused: it is damaged, or holds no broker.
        LimitMet: too many partitions or replicas.
    """
    reader = _Reader(source, limits)
    for document in documents:
        for item in document.items("brokers"):
            reader.broker(item, document.line)
    if not reader.brokers:
        raise InputRefused(
            "This is the output of kafka-log-dirs, but it names no broker.",
            source=source,
            line=documents[0].line,
            recognised=KIND,
        )
    return reader.part(documents[0].line)


class _Reader:
    def __init__(self, source: str, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.brokers: set[int] = set()
        self.codes: dict[str, int] = {}
        self.dirs: dict[str, int] = {}
        self.topic_of: list[int] = []
        self.partition: list[int] = []
        self.holder: list[int] = []
        self.size: list[float] = []
        self.dir_of: list[int] = []
        self.moving: list[str] = []
        self.misread: list[int] = []
        self.findings: list[Finding] = []
        self.skipped = SkippedLines()

    def broker(self, item: object, line: int) -> None:
        broker = id_of(item.get("broker")) if isinstance(item, dict) else None
        if broker is None or not isinstance(item, dict):
            self.skipped.add(line, str(item)[:200], "Not a broker with its log directories: the id is missing.")
            return
        self.brokers.add(broker)
        check_brokers(np.empty(0, np.int32), len(self.brokers), self.source, self.limits)
        directories = item.get("logDirs")
        for directory in directories if isinstance(directories, list) else ():
            if not isinstance(directory, dict):
                self.skipped.add(line, str(directory)[:200], "Not a log directory.")
                continue
            name = str(directory.get("logDir"))
            if directory.get("error") is not None:
                self.findings.append(
                    Finding(
                        "log_dir_error",
                        Severity.BROKEN,
                        f"Broker {broker} reports {str(directory['error'])[:100]} for its log directory {name[:200]}: "
                        "replicas there are offline.",
                        brokers=(broker,),
                        places=(f"line {line}",),
                    )
                )
            code = self.dirs.setdefault(name, len(self.dirs))
            logs = directory.get("partitions")
            for log in logs if isinstance(logs, list) else ():
                self._log(log, broker, code, line)

    def _log(self, log: object, broker: int, directory: int, line: int) -> None:
        name = log.get("partition") if isinstance(log, dict) else None
        topic, _, number = name.rpartition("-") if isinstance(name, str) else ("", "", "")
        partition = id_in(number)
        if not isinstance(log, dict) or not topic or partition is None:
            why = "Not a log of a partition: 'topic-number' was expected."
            self.skipped.add(line, str(log)[:200], why)
            self.misread.append(line)
            check_misread(len(self.misread), why, self.source, self.limits)
            return
        if log.get("isFuture") is True:
            self.moving.append(str(name))
            return
        if topic not in self.codes:
            check_topics(len(self.codes) + 1, len(topic), topic, self.source, self.limits)
        size = log.get("size")
        self.topic_of.append(self.codes.setdefault(topic, len(self.codes)))
        self.partition.append(partition)
        self.holder.append(broker)
        self.dir_of.append(directory)
        known = isinstance(size, (int, float)) and not isinstance(size, bool) and 0 <= size <= _LARGEST_SIZE
        self.size.append(float(size) if known and isinstance(size, (int, float)) else np.nan)
        if size is not None and not known:
            why = f"The size of {name} on broker {broker}: a number of bytes was expected; it was treated as unknown."
            self.skipped.add(line, f"size: {size}"[:200], why)
            self.misread.append(line)

    def part(self, line: int) -> Part:
        topic_of, partition = np.array(self.topic_of, np.int64), np.array(self.partition, np.int64)
        holder = np.array(self.holder, np.int64)
        order = np.lexsort((holder, partition, topic_of))
        topic_of, partition, holder = topic_of[order], partition[order], holder[order]
        size, directory = np.array(self.size, np.float64)[order], np.array(self.dir_of, np.int32)[order]
        same = np.zeros(len(order), np.bool_)
        same[1:] = (topic_of[1:] == topic_of[:-1]) & (partition[1:] == partition[:-1])
        twice = same.copy()
        twice[1:] &= holder[1:] == holder[:-1]
        if twice.any():
            at = np.flatnonzero(twice)
            names = list(self.codes)
            example = f"{names[int(topic_of[at[0]])]}-{int(partition[at[0]])} on broker {int(holder[at[0]])}"
            unequal = int(np.count_nonzero(size[at] != size[at - 1]))
            self.findings.append(
                Finding(
                    "contradicting_rows" if unequal else "repeated_rows",
                    Severity.ATTENTION if unequal else Severity.NOTE,
                    f"{counted(len(at), 'log is', 'logs are')} told twice, {unequal} of them with another size, such "
                    f"as {example}. The first counts.",
                    brokers=tuple(sorted({int(i) for i in holder[at[:20]]})),
                )
            )
            stays = ~twice
            topic_of, partition, holder = topic_of[stays], partition[stays], holder[stays]
            size, directory, same = size[stays], directory[stays], same[stays]
        first = np.flatnonzero(~same)
        row = np.cumsum(~same) - 1
        column = np.arange(len(row)) - first[row] if len(row) else row
        width = int(column.max(initial=-1)) + 1
        if (
            len(first) > self.limits.partitions
            or len(first) * width > self.limits.cells
            or width > self.limits.replicas
        ):
            raise LimitMet(
                f"{len(first):,} partitions with up to {width:,} replicas each are more than are read at once. "
                "Ask for fewer topics (--topic-list).",
                source=self.source,
            )
        replicas = np.full((len(first), width), NONE, np.int32)
        sizes = np.full((len(first), width), np.nan)
        directories = np.full((len(first), width), NONE, np.int32)
        replicas[row, column], sizes[row, column], directories[row, column] = holder, size, directory
        if self.misread:
            places = [f"line {number}" for number in self.misread[:PLACES_NAMED]]
            self.findings.append(not_understood(len(self.misread), places, "log", "logs"))
        if self.moving:
            self.findings.append(
                Finding(
                    "log_dir_move",
                    Severity.NOTE,
                    f"{counted(len(self.moving), 'log is', 'logs are')} being moved to another directory of the same "
                    f"broker, such as {self.moving[0][:300]}.",
                )
            )
        layout = ClusterLayout.from_columns(
            topics=list(self.codes),
            topic_of=topic_of[first].astype(np.int32),
            partition=partition[first].astype(np.int32),
            replicas=replicas,
            brokers=[Broker(i, state=BrokerState.ALIVE) for i in sorted(self.brokers)],
            size_bytes=sizes,
            log_dir=directories,
            log_dirs=tuple(self.dirs),
            order_told=False,
        )
        self.findings.append(
            Finding(
                "order_not_told",
                Severity.NOTE,
                "kafka-log-dirs tells where logs lie, not in which order they are assigned nor which of them leads.",
            )
        )
        reading = Reading(
            layout=layout,
            kind=KIND,
            source=self.source,
            findings=tuple(self.findings),
            skipped=self.skipped.result(),
            facts={"log_dir_brokers": tuple(sorted(self.brokers))},
            assigns=False,
        )
        return Part(reading, line)
