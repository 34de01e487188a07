"""The ledger: every landed file that was handled, and what became of it. It makes a second run read only new files.

It lies in the tables' private folder and changes only by the commit that also publishes the rows, so that it never
says more, or less, than the tables hold. A file is known by its path and its token (size and time of change): landed
files never change, and one that did is another. A ``snapshot_id`` that the ledger calls taken stays taken when
retention has thinned its rows out of the tables.
"""

from __future__ import annotations

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.places import PRIVATE

__all__ = ["LEDGER", "LEDGER_SCHEMA", "OUTCOMES", "ledger_rows", "read_ledger"]

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


def read_ledger(tables: Folder) -> pa.Table:
    """All rows of the ledger, empty where nothing was handled yet.

    Raises:
        InputRefused: it cannot be read.
    """
    files = [one.path for one in tables.files(LEDGER, ".parquet")]
    try:
        return tables.open_dataset(files, schema=LEDGER_SCHEMA, partitioned=False).to_table()
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())[:300]
        raise InputRefused(f"The ledger cannot be read: {reason}.", source=f"{tables.where}/{LEDGER}") from error


def ledger_rows(rows: pa.Table) -> pa.Table:
    """Rows as the ledger keeps them.

    Raises:
        InputRefused: a column is missing, or an outcome is none.
    """
    missing = [name for name in LEDGER_SCHEMA.names if name not in rows.column_names]
    if missing:
        raise InputRefused(f"The ledger's rows lack {', '.join(missing)}.")
    chosen = rows.select(LEDGER_SCHEMA.names).cast(LEDGER_SCHEMA)
    strange = sorted({str(one) for one in chosen["outcome"].unique().to_pylist()} - set(OUTCOMES))
    if strange:
        raise InputRefused(f"{strange[0]!r} is no outcome; {', '.join(OUTCOMES)} were expected.")
    return chosen
