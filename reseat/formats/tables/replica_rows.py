"""A table with one row per replica: rows are grouped by partition.

How it works: a change of topic or partition from one row to the next starts a group. Where positions count 0, 1, 2 ...
within each group, groups are partitions and nothing is sorted; else rows are sorted by topic, partition and position.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.formats.rows.bounds import check_brokers, padded
from reseat.formats.rows.row_findings import PAIRS_NAMED, Rows, told_again
from reseat.formats.tables.table_columns import ABSENT, Table
from reseat.model import NONE, NOT_TOLD, BoolArray, Finding, IntArray, Longs
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
        position = table.integer.get("position")
        starts = _starts(table)
        if position is None or not np.array_equal(position, _count_up(starts, table.count)):
            table, starts = self._in_order()
        broker = table.integer["broker"]
        check_brokers(broker, table.source, table.limits)
        held = broker != ABSENT  # a partition told without a replica is one row without a broker
        lengths = np.diff(starts, append=table.count)
        some: slice | BoolArray = slice(None)
        if not held.all():
            some, lengths = held, lengths - np.add.reduceat(~held, starts, dtype=np.int64)

        def matrix(column: npt.NDArray[Any], fill: object) -> npt.NDArray[Any]:
            return padded(column[some], lengths, fill, table.source, table.limits)

        by_row: dict[str, npt.NDArray[Any]] = {"leader": self._leader(table, starts, lengths)}
        in_sync = table.flag.get("in_sync")
        if in_sync is not None and (in_sync != NONE).any():
            told = _all_told(in_sync, starts)
            by_row |= {"in_sync_told": told, "in_sync": matrix(in_sync == 1, False) & told[:, None]}
        for name in BESIDE_ISR:
            if name in table.flag and (table.flag[name] != NONE).any():
                by_row[name] = matrix(table.flag[name] == 1, False)
        if "size_bytes" in table.real and not np.isnan(table.real["size_bytes"]).all():
            by_row["size_bytes"] = matrix(table.real["size_bytes"], np.nan)
        codes, log_dirs = table.text.get("log_dir", (broker, []))
        if log_dirs:
            by_row["log_dir"] = matrix(codes, NONE)
        by_row |= table.leader_epochs(starts)
        topic, topics = table.text["topic"]
        rows = Rows(
            topics=topics,
            topic_of=topic[starts],
            partition=table.integer["partition"][starts],
            replicas=matrix(broker, NONE),
            place=lambda row: table.place(int(starts[row])),
            by_row=by_row,
        )
        return rows, log_dirs

    def _in_order(self) -> tuple[Table, Longs]:
        """Rows by topic, partition and position; a position told twice counts once."""
        table = self.table
        keys = [table.integer["partition"], table.text["topic"][0]]
        position = table.integer.get("position")
        table = table.rows(np.lexsort(keys if position is None else [position, *keys]).astype(np.int64))
        if position is not None:
            again = ~_changes(table.text["topic"][0], table.integer["partition"], table.integer["position"])
            again &= table.integer["position"] != ABSENT
            if again.any():
                self._note_repeats(table, again)
                table = table.rows(np.flatnonzero(~again))
            self._note_gaps(table)
        self.table = table
        return table, _starts(table)

    def _note_repeats(self, table: Table, again: BoolArray) -> None:
        at = np.flatnonzero(again)
        first = np.flatnonzero(~again)[np.cumsum(~again)[at] - 1]
        broker = table.integer["broker"]
        for mask, kind, severity, words in told_again(broker[first] != broker[at], "", " with different brokers"):
            pairs = list(zip(first[mask].tolist(), at[mask].tolist(), strict=True))[:PAIRS_NAMED]
            (before, row), *_ = pairs
            said = (
                f"{counted(int(mask.sum()), 'replica is', 'replicas are')} in the table twice{words}: position "
                f"{int(table.integer['position'][row])} of {table.name(row)} ({table.place(before)} and "
                f"{table.place(row)})."
            )
            places = tuple(table.place(row) for pair in pairs for row in pair)
            self.findings.append(Finding(kind, severity, said, places=places))

    def _note_gaps(self, table: Table) -> None:
        """Positions that do not follow each other: a replica may be missing from the text."""
        starts = _starts(table)
        position = table.integer["position"]
        from_first = position - np.repeat(position[starts], np.diff(starts, append=table.count))
        gaps = np.flatnonzero((from_first != _count_up(starts, table.count)) & (position != ABSENT))
        if gaps.size:
            row = int(gaps[0])
            said = (
                f"Replica positions have gaps {counted(len(gaps), 'time', 'times')}, first at {table.name(row)} "
                f"({table.place(row)}): is a replica missing from the table?"
            )
            self.findings.append(table.finding("position_gaps", said, gaps))

    def _leader(self, table: Table, starts: Longs, lengths: Longs) -> IntArray:
        """The leader of each partition: its row with ``is_leader``, or the column ``leader``."""
        out = np.full(len(starts), NOT_TOLD, np.int32)
        flags = table.flag.get("is_leader")
        if flags is not None:
            out[(lengths > 0) & _all_told(flags, starts)] = NONE
            at = np.flatnonzero(flags == 1)
            owner = np.repeat(np.arange(len(starts)), np.diff(starts, append=table.count))[at]
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
        if "leader" in table.integer:
            told = table.integer["leader"][starts]
            out = np.where(told == ABSENT, out, told).astype(np.int32)
        return out


def _changes(first: IntArray, *further: IntArray) -> BoolArray:
    """Where a row differs from the one before in one of these columns; the first does."""
    new = np.zeros(len(first), np.bool_)
    new[:1] = True
    for column in (first, *further):
        new[1:] |= column[1:] != column[:-1]
    return new


def _starts(table: Table) -> Longs:
    """Where a new partition begins."""
    return np.flatnonzero(_changes(table.text["topic"][0], table.integer["partition"]))


def _count_up(starts: Longs, count: int) -> IntArray:
    """0, 1, 2 ... within each group."""
    return np.arange(count, dtype=np.int32) - np.repeat(starts.astype(np.int32), np.diff(starts, append=count))


def _all_told(flags: npt.NDArray[np.int8], starts: Longs) -> BoolArray:
    """Which groups tell a flag in each of their rows."""
    return np.minimum.reduceat(flags, starts) > NONE if NONE in flags else np.ones(len(starts), np.bool_)
