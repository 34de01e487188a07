"""Rows of many small files, kept file by file: who asks again opens only the files that are new since.

What it promises, ranked: (1) the rows that a read of all files would give now: those of a file that is gone, or has
given its place to another, are kept no longer; (2) what is kept is bounded, and what was asked for last stays;
(3) threads share what is kept: one that asks while another reads waits for it instead of reading the same.

What it needs: a published file never changes. Its path, its size and the time at which it was written say which it is.

How it works: each file is read whole and decoded in one go, which takes pyarrow a third of what its data sets take for
files of a few rows (0.4 ms of CPU instead of 1).

Complexity: a listing, and the bytes of new files.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reseat.history.folder import Folder
from reseat.history.parts import Part
from reseat.history.scan import looking_again
from reseat.history.schema import PARTITION_KEYS, arrow_schema

__all__ = ["MOST_BYTES", "read_kept"]

#: What all that is kept may take: ten days of an hourly fleet of 1,000 clusters.
MOST_BYTES = 64 << 20
_MOST_QUESTIONS = 16


@dataclass(eq=False, slots=True)
class _Kept:
    """What is kept of one question: files, how many rows each has, and the rows, in the order of the files."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    parts: list[Part] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    rows: pa.Table | None = None


#: The one that was asked last is the last; ``_GUARD`` is held while it is changed.
_KEPT: OrderedDict[tuple[object, ...], _Kept] = OrderedDict()
_GUARD = threading.Lock()


def read_kept(
    tables: Folder,
    name: str,
    listed: Callable[[], Sequence[Part]],
    columns: Sequence[str],
    *,
    only: tuple[str, tuple[str, ...]] | None = None,
) -> pa.Table:
    """Some columns of some files of a partitioned table; those that were read before are not opened.

    Args:
        tables: the tables' folder.
        name: the table.
        listed: lists its files; asked once more where one is gone by the time it is opened.
        columns: only these.
        only: rows whose column of this name has one of these values; None: all.

    Raises:
        InputRefused: files cannot be read, or were gone twice.
    """
    schema = arrow_schema(name, with_keys=True)
    schema = pa.schema([schema.field(column) for column in columns])
    in_files = pa.schema([one for one in schema if one.name not in PARTITION_KEYS])
    with _GUARD:
        kept = _KEPT.setdefault(key := (tables.place.url, name, tuple(columns), only), _Kept())
        _KEPT.move_to_end(key)
    with kept.lock:

        def read() -> tuple[list[Part], list[Part], list[pa.Table]]:
            now, known = list(listed()), set(kept.parts)
            new = [part for part in now if part not in known]
            return now, new, tables.each(lambda part: _opened(tables, part.path, in_files, only), new)

        now, new, added = looking_again(tables, name, read)
        found = _with_keys(added, new, schema)
        counts = list(map(len, added))
        if kept.rows is not None:
            there = set(now)
            stays = [part in there for part in kept.parts]
            before = kept.rows if all(stays) else kept.rows.filter(pa.array(np.repeat(stays, kept.counts)))
            found = pa.concat_tables([before, found])
            new = [*(part for part, stay in zip(kept.parts, stays, strict=True) if stay), *new]
            counts = [*(count for count, stay in zip(kept.counts, stays, strict=True) if stay), *counts]
        kept.rows, kept.parts, kept.counts = found.combine_chunks(), new, counts
        found = kept.rows
    _make_room()
    return found


def _opened(tables: Folder, path: str, wanted: pa.Schema, only: tuple[str, tuple[str, ...]] | None) -> pa.Table:
    file = tables.load(path)
    try:
        return _rows(file, wanted, only)
    except (OSError, pa.ArrowException) as error:  # a footer that is wrong is an OSError, too
        raise pa.ArrowInvalid(f"{path}: {error}") from error


def _rows(file: bytes, wanted: pa.Schema, only: tuple[str, tuple[str, ...]] | None) -> pa.Table:
    """The rows of one file, without cluster and day."""
    from pyarrow import parquet

    source = parquet.ParquetFile(pa.BufferReader(file))
    there = set(source.schema_arrow.names)
    rows = source.read([name for name in wanted.names if name in there], use_threads=False)
    if only is not None:
        rows = rows.filter(pc.is_in(rows[only[0]], pa.array(only[1])))
    if rows.schema.equals(wanted):
        return rows
    arrays = [  # of an earlier version: a column that it did not have is null
        rows[one.name].cast(one.type) if one.name in there else pa.nulls(len(rows), one.type) for one in wanted
    ]
    return pa.Table.from_arrays(arrays, schema=wanted)


def _with_keys(found: Sequence[pa.Table], parts: Sequence[Part], schema: pa.Schema) -> pa.Table:
    """The rows of files one after the other, with the cluster and the day of each."""
    if not found:
        return schema.empty_table()
    rows = pa.concat_tables(found)
    file = np.repeat(np.arange(len(parts)), [len(one) for one in found])
    for key in PARTITION_KEYS:
        if key in schema.names:
            values = pa.array([getattr(part, key) for part in parts], pa.string())
            rows = rows.append_column(key, values.take(pa.array(file)))
    return rows.select(schema.names)


def _make_room() -> None:
    """Let go of what was asked for longest ago, until the rest is no more than may be kept."""
    with _GUARD:
        sizes = {key: 0 if kept.rows is None else int(kept.rows.nbytes) for key, kept in _KEPT.items()}
        over = sum(sizes.values()) - MOST_BYTES
        for key, size in sizes.items():
            if over > 0 or len(_KEPT) > _MOST_QUESTIONS:
                del _KEPT[key]
                over -= size
