"""What a commit's record says, done: its files get their places, and then those that they replace go.

What it promises, in this order: (1) nothing is removed before all that was to be added is seen in its place, so that no
row is ever in neither; (2) each step may be repeated, by whoever finds the record: names are unique, so a file that is
not where it was prepared has been moved, one that is gone was removed, and no step undoes another.

Complexity: O(files), a few system calls each, and, only where files go, a look at each that came.
"""

from __future__ import annotations

from reseat.errors import InputRefused
from reseat.history.commit_record import CommitRecord
from reseat.history.folder import Folder

__all__ = ["carry_out", "parent"]


def carry_out(tables: Folder, record: CommitRecord) -> None:
    """Do what a record says, from whatever point an earlier attempt reached.

    Raises:
        InputRefused: the file system refuses, or a file that was to be added is nowhere. Then nothing was removed.
    """
    tables.each(lambda one: _publish(tables, *one), record.add)
    homes = {parent(final) for _, final in record.add}
    tables.settle(sorted(homes))
    if not record.remove:
        return
    for _, final in record.add:
        if not tables.exists(final):
            raise _lost(tables, final)
    tables.each(tables.delete, record.remove)
    for day in sorted({parent(path) for path in record.remove} - homes):
        folder = day
        while "/" in folder and tables.delete_empty(folder):  # up to the table's own folder, which stays
            folder = parent(folder)


def _publish(tables: Folder, staged: str, final: str) -> None:
    try:
        tables.move(staged, final)
    except InputRefused:
        if tables.exists(staged):
            raise
        if not tables.exists(final):
            raise _lost(tables, final) from None


def _lost(tables: Folder, final: str) -> InputRefused:
    return InputRefused(
        "A commit cannot be completed: neither this file nor the file prepared for it exists. Nothing was removed. "
        "Restore it, or delete the record that names it and run again.",
        source=f"{tables.where}/{final}",
    )


def parent(path: str) -> str:
    """The folder that a path of the tables lies in."""
    return path.rpartition("/")[0]
