"""Which names a topic may have, and which names collide, in Kafka's words.

What it promises: the verdicts and messages of ``org.apache.kafka.common.internals.Topic``, those of 3.9 and 4.x, or of
earlier releases where asked for.

Why names collide: metric names turn '.' into '_', so ``a.b`` and ``a_b`` would share their metrics. The controller of
KRaft refuses the second; the ZooKeeper era refuses it too when a tool or the broker creates the topic.

Source: ``org.apache.kafka.common.internals.Topic`` (2.0.1, 2.8.2, 3.9.1, 4.1.0).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "COLLISION_WARNING",
    "LONGEST_NAME",
    "colliding",
    "has_collision",
    "has_collision_chars",
    "name_error",
    "unify_collision_chars",
]

#: The longest name: a log directory's name is the topic's, a dash and the partition id, and 255 is what file systems
#: take.
LONGEST_NAME = 249
#: What kafka-topics says before it makes a topic whose name holds '.' or '_'.
COLLISION_WARNING = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. "
    "To avoid issues it is best to use either, but not both."
)
_LEGAL = re.compile(r"[a-zA-Z0-9._-]+")


def name_error(name: str, *, old_words: bool = False) -> str | None:
    """Why Kafka refuses a name (``InvalidTopicException``), in its words; None where it takes it.

    Args:
        name: the name.
        old_words: the words of releases to 2.8 instead of those of 3.9 and 4.x.
    """
    length = len(name.encode("utf-16-le", "surrogatepass")) // 2  # Java counts UTF-16 units
    legal = _LEGAL.fullmatch(name) is not None
    if old_words:
        if not name:
            return "Topic name is illegal, it can't be empty"
        if name in (".", ".."):
            return 'Topic name cannot be "." or ".."'
        if length > LONGEST_NAME:
            return f"Topic name is illegal, it can't be longer than {LONGEST_NAME} characters, topic name: {name}"
        if not legal:
            return (
                f'Topic name "{name}" is illegal, it contains a character other than ASCII alphanumerics, '
                "'.', '_' and '-'"
            )
        return None
    if not name:
        return "Topic name is invalid: the empty string is not allowed"
    if name in (".", ".."):
        return f"Topic name is invalid: '{name}' is not allowed"
    if length > LONGEST_NAME:
        return f"Topic name is invalid: the length of '{name}' is longer than the max allowed length {LONGEST_NAME}"
    if not legal:
        return (
            f"Topic name is invalid: '{name}' contains one or more characters other than ASCII alphanumerics, "
            "'.', '_' and '-'"
        )
    return None


def has_collision_chars(name: str) -> bool:
    """Whether a name holds '.' or '_', so that another name could collide with it."""
    return "." in name or "_" in name


def unify_collision_chars(name: str) -> str:
    """The name with '.' turned into '_': names collide where this is equal."""
    return name.replace(".", "_")


def has_collision(name: str, other: str) -> bool:
    """Whether two names collide; equal names do."""
    return unify_collision_chars(name) == unify_collision_chars(other)


def colliding(name: str, existing: Iterable[str]) -> tuple[str, ...]:
    """The existing topics that a new name collides with, the name itself left out, sorted."""
    return tuple(sorted(other for other in existing if other != name and has_collision(name, other)))
