"""Layouts as tables: CSV and Parquet, one row a replica or one row a partition.

What it promises, in this order: a row or cell that is not understood is named with its line and never dropped in
silence; what ``write_csv`` and ``write_parquet`` write reads back alike; a table of three million replicas is read
in about twice the time that a plain CSV reader needs for its columns (``make bench`` tells).

The columns, in any order; capitals, blanks, dots and hyphens in their names do not matter, and common other names are
understood. Cells are divided by comma, semicolon or tab. An empty cell is "not told".

=================== ================================================================================================
one row a replica   ``topic``, ``partition``, ``position`` (0: preferred leader), ``broker``, ``rack``, ``is_leader``,
                    ``in_sync``, ``size_bytes``; and where told ``leader`` (an id, where no replica leads it),
                    ``leader_epoch``, ``log_dir``, ``eligible``, ``last_known_eligible``, ``observers``, ``adding``,
                    ``removing``, ``min_in_sync``, ``order_told``. Without ``position`` the order is not told.
one row a partition ``topic``, ``partition``, ``replicas`` (``1;2;3``, ``1 2 3``, ``[1,2,3]``), ``leader`` (-1 none),
                    ``isr`` (``none``: told, and empty), ``size_bytes`` (one number, or one a replica), ``log_dirs``
                    (a JSON list); and where told the others above, as lists of ids.
brokers             a row without a topic tells of a broker: ``broker``, ``rack``, ``host``, ``port``, ``state``.
=================== ================================================================================================

Text that begins with one of ``= + - @ '``, a tab or a carriage return is written with an apostrophe before it, so that
a spreadsheet does not take it for a formula; on reading that apostrophe is taken away.

How it works: Arrow reads the columns as the types expected; if it can, and there are as many rows as lines, every cell
was understood. If it cannot, the text is read in pieces of whole lines, and the pieces in which a cell is at fault row
by row (``reseat.formats.csv_rows``), each cell judged alone. From there both ways are one: rows are grouped by
partition (no sorting where they are in order) and laid out as matrices.

Complexity: O(bytes), plus a sort where rows are not in order; memory for the text, its columns and the layout.
"""

from __future__ import annotations

import bisect
import csv
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from reseat.errors import InputRefused, LimitMet
from reseat.formats.assemble import check_size
from reseat.formats.csv_cells import FALSE, LOWEST, NULLS, TRUE, VITAL, arrow_types, converter
from reseat.formats.csv_rows import ends_open, records, row_count, row_lines
from reseat.formats.parquet import read_parquet
from reseat.formats.reading import LIMITS, Limits, Reading
from reseat.formats.table_columns import Table
from reseat.formats.table_layout import read_table
from reseat.formats.table_names import INTEGER, Header, named
from reseat.formats.table_writer import write_csv, write_parquet

__all__ = ["read_csv", "read_parquet", "write_csv", "write_parquet"]

#: Bytes of one piece, where a text is read in pieces.
_PIECE = 4_000_000
#: Rows read cell by cell that become columns at once: bounds the objects that are alive.
_BATCH = 100_000


def read_csv(data: bytes, *, source: str = "pasted text", first_line: int = 1, limits: Limits = LIMITS) -> Reading:
    """Read a layout from CSV, one row a replica or one row a partition; see the module for its columns.

    Args:
        data: the text, in UTF-8, or in UTF-16 with a byte order mark; its first line that is not empty names the
            columns.
        source: the file's name, or what the text is called.
        first_line: the line number of the first line in what it was cut from.
        limits: what is accepted.

    Returns:
        The layout; rows and cells not understood; and findings of kind ``repeated_rows``, ``contradicting_rows``,
        ``duplicate_replicas``, ``no_replicas``, ``several_leaders``, ``position_gaps``, ``contradicting_brokers``,
        ``isr_outside_replicas``, ``replicas_missing``, ``cells_over_lines`` and ``unknown_columns``.

    Raises:
        InputRefused: no header with the columns needed, or no row that is understood.
        LimitMet: the text is larger than ``limits`` allow.
    """
    check_size(data, source, limits)
    plain = _as_utf8(data, source)
    header = _header(plain, source, first_line)
    table = _read(plain, header, source, first_line, limits)
    return read_table(table, source, limits, unknown=header.unknown, by_partition=header.by_partition, kind="CSV")


def _as_utf8(data: bytes, source: str) -> bytes:
    """The text in UTF-8 without a byte order mark, lines ended by line feeds; spreadsheets also save UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            data = data.decode("utf-16").encode("utf-8")
        except UnicodeError as error:
            raise InputRefused("The text begins like UTF-16 but is not.", source=source) from error
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data.removeprefix(b"\xef\xbb\xbf")


def _header(data: bytes, source: str, first_line: int) -> Header:
    for lines, found in enumerate(re.finditer(rb"([^\n]*)(?:\n|$)", data), 1):
        if not found[1].strip():
            if found.end() >= len(data):
                break
            continue
        text = found[1][:100_000].decode("utf-8", "replace")
        delimiter = max(",;\t", key=text.count)
        told = next(csv.reader([text], delimiter=delimiter))
        header = named(told, source, first_line + lines - 1)
        return Header(header.told, header.known, header.by_partition, delimiter, found.end(), lines)
    raise InputRefused("The text is empty; a table with a header was expected.", source=source)


def _read(data: bytes, header: Header, source: str, first_line: int, limits: Limits) -> Table:
    """All columns at once, if every cell is of the type expected; else in pieces, and those cell by cell if need be."""
    import pyarrow as pa

    whole = _typed(data, header.end, len(data), header)
    spans = [(header.end, len(data))] if whole is not None else _spans(data, header.end)
    pieces: list[Any] = []
    lines = _Lines(data, header, first_line)
    out = Table(lines, limits, source)
    for start, stop in spans:
        piece = whole if whole is not None else _typed(data, start, stop, header)
        if piece is not None:
            lines.add_piece(start, stop, piece.num_rows)
            pieces.append(piece)
            out.count += piece.num_rows
        for some, known in _cell_by_cell(data[start:stop], lines.before(start), header, out) if piece is None else ():
            lines.add_known(known)
            pieces.append(some)
            out.count += some.num_rows
        if out.count > limits.cells:
            raise LimitMet(f"More than {limits.cells:,} rows; that is the limit.", source=source)
    arrow = pa.concat_tables(pieces)
    for name in header.known.values():
        out.take(name, arrow.column(name).unify_dictionaries().combine_chunks())
    return out


def _spans(data: bytes, start: int) -> list[tuple[int, int]]:
    """Pieces of whole lines; one alone where quotes may hold line ends."""
    if b'"' in data:
        return [(start, len(data))]
    out = []
    while start < len(data):
        stop = data.find(b"\n", min(start + _PIECE, len(data))) + 1 or len(data)
        out.append((start, stop))
        start = stop
    return out or [(start, len(data))]


def _typed(data: bytes, start: int, stop: int, header: Header) -> Any:
    """The columns known of a piece, as an Arrow table; None if a cell is at fault or goes over lines."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    names = [header.known.get(i, f"\x00{i}") for i in range(len(header.told))]
    quoted = data.find(b'"', start, stop) >= 0
    try:
        arrow = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(memoryview(data)[start:stop])),
            read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=8 << 20),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=header.delimiter, quote_char='"' if quoted else False, newlines_in_values=quoted
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=arrow_types(header),
                include_columns=list(header.known.values()),
                null_values=list(NULLS),
                true_values=list(TRUE),
                false_values=list(FALSE),
            ),
        )
    except (pa.ArrowException, ValueError):
        return None
    piece = memoryview(data)[start:stop]
    if quoted and (arrow.num_rows != row_count(piece) or ends_open(piece, header)):
        return None  # a quoted cell goes over lines: is it meant to?
    for name in header.known.values():
        column = arrow.column(name)
        if name in INTEGER or (name == "size_bytes" and pa.types.is_floating(column.type)):
            low = pc.min_max(column)["min"].as_py()
            if low is not None and not low >= LOWEST.get(name, 0):
                return None
        if name == "size_bytes" and pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            return None
    return arrow


class _Lines:
    """The line of each row; a piece is gone through only when a line in it is asked for, and then once."""

    def __init__(self, data: bytes, header: Header, first_line: int) -> None:
        self._data = data
        self._header = header
        self._first_line = first_line
        self._starts: list[int] = [0]
        self._pieces: list[tuple[int, int] | npt.NDArray[np.int64]] = []

    def add_piece(self, start: int, stop: int, rows: int) -> None:
        """Rows that stand, empty lines aside, one after the other from one offset to another."""
        self._pieces.append((start, stop))
        self._starts.append(self._starts[-1] + rows)

    def add_known(self, lines: npt.NDArray[np.int64]) -> None:
        """Rows whose lines are known."""
        self._pieces.append(lines)
        self._starts.append(self._starts[-1] + len(lines))

    def before(self, start: int) -> int:
        """How many lines stand before an offset, lines before the text included."""
        return self._first_line - 1 + self._header.lines + self._data.count(b"\n", self._header.end, start)

    def __call__(self, row: int) -> int:
        piece = bisect.bisect_right(self._starts, row) - 1
        held = self._pieces[piece]
        if isinstance(held, tuple):
            held = row_lines(memoryview(self._data)[held[0] : held[1]]) + self.before(held[0])
            self._pieces[piece] = held
        return int(held[row - self._starts[piece]])


def _cell_by_cell(text: bytes, before: int, header: Header, out: Table) -> Iterator[tuple[Any, npt.NDArray[np.int64]]]:
    """A piece row by row, some at a time, and the line of each; what cannot be read of it is told in ``out``."""
    import pyarrow as pa

    types = arrow_types(header)
    columns: dict[str, list[Any]] = {name: [] for name in types}
    lines: list[int] = []
    converters = [(i, name, converter(name, types[name])) for i, name in header.known.items()]

    def taken() -> tuple[Any, npt.NDArray[np.int64]]:
        arrays = {}
        for name, kind in types.items():
            plain = pa.array(columns[name], pa.string() if pa.types.is_dictionary(kind) else kind)
            arrays[name] = plain.dictionary_encode() if pa.types.is_dictionary(kind) else plain
            columns[name].clear()
        known = np.array(lines, np.int64)
        lines.clear()
        return pa.table(arrays), known

    for record in records(text, header):
        line, cells = before + record.line, record.cells
        if cells is None:
            out.skip(line, record.text, record.why)
            continue
        if record.lines > 1:
            out.over_lines.append((line, line + record.lines - 1))
        if len(cells) != len(header.told):
            continue  # blank
        values: dict[str, Any] = {}
        wrong: list[str] = []
        fatal = False
        for i, name, convert in converters:
            try:
                values[name] = convert(cells[i])
            except ValueError as error:
                values[name] = None
                wrong.append(f"{name} {cells[i].strip()[:40]!r} is not {error}")
                fatal = fatal or name in VITAL
        if wrong:
            about = (values.get("topic"), values.get("partition")) if fatal else (None, None)
            out.skip(
                line,
                header.delimiter.join(cells),
                "; ".join(wrong) + ("." if fatal else "; it was treated as unknown."),
                about=(about[0], about[1]) if about[0] and about[1] is not None else None,
            )
        if fatal:
            continue
        for name, value in values.items():
            columns[name].append(value)
        lines.append(line)
        if len(lines) >= _BATCH:
            yield taken()
    yield taken()
