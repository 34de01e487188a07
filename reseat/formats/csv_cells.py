"""What a cell of a CSV text may hold: for Arrow, which reads whole columns, and cell by cell where one is at fault."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from reseat.formats.table_columns import NOBODY
from reseat.formats.table_names import FLAG, INTEGER, LIST, TEXT, Header
from reseat.model import NONE, NOT_TOLD
from reseat.model.naming import LARGEST_ID

__all__ = ["FALSE", "LOWEST", "NULLS", "TRUE", "VITAL", "arrow_types", "converter"]

NULLS = ("", "NA", "N/A", "n/a", "na", "<NA>", "null", "NULL", "None", "nan", "NaN")
TRUE = ("true", "True", "TRUE", "1", "yes", "Yes", "YES", "t", "y")
FALSE = ("false", "False", "FALSE", "0", "no", "No", "NO", "f", "n")
_INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,18}(?:\.0*)?")
_HEXADECIMAL = re.compile(r"0[xX][0-9a-fA-F]{1,8}")  # Arrow reads it, so cells are read alike
_FLOAT_TEXT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
#: The least that an integer may be, where that is not 0.
LOWEST = {"leader": NONE, "leader_epoch": NOT_TOLD, "min_in_sync": NONE}
#: Cells without which a row tells nothing.
VITAL = frozenset(("topic", "partition", "position", "broker", "replicas"))


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


def converter(name: str, kind: Any) -> Callable[[str], Any]:
    """A function from a cell, blanks around it included, to its value or None; raises ValueError: what was expected."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind) or pa.types.is_string(kind):
        return str  # as it is: blanks around names go once both ways of reading are one
    if pa.types.is_boolean(kind):
        return _flag_of
    if pa.types.is_floating(kind):
        return _size_of
    lowest = LOWEST.get(name, 0)

    def integer_of(told: str) -> int | None:
        cell = told.strip()
        if cell in NULLS:
            return None
        if lowest == NONE and cell.lower() in NOBODY:
            return NONE
        if _HEXADECIMAL.fullmatch(cell):
            value = int(cell, 16)
        elif _INTEGER_TEXT.fullmatch(cell):
            value = int(cell.partition(".")[0])
        else:
            raise ValueError("a whole number")
        if not lowest <= value <= LARGEST_ID:
            raise ValueError(f"between {lowest} and {LARGEST_ID:,}")
        return value

    return integer_of


def _flag_of(told: str) -> bool | None:
    cell = told.strip()
    if cell in NULLS:
        return None
    if cell in TRUE or cell.lower() in TRUE:
        return True
    if cell in FALSE or cell.lower() in FALSE:
        return False
    raise ValueError("true or false")


def _size_of(told: str) -> float | None:
    cell = told.strip()
    if cell in NULLS:
        return None
    if not _FLOAT_TEXT.fullmatch(cell) or not 0 <= float(cell) < float("inf"):
        raise ValueError("a number of bytes")
    return float(cell)
