"""Which partitions of a run stand still: what was seen of each before, and since when nothing of it has changed.

Works on what is seen from page to page; the journal is not asked again. Cost: one dictionary entry a partition under
way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from reseat.operate.journal.records import MoveProgress

__all__ = ["Watched", "look_again"]

#: Seconds without a byte or a change after which a partition is called stalled: a follower fetches every half second,
#: and a throttled one waits for its turn in windows of a second each, so that a minute is no hiccup.
PATIENCE = 60.0

_Seen = tuple[int | None, tuple[int, ...], float]


@dataclass(frozen=True)
class Watched:
    """What was last seen of each partition under way: bytes, replicas, and the moment of the last change."""

    seen: Mapping[tuple[str, int], _Seen] = field(default_factory=dict)

    def stalled(self, now: float) -> dict[tuple[str, int], float]:
        """Seconds without any change, by partition, where they are more than ``PATIENCE``."""
        return {key: now - since for key, (_, _, since) in self.seen.items() if now - since > PATIENCE}


def look_again(before: Watched, moves: Iterable[MoveProgress], now: float) -> Watched:
    """What is seen now; a partition that has not changed keeps its moment.

    Args:
        before: what was seen at the last look.
        moves: all partitions of the run; those not under way are left out.
        now: seconds of a clock that never goes back.
    """
    seen: dict[tuple[str, int], _Seen] = {}
    for move in moves:
        if move.state != "sent":
            continue
        last = before.seen.get(move.key)
        same = last is not None and last[:2] == (move.bytes_done, move.now)
        seen[move.key] = last if same and last is not None else (move.bytes_done, move.now, now)
    return Watched(seen)
