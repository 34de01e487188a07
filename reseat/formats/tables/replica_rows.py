"""A table with one row per replica: rows are grouped by partition.

How it works: a change of topic or partition from one row to the next starts a group. Where positions count 0, 1, 2 ...
within each group, groups are partitions and nothing is sorted; else rows are sorted by topic, partition and position
first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.formats.rows.bounds import check_brokers, padded
from reseat.formats.rows.row_findings import Rows
from reseat.formats.tables.table_columns import ABSENT, Table
from reseat.model import NONE, NOT_TOLD, BoolArray, Finding, IntArray, Severity
from reseat.model.columns import BESIDE_ISR
from reseat.model.wording import counted

__all__ = ["ReplicaRows"]


class ReplicaRows:
    """Partitions told a replica a row.

    Attributes:
        table: the table, once read by partition and position.
        findings: what contradicts in it.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.findings: list[Finding] = []

    def read(self) -> tuple[Rows, list[str]]:
        """The rows of partitions, and the log directories that they name."""
        table = self.table
        topic, partition = table.text["topic"][0], table.integer["partition"]
        position = table.integer.get("position")
        starts = _starts(topic, partition)
        if position is None or not _counts_up(position, starts):
            table, starts = self._in_order()
            topic, partition = table.text["topic"][0], table.integer["partition"]
        broker = table.integer["broker"]
        check_brokers(broker, 0, table.source, table.limits)
        lengths = np.diff(np.append(starts, table.count))
        if (broker == ABSENT).any():
            # A partition told without a replica is one row without a broker.
            blank = broker == ABSENT
            lengths = lengths - np.add.reduceat(blank, starts).astype(np.int64)
            held = np.flatnonzero(~blank)
        else:
            held = None

        def matrix(column: npt.NDArray[Any], fill: object) -> npt.NDArray[Any]:
            return padded(column if held is None else column[held], lengths, fill, table.source, table.limits)

        by_row: dict[str, npt.NDArray[Any]] = {"leader": self._leader(table, starts, lengths)}
        in_sync = table.flag.get("in_sync")
        if in_sync is not None and (in_sync != NONE).any():
            by_row["in_sync"] = matrix(in_sync == 1, False)
            if (in_sync == NONE).any():
                told = np.minimum.reduceat(in_sync, starts) >= 0
                by_row["in_sync_told"] = told
                by_row["in_sync"] &= told[:, None]
        for name in BESIDE_ISR:
            if name in table.flag and (table.flag[name] != NONE).any():
                by_row[name] = matrix(table.flag[name] == 1, False)
        if "size_bytes" in table.real and not np.isnan(table.real["size_bytes"]).all():
            by_row["size_bytes"] = matrix(table.real["size_bytes"], np.nan)
        log_dirs: list[str] = []
        if "log_dir" in table.text and table.text["log_dir"][1]:
            codes, log_dirs = table.text["log_dir"]
            by_row["log_dir"] = matrix(codes, NONE)
        by_row |= table.leader_epochs(starts)
        first = table.text["topic"][0][starts]
        rows = Rows(
            topics=table.text["topic"][1],
            topic_of=first,
            partition=partition[starts],
            replicas=matrix(broker, NONE),
            place=lambda row: table.place(int(starts[row])),
            by_row=by_row,
        )
        return rows, log_dirs

    def _in_order(self) -> tuple[Table, npt.NDArray[np.int64]]:
        """Rows by topic, partition and position; a position told twice counts once."""
        table = self.table
        topic, partition = table.text["topic"][0], table.integer["partition"]
        position = table.integer.get("position")
        keys = (partition, topic) if position is None else (position, partition, topic)
        table = table.rows(np.lexsort(keys).astype(np.int64))
        if position is not None:
            topic, partition = table.text["topic"][0], table.integer["partition"]
            position, broker = table.integer["position"], table.integer["broker"]
            again = np.zeros(table.count, np.bool_)
            again[1:] = (topic[1:] == topic[:-1]) & (partition[1:] == partition[:-1]) & (position[1:] == position[:-1])
            again &= position != ABSENT
            if again.any():
                at = np.flatnonzero(again)
                first = np.flatnonzero(~again)[np.cumsum(~again)[at] - 1]
                self._note_repeats(table, first, at, broker[first] != broker[at])
                table = table.rows(np.flatnonzero(~again))
            self._note_gaps(table)
        self.table = table
        return table, _starts(table.text["topic"][0], table.integer["partition"])

    def _note_repeats(
        self, table: Table, first: npt.NDArray[np.int64], again: npt.NDArray[np.int64], differs: BoolArray
    ) -> None:
        for mask, kind, severity, words in (
            (~differs, "repeated_rows", Severity.NOTE, "in the table twice"),
            (
                differs,
                "contradicting_rows",
                Severity.ATTENTION,
                "in the table twice with different brokers; the first one is used",
            ),
        ):
            if not mask.any():
                continue
            pairs = [
                (table.place(int(a)), table.place(int(b)))
                for a, b in zip(first[mask][:10], again[mask][:10], strict=True)
            ]
            row = int(again[mask][0])
            self.findings.append(
                Finding(
                    kind=kind,
                    severity=severity,
                    sentence=f"{counted(int(mask.sum()), 'replica is', 'replicas are')} {words}: position "
                    f"{int(table.integer['position'][row])} of {table.name(row)} ({pairs[0][0]} and {pairs[0][1]}).",
                    places=tuple(place for pair in pairs for place in pair),
                )
            )

    def _note_gaps(self, table: Table) -> None:
        """Positions that do not follow each other: a replica may be missing from the text."""
        starts = _starts(table.text["topic"][0], table.integer["partition"])
        position = table.integer["position"]
        counted_from = np.repeat(position[starts], np.diff(np.append(starts, table.count)))
        gaps = np.flatnonzero((position - counted_from != _count_up(starts, table.count)) & (position != ABSENT))
        if gaps.size:
            row = int(gaps[0])
            said = (
                f"Replica positions have gaps {counted(len(gaps), 'time', 'times')}, first at {table.name(row)} "
                f"({table.place(row)}): is a replica missing from the table?"
            )
            self.findings.append(table.finding("position_gaps", said, gaps))

    def _leader(self, table: Table, starts: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> IntArray:
        """The leader of each partition: its row with ``is_leader``, or the column ``leader``."""
        out = np.full(len(starts), NOT_TOLD, np.int32)
        flags = table.flag.get("is_leader")
        if flags is not None and len(starts):
            flagged = lengths > 0
            if (flags == NONE).any():
                flagged &= np.minimum.reduceat(flags, starts) >= 0
            out[flagged] = NONE
            at = np.flatnonzero(flags == 1)
            each = _each(starts, table.count)
            owner = at // each if each else np.searchsorted(starts, at, side="right") - 1
            out[owner[::-1]] = table.integer["broker"][at[::-1]]  # the first of several counts
            out[out == ABSENT] = NOT_TOLD
            several = at[1:][owner[1:] == owner[:-1]]
            if several.size:
                row = int(several[0])
                said = (
                    f"{counted(len(several), 'partition has', 'partitions have')} more than one leader; the first one "
                    f"is used: {table.name(row)} ({table.place(row)})."
                )
                self.findings.append(table.finding("several_leaders", said, several))
        if "leader" in table.integer and len(starts):
            told = table.integer["leader"][starts]
            out = np.where(told == ABSENT, out, told).astype(np.int32)
        return out


def _starts(topic: IntArray, partition: IntArray) -> npt.NDArray[np.int64]:
    """Where a new partition begins."""
    if not len(topic):
        return np.empty(0, np.int64)
    new = np.empty(len(topic), np.bool_)
    new[0] = True
    np.not_equal(topic[1:], topic[:-1], out=new[1:])
    new[1:] |= partition[1:] != partition[:-1]
    return np.flatnonzero(new)


def _each(starts: npt.NDArray[np.int64], count: int) -> int:
    """How many rows each group has, where that is one number; else 0."""
    if not len(starts) or count % len(starts):
        return 0
    each = count // len(starts)
    return each if bool((starts == np.arange(0, count, each)).all()) else 0


def _counts_up(position: IntArray, starts: npt.NDArray[np.int64]) -> bool:
    """Whether positions are 0, 1, 2 ... within each group."""
    each = _each(starts, len(position))
    if each:
        return bool((position.reshape(-1, each) == np.arange(each, dtype=position.dtype)).all())
    return np.array_equal(position, _count_up(starts, len(position)))


def _count_up(starts: npt.NDArray[np.int64], count: int) -> IntArray:
    """0, 1, 2 ... within each group."""
    lengths = np.diff(np.append(starts, count))
    if len(lengths) and (lengths == lengths[0]).all():
        return np.tile(np.arange(lengths[0], dtype=np.int32), len(lengths))
    return (np.arange(count) - np.repeat(starts, lengths)).astype(np.int32)
