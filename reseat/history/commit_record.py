"""Which cluster-days are being rewritten at this moment: what the newest commit has written down.

Commits are numbered: each stands in the tables' private folder as ``commits/NUMBER.json``, made only where there was
none of that number, and what was there before is deleted (``reseat.pipeline.turns``). The newest one alone counts. It
is a record of what is being moved, from before the first change until after the last one; then it is an empty one.
While a record stands, a reader may see some of its files and not others; so a page can say for which clusters and days.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.places import PRIVATE

__all__ = ["COMMITS", "RUNS", "CommitRecord", "commit_numbers", "newest", "record_path", "unfinished"]

#: Where each batch prepares its files, in a folder of its own.
RUNS = f"{PRIVATE}/runs"
#: Where the numbered commits stand.
COMMITS = f"{PRIVATE}/commits"
_NUMBER = re.compile(rf"{re.escape(COMMITS)}/(\d+)\.json")
#: How often it is listed anew where the newest one was replaced since it was listed.
_LOOKS = 10


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What a commit will do; written whole before it does anything. One that says nothing: all is done.

    Attributes:
        add: (where a file was prepared, where it goes).
        remove: files that go, once all of ``add`` have come.
        cluster_days: (cluster, day) of all that it touches.
        batch: the name of the batch, and so of the folder in which its files were prepared.
        by: the job that wrote it, by a name that no other has.
    """

    add: tuple[tuple[str, str], ...] = ()
    remove: tuple[str, ...] = ()
    cluster_days: tuple[tuple[str, str], ...] = ()
    batch: str = ""
    by: str = ""

    def to_bytes(self) -> bytes:
        """The record as the JSON that is written."""
        told = {
            "by": self.by,
            "batch": self.batch,
            "add": self.add,
            "remove": self.remove,
            "cluster_days": self.cluster_days,
        }
        return json.dumps(told).encode()

    @classmethod
    def from_bytes(cls, data: bytes, source: str) -> CommitRecord:
        """A record as it was written.

        Raises:
            InputRefused: it is none; as it is written whole, the disk or a person did that.
        """
        try:
            told = json.loads(data)
            return cls(
                tuple((str(staged), str(final)) for staged, final in told["add"]),
                tuple(str(path) for path in told["remove"]),
                tuple((str(cluster), str(day)) for cluster, day in told["cluster_days"]),
                str(told.get("batch", "")),
                str(told.get("by", "")),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputRefused(
                "This is not a valid commit record, although records are written atomically. Restore the tables, or "
                "delete it and check whether the cluster-days written last are complete.",
                source=source,
            ) from error


def record_path(number: int) -> str:
    """Where the commit of a number stands."""
    return f"{COMMITS}/{number:012d}.json"


def commit_numbers(tables: Folder) -> list[int]:
    """The numbers of the commits that stand there, ascending; the last one counts.

    Raises:
        InputRefused: they cannot be listed.
    """
    named = (_NUMBER.fullmatch(one.path) for one in tables.files(COMMITS, ".json"))
    return sorted(int(one.group(1)) for one in named if one is not None)


def newest(tables: Folder) -> tuple[int, CommitRecord]:
    """The newest commit and its number; an empty one of number 0 where there was none yet.

    Raises:
        InputRefused: it cannot be read, or is none.
    """
    for _ in range(_LOOKS):
        numbers = commit_numbers(tables)
        if not numbers:
            return 0, CommitRecord()
        record = _read(tables, record_path(numbers[-1]))
        if record is not None:
            return numbers[-1], record
    raise InputRefused("The newest commit was replaced each time before it could be read.", source=tables.where)


def unfinished(tables: Folder) -> list[tuple[str, str]]:
    """The (cluster, day) that a commit is rewriting, or was rewriting when it was stopped; sorted.

    The next job completes what was stopped. Nearly always empty: a commit takes milliseconds a file.

    Raises:
        InputRefused: the folder cannot be read, or a record is none.
    """
    return sorted(set(newest(tables)[1].cluster_days))


def _read(tables: Folder, path: str) -> CommitRecord | None:
    """A record; None where it was carried out since it was listed."""
    try:
        data = tables.read(path)
    except InputRefused:
        if tables.exists(path):
            raise
        return None
    return CommitRecord.from_bytes(data, path)
