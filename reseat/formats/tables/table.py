"""Layouts as tables: CSV and Parquet, one row per replica or one row per partition.

What it promises, in this order: a row or cell that is not understood is named with its line and never dropped in
silence; what ``write_csv`` and ``write_parquet`` write reads back alike; a table of three million replicas is read
in about twice the time that a plain CSV reader needs for its columns (``make bench`` tells).

The columns, in any order; capitals, blanks, dots and hyphens in their names do not matter, and common other names are
understood. Cells are divided by comma, semicolon or tab. An empty cell is "not told".

=================== ================================================================================================
one row per replica   ``topic``, ``partition``, ``position`` (0: preferred leader), ``broker``, ``rack``, ``is_leader``,
                    ``in_sync``, ``size_bytes``; and where told ``leader`` (an id, where no replica leads it),
                    ``leader_epoch``, ``log_dir``, ``eligible``, ``last_known_eligible``, ``observers``, ``adding``,
                    ``removing``, ``min_in_sync``, ``order_told``, ``tiered``. Without ``position`` order is not told.
one row per partition ``topic``, ``partition``, ``replicas`` (``1;2;3``, ``1 2 3``, ``[1,2,3]``), ``leader`` (-1 none),
                    ``isr`` (``none``: told, and empty), ``size_bytes`` (one number, or one a replica), ``log_dirs``
                    (a JSON list); and where told the others above, as lists of ids.
brokers             a row without a topic tells of a broker: ``broker``, ``rack``, ``host``, ``port``, ``state``.
=================== ================================================================================================

Text that begins with one of ``= + - @ '``, a tab or a carriage return is written with an apostrophe before it, so that
a spreadsheet does not take it for a formula; on reading that apostrophe is taken away.

How it works: Arrow reads the columns as the types expected; if it can, and there are as many rows as lines, every cell
was understood. If it cannot, Arrow reads them as texts, in one thread, so that its handler of invalid rows is told
their numbers, and each column is judged by itself (``csv_cells``). Only where rows are not lines, as a quoted cell goes
over several or a quote is open, ``csv_rows`` divides the lines (docs/decisions/0027 says why). From there all ways are
one: rows are grouped by partition (no sorting where they are in order) and laid out as matrices.

Complexity: O(bytes), plus a sort where rows are not in order; memory for the text, its columns and the layout.
"""

from __future__ import annotations

import csv
import functools
import re
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.rows.bounds import check_size
from reseat.formats.tables.csv_cells import FALSE, NULLS, TRUE, Unfit, arrow_types, faults_of, out_of_bounds, understood
from reseat.formats.tables.csv_rows import ends_open, records, row_lines
from reseat.formats.tables.parquet import read_parquet
from reseat.formats.tables.table_columns import Table
from reseat.formats.tables.table_layout import read_table
from reseat.formats.tables.table_names import Header, named
from reseat.formats.tables.table_writer import write_csv, write_parquet
from reseat.model import Longs

__all__ = ["read_csv", "read_parquet", "write_csv", "write_parquet"]

#: Rows divided one by one that become columns at once: bounds the objects that are alive.
BATCH = 100_000
#: Bytes of a header that are read, and bytes that Arrow takes at once.
_LONGEST_HEADER, BLOCK = 100_000, 8 << 20
_ODD = "{} cells; {} were expected, as in the header."


def read_csv(data: bytes, *, source: str = "pasted text", limits: Limits = LIMITS) -> Reading:
    """Read a layout from CSV, one row per replica or one row per partition; see the module for its columns.

    Args:
        data: the text, in UTF-8, or in UTF-16 with a byte order mark; its first line that is neither empty nor a
            comment (#) names the columns.
        source: the file's name, or what the text is called.
        limits: what is accepted.

    Returns:
        The layout; rows and cells not understood; and findings of kind ``repeated_rows``, ``contradicting_rows``,
        ``duplicate_replicas``, ``no_replicas``, ``several_leaders``, ``position_gaps``, ``contradicting_brokers``,
        ``..._outside_replicas`` (of a list beside the replicas), ``replicas_missing``, ``cells_over_lines`` and
        ``unknown_columns``.

    Raises:
        InputRefused: no header with the columns needed, or no row that is understood.
        LimitMet: the text is larger than ``limits`` allow.
    """
    check_size(data, source, limits)
    plain = _as_utf8(data, source)
    header = _header(plain, source)
    return read_table(_read(plain, header, source, limits), header, "CSV")


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


def _header(data: bytes, source: str) -> Header:
    for lines, found in enumerate(re.finditer(rb"([^\n]*)(?:\n|$)", data), 1):
        if not found[1].strip() or found[1].strip().startswith(b"#"):
            continue
        text = found[1][:_LONGEST_HEADER].decode("utf-8", "replace")
        delimiter = max(",;\t", key=text.count)
        told = next(csv.reader([text], delimiter=delimiter))
        quoted, end = data.rfind(b'"') >= found.end(), found.end()
        return replace(named(told, source, lines), delimiter=delimiter, end=end, lines=lines, quoted=quoted)
    raise InputRefused("The text is empty; a table with a header was expected.", source=source)


def _read(data: bytes, header: Header, source: str, limits: Limits) -> Table:
    """All columns at once, if every cell is of the type expected; else as texts, each column judged by itself."""
    before = header.lines
    faults = _Faults(limits.lines)
    arrow, lines = read_typed(data, header), functools.cache(lambda: row_lines(data, header))
    if arrow is None:
        arrow, known = _judged(*read_texts(data, header, faults), header, faults)
        lines = functools.cache(lambda: known)
    out = Table(lambda row: int(lines()[row]) + before, limits, source, count=arrow.num_rows)
    out.over_lines = [(first + before, last + before) for first, last in faults.over_lines]
    for line, text, why, about in sorted(faults.found, key=lambda fault: fault[0]):
        out.skip(line + before, text, why, about=about)
    if out.count > limits.cells:
        raise LimitMet(f"More than {limits.cells:,} rows; that is the limit.", source=source)
    for name in header.known.values():
        out.take(name, arrow.column(name).unify_dictionaries().combine_chunks())
    return out


@dataclass
class _Faults:
    """What is not understood: line, text, why, and the topic and partition it told of; rows that go over lines."""

    most: int
    found: list[tuple[int, str, str, tuple[str, int] | None]] = field(default_factory=list)
    over_lines: list[tuple[int, int]] = field(default_factory=list)

    @property
    def too_many(self) -> bool:
        """Whether there are more than are listed, so that the table will be refused."""
        return len(self.found) > self.most


def _parsed(data: bytes, header: Header, odd: Callable[[Any], str] | None = None) -> Any:
    """What Arrow reads: the known columns by their types; or all as texts, where odd rows have a handler.

    Raises:
        ArrowException, ValueError: a cell or a row does not fit.
    """
    import pyarrow as pa
    import pyarrow.csv

    names = [header.known.get(i, f"\x00{i}") for i in range(len(header.told))]
    return pyarrow.csv.read_csv(
        pa.BufferReader(pa.py_buffer(memoryview(data)[header.end :])),
        # The handler is told a row's number only where one thread reads.
        read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=BLOCK, use_threads=odd is None),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=header.delimiter,
            quote_char='"' if header.quoted else False,
            newlines_in_values=header.quoted,
            invalid_row_handler=odd,
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=arrow_types(header) if odd is None else dict.fromkeys(names, pa.string()),
            include_columns=list(header.known.values()) if odd is None else names,
            null_values=list(NULLS),
            true_values=list(TRUE),
            false_values=list(FALSE),
        ),
    )


def _rows_are_lines(data: bytes, header: Header, rows: int) -> bool:
    """Whether so many rows are as many lines; if not, a quoted cell goes over lines: is it meant to?"""
    return not header.quoted or (rows == len(row_lines(data, header)) and not ends_open(data, header))


def read_typed(data: bytes, header: Header) -> Any:
    """The known columns as an Arrow table; None if a cell is at fault or goes over lines."""
    import pyarrow as pa

    try:
        arrow = _parsed(data, header)
    except (pa.ArrowException, ValueError):
        return None
    if not _rows_are_lines(data, header, arrow.num_rows):
        return None
    return None if any(out_of_bounds(name, arrow.column(name)) for name in header.known.values()) else arrow


def read_texts(data: bytes, header: Header, faults: _Faults) -> tuple[Any, Longs]:
    """All columns as texts, and the line of each row, the first below the header 1; odd rows are ``faults``."""
    import pyarrow as pa

    expected, odd, told = len(header.told), array("q"), list[tuple[int, str, str]]()

    def handler(row: Any) -> str:
        odd.append(row.number)
        if row.text.replace(header.delimiter, "").strip() and len(told) <= faults.most:
            told.append((row.number - 1, row.text, _ODD.format(row.actual_columns, expected)))
        return "skip"

    try:
        if not data.isascii():
            data.decode()  # Arrow's handler of invalid rows must be able to show them
        arrow = _parsed(data, header, handler)
    except (pa.ArrowException, ValueError):
        return read_divided(data, header, faults)
    if header.quoted and (odd or not _rows_are_lines(data, header, arrow.num_rows)):
        return read_divided(data, header, faults)
    lines = row_lines(data, header)
    faults.found += [(int(lines[row]), text, why, None) for row, text, why in told]
    return arrow, np.delete(lines, np.array(odd, np.int64) - 1)


def read_divided(data: bytes, header: Header, faults: _Faults) -> tuple[Any, Longs]:
    """As ``read_texts``, line by line: a quote that is left open swallows no row."""
    import pyarrow as pa

    names = [header.known.get(i, f"\x00{i}") for i in range(len(header.told))]
    pieces, rows, lines = list[Any](), list[list[str]](), array("q")

    def piece() -> Any:
        columns = zip(*rows, strict=True) if rows else [[]] * len(names)
        return pa.table([pa.array(column, pa.string()) for column in columns], names)

    for record in records(data, header):
        if record.cells is None:
            faults.found.append((record.line, record.text, record.why, None))
            if faults.too_many:
                break
            continue
        if record.lines > 1:
            faults.over_lines.append((record.line, record.line + record.lines - 1))
        if len(record.cells) != len(names):
            continue  # blank
        rows.append(record.cells)
        lines.append(record.line)
        if len(rows) >= BATCH:
            pieces.append(piece())
            rows.clear()
    return pa.concat_tables([*pieces, piece()]), np.array(lines, np.int64)


def _judged(texts: Any, lines: Longs, header: Header, faults: _Faults) -> tuple[Any, Longs]:
    """The known columns by their types, and the line of each row; a cell at fault is null, or leaves its row out."""
    import pyarrow as pa

    values: dict[str, Any] = {}
    wrong: list[Unfit] = []
    for name, kind in arrow_types(header).items():
        values[name], unfit = understood(name, texts.column(name).combine_chunks(), kind)
        wrong += unfit
    fatal, at_fault = faults_of(wrong, len(lines), lambda name, row: texts.column(name)[row].as_py())
    for row, why in at_fault:
        if faults.too_many:
            break
        topic, partition = texts.column("topic")[row].as_py(), values["partition"][row].as_py()
        faults.found.append(
            (
                int(lines[row]),
                header.delimiter.join(column[row].as_py() for column in texts.columns),
                why,
                (topic, partition) if fatal[row] and topic and partition is not None else None,
            )
        )
    return pa.table(values).filter(pa.array(~fatal)), lines[~fatal]
