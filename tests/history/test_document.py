"""docs/tables.md: its columns are those of the schema, and what it tells readers to do does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest

from reseat.errors import InputRefused
from reseat.history.document import columns_document, with_columns
from reseat.history.folder import Folder
from reseat.history.schema import TABLES
from reseat.pipeline.upkeep.migration import migrate
from tests.history import made

_DOCUMENT = Path(__file__).parents[2] / "docs" / "tables.md"
_TEXT = _DOCUMENT.read_text(encoding="utf-8")


def test_the_document_tells_every_column_as_the_schema_does() -> None:
    """``python -m reseat.history.document docs/tables.md`` writes it anew."""
    assert with_columns(_TEXT) == _TEXT


def test_every_column_has_its_type_and_meaning() -> None:
    """A row each."""
    told = columns_document()

    for table in TABLES:
        assert f"### {table.name}\n\n{table.row}\n" in told
        for column in table.columns:
            assert re.search(rf"\| `{column.name}` \| [^|]+ \| {column.unit} \| {re.escape(column.meaning)} \|", told)


def test_a_document_without_marks_is_left_alone() -> None:
    """It is no document of the tables."""
    with pytest.raises(InputRefused, match="marks"):
        with_columns("# Something else\n")


def test_readers_that_do_as_the_document_says_read_names_of_digits_as_text(tmp_path: Path) -> None:
    """The lines for Delta, pyarrow, pandas and DuckDB, run as they stand, over a history with a cluster 007 alone."""
    history = made.history()
    tables = made.write(tmp_path, {"007": history["007"]}).tables
    delta, arrow, pandas, spark = re.findall(r"```python\n(.*?)```", _TEXT, re.S)
    names: dict[str, object] = {"tables": str(tables)}

    exec(arrow, names)
    assert names["rows"].column("cluster").unique().to_pylist() == ["007"]  # type: ignore[attr-defined]
    assert names["rows"].num_rows == 6  # type: ignore[attr-defined]
    exec(pandas, names)
    assert list(names["rows"]["cluster"].unique()) == ["007"]  # type: ignore[index]
    assert len(names["rows"]) == 6  # type: ignore[arg-type]
    assert "partitionColumnTypeInference" in spark
    migrate(Folder.open(tables), Folder.open(tmp_path / "elsewhere"))
    names["tables"] = str(tmp_path / "elsewhere")
    exec(delta, names)
    assert list(names["rows"]["cluster"].unique()) == ["007"]  # type: ignore[index]
    assert len(names["rows"]) == 6  # type: ignore[arg-type]

    (sql,) = re.findall(r"```sql\n(.*?)```", _TEXT, re.DOTALL)
    read = duckdb.sql(sql.replace("TABLES", str(tables))).arrow().read_all()
    assert read.column("cluster").unique().to_pylist() == ["007"]
    assert read.num_rows == 6
