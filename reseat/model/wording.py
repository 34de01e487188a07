"""Numbers and lists in sentences for a person: singular and plural, thousands separators, no endless lists."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counted", "listed", "reason_of", "verb"]

#: How many names a sentence spells out before it says "and N more".
SPELLED_OUT = 6
#: Characters that are told of a library's reason: some put whole stacks into theirs.
_LONGEST_REASON = 300


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: ``counted(1, "replica")`` is "1 replica", ``counted(1200, "replica")`` "1,200 replicas".

    Args:
        number: how many.
        noun: the noun in the singular.
        plural: the plural, where it is not the singular with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def verb(number: int, one: str, many: str) -> str:
    """The verb that agrees with a number: ``verb(1, "has", "have")`` is "has"."""
    return one if number == 1 else many


def listed(names: Iterable[object], most: int = SPELLED_OUT) -> str:
    """Names in a sentence: "1, 2 and 3"; beyond ``most`` of them "1, 2 and 48 more"."""
    words = [str(name) for name in names]
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1:,} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def reason_of(error: BaseException) -> str:
    """Why the system or a library failed, for the end of a sentence: one line, without the full stop of its own.

    An ``OSError`` gives the system's words alone ("Permission denied"), without the path, which the sentence names
    better; an error without words gives its type's name.
    """
    words = getattr(error, "strerror", None) or " ".join(str(error).split())[:_LONGEST_REASON]
    return words.rstrip(". ") or type(error).__name__
