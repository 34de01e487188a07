"""Retention: all snapshots of the last days are kept, and before them the last one of each day.

What it promises, in this order:

1. Every snapshot of the last ``keep_days`` whole days stays, and at least one of every day that had one.
2. Afterwards the tables are those of a history in which only the snapshots kept were ever landed: their rows in every
   table, and ``changes`` between those that are neighbours now.
3. What was taken out never comes back: the ledger still calls it taken.
4. Done twice, the second time changes nothing; stopped, what was published stays and the next time goes on.

A day is a UTC day, as in the folders' names, and is thinned out once all of it is older than ``keep_days`` days. Its
last snapshot is the one kept: it is what the day came to, so that ``changes`` between kept ones are each day's net.
The landing zone is not touched: its files may be deleted by whoever keeps them, once they are in the ledger.

How it works: of each old day with more than one snapshot, every table's files are written anew with the rows of the
last one (``reseat.pipeline.upkeep.rewriting``). What was before that one went, so its ``changes`` are computed again,
from the last one of the day before it that had any. No other snapshot loses its predecessor: that of a day's first one
is a day's last. A bundle of days is one commit.

A tiny example: snapshots a, b on Monday and c, d on Tuesday; Monday is old. Kept are b, c, d. ``changes`` of b goes, as
nothing is before it; those of c (from b) and d (from c) stay as they are. Once Tuesday is old, c goes and ``changes``
of d is computed from b.

Complexity: one read of the days that are thinned out, one write of what is kept of them; in memory the names and times
of one cluster's snapshots, and the names of all days that are to be thinned out.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.parts import Part, clusters_of, parts_of
from reseat.history.scan import read_listed
from reseat.history.schema import TABLES
from reseat.model.wording import counted, verb
from reseat.pipeline.changes import Comparison
from reseat.pipeline.frames import ClusterDay, read_days, read_files
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.spark.side_by_side import side_by_side
from reseat.pipeline.staging import Staging
from reseat.pipeline.upkeep.rewriting import WRITERS, FileGroup, bundles, keep_one_file, rewrite, write_sorted
from reseat.pipeline.work import at_work, begin

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["RetentionReport", "retain"]

_NAMES = tuple(one.name for one in TABLES if one.partitioned)
#: Days whose files are listed ahead of the bundles that they are put into.
_DAYS_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class RetentionReport:
    """What a retention did.

    Attributes:
        removed: snapshots that were taken out of the tables.
        kept: snapshots that are in them now.
        days: clusters' days that were thinned out.
        batches: commits.
        healed: what an earlier job had left behind, in words.
        seconds: how long it took, Spark's start not included.
    """

    removed: int = 0
    kept: int = 0
    days: int = 0
    batches: int = 0
    healed: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The same for a person."""
        if not self.removed:
            return f"Nothing to remove: {counted(self.kept, 'snapshot')}, each recent or the last of its day."
        return (
            f"{counted(self.removed, 'snapshot')} of {counted(self.days, 'old day')} removed, the last of each day "
            f"kept; {counted(self.kept, 'snapshot')} {verb(self.kept, 'remains', 'remain')}. {self.seconds:.1f} s."
        )


@dataclass(frozen=True, slots=True)
class _Known:
    """One snapshot that is in the tables."""

    cluster: str
    day: str
    taken_at: datetime
    snapshot_id: str

    @property
    def cluster_day(self) -> ClusterDay:
        return self.cluster, self.day


@dataclass(frozen=True, eq=False)
class _Step:
    """Some days that are thinned out together.

    Attributes:
        last: the last snapshot of each of them, which stays, by day.
        before: the one that is before it now, where there is one.
    """

    spark: SparkSession
    tables: Folder
    batch: Staging
    last: dict[ClusterDay, _Known]
    before: dict[ClusterDay, _Known]

    def kept(self) -> Callable[[DataFrame], DataFrame]:
        """Chooses of the rows of these days those of the snapshots that stay."""
        from pyspark.sql import functions as f

        names = pa.array([one.snapshot_id for one in self.last.values()], pa.string())
        ids = f.broadcast(self.spark.createDataFrame(pa.table({"snapshot_id": names})))
        return lambda rows: rows.join(ids, "snapshot_id", "left_semi")


def retain(
    spark: SparkSession,
    tables: Folder,
    *,
    keep_days: int,
    now: datetime | None = None,
    report: Report = silent,
) -> RetentionReport:
    """Thin out what is old: one snapshot a day stays.

    Args:
        spark: the session (``reseat.pipeline.spark.session``).
        tables: the tables.
        keep_days: days of which all snapshots stay; at least 1.
        now: from when they are counted back; None: this moment.
        report: is told how far it is.

    Returns:
        What was done.

    Raises:
        PipelineBusy: another job works on these tables.
        InputRefused: ``keep_days`` is none, or the folder cannot be read or written.
    """
    if keep_days < 1:
        raise InputRefused(f"{keep_days} days cannot be kept; a number from 1 on was expected.")
    began = time.monotonic()
    first_kept_day = f"{(now or datetime.now(UTC)).astimezone(UTC) - timedelta(days=keep_days):%Y-%m-%d}"
    with at_work(tables, "pipeline retain", report) as turn:
        report(JobProgress("list", 0, None, f"Looking for days before {first_kept_day} with more than one snapshot."))
        crowded, total = _crowded(tables, first_kept_day)
        done = removed = batches = 0
        for bundle in bundles(_weighed(tables, crowded)):
            days = {group.day for group in bundle if group.day is not None}
            removed += _thin(spark, tables, begin(turn), days)
            done, batches = done + len(days), batches + 1
            words = f"{done:,} of {counted(len(crowded), 'old day')} thinned out."
            report(JobProgress("retain", done, len(crowded), words))
    return RetentionReport(removed, total - removed, len(crowded), batches, turn.healed, time.monotonic() - began)


def _known(tables: Folder, cluster: str) -> list[_Known]:
    """A cluster's snapshots in the order of time."""
    rows = read_listed(
        tables,
        "snapshots",
        lambda: [one.path for one in parts_of(tables, "snapshots", clusters=[cluster])],
        ["cluster", "day", "taken_at", "snapshot_id"],
    )
    return sorted((_Known(**row) for row in rows.to_pylist()), key=lambda one: (one.taken_at, one.snapshot_id))


def _crowded(tables: Folder, first_kept_day: str) -> tuple[list[ClusterDay], int]:
    """The old days with more than one snapshot, and how many snapshots there are in all."""
    crowded: list[ClusterDay] = []
    total = 0
    for cluster in clusters_of(tables):
        known = _known(tables, cluster)
        counts = Counter(one.cluster_day for one in known)
        crowded += sorted(key for key, count in counts.items() if count > 1 and key[1] < first_kept_day)
        total += len(known)
    return crowded, total


def _weighed(tables: Folder, days: Sequence[ClusterDay]) -> Iterator[FileGroup]:
    """Days with the files of all their tables, to be put into bundles."""
    for start in range(0, len(days), _DAYS_AT_ONCE):
        some = days[start : start + _DAYS_AT_ONCE]
        asked = [(name, day) for day in some for name in _NAMES]
        found = dict(zip(asked, tables.each(lambda one: _files(tables, *one), asked), strict=True))
        yield from (FileGroup("", day, tuple(file for name in _NAMES for file in found[name, day])) for day in some)


def _thin(spark: SparkSession, tables: Folder, batch: Staging, days: Collection[ClusterDay]) -> int:
    """Take all but the last snapshot of some days out of all tables, and say how many that were."""
    step = _Step(spark, tables, batch, {}, {})
    removed = 0
    for cluster in sorted({cluster for cluster, _ in days}):
        known = _known(tables, cluster)
        last = {one.cluster_day: one for one in known}
        left = [one for one in known if one.cluster_day not in days or one is last[one.cluster_day]]
        step.last.update({day: one for day, one in last.items() if day in days})
        step.before.update({one.cluster_day: before for before, one in pairwise(left) if one.cluster_day in days})
        removed += len(known) - len(left)
    with batch.filling():
        groups = [found for name in _NAMES if name != "changes" and (found := _file_groups(tables, name, days))]
        kept = step.kept()
        side_by_side(spark, [partial(rewrite, spark, tables, batch, found, kept) for found in groups], WRITERS)
        _compare_again(step)
    batch.commit()
    return removed


def _compare_again(step: _Step) -> None:
    """Stage ``changes`` of the days: those of their last snapshots from what is before them now."""
    if step.before:
        with closing(Comparison(_pairs(step), _rows(step, "topic_spread"))) as compared:
            rows = compared.changes(_rows(step, "brokers"), _rows(step, "replicas"))
            write_sorted(rows, step.tables, step.batch, "changes")
    step.batch.remove(path for group in _file_groups(step.tables, "changes", step.last) for path in group.paths)
    keep_one_file(step.batch, "changes", step.last)


def _rows(step: _Step, name: str) -> DataFrame:
    """The rows of a table, of the last snapshots of these days and of those before them.

    What is staged of the days is read; a day before them that is not thinned out now has one snapshot: it always had,
    or was thinned out earlier.
    """
    earlier = {before.cluster_day for before in step.before.values()} - step.last.keys()
    there = read_days(step.spark, step.tables, name, earlier)
    days = {step.batch.day_folder(name, day) for day in step.last}
    staged = [path for path in step.batch.staged(name) if path.rpartition("/")[0] in days]
    return there.unionByName(read_files(step.spark, step.tables, name, staged, base=step.batch.staging(name)))


def _pairs(step: _Step) -> pa.Table:
    """The neighbours that were none, as ``Comparison`` takes them."""
    compared = [(step.last[day], before) for day, before in step.before.items()]
    incomplete = set(_rows(step, "snapshots").where("incomplete").select("snapshot_id").toArrow()[0].to_pylist())
    moment = pa.timestamp("us", tz="UTC")
    columns: dict[str, pa.Array] = {"cluster": pa.array([one.cluster for one, _ in compared], pa.string())}
    for start, side in (("", 0), ("previous_", 1)):
        snapshots = [pair[side] for pair in compared]
        columns[f"{start}day"] = pa.array([one.day for one in snapshots], pa.string())
        columns[f"{start}snapshot_id"] = pa.array([one.snapshot_id for one in snapshots], pa.string())
        columns[f"{start}taken_at"] = pa.array([one.taken_at for one in snapshots], moment)
        columns[f"{start}incomplete"] = pa.array([one.snapshot_id in incomplete for one in snapshots])
    return pa.table(columns)


def _file_groups(tables: Folder, name: str, days: Iterable[ClusterDay]) -> list[FileGroup]:
    """The days of which a table has files."""
    asked = sorted(days)
    found = zip(asked, tables.each(lambda day: _files(tables, name, day), asked), strict=True)
    return [FileGroup(name, day, tuple(files)) for day, files in found if files]


def _files(tables: Folder, name: str, day: ClusterDay) -> tuple[Part, ...]:
    return parts_of(tables, name, clusters=[day[0]], days=[day[1]])
