"""What was told, as it stands in a sentence: bound, so that no name of megabytes is echoed."""

from __future__ import annotations

__all__ = ["fault", "shown"]

_SHOWN = 60
#: Characters of a decoder's own sentence: it names an unknown field whole, however long it is, and its place behind it.
_FAULT = 300


def shown(told: object, most: int = _SHOWN) -> str:
    """A text or another value, cut where it is longer than ``most`` characters, with how many are left out."""
    text = told if isinstance(told, str) else str(told)
    return text if len(text) <= most else f"{text[:most]}... ({len(text) - most:,} characters more)"


def fault(error: Exception) -> str:
    """What a decoder of JSON says is wrong, as the second half of a sentence, cut in its middle where it is long."""
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    said = (
        str(error)
        .removesuffix(".")
        .replace("`", "'")
        .replace("$.", "")
        .replace("Object", "the object")
        .replace(" - at", ", at")
    )
    said = said if len(said) <= _FAULT else f"{said[: _FAULT // 2]}…{said[-_FAULT // 2 :]}"
    return said[:1].lower() + said[1:]
