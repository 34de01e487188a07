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

How it works: Arrow reads the columns as the types expected; if it can, every cell was understood. If it cannot, the
text is read in pieces of whole lines, and the pieces in which a cell is at fault row by row, each cell judged alone.
From there both ways are one: rows are grouped by partition (no sorting where they are in order) and laid out as
matrices.

Complexity: O(bytes), plus a sort where rows are not in order; memory for the text, its columns and the layout.
"""

from __future__ import annotations

import bisect
import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from reseat.errors import InputRefused, LimitMet
from reseat.formats import idlists
from reseat.formats.assemble import check_size
from reseat.formats.reading import LIMITS, Limits, Reading, Skipped
from reseat.formats.table_columns import NOBODY, Table
from reseat.formats.table_layout import read_table
from reseat.formats.table_writer import write_csv, write_parquet
from reseat.model import NONE, NOT_TOLD

__all__ = ["read_csv", "read_parquet", "write_csv", "write_parquet"]

_LARGEST = idlists.LARGEST_ID

_TEXT = ("topic", "rack", "host", "state", "log_dir")
_INTEGER = ("partition", "position", "broker", "leader", "leader_epoch", "port", "min_in_sync")
#: Masks over replicas; in a table of partitions they are lists of ids.
_MASK = ("eligible", "last_known_eligible", "observers", "adding", "removing")
_FLAG = ("is_leader", "in_sync", "order_told", *_MASK)
_LIST = ("replicas", "isr", "log_dirs", *_MASK)

#: Other names that people and tools give to the columns.
_SYNONYMS = {
    "topic": ("topic_name", "topicname", "name"),
    "partition": ("partition_id", "partitionid", "topic_partition_id"),
    "position": ("replica_index", "index", "pos", "replica_position", "slot"),
    "broker": ("broker_id", "brokerid", "node", "node_id", "nodeid", "replica", "replica_id"),
    "rack": ("broker_rack", "rack_id", "az", "zone", "availability_zone"),
    "is_leader": ("isleader",),
    "in_sync": ("insync", "is_in_sync", "in_isr", "isinsync"),
    "size_bytes": ("size", "bytes", "log_size", "size_in_bytes"),
    "replicas": ("replica_ids", "assignment", "brokers", "assigned_replicas", "ar"),
    "isr": ("in_sync_replicas", "insyncreplicas", "isrs"),
    "leader": ("leader_id", "leader_broker"),
    "leader_epoch": ("epoch",),
    "log_dir": ("logdir", "log_directory"),
    "log_dirs": ("logdirs",),
    "min_in_sync": ("min_insync_replicas", "min_isr"),
    "eligible": ("elr", "eligible_leader_replicas"),
    "last_known_eligible": ("last_known_elr", "lastknownelr"),
    "observers": ("observer", "live_observers"),
    "adding": ("adding_replicas",),
    "removing": ("removing_replicas",),
    "host": ("hostname", "broker_host"),
}
_NAMES = {
    **{name: name for name in (*_TEXT, *_INTEGER, *_FLAG, *_LIST, "size_bytes")},
    **{other: name for name, others in _SYNONYMS.items() for other in others},
}

_NULLS = ("", "NA", "N/A", "n/a", "na", "<NA>", "null", "NULL", "None", "nan", "NaN")
_TRUE = ("true", "True", "TRUE", "1", "yes", "Yes", "YES", "t", "y")
_FALSE = ("false", "False", "FALSE", "0", "no", "No", "NO", "f", "n")
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,18}(?:\.0*)?")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,8}")  # Arrow reads it, so cells are read alike
_FLOAT_TEXT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
#: The least that an integer may be, where that is not 0.
_LOWEST = {"leader": NONE, "leader_epoch": NOT_TOLD, "min_in_sync": NONE}
#: Cells without which a row tells nothing.
_VITAL = frozenset(("topic", "partition", "position", "broker", "replicas"))
#: Bytes of one piece, where a text is read in pieces.
_PIECE = 4_000_000
_SHOWN = 200


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
        ``isr_outside_replicas``, ``replicas_missing`` and ``unknown_columns``.

    Raises:
        InputRefused: no header with the columns needed, or no row that is understood.
        LimitMet: the text is larger than ``limits`` allow.
    """
    check_size(data, source, limits)
    plain = _as_utf8(data, source)
    header = _header(plain, source, first_line)
    table = _read(plain, header, source, first_line, limits)
    return read_table(table, source, limits, unknown=header.unknown, by_partition=header.by_partition, kind="CSV")


def read_parquet(data: bytes, *, source: str = "pasted text", limits: Limits = LIMITS) -> Reading:
    """Read a layout from a Parquet file with the columns of ``read_csv``; lists may be lists of integers too.

    Args:
        data: the file's bytes.
        source: the file's name.
        limits: what is accepted; ``megabytes`` holds for the columns unpacked too.

    Raises:
        InputRefused: it is no Parquet file, or lacks the columns needed, or one has a type that cannot be used.
        LimitMet: it is larger, packed or unpacked, than ``limits`` allow.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    check_size(data, source, limits)
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        metadata = file.metadata
        unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
        if unpacked > 4 * limits.megabytes * 1_000_000 or metadata.num_rows > limits.cells:
            raise LimitMet(
                f"The file unpacks to {unpacked / 1e6:,.0f} MB in {metadata.num_rows:,} rows; {4 * limits.megabytes:,} "
                f"MB and {limits.cells:,} rows are the limit.",
                source=source,
            )
        header = _named(list(file.schema_arrow.names), source, None)
        arrow = file.read(columns=[header.told[i] for i in header.known])
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputRefused(f"Not a Parquet file that can be read: {_short(error)}.", source=source) from error
    table = Table(arrow.num_rows, lambda row: f"row {row + 1:,}", lambda row: row + 1)
    for i, name in header.known.items():
        column = arrow.column(header.told[i]).combine_chunks()
        try:
            table.take(name, _as_expected(name, column, header.by_partition))
        except (pa.ArrowException, ValueError) as error:
            raise InputRefused(
                f"Column {header.told[i]!r} has type {column.type}, which cannot be read as {name}: {_short(error)}.",
                source=source,
            ) from error
    return read_table(table, source, limits, unknown=header.unknown, by_partition=header.by_partition, kind="Parquet")


# ---- the header --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Header:
    """What the columns are.

    Attributes:
        told: names as told.
        known: the column that each index is.
        by_partition: whether a row is a partition (else a replica).
        delimiter: what divides cells.
        end: offset of the first byte after the header.
        lines: lines up to there.
    """

    told: tuple[str, ...]
    known: dict[int, str]
    by_partition: bool
    delimiter: str = ","
    end: int = 0
    lines: int = 0

    @property
    def unknown(self) -> list[str]:
        return [name for i, name in enumerate(self.told) if i not in self.known]


def _as_utf8(data: bytes, source: str) -> bytes:
    """The text in UTF-8 without a byte order mark; spreadsheets also save UTF-16."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16").encode("utf-8")
        except UnicodeError as error:
            raise InputRefused("The text begins like UTF-16 but is not.", source=source) from error
    return data.removeprefix(b"\xef\xbb\xbf")


def _header(data: bytes, source: str, first_line: int) -> _Header:
    for lines, found in enumerate(re.finditer(rb"([^\r\n]*)(?:\r\n|\n|\r|$)", data), 1):
        if not found[1].strip():
            if found.end() >= len(data):
                break
            continue
        text = found[1][:100_000].decode("utf-8", "replace")
        delimiter = max(",;\t", key=text.count)
        told = next(csv.reader([text], delimiter=delimiter))
        named = _named(told, source, first_line + lines - 1)
        return _Header(named.told, named.known, named.by_partition, delimiter, found.end(), lines)
    raise InputRefused("The text is empty; a table with a header was expected.", source=source)


def _named(told: Sequence[str], source: str, line: int | None) -> _Header:
    known: dict[int, str] = {}
    plain = [re.sub(r"[\s.\-]+", "_", name.strip().strip("'").lower()) for name in told]
    by_partition = any(_NAMES.get(name) == "replicas" for name in plain)
    for i, word in enumerate(plain):
        name = _NAMES.get(word)
        if word == "isr" and not by_partition:
            name = "in_sync"
        if by_partition and name in ("position", "is_leader", "in_sync"):
            name = None  # these are of a replica; in a row of a partition their meaning is a guess
        if name is not None and name not in known.values():
            known[i] = name
    needed = ("topic", "partition", "replicas") if by_partition else ("topic", "partition", "broker")
    missing = [name for name in needed if name not in known.values()]
    if missing:
        shown = ", ".join(repr(name[:40]) for name in told[:12])
        raise InputRefused(
            f"A table of replicas needs the columns topic, partition and broker (with position, rack, is_leader, "
            f"in_sync, size_bytes where told), one of partitions topic, partition and replicas. "
            f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing; the header is {shown}.",
            source=source,
            line=line,
        )
    return _Header(tuple(told), known, by_partition)


# ---- cells ---------------------------------------------------------------------------------------------------


def _arrow_types(header: _Header) -> dict[str, Any]:
    import pyarrow as pa

    types: dict[str, Any] = {}
    for name in header.known.values():
        if name in _TEXT:
            types[name] = pa.dictionary(pa.int32(), pa.string())
        elif name in _LIST and header.by_partition:
            types[name] = pa.string()
        elif name in _FLAG:
            types[name] = pa.bool_()
        elif name in _INTEGER:
            types[name] = pa.int32()
        else:
            types[name] = pa.string() if header.by_partition else pa.float64()
    return types


def _read(data: bytes, header: _Header, source: str, first_line: int, limits: Limits) -> Table:
    """All columns at once, if every cell is of the type expected; else in pieces, and those cell by cell if need be."""
    import pyarrow as pa

    whole = _typed(data, header.end, len(data), header)
    spans = [(header.end, len(data))] if whole is not None else _spans(data, header.end)
    pieces, lines = [], _Lines(data, header, first_line)
    out = Table(0, lambda row: f"line {lines(row)}", lines)
    for start, stop in spans:
        piece = whole if whole is not None else _typed(data, start, stop, header)
        if piece is None:
            piece, at = _cell_by_cell(data[start:stop], lines.before(start), header, out)
            lines.add_known(at)
        else:
            lines.add_piece(start, stop, piece.num_rows)
        pieces.append(piece)
        out.count += piece.num_rows
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


def _typed(data: bytes, start: int, stop: int, header: _Header) -> Any:
    """The columns known of a piece, as an Arrow table; None if a cell is not of the type expected."""
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
                column_types=_arrow_types(header),
                include_columns=list(header.known.values()),
                null_values=list(_NULLS),
                true_values=list(_TRUE),
                false_values=list(_FALSE),
            ),
        )
    except (pa.ArrowException, ValueError):
        return None
    for name in header.known.values():
        column = arrow.column(name)
        if name in _INTEGER or (name == "size_bytes" and pa.types.is_floating(column.type)):
            low = pc.min_max(column)["min"].as_py()
            if low is not None and not low >= _LOWEST.get(name, 0):
                return None
        if name == "size_bytes" and pa.types.is_floating(column.type) and pc.any(pc.is_inf(column)).as_py():
            return None
    return arrow


class _Lines:
    """The line of each row; a piece is gone through only when a line in it is asked for, and then once."""

    def __init__(self, data: bytes, header: _Header, first_line: int) -> None:
        self._data = data
        self._header = header
        self._first_line = first_line
        self._starts: list[int] = [0]
        self._pieces: list[tuple[int, int] | list[int]] = []

    def add_piece(self, start: int, stop: int, rows: int) -> None:
        """Rows that stand, blank lines aside, one after the other from one offset to another."""
        self._pieces.append((start, stop))
        self._starts.append(self._starts[-1] + rows)

    def add_known(self, lines: list[int]) -> None:
        """Rows whose lines are known."""
        self._pieces.append(lines)
        self._starts.append(self._starts[-1] + len(lines))

    def before(self, start: int) -> int:
        """How many lines stand before an offset, lines before the text included."""
        text = self._data[self._header.end : start]
        return self._first_line - 1 + self._header.lines + text.count(b"\n")

    def __call__(self, row: int) -> int:
        piece = bisect.bisect_right(self._starts, row) - 1
        held = self._pieces[piece]
        if isinstance(held, tuple):
            before = self.before(held[0])
            held = [before + line for line, cells in _cells(self._data[held[0] : held[1]], self._header) if cells]
            self._pieces[piece] = held
        within = row - self._starts[piece]
        return held[within] if within < len(held) else 0


def _cells(text: bytes, header: _Header) -> Iterator[tuple[int, list[str] | None]]:
    """Each row with the line it ends on, from 1; None where the text cannot be divided."""
    reader = csv.reader(
        io.TextIOWrapper(io.BytesIO(text), "utf-8", errors="replace", newline=""), delimiter=header.delimiter
    )
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield reader.line_num, None
            continue
        if cells:
            yield reader.line_num, cells


def _cell_by_cell(text: bytes, before: int, header: _Header, out: Table) -> tuple[Any, list[int]]:
    """A piece row by row, and the line of each row; what cannot be read of it is told in ``out``."""
    import pyarrow as pa

    types = _arrow_types(header)
    columns: dict[str, list[Any]] = {name: [] for name in types}
    lines: list[int] = []
    converters = [(i, name, _converter(name, types[name])) for i, name in header.known.items()]

    def skip(line: int, cells: list[str], why: str) -> None:
        out.skipped.append(Skipped(line=line, text=header.delimiter.join(cells)[:_SHOWN], why=why))

    for number, cells in _cells(text, header):
        line = before + number
        if cells is None:
            skip(line, [], "The row cannot be divided into cells.")
            continue
        if len(cells) != len(header.told):
            if any(cell.strip() for cell in cells):
                skip(line, cells, f"{len(cells)} cells; {len(header.told)} were expected, as in the header.")
            continue
        values: dict[str, Any] = {}
        wrong: list[str] = []
        fatal = False
        for i, name, convert in converters:
            try:
                values[name] = convert(cells[i].strip())
            except ValueError as error:
                values[name] = None
                wrong.append(f"{name} {cells[i].strip()[:40]!r} is not {error}")
                fatal = fatal or name in _VITAL
        if wrong:
            skip(line, cells, "; ".join(wrong) + ("." if fatal else "; it was taken as not told."))
        if fatal:
            if values.get("topic") and values.get("partition") is not None:
                out.missing.append((values["topic"], values["partition"], f"line {line}"))
            continue
        for name, value in values.items():
            columns[name].append(value)
        lines.append(line)
    arrays = {}
    for name, kind in types.items():
        plain = pa.array(columns[name], pa.string() if pa.types.is_dictionary(kind) else kind)
        arrays[name] = plain.dictionary_encode() if pa.types.is_dictionary(kind) else plain
    return pa.table(arrays), lines


def _converter(name: str, kind: Any) -> Callable[[str], Any]:
    """A function from a cell to its value or None; it raises ValueError saying what was expected."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return str
    if pa.types.is_boolean(kind):
        return _flag_of
    if pa.types.is_floating(kind):
        return _size_of
    lowest = _LOWEST.get(name, 0)

    def integer_of(cell: str) -> int | None:
        if cell in _NULLS:
            return None
        if lowest == NONE and cell.lower() in NOBODY:
            return NONE
        if _HEXADECIMAL.fullmatch(cell):
            value = int(cell, 16)
        elif _INTEGER_TEXT.fullmatch(cell):
            value = int(cell.partition(".")[0])
        else:
            raise ValueError("a whole number")
        if not lowest <= value <= _LARGEST:
            raise ValueError(f"between {lowest} and {_LARGEST:,}")
        return value

    return integer_of


def _flag_of(cell: str) -> bool | None:
    if cell in _NULLS:
        return None
    if cell in _TRUE or cell.lower() in _TRUE:
        return True
    if cell in _FALSE or cell.lower() in _FALSE:
        return False
    raise ValueError("true or false")


def _size_of(cell: str) -> float | None:
    if cell in _NULLS:
        return None
    if not _FLOAT_TEXT.fullmatch(cell) or not 0 <= float(cell) < float("inf"):
        raise ValueError("a number of bytes")
    return float(cell)


def _as_expected(name: str, column: Any, by_partition: bool) -> Any:
    """A Parquet column in the type that the table takes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if name in _TEXT:
        return column.cast(pa.string()).dictionary_encode()
    if name in _LIST and by_partition:
        listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        if not listed:
            return column.cast(pa.string())
        if name == "log_dirs":
            texts = [None if row is None else orjson.dumps(row).decode() for row in column.to_pylist()]
            return pa.array(texts, pa.string())
        joined = pc.binary_join(column.cast(pa.list_(pa.string())), ";")
        return pc.if_else(pc.equal(joined, ""), "none", joined)
    if name in _FLAG:
        return column.cast(pa.bool_())
    if name in _INTEGER:
        return column.cast(pa.int32())
    if by_partition:
        return column.cast(pa.string())
    return column.cast(pa.float64())


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:200].rstrip(".") if str(error) else type(error).__name__
