"""A batch's rows, written beside the tables: those of its snapshots, what could not be read, and the changes.

What it promises, ranked: (1) nothing of the tables is touched: files are staged, and those that they replace are named,
for the commit; (2) ``changes`` are those between neighbours once the batch counts, also where a snapshot comes late and
the one after it is to be compared with another; (3) every table has a file for every day that has a snapshot.

How it works: the small tables are unfolded from the rows of measures; replicas are read from the files again, in a pass
of their own, as they are a hundred times as many; changes are joins over the measures, the replicas that are staged
and what is there of the days of the batch and those next to them (``reseat.pipeline.changes``). Which topics changed
is found from the measures alone, beside the writing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from reseat.history.folder import FileFact, Folder
from reseat.history.parts import flat_of
from reseat.history.scan import read_listed
from reseat.history.schema import TABLES, arrow_schema, table
from reseat.pipeline.admission import PORTION, SHOWN, Admission, Job, landed_files
from reseat.pipeline.changes import Comparison, neighbours
from reseat.pipeline.decode import replica_reader
from reseat.pipeline.frames import (
    ClusterDay,
    days_in,
    frame_of,
    paths_on,
    read_days,
    read_files,
    read_flat,
    rows_on,
    spark_schema,
    write,
)
from reseat.pipeline.measures import SMALL_TABLES
from reseat.pipeline.spark.side_by_side import side_by_side
from reseat.pipeline.staging import Staging

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BatchChanges", "fill_up", "fresh_measures", "write_rejected", "write_snapshots"]

#: Tables written side by side.
_WRITERS = 4


def fresh_measures(job: Job, measured: DataFrame, admission: Admission) -> DataFrame:
    """The rows of measures of the snapshots that come into the tables."""
    from pyspark.sql import functions as f

    fresh = measured.where(f.col("snapshot_id").isNotNull())
    if admission.count("duplicate") or admission.count(SHOWN):
        paths = job.spark.createDataFrame(admission.of("taken").select(["path"]))
        fresh = fresh.join(f.broadcast(paths), "path", "left_semi")
    return fresh


def _unfolded(fresh: DataFrame, name: str) -> DataFrame:
    """The rows of a small table that the measures hold, with ``cluster`` and ``day``."""
    from pyspark.sql import functions as f

    rows = fresh.select("cluster", "day", "snapshot_id", "taken_at", f.inline(name))
    return rows.select(*arrow_schema(name, with_keys=True).names)


def write_snapshots(
    job: Job, batch: Staging, fresh: DataFrame, admission: Admission, *, beside: Callable[[], None]
) -> None:
    """Write the tables that are made of one snapshot alone.

    Args:
        job: the run.
        batch: the batch.
        fresh: the measures of the snapshots (``fresh_measures``).
        admission: which files they are.
        beside: further work of the same session, done while the files are read and written.
    """

    def unfold(name: str) -> None:
        _put(job, batch, admission, name, _unfolded(fresh, name))

    def replicas() -> None:
        for ids in _portions(admission):
            rows = landed_files(job, list(ids)).mapInArrow(
                replica_reader(job.landing.spark_url(), ids), spark_schema(arrow_schema("replicas", with_keys=True))
            )
            _put(job, batch, admission, "replicas", rows)

    side_by_side(job.spark, [replicas, beside, *(partial(unfold, name) for name in SMALL_TABLES)], _WRITERS)


def _put(job: Job, batch: Staging, admission: Admission, name: str, rows: DataFrame) -> None:
    """Write rows with ``cluster`` and ``day``: Spark does, or this process where files are small."""
    if admission.together:
        batch.stage_days(name, rows.toArrow())
    else:
        write(rows, job.tables, batch.staging(name))


def _portions(admission: Admission) -> Iterator[dict[str, str]]:
    """The ids of the snapshots that are taken, by path: all, or as many whole days at a time as this process holds."""
    taken = admission.of("taken").select(["cluster", "day", "path", "snapshot_id"]).to_pylist()
    portion: dict[str, str] = {}
    for _, day in groupby(sorted(taken, key=_cluster_day), key=_cluster_day):
        of_day = {row["path"]: row["snapshot_id"] for row in day}
        if admission.together and len(portion) + len(of_day) > PORTION:
            yield portion
            portion = {}
        portion |= of_day
    if portion:
        yield portion


def _cluster_day(row: dict[str, str]) -> ClusterDay:
    return row["cluster"], row["day"]


def write_rejected(job: Job, batch: Staging, measured: DataFrame, admission: Admission) -> None:
    """Write a row of every file that cannot be read; rows of files that were replaced since go."""
    from pyspark.sql import functions as f

    names = [column.name for column in table("rejected").columns]
    rows = measured.where(f.col("snapshot_id").isNull()).select(*names)
    if admission.unreadable.num_rows:
        rows = rows.unionByName(job.spark.createDataFrame(admission.unreadable).select(*names))
    there = flat_of(job.tables, "rejected")
    if there and (replaced := _rejected_before(job.tables, there, admission.files["path"])).num_rows:
        again = job.spark.createDataFrame(replaced)
        before = read_flat(job.spark, job.tables, arrow_schema("rejected"), [file.path for file in there])
        rows = rows.unionByName(before.join(f.broadcast(again), "path", "left_anti").select(*names))
        batch.remove([file.path for file in there])
    elif not admission.count("rejected"):
        if not there:
            batch.stage_table("rejected", arrow_schema("rejected").empty_table())
        return
    # All of them are few: one file.
    write(rows.coalesce(1), job.tables, batch.staging("rejected"), partitioned=False)


def _rejected_before(tables: Folder, there: Sequence[FileFact], paths: pa.ChunkedArray) -> pa.Table:
    """Those of some paths that ``rejected`` has a row of: the files have been replaced since, or are tried again."""
    chosen = pc.field("path").isin(paths.combine_chunks())
    return read_listed(tables, "rejected", lambda: [file.path for file in there], ["path"], filter=chosen)


@dataclass(frozen=True, eq=False)
class _Found:
    """What a batch is compared with.

    Attributes:
        pairs: as ``neighbours`` gives them, each with a new snapshot on a side.
        there: where in the tables their other sides are.
        compared: their topics.
    """

    pairs: pa.Table
    there: _There
    compared: Comparison


@dataclass(frozen=True, slots=True)
class _There:
    """Where in the tables the snapshots lie that a batch is compared with.

    Attributes:
        days: the days.
        snapshots: their ids; None: all of these days.
    """

    days: Sequence[ClusterDay]
    snapshots: Sequence[str] | None = None

    @classmethod
    def of(cls, pairs: pa.Table) -> _There:
        """Those in the pairs that are not new: in most batches the last snapshot of each cluster.

        The day of it holds all others of that day, too. Their files are passed over by what Parquet keeps of the ids in
        them; moments would do as well, but Spark writes them into the code that it generates, and compiles it anew.
        """
        sides = [
            pairs.filter(pc.invert(pairs[f"{side}is_new"])).select(["cluster", f"{side}day", f"{side}snapshot_id"])
            for side in ("", "previous_")
        ]
        known = pa.concat_tables([side.rename_columns(["cluster", "day", "id"]) for side in sides])
        return cls(days_in(known), sorted(set(known["id"].to_pylist())))


class BatchChanges:
    """Every new snapshot compared with the one before it, and the one after it with the new one."""

    def __init__(
        self, job: Job, batch: Staging, fresh: DataFrame, admission: Admission, there: Collection[ClusterDay]
    ) -> None:
        """Nothing is computed yet.

        Args:
            job: the run.
            batch: the batch.
            fresh: the measures of its snapshots (``fresh_measures``).
            admission: which files they are.
            there: the days of their clusters that the tables hold.
        """
        self._job, self._batch, self._fresh, self._admission = job, batch, fresh, admission
        self._there = there
        self._found: _Found | None = None

    def find(self) -> None:
        """Find the neighbours, and the topics that differ; from measures alone, while the replicas are written."""
        around = _days_around(self._admission.days, self._there)
        snapshots = self._both("snapshots", _There(around), _unfolded(self._fresh, "snapshots"))
        # At most two pairs a new snapshot: bounded by the size of a batch.
        pairs = neighbours(snapshots).where("is_new OR previous_is_new").toArrow()
        if pairs.num_rows:
            there = _There.of(pairs)
            topics = self._both("topic_spread", there, _unfolded(self._fresh, "topic_spread"))
            self._found = _Found(pairs, there, Comparison(pairs, topics))

    def write(self) -> list[ClusterDay]:
        """Write ``changes``, once ``find`` and the replicas are done.

        Returns:
            The days whose ``changes`` are written anew: all files that are there go.
        """
        from pyspark.sql import functions as f

        found = self._found
        if found is None:
            return []
        job, tables = self._job, self._job.tables
        brokers = self._both("brokers", found.there, _unfolded(self._fresh, "brokers"))
        rows = found.compared.changes(brokers, self._replicas(found))
        again = days_in(found.pairs.filter(pc.invert(found.pairs["is_new"])))
        stale = paths_on(tables, "changes", again)
        if stale:
            anew = f.broadcast(job.spark.createDataFrame(found.pairs.select(["snapshot_id"])))
            stays = read_days(job.spark, tables, "changes", again).join(anew, "snapshot_id", "left_anti")
            rows = rows.unionByName(stays)
            self._batch.remove(stale)
        # A file a day: changes are few beside what they are made of.
        _put(job, self._batch, self._admission, "changes", rows.repartition("cluster", "day"))
        return again

    def _replicas(self, found: _Found) -> DataFrame:
        """The replicas of both sides."""
        # A snapshot without a replica has no file: what was staged is asked for, and not the days.
        job, staged, base = self._job, self._batch.staged("replicas"), self._batch.staging("replicas")
        if not self._admission.together:
            return self._both("replicas", found.there, read_files(job.spark, job.tables, "replicas", staged, base=base))
        topics, ids = found.compared.changed()
        chosen = pc.field("topic").isin(topics) & pc.field("snapshot_id").isin(ids)

        def listed() -> list[str]:
            return [*paths_on(job.tables, "replicas", found.there.days), *staged]

        return frame_of(job.spark, read_listed(job.tables, "replicas", listed, filter=chosen))

    def close(self) -> None:
        """Let go of what is kept."""
        if self._found is not None:
            self._found.compared.close()

    def _both(self, name: str, where: _There, added: DataFrame) -> DataFrame:
        """What this batch is about to add, and what is there in the tables, told apart by ``is_new``."""
        from pyspark.sql import functions as f

        added = added.withColumn("is_new", f.lit(True))
        if not where.days:
            return added
        spark, tables = self._job.spark, self._job.tables
        if self._admission.together:
            chosen = None if where.snapshots is None else pc.field("snapshot_id").isin(where.snapshots)
            there = frame_of(spark, rows_on(tables, name, where.days, chosen=chosen))
        else:
            there = read_days(spark, tables, name, where.days)
            if where.snapshots is not None:
                there = there.where(f.col("snapshot_id").isin(*where.snapshots))
        return there.withColumn("is_new", f.lit(False)).unionByName(added)


def _days_around(days: Sequence[ClusterDay], there: Collection[ClusterDay]) -> list[ClusterDay]:
    """Of each cluster those days of a batch that have snapshots in the tables, and the nearest before and after."""
    known = sorted({*days, *there})  # by cluster, and then by day
    new = set(days)
    near = {
        other
        for at, day in enumerate(known)
        if day in new
        for other in known[max(at - 1, 0) : at + 2]
        if other[0] == day[0]
    }
    return sorted(near.intersection(there))


def fill_up(
    tables: Folder,
    batch: Staging,
    days: Sequence[ClusterDay],
    there: Collection[ClusterDay],
    rewritten: Collection[ClusterDay],
) -> None:
    """Give every table a file, be it without rows, for every day of the batch: a plain read finds them all.

    Args:
        tables: the tables.
        batch: the batch.
        days: the days that get snapshots.
        there: the days of their clusters that the tables hold: in each table they have a file.
        rewritten: the days whose ``changes`` that are there go with the batch.
    """
    staged = {path.rpartition("/")[0] for path in batch.staged()}
    lacking = [
        (one.name, day)
        for one in TABLES
        if one.partitioned
        for day in sorted({*days, *rewritten} if one.name == "changes" else days)
        if (day not in there or (one.name == "changes" and day in rewritten))
        and batch.day_folder(one.name, day) not in staged
    ]
    tables.each(lambda one: batch.stage_table(one[0], arrow_schema(one[0]).empty_table(), one[1]), lacking)
