"""What the pair matrix tells Python. Pure: no Streamlit in here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

__all__ = ["opened"]


def opened(event: Mapping[str, object], brokers: Sequence[int]) -> tuple[int, ...] | None:
    """Which brokers a click or Enter opened, ascending: two, or one on the diagonal; None for anything else.

    Args:
        event: ``{"kind": "open", "row": i, "column": j}``; it comes from a browser and is not trusted.
        brokers: ids in the order of rows and columns.
    """
    row, column = event.get("row"), event.get("column")
    if event.get("kind") != "open" or not _is_index(row, len(brokers)) or not _is_index(column, len(brokers)):
        return None
    return tuple(sorted({int(brokers[int(str(row))]), int(brokers[int(str(column))])}))


def _is_index(value: object, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count
