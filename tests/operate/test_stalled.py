"""A partition that is under way and shows no change for a minute stands still."""

from __future__ import annotations

from dataclasses import replace

from reseat.operate.journal.records import MoveProgress, RunOptions
from reseat.operate.run.stalled import PATIENCE, Watched, look_again

WAITING = MoveProgress("orders", 0, (1, 2), (1, 3), (), "waiting", None, 50, None)
SENT = MoveProgress("orders", 1, (1, 2), (3, 2), (3, 2, 1), "sent", None, 50, 20)


def test_a_partition_without_a_change_for_a_minute_is_stalled() -> None:
    """Bytes that grow, or replicas that change, begin the minute anew; what is not under way is not watched."""
    first = look_again(Watched(), [WAITING, SENT], 0.0)
    still = look_again(first, [WAITING, SENT], PATIENCE + 1)
    grown = look_again(first, [replace(SENT, bytes_done=21)], PATIENCE + 1)
    placed = look_again(first, [replace(SENT, now=(3, 2))], PATIENCE + 1)

    assert still.seen == first.seen
    assert still.stalled(PATIENCE + 1) == {("orders", 1): PATIENCE + 1}
    assert still.stalled(PATIENCE) == {}
    assert grown.stalled(PATIENCE + 1) == placed.stalled(PATIENCE + 1) == {}
    assert grown.stalled(2 * PATIENCE + 2) == {("orders", 1): PATIENCE + 1}
    assert ("orders", 0) not in still.seen
    assert look_again(first, [replace(SENT, state="done")], 1.0) == Watched()


def test_how_a_run_is_carried_out_is_told_whole() -> None:
    """With a throttle and without."""
    assert RunOptions(1, 5_000).in_words == (
        "a throttle of 5,000 bytes/s per broker and at most 1 replica move per broker at a time"
    )
    assert RunOptions(3).in_words == "no throttle and at most 3 replica moves per broker at a time"
