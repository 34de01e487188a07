"""Which partitions are sent next: at most N moves a broker at a time, small before large."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reseat.operate.records import MoveProgress

__all__ = ["MOST_PARTITIONS", "next_rows"]

#: Most partitions of one request: KRaft takes no more than 10,000 records from one, and an answer is soon there.
MOST_PARTITIONS = 1_000
#: What one entry of reassignment JSON takes beside the topic's name and the ids, generously.
_ENTRY_BYTES = 60


def next_rows(
    moves: Sequence[MoveProgress],
    waiting: Sequence[int],
    under_way: Sequence[int],
    *,
    most: int,
    most_bytes: int | None = None,
) -> list[int]:
    """Rows to send now.

    Args:
        moves: every partition of the run.
        waiting: rows that may be sent.
        under_way: rows that are being copied.
        most: moves that one broker sends or receives at a time; a partition that needs more goes alone.
        most_bytes: what a batch may take as reassignment JSON.
    """
    busy: Counter[int] = Counter()
    for row in under_way:
        busy.update(_moves_by_broker(moves[row]))
    chosen: list[int] = []
    room = most_bytes
    for row in sorted(waiting, key=lambda row: (moves[row].bytes_total or 0, row)):
        move = moves[row]
        needs = _moves_by_broker(move)
        if any(busy[broker] + number > most and busy[broker] for broker, number in needs.items()):
            continue
        if room is not None:
            room -= _ENTRY_BYTES + 2 * len(move.topic) + 12 * len(move.target)
            if room < 0 and chosen:
                break
        busy.update(needs)
        chosen.append(row)
        if len(chosen) == MOST_PARTITIONS:
            break
    return chosen


def _moves_by_broker(move: MoveProgress) -> Counter[int]:
    newcomers = [broker for broker in move.target if broker not in move.before]
    needs = Counter(newcomers)
    if newcomers and move.before:
        needs[move.before[0]] += len(newcomers)
    return needs
