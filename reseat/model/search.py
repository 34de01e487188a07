"""What was typed above a table, in one grammar: part of a name, a number, or one partition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from reseat.model.columns import BoolArray

__all__ = ["Search"]

#: Digits of a number that may be an id.
_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Search:
    """What a person looks for, without regard to case and to blanks around it.

    Attributes:
        words: what names must contain; empty where nothing was typed, which finds everything.
        number: the broker or partition id that was typed, or None.
        partition: the topic and partition that ``topic-7`` names, or None.
    """

    words: str
    number: int | None
    partition: tuple[str, int] | None

    @classmethod
    def of(cls, typed: str) -> Search:
        """What the words that were typed look for."""
        words = typed.strip().casefold()
        topic, dash, partition = words.rpartition("-")
        told = _id_in(partition) if dash else None
        return cls(words, _id_in(words), None if told is None else (topic, told))

    def within(self, names: Iterable[object]) -> BoolArray:
        """Which names contain the words; what is no text, as a name that is not told, contains none."""
        return np.array([isinstance(name, str) and self.words in name.casefold() for name in names], np.bool_)

    def partitions(
        self, topics: Sequence[str], topic_of: npt.NDArray[np.integer], partition: npt.NDArray[np.integer]
    ) -> BoolArray:
        """(n,) bool: partitions of a topic whose name contains the words, and the one that is named.

        Args:
            topics: names.
            topic_of: (n,) positions in ``topics``; -1 for what is no partition, which is never found.
            partition: (n,) partition ids.
        """
        found: BoolArray = np.append(self.within(topics), False)[topic_of]
        if self.partition is None:
            return found
        named = np.array([*(topic.casefold() == self.partition[0] for topic in topics), False], np.bool_)
        both: BoolArray = found | (named[topic_of] & (partition == self.partition[1]))
        return both


def _id_in(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) <= _DIGITS else None
