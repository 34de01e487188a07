"""The ledger: every landed file that was handled, and what became of it. It makes a second run read only new files.

What it promises, ranked: (1) it changes only by the commit that also publishes the rows, so that it never says more, or
less, than the tables hold; (2) what it is asked for takes memory for the question and its answer alone, however long
the ledger has become; (3) of old parts of it, a run that takes in new snapshots opens none.

A file is known by its path and its token (size and time of change): landed files never change, and one that did is
another. A ``snapshot_id`` that the ledger calls taken stays taken when retention has thinned its rows out of the
tables.

How it works: a row lies in the folder of a month, the last of three: that in which it is written, that in which the
file was changed last, and that in which the snapshot was taken. So what is known of a file, or of a snapshot, is never
in a month before its own, whatever clock was wrong, and a question reads from the earliest month that it asks about.
Within a month the files are read in a stream, from which the rows asked for are chosen.

Example: a snapshot of 31 May that is landed and taken in on 2 June has its row in ``month=2026-06``. Delivered again in
August it is looked for from ``2026-05`` on.

Complexity: a question reads the months from its earliest on: 4 million rows a month for 1,000 clusters that land a
snapshot every ten minutes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from reseat.errors import InputRefused
from reseat.history.folder import FileFact, Folder
from reseat.history.parts import flat_of
from reseat.history.places import PRIVATE
from reseat.model.wording import reason_of

__all__ = [
    "AGAIN",
    "LEDGER",
    "LEDGER_SCHEMA",
    "OUTCOMES",
    "by_month",
    "is_ledger",
    "month_of",
    "name_of",
    "taken_among",
    "token_of",
    "unread_among",
]

#: Its folder.
LEDGER = f"{PRIVATE}/ledger"
#: What can become of a landed file.
OUTCOMES = ("taken", "duplicate", "rejected")
#: path: relative to the landing zone; snapshot_id: null where rejected.
LEDGER_SCHEMA = pa.schema(
    [
        pa.field("path", pa.string()),
        pa.field("token", pa.string()),
        pa.field("outcome", pa.string()),
        pa.field("snapshot_id", pa.string()),
    ]
)
#: The token of a file that the next run tries again; no file has it.
AGAIN = "again"
_MONTH = re.compile(rf"{re.escape(LEDGER)}/(?:batch=[^/]*/)?month=(\d{{4}}-\d\d)")
#: What is read ahead of what is asked for, so that it takes little memory.
_ROWS_AT_ONCE, _AHEAD = 32_768, 2
_LAST_NS = 253_402_300_799 * 10**9  # the last second of the year 9999


def name_of(file: FileFact) -> str:
    """A file's path as text; bytes of a name that are no UTF-8 in hexadecimal."""
    return os.fsencode(file.path).decode("utf-8", "backslashreplace")


def token_of(file: FileFact) -> str:
    """What tells a file from another one of its name."""
    return f"{file.size}-{file.modified_ns}"


def month_of(file: FileFact) -> str:
    """The month of a file's last change, ``YYYY-MM``; the first one of all where its time is not known."""
    return f"{datetime.fromtimestamp(min(max(file.modified_ns, 0), _LAST_NS) // 10**9, UTC):%Y-%m}"


def is_ledger(folder: str) -> bool:
    """Whether files of the ledger lie in a folder, relative to the tables. Early ones lay outside the months."""
    return folder == LEDGER or _MONTH.fullmatch(folder) is not None


def unread_among(tables: Folder, files: Sequence[FileFact]) -> list[FileFact]:
    """Of listed files those that no run has read: which are new, or were replaced since, or are to be tried again.

    Args:
        tables: the tables.
        files: in any order, in which they are returned.

    Raises:
        InputRefused: the ledger cannot be read.
    """
    if not files:
        return []
    paths = pa.array([name_of(file) for file in files], pa.string())
    ends = pc.min_max(paths).as_py()
    asked = pc.field("path")
    # The range beside the names: by it groups of rows are passed over.
    chosen = (asked >= ends["min"]) & (asked <= ends["max"]) & asked.isin(paths)
    known = _asked(tables, min(map(month_of, files)), ["path", "token"], chosen)
    keys = pc.binary_join_element_wise(paths, pa.array(list(map(token_of, files)), pa.string()), "\n")
    read = pc.is_in(keys, pc.binary_join_element_wise(known["path"], known["token"], "\n"))
    return [files[at] for at in pc.indices_nonzero(pc.invert(read)).to_pylist()]


def taken_among(tables: Folder, ids: pa.Array, since: str) -> pa.ChunkedArray:
    """Of some snapshots' ids those that were taken into the tables, be it that retention has thinned them out since.

    Args:
        tables: the tables.
        ids: the ids; nulls are none.
        since: the first month in which one of these snapshots was taken, ``YYYY-MM``.

    Raises:
        InputRefused: the ledger cannot be read.
    """
    chosen = (pc.field("outcome") == "taken") & pc.field("snapshot_id").isin(ids.drop_null())
    return _asked(tables, since, ["snapshot_id"], chosen)["snapshot_id"]


def by_month(rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Rows as the ledger keeps them, by the month in whose folder they lie.

    Args:
        rows: its columns, and ``month``, ``YYYY-MM``.

    Raises:
        InputRefused: a column is missing, an outcome is none, or a month is none.
    """
    missing = [name for name in (*LEDGER_SCHEMA.names, "month") if name not in rows.column_names]
    if missing:
        raise InputRefused(f"The ledger's rows lack {', '.join(missing)}.")
    strange = sorted({str(one) for one in rows["outcome"].unique().to_pylist()} - set(OUTCOMES))
    if strange:
        raise InputRefused(f"{strange[0]!r} is not an outcome; {', '.join(OUTCOMES)} were expected.")
    for month in sorted(map(str, rows["month"].unique().to_pylist())):
        if not is_ledger(f"{LEDGER}/month={month}"):
            raise InputRefused(f"{month!r} is not a month; YYYY-MM was expected.")
        yield month, rows.filter(pc.equal(rows["month"], month)).select(LEDGER_SCHEMA.names).cast(LEDGER_SCHEMA)


def _asked(tables: Folder, since: str, columns: list[str], chosen: pc.Expression) -> pa.Table:
    """The rows that are asked for, from a month on."""
    files = [one.path for one in flat_of(tables, "ledger") if _may_hold(one.path, since)]
    try:
        rows = tables.open_dataset(files, schema=LEDGER_SCHEMA, partitioned=False)
        return rows.scanner(
            columns=columns, filter=chosen, batch_size=_ROWS_AT_ONCE, batch_readahead=_AHEAD, fragment_readahead=_AHEAD
        ).to_table()
    except (OSError, pa.ArrowException) as error:
        raise InputRefused(
            f"The ledger cannot be read: {reason_of(error)}.", source=f"{tables.where}/{LEDGER}"
        ) from error


def _may_hold(path: str, since: str) -> bool:
    month = _MONTH.match(path)
    return month is None or month.group(1) >= since
