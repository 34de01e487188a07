"""Waves: which topics move together, and how much each wave copies.

What it promises, ranked: (1) topics that are said to go together are in one wave; (2) no wave copies more than its
limit, unless one topic or group does alone; (3) the smallest come first, so that what is learnt is learnt on little;
topics of unknown size come last; (4) the same topics give the same waves.

Complexity: O(T log T).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reseat.errors import WishRefused
from reseat.migration.sides import TopicMove
from reseat.model.naming import named_by

__all__ = ["Wave", "waves_of"]


@dataclass(frozen=True, slots=True)
class Wave:
    """Topics that move together.

    Attributes:
        topics: their names in the source, as they are copied: the smallest first.
        partitions: theirs.
        bytes: copied from the source, sizes that are unknown left out.
        written: what the target's brokers write for it, all replicas.
        unknown: topics of it whose size is unknown.
    """

    topics: tuple[str, ...]
    partitions: int
    bytes: float
    written: float
    unknown: int

    def seconds(self, rate: float) -> float | None:
        """How long copying takes at this many bytes a second; None where a size is unknown."""
        return None if self.unknown else self.bytes / rate


def waves_of(
    moves: Sequence[TopicMove],
    factors: Mapping[str, int],
    most: int | None,
    together: Iterable[tuple[str, ...]] = (),
) -> tuple[Wave, ...]:
    """Divide the topics.

    Args:
        moves: the topics.
        factors: replicas in the target of each that is created, by its name there.
        most: bytes of a wave; None: a quarter of all.
        together: groups of names or patterns of topics that are in one wave; what two groups share joins them.

    Raises:
        WishRefused: a group names no topic that moves.
    """
    total = math.fsum(move.bytes or 0.0 for move in moves)
    limit = float(most) if most is not None else math.ceil(total / 4)
    groups = sorted(_groups(moves, together), key=lambda group: (_unknown(group) > 0, _bytes(group), group[0].name))
    made: list[list[TopicMove]] = []
    held, blind = 0.0, False
    for group in groups:
        more, unknown = _bytes(group), _unknown(group) > 0
        # What is of unknown size is not mixed with what is known, so that the others' bytes can be believed.
        if made and held + more <= limit and unknown == blind:
            made[-1].extend(group)
            held += more
        else:
            made.append(list(group))
            held, blind = more, unknown
    return tuple(_wave(wave, factors) for wave in made)


def _groups(moves: Sequence[TopicMove], together: Iterable[tuple[str, ...]]) -> list[list[TopicMove]]:
    lead = {move.name: move.name for move in moves}

    def leader(name: str) -> str:
        while lead[name] != name:
            name = lead[name]
        return name

    for patterns in together:
        named = named_by(lead, patterns)
        if not named:
            raise WishRefused(f"No topic that moves matches {', '.join(patterns)}.", topics=patterns)
        for name in named[1:]:
            lead[leader(name)] = leader(named[0])
    found: dict[str, list[TopicMove]] = {}
    for move in moves:
        found.setdefault(leader(move.name), []).append(move)
    return [sorted(group, key=lambda move: (move.bytes or 0.0, move.name)) for group in found.values()]


def _bytes(group: Sequence[TopicMove]) -> float:
    return math.fsum(move.bytes or 0.0 for move in group)


def _unknown(group: Sequence[TopicMove]) -> int:
    return sum(move.bytes is None for move in group)


def _wave(group: Sequence[TopicMove], factors: Mapping[str, int]) -> Wave:
    written = math.fsum((move.bytes or 0.0) * factors.get(move.remote, move.there_factor or 1) for move in group)
    partitions = sum(move.partitions for move in group)
    return Wave(tuple(move.name for move in group), partitions, _bytes(group), written, _unknown(group))
