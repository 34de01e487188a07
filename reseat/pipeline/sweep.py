"""``pipeline sweep``: what every loss would do to each chosen snapshot, into ``resilience`` and ``copysets``.

What it promises, ranked:

1. After a sweep that completed, every chosen snapshot has its rows in both tables once; a crash anywhere, followed by a
   sweep, ends in the same tables.
2. A snapshot is swept once: those that have a row of ``copysets`` are left out. A snapshot never changes, and so its
   rows hold for ever.
3. One large snapshot uses all cores.

What it needs: the tables alone. Landed files may be gone.

How it works: snapshots without a row are taken in batches, cluster by cluster and day by day, each of which is
committed as a whole (``reseat.pipeline.commit``). The rows of ``brokers``, ``replicas`` and ``topic_spread`` of one
snapshot are sent to one task (to several, where there are fewer snapshots than cores), which puts the layout together
and asks ``reseat.resilience`` (``reseat.pipeline.losses``). Which task is said, not hashed: two snapshots never share
one while another has none.

Complexity: one shuffle of the replicas; per snapshot of B brokers the time of ``reseat.resilience``, B (B - 1) / 2 rows
and, up to ``losses.PAIR_TAKEOVERS``, B - 2 entries of who takes over in each.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import comb
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from reseat.election import mode_of
from reseat.errors import InputRefused
from reseat.history.delta import delta_of
from reseat.history.folder import Folder
from reseat.history.parts import parts_of
from reseat.history.schema import arrow_schema
from reseat.model.wording import counted
from reseat.pipeline.frames import ClusterDay, days_in, frame_of, read_days, rows_on, spark_schema, write
from reseat.pipeline.losses import PAIR_TAKEOVERS, SOURCES, Job, lossy_schema, sweeper
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.staging import Staging
from reseat.pipeline.work import at_work, begin

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "BATCH_REPLICAS",
    "BATCH_ROWS",
    "BATCH_SNAPSHOTS",
    "BATCH_TAKEOVERS",
    "SHARE_REPLICAS",
    "SweepReport",
    "sweep_on_demand",
]

#: What one batch takes at most: as little as a crash should cost, and as many rows as a cache should hold.
BATCH_SNAPSHOTS = 256
BATCH_REPLICAS = 30_000_000
BATCH_ROWS = 10_000_000
#: Of who takes over, pair by pair, 32 bytes each in Spark's cache: what a heap of 1 GB spills without failing. One
#: snapshot of 300 brokers has 13 million; with more of them a batch takes no less time for each.
BATCH_TAKEOVERS = 20_000_000
#: A row group is a few: who asks for brokers and racks does not read who takes over after all the pairs.
_ROW_GROUP_BYTES = 4 << 20
#: A share of a snapshot has at least so many replicas: below, putting the layout together costs more than it saves.
SHARE_REPLICAS = 200_000
#: Replicas of a snapshot as small ones have them, as ``SMALL_FILE`` is for landed files.
_SMALL = 3_000
#: So many clusters' days are a fleet's.
MANY_DAYS = 32
#: Files of snapshots that are looked through before the first of them are swept.
_LOOK_AHEAD = 20_000
_CHOSEN = ("cluster", "day", "snapshot_id", "taken_at", "metadata", "version", "brokers", "replicas")
_TABLES = ("copysets", "resilience")


@dataclass(frozen=True, slots=True)
class SweepReport:
    """What a sweep did.

    Attributes:
        chosen: snapshots that were asked for and had no rows yet.
        swept: those that have them now.
        batches: commits.
        healed: what an earlier job had left behind, in words.
        seconds: how long it took, Spark's start not included.
    """

    chosen: int = 0
    swept: int = 0
    batches: int = 0
    healed: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The same for a person."""
        if not self.chosen:
            return "Nothing to analyse: every chosen snapshot is analysed already."
        return f"{counted(self.swept, 'snapshot')} analysed. {self.seconds:.1f} s."


def sweep_on_demand(
    session: Callable[[], SparkSession],
    tables: Folder,
    *,
    cluster: str | None = None,
    latest: bool = False,
    report: Report = silent,
) -> SweepReport:
    """Fill ``resilience`` and ``copysets`` for snapshots that have no rows there.

    Args:
        session: gives the session, once there is something to do.
        tables: the tables.
        cluster: only of this cluster; None: of all.
        latest: only each cluster's latest snapshot.
        report: is told how far the sweep is.

    Raises:
        PipelineBusy: another job works on these tables.
        InputRefused: the tables cannot be read or written, or have no such cluster.
        SparkFailed: rows of a snapshot are missing or stand there twice.
    """
    began = time.monotonic()
    done = SweepReport()
    with at_work(tables, "pipeline sweep", report) as turn:
        done = replace(done, healed=turn.healed)
        report(JobProgress("list", 0, None, f"Looking for snapshots not yet analysed in {tables.where}."))
        for found in _to_do(tables, cluster, latest=latest):
            done = replace(done, chosen=done.chosen + found.num_rows)
            for snapshots in _batches(found):
                told = f"Analysing {counted(snapshots.num_rows, 'snapshot')}."
                report(JobProgress("sweep", done.swept, done.chosen, told))
                swept = _sweep(session(), tables, begin(turn), snapshots)
                done = replace(done, swept=done.swept + swept, batches=done.batches + 1)
                told = f"{done.swept:,} of {counted(done.chosen, 'snapshot')} analysed."
                report(JobProgress("sweep", done.swept, done.chosen, told))
    return replace(done, seconds=time.monotonic() - began)


# ---- which snapshots ---------------------------------------------------------------------------------------


def _to_do(tables: Folder, cluster: str | None, *, latest: bool) -> Iterator[pa.Table]:
    """The chosen snapshots that have no row of ``copysets``, in order, those of some clusters at a time."""
    parts = parts_of(tables, "snapshots", clusters=None if cluster is None else [cluster])
    if cluster is not None and not parts:
        raise InputRefused(f"The tables hold no snapshot of cluster {cluster[:100]}.", source=tables.where)
    days: dict[str, list[str]] = {}
    for part in parts:
        days.setdefault(part.cluster, []).append(part.day)
    some: set[ClusterDay] = set()
    files = 0
    for name, its in days.items():
        if files + len(its) > _LOOK_AHEAD and some:
            yield _unswept(tables, _chosen(tables, some, latest=latest))
            some, files = set(), 0
        last = [day for day in its if day == its[-1]] if latest else its  # they stand in the order of days
        some.update((name, day) for day in last)
        files += len(last)
    yield _unswept(tables, _chosen(tables, some, latest=latest))


def _chosen(tables: Folder, days: Collection[ClusterDay], *, latest: bool) -> pa.Table:
    """The snapshots of some days, or the last of each cluster in them, in order."""
    rows = rows_on(tables, "snapshots", days, _CHOSEN)
    rows = rows.sort_by([(name, "ascending") for name in ("cluster", "day", "taken_at", "snapshot_id")])
    if latest and len(rows):
        clusters = rows["cluster"].combine_chunks()
        ends = pc.not_equal(clusters[:-1], clusters[1:])
        rows = rows.filter(pa.concat_arrays([ends, pa.array([True])]))
    return rows


def _unswept(tables: Folder, snapshots: pa.Table) -> pa.Table:
    """Those of some snapshots that have no row of ``copysets``."""
    swept = rows_on(tables, "copysets", days_in(snapshots), ["snapshot_id"])["snapshot_id"]
    return snapshots.filter(pc.invert(pc.is_in(snapshots["snapshot_id"], swept.combine_chunks())))


def _batches(left: pa.Table) -> Iterator[pa.Table]:
    """As many snapshots at a time as one batch takes; at least one."""
    start, replicas, rows, takeovers = 0, 0, 0, 0
    for at, one in enumerate(left.select(["brokers", "replicas"]).to_pylist()):
        # At most: of each pair every other broker takes over something, and no more than are told of one snapshot.
        most = one["replicas"], comb(one["brokers"], 2), min(3 * comb(one["brokers"], 3), PAIR_TAKEOVERS)
        replicas, rows, takeovers = replicas + most[0], rows + most[1], takeovers + most[2]
        full = replicas > BATCH_REPLICAS or rows > BATCH_ROWS or takeovers > BATCH_TAKEOVERS
        if at > start and (full or at - start >= BATCH_SNAPSHOTS):
            yield left.slice(start, at - start)
            start, (replicas, rows, takeovers) = at, most
    if start < left.num_rows:
        yield left.slice(start)


# ---- one batch ---------------------------------------------------------------------------------------------


def _sweep(spark: SparkSession, tables: Folder, batch: Staging, snapshots: pa.Table) -> int:
    """Compute the rows of these snapshots and commit them; says of how many."""
    with batch.filling():
        if delta_of(tables) is not None:  # where another sweep may have been faster
            snapshots = _unswept(tables, snapshots)
        if not snapshots.num_rows:
            batch.abandon()
            return 0
        days = days_in(snapshots)
        jobs = _jobs(snapshots, cores=_cores(spark))
        if _together(snapshots, days):
            _stage_together(spark, tables, batch, jobs, days)
        else:
            _stage(spark, tables, batch, jobs, days)
    batch.commit(days)
    return int(snapshots.num_rows)


def _together(snapshots: pa.Table, days: Sequence[ClusterDay]) -> bool:
    """Whether they are a fleet's: many days and few replicas, whose files this process reads and writes sooner."""
    return len(days) >= MANY_DAYS and max(snapshots["replicas"].to_pylist()) <= _SMALL


def _stage(
    spark: SparkSession, tables: Folder, batch: Staging, jobs: Sequence[Job], days: Sequence[ClusterDay]
) -> None:
    """Compute the rows of jobs, a task each, and have Spark write them."""
    from pyspark.sql import functions as f

    sources = {name: read_days(spark, tables, name, days) for name in SOURCES}
    found = (
        _rows(spark, sources, jobs)
        .repartitionById(len(jobs), f.col("job"))
        .mapInArrow(sweeper(jobs), spark_schema(lossy_schema()))
        .persist()
    )
    try:
        for name in _TABLES:
            rows = found.where(f.col("of") == name).select(*arrow_schema(name, with_keys=True).names)
            # A file a day, of all tasks that swept its snapshots.
            one_a_day = rows.repartition("cluster", "day")
            write(one_a_day, tables, batch.staging(name), row_group_bytes=_ROW_GROUP_BYTES)
    finally:
        found.unpersist()


def _stage_together(
    spark: SparkSession, tables: Folder, batch: Staging, jobs: Sequence[Job], days: Sequence[ClusterDay]
) -> None:
    """The same of many small snapshots: this process reads and writes their files, and a task has some of them."""
    from pyspark.sql import functions as f

    asked = pc.field("snapshot_id").isin([job.snapshot_id for job in jobs])

    sources = {
        name: frame_of(spark, rows_on(tables, name, days, ["snapshot_id", *columns], asked))
        for name, columns in SOURCES.items()
    }
    tasks = min(len(jobs), 4 * _cores(spark))
    found = (
        _rows(spark, sources, jobs)
        .repartitionById(tasks, f.col("job") % tasks)
        .mapInArrow(sweeper(jobs), spark_schema(lossy_schema()))
        .toArrow()
    )
    for name in _TABLES:
        batch.stage_days(name, found.filter(pc.equal(found["of"], name)))


def _cores(spark: SparkSession) -> int:
    """How many tasks may run at once, as far as any session tells: by default it shuffles into twice as many parts."""
    return max(1, int(spark.conf.get("spark.sql.shuffle.partitions") or 2) // 2)


def _jobs(snapshots: pa.Table, *, cores: int) -> list[Job]:
    """A job a snapshot; several for a large one where cores would be idle."""
    jobs = []
    idle = max(1, cores // snapshots.num_rows)
    for one in snapshots.to_pylist():
        shares = max(1, min(idle, -(-one["replicas"] // SHARE_REPLICAS)))
        jobs += [
            Job(
                cluster=one["cluster"],
                day=one["day"],
                snapshot_id=one["snapshot_id"],
                taken_at=one["taken_at"],
                mode=mode_of(None, one["metadata"], one["version"]),
                share=share,
                shares=shares,
            )
            for share in range(shares)
        ]
    return jobs


def _rows(spark: SparkSession, sources: Mapping[str, DataFrame], jobs: Sequence[Job]) -> DataFrame:
    """Every row that a job needs, with its number; and one more of each job, so that none is without a row."""
    from pyspark.sql import functions as f

    numbers: dict[str, list[int]] = {}
    for number, job in enumerate(jobs):
        numbers.setdefault(job.snapshot_id, []).append(number)
    # What a batch takes is bounded, so that its numbers may stand in the plan: no join, no exchange for them.
    of_snapshot = f.create_map(
        *chain.from_iterable((f.lit(name), f.array(*map(f.lit, mine))) for name, mine in numbers.items())
    )
    its_jobs = f.explode(of_snapshot[f.col("snapshot_id")]).alias("job")
    rows = spark.range(len(jobs)).select(
        f.col("id").cast("int").alias("job"), f.lit(None).cast("string").alias("source")
    )
    for name, columns in SOURCES.items():
        told = sources[name].where(f.col("snapshot_id").isin(list(numbers)))
        rows = rows.unionByName(told.select(its_jobs, f.lit(name).alias("source"), *columns), allowMissingColumns=True)
    return rows
