"""A table with one row per partition: cells hold lists of ids, sizes and log directories."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from reseat.formats.rows import idlists
from reseat.formats.rows.bounds import check_brokers, padded
from reseat.formats.rows.masks import mask_of
from reseat.formats.rows.row_findings import Rows
from reseat.formats.tables.table_columns import ABSENT, NOBODY, Table
from reseat.model import NONE, NOT_TOLD, BoolArray, IntArray, Longs
from reseat.model.columns import MASKS

__all__ = ["PartitionRows"]

_IDS = r"^[\[({]?\s*[0-9]{1,10}(?:\s*[,; |]\s*[0-9]{1,10})*\s*[\])}]?$"
_SIZES = r"^[0-9.eE+]*(?:;[0-9.eE+]*)*$"


class PartitionRows:
    """Partitions told one a row.

    Attributes:
        table: the rows that are partitions.
        outside: by mask: which rows name a broker in it that is no replica.
    """

    def __init__(self, whole: Table, table: Table) -> None:
        self._whole = whole  # skipped cells are noted there
        self.table = table
        self.outside: dict[str, Longs] = {}

    def read(self) -> tuple[Rows, list[str]]:
        """The rows of partitions, and the log directories that they name."""
        table = self.table
        lists, told, bad = self._ids(table, "replicas")
        if bad.any():
            self._note_cells(table, "replicas", bad, "is not a list of broker ids, such as 1;2;3.")
            table = self.table = table.rows(np.flatnonzero(~bad))
            lists = lists[~bad]
        check_brokers(lists, table.source, table.limits)
        padded(lists.ravel(), np.full(len(lists), lists.shape[1]), NONE, table.source, table.limits)  # the limits alone
        by_row: dict[str, npt.NDArray[Any]] = {}
        leader = table.integer.get("leader")
        by_row["leader"] = (
            np.full(table.count, NOT_TOLD, np.int32)
            if leader is None
            else np.where(leader == ABSENT, NOT_TOLD, leader).astype(np.int32)
        )
        for mask in MASKS:
            name = "isr" if mask == "in_sync" else mask
            if name not in table.lists:
                continue
            ids, told, bad = self._ids(table, name)
            self._note_cells(table, name, bad)
            told &= ~bad
            if not told.any():
                continue
            by_row[mask], outside = mask_of(lists, ids)
            by_row[mask] &= told[:, None]
            if mask == "in_sync":
                by_row["in_sync_told"] = told
            if (named := np.flatnonzero(outside & told)).size:
                self.outside[mask] = named
        self._sizes(table, lists, by_row)
        log_dirs = self._log_dirs(table, lists, by_row)
        by_row |= table.leader_epochs(np.arange(table.count))
        rows = Rows(
            topics=table.text["topic"][1],
            topic_of=table.text["topic"][0],
            partition=table.integer["partition"],
            replicas=lists,
            place=table.place,
            by_row=by_row,
        )
        return rows, log_dirs

    def _ids(self, table: Table, name: str) -> tuple[IntArray, BoolArray, BoolArray]:
        """Lists of ids as a matrix, which of them are told, and which are no lists of ids."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = table.lists[name]
        nobody = pc.is_in(pc.utf8_lower(texts), pa.array(sorted(NOBODY)))
        listed = pc.match_substring_regex(texts, _IDS)
        told = np.asarray(pc.not_equal(texts, ""))
        bad = told & ~np.asarray(pc.or_(nobody, listed))
        plain = pc.if_else(listed, texts, "")
        ids, too_large = idlists.padded([text.encode() for text in plain.to_pylist()], table.limits)
        return ids, told, bad | too_large

    def _note_cells(
        self,
        table: Table,
        name: str,
        bad: BoolArray,
        why: str = "is not a list that can be read; it was treated as unknown.",
    ) -> None:
        for row in np.flatnonzero(bad).tolist():
            text = str(table.lists[name][row].as_py())
            self._whole.skip(table.line(row), f"{table.name(row)}: {text}", f"{name} {why}")

    def _sizes(self, table: Table, lists: IntArray, by_row: dict[str, npt.NDArray[Any]]) -> None:
        """One number for all replicas, or one a replica divided by semicolons."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if "size_bytes" not in table.lists or not table.count:
            return
        texts = table.lists["size_bytes"]
        fits = np.asarray(pc.match_substring_regex(texts, _SIZES))
        texts = pc.if_else(pa.array(fits), texts, "")
        parts = pc.split_pattern(texts, ";")
        lengths = np.diff(np.asarray(parts.offsets))
        flat = parts.flatten()
        try:
            numbers = pc.if_else(pc.equal(flat, ""), pa.scalar(None, pa.string()), flat).cast(pa.float64())
        except pa.ArrowInvalid:
            self._note_cells(table, "size_bytes", np.ones(table.count, np.bool_))
            return
        values = np.asarray(pc.fill_null(numbers, np.nan)).astype(np.float64)
        factor = (lists != NONE).sum(axis=1)
        other = (lengths != 1) & (lengths != factor)
        self._note_cells(table, "size_bytes", ~fits | other)
        if np.isnan(values).all():
            return
        matrix = padded(values, lengths, np.nan, table.source, table.limits)
        if matrix.shape[1] <= 1:
            by_row["size_bytes"] = matrix[:, 0] if matrix.shape[1] else np.full(table.count, np.nan)
            return
        matrix[other] = np.nan
        single = (lengths == 1) & (factor > 1)
        wide = np.full(lists.shape, np.nan)
        columns = min(matrix.shape[1], lists.shape[1])
        wide[:, :columns] = matrix[:, :columns]
        wide[single] = matrix[single, :1]
        by_row["size_bytes"] = np.where(lists != NONE, wide, np.nan)

    def _log_dirs(self, table: Table, lists: IntArray, by_row: dict[str, npt.NDArray[Any]]) -> list[str]:
        """JSON lists, null where a replica's directory is not told."""
        if "log_dirs" not in table.lists:
            return []

        encoded = table.lists["log_dirs"].dictionary_encode()
        which = np.asarray(encoded.indices.fill_null(NONE))
        decoder = msgspec.json.Decoder(list[str | None])
        code: dict[str, int] = {}
        factor = (lists != NONE).sum(axis=1)
        matrix = np.full(lists.shape, NONE, np.int32)
        bad = np.zeros(table.count, np.bool_)
        for number, text in enumerate(encoded.dictionary.to_pylist()):  # as many as there are combinations
            rows = np.flatnonzero(which == number)
            if not text or text.lower() in NOBODY:
                continue
            try:
                names = decoder.decode(text)
            except (msgspec.DecodeError, RecursionError):
                bad[rows] = True
                continue
            fits = rows[factor[rows] == len(names)]
            bad[rows[factor[rows] != len(names)]] = True
            if fits.size:
                codes = [NONE if name is None else code.setdefault(name, len(code)) for name in names]
                matrix[fits, : len(codes)] = np.array(codes, np.int32)
        self._note_cells(table, "log_dirs", bad)
        if code:
            by_row["log_dir"] = matrix
        return list(code)
