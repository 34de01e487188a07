"""Gathers what a text tells, piece by piece, until it can become a layout.

A reader adds partition rows (by columns where the text is regular, one by one where it is not), facts about
brokers, findings and skipped lines; ``part`` then makes one ``Part`` of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.lines import SkippedLines
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.rows.assemble import assemble
from reseat.formats.rows.bounds import check_broker_count, check_brokers, check_misread, check_topics
from reseat.formats.rows.broker_facts import living, take
from reseat.formats.rows.gaps import fewer_rows, gaps_of
from reseat.formats.rows.masks import mask_of
from reseat.formats.rows.row_findings import PLACES_NAMED, Rows, not_understood, outside_finding
from reseat.model import NONE, NOT_TOLD, BoolArray, Broker, Finding, IntArray, Longs, Severity
from reseat.model.arrays import matrix_of, widened
from reseat.model.columns import MASKS
from reseat.model.tiering import Tiering
from reseat.model.wording import counted

__all__ = ["Part", "RowBuilder"]

#: Rows read one by one are turned into columns when there are this many.
_FLUSH = 20_000
#: Contradictions that are findings of their own.
_FINDINGS = 100


@dataclass(frozen=True, eq=False)
class Part:
    """What one kind of output within a text tells.

    Attributes:
        reading: the reading of it alone.
        line: 1-based line at which a reassignment starts.
        locate: where the text tells a partition ("line 12"), by topic and partition id.
    """

    reading: Reading
    line: int = 1
    locate: Callable[[str, int], str] | None = None

    def place(self, topic: str, partition: int) -> str:
        """Where the partition stands, in words."""
        return self.reading.kind if self.locate is None else f"{self.locate(topic, partition)} ({self.reading.kind})"


@dataclass
class _Chunk:
    topic_of: IntArray
    partition: IntArray
    line: Longs
    replicas: IntArray
    leader: IntArray
    epoch: IntArray
    lists: dict[str, tuple[BoolArray, BoolArray, BoolArray]]  # mask, whether told, whether outside the replicas
    by_replica: Mapping[str, npt.NDArray[np.generic]]


class RowBuilder:
    """Builds a reading row by row from what a text tells of partitions and brokers.

    Attributes:
        brokers: brokers told, by id.
        alive: ids of a list of live brokers that is complete (others that are mentioned are then dead), or None.
        dead: ids of brokers told to be dead.
        facts, findings, skipped: as in ``Reading``.
        min_in_sync: ``min.insync.replicas`` by topic name.
        tiered: topics with ``remote.storage.enable``.
        order: whether replica lists are in assignment order.
        declared: partitions by topic name, as headings say.
        topics_declared: topics that a heading counts, or 0.
        topics_listed: topics that a listing names.
        racks_told: ids of brokers of which it is told which rack they have, or that they have none.
        whole_topics: whether the output tells topics as a whole, so that a gap in their partition ids is one.
    """

    def __init__(self, source: str, limits: Limits, *, order: bool = True, whole_topics: bool = False) -> None:
        self.source = source
        self.limits = limits
        self.order = order
        self.whole_topics = whole_topics
        self.declared: dict[str, int] = {}
        self.topics_declared = 0
        self.topics_listed: set[str] = set()
        self.racks_told: set[int] = set()
        self.brokers: dict[int, Broker] = {}
        self.alive: set[int] | None = None
        self.dead: set[int] = set()
        self.facts: dict[str, object] = {}
        self.findings: list[Finding] = []
        self.skipped = SkippedLines()
        self.min_in_sync: dict[str, int] = {}
        self.tiered: set[str] = set()
        self.codes: dict[str, int] = {}
        self.row_count = 0
        self._misread: list[int] = []
        self._contradictions = 0
        self._chunks: list[_Chunk] = []
        self._single: list[tuple[int, int, int, Sequence[int], int, int, Mapping[str, Sequence[int] | None]]] = []

    # ---- partitions ----------------------------------------------------------------------------------------

    def topic(self, name: str) -> int:
        """The code of a topic name, a new one where it was not met before.

        Raises:
            LimitMet: there are too many topics, or the name is longer than any.
        """
        code = self.codes.get(name)
        if code is None:
            check_topics(len(self.codes) + 1, len(name), name, self.source, self.limits)
            code = self.codes[name] = len(self.codes)
        return code

    def add(
        self,
        topic: str,
        partition: int,
        replicas: Sequence[int],
        *,
        line: int,
        leader: int = NOT_TOLD,
        leader_epoch: int = NOT_TOLD,
        lists: Mapping[str, Sequence[int] | None] | None = None,
    ) -> None:
        """Add one row; ``lists`` are those of ``MASKS``, as broker ids, None or absent where not told."""
        if len(replicas) > self.limits.replicas:
            raise LimitMet(
                f"Partition {topic}-{partition} lists {len(replicas):,} brokers; at most {self.limits.replicas:,} "
                f"are read.",
                source=self.source,
                line=line,
            )
        self._single.append((self.topic(topic), partition, line, replicas, leader, leader_epoch, lists or {}))
        self._count(1)
        if len(self._single) >= _FLUSH:
            self._flush()

    def add_columns(
        self,
        topic_of: IntArray,
        partition: IntArray,
        *,
        line: Longs,
        replicas: IntArray,
        leader: IntArray | None = None,
        lists: Mapping[str, tuple[IntArray, BoolArray]] | None = None,
        leader_epoch: IntArray | None = None,
        by_replica: Mapping[str, npt.NDArray[np.generic]] | None = None,
    ) -> None:
        """Add n rows.

        Args:
            topic_of: (n,) codes from ``topic``.
            partition: (n,) partition ids.
            line: (n,) line numbers.
            replicas: (n, R) broker ids, -1 padded.
            leader: (n,) broker ids, -1 none, -2 not told; or None where not told.
            lists: by name of ``MASKS``: (n, K) broker ids, -1 padded, and (n,) whether the row tells it.
            leader_epoch: (n,), or None where not told.
            by_replica: (n, R) further columns of ``ClusterLayout.from_columns``; of one call alone.
        """
        masks: dict[str, tuple[BoolArray, BoolArray, BoolArray]] = {}
        for name, (ids, tells) in (lists or {}).items():
            if tells.any():
                mask, outside = mask_of(replicas, ids)
                masks[name] = mask, tells, outside
        unknown = np.full(len(partition), NOT_TOLD, np.int32)
        leader, epoch = (unknown if told is None else told for told in (leader, leader_epoch))
        self._count(len(partition))
        self._chunks.append(_Chunk(topic_of, partition, line, replicas, leader, epoch, masks, by_replica or {}))

    def misread(self, line: int, text: str, why: str) -> None:
        """Skip a row, or a part of one, that tells of partitions and was not understood: a finding says so too.

        Raises:
            LimitMet: there are too many of them.
        """
        self.skipped.add(line, text, why)
        self._misread.append(line)
        check_misread(len(self._misread), why, self.source, self.limits)

    def _count(self, rows: int) -> None:
        self.row_count += rows
        if self.row_count > self.limits.partitions:
            raise LimitMet(
                f"The text holds more than {self.limits.partitions:,} partition rows, the most that are read at once. "
                "Leave topics out.",
                source=self.source,
            )

    def _flush(self) -> None:
        rows, self._single = self._single, []
        if not rows and self._chunks:
            return
        self.row_count -= len(rows)  # add_columns counts them again
        lists: dict[str, tuple[IntArray, BoolArray]] = {}
        for name in MASKS:
            values = [row[6].get(name) for row in rows]
            tells = np.array([value is not None for value in values], np.bool_)
            if tells.any():
                lists[name] = (matrix_of(value or () for value in values), tells)
        self.add_columns(
            np.array([row[0] for row in rows], np.int32),
            np.array([row[1] for row in rows], np.int32),
            line=np.array([row[2] for row in rows], np.int64),
            replicas=matrix_of(row[3] for row in rows),
            leader=np.array([row[4] for row in rows], np.int32),
            lists=lists,
            leader_epoch=np.array([row[5] for row in rows], np.int32),
        )

    def rows_by_topic(self) -> dict[str, int]:
        """Rows of every topic named so far, also 0."""
        self._flush()
        count = np.zeros(len(self.codes), np.int64)
        for chunk in self._chunks:
            count += np.bincount(chunk.topic_of, minlength=len(count))
        return dict(zip(self.codes, count.tolist(), strict=True))

    def topics_with_other_factor(self, factor: Mapping[str, int]) -> tuple[str, ...]:
        """Topics with a row that has another number of replicas, those being added aside, than ``factor`` says."""
        self._flush()
        expected = np.array([factor.get(name, NONE) for name in self.codes], np.int64)
        other = np.zeros(len(expected), np.bool_)
        for chunk in self._chunks:
            present = np.count_nonzero(chunk.replicas != NONE, axis=1)
            if "adding" in chunk.lists:
                present = present - np.count_nonzero(chunk.lists["adding"][0], axis=1)
            other[chunk.topic_of[present != expected[chunk.topic_of]]] = True
        other &= expected != NONE
        names = list(self.codes)
        return tuple(sorted(names[i] for i in np.flatnonzero(other).tolist()))

    # ---- brokers -------------------------------------------------------------------------------------------

    def broker(self, told: Broker, place: str) -> None:
        """Add facts of one broker; facts told before stay, and a finding names what contradicts them."""
        if told.id not in self.brokers:
            check_broker_count(len(self.brokers) + 1, self.source, self.limits)
        found = take(self.brokers, told, place, place)
        room = max(0, _FINDINGS - self._contradictions)
        self._contradictions += len(found)
        self.findings.extend(found[:room])

    # ---- the end -------------------------------------------------------------------------------------------

    def note_misread(self, one: str = "row", many: str = "rows") -> int:
        """A finding of what was not understood since the last one; how much that was."""
        misread, self._misread = self._misread, []
        if misread:
            places = [f"line {number}" for number in misread[:PLACES_NAMED]]
            self.findings.append(not_understood(len(misread), places, one, many))
        return len(misread)

    def part(self, kind: str, *, assigns: bool = True, log_dirs: Sequence[str] = ()) -> Part:
        """One part of what was gathered; ``log_dirs`` are the names for a column ``log_dir``.

        Raises:
            LimitMet: there are more rows or cells than the limits allow.
        """
        self._flush()
        unread = self.note_misread()
        if self._contradictions > _FINDINGS:
            further = counted(self._contradictions - _FINDINGS, "fact", "facts")
            self.findings.append(
                Finding(
                    "contradicting_broker",
                    Severity.ATTENTION,
                    f"{further} more about brokers contradict earlier ones; the first is kept.",
                )
            )
        chunks = self._chunks
        width = max(chunk.replicas.shape[1] for chunk in chunks)
        if self.row_count * width > self.limits.cells:
            raise LimitMet(
                f"{self.row_count:,} partitions with up to {width:,} replicas each are more than the "
                f"{self.limits.cells:,} cells that are read at once. Leave topics out.",
                source=self.source,
            )
        lines = np.concatenate([chunk.line for chunk in chunks])
        by_row: dict[str, npt.NDArray[np.generic]] = {
            "leader": np.concatenate([chunk.leader for chunk in chunks]),
            "leader_epoch": np.concatenate([chunk.epoch for chunk in chunks]),
            **{name: column for chunk in chunks for name, column in chunk.by_replica.items()},
        }
        outside: dict[str, BoolArray] = {}
        for name in MASKS:
            if not any(name in chunk.lists for chunk in chunks):
                continue
            mask = np.zeros((self.row_count, width), np.bool_)
            told = np.zeros(self.row_count, np.bool_)
            out = np.zeros(self.row_count, np.bool_)
            at = 0
            for chunk in chunks:
                rows = slice(at, at + len(chunk.partition))
                at = rows.stop
                if name in chunk.lists:
                    mask[rows, : chunk.replicas.shape[1]], told[rows], out[rows] = chunk.lists[name]
            # ELR, observers and a reassignment are "none" where a row does not tell them; the ISR is "not told".
            if name == "in_sync":
                by_row["in_sync_told"] = told
            if name in ("in_sync", "eligible", "last_known_eligible") or mask.any():
                by_row[name] = mask
            if out.any():
                outside[name] = out
        rows_told = Rows(
            topics=list(self.codes),
            topic_of=np.concatenate([chunk.topic_of for chunk in chunks]),
            partition=np.concatenate([chunk.partition for chunk in chunks]),
            replicas=np.concatenate([widened(chunk.replicas, width) for chunk in chunks]),
            place=lambda row: f"line {int(lines[row])}",
            by_row=by_row,
        )
        check_brokers(rows_told.replicas, self.source, self.limits)
        self._chunks = []
        min_in_sync = None
        if self.min_in_sync:
            min_in_sync = np.array([self.min_in_sync.get(name, NONE) for name in self.codes], np.int32)
        layout, found = assemble(
            rows_told,
            brokers=self.brokers.values(),
            log_dirs=log_dirs,
            min_in_sync=min_in_sync,
            order_told=self.order,
        )
        self.findings.extend(found)
        self.findings.extend(
            outside_finding(layout, rows_told, np.flatnonzero(out), name) for name, out in outside.items()
        )
        layout = layout.with_brokers(living(layout.brokers, self.alive, self.dead, set(layout.leader_ids.tolist())))
        gaps = gaps_of(
            layout,
            declared=self.declared,
            whole_topics=self.whole_topics,
            topics_declared=self.topics_declared,
            topics_listed=self.topics_listed,
            unread_rows=unread,
            racks_told=self.racks_told,
        )
        layout = replace(layout, gaps=gaps)
        if self.declared:
            self.facts["declared_partitions"] = sum(self.declared.values())
        short = fewer_rows(layout)
        if short is not None:
            self.findings.append(short)
        if self.alive is not None:
            self.facts["alive_brokers"] = tuple(sorted(self.alive))
        reading = Reading(
            layout=layout,
            kind=kind,
            source=self.source,
            skipped=self.skipped.result(),
            findings=tuple(self.findings),
            facts=self.facts,
            assigns=assigns,
            tiering=Tiering(tuple(sorted(self.tiered))),
        )

        def locate(topic: str, partition: int) -> str:
            code = self.codes.get(topic, NONE)
            at = np.flatnonzero((rows_told.topic_of == code) & (rows_told.partition == partition))
            return f"line {int(lines[at[0]])}" if at.size else kind

        return Part(reading, locate=locate)
