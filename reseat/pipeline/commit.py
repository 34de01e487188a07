"""The commit: many files of many tables appear and disappear together, although no file system can do that.

What it promises, in this order:

1. Stopped at any moment (kill -9, a full disk, power lost), or asleep for however long, and followed by another job,
   the tables are either those from before the batch or those from after it, nothing else.
2. Only whole files, prepared by a write that succeeded, are published: never what Spark leaves of a failed one.
3. A reader who opens a table while no commit is being carried out sees exactly the rows that count, by listing alone.
4. While one is carried out, :func:`reseat.history.commit_record.unfinished` names the cluster-days in which it may see
   a mixture.

What it needs: a turn (``reseat.pipeline.turns``); files once published never change.

How it works, a write-ahead record over renames:

1. :meth:`Batch.begin` names a folder ``_reseat/runs/BATCH``. Spark and the driver write everything of the batch into
   it, each table in the folders that it will have; readers of data sets overlook it.
2. :meth:`Batch.commit` lists what was written, forces it to disk, and has its record written whole: which files move
   to which place, which are removed, which cluster-days that touches. This is the moment of commitment: the record is
   made under the number that follows the job's last one, and no two jobs make the same.
3. The record is carried out (``reseat.pipeline.publishing``): moves, a look, then removes.
4. The next number, empty, says that it is complete. Then the folder goes.

:func:`reseat.pipeline.turns.take_turn`, before every job: what the newest record says is carried out again from its
first step; a folder that none names is deleted.

Example: a late snapshot gives ``changes/cluster=a/day=2026-05-01`` one new file instead of another, and five tables
one file more: ``add`` holds ``["_reseat/runs/B/changes/cluster=a/day=2026-05-01/part-0.parquet",
"changes/cluster=a/day=2026-05-01/B-00000.parquet"]`` and five like it, ``remove`` holds
``"changes/cluster=a/day=2026-05-01/A-00000.parquet"``, ``cluster_days`` holds ``["a", "2026-05-01"]``.

Source: write-ahead logging with redo only (Mohan et al., ARIES, ACM TODS 1992), and the publishing of prepared files
as in Hadoop's and Spark's output committers.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.commit_record import RUNS, CommitRecord
from reseat.pipeline.ledger import LEDGER
from reseat.pipeline.publishing import parent
from reseat.pipeline.staging import STAGED, Staging, cluster_day_of, new_name
from reseat.pipeline.turns import Turn

__all__ = ["Batch"]


class Batch(Staging):
    """What one job adds to plain tables and takes from them, all at once or not at all."""

    def __init__(self, turn: Turn, name: str) -> None:
        super().__init__(turn.tables, name)
        self._turn = turn
        self._decided = False

    @classmethod
    def begin(cls, turn: Turn, *, mark: str = "") -> Batch:
        """A new batch, with nothing in it.

        Args:
            turn: the job's right to publish it.
            mark: ends its name, and so tells later who wrote a file.
        """
        return cls(turn, new_name(datetime.now(UTC), mark))

    def staging(self, name: str) -> str:
        """Where the batch's files of a table are written; see :class:`Staging`.

        Raises:
            KeyError: there is no table of that name.
        """
        if name not in STAGED:
            raise KeyError(name)
        return f"{RUNS}/{self.id}/{name}"

    def staged(self, name: str = "") -> list[str]:
        """The files that were staged so far; see :class:`Staging`. What lies in no table's folder is among them."""
        under = self.staging(name) if name else f"{RUNS}/{self.id}"
        return [one.path for one in self._tables.files(under, ".parquet")]

    def remove(self, paths: Iterable[str]) -> None:
        """Take published files away at the commit; paths relative to the tables.

        Raises:
            InputRefused: a path is none of a published file.
        """
        for path in paths:
            _cluster_day(path)
            self._remove.add(path)

    def commit(self, cluster_days: Iterable[tuple[str, str]] = ()) -> CommitRecord:
        """Publish all that was staged and remove all that was to be removed.

        Args:
            cluster_days: further (cluster, day) that readers should be warned of; those of the files are known.

        Returns:
            What was done.

        Raises:
            InputRefused: a staged file lies in a folder that is none of a table (then nothing was published), or
                publishing was stopped by the file system (then the next job completes it).
            PipelineBusy: another job has taken over; of this batch nothing was published.
        """
        home = f"{RUNS}/{self.id}/"
        staged = self.staged()
        add = tuple((path, _final(path[len(home) :], self.id, n)) for n, path in enumerate(staged))
        touched = {_cluster_day(path) for path in (*self._remove, *(final for _, final in add))} - {None}
        days = sorted({*cluster_days, *(one for one in touched if one is not None)})
        record = CommitRecord(add, tuple(sorted(self._remove)), tuple(days), self.id)
        if not add and not record.remove:
            self.abandon()
            return CommitRecord()
        # Spark does not force its files to disk; without this a machine that dies could keep the names and lose the
        # content.
        self._tables.settle([*staged, *sorted({parent(path) for path in staged})])
        self._decided = True
        try:
            self._turn.publish(record)
        except PipelineBusy:
            self._decided = False
            with suppress(InputRefused):  # a later job deletes it
                self.abandon()
            raise
        return record

    def abandon(self) -> None:
        """Delete what was staged; the tables stay as they are.

        Does nothing once the commitment was begun: its record may stand even where writing it seemed to fail (an
        object store's answer was lost), and then only the next job may say what becomes of the batch.

        Raises:
            InputRefused: it cannot be deleted; the next job will.
        """
        if self._decided:
            return
        self._tables.delete_folder(f"{RUNS}/{self.id}")


def _final(path: str, batch: str, number: int) -> str:
    """Where a staged file will lie, from its path in the batch's folder."""
    name, *folders = path.split("/")[:-1]
    home = LEDGER if name == "ledger" else name
    final = "/".join([home, *folders, f"{batch}-{number:05d}.parquet"])
    _cluster_day(final)
    return final


def _cluster_day(path: str) -> tuple[str, str] | None:
    """The (cluster, day) of a published file; None: its table is not partitioned.

    Raises:
        InputRefused: it lies in a folder that is none of a table.
    """
    if path.startswith(f"{LEDGER}/"):
        return cluster_day_of("ledger", path[len(LEDGER) + 1 :])
    name, _, inside = path.partition("/")
    return cluster_day_of("" if name == "ledger" else name, inside)
