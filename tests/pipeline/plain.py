"""What a plain read of all tables gives: the rows, sorted, and the folders that files lie in."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable
from pyarrow import parquet

from reseat.history.folder import Folder
from reseat.history.opening import delta_options
from reseat.history.schema import TABLES, arrow_schema

__all__ = ["folders", "in_file", "ledger", "of_delta", "read", "rows"]


def rows(tables: Folder) -> dict[str, list[str]]:
    """All rows of all tables by table, each as text, sorted: equal where two places say the same."""
    if tables.exists("snapshots/_delta_log"):
        return {table.name: _delta_rows(tables, table.name) for table in TABLES}
    found = {}
    for table in TABLES:
        files = [tables.path(one.path) for one in tables.files(table.name)]
        if not files:
            found[table.name] = []
            continue
        schema = arrow_schema(table.name, with_keys=True)
        read = ds.dataset(files, schema=schema, filesystem=tables.fs, partitioning=_HIVE, format="parquet")
        found[table.name] = sorted(map(str, read.to_table().to_pylist()))
    return found


def _delta_rows(tables: Folder, name: str) -> list[str]:
    """The same of a Delta table."""
    return sorted(map(str, of_delta(tables, name).to_pylist())) if tables.exists(f"{name}/_delta_log") else []


def of_delta(tables: Folder, name: str) -> pa.Table:
    """A Delta table, as a program reads it that knows Delta and nothing of Reseat."""
    table = DeltaTable(f"{tables.where.rstrip('/')}/{name}", storage_options=delta_options(tables.place, os.environ))
    schema = arrow_schema(name, with_keys=True)
    return table.to_pyarrow_table().select(schema.names).cast(schema)


def read(tables: Folder, name: str) -> list[dict[str, Any]]:
    """The rows of one table, as a program that knows nothing of Reseat reads them."""
    if tables.local is None:
        return list(of_delta(tables, name).to_pylist())
    return list(ds.dataset(tables.path(name), partitioning="hive").to_table().to_pylist())


def folders(tables: Folder) -> list[str]:
    """The folders in which files lie, one entry a file."""
    return sorted(one.path.rpartition("/")[0] for one in tables.files())


def ledger(tables: Folder) -> list[dict[str, Any]]:
    """All rows of the ledger, file by file."""
    return [row for one in tables.files("_reseat/ledger") for row in in_file(tables, one.path)]


def in_file(tables: Folder, path: str) -> list[dict[str, object]]:
    """The rows of one file as they lie in it."""
    return list(parquet.ParquetFile(tables.path(path), filesystem=tables.fs).read().to_pylist())


_HIVE = ds.partitioning(
    arrow_schema("snapshots", with_keys=True).empty_table().select(["cluster", "day"]).schema, flavor="hive"
)
