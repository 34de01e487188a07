"""Texts as cells that no spreadsheet takes for a formula."""

from __future__ import annotations

__all__ = ["escaped", "unescaped"]

#: What makes a spreadsheet take a text for one; the apostrophe is here so that escaping can be undone.
_FORMULA = ("=", "+", "-", "@", "'", "\t", "\r")
_BLANKS = "".join(map(chr, range(33)))


def escaped(word: str) -> str:
    """A text as a cell."""
    return f"'{word}" if word.startswith(_FORMULA) else word


def unescaped(cell: str) -> str:
    """The text that ``escaped`` was given, without blanks around it.

    Blanks are what Java's ``trim`` takes for them: Kafka trims a rack or a host of its configuration so, and no name
    has any. A no-break space is a character of the name.
    """
    word = cell.strip(_BLANKS)
    return word[1:] if word.startswith("'") and word[1:].startswith(_FORMULA) else word
