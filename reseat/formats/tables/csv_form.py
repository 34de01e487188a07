"""A table in CSV as a form of text: it is the whole text, below remarks and a line that names its columns."""

from __future__ import annotations

import re

from reseat.formats.input.decode import check_lines
from reseat.formats.input.reading import Limits, Reading
from reseat.formats.input.split import Piece
from reseat.formats.text.form import Form

__all__ = ["CsvForm"]

#: Bytes in which the line that names the columns is looked for.
_HEAD = 20_000


class CsvForm(Form):
    """Rows of replicas, partitions or brokers, divided by comma, semicolon or tab."""

    def whole(self, data: bytes, source: str, limits: Limits) -> Reading | None:
        """The reading of a table."""
        if not _is_table(data[:_HEAD]):
            return None
        from reseat.formats.tables.table import read_csv

        check_lines(data, Piece(0, len(data), 1), source, limits)
        return read_csv(data, source=source, limits=limits)


def _is_table(head: bytes) -> bool:
    """Whether the first line that is no comment names the columns of a table of replicas or partitions."""
    lines = (line.strip() for line in head.lower().split(b"\n"))
    first = next((line for line in lines if line and not line.startswith(b"#")), b"")
    return {cell.strip(b" \t\"'") for cell in re.split(rb"[,;\t]", first)} >= {b"topic", b"partition"}
