"""The lines of a CSV text as rows of cells; a quote that is left open swallows no line in silence.

What it promises, in this order: every line that is not empty belongs to exactly one record; a record that is no row
says why; a cell that goes over several lines is read as one only where nothing speaks against it.

How it works: a line without quotes is divided at its delimiters. One with quotes goes to a CSV parser, which asks for
further lines where a cell is still open at the line's end. The record over these lines stands only if the quote is
closed where a cell ends, the row has as many cells as the header, none of the further lines is a row by itself, and no
topic, number or list holds a line end: then a forgotten quote swallowed the lines. Otherwise the first line alone is no
row, and the lines below are read by themselves.

Example: of ``a,0,"1;2`` above ``a,1,"1;2"`` the first line is no row, and the second is one.

Complexity: O(bytes): the lines that an open quote was followed over are not followed again. Source: RFC 4180.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from reseat.formats.tables.table_names import Header
from reseat.model import Longs

__all__ = ["CHUNK", "Record", "ends_open", "records", "row_lines"]

#: Lines that one cell may go over: more is no remark that somebody typed.
_MOST_LINES = 1_000
#: Bytes in which lines are counted at once.
CHUNK = 4_000_000
#: Known columns in which a name may hold a line end, absurd as it is; what is written of such a layout reads back.
_LOOSE = frozenset(("rack", "host", "log_dir"))
_LINE_END = 10
_OPEN = "A quote opened in this line is not closed; the lines below it are read on their own."
_ODD = "The line cannot be split into cells: {}."


@dataclass(frozen=True, slots=True)
class Record:
    """What one line, or several that a quoted cell goes over, tell.

    Attributes:
        line: 1-based number of its first line within the text.
        lines: how many lines it takes.
        cells: its cells, as many as the header has; None where it is no row.
        text: the line as it stands, where it is no row.
        why: one sentence, where it is no row.
    """

    line: int
    lines: int
    cells: list[str] | None
    text: str = ""
    why: str = ""


def records(data: bytes, header: Header) -> Iterator[Record]:
    """All records of a text (UTF-8, lines ended by line feeds) below its header."""
    return _Divider(data, header).records(header.end)


def ends_open(data: bytes, header: Header) -> bool:
    """Whether the last line leaves a quote open: the text was cut off there."""
    end = len(data)
    while data[end - 1] == _LINE_END:
        end -= 1
    last = data.rfind(b"\n", header.end, end) + 1 or header.end
    return any(record.cells is None for record in _Divider(data, header).records(last))


def row_lines(data: bytes, header: Header) -> Longs:
    """Numbers of the lines below the header that are not empty, ascending; the first line there is 1."""
    found, before, ended_before = [np.empty(0, np.int64)], 1, True
    for at in range(header.end, len(data), CHUNK):
        ends = np.frombuffer(data, np.uint8, min(CHUNK, len(data) - at), at) == _LINE_END
        starts = ~ends
        starts[1:] &= ends[:-1]
        starts[0] &= ended_before
        ended, ended_before = np.cumsum(ends), bool(ends[-1])
        # A line's own end does not stand before it, so at its first byte only those of the lines before are counted.
        found.append(ended[starts] + before)
        before += int(ended[-1])
    return np.concatenate(found)


class _Divider:
    def __init__(self, data: bytes, header: Header) -> None:
        self._data = data
        self._header = header
        self._where = {name: i for i, name in header.known.items()}
        self._followed = header.end  # an open quote in a line that ends before was followed already

    def records(self, at: int) -> Iterator[Record]:
        number = 0
        while at < len(self._data):
            line, at = self._line(at)
            number += 1
            if '"' in line:
                record, at = self._quoted(number, line, at)
            else:
                record = self._row(number, 1, line.removesuffix("\n").split(self._header.delimiter), line)
            yield record
            number += record.lines - 1

    def _line(self, at: int) -> tuple[str, int]:
        """The line that begins at a byte, and where it ends."""
        end = self._data.find(b"\n", at) + 1 or len(self._data)
        return self._data[at:end].decode("utf-8", "replace"), end

    def _row(self, number: int, lines: int, cells: list[str], line: str) -> Record:
        expected = len(self._header.told)
        if len(cells) == expected or not any(cell.strip() for cell in cells):
            return Record(number, lines, cells)
        why = f"{len(cells)} cells; {expected} were expected, as in the header."
        return Record(number, lines, None, line, why)

    def _quoted(self, number: int, line: str, end: int) -> tuple[Record, int]:
        """What a line with quotes begins, and where that ends."""
        lines, until, stopped = [line], end, False

        def asked() -> Iterator[str]:
            nonlocal until, stopped
            yield line
            while end > self._followed and len(lines) <= _MOST_LINES:
                following, after = self._line(until)
                if not following or self._is_row(following):
                    break
                lines.append(following)
                until = after
                yield following
            stopped = True

        try:
            cells, why = next(csv.reader(asked(), delimiter=self._header.delimiter)), _OPEN
        except csv.Error as error:
            cells, why = None, _ODD.format(error)
        if cells is not None and not stopped and (len(lines) == 1 or self._is_meant(lines)):
            return self._row(number, len(lines), cells, line), until
        self._followed = max(self._followed, until)
        return Record(number, 1, None, line, why), end

    def _is_meant(self, lines: list[str]) -> bool:
        """Whether lines are one row with a cell that is meant to go over them."""
        try:
            cells = next(csv.reader(lines, delimiter=self._header.delimiter, strict=True))
        except csv.Error:
            return False
        return len(cells) == len(self._header.told) and not any(
            "\n" in cells[i] for i, name in self._header.known.items() if name not in _LOOSE
        )

    def _is_row(self, line: str) -> bool:
        """Whether a line tells a partition, or a broker, by itself."""
        try:
            cells = next(csv.reader([line], delimiter=self._header.delimiter), [])
        except csv.Error:
            return False
        if len(cells) != len(self._header.told):
            return False
        key = {name: cells[i].strip(" \t\"'") for name, i in self._where.items() if name in ("partition", "broker")}
        return (key["partition"] or key.get("broker", "")).isdecimal()
