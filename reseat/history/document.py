"""The tables' columns as Markdown, written from their schema: the generated part of ``docs/tables.md``.

``python -m reseat.history.document docs/tables.md`` writes it anew; a test holds the file to it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pyarrow as pa

from reseat.errors import InputRefused
from reseat.history.schema import TABLES
from reseat.history.schema_parts import Table

__all__ = ["columns_document", "with_columns"]

_BEGIN, _END = "<!-- from here on written by reseat.history.document -->\n", "<!-- up to here -->\n"


def columns_document() -> str:
    """Every table with its columns, their types, units and meanings, as Markdown."""
    return "\n".join(_section(one) for one in TABLES)


def with_columns(text: str) -> str:
    """A document with its generated part written anew.

    Raises:
        InputRefused: the marks between which it stands are missing.
    """
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise InputRefused("The marks between which the tables are written are missing.")
    return f"{before}{begin}\n{columns_document()}\n{end}{after}"


def _section(table: Table) -> str:
    rows = [f"### {table.name}", "", table.row, "", "| column | type | unit | meaning |", "| --- | --- | --- | --- |"]
    if table.partitioned:
        rows.append("| `cluster`, `day` | string | | In the folders' names. |")
    rows += (f"| `{one.name}` | {_type(one.type)} | {one.unit} | {one.meaning} |" for one in table.columns)
    return "\n".join([*rows, ""])


def _type(kind: pa.DataType) -> str:
    """A type in the words of Parquet's readers."""
    if pa.types.is_timestamp(kind):
        return "timestamp, microseconds"
    if pa.types.is_list(kind):
        return f"list of {_type(kind.value_type)}"
    if pa.types.is_struct(kind):
        return ", ".join(f"{kind.field(i).name} {_type(kind.field(i).type)}" for i in range(kind.num_fields))
    return str(kind)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(with_columns(Path(name).read_text(encoding="utf-8")), encoding="utf-8")
