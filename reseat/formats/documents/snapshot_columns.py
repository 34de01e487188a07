"""A layout as the columns of a snapshot file, and back: topics, partitions and replicas as three tables.

What it promises, in this order: what is read back has equal columns (sizes that are no sizes, below 0 or infinite, come
back as not told); nothing larger than the limits is ever allocated; a column that does not fit the others is refused
with its name.

How it works: a table is an object of columns of equal length. Rows of ``partitions`` stand topic by topic, as many as
the topic's ``partitions`` say, rows of ``replicas`` partition by partition, as many as the partition's ``replicas``
say, so that no row repeats what it belongs to. Whole numbers are a JSON list; yes and no are one text of a digit a row
(``"1101"``), which takes a byte and no object each. Lists are decoded piece by piece.

Example: ``{"topics":{"name":["a"],"partitions":[2],"order_told":"1"}, "partitions":{"id":[0,1],"replicas":[2,1]},
"replicas":{"broker":[1,2,3]}}`` is a-0 on brokers 1 and 2, and a-1 on broker 3.

Complexity: O(bytes); no Python loop over partitions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from reseat.errors import LimitMet
from reseat.formats.input.reading import Limits
from reseat.formats.rows.bounds import padded
from reseat.model import NONE, BoolArray, Broker, ClusterLayout, FloatArray, IntArray, Longs
from reseat.model.arrays import ids_at
from reseat.model.columns import COLUMNS, Column
from reseat.model.naming import LARGEST_ID

__all__ = ["Unfit", "layout_of", "tables_of"]

#: The tables of a column by what it has an entry for; ``either`` is in the one that its shape says.
_TABLES_OF = {
    "topic": ("topics",),
    "row": ("partitions",),
    "replica": ("replicas",),
    "either": ("partitions", "replicas"),
}
#: What frames the tables: names, ids and lists, and how many rows belong to each.
_FRAME = {"topics": {"name", "partitions"}, "partitions": {"id", "replicas"}, "replicas": {"broker"}}
_FRAMED = ("topic_of", "partition", "replicas")
#: The columns within that frame, under their names; another one is a new key, and with it a new version.
_WITHIN = {name: column for name, column in COLUMNS.items() if name not in _FRAMED}
_KNOWN = {
    table: frame | {name for name, column in _WITHIN.items() if table in _TABLES_OF[column.per]}
    for table, frame in _FRAME.items()
}
#: Bytes of a list decoded at once: its numbers are Python objects only piece by piece.
PIECE = 4_000_000
#: The largest whole number up to which floating point numbers are exact.
_EXACT = 2**53

_INTS: msgspec.json.Decoder[list[int]] = msgspec.json.Decoder(list[int])
_NUMBERS: msgspec.json.Decoder[list[int | float | None]] = msgspec.json.Decoder(list[int | float | None])
_NAMES: msgspec.json.Decoder[list[str]] = msgspec.json.Decoder(list[str])
_TEXT: msgspec.json.Decoder[str] = msgspec.json.Decoder(str)
_TABLE: msgspec.json.Decoder[dict[str, msgspec.Raw]] = msgspec.json.Decoder(dict[str, msgspec.Raw])


class Unfit(Exception):
    """Says in one sentence why columns make no layout."""


# ---- writing -----------------------------------------------------------------------------------------------


def tables_of(layout: ClusterLayout) -> dict[str, dict[str, object]]:
    """The tables ``topics``, ``partitions`` and ``replicas``: lists, texts of digits and contiguous numpy columns.

    Columns that tell nothing are left out.
    """
    held = layout.replicas != NONE
    tables: dict[str, dict[str, object]] = {
        "topics": {
            "name": list(layout.topics),
            "partitions": np.bincount(layout.topic_of, minlength=len(layout.topics)),
        },
        "partitions": {
            "id": np.ascontiguousarray(layout.partition),
            "replicas": np.ascontiguousarray(layout.replication_factor),
        },
        "replicas": {"broker": layout.replica_ids[held]},
    }
    for name, told in layout.columns().items():
        column = COLUMNS[name]
        if name not in _WITHIN or (column.whole and column.per == "row" and not (told != column.blank).any()):
            continue
        flat = told[held] if told.ndim == 2 else told
        if column.into == "brokers":
            flat = ids_at(layout.broker_ids, flat)
        tables[_TABLES_OF[column.per][told.ndim - 1 if column.per == "either" else 0]][name] = _encoded(flat)
    return tables


def _encoded(flat: npt.NDArray[Any]) -> str | npt.NDArray[Any]:
    if flat.dtype == np.bool_:
        return (flat.astype(np.uint8) + ord("0")).tobytes().decode()
    return _sizes(flat) if flat.dtype == np.float64 else np.ascontiguousarray(flat)


def _sizes(sizes: FloatArray) -> Longs | FloatArray:
    """Whole numbers, -1 where not told, if all are whole; else as they are, which becomes null where not told."""
    told = np.isfinite(sizes) & (sizes >= 0)
    whole = np.where(told, sizes, -1.0)
    if bool((whole < _EXACT).all()) and bool((whole == np.floor(whole)).all()):
        return whole.astype(np.int64)
    return np.where(told, sizes, np.nan)


# ---- reading -----------------------------------------------------------------------------------------------


def layout_of(
    tables: Mapping[str, msgspec.Raw],
    brokers: Sequence[Broker],
    log_dirs: Sequence[str],
    *,
    source: str,
    limits: Limits,
) -> ClusterLayout:
    """The layout that the tables tell.

    Args:
        tables: ``topics``, ``partitions`` and ``replicas`` as JSON.
        brokers: the brokers.
        log_dirs: paths that ``replicas.log_dir`` counts from 0.
        source: the file's name, for messages.
        limits: what is accepted.

    Raises:
        Unfit: a column is missing, unknown, of another length than the others or holds what it must not.
        LimitMet: there are more partitions or replicas than ``limits`` allow.
        LayoutInvalid: the columns fit and make no layout (rows that are not sorted, a partition twice).
        msgspec.DecodeError: a column is not of its type.
    """
    topics, partitions, replicas = (
        _Table(name, tables[name], most, source)
        for name, most in (("topics", limits.partitions), ("partitions", limits.partitions), ("replicas", limits.cells))
    )
    names = topics.names("name")
    topics.rows = len(names)
    in_topic = topics.needed("partitions")
    partitions.rows = int(in_topic.sum())
    ids = partitions.needed("id", rows="'partitions' of the table topics")
    factor = partitions.needed("replicas")
    replicas.rows = int(factor.astype(np.int64).sum())
    held = replicas.needed("broker", rows="'replicas' of the table partitions")
    place = _places(brokers)

    most = {"log_dirs": len(log_dirs) - 1}
    columns: dict[str, Any] = {
        "topic_of": np.repeat(np.arange(len(names), dtype=np.int32), in_topic),
        "partition": ids,
        "replicas": padded(place(held, "replicas.broker"), factor, NONE, source, limits),
    }
    for name, column in _WITHIN.items():
        for table in (topics, partitions, replicas):
            flat = table.told(name, column, most.get(column.into, LARGEST_ID)) if name in _KNOWN[table.name] else None
            if flat is None:
                continue
            if name in columns:
                raise Unfit("Sizes are given both by partition and by replica; one of them was expected.")
            if column.into == "brokers":
                flat = place(flat, f"{table.name}.{name}")
            columns[name] = padded(flat, factor, column.blank, source, limits) if table is replicas else flat
        if name not in columns and column.whole:
            if column.per == "topic":
                raise Unfit(f"The table topics lacks the column {name!r}.")
            columns[name] = np.full(partitions.rows, column.blank, column.kind)
    return ClusterLayout(brokers=tuple(brokers), topics=tuple(names), log_dirs=tuple(log_dirs), **columns)


class _Table:
    """One table as told; ``rows`` is how many rows its columns must have."""

    def __init__(self, name: str, table: msgspec.Raw, most: int, source: str) -> None:
        self.name = name
        self.most = most
        self.source = source
        self.rows = 0
        self.columns = _TABLE.decode(table)
        unknown = sorted(self.columns.keys() - _KNOWN[name])
        if unknown:
            raise Unfit(f"The table {name} has a column {unknown[0][:60]!r}, which version 1 does not know.")

    def names(self, column: str) -> list[str]:
        """A column of texts, which says how many rows there are."""
        if column not in self.columns:
            raise Unfit(f"The table {self.name} lacks the column {column!r}.")
        return _NAMES.decode(self._bounded(column))

    def needed(self, column: str, *, rows: str = "") -> IntArray:
        """A column of numbers from 0, which must be there.

        Args:
            column: its name.
            rows: what says how many rows there are, for the message.
        """
        found = self.ints(column, least=0, said=rows)
        if found is None:
            raise Unfit(f"The table {self.name} lacks the column {column!r}.")
        return found

    def told(self, name: str, column: Column, most: int) -> npt.NDArray[Any] | None:
        """A column of the layout, or None where it is not told; ``most``: the largest position that it may hold."""
        if column.kind is np.bool_:
            return self.flags(name)
        return self.sizes(name) if column.kind is np.float64 else self.ints(name, least=column.least, most=most)

    def ints(self, column: str, *, least: int, most: int = LARGEST_ID, said: str = "") -> IntArray | None:
        """A column of whole numbers, or None where it is not told."""
        if column not in self.columns:
            return None
        flat = self._numbers(column, self._bounded(column))
        self._check_length(column, len(flat), said)
        if flat.size and not least <= int(flat.min()) <= int(flat.max()) <= most:
            wrong = flat[(flat < least) | (flat > most)]
            raise Unfit(f"{self.name}.{column} holds {int(wrong[0])}; {least} to {most} was expected.")
        return flat.astype(np.int32)

    def sizes(self, column: str) -> FloatArray | None:
        """A column of bytes, NaN where not told; or None."""
        if column not in self.columns:
            return None
        data = self._bounded(column)
        try:
            sizes = self._numbers(column, data).astype(np.float64)
        except msgspec.ValidationError:
            pieces = [np.array(_NUMBERS.decode(piece), np.float64) for piece in _pieces(data)]
            sizes = np.concatenate(pieces)
        self._check_length(column, len(sizes))
        sizes[~np.isfinite(sizes) | (sizes < 0)] = np.nan
        return sizes

    def flags(self, column: str) -> BoolArray | None:
        """A text of digits 0 and 1, or None where it is not told."""
        if column not in self.columns:
            return None
        raw = bytes(memoryview(self.columns[column]))
        # Long texts are not decoded: quotes and digits are all that may stand in them.
        digits = np.frombuffer(raw[1:-1] if raw[:1] == raw[-1:] == b'"' and len(raw) > 1 else b"?", np.uint8)
        if digits.size and not ord("0") <= int(digits.min()) <= int(digits.max()) <= ord("1"):
            raise Unfit(f"{self.name}.{column} is not a text of digits 0 and 1.")
        self._check_length(column, len(digits))
        yes: BoolArray = digits == ord("1")
        return yes

    def _bounded(self, column: str) -> bytes:
        data = bytes(memoryview(self.columns[column]))
        if data.count(b",") >= self.most:
            raise LimitMet(
                f"{self.name}.{column} holds {data.count(b',') + 1:,} values; {self.most:,} is the limit.",
                source=self.source,
            )
        return data

    def _numbers(self, column: str, data: bytes) -> Longs:
        try:
            return np.concatenate([np.array(_INTS.decode(piece), np.int64) for piece in _pieces(data)])
        except OverflowError as error:
            raise Unfit(f"{self.name}.{column} holds a number that is too large.") from error

    def _check_length(self, column: str, length: int, said: str = "") -> None:
        if length != self.rows:
            told = f"by {said}" if said else "by the other columns"
            raise Unfit(f"{self.name}.{column} has {length:,} values; {self.rows:,} were expected {told}.")


def _pieces(data: bytes) -> list[bytes]:
    """A JSON list of numbers in pieces that are lists; of other lists the pieces are no JSON, or of another type."""
    if len(data) <= PIECE or data[:1] != b"[":
        return [data]
    out, start, end = [], 1, len(data) - 1
    while True:
        cut = data.find(b",", min(start + PIECE, end), end)
        if cut < 0:
            out.append(b"[" + data[start:end] + data[end:])
            return out
        out.append(b"[" + data[start:cut] + b"]")
        start = cut + 1


class _places:  # noqa: N801  reads as the function that it is
    """From broker ids to positions; -1 and -2 stay."""

    def __init__(self, brokers: Sequence[Broker]) -> None:
        self._ids = np.array([broker.id for broker in brokers], np.int64)

    def __call__(self, ids: IntArray, column: str) -> IntArray:
        at = np.searchsorted(self._ids, ids)
        known = at < len(self._ids)
        known[known] = self._ids[at[known]] == ids[known]
        strange = ~known & (ids >= 0)
        if strange.any():
            raise Unfit(f"{column} names broker {int(ids[strange][0])}, which 'brokers' does not list.")
        return np.where(ids < 0, ids, at).astype(np.int32)
