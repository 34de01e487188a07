"""Numbers and lists in sentences for a person: singular and plural, thousands separators, no endless lists."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Collection, Iterable

from reseat.model.wish import Wish

__all__ = [
    "capital",
    "counted",
    "doing",
    "ids",
    "listed",
    "minimal",
    "named",
    "reason_of",
    "some_of",
    "verb",
    "visible",
    "wish_in_words",
]

#: How many names a sentence spells out before it says "and N more".
SPELLED_OUT = 6
#: Characters that are told of a library's reason: some put whole stacks into theirs.
_LONGEST_REASON = 300
#: Control characters, line ends and direction marks: they could hide or reorder what a sentence says; and what neither
#: UTF-8 nor XML can hold: halves of surrogate pairs (from arguments that are no UTF-8) and two that are no characters.
_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff]")


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: ``counted(1, "replica")`` is "1 replica", ``counted(1200, "replica")`` "1,200 replicas".

    Args:
        number: how many.
        noun: the noun in the singular.
        plural: the plural, where it is not the singular with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def minimal(what: str, *, racks_unknown: bool) -> str:
    """What the checker confirmed, as the end of a sentence; racks that nobody knows were no part of it, and it says so.

    Example: ``minimal("the proven minimum", racks_unknown=True)`` is "the proven minimum (racks unknown).".
    """
    return f"{what} (racks unknown)." if racks_unknown else f"{what}."


def verb(number: int, one: str, many: str) -> str:
    """The verb that agrees with a number: ``verb(1, "has", "have")`` is "has"."""
    return one if number == 1 else many


def some_of(number: int, of: int, noun: str, one: str, many: str) -> str:
    """Some of all with the verb that agrees: "2 of 3 topics match", "1 of 3 topics matches", "0 of 1 topic matches"."""
    return f"{number:,} of {counted(of, noun)} {verb(1 if of == 1 else number, one, many)}"


def listed(names: Iterable[object], most: int = SPELLED_OUT) -> str:
    """Names in a sentence: "1, 2 and 3"; beyond ``most`` of them "1, 2 and 48 more"."""
    words = [str(name) for name in names]
    if len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1:,} more"]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def named(noun: str, names: Collection[object], one: str = "", many: str = "") -> str:
    """Names with what they are: "broker 3", "brokers 1 and 2"; with the verb that agrees: "Brokers 1 and 2 are"."""
    said = f"{noun if len(names) == 1 else f'{noun}s'} {listed(names)}"
    return f"{said} {verb(len(names), one, many)}" if one else said


def reason_of(error: BaseException) -> str:
    """Why the system or a library failed, for the end of a sentence: one line, without the full stop of its own.

    An ``OSError`` gives the system's words alone ("Permission denied"), without the path, which the sentence names
    better; an error without words gives its type's name; a trace of Java's calls is left out.
    """
    said = str(error).partition("\n\tat ")[0]
    if isinstance(error, FileNotFoundError) and said.startswith("/"):  # the path alone, of a library
        said = os.strerror(errno.ENOENT)
    words = getattr(error, "strerror", None) or " ".join(said.split())[:_LONGEST_REASON]
    return words.rstrip(". ") or type(error).__name__


def ids(brokers: Iterable[int], most: int = 8) -> str:
    """Broker ids as a short list: ``1, 2 and 3``; cut with the number that is left out."""
    names = [str(broker) for broker in brokers]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(([", ".join(names[:-1])] if len(names) > 1 else []) + names[-1:])


def visible(name: str, most: int = 200) -> str:
    """A name without invisible characters, cut in the middle where it is very long."""
    shown = _INVISIBLE.sub("\ufffd", name)
    return shown if len(shown) <= most else f"{shown[: most // 2]}…{shown[-most // 2 :]}"


def wish_in_words(wish: Wish) -> str:
    """What is wished, as words for people: ``broker 7 leaves``."""
    parts = []
    replaced = dict(wish.places)
    parts += [f"broker {old} replaced by {new}" for old, new in replaced.items()]
    removed = [broker for broker in wish.remove if broker not in replaced]
    added = [broker for broker, _ in wish.add if broker not in replaced.values()]
    for brokers, what in ((removed, "removed"), (added, "added")):
        if brokers:
            parts.append(f"{verb(len(brokers), 'broker', 'brokers')} {ids(brokers)} {what}")
    if wish.topics:
        parts.append(
            f"replication factor {wish.replication_factor or 'missing'} for {counted(len(wish.topics), 'topic')}"
        )
    if wish.rebalance:
        parts.append(f"cluster rebalanced{_by(wish)}")
    if wish.mend_racks:
        parts.append("rack diversity restored")
    if wish.mend:
        parts.append("partitions mended")
    if wish.leaders_only:
        parts.append("leaders rebalanced")
    if wish.point is not None:
        parts.append(f"with {counted(wish.point, 'move')}")
    return ", ".join(parts)


def doing(wish: Wish) -> str:
    """What is asked for, as the subject of a sentence: "draining broker 7"."""
    parts = []
    replaced = dict(wish.places)
    parts += [f"replacing broker {old} by {new}" for old, new in replaced.items()]
    removed = [broker for broker in wish.remove if broker not in replaced]
    joins = [broker for broker, _ in wish.add if broker not in replaced.values()]
    if removed:
        parts.append(f"draining {verb(len(removed), 'broker', 'brokers')} {ids(removed)}")
    if joins:
        parts.append(f"adding {verb(len(joins), 'broker', 'brokers')} {ids(joins)}")
    if wish.topics:
        parts.append(f"setting {counted(len(wish.topics), 'topic')} to replication factor {wish.replication_factor}")
    if wish.rearranges:
        said = (
            (wish.rebalance, f"rebalancing the cluster{_by(wish)}"),
            (wish.mend_racks, "restoring rack diversity"),
            (wish.mend, "mending partitions"),
            (wish.leaders_only, "rebalancing leaders"),
        )
        parts.append(next(words for wished, words in said if wished))
    return " and ".join(parts) or "no change"


def _by(wish: Wish) -> str:
    """What a rebalance balances, where that is not replicas alone, with a blank before it."""
    return " by topic" if wish.options.even_topics else " by size" if wish.options.by_bytes else ""


def capital(sentence: str) -> str:
    """The sentence with a capital letter at its start."""
    return sentence[:1].upper() + sentence[1:]
