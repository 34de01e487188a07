"""What is behind a report for programs: every table and every figure, as CSV and as Parquet, with all rows.

Promises: the numbers themselves, not as they are written for a person; nothing where a value is not told; one name a
file, made of the chapter's and the table's or figure's.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import numpy as np

from reseat.report.behind import csv_of, table_of
from reseat.report.content import Column, Report, Table

__all__ = ["data_files", "parquet_of"]


def data_files(report: Report) -> Iterator[tuple[str, bytes]]:
    """(file name, bytes) of all, made one after the other."""
    for chapter in report.chapters:
        tables = [(one.slug, one) for one in chapter.tables]
        tables += [(f"{one.slug}-figure", table_of(one)) for one in chapter.figures]
        for slug, table in tables:
            name = slug if slug.split("-")[0] == chapter.kind.value else f"{chapter.kind.value}-{slug}"
            yield f"{name}.csv", csv_of(table).encode()
            yield f"{name}.parquet", parquet_of(table)


def parquet_of(table: Table) -> bytes:
    """A table as a Parquet file; columns are called as in the report, units stand in their metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays = [_array(column) for column in table.columns]
    told = [
        pa.field(column.name, array.type, metadata={"unit": column.unit} if column.unit else None)
        for column, array in zip(table.columns, arrays, strict=True)
    ]
    out = io.BytesIO()
    pq.write_table(pa.table(arrays, schema=pa.schema(told, {"title": table.title})), out, compression="zstd")
    return out.getvalue()


def _array(column: Column) -> Any:
    import pyarrow as pa

    values = column.values
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        return pa.array(values, mask=np.isnan(values))
    if isinstance(values, np.ndarray) and values.dtype.kind != "O":
        return pa.array(values)
    told = list(values)
    kinds = {type(value) for value in told if value is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:
        told = [None if value is None else str(value) for value in told]
    if float in kinds:
        told = [None if value is None or np.isnan(value) else value for value in told]
    return pa.array(told, pa.string() if not kinds else None)
