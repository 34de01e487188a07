"""What a table of the pipeline and its columns are."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

__all__ = ["Column", "Table"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        name: its name.
        type: its Arrow type.
        meaning: one sentence; says what null means where a column may be null.
        unit: "replicas", "bytes", ...; empty where there is none.
    """

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """One table.

    Attributes:
        name: its folder.
        row: what one row is.
        columns: the columns in the files, in their order; ``cluster`` and ``day`` are in the folders' names.
        partitioned: whether it lies in folders by cluster and day.
    """

    name: str
    row: str
    columns: tuple[Column, ...]
    partitioned: bool = True
