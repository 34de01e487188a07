"""What a cell of a CSV text may hold, judged a column at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from reseat.formats.input.shown import shown
from reseat.formats.tables.table_columns import NOBODY
from reseat.formats.tables.table_names import FLAG, INTEGER, LIST, TEXT, Header
from reseat.model import NONE, NOT_TOLD, BoolArray
from reseat.model.naming import LARGEST_ID

__all__ = ["FALSE", "NULLS", "TRUE", "Unfit", "arrow_types", "faults_of", "out_of_bounds", "understood"]

#: Cells that tell nothing, that say yes, and that say no.
NULLS = ("", "NA", "N/A", "n/a", "na", "<NA>", "null", "NULL", "None", "nan", "NaN")
TRUE = ("true", "True", "TRUE", "1", "yes", "Yes", "YES", "t", "y")
FALSE = ("false", "False", "FALSE", "0", "no", "No", "NO", "f", "n")
_INTEGER = r"^(?:[+-]?[0-9]{1,18}(?:\.0*)?|0[xX][0-9a-fA-F]{1,8})$"
_SIZE = r"^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?$"
#: Characters of the largest id.
_LENGTH = len(str(LARGEST_ID))
_BYTES = "a number of bytes"
#: The least that an integer may be, where that is not 0.
_LOWEST = {"leader": NONE, "leader_epoch": NOT_TOLD, "min_in_sync": NONE}
#: Cells without which a row tells nothing.
_VITAL = frozenset(("topic", "partition", "position", "broker", "replicas"))

#: A column, which of its cells are at fault, and what was expected of them.
Unfit = tuple[str, BoolArray, str]


def arrow_types(header: Header) -> dict[str, Any]:
    """The type in which each known column is read; a cell that does not fit it is at fault."""
    import pyarrow as pa

    types: dict[str, Any] = {}
    for name in header.known.values():
        if name in TEXT:
            types[name] = pa.dictionary(pa.int32(), pa.string())
        elif name in LIST and header.by_partition:
            types[name] = pa.string()
        elif name in FLAG:
            types[name] = pa.bool_()
        elif name in INTEGER:
            types[name] = pa.int32()
        else:
            types[name] = pa.string() if header.by_partition else pa.float64()
    return types


def out_of_bounds(name: str, column: Any) -> list[Unfit]:
    """The numbers of an Arrow array that are none of this column; nothing where all are, or it holds no numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(column.type):
        lowest = _LOWEST.get(name, 0)
        wrong = pc.or_(pc.less(column, lowest), pc.greater(column, LARGEST_ID))
        expected = f"between {lowest} and {LARGEST_ID:,}"
    elif pa.types.is_floating(column.type):
        wrong, expected = pc.or_(pc.less(column, 0), pc.is_inf(column)), _BYTES
    else:
        return []
    cells = np.asarray(pc.fill_null(wrong, fill_value=False))
    return [(name, cells, expected)] if cells.any() else []


def faults_of(
    wrong: Sequence[Unfit], rows: int, cell: Callable[[str, int], object]
) -> tuple[BoolArray, Iterator[tuple[int, str]]]:
    """Which rows are left out for what is at fault in them; and each row with a fault, and why it is one.

    Args:
        wrong: what is at fault.
        rows: how many rows there are.
        cell: what stands in a column's row.
    """
    nothing = np.zeros(rows, np.bool_)
    fatal: BoolArray = np.logical_or.reduce([nothing, *(cells for name, cells, _ in wrong if name in _VITAL)])
    at_fault = np.flatnonzero(np.logical_or.reduce([nothing, *(cells for _, cells, _ in wrong)]))

    def why(row: int) -> str:
        told = (
            f"{name} {shown(str(cell(name, row)).strip())!r} is not {expected}"
            for name, cells, expected in wrong
            if cells[row]
        )
        return "; ".join(told) + ("." if fatal[row] else "; it was treated as unknown.")

    return fatal, ((row, why(row)) for row in map(int, at_fault))


def understood(name: str, texts: Any, kind: Any) -> tuple[Any, list[Unfit]]:
    """A column's values, null where a cell tells none.

    Args:
        name: the column.
        texts: its cells, an Arrow array of strings; blanks around them do not count.
        kind: the type of the values.

    Returns:
        The values, and which cells are at fault.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(kind):
        return texts.dictionary_encode(), []
    if pa.types.is_string(kind):
        return texts, []
    cells = pc.utf8_trim_whitespace(texts)
    cells = pc.if_else(pc.is_in(cells, pa.array(NULLS)), None, cells)
    if pa.types.is_boolean(kind):
        small = pc.utf8_lower(cells)
        yes = pc.is_in(small, pa.array(TRUE))
        fits = pc.or_(yes, pc.is_in(small, pa.array(FALSE)))
        return pc.if_else(fits, yes, None), _unfit(name, cells, fits, "true or false")
    whole = pa.types.is_integer(kind)
    if whole and _LOWEST.get(name) == NONE:
        cells = pc.if_else(pc.is_in(pc.utf8_lower(cells), pa.array(sorted(NOBODY))), str(NONE), cells)
    values, fits = _numbers(cells, pa.int64() if whole else kind)
    out = _unfit(name, cells, fits, "a whole number" if whole else _BYTES)
    for _, wrong, _ in (unfit := out_of_bounds(name, values)):
        values = pc.if_else(pa.array(wrong), None, values)
    return values.cast(kind), out + unfit


def _numbers(cells: Any, kind: Any) -> tuple[Any, Any]:
    """Cells as numbers of a kind; and which are numbers, null where a cell tells nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pa.types.is_integer(kind)
    try:
        if not whole or (pc.max(pc.binary_length(cells)).as_py() or 0) <= _LENGTH:  # 0xFFFFFFFFFFFFFFFF wraps around
            return cells.cast(kind), cells.is_valid()
    except pa.ArrowInvalid:
        pass  # some are none, or written as Arrow does not know: with a plus, or a point
    fits = pc.match_substring_regex(cells, _INTEGER if whole else _SIZE)
    told = pc.if_else(fits, cells, None)
    return (pc.replace_substring_regex(told, r"^\+|\.0*$", "") if whole else told).cast(kind), fits


def _unfit(name: str, cells: Any, fits: Any, expected: str) -> list[Unfit]:
    """The cells that tell something and do not fit; nothing where all of them do."""
    import pyarrow.compute as pc

    wrong = np.asarray(pc.and_not_kleene(cells.is_valid(), fits))
    return [(name, wrong, expected)] if wrong.any() else []
