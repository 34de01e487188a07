"""A batch's rows, written beside the tables: those of its snapshots, what could not be read, and the changes.

What it promises, ranked: (1) nothing of the tables is touched: files are staged, and those that they replace are named,
for the commit; (2) ``changes`` are those between neighbours once the batch counts, also where a snapshot comes late and
the one after it is to be compared with another; (3) every table has a file for every day that has a snapshot.

How it works: the small tables are unfolded from the rows of measures; replicas are read from the files again, in a pass
of their own, as they are a hundred times as many; changes are joins over what is staged and what is there
(``reseat.pipeline.changes``), of the days of the batch and those next to them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from reseat.history.folder import Folder
from reseat.history.schema import TABLES, arrow_schema, table
from reseat.pipeline.changes import changes_between, neighbours
from reseat.pipeline.commit import Batch
from reseat.pipeline.decode import replica_reader
from reseat.pipeline.frames import ClusterDay, day_folder, days_of, read_days, read_flat, spark_schema, write
from reseat.pipeline.measures import SMALL_TABLES
from reseat.pipeline.side_by_side import side_by_side
from reseat.pipeline.verdict import Job, Verdict, landed_files

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["fill_up", "write_changes", "write_rejected", "write_snapshots"]

#: Tables written side by side.
_WRITERS = 4


def write_snapshots(job: Job, batch: Batch, measured: DataFrame, verdict: Verdict) -> None:
    """Write the tables that are made of one snapshot alone."""
    from pyspark.sql import functions as f

    taken = verdict.of("taken")["path"].to_pylist()
    if not taken:
        return
    counting = measured.where(f.col("snapshot_id").isNotNull())
    if verdict.count("duplicate"):
        paths = job.spark.createDataFrame(pa.table({"path": pa.array(taken, pa.string())}))
        counting = counting.join(f.broadcast(paths), "path", "left_semi")

    def unfold(name: str) -> None:
        rows = counting.select("cluster", "day", "snapshot_id", "taken_at", f.inline(name))
        write(rows.select(*arrow_schema(name, with_keys=True).names), job.tables, batch.staging(name))

    def replicas() -> None:
        rows = landed_files(job, taken).mapInArrow(
            replica_reader(job.landing.spark_url()), spark_schema(arrow_schema("replicas", with_keys=True))
        )
        write(rows, job.tables, batch.staging("replicas"))

    side_by_side(job.spark, [replicas, *(partial(unfold, name) for name in SMALL_TABLES)], _WRITERS)


def write_rejected(job: Job, batch: Batch, measured: DataFrame, verdict: Verdict, replaced: frozenset[str]) -> None:
    """Write a row of every file that cannot be read; rows of files that were replaced since go."""
    from pyspark.sql import functions as f

    names = [column.name for column in table("rejected").columns]
    rows = measured.where(f.col("snapshot_id").isNull()).select(*names)
    if verdict.unread.num_rows:
        rows = rows.unionByName(job.spark.createDataFrame(verdict.unread).select(*names))
    there = job.tables.files("rejected", suffix=".parquet")
    if replaced and there:
        again = job.spark.createDataFrame(pa.table({"path": pa.array(sorted(replaced), pa.string())}))
        before = read_flat(job.spark, job.tables, arrow_schema("rejected"), [file.path for file in there])
        rows = rows.unionByName(before.join(f.broadcast(again), "path", "left_anti").select(*names))
        batch.remove([file.path for file in there])
    elif not verdict.count("rejected"):
        if not there:
            batch.stage_table("rejected", arrow_schema("rejected").empty_table())
        return
    # All of them are few: one file.
    write(rows.coalesce(1), job.tables, batch.staging("rejected"), partitioned=False)


def write_changes(job: Job, batch: Batch, verdict: Verdict) -> list[ClusterDay]:
    """Compare every new snapshot with the one before it, and the one after it with the new one.

    Returns:
        The days whose ``changes`` are written anew: all files that are there go.
    """
    from pyspark.sql import functions as f

    days = _days_around(job.tables, verdict.days)

    def both(name: str, these: Sequence[ClusterDay]) -> DataFrame:
        """What is in the tables and what this batch is about to add, told apart by ``is_new``."""
        there = read_days(job.spark, job.tables, name, these).withColumn("is_new", f.lit(False))
        added = read_days(job.spark, job.tables, name, verdict.days, under=_home(batch))
        return there.unionByName(added.withColumn("is_new", f.lit(True)))

    pairs = (
        neighbours(both("snapshots", days), carry=("is_new",))
        .where(f.col("is_new") | f.col("previous_is_new"))
        .persist()
    )
    try:
        # At most two pairs a new snapshot: bounded by the size of a batch.
        told = pairs.select("cluster", "day", "snapshot_id", "previous_day").toArrow().to_pylist()
        if not told:
            return []
        needed = sorted({(row["cluster"], row[day]) for row in told for day in ("day", "previous_day")})
        taken = set(verdict.of("taken")["snapshot_id"].to_pylist())
        again = sorted({(row["cluster"], row["day"]) for row in told if row["snapshot_id"] not in taken})
        stale = [file.path for day in again for file in job.tables.files(day_folder("changes", day), suffix=".parquet")]
        frames = (both(name, needed) for name in ("brokers", "topic_spread", "replicas"))
        with changes_between(pairs, *frames) as found:
            rows = found
            if stale:
                kept = read_days(job.spark, job.tables, "changes", again).join(
                    f.broadcast(pairs.select("snapshot_id")), "snapshot_id", "left_anti"
                )
                rows = rows.unionByName(kept.select(*rows.columns))
                batch.remove(stale)
            # A file a day: changes are few beside what they are made of.
            write(rows.repartition("cluster", "day"), job.tables, batch.staging("changes"))
        return again
    finally:
        pairs.unpersist()


def _days_around(tables: Folder, days: Sequence[ClusterDay]) -> list[ClusterDay]:
    """The days of a batch, and of each cluster the nearest day before and after each that has snapshots."""
    around: set[ClusterDay] = set(days)
    for cluster in sorted({cluster for cluster, _ in days}):
        new = {day for other, day in days if other == cluster}
        known = sorted(new.union(days_of(tables, "snapshots", cluster)))
        for at, day in enumerate(known):
            if day in new:
                around.update((cluster, other) for other in known[max(at - 1, 0) : at + 2])
    return sorted(around)


def fill_up(tables: Folder, batch: Batch, days: Sequence[ClusterDay], rewritten: Collection[ClusterDay]) -> None:
    """Give every table a file, be it without rows, for every day of the batch: a plain read finds them all.

    Args:
        tables: the tables.
        batch: the batch.
        days: the days that get snapshots.
        rewritten: the days whose ``changes`` that are there go with the batch.
    """
    home = _home(batch)
    staged = {file.path.rpartition("/")[0] for file in tables.files(home, suffix=".parquet")}
    for one in TABLES:
        if not one.partitioned:
            continue
        gone = rewritten if one.name == "changes" else ()
        for day in sorted({*days, *gone}):
            folder = day_folder(one.name, day)
            stays = day not in gone and tables.files(folder, suffix=".parquet")
            if f"{home}/{folder}" in staged or stays:
                continue
            batch.stage_table(one.name, arrow_schema(one.name).empty_table(), cluster=day[0], day=day[1])


def _home(batch: Batch) -> str:
    """Where the tables' folders lie while they are a batch's."""
    return batch.staging("snapshots").rpartition("/")[0]
