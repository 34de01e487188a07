"""``pipeline run``: landed files become rows, each snapshot exactly once.

What it promises, ranked:

1. After a run that completed, the tables hold every readable snapshot of the landing zone once, and ``changes`` between
   all that are neighbours in time; a crash anywhere, followed by a run, ends in the same tables.
2. A snapshot is what it says (cluster, time, layout), not its path: delivered twice it counts once.
3. A file is read once. One that cannot be read is a row of ``rejected`` and stops nothing; when it is replaced by
   another of its name, that one is read and the row goes. What is no file (a link, a pipe, a device) is left alone and
   said: no run follows it, or waits for it.

What it needs: a landing zone, a folder for the tables, a Spark session that sees both.

How it works: new files are those that the ledger does not name, looked for some folders at a time. They are taken in
batches, each of which is committed as a whole (``reseat.pipeline.commit``): one pass makes a row of measures of every
file, from which the small tables are unfolded; a second writes the replicas of the files that count; then the changes
of these snapshots, and of the ones after them, are computed from the tables. A snapshot that comes late changes what
the next one is compared with: that day's ``changes`` are written anew.

Complexity: two readings of each new file, one write of each table. What is asked of the tables' file system grows with
the clusters that have something new, and not with the fleet; listing the landing zone is a call a folder, and linear in
all its files, of which 100,000 are in memory at a time, or those of one folder.

Source: the commit is a write-ahead record, as databases and table formats keep one; ``docs/decisions/0016`` says why
neither Structured Streaming nor declarative pipelines keep these promises with less.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reseat.errors import InputRefused
from reseat.history.folder import FileFact, Folder
from reseat.history.parts import flat_of
from reseat.history.places import PRIVATE
from reseat.history.schema import TABLES, arrow_schema
from reseat.model.wording import counted, listed
from reseat.pipeline.admission import SHOWN, SMALL_FILE, Admission, Job, admit, measured_files
from reseat.pipeline.batch_tables import BatchChanges, fill_up, fresh_measures, write_rejected, write_snapshots
from reseat.pipeline.delta_commit import Overtaken
from reseat.pipeline.frames import days_known
from reseat.pipeline.ledger import unread_among
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.unreadable_files import not_for_spark
from reseat.pipeline.work import AnyTurn, at_work, begin
from reseat.sources.landing import landed_pieces

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["BATCH_BYTES", "BATCH_FILES", "RunReport", "run_on_demand"]

#: What one batch takes at most: as much as its facts and its measures may take in memory, and as little as a crash
#: should cost.
BATCH_FILES = 4_000
BATCH_BYTES = 2 << 30
#: New files that are looked for before the first of them are taken in.
LOOK_AHEAD = 100_000
#: How often a batch is begun anew that another run was faster with.
_AGAIN = 5
#: What lies in the folder of the tables, by its first name.
_OF_TABLES = frozenset({PRIVATE, *(one.name for one in TABLES)})


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
        closed: why a folder of the landing zone cannot be listed, a file cannot be looked at or waits for its time, or
            something is no file (a link, a pipe), by its path; all are left alone, and a later run looks at them again.
        seconds: how long it took, Spark's start not included.
    """

    new: int = 0
    taken: int = 0
    duplicates: int = 0
    rejected: int = 0
    days: int = 0
    batches: int = 0
    healed: tuple[str, ...] = ()
    closed: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def sentence(self) -> str:
        """The same for a person."""
        closed = [f"{path} ({reason})" for path, reason in sorted(self.closed.items())]
        left_out = f" Not ingested: {listed(closed)}." if closed else ""
        if not self.new:
            return f"No new files.{left_out}" if closed else "No new files: every saved snapshot is in the tables."
        told = [f"{counted(self.taken, 'snapshot')} ingested"]
        if self.duplicates:
            told.append(f"{counted(self.duplicates, 'file')} already ingested")
        if self.rejected:
            told.append(f"{counted(self.rejected, 'file')} could not be read (see table rejected)")
        return f"{counted(self.new, 'new file')}: {', '.join(told)}. {self.seconds:.1f} s.{left_out}"


def run_on_demand(
    session: Callable[[int], SparkSession],
    landing: Folder,
    tables: Folder,
    *,
    report: Report = silent,
    batch_files: int = BATCH_FILES,
    batch_bytes: int = BATCH_BYTES,
) -> RunReport:
    """Take every new file of a landing zone into the tables.

    Args:
        session: gives the session, once there is a new file; is told how many bytes of new files wait at least.
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
    waited = 0.0
    done = RunReport()
    with at_work(tables, "pipeline run", report) as turn:
        done = replace(done, healed=turn.healed)
        report(JobProgress("list", 0, None, f"Looking for new files in {landing.where}."))
        closed: dict[str, str] = {}
        found = 0
        for new in _new_files(landing, tables, closed):
            found += len(new)
            asked = time.monotonic()
            job = Job(session(sum(file.size for file in new)), landing, turn, report)
            waited += time.monotonic() - asked
            for files in _batches(new, batch_files, batch_bytes):
                admission = _take_once(job, files, so_far=done.new, of=found)
                done = replace(
                    done,
                    new=done.new + admission.files.num_rows,
                    taken=done.taken + admission.count("taken"),
                    duplicates=done.duplicates + admission.count("duplicate") + admission.count(SHOWN),
                    rejected=done.rejected + admission.count("rejected"),
                    days=done.days + len(admission.days),
                    batches=done.batches + 1,
                )
        if not found and not flat_of(tables, "rejected"):
            _commit_nothing(turn)
    return replace(done, closed=closed, seconds=time.monotonic() - began - waited)


# ---- which files -------------------------------------------------------------------------------------------


def _check_apart(landing: Folder, tables: Folder) -> None:
    """Refuse tables whose files would be listed as landed, and a landing zone among the tables' own files.

    Raises:
        InputRefused: one of the two lies where it must not.
    """
    zone, place = (f"{_true_place(folder)}/" for folder in (landing, tables))
    if zone.startswith(place) and zone[len(place) :].partition("/")[0] in _OF_TABLES:
        raise InputRefused(
            "The landing zone would be inside the folder of the tables, where files are replaced and deleted; choose a "
            "folder next to it.",
            source=landing.where,
        )
    if place.startswith(zone) and not any(part[:1] in ("_", ".") for part in place[len(zone) :].split("/")):
        raise InputRefused(
            "The tables would be inside the landing zone, where every file counts as a snapshot; choose a folder next "
            "to it.",
            source=tables.where,
        )


def _true_place(folder: Folder) -> str:
    """Where a folder lies, links followed; without a slash at the end."""
    there = folder.spark_url() if folder.local is None else os.path.realpath(folder.local)
    return there.rstrip("/")


def _new_files(landing: Folder, tables: Folder, closed: dict[str, str]) -> Iterator[list[FileFact]]:
    """The files that no run has read, some at a time.

    A folder that cannot be listed keeps no other's files back: it is told in ``closed``.
    """
    new: list[FileFact] = []
    for files in landed_pieces(landing, closed=closed):
        new += unread_among(tables, files)
        if len(new) >= LOOK_AHEAD:
            yield new
            new = []
    if new:
        yield new


def _batches(files: Sequence[FileFact], most_files: int, most_bytes: int) -> Iterator[list[FileFact]]:
    """Some files at a time, small ones apart from others: their tables are written in another way."""
    batch: list[FileFact] = []
    size = 0
    for file in sorted(files, key=lambda one: one.size > SMALL_FILE):
        apart = batch and (batch[-1].size > SMALL_FILE) != (file.size > SMALL_FILE)
        if batch and (apart or len(batch) >= most_files or size + file.size > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file.size
    if batch:
        yield batch


# ---- one batch ---------------------------------------------------------------------------------------------


def _take_once(job: Job, files: list[FileFact], *, so_far: int, of: int) -> Admission:
    """Read one batch of files and commit it; again where another run took snapshots of the same clusters meanwhile."""
    for _ in range(_AGAIN):
        try:
            return _take(job, files, so_far=so_far, of=of)
        except Overtaken as overtaken:
            job.report(JobProgress("again", so_far, of, f"{overtaken} Trying once more."))
            files = unread_among(job.tables, files)
    return _take(job, files, so_far=so_far, of=of)


def _take(job: Job, files: list[FileFact], *, so_far: int, of: int) -> Admission:
    """Read one batch of files, and commit what comes of it."""

    def say(step: str, sentence: str) -> None:
        job.report(JobProgress(step, so_far, of, sentence))

    unreadable = [one for one in (not_for_spark(job.landing, file) for file in files) if one is not None]
    kept_back = {one.file.path for one in unreadable}
    measured = measured_files(job, [file.path for file in files if file.path not in kept_back]).persist()
    batch = begin(job.turn)
    with batch.filling(), ExitStack() as kept:
        kept.callback(measured.unpersist)
        say("read", f"Reading and measuring {counted(len(files), 'file')}.")
        admission = admit(job, files, measured, unreadable)
        write_rejected(job, batch, measured, admission)
        if taken := admission.count("taken"):
            fresh = fresh_measures(job, measured, admission)
            there = days_known(job.tables, {cluster for cluster, _ in admission.days})
            with closing(BatchChanges(job, batch, fresh, admission, there)) as changes:
                say("write", f"Writing the tables of {counted(taken, 'snapshot')}.")
                write_snapshots(job, batch, fresh, admission, beside=changes.find)
                say("changes", f"Comparing {counted(taken, 'snapshot')} with the snapshots before and after.")
                rewritten = changes.write()
            fill_up(job.tables, batch, admission.days, there, rewritten)
        batch.record(admission.ledger)
    say("commit", f"Committing {counted(len(admission.days), 'cluster-day')}.")
    batch.commit(admission.days)
    job.report(
        JobProgress("commit", so_far + len(files), of, f"{so_far + len(files):,} of {counted(of, 'file')} done.")
    )
    return admission


def _commit_nothing(turn: AnyTurn) -> None:
    """Make the one table that is there also where nothing was ever landed."""
    batch = begin(turn)
    batch.stage_table("rejected", arrow_schema("rejected").empty_table())
    batch.commit([])
