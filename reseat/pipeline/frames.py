"""Tables as Spark frames: which folders are read, with which types, and how rows are written back.

The types of columns are those of ``reseat.history.schema`` and never guessed: a cluster called ``007`` stays text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from reseat.history.delta import delta_of
from reseat.history.folder import Folder
from reseat.history.parts import days_of, parts_of
from reseat.history.scan import read_listed
from reseat.history.schema import PARTITION_KEYS, arrow_schema, table
from reseat.pipeline.staging import day_in

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = [
    "ClusterDay",
    "day_folder",
    "days_in",
    "days_known",
    "empty",
    "frame_of",
    "paths_on",
    "read_days",
    "read_files",
    "read_flat",
    "rows_on",
    "spark_schema",
    "write",
]

#: A cluster and a day of it, as text: what one folder of a table holds.
ClusterDay = tuple[str, str]


def spark_schema(schema: pa.Schema) -> StructType:
    """The same schema for Spark."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def day_folder(name: str, day: ClusterDay) -> str:
    """Where a cluster's day of a table lies, relative to the tables."""
    return f"{name}/{day_in(day)}"


def days_known(tables: Folder, clusters: Collection[str]) -> set[ClusterDay]:
    """The days of which the tables hold something of some clusters."""
    return {(cluster, day) for cluster, days in days_of(tables, clusters).items() for day in days}


def days_in(rows: pa.Table) -> list[ClusterDay]:
    """The days of rows that have ``cluster`` and ``day``, in order; rows without a day have none."""
    found = zip(rows["cluster"].to_pylist(), rows["day"].to_pylist(), strict=True)
    return sorted({(cluster, day) for cluster, day in found if day is not None})


def empty(spark: SparkSession, name: str) -> DataFrame:
    """A table without rows."""
    return spark.createDataFrame(arrow_schema(name, with_keys=True).empty_table())


def frame_of(spark: SparkSession, rows: pa.Table) -> DataFrame:
    """Rows that this process holds. In one piece: Spark takes none after a piece without rows."""
    return spark.createDataFrame(rows.combine_chunks())


def read_days(spark: SparkSession, tables: Folder, name: str, days: Collection[ClusterDay]) -> DataFrame:
    """The rows of some clusters' days. In plain folders nothing is listed here: Spark does, many folders at a time.

    Args:
        spark: the session.
        tables: the tables.
        name: which table; a partitioned one.
        days: which days; all of them exist (``days_known``).

    Returns:
        ``cluster``, ``day`` and the table's columns.
    """
    if delta_of(tables) is None:
        return _read(spark, tables, name, [day_folder(name, day) for day in sorted(days)], name)
    return read_files(spark, tables, name, paths_on(tables, name, days))


def paths_on(tables: Folder, name: str, days: Collection[ClusterDay]) -> list[str]:
    """The files of a table on some clusters' days, in order; in plain folders a listing a day."""
    asked = set(days)
    if delta_of(tables) is not None:
        found = parts_of(tables, name, clusters=sorted({cluster for cluster, _ in asked}))
        return [part.path for part in found if (part.cluster, part.day) in asked]
    listed = tables.each(lambda day: tables.files(day_folder(name, day), suffix=".parquet"), sorted(asked))
    return [file.path for files in listed for file in files]


def rows_on(
    tables: Folder, name: str, days: Collection[ClusterDay], columns: Sequence[str] | None = None, chosen: Any = None
) -> pa.Table:
    """The rows of some clusters' days, read by this process.

    Args:
        tables: the tables.
        name: which table; a partitioned one.
        days: which days.
        columns: only these; None: all.
        chosen: a ``pyarrow.compute.Expression`` that rows must meet.

    Raises:
        InputRefused: they cannot be read.
    """
    return read_listed(tables, name, lambda: paths_on(tables, name, days), columns, filter=chosen)


def read_files(spark: SparkSession, tables: Folder, name: str, files: Iterable[str], *, base: str = "") -> DataFrame:
    """The rows of exactly these files of a partitioned table, relative to the tables; all of them exist.

    Args:
        spark: the session.
        tables: the tables.
        name: which table.
        files: the files.
        base: where the table's folder lies, relative to the tables: empty, or where a batch stages it.
    """
    if base or delta_of(tables) is None:
        return _read(spark, tables, name, list(files), base or name)
    # Batches lie in folders of their own; what another program wrote lies beside them, and Spark wants one form.
    ours, theirs = list[str](), list[str]()
    for path in files:
        (ours if path.startswith(f"{name}/batch=") else theirs).append(path)
    found = _read(spark, tables, name, ours, name)
    return found.unionByName(_read(spark, tables, name, theirs, name)) if theirs else found


def read_flat(spark: SparkSession, tables: Folder, schema: pa.Schema, files: Iterable[str]) -> DataFrame:
    """The rows of exactly these files, relative to the tables, of what is not partitioned."""
    reader = spark.read.schema(spark_schema(schema)).option("__globPaths__", "false")
    return reader.parquet(*(tables.spark_url(path) for path in files))


def _read(spark: SparkSession, tables: Folder, name: str, paths: list[str], base: str) -> DataFrame:
    if not paths:
        return empty(spark, name)
    names = [one.name for one in table(name).columns]
    return (
        spark.read.schema(spark_schema(arrow_schema(name, with_keys=True)))
        .option("basePath", tables.spark_url(base))
        .option("__globPaths__", "false")  # a bracket in the folder's name is no pattern
        .parquet(*(tables.spark_url(path) for path in paths))
        .select(*PARTITION_KEYS, *names)
    )


def write(
    frame: DataFrame, tables: Folder, folder: str, *, partitioned: bool = True, row_group_bytes: int | None = None
) -> None:
    """Write rows into a folder of their own, by cluster and day where the table is partitioned.

    Args:
        frame: the rows, with ``cluster`` and ``day`` where it is partitioned.
        tables: the tables.
        folder: relative to them; it does not exist yet.
        partitioned: whether it lies in folders by cluster and day.
        row_group_bytes: what a reader skips or takes together; None: as Spark does it, 128 MB.
    """
    # Overwrite: what a lost executor's first attempt left behind does not stop the second.
    writer = frame.write.mode("overwrite")
    if partitioned:
        writer = writer.partitionBy(*PARTITION_KEYS)
    if row_group_bytes is not None:
        writer = writer.option("parquet.block.size", row_group_bytes)
    writer.parquet(tables.spark_url(folder))
