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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import comb
from typing import TYPE_CHECKING

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.parts import Part, parts_of
from reseat.history.schema import arrow_schema
from reseat.model.wording import counted
from reseat.pipeline.frames import ClusterDay, read_days, read_files, spark_schema, write
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
    "sweep",
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


def sweep(
    spark: SparkSession,
    tables: Folder,
    *,
    cluster: str | None = None,
    latest: bool = False,
    report: Report = silent,
) -> SweepReport:
    """Fill ``resilience`` and ``copysets`` for snapshots that have no rows there.

    Args:
        spark: the session (``reseat.pipeline.spark.session``).
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
        parts = _snapshot_files(tables, cluster, latest=latest)
        remain = True
        while remain:
            to_do = _to_do(spark, tables, parts, cluster, latest=latest)
            first = to_do.limit(BATCH_SNAPSHOTS).toArrow()
            if not done.batches:
                full = first.num_rows == BATCH_SNAPSHOTS
                done = replace(done, chosen=to_do.count() if full else first.num_rows)
            snapshots = _as_one_batch(first)
            if not snapshots.num_rows:
                break
            number = done.swept + snapshots.num_rows
            report(
                JobProgress("sweep", done.swept, done.chosen, f"Analysing {counted(snapshots.num_rows, 'snapshot')}.")
            )
            _sweep(spark, tables, begin(turn), snapshots)
            done = replace(done, swept=number, batches=done.batches + 1)
            report(
                JobProgress("sweep", number, done.chosen, f"{number:,} of {counted(done.chosen, 'snapshot')} analysed.")
            )
            remain = number < done.chosen
    return replace(done, seconds=time.monotonic() - began)


# ---- which snapshots ---------------------------------------------------------------------------------------


def _snapshot_files(tables: Folder, cluster: str | None, *, latest: bool) -> tuple[Part, ...]:
    """The files of ``snapshots`` in which the chosen ones stand."""
    parts = parts_of(tables, "snapshots", clusters=None if cluster is None else [cluster])
    if cluster is not None and not parts:
        raise InputRefused(f"The tables hold no snapshot of cluster {cluster[:100]}.", source=tables.where)
    if latest:
        last = {part.cluster: part.day for part in parts}  # they stand in the order of days
        parts = tuple(part for part in parts if part.day == last[part.cluster])
    return parts


def _to_do(
    spark: SparkSession, tables: Folder, parts: Sequence[Part], cluster: str | None, *, latest: bool
) -> DataFrame:
    """The chosen snapshots that have no row of ``copysets``, in order."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    names = ("cluster", "day", "snapshot_id", "taken_at", "metadata", "brokers", "replicas")
    chosen = read_files(spark, tables, "snapshots", [part.path for part in parts]).select(*names)
    if latest:
        newest = Window.partitionBy("cluster").orderBy(f.desc("taken_at"), f.desc("snapshot_id"))
        chosen = chosen.withColumn("rank", f.row_number().over(newest)).where("rank = 1").drop("rank")
    days = {(part.cluster, part.day) for part in parts}
    swept = parts_of(tables, "copysets", clusters=None if cluster is None else [cluster])
    known = read_files(spark, tables, "copysets", [part.path for part in swept if (part.cluster, part.day) in days])
    known = known.select("snapshot_id")
    return chosen.join(known, "snapshot_id", "left_anti").orderBy("cluster", "day", "taken_at", "snapshot_id")


def _as_one_batch(first: pa.Table) -> pa.Table:
    """As many of the first snapshots as one batch takes; at least one, where there is one."""
    taken, replicas, rows, takeovers = 0, 0, 0, 0
    for one in first.select(["brokers", "replicas"]).to_pylist():
        replicas += one["replicas"]
        rows += comb(one["brokers"], 2)
        # At most: of each pair every other broker takes over something, and no more than are told of one snapshot.
        takeovers += min(3 * comb(one["brokers"], 3), PAIR_TAKEOVERS)
        if taken and (replicas > BATCH_REPLICAS or rows > BATCH_ROWS or takeovers > BATCH_TAKEOVERS):
            break
        taken += 1
    return first.slice(0, taken)


# ---- one batch ---------------------------------------------------------------------------------------------


def _sweep(spark: SparkSession, tables: Folder, batch: Staging, snapshots: pa.Table) -> None:
    """Compute the rows of these snapshots and commit them."""
    from pyspark.sql import functions as f

    jobs = _jobs(snapshots, cores=_cores(spark))
    days = sorted({(job.cluster, job.day) for job in jobs})
    found = (
        _rows(spark, tables, jobs, days)
        .repartitionById(len(jobs), f.col("job"))
        .mapInArrow(sweeper(jobs), spark_schema(lossy_schema()))
        .persist()
    )
    try:
        for name in ("copysets", "resilience"):
            rows = found.where(f.col("of") == name).select(*arrow_schema(name, with_keys=True).names)
            # A file a day, of all tasks that swept its snapshots.
            one_a_day = rows.repartition("cluster", "day")
            write(one_a_day, tables, batch.staging(name), row_group_bytes=_ROW_GROUP_BYTES)
    except BaseException:
        batch.abandon()
        raise
    finally:
        found.unpersist()
    batch.commit(days)  # stopped within, the next job completes it: nothing is to be abandoned here


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
                mode="kraft" if one["metadata"] == "kraft" else "zookeeper",
                share=share,
                shares=shares,
            )
            for share in range(shares)
        ]
    return jobs


def _rows(spark: SparkSession, tables: Folder, jobs: Sequence[Job], days: Sequence[ClusterDay]) -> DataFrame:
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
        told = read_days(spark, tables, name, days).where(f.col("snapshot_id").isin(list(numbers)))
        rows = rows.unionByName(told.select(its_jobs, f.lit(name).alias("source"), *columns), allowMissingColumns=True)
    return rows
