"""``pipeline run``: landed files become rows, each snapshot exactly once.

What it promises, ranked:

1. After a run that completed, the tables hold every readable snapshot of the landing zone once, and ``changes`` between
   all that are neighbours in time; a crash anywhere, followed by a run, ends in the same tables.
2. A snapshot is what it says (cluster, time, layout), not its path: delivered twice it counts once.
3. A file is read once. One that cannot be read is a row of ``rejected`` and stops nothing; when it is replaced by
   another of its name, that one is read and the row goes.

What it needs: a landing zone, a folder for the tables, a Spark session that sees both.

How it works: new files are those that the ledger does not name. They are taken in batches, each of which is committed
as a whole (``reseat.pipeline.commit``): one pass makes a row of measures of every file, from which the small tables are
unfolded; a second writes the replicas of the files that count; then the changes of these snapshots, and of the ones
after them, are computed from the tables. A snapshot that comes late changes what the next one is compared with: that
day's ``changes`` are written anew.

Complexity: two readings of each new file, one write of each table; listing the landing zone is linear in all its files.

Source: the commit is a write-ahead record, as databases and table formats keep one; ``docs/decisions/0016`` says why
neither Structured Streaming nor declarative pipelines keep these promises with less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from reseat.errors import InputRefused
from reseat.history.folder import FileFact, Folder
from reseat.history.schema import TABLES, arrow_schema, table
from reseat.model.wording import counted
from reseat.pipeline.changes import changes_between, neighbours
from reseat.pipeline.commit import Batch, read_ledger, recover
from reseat.pipeline.decode import measured_schema, measurer, replica_reader
from reseat.pipeline.frames import ClusterDay, day_folder, days_of, read_days, read_flat, spark_schema, write
from reseat.pipeline.lock import hold
from reseat.pipeline.measures import SMALL_TABLES
from reseat.pipeline.progress import Progress, Report, silent
from reseat.pipeline.side_by_side import side_by_side
from reseat.pipeline.unread import AGAIN, Unread, name_of, not_for_spark, refuse_unread, rows_of
from reseat.sources.landing import sweep_parts

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["BATCH_BYTES", "BATCH_FILES", "RunReport", "run"]

#: What one batch takes at most: as much as its facts and its measures may take in memory, and as little as a crash
#: should cost.
BATCH_FILES = 4_000
BATCH_BYTES = 2 << 30
#: Tables written side by side.
_WRITERS = 4


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did.

    Attributes:
        new: landed files that no run before had read, or that had been replaced.
        taken: snapshots that came into the tables.
        duplicates: files whose snapshot was there already.
        rejected: files that cannot be read.
        days: clusters' days that changed.
        batches: commits.
        healed: what an earlier run had left behind, in words.
        seconds: how long it took, Spark's start not included.
    """

    new: int = 0
    taken: int = 0
    duplicates: int = 0
    rejected: int = 0
    days: int = 0
    batches: int = 0
    healed: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The same for a person."""
        if not self.new:
            return "No new file: the tables hold all that was landed."
        told = [f"{counted(self.taken, 'snapshot')} taken in"]
        if self.duplicates:
            told.append(f"{counted(self.duplicates, 'file')} said what was there already")
        if self.rejected:
            told.append(f"{counted(self.rejected, 'file')} could not be read (table rejected says why)")
        return f"{counted(self.new, 'new file')}: {', '.join(told)}. {self.seconds:.1f} s."


@dataclass(frozen=True, eq=False)
class _Job:
    """What every step of a run needs."""

    spark: SparkSession
    landing: Folder
    tables: Folder
    report: Report
    guard: Callable[[], None]


@dataclass(frozen=True, eq=False)
class _Verdict:
    """What becomes of a batch's files.

    Attributes:
        files: one row a file: ``path``, ``token``, ``cluster``, ``day``, ``snapshot_id``, ``outcome``.
        unread: the rows of ``rejected`` of those that Spark did not read.
    """

    files: pa.Table
    unread: pa.Table

    def of(self, outcome: str) -> pa.Table:
        """The files of one outcome: ``taken``, ``duplicate`` or ``rejected``."""
        return self.files.filter(pc.equal(self.files["outcome"], outcome))

    def count(self, outcome: str) -> int:
        """How many."""
        return int(self.of(outcome).num_rows)

    @property
    def days(self) -> list[ClusterDay]:
        """The clusters' days that get snapshots, ascending."""
        taken = self.of("taken").select(["cluster", "day"]).to_pylist()
        return sorted({(row["cluster"], row["day"]) for row in taken})


def run(
    spark: SparkSession,
    landing: Folder,
    tables: Folder,
    *,
    report: Report = silent,
    batch_files: int = BATCH_FILES,
    batch_bytes: int = BATCH_BYTES,
) -> RunReport:
    """Take every new file of a landing zone into the tables.

    Args:
        spark: the session (``reseat.pipeline.session``).
        landing: the landing zone.
        tables: the folder of the tables, made where it does not exist.
        report: is told how far the run is.
        batch_files: files of one batch.
        batch_bytes: bytes of one batch; one file may be larger.

    Returns:
        What was done.

    Raises:
        PipelineBusy: another job works on these tables.
        InputRefused: a folder cannot be read or written, or the tables lie in the landing zone.
        SparkFailed: Spark does not see files that are there.
    """
    _check_apart(landing, tables)
    began = time.monotonic()
    done = RunReport()
    with hold(tables, "pipeline run") as held:
        job = _Job(spark, landing, tables, report, held.check)
        done = replace(done, healed=tuple(recover(tables)))
        for sentence in done.healed:
            report(Progress("heal", 0, None, sentence))
        report(Progress("list", 0, None, f"Looking for new files in {landing.where}."))
        sweep_parts(landing)
        new, replaced = _new_files(landing, tables)
        if not new and not tables.files("rejected", suffix=".parquet"):
            _commit_nothing(job)
        for files in _batches(new, batch_files, batch_bytes):
            verdict = _take(job, files, replaced, so_far=done.taken + done.duplicates + done.rejected, of=len(new))
            done = replace(
                done,
                new=len(new),
                taken=done.taken + verdict.count("taken"),
                duplicates=done.duplicates + verdict.count("duplicate"),
                rejected=done.rejected + verdict.count("rejected"),
                days=done.days + len(verdict.days),
                batches=done.batches + 1,
            )
    return replace(done, seconds=time.monotonic() - began)


# ---- which files -------------------------------------------------------------------------------------------


def _check_apart(landing: Folder, tables: Folder) -> None:
    """Refuse tables whose files would be listed as landed.

    Raises:
        InputRefused: they lie in the landing zone.
    """
    zone, place = (f"{folder.spark_url().rstrip('/')}/" for folder in (landing, tables))
    if place.startswith(zone) and not any(part[:1] in ("_", ".") for part in place[len(zone) :].split("/")):
        raise InputRefused(
            "The tables would lie in the landing zone, where every file is taken for a snapshot; choose a folder "
            "beside it.",
            source=tables.where,
        )


def _token(file: FileFact) -> str:
    """What tells a file from another one of its name."""
    return f"{file.size}-{file.modified_ns}"


def _new_files(landing: Folder, tables: Folder) -> tuple[list[FileFact], frozenset[str]]:
    """The files that no run has read, in the order of their paths, and the paths of those that were replaced since."""
    files = landing.files()
    paths = pa.array([name_of(file) for file in files], pa.string())
    keys = pc.binary_join_element_wise(paths, pa.array([_token(file) for file in files], pa.string()), "\n")
    ledger = read_ledger(tables)
    known = pc.is_in(keys, pc.binary_join_element_wise(ledger["path"], ledger["token"], "\n"))
    new = [files[at] for at in pc.indices_nonzero(pc.invert(known)).to_pylist()]
    read_before = pc.and_(pc.invert(known), pc.is_in(paths, ledger["path"]))
    return new, frozenset(paths.filter(read_before).to_pylist())


def _batches(files: Sequence[FileFact], most_files: int, most_bytes: int) -> Iterator[list[FileFact]]:
    batch: list[FileFact] = []
    size = 0
    for file in files:
        if batch and (len(batch) >= most_files or size + file.size > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


# ---- one batch ---------------------------------------------------------------------------------------------


def _take(job: _Job, files: list[FileFact], replaced: frozenset[str], *, so_far: int, of: int) -> _Verdict:
    """Read one batch of files, and commit what comes of it."""

    def say(step: str, sentence: str) -> None:
        job.report(Progress(step, so_far, of, sentence))

    unread = [one for one in (not_for_spark(job.landing, file) for file in files) if one is not None]
    kept_back = {one.file.path for one in unread}
    measured = _measured(job, [file.path for file in files if file.path not in kept_back]).persist()
    batch = Batch.begin(job.tables, guard=job.guard)
    try:
        say("read", f"Reading and measuring {counted(len(files), 'file')}.")
        verdict = _judge(job, files, measured, unread)
        taken = verdict.of("taken")["path"].to_pylist()
        say("write", f"Writing the tables of {counted(len(taken), 'snapshot')}.")
        _write_snapshots(job, batch, measured, taken)
        _write_rejected(job, batch, measured, verdict, replaced.intersection(name_of(file) for file in files))
        if taken:
            say("changes", f"Comparing {counted(len(taken), 'snapshot')} with what came before and after.")
            _write_changes(job, batch, verdict)
            _fill_up(job.tables, batch, verdict.days)
        batch.record(verdict.files.select(["path", "token", "outcome", "snapshot_id"]))
    except BaseException:
        with suppress(InputRefused):  # a worker may still write there: the next job deletes it
            batch.abandon()
        raise
    finally:
        measured.unpersist()
    say("commit", f"Committing {counted(len(verdict.days), 'day')} of clusters.")
    batch.commit(verdict.days)  # stopped within, the next job completes it: nothing is to be abandoned here
    job.report(Progress("commit", so_far + len(files), of, f"{so_far + len(files):,} of {counted(of, 'file')} done."))
    return verdict


def _measured(job: _Job, paths: Sequence[str]) -> DataFrame:
    """A row of measures of each file that Spark can open."""
    schema = spark_schema(measured_schema())
    if not paths:
        return job.spark.createDataFrame([], schema)
    return _files(job, paths, strict=False).mapInArrow(measurer(job.landing.spark_url()), schema)


def _files(job: _Job, paths: Sequence[str], *, strict: bool = True) -> DataFrame:
    """Landed files as ``path``, ``length`` and ``content``, a row each.

    Args:
        job: the run.
        paths: at least one; none is of an empty file, which Spark overlooks.
        strict: whether a file that cannot be opened stops the job; else it has no row.
    """
    reader = (
        job.spark.read.format("binaryFile")
        .option("ignoreCorruptFiles", str(not strict).lower())
        .option("ignoreMissingFiles", str(not strict).lower())
        # Names are taken as they are: a bracket or a star in one is no pattern.
        .option("__globPaths__", "false")
        # No partitions are looked for in their paths; looking for them lists files of one folder twice.
        .option("recursiveFileLookup", "true")
    )
    if job.landing.local is not None:
        # Hadoop looks for a checksum beside each local file: one of no meaning would stop the job, and the name that it
        # looks for cannot be where a file's own has a colon, as a time has.
        reader = reader.option("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
        reader = reader.option("fs.file.impl.disable.cache", "true")
    return reader.load([job.landing.spark_url(path) for path in paths]).select("path", "length", "content")


def _judge(job: _Job, files: list[FileFact], measured: DataFrame, unread: list[Unread]) -> _Verdict:
    """Decide what becomes of each file. What is collected here is bounded by the size of a batch.

    Args:
        job: the run.
        files: the batch.
        measured: a row of each file that Spark could open.
        unread: the files that Spark was not given.
    """
    told = measured.select("path", "cluster", "day", "snapshot_id").toArrow()
    seen = {*told["path"].to_pylist(), *(one.file.path for one in unread)}
    unread = [*unread, *refuse_unread(job.landing, [file for file in files if file.path not in seen])]
    further = pa.Table.from_pylist([{"path": name_of(one.file)} for one in unread], told.schema)
    told = pa.concat_tables([told, further]).sort_by("path")
    ids = told["snapshot_id"].combine_chunks()
    ledger = read_ledger(job.tables)
    there = pc.is_in(ids, ledger.filter(pc.equal(ledger["outcome"], "taken"))["snapshot_id"])
    first = pc.equal(pc.index_in(ids, ids), pa.array(range(len(ids)), pa.int32()))  # the first by path counts
    counts = pc.and_(first, pc.invert(there))
    outcome = pc.case_when(
        pc.make_struct(pc.is_null(ids), counts), pa.scalar("rejected"), pa.scalar("taken"), pa.scalar("duplicate")
    )
    tokens = {name_of(file): _token(file) for file in files} | {name_of(o.file): AGAIN for o in unread if o.again}
    token = pa.array([tokens[path] for path in told["path"].to_pylist()], pa.string())
    return _Verdict(told.append_column("token", token).append_column("outcome", outcome), rows_of(unread))


def _write_snapshots(job: _Job, batch: Batch, measured: DataFrame, taken: list[str]) -> None:
    """Write the tables that are made of one snapshot alone."""
    from pyspark.sql import functions as f

    if not taken:
        return
    counting = measured.join(
        f.broadcast(job.spark.createDataFrame(pa.table({"path": pa.array(taken, pa.string())}))), "path", "left_semi"
    )

    def unfold(name: str) -> None:
        rows = counting.select("cluster", "day", "snapshot_id", "taken_at", f.inline(name))
        write(rows.select(*arrow_schema(name, with_keys=True).names), job.tables, batch.staging(name))

    def replicas() -> None:
        rows = _files(job, taken).mapInArrow(
            replica_reader(job.landing.spark_url()), spark_schema(arrow_schema("replicas", with_keys=True))
        )
        write(rows, job.tables, batch.staging("replicas"))

    side_by_side(job.spark, [replicas, *(partial(unfold, name) for name in SMALL_TABLES)], _WRITERS)


def _write_rejected(job: _Job, batch: Batch, measured: DataFrame, verdict: _Verdict, replaced: frozenset[str]) -> None:
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


def _commit_nothing(job: _Job) -> None:
    """Make the one table that is there also where nothing was ever landed."""
    batch = Batch.begin(job.tables, guard=job.guard)
    batch.stage_table("rejected", arrow_schema("rejected").empty_table())
    batch.commit([])


# ---- changes -----------------------------------------------------------------------------------------------


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


def _write_changes(job: _Job, batch: Batch, verdict: _Verdict) -> None:
    """Compare every new snapshot with the one before it, and the one after it with the new one."""
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
            return
        needed = sorted({(row["cluster"], row[day]) for row in told for day in ("day", "previous_day")})
        rows = changes_between(pairs, both("brokers", needed), both("topic_spread", needed), both("replicas", needed))
        taken = set(verdict.of("taken")["snapshot_id"].to_pylist())
        again = sorted({(row["cluster"], row["day"]) for row in told if row["snapshot_id"] not in taken})
        stale = [file.path for day in again for file in job.tables.files(day_folder("changes", day), suffix=".parquet")]
        if stale:
            kept = read_days(job.spark, job.tables, "changes", again).join(
                f.broadcast(pairs.select("snapshot_id")), "snapshot_id", "left_anti"
            )
            rows = rows.unionByName(kept.select(*rows.columns))
            batch.remove(stale)
        # A file a day: changes are few beside what they are made of.
        write(rows.repartition("cluster", "day"), job.tables, batch.staging("changes"))
    finally:
        pairs.unpersist()


def _fill_up(tables: Folder, batch: Batch, days: Sequence[ClusterDay]) -> None:
    """Give every table a file, be it without rows, for every day of the batch: a plain read finds them all."""
    home = _home(batch)
    staged = {file.path.rpartition("/")[0] for file in tables.files(home, suffix=".parquet")}
    for one in TABLES:
        if not one.partitioned:
            continue
        for day in days:
            folder = day_folder(one.name, day)
            if f"{home}/{folder}" in staged or tables.files(folder, suffix=".parquet"):
                continue
            batch.stage_table(one.name, arrow_schema(one.name).empty_table(), cluster=day[0], day=day[1])


def _home(batch: Batch) -> str:
    """Where the tables' folders lie while they are a batch's."""
    return batch.staging("snapshots").rpartition("/")[0]
