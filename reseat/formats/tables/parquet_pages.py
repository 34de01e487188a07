"""What a Parquet file would unpack to, told by the headers of its pages before any page is unpacked.

What it promises: what is found here is what a reader allocates for the pages; a footer's own totals, which anybody may
write, count for nothing.

What it needs: the file's bytes. The footer is read here too, as far as it tells where the pages of a column begin and
end: pyarrow's own look at one column's part of it (``RowGroupMetaData.column``) ends the process where its statistics
do not fit, instead of raising an error (pyarrow 26: "Definition level histogram size mismatch").

How it works: pages stand one after the other, each behind a header in Thrift's compact protocol that tells its kind,
its size packed and unpacked, how many values it holds and how they are encoded. A reader allocates the size unpacked
that the header tells, and no more. So the headers are walked; the pages between them are stepped over.

Complexity: O(pages). Source: Parquet's ``parquet.thrift`` (``FileMetaData``, ``PageHeader``); the Thrift compact
protocol.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["DELTA_BYTE_ARRAY", "Chunk", "Page", "PagesUnfit", "chunks_of", "pages_of"]

#: The encoding in which a value tells how much of the value before it it begins with, so that a page of some kilobytes
#: may hold gigabytes of text.
DELTA_BYTE_ARRAY = 7
_DICTIONARY_PAGE = 2
#: Field numbers of the header: of its sizes, and of the parts that stand for each kind of page.
_KIND, _UNPACKED, _PACKED = 1, 2, 3
#: By the number of the part: the fields in it that tell how many values there are, and their encoding.
_PARTS = {5: (1, 2), 7: (1, 2), 8: (1, 4)}
#: Field numbers of the footer: its groups of rows; of a group its columns and rows; of a column its facts, and of these
#: how many values there are, how many bytes they take, and where pages begin.
_GROUPS, _COLUMNS, _ROWS, _FACTS = 4, 1, 3, 3
_VALUES, _LENGTH, _DATA_PAGE, _DICTIONARY = 5, 7, 9, 11
_DEEPEST = 8
_LONGEST_HEADER = 1_000_000

_STOP, _TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 0, 1, 2, 3, 7, 8, 9, 10, 11, 12
_NUMBERS = (4, 5, 6)
_SHORT_LIST = 15


class PagesUnfit(ValueError):
    """Says in a few words why headers of pages cannot be followed."""


@dataclass(frozen=True, slots=True)
class Page:
    """One page, as its header tells it.

    Attributes:
        unpacked: bytes that a reader allocates for it.
        values: how many values it holds, nulls included.
        encoding: Parquet's number of their encoding.
        is_dictionary: whether it holds the values that other pages refer to.
    """

    unpacked: int
    values: int
    encoding: int
    is_dictionary: bool


@dataclass(frozen=True, slots=True)
class Chunk:
    """The values of one column in one group of rows, as the footer tells of them.

    Attributes:
        start: where their pages begin in the file.
        length: how many bytes the pages take.
        values: how many values there are.
        rows: how many rows the group has.
    """

    start: int
    length: int
    values: int
    rows: int


def chunks_of(data: bytes, start: int, end: int) -> Iterator[list[Chunk]]:
    """What a footer tells of each group of rows, columns in the order of the schema's leaves.

    Args:
        data: the whole file.
        start: where the footer begins.
        end: where it ends.

    Raises:
        PagesUnfit: it is damaged, or tells less than is needed to find the pages.
    """
    groups = _Thrift(data, start, end).struct().get(_GROUPS)
    for group in groups if isinstance(groups, list) else []:
        columns = group.get(_COLUMNS)
        yield [_chunk(column.get(_FACTS), group.get(_ROWS)) for column in columns or []]


def _chunk(facts: object, rows: object) -> Chunk:
    told = facts if isinstance(facts, dict) else {}
    first, length, values = told.get(_DATA_PAGE), told.get(_LENGTH), told.get(_VALUES)
    if not (isinstance(first, int) and isinstance(length, int) and isinstance(values, int) and isinstance(rows, int)):
        raise PagesUnfit("its footer does not say where the pages of a column are")
    dictionary = told.get(_DICTIONARY)
    return Chunk(dictionary if isinstance(dictionary, int) and 0 < dictionary < first else first, length, values, rows)


def pages_of(data: bytes, start: int, length: int, values: int) -> Iterator[Page]:
    """The pages of one column in one group of rows.

    Args:
        data: the whole file.
        start: where the footer says that they begin.
        length: how many bytes the footer says that they take.
        values: how many values the footer says that there are; a reader stops there.

    Raises:
        PagesUnfit: the headers do not fit the file or the footer.
    """
    if start < 0 or length < 0 or start + length > len(data):
        raise PagesUnfit("the footer names bytes that the file does not have")
    at, end, seen = start, start + length, 0
    while seen < values:
        header = _Thrift(data, at, min(end, at + _LONGEST_HEADER))
        told = header.struct()
        packed, unpacked = told.get(_PACKED), told.get(_UNPACKED)
        if not isinstance(packed, int) or not isinstance(unpacked, int) or packed < 0 or unpacked < 0:
            raise PagesUnfit("a page has no size")
        at = header.at + packed
        if at > end:
            raise PagesUnfit("a page is longer than its column")
        for number, (count_at, encoding_at) in _PARTS.items():
            part = told.get(number)
            if not isinstance(part, dict):
                continue
            count, encoding = part.get(count_at), part.get(encoding_at)
            if not isinstance(count, int) or not isinstance(encoding, int) or count < 0:
                raise PagesUnfit("a page does not say how many values it holds")
            is_dictionary = told.get(_KIND) == _DICTIONARY_PAGE
            seen += 0 if is_dictionary else count
            yield Page(unpacked, count, encoding, is_dictionary)
            break
        else:
            yield Page(unpacked, 0, 0, False)  # of an index, or of a kind that came later: readers step over it
    if seen != values:
        raise PagesUnfit("the pages of a column hold more values than the footer says")


class _Thrift:
    """Thrift's compact protocol: structs as dictionaries by field number, lists of structs, numbers; the rest None."""

    def __init__(self, data: bytes, start: int, end: int) -> None:
        self._data = data
        self._end = end
        self.at = start

    def struct(self, depth: int = 0) -> dict[int, object]:
        told: dict[int, object] = {}
        field = 0
        while (head := self._byte()) != _STOP:
            field = field + (head >> 4) if head >> 4 else self._number()
            told[field] = self._value(head & 15, depth)
        return told

    def _value(self, kind: int, depth: int) -> object:
        if depth > _DEEPEST:
            raise PagesUnfit("its footer or the header of a page is nested too deep")
        if kind in (_TRUE, _FALSE):
            return None
        if kind in _NUMBERS:
            return self._number()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in (_BYTE, _DOUBLE):
            self._step(1 if kind == _BYTE else 8)
        elif kind == _BINARY:
            self._step(self._varint())
        elif kind in (_LIST, _SET):
            head = self._byte()
            count = head >> 4 if head >> 4 != _SHORT_LIST else self._varint()
            if head & 15 == _STRUCT:
                return [self.struct(depth + 1) for _ in range(count)]
            self._elements(count, (head & 15,), depth)
        elif kind == _MAP:
            if count := self._varint():
                head = self._byte()
                self._elements(count, (head >> 4, head & 15), depth)
        else:
            raise PagesUnfit("its footer or the header of a page is damaged")
        return None

    def _elements(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        for _ in range(count):  # each takes a byte at least, so that more than there are end at the end
            for kind in kinds:
                if kind in (_TRUE, _FALSE):
                    self._step(1)  # in a list each flag takes a byte
                else:
                    self._value(kind, depth + 1)

    def _byte(self) -> int:
        if self.at >= self._end:
            raise PagesUnfit("its footer or the header of a page is cut off")
        self.at += 1
        return self._data[self.at - 1]

    def _step(self, count: int) -> None:
        self.at += count - 1
        self._byte()  # the last of them is there

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) & 0x80:
            value |= (byte & 0x7F) << shift
            shift += 7
            if shift >= 70:
                raise PagesUnfit("its footer or the header of a page holds a number that is too large")
        return value | byte << shift

    def _number(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
