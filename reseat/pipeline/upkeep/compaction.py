"""Compaction: one file where many are, with the same rows, in an order that compresses and prunes well.

Every run adds a file to each table's day of each cluster: 144 a day with a snapshot every ten minutes, in twelve
tables. Readers open them all.

What it promises, in this order:

1. No row is lost or doubled: the counts of rows before and after are compared before anything is published, and files
   change places by the commit of all jobs.
2. Done twice, the second time changes nothing.
3. Each folder has one file, or for a large day a few of some 128 MB, each with an own range of the order.
4. It is bounded: bundles of at most 1 GiB and 2,000 files, each published by itself; stopped, what was published stays.

What it does not promise: a reader who opened a table before and reads its files later may find them gone. It opens the
table again. Queries that list and read at once are in danger for the milliseconds of a commit.

How it works: the folders with more than one file, except those whose files one compaction wrote (their names say so),
are rewritten bundle by bundle (``reseat.pipeline.upkeep.rewriting``). The ledger is compacted too.

Complexity: one read, shuffle, sort and write of what has more than one file.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from reseat.errors import InputRefused, SparkFailed
from reseat.history.delta import INDEX, delta_of
from reseat.history.folder import Folder
from reseat.history.parts import parts_of
from reseat.history.schema import TABLES
from reseat.model.wording import counted
from reseat.pipeline.delta_commit import DeltaTurn
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.spark.side_by_side import side_by_side
from reseat.pipeline.staging import Staging
from reseat.pipeline.upkeep.rewriting import WRITERS, FileGroup, bundles, file_groups_of, rewrite, rows_in
from reseat.pipeline.work import at_work, begin

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["MARK", "CompactionReport", "compact"]

#: Ends the names of batches that compact.
MARK = "compact"
_COMPACTED = re.compile(rf".*/batch=([^/]*-{MARK})/.*|(.+-{MARK})-\d+\.parquet")


@dataclass(frozen=True, slots=True)
class CompactionReport:
    """What a compaction did.

    Attributes:
        files: how many there were in the folders that were compacted.
        left: how many there are now in their place.
        folders: the folders: a table's day of a cluster each.
        batches: commits.
        healed: what an earlier job had left behind, in words.
        seconds: how long it took, Spark's start not included.
    """

    files: int = 0
    left: int = 0
    folders: int = 0
    batches: int = 0
    healed: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The same for a person."""
        if not self.folders:
            return "Nothing to compact: no folder has more files than it needs."
        return (
            f"{counted(self.files, 'file')} in {counted(self.folders, 'folder')} merged into {self.left:,}. "
            f"{self.seconds:.1f} s."
        )


def compact(
    spark: SparkSession,
    tables: Folder,
    *,
    cluster: str | None = None,
    least_files: int = 2,
    report: Report = silent,
) -> CompactionReport:
    """Make one file of many in every folder of every table.

    Args:
        spark: the session (``reseat.pipeline.spark.session``).
        tables: the tables.
        cluster: this one's alone; the ledger and ``rejected``, which are all clusters', then stay as they are.
        least_files: a folder with fewer files stays as it is; at least 2.
        report: is told how far it is.

    Returns:
        What was done.

    Raises:
        PipelineBusy: another job works on these tables.
        InputRefused: the folder cannot be read or written, or holds nothing of the cluster.
        SparkFailed: what Spark wrote has not the rows that it read; nothing of that bundle was published.
    """
    began = time.monotonic()
    with at_work(tables, "pipeline compact", report) as turn:
        if cluster is not None and not parts_of(tables, "snapshots", clusters=[cluster]):
            raise InputRefused(f"The tables hold no snapshot of cluster {cluster[:100]}.", source=tables.where)
        report(JobProgress("list", 0, None, "Looking for folders with many files."))
        groups = _loose(tables, cluster, max(least_files, 2))
        total = sum(len(group.files) for group in groups)
        done = left = batches = 0
        for bundle in bundles(groups):
            left += _compact(spark, tables, begin(turn, mark=MARK, whole_clusters=False), bundle)
            batches += 1
            done += sum(len(group.files) for group in bundle)
            report(JobProgress("compact", done, total, f"{done:,} of {counted(total, 'file')} compacted."))
        if isinstance(turn, DeltaTurn):
            turn.vacuum()
    return CompactionReport(total, left, len(groups), batches, turn.healed, time.monotonic() - began)


def _all_file_groups(tables: Folder, cluster: str | None) -> Iterator[FileGroup]:
    if cluster is None:
        for name in (*(one.name for one in TABLES), "ledger"):
            yield from file_groups_of(tables, name)
    else:
        for name in (one.name for one in TABLES if one.partitioned):
            yield from file_groups_of(tables, name, f"cluster={cluster}")


def _loose(tables: Folder, cluster: str | None, least_files: int) -> list[FileGroup]:
    """The groups that are to be compacted: of Delta tables all of a day, since what their index names counts in it."""
    if delta_of(tables) is None:
        return [group for group in _all_file_groups(tables, cluster) if _is_loose(group, least_files)]
    whole: dict[tuple[object, object], list[FileGroup]] = {}
    for group in _all_file_groups(tables, cluster):
        whole.setdefault((INDEX.get(group.name, group.name), group.day or group.month), []).append(group)
    return [one for groups in whole.values() if any(_is_loose(one, least_files) for one in groups) for one in groups]


def _is_loose(group: FileGroup, least_files: int) -> bool:
    """Whether a folder has many files that are not one compaction's: a large day has several after it."""
    if len(group.files) < least_files:
        return False
    found = map(_COMPACTED.fullmatch, group.paths)
    written_by = {None if one is None else one.group(1) or one.group(2) for one in found}
    return None in written_by or len(written_by) > 1


def _compact(spark: SparkSession, tables: Folder, batch: Staging, bundle: Sequence[FileGroup]) -> int:
    """Rewrite and publish one bundle, and say how many files it has now."""
    name_of = attrgetter("name")
    by_table = [list(groups) for _, groups in groupby(sorted(bundle, key=name_of), key=name_of)]
    with batch.filling():
        left = side_by_side(spark, [partial(_rewritten, spark, tables, batch, one) for one in by_table], WRITERS)
    batch.commit()
    return sum(left)


def _rewritten(spark: SparkSession, tables: Folder, batch: Staging, groups: Sequence[FileGroup]) -> int:
    """Stage the groups of one table anew, and say how many files that made.

    Raises:
        SparkFailed: rows are missing or too many.
    """
    name = groups[0].name
    rewrite(spark, tables, batch, groups)
    staged = batch.staged(name)
    before = rows_in(tables, [path for group in groups for path in group.paths])
    after = rows_in(tables, staged)
    if before != after:
        raise SparkFailed(
            f"Compacting {name} made {after:,} rows of {before:,}. Nothing was published; the tables are unchanged."
        )
    return len(staged)
