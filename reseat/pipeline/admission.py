"""What becomes of each landed file of a batch: taken, a duplicate of what is there, or rejected.

What it promises, ranked: (1) every file of the batch has one outcome; (2) of files that say the same the first by path
counts, in this batch or in one before; (3) what is collected here is bounded by the size of a batch.

How it works: Spark opens the files and makes a row of measures of each (``reseat.pipeline.decode``); of these rows the
identities alone come to the driver, and are compared with one another and with the ledger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from reseat.history.delta import delta_of
from reseat.history.folder import FileFact, Folder
from reseat.pipeline.decode import measured_schema, measurer
from reseat.pipeline.frames import ClusterDay, days_in, rows_on, spark_schema
from reseat.pipeline.ledger import AGAIN, month_of, name_of, taken_among, token_of
from reseat.pipeline.progress import Report
from reseat.pipeline.unreadable_files import UnreadableFile, refuse_unreadable, rows_of
from reseat.pipeline.work import AnyTurn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PORTION", "SHOWN", "SMALL_FILE", "Admission", "Job", "admit", "landed_files", "measured_files"]

#: The outcome of a file whose snapshot is in the tables, and whose row in the ledger is lacking: it is written now.
SHOWN = "shown"
#: A landed file of up to so many bytes, some 3,000 replicas, is small.
SMALL_FILE = 32_000
#: Small files whose replicas this process holds at once: a million and a half at most.
PORTION = 500


@dataclass(frozen=True, eq=False)
class Job:
    """What every step of a run needs.

    Attributes:
        spark: the session.
        landing: the landing zone.
        turn: its right to publish in the tables.
        report: is told how far the run is.
    """

    spark: SparkSession
    landing: Folder
    turn: AnyTurn
    report: Report

    @property
    def tables(self) -> Folder:
        """The tables."""
        return self.turn.tables


@dataclass(frozen=True, eq=False)
class Admission:
    """What becomes of a batch's files.

    Attributes:
        files: one row a file: ``path``, ``token``, ``cluster``, ``day``, ``snapshot_id``, ``outcome``,
            ``month`` (in which the ledger keeps it).
        unreadable: the rows of ``rejected`` of those that Spark did not read.
        small: whether none of the files is larger than ``SMALL_FILE``.
    """

    files: pa.Table
    unreadable: pa.Table
    small: bool = False

    def of(self, outcome: str) -> pa.Table:
        """The files of one outcome: ``taken``, ``duplicate``, ``rejected`` or ``SHOWN``."""
        return self.files.filter(pc.equal(self.files["outcome"], outcome))

    def count(self, outcome: str) -> int:
        """How many."""
        return int(self.of(outcome).num_rows)

    @property
    def ledger(self) -> pa.Table:
        """The rows of the ledger."""
        outcome = pc.if_else(pc.equal(self.files["outcome"], SHOWN), "taken", self.files["outcome"])
        return self.files.set_column(self.files.column_names.index("outcome"), "outcome", outcome)

    @cached_property
    def together(self) -> bool:
        """Whether files are small, and of no day too many to be held at once, so that this process writes the tables'.

        Spark takes 20 ms of CPU for a file, whatever is in it, and this process one.
        """
        by_day = self.of("taken").group_by(["cluster", "day"]).aggregate([([], "count_all")])
        return self.small and all(files <= PORTION for files in by_day["count_all"].to_pylist())

    @cached_property
    def days(self) -> list[ClusterDay]:
        """The clusters' days that get snapshots, ascending."""
        return days_in(self.of("taken"))


def measured_files(job: Job, paths: Sequence[str]) -> DataFrame:
    """A row of measures of each file that Spark can open."""
    schema = spark_schema(measured_schema())
    if not paths:
        return job.spark.createDataFrame([], schema)
    return landed_files(job, paths, strict=False).mapInArrow(measurer(job.landing.spark_url()), schema)


def landed_files(job: Job, paths: Sequence[str], *, strict: bool = True) -> DataFrame:
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


def admit(job: Job, files: list[FileFact], measured: DataFrame, unreadable: list[UnreadableFile]) -> Admission:
    """Decide what becomes of each file. What is collected here is bounded by the size of a batch.

    Args:
        job: the run.
        files: the batch.
        measured: a row of each file that Spark could open.
        unreadable: the files that Spark was not given.
    """
    told = measured.select("path", "cluster", "day", "snapshot_id").toArrow()
    seen = {*told["path"].to_pylist(), *(one.file.path for one in unreadable)}
    unreadable = [*unreadable, *refuse_unreadable(job.landing, [file for file in files if file.path not in seen])]
    further = pa.Table.from_pylist([{"path": name_of(one.file)} for one in unreadable], told.schema)
    told = pa.concat_tables([told, further]).sort_by("path")
    ids = told["snapshot_id"].combine_chunks()
    days = [day for day in told["day"].to_pylist() if day is not None]
    nothing = pa.array([False] * len(ids))
    there = pc.is_in(ids, taken_among(job.tables, ids, _month(min(days)))) if days else nothing
    first = pc.equal(pc.index_in(ids, ids), pa.array(range(len(ids)), pa.int32()))  # the first by path counts
    counts = pc.and_(first, pc.invert(there))
    shown = pc.is_in(ids, _shown_among(job.tables, told)) if days and delta_of(job.tables) is not None else nothing
    outcome = pc.case_when(
        pc.make_struct(pc.is_null(ids), pc.and_(counts, shown), counts),
        pa.scalar("rejected"),
        pa.scalar(SHOWN),
        pa.scalar("taken"),
        pa.scalar("duplicate"),
    )
    tokens = {name_of(file): token_of(file) for file in files} | {name_of(o.file): AGAIN for o in unreadable if o.again}
    token = pa.array([tokens[path] for path in told["path"].to_pylist()], pa.string())
    changed, now = {name_of(file): month_of(file) for file in files}, f"{datetime.now(UTC):%Y-%m}"
    months = [
        max(now, changed[row["path"]], _month(row["day"] or "")) for row in told.select(["path", "day"]).to_pylist()
    ]
    columns = {"token": token, "outcome": outcome, "month": pa.array(months, pa.string())}
    for name, values in columns.items():
        told = told.append_column(name, values)
    return Admission(told, rows_of(unreadable), all(file.size <= SMALL_FILE for file in files))


def _shown_among(tables: Folder, told: pa.Table) -> pa.ChunkedArray:
    """Of measured snapshots those that ``snapshots`` has already: a run was stopped before it wrote its ledger."""
    return rows_on(tables, "snapshots", days_in(told), ["snapshot_id"])["snapshot_id"]


def _month(day: str) -> str:
    """The month of a day, ``YYYY-MM``."""
    return day[:7]
