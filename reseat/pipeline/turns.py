"""Whose turn it is to publish: each job takes a number, and with it what every job before it may still do.

What it promises, in this order:

1. Of two jobs on the same tables, whatever their clocks and however long one of them slept, no two publish side by
   side: what a job decided before another took over is published once, and after that it publishes nothing more.
2. A batch that was decided is completed by the next job, whoever decided it.
What it needs: a folder of this machine, or a mount, on which a file of one name is made only once (``Folder.create``).
The lock (``reseat.pipeline.lock``) spares jobs the work; the first two promises do not rest on it. Tables elsewhere are
Delta tables and need no turns (``reseat.pipeline.delta_commit``).

How it works: commits are numbered, and the newest one alone counts. A job takes its turn by making the next number,
empty, after it has completed what the newest one says. It publishes by making the next number with its record, and is
done by making the one after that, empty again. Each time it makes the number that follows its own last one, so it fails
where another job has made that one meanwhile: the number is the token that fences it off. Numbers below the newest one
are deleted. A job that slept for long may so find its next number free; it therefore looks once more after it made one,
and where a higher one stands, its own never counted, as readers go by the newest.

Example: job A has made 7 and writes its files. It sleeps; its lock lapses. Job B takes over: it makes 8. A wakes and
cannot make 8. Had B in the meantime done all its work and left 10 alone, A could make 8, sees 10, and takes 8 back.

Source: fencing tokens as in Chubby's sequencers (Burrows, OSDI 2006); the numbered log made by puts on condition, as
table formats on object stores have it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from reseat.errors import InputRefused, PipelineBusy
from reseat.history.commit_record import RUNS, CommitRecord, commit_numbers, newest, record_path
from reseat.history.folder import Folder
from reseat.model.wording import counted
from reseat.pipeline.progress import JobProgress, Report, silent
from reseat.pipeline.publishing import carry_out

__all__ = ["Turn", "take_turn"]

#: How often a number is asked for that others are just making.
_TRIES = 5


class Turn:
    """A job's right to publish, until another job takes the next turn.

    Attributes:
        tables: the tables.
        healed: what earlier jobs had left, and what is to be known of this store; one sentence each.
    """

    def __init__(self, tables: Folder, number: int, healed: tuple[str, ...]) -> None:
        self.tables = tables
        self.healed = healed
        self._number = number
        self._by = secrets.token_hex(8)

    def publish(self, record: CommitRecord) -> None:
        """Decide a batch, and do what its record says.

        Raises:
            PipelineBusy: another job has taken over. What this one had decided before that is published.
            InputRefused: it cannot be written, or it is not known whether it was; the next job completes it then.
        """
        if not self._make(record):
            raise _overtaken()
        _complete(self.tables, self._number, record)
        if not self._make(CommitRecord()):
            raise _overtaken()

    def _make(self, record: CommitRecord) -> bool:
        """Make the next number; False where another job has."""
        number = self._number + 1
        path, data = record_path(number), replace(record, by=self._by).to_bytes()
        # A put whose answer was lost is sent again, and then refused for what it did itself.
        ours = self.tables.create(path, data) or self._says(path) == data
        numbers = commit_numbers(self.tables)
        if not ours or numbers[-1] > number:
            if ours:
                self.tables.delete(path)
            return False
        self._number = number
        for old in numbers[:-1]:
            self.tables.delete(record_path(old))
        return True

    def _says(self, path: str) -> bytes | None:
        try:
            return self.tables.read(path)
        except InputRefused:
            if self.tables.exists(path):
                raise
            return None


def take_turn(tables: Folder, report: Report = silent) -> Turn:
    """Complete or clear away what earlier jobs left, and take the next turn. Call it first, with the lock held.

    Args:
        tables: the tables.
        report: is told what was completed or cleared away.

    Raises:
        PipelineBusy: others take turns faster.
        InputRefused: a commit cannot be completed: the file system refuses, or a file of it is gone.
    """
    healed: list[str] = []
    for _ in range(_TRIES):
        number, record = newest(tables)
        if record.batch:
            _complete(tables, number, record)
            healed.append(_completed(record.batch, record))
        # Staged by jobs before the number that is made next; whoever takes over after it begins a batch of its own.
        staged = tables.folders(RUNS)
        turn = Turn(tables, number, ())
        if turn._make(CommitRecord()):
            break
    else:
        raise _overtaken()
    turn.healed = (*healed, *_cleared(tables, staged))
    for sentence in turn.healed:
        report(JobProgress("heal", 0, None, sentence))
    return turn


def _complete(tables: Folder, number: int, record: CommitRecord) -> None:
    """Carry out a record, and delete what is left of its batch's folder.

    Raises:
        PipelineBusy: another job went on meanwhile; it has completed the record before.
        InputRefused: it cannot be completed.
    """
    try:
        carry_out(tables, record)
    except InputRefused:
        if commit_numbers(tables)[-1] != number:
            raise _overtaken() from None
        raise
    _forget(tables, record.batch)


def _forget(tables: Folder, batch: str) -> None:
    with suppress(InputRefused):  # the batch is complete; what is left of its folder, a later job deletes
        tables.delete_folder(f"{RUNS}/{batch}")


def _cleared(tables: Folder, staged: Iterable[str]) -> list[str]:
    """Delete the staging of jobs that ended without a word, and say so.

    Every job before ours is fenced off by now, and the lock tells that they are gone: nothing of theirs will count.

    Args:
        tables: the tables.
        staged: batches that were there before our number was made.
    """
    healed = []
    for batch in staged:
        try:
            tables.delete_folder(f"{RUNS}/{batch}")
        except InputRefused as error:
            # A worker of the dead job may still write there. Nothing of it counts; the next job tries again.
            healed.append(f"Batch {batch} was stopped before it was published; its files could not be deleted: {error}")
        else:
            healed.append(f"Batch {batch} was stopped before it was published; its files were deleted.")
    return healed


def _completed(batch: str, record: CommitRecord) -> str:
    return (
        f"Batch {batch} was stopped while it was published; it is now complete: {counted(len(record.add), 'file')} "
        f"added, {len(record.remove):,} removed, {counted(len(record.cluster_days), 'cluster-day')}."
    )


def _overtaken() -> PipelineBusy:
    return PipelineBusy(
        "Another job has taken over the tables, because this one sent no heartbeat for a while. Start it again: what "
        "it had committed is published, and nothing else."
    )
