"""Which cluster-days are being rewritten at this moment: what a commit that is under way has written down.

A commit's record stands in the tables' private folder from before its first change until after its last one
(``reseat.pipeline.commit``). While it stands, a reader may see some of its files and not others; so a page can say for
which clusters and days.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.places import PRIVATE

__all__ = ["RUNS", "CommitRecord", "record_path", "unfinished"]

#: Where each batch prepares its files, in a folder of its own.
RUNS = f"{PRIVATE}/runs"


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """What a commit will do; written whole before it does anything.

    Attributes:
        add: (where a file was prepared, where it goes).
        remove: files that go.
        cluster_days: (cluster, day) of all that it touches.
    """

    add: tuple[tuple[str, str], ...]
    remove: tuple[str, ...]
    cluster_days: tuple[tuple[str, str], ...]

    def to_bytes(self) -> bytes:
        """The record as the JSON that is written."""
        told = {"add": self.add, "remove": self.remove, "cluster_days": self.cluster_days}
        return json.dumps(told, indent=0).encode()

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
            )
        except (ValueError, KeyError, TypeError) as error:
            raise InputRefused(
                "This is no record of a commit, though these are written whole. Restore the tables, or delete its "
                "folder and look whether the cluster-days that were last written are complete.",
                source=source,
            ) from error


def record_path(batch: str) -> str:
    """Where a batch's record stands."""
    return f"{RUNS}/{batch}/commit.json"


def unfinished(tables: Folder) -> list[tuple[str, str]]:
    """The (cluster, day) that a commit is rewriting, or was rewriting when it was stopped; sorted.

    The next job completes what was stopped. Nearly always empty: a commit takes milliseconds a file.

    Raises:
        InputRefused: the folder cannot be read, or a record is none.
    """
    found: set[tuple[str, str]] = set()
    for batch in tables.folders(RUNS):
        path = record_path(batch)
        if not tables.exists(path):
            continue
        try:
            data = tables.read(path)
        except InputRefused:
            if tables.exists(path):
                raise
            continue  # carried out since it was listed
        found.update(CommitRecord.from_bytes(data, path).cluster_days)
    return sorted(found)
