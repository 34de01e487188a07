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
import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.formats.tables.table_names import Header

__all__ = ["Record", "ends_open", "records", "row_lines"]

#: Lines that one cell may go over: more is no remark that somebody typed.
_MOST_LINES = 1_000
_CHUNK = 4_000_000
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


def records(text: bytes, header: Header) -> Iterator[Record]:
    """All records of a text (UTF-8, lines ended by line feeds) below its header; empty lines are left out."""
    return _Divider(text, header).records()


def ends_open(text: bytes | memoryview, header: Header) -> bool:
    """Whether the last line leaves a quote open: the text was cut off there."""
    at = len(text)
    last = b""
    while at > 0 and not last:
        start = max(0, at - _CHUNK)
        last = bytes(text[start:at]).rstrip(b"\n").rpartition(b"\n")[2]
        at = start
    return any(record.cells is None for record in records(last, header))


def row_lines(text: bytes | memoryview) -> npt.NDArray[np.int64]:
    """1-based numbers of the lines that are not empty, ascending."""
    found, before, ended_before = [np.empty(0, np.int64)], 1, True
    for at in range(0, len(text), _CHUNK):
        ends = np.frombuffer(text, np.uint8, min(_CHUNK, len(text) - at), at) == _LINE_END
        starts = ~ends
        starts[1:] &= ends[:-1]
        starts[0] &= ended_before
        ended, ended_before = np.cumsum(ends), bool(ends[-1])
        # A line's own end does not stand before it, so at its first byte only those of the lines before are counted.
        found.append(ended[starts] + before)
        before += int(ended[-1])
    return np.concatenate(found)


class _Divider:
    def __init__(self, text: bytes, header: Header) -> None:
        self._header = header
        self._where = {name: i for i, name in header.known.items()}
        self._stream = enumerate(io.TextIOWrapper(io.BytesIO(text), "utf-8", errors="replace", newline="\n"), 1)
        self._again: deque[tuple[int, str]] = deque()
        self._alone = 0  # lines up to this one were followed by an open quote already

    def records(self) -> Iterator[Record]:
        while (taken := self._next()) is not None:
            number, line = taken
            if line == "\n":
                continue
            if '"' in line:
                yield self._quoted(number, line)
            else:
                yield self._row(number, 1, line.removesuffix("\n").split(self._header.delimiter), line)

    def _next(self) -> tuple[int, str] | None:
        return self._again.popleft() if self._again else next(self._stream, None)

    def _row(self, number: int, lines: int, cells: list[str], line: str) -> Record:
        expected = len(self._header.told)
        if len(cells) == expected or not any(cell.strip() for cell in cells):
            return Record(number, lines, cells)
        why = f"{len(cells)} cells; {expected} were expected, as in the header."
        return Record(number, lines, None, line, why)

    def _quoted(self, number: int, line: str) -> Record:
        further: list[tuple[int, str]] = []
        stopped = ""  # why a cell that is open is not followed any further

        def asked() -> Iterator[str]:
            nonlocal stopped
            yield line
            while not stopped:
                following = self._next() if number > self._alone and len(further) < _MOST_LINES else None
                if following is None:
                    stopped = "unclosed"
                    return
                further.append(following)
                if self._is_row(following[1]):
                    stopped = "a row"
                    return
                yield following[1]

        try:
            cells = next(csv.reader(asked(), delimiter=self._header.delimiter))
        except csv.Error as error:
            self._take_back(further, len(further))
            return Record(number, 1, None, line, _ODD.format(error))
        if not stopped and (not further or self._is_meant([line, *(text for _, text in further)])):
            return self._row(number, 1 + len(further), cells, line)
        self._take_back(further, len(further) - (stopped == "a row"))
        return Record(number, 1, None, line, _OPEN)

    def _take_back(self, further: list[tuple[int, str]], followed: int) -> None:
        """Lines that were asked for are read by themselves; an open quote in the first ``followed`` is not followed."""
        self._again.extendleft(reversed(further))
        if followed:
            self._alone = max(self._alone, further[followed - 1][0])

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
