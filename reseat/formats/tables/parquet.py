"""Layouts as Parquet, with the columns of ``reseat.formats.tables.table``.

What it promises, in this order: the memory that reading takes is bound by ``Limits`` whatever the file says and however
it is encoded; what is at fault in a file is said before anything of it is unpacked.

How it works: the footer's length is bound; columns that are not known are not read; the type of those that are is one
of a few; the headers of their pages tell what they unpack to (``reseat.formats.tables.parquet_pages``). Only then is
the file read, texts as dictionaries, so that a name told a million times stands in memory once. Where lists need each
row's text, the sum of these texts is bound before they are made.

Complexity: O(bytes unpacked).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson

from reseat.errors import InputRefused, LimitMet
from reseat.formats.input.reading import LIMITS, Limits, Reading
from reseat.formats.input.shown import shown
from reseat.formats.rows.bounds import check_size
from reseat.formats.tables.csv_cells import Unfit, faults_of, out_of_bounds
from reseat.formats.tables.parquet_pages import DELTA_BYTE_ARRAY, Chunk, Page, PagesUnfit, chunks_of, pages_of
from reseat.formats.tables.table_columns import ABSENT, Table
from reseat.formats.tables.table_layout import read_table
from reseat.formats.tables.table_names import FLAG, INTEGER, LIST, TEXT, Header, named
from reseat.model.wording import visible

__all__ = ["read_parquet"]

#: Bytes of a footer: a layout's has some kilobytes, and what a reader makes of it takes a hundred times as much.
_LONGEST_FOOTER = 4_000_000
#: Pages of one file: writers put some 20,000 values into one.
_MOST_PAGES = 200_000
#: How much larger numbers may be unpacked than the limit for a text: they are told in fewer bytes than as text.
_UNPACKED = 4
#: Bytes that stand before each text of a page.
_LENGTH = 4


def read_parquet(data: bytes, *, source: str = "pasted text", limits: Limits = LIMITS) -> Reading:
    """Read a layout from a Parquet file with the columns of ``read_csv``; lists may be lists of integers too.

    Args:
        data: the file's bytes.
        source: the file's name.
        limits: what is accepted; ``megabytes`` holds for texts unpacked, and four times of it for all columns.

    Raises:
        InputRefused: it is no Parquet file, or lacks the columns needed, or one has a type that cannot be used.
        LimitMet: it is larger, packed or unpacked, than ``limits`` allow.
    """
    import pyarrow as pa

    check_size(data, source, limits)
    try:
        return _File(data, source, limits).read()
    except (pa.ArrowException, OSError, ValueError, MemoryError, PagesUnfit) as error:
        raise InputRefused(f"Not a Parquet file that can be read: {_short(error)}.", source=source) from error


class _File:
    """One file being read; each step makes sure of what the next one allocates."""

    def __init__(self, data: bytes, source: str, limits: Limits) -> None:
        self.data = data
        self.source = source
        self.limits = limits

    def read(self) -> Reading:
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        self._check_footer()
        buffer = pa.BufferReader(self.data)
        file = pq.ParquetFile(buffer)
        schema, metadata = file.schema_arrow, file.metadata
        header = named(list(schema.names), self.source, None)
        self._check_columns(header, schema)
        leaves = self._leaves(header, schema)
        texts = [leaf for leaf, field in leaves.items() if _is_text(_value_type(schema.field(field).type))]
        self._check_pages(metadata, leaves, texts)
        paths = [metadata.schema.column(leaf).path for leaf in texts]
        file = pq.ParquetFile(buffer, metadata=metadata, read_dictionary=paths)
        arrow = file.read(columns=[header.told[i] for i in header.known])
        arrow.validate(full=True)  # a damaged page's values may refer to texts that its dictionary does not have
        table = Table(lambda row: row + 1, self.limits, self.source, unit="row", count=arrow.num_rows)
        wrong: list[Unfit] = []
        columns: dict[str, Any] = {}
        for i, name in header.known.items():
            told = arrow.column(header.told[i])
            column = told.unify_dictionaries().combine_chunks()
            try:
                columns[name] = fit = self._as_expected(name, column, header.by_partition)
                unfit = out_of_bounds(name, fit)
                wrong += unfit
                for _, cells, _ in unfit:
                    fit = pc.if_else(pa.array(cells), None, fit)
                table.take(name, fit, str)
            except (pa.ArrowException, ValueError) as error:
                raise InputRefused(
                    f"Column {shown(header.told[i])!r} has type {told.type}, which cannot be read as {name}: "
                    f"{_short(error)}.",
                    source=self.source,
                ) from error
        if wrong:
            table = self._without(table, wrong, columns)
        return read_table(table, header, "Parquet")

    # ---- before anything is unpacked -----------------------------------------------------------------------

    def _check_footer(self) -> None:
        if len(self.data) < 12 or self.data[-4:] != b"PAR1":
            raise PagesUnfit("it does not end like a Parquet file")
        (length,) = struct.unpack("<I", self.data[-8:-4])
        if length > len(self.data) - 8:
            raise PagesUnfit("its footer is cut off")
        if length > _LONGEST_FOOTER:
            raise LimitMet(
                f"The file's footer has {length / 1e6:,.1f} MB; {_LONGEST_FOOTER / 1e6:,.0f} MB is the limit. Write it "
                "with fewer row groups.",
                source=self.source,
            )

    def _check_columns(self, header: Header, schema: Any) -> None:
        """Each known column stands once and has a type that is read."""
        import pyarrow as pa

        for i, name in header.known.items():
            told = header.told[i]
            if header.told.count(told) > 1:
                raise InputRefused(f"Column {shown(told)!r} occurs more than once in the file.", source=self.source)
            kind = schema.field(i).type
            element = _value_type(kind)
            listed = element is not kind
            takes = _is_text(element) or pa.types.is_integer(element) or pa.types.is_null(element)
            if not listed:
                takes = takes or pa.types.is_floating(element) or pa.types.is_boolean(element)
                takes = takes or pa.types.is_decimal(element)
            if not takes or (listed and not (header.by_partition and name in LIST)):
                raise InputRefused(
                    f"Column {shown(told)!r} has type {shown(kind)}, which cannot be read as {name}.",
                    source=self.source,
                )

    def _leaves(self, header: Header, schema: Any) -> dict[int, int]:
        """Columns as Parquet counts them, each with the field it belongs to; of known columns alone, one a field."""
        leaves, at = {}, 0
        for i, field in enumerate(schema):
            if i in header.known:
                leaves[at] = i
            at += _leaf_count(field.type)
        return leaves

    def _check_pages(self, metadata: Any, leaves: dict[int, int], texts: list[int]) -> None:
        most = self.limits.bytes
        unpacked = in_texts = count = 0
        values = dict.fromkeys(leaves, 0)
        (length,), end = struct.unpack("<I", self.data[-8:-4]), len(self.data) - 8
        for chunks in chunks_of(self.data, end - length, end):
            if len(chunks) != len(metadata.schema):
                raise PagesUnfit("a row group does not have the columns of the file")
            for leaf in leaves:
                for page in self._pages(chunks[leaf]):
                    count += 1
                    unpacked += page.unpacked
                    values[leaf] += 0 if page.is_dictionary else page.values
                    if leaf in texts:
                        in_texts += page.unpacked
                        self._check_texts(page, metadata.schema.column(leaf).path)
                    if unpacked > _UNPACKED * most or in_texts > most or values[leaf] > self.limits.cells:
                        raise LimitMet(
                            f"The file unpacks to more than {_UNPACKED * most / 1e6:,.0f} MB, {most / 1e6:,.0f} MB of "
                            f"text or {self.limits.cells:,} values of a column; that is the limit.",
                            source=self.source,
                        )
                    if count > _MOST_PAGES:
                        raise LimitMet(
                            f"The file has more than {_MOST_PAGES:,} pages; that is the limit.", source=self.source
                        )

    def _pages(self, chunk: Chunk) -> Iterator[Page]:
        if chunk.values < chunk.rows:
            raise PagesUnfit("a column has fewer values than the file has rows")
        return pages_of(self.data, chunk.start, chunk.length, chunk.values)

    def _check_texts(self, page: Page, path: str) -> None:
        """The texts of a page are no longer than names are, and do not unfold to more than the limit for a text."""
        name = shown(path.partition(".")[0])
        longest = max(self.limits.name, self.limits.replicas * len("2147483647;"))
        if page.values and page.unpacked / page.values - _LENGTH > longest:
            raise LimitMet(
                f"Column {name!r} holds texts of {page.unpacked / page.values:,.0f} bytes; {longest:,} is the limit.",
                source=self.source,
            )
        if page.encoding == DELTA_BYTE_ARRAY and page.values * page.unpacked > self.limits.bytes:
            raise LimitMet(
                f"Column {name!r} is encoded as DELTA_BYTE_ARRAY, and a page of it could unfold to "
                f"{page.values * page.unpacked / 1e6:,.0f} MB. Write it with dictionaries, as most writers do.",
                source=self.source,
            )

    # ---- columns -------------------------------------------------------------------------------------------

    def _as_expected(self, name: str, column: Any, by_partition: bool) -> Any:
        """A Parquet column in the type that the table takes."""
        import pyarrow as pa

        if _value_type(column.type) is not column.type:
            return self._lists(name, column)
        if name in TEXT:
            return self._names(name, column)
        texts = by_partition and (name in LIST or name == "size_bytes")
        kind = pa.string() if texts else pa.bool_() if name in FLAG else pa.int32() if name in INTEGER else pa.float64()
        if not pa.types.is_dictionary(column.type):
            return column.cast(kind)
        if pa.types.is_string(kind):
            self._check_sum(name, column)
        return column.dictionary.cast(kind).take(column.indices)

    def _without(self, table: Table, wrong: list[Unfit], columns: dict[str, Any]) -> Table:
        """The table without the rows that tell nothing without what is at fault in them; each fault is listed."""
        fatal, at_fault = faults_of(wrong, table.count, lambda name, row: columns[name][row].as_py())
        left = table.rows(np.flatnonzero(~fatal))
        codes, words = table.text["topic"]
        for row, why in at_fault:
            topic = words[codes[row]] if codes[row] >= 0 else None
            partition = int(table.integer["partition"][row])
            known = {"topic": topic, "partition": None if partition == ABSENT else partition}
            told = known | {name: columns[name][row].as_py() for name, cells, _ in wrong if cells[row]}
            left.skip(
                table.line(row),
                ", ".join(f"{name}={value}" for name, value in told.items() if value is not None),
                why,
                about=(topic, partition) if fatal[row] and topic and partition != ABSENT else None,
            )
        return left

    def _names(self, name: str, column: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        encoded = column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()
        words = encoded.dictionary.cast(pa.string())
        longest = pc.max(pc.binary_length(words)).as_py() or 0
        if longest > self.limits.name:
            raise LimitMet(
                f"Column {name!r} holds a text of {longest:,} bytes; {self.limits.name:,} is the limit.",
                source=self.source,
            )
        return pa.DictionaryArray.from_arrays(encoded.indices.cast(pa.int32()), words)

    def _lists(self, name: str, column: Any) -> Any:
        """Lists of ids as ``1;2;3``, lists of directories as JSON."""
        import pyarrow as pa
        import pyarrow.compute as pc

        lengths = np.asarray(pc.fill_null(column.value_lengths(), 0), np.int64)
        if int(lengths.max(initial=0)) > self.limits.replicas:
            raise LimitMet(
                f"One list in column {name!r} has {int(lengths.max()):,} entries; {self.limits.replicas:,} is the "
                "limit.",
                source=self.source,
            )
        flat = column.flatten()
        is_json = name == "log_dirs"
        if pa.types.is_dictionary(flat.type):
            self._check_sum(name, flat)
            words = [orjson.dumps(word).decode() if is_json else word for word in flat.dictionary.to_pylist()]
            flat = pa.array(words, pa.string()).take(flat.indices)
        flat = pc.fill_null(flat.cast(pa.string()), "null" if is_json else "")
        offsets = pa.array(np.append(0, np.cumsum(lengths)).astype(np.int32))
        joined = pc.binary_join(pa.ListArray.from_arrays(offsets, flat), "," if is_json else ";")
        if is_json:
            joined = pc.binary_join_element_wise("[", joined, "]", "")
        else:
            joined = pc.if_else(pc.equal(joined, ""), "none", joined)
        return pc.if_else(column.is_valid(), joined, None)

    def _check_sum(self, name: str, column: Any) -> None:
        """Refuse texts that take more, each row's written out, than a text may have."""
        import pyarrow.compute as pc

        lengths = np.append(np.asarray(pc.binary_length(column.dictionary).fill_null(0), np.int64), 0)
        indices = np.asarray(column.indices.fill_null(len(lengths) - 1))
        total = int(lengths[indices].sum())
        if total > self.limits.bytes:
            raise LimitMet(
                f"The lists in column {name!r} have {total / 1e6:,.0f} MB decoded; {self.limits.megabytes:,} MB is "
                "the limit.",
                source=self.source,
            )


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary())


def _value_type(kind: Any) -> Any:
    """What a list's elements are; the type itself where it is no list."""
    import pyarrow as pa

    return kind.value_type if pa.types.is_list(kind) or pa.types.is_large_list(kind) else kind


def _leaf_count(kind: Any) -> int:
    """Columns that Parquet keeps for a field of this type."""
    return sum(_leaf_count(kind.field(i).type) for i in range(kind.num_fields)) or 1


def _short(error: Exception) -> str:
    return visible(str(error).splitlines()[0]).rstrip(".") if str(error) else type(error).__name__
