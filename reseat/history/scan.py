"""Parquet files of one table -> rows: columns and filter pushed down, and a second look where files went away.

A compaction puts one file in the place of many; whoever listed them just before finds them gone, and lists them once
again. Whatever else goes wrong is one sentence that names the table.

Complexity: O(bytes of the columns of the row groups that can meet the filter).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.folder import Folder
from reseat.history.schema import arrow_schema, table
from reseat.model.wording import reason_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["COUNTED", "Gather", "counted", "frame", "looking_again", "none_of", "read_listed"]

#: Makes a table of batches of rows.
Gather = Callable[[Iterator[pa.RecordBatch]], pa.Table]
_Read = TypeVar("_Read")
#: What ``counted`` counts changes by, where nobody says what.
COUNTED = ("taken_at", "kind")


def read_listed(
    tables: Folder,
    name: str,
    listed: Callable[[], list[str]],
    columns: Sequence[str] | None = None,
    *,
    filter: Any = None,  # noqa: A002
    gather: Gather | None = None,
) -> pa.Table:
    """Read the files that are listed; where one is gone by then, list and read once again.

    Args:
        tables: the tables' folder.
        name: the table.
        listed: lists its files, relative to the folder.
        columns: only these; None: all, with ``cluster`` and ``day`` in front where the table is partitioned.
        filter: a ``pyarrow.compute.Expression`` that rows must meet.
        gather: makes the answer of batches as they are read; None: all rows.

    Raises:
        InputRefused: they cannot be read, or were gone twice.
    """
    schema = arrow_schema(name, with_keys=True)
    wanted = None if columns is None else list(columns)

    def read() -> pa.Table:
        paths = listed()
        if not paths:
            return none_of(name, columns, gather)
        data = tables.open_dataset(paths, schema=schema, partitioned=table(name).partitioned)
        if gather is not None:
            return gather(data.to_batches(columns=wanted, filter=filter))
        return data.to_table(columns=wanted, filter=filter)

    return looking_again(tables, name, read)


def looking_again(tables: Folder, name: str, read: Callable[[], _Read]) -> _Read:
    """What ``read`` gives, which lists files and reads them; asked once again where one is gone by then.

    Args:
        tables: the tables' folder.
        name: the table.
        read: lists and reads.

    Raises:
        InputRefused: it cannot be read, or was gone twice.
    """
    looks_again = True
    while True:
        try:
            return read()
        except (OSError, pa.ArrowException) as error:
            if looks_again and isinstance(error, OSError):  # FileNotFoundError here, and what S3 answers there
                looks_again = False
                continue
            raise InputRefused(
                f"The table {name} cannot be read: {reason_of(error)}. If a run is in progress, try again once it is "
                "over; if one was stopped, run the pipeline again. No run repairs a damaged file: move the folder of "
                "the tables away, and a run rebuilds them from the landing zone.",
                source=tables.where,
            ) from error


def none_of(name: str, columns: Sequence[str] | None = None, gather: Gather | None = None) -> pa.Table:
    """No row of a table, with the columns asked for, or what ``gather`` makes of that."""
    rows = arrow_schema(name, with_keys=True).empty_table()
    rows = rows if columns is None else rows.select(list(columns))
    return rows if gather is None else gather(iter(rows.to_batches()))


def frame(rows: pa.Table) -> pd.DataFrame:
    """Rows as a pandas table in which numbers that are not told stay ``NA`` and the others stay whole.

    Args:
        rows: rows of any table; lists become objects.
    """
    import pandas as pd

    kinds = {
        pa.int64(): pd.Int64Dtype(),
        pa.int32(): pd.Int32Dtype(),
        pa.bool_(): pd.BooleanDtype(),
        pa.float64(): pd.Float64Dtype(),
    }
    made: pd.DataFrame = rows.to_pandas(types_mapper=kinds.get)
    return made


def counted(batches: Iterator[pa.RecordBatch], by: Sequence[str] = COUNTED) -> pa.Table:
    """How often each combination of these columns of ``changes`` stands in batches; what is counted is never long."""
    keys = list(by)
    none = arrow_schema("changes").empty_table().select(keys)
    sums = none.append_column("changes", pa.array([], pa.int64()))
    for batch in batches:
        new = pa.table(batch).group_by(keys).aggregate([([], "count_all")]).rename_columns([*keys, "changes"])
        both = pa.concat_tables([sums, new]).group_by(keys).aggregate([("changes", "sum")])
        sums = both.rename_columns([*keys, "changes"])
    return sums
