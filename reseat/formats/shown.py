"""What was told, as it stands in a sentence: bound, so that no name of megabytes is echoed."""

from __future__ import annotations

__all__ = ["shown"]

_SHOWN = 60


def shown(told: object, most: int = _SHOWN) -> str:
    """A text or another value, cut where it is longer than ``most`` characters, with how many are left out."""
    text = told if isinstance(told, str) else str(told)
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most:,} characters more)"
