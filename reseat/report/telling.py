"""Small words and choices that several chapters share."""

from __future__ import annotations

from reseat.model.units import count

__all__ = ["arrow"]


def arrow(before: float | None, after: float | None) -> str:
    """A count before and after, ``206 to 144``; one of them where there is only that, or both are the same."""
    if after is None or before == after:
        return count(before)
    return f"{count(before)} to {count(after)}"
