"""Files of the tables -> fewer files with the same rows, or with some of them: what compaction and retention share.

What it promises, in this order:

1. Every row that is to stay is written once; where all are to stay, the counts in the files' footers are compared
   before anything is published.
2. Rows lie in a stable order, by time and snapshot first: a reader of one moment skips the row groups of others, and
   columns compress well.
3. Memory and the number of Spark's jobs are bounded: a bundle of folders at a time, one job a table in it; a folder
   too large for one file gets several, by ranges of that order, so that no task sorts it alone.
4. A folder that has files keeps one, be it without rows: plain reads go on finding the table.

What it needs: a batch (:class:`reseat.pipeline.staging.Staging`), by which old and new files change places.

How it works: all files of a folder (a cluster's day of one table) are read exactly, without a listing by Spark, spread
by cluster and day, sorted, and written by cluster and day into the batch's staging.

Complexity: one shuffle and one sort of what is rewritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from math import ceil
from typing import TYPE_CHECKING

import pyarrow as pa

from reseat.history.delta import delta_of, home_of
from reseat.history.folder import FileFact, Folder
from reseat.history.parts import Part, flat_of, parts_of
from reseat.history.schema import PARTITION_KEYS, arrow_schema
from reseat.pipeline.frames import ClusterDay, read_files, read_flat
from reseat.pipeline.ledger import LEDGER_SCHEMA
from reseat.pipeline.staging import Staging

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "ORDER",
    "WRITERS",
    "FileGroup",
    "bundles",
    "file_groups_of",
    "keep_one_file",
    "rewrite",
    "rows_in",
    "write_sorted",
]

_MOMENT = ("taken_at", "snapshot_id")
#: The order of rows in a file. Time first: pages ask for moments.
ORDER: dict[str, tuple[str, ...]] = {
    "snapshots": _MOMENT,
    "brokers": (*_MOMENT, "broker"),
    "replicas": (*_MOMENT, "topic", "partition", "position"),
    "broker_balance": (*_MOMENT, "broker"),
    "rack_balance": (*_MOMENT, "rack"),
    "topic_spread": (*_MOMENT, "topic"),
    "findings": (*_MOMENT, "rank"),
    "changes": (*_MOMENT, "topic", "partition", "kind", "broker"),
    "resilience": (*_MOMENT, "kind", "lost"),
    "copysets": _MOMENT,
    "rejected": ("path",),
    "ledger": ("path", "token"),
}
#: What lies in no folders by cluster and day.
_UNPARTITIONED = ("ledger", "rejected")
#: A bundle's most: what Spark spills to disk while it sorts, and how many names the driver holds.
_BUNDLE_BYTES, _BUNDLE_FILES = 1 << 30, 2_000
#: A file is made no larger than about this: one task sorts it, and a reader of a part opens few.
FILE_BYTES = 128 << 20
#: What a reader skips or takes together: some snapshots of 100,000 partitions; Spark's own 128 MB would be a day.
_ROW_GROUP_BYTES = 16 << 20
#: Tables rewritten side by side: most are small, and Spark's overhead of one hides behind the work of another.
WRITERS = 4
#: Footers read at once.
_AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class FileGroup:
    """The files of one folder of a table.

    Attributes:
        name: the table, or ``ledger``.
        day: the cluster and day; None where the table is not partitioned.
        files: all of them.
    """

    name: str
    day: ClusterDay | None
    files: tuple[FileFact | Part, ...]

    @property
    def month(self) -> str:
        """The ledger's folder of a month; empty of all else."""
        return next((part for part in self.files[0].path.split("/")[:-1] if part.startswith("month=")), "")

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(one.size for one in self.files)

    @property
    def paths(self) -> list[str]:
        """Its files, relative to the tables."""
        return [one.path for one in self.files]


def file_groups_of(tables: Folder, name: str, under: str = "") -> Iterator[FileGroup]:
    """The folders with files of a table, by cluster and day, or by month; a cluster's at a time are in memory.

    Args:
        tables: the tables.
        name: a table, or ``ledger``.
        under: a folder in it to look in alone (``cluster=X``).

    Raises:
        InputRefused: it cannot be listed.
    """
    if delta_of(tables) is not None:
        yield from _counting_groups(tables, name, under)
        return
    for piece in tables.pieces(f"{home_of(name)}/{under}".rstrip("/")):
        found: dict[str, list[FileFact]] = {}
        for one in piece:
            if one.path.endswith(".parquet"):
                found.setdefault(one.path.rpartition("/")[0], []).append(one)
        for folder, files in sorted(found.items()):
            keys = [part.partition("=")[2] for part in folder.split("/") if "=" in part]
            yield FileGroup(name, (keys[0], keys[1]) if len(keys) == 2 else None, tuple(files))


def _counting_groups(tables: Folder, name: str, under: str) -> Iterator[FileGroup]:
    """The same of Delta tables, of what counts."""
    if name in _UNPARTITIONED:
        by_month: dict[str, list[FileFact]] = {}
        for one in flat_of(tables, name):
            by_month.setdefault(FileGroup(name, None, (one,)).month, []).append(one)
        yield from (FileGroup(name, None, tuple(files)) for files in by_month.values())
        return
    cluster = under.removeprefix("cluster=")
    found = parts_of(tables, name, clusters=[cluster] if cluster else None)
    for day, parts in groupby(found, lambda one: (one.cluster, one.day)):
        yield FileGroup(name, day, tuple(parts))


def bundles(groups: Iterable[FileGroup]) -> Iterator[list[FileGroup]]:
    """File groups in bundles that are rewritten and published together, a cluster's day whole where it fits.

    A bundle is larger than its bounds only where one cluster's day is.
    """
    bundle: list[FileGroup] = []
    size = files = 0
    for group in sorted(groups, key=lambda one: (one.day or ("", ""), one.name)):
        full = size + group.size > _BUNDLE_BYTES or files + len(group.files) > _BUNDLE_FILES
        # What Delta's index names in a day counts there: its tables are published together.
        if bundle and full and (group.day is None or group.day != bundle[-1].day):
            yield bundle
            bundle, size, files = [], 0, 0
        bundle.append(group)
        size, files = size + group.size, files + len(group.files)
    if bundle:
        yield bundle


def rewrite(
    spark: SparkSession,
    tables: Folder,
    batch: Staging,
    groups: Sequence[FileGroup],
    choose: Callable[[DataFrame], DataFrame] = lambda rows: rows,
) -> None:
    """Stage the rows of some groups of one table anew, and have their files removed at the commit.

    Args:
        spark: the session.
        tables: the tables.
        batch: where they are staged.
        groups: of one table.
        choose: the rows that stay, from all of them.
    """
    name = groups[0].name
    # Spark puts rows into folders by cluster and day alone: what lies in others is written a folder at a time.
    alone = [group for group in groups if group.day is None or group.size > FILE_BYTES]
    together = [group for group in groups if group not in alone]
    for some in ([together] if together else []) + [[group] for group in alone]:
        rows = choose(_read(spark, tables, name, [path for group in some for path in group.paths]))
        files = ceil(some[0].size / FILE_BYTES) if some[0] in alone else 1
        write_sorted(rows, tables, batch, name, files=files, folder=some[0].month if some[0].day is None else "")
    batch.remove(path for group in groups for path in group.paths)
    keep_one_file(batch, name, [group.day for group in groups])


def write_sorted(
    rows: DataFrame, tables: Folder, batch: Staging, name: str, *, files: int = 1, folder: str = ""
) -> None:
    """Stage rows of a table in its order.

    Args:
        rows: its rows, with ``cluster`` and ``day`` where it is partitioned.
        tables: the tables.
        batch: where they are staged.
        name: the table, or ``ledger``.
        files: 1: a file for each cluster and day; more: about so many for all rows together.
        folder: where in the table's folder; folders by cluster and day are made in it.
    """
    keys = () if name in _UNPARTITIONED else PARTITION_KEYS
    order = (*keys, *ORDER[name])
    rows = rows.select(*_schema(name).names)
    if files > 1:
        spread = rows.repartitionByRange(files, *order)
    else:
        spread = rows.repartition(*keys) if keys else rows.coalesce(1)
    # Appended: large and small days of a table are staged in one folder, one after the other.
    writer = spread.sortWithinPartitions(*order).write.mode("append")
    writer = writer.option("compression", "zstd").option("parquet.block.size", _ROW_GROUP_BYTES)
    if keys:
        writer = writer.partitionBy(*keys)
    writer.parquet(tables.spark_url(f"{batch.staging(name)}/{folder}"))


def keep_one_file(batch: Staging, name: str, days: Collection[ClusterDay | None]) -> None:
    """Stage a file without rows for each day for which Spark staged none, having no row of it."""
    staged = {path.rpartition("/")[0] for path in batch.staged(name)}
    for day in days:
        if day is not None and batch.day_folder(name, day) not in staged:
            batch.stage_table(name, arrow_schema(name).empty_table(), day)


def rows_in(tables: Folder, paths: Collection[str]) -> int:
    """Rows of Parquet files, as their footers tell."""
    from pyarrow import parquet

    def count(path: str) -> int:
        return int(parquet.read_metadata(tables.path(path), filesystem=tables.fs).num_rows)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return sum(pool.map(count, paths))


def _read(spark: SparkSession, tables: Folder, name: str, paths: list[str]) -> DataFrame:
    if name not in _UNPARTITIONED:
        return read_files(spark, tables, name, paths)
    return read_flat(spark, tables, _schema(name), paths)


def _schema(name: str) -> pa.Schema:
    return LEDGER_SCHEMA if name == "ledger" else arrow_schema(name, with_keys=True)
