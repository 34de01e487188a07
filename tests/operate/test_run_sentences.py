"""What a run says of itself, word for word."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reseat.operate.journal.records import MoveProgress, Run, RunOptions, RunState
from reseat.operate.run import sentences
from reseat.schedule.batches import Order
from reseat.schedule.windows import read_windows

NOON = datetime(2024, 5, 1, 12, 0, 5, tzinfo=UTC)


def move(partition: int, state: str, *, now: tuple[int, ...] = (1, 2), error: str | None = None) -> MoveProgress:
    """One partition of a run, from brokers 1 and 2 to 1 and 3."""
    return MoveProgress("t", partition, (1, 2), (1, 3), now, state, error)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (RunOptions(1, None), "no throttle and at most 1 replica move per broker at a time"),
        (
            RunOptions(
                2, 5_000, order=Order.LARGEST, pause_after=(3, 9), cordon=(4,), windows=read_windows("22:00-06:00 UTC")
            ),
            "a throttle of 5,000 bytes/s per broker and at most 2 replica moves per broker at a time, largest "
            "partitions first, only during 22:00-06:00 UTC, pausing after 3 and 9 partitions, with broker 4 cordoned",
        ),
    ],
)
def test_how_a_run_goes_is_said_once_for_all(options: RunOptions, said: str) -> None:
    """What is not chosen is not said."""
    assert options.in_words == said


def test_of_two_ways_only_what_differs_is_said() -> None:
    """What is the same in both was asked by nobody, and hides what is not."""
    approved = RunOptions(2, 40_000_000, cordon=(4,), windows=read_windows("22:00-06:00 UTC"))

    assert approved.unlike(replace(approved, throttle=50_000_000)) == (
        "a throttle of 40,000,000 bytes/s per broker; now a throttle of 50,000,000 bytes/s per broker"
    )
    assert approved.unlike(RunOptions(2, 40_000_000, order=Order.LARGEST)) == (
        "smallest partitions first, only during 22:00-06:00 UTC and broker 4 cordoned; now largest partitions first, "
        "at any time and no broker cordoned"
    )


def test_what_stands_still_is_named_with_what_may_hold_it() -> None:
    """With a throttle and without."""
    alone = sentences.stalled([move(1, "sent")], NOON, None)
    throttled = sentences.stalled([move(1, "sent"), move(2, "sent")], NOON, 1_000)

    assert alone.startswith(
        "Stalled since 12:00:05 UTC: t-1 makes no progress. Check the brokers' logs and the throttle;"
    )
    assert "t-1 and t-2 make no progress" in throttled
    assert "the throttle of 1,000 bytes/s (writes to these partitions count against it, too);" in throttled


@pytest.mark.parametrize(("kind", "same"), [("plan", "execute the same plan"), ("rollback", "roll back")])
def test_who_goes_on_with_a_run_does_what_it_was_begun_with(kind: str, same: str) -> None:
    """A plan is executed again, a rollback is rolled back again."""
    run = Run(3, "C", "c", kind, None, "", "", "", RunOptions(), "ann", RunState.RUNNING, "", NOON)

    assert sentences.nobody_at_work(run) == (f"No executor is running: {same} again to continue, or cancel it.")


@pytest.mark.parametrize(
    ("brokers", "topics", "left", "theirs"),
    [
        ([], [], "", ""),
        ([1, 2], [], "broker 1 and broker 2", "brokers 1 and 2"),
        ([], ["t"], "topic t", "topic t"),
        ([1], ["t", "u"], "broker 1, topic t and topic u", "broker 1 and of topics t and u"),
    ],
)
def test_throttles_that_stay_are_named(brokers: list[int], topics: list[str], left: str, theirs: str) -> None:
    """Nothing is said where there are none."""
    assert sentences.throttles_left(brokers, topics) == (
        f" Throttles are still set on {left}: status restores them once they can be reached." if left else ""
    )
    assert sentences.throttles_of_others(brokers, topics) == (
        f" Throttles of {theirs} were changed by somebody else, and are left as they are." if left else ""
    )


def test_cordons_that_stay_are_named() -> None:
    """Nothing is said where there are none."""
    assert sentences.still_cordoned([]) == sentences.cordons_of_others([]) == ""
    assert sentences.still_cordoned([3]) == (" Broker 3 is still cordoned: status lifts that once it answers.")
    assert sentences.cordons_of_others([3, 4]) == (
        " The cordon of brokers 3 and 4 was changed by somebody else, and is left as it is."
    )


@pytest.mark.parametrize(
    ("cancel", "can", "refused", "said"),
    [
        (False, True, False, "Stopping: nothing further is sent, and what is in progress finishes."),
        (
            True,
            False,
            True,
            "Stopping: nothing further is sent. What is in progress cannot be cancelled through ZooKeeper's node; it "
            "finishes.",
        ),
        (True, True, True, "Cancelling: Kafka does not cancel t-1 and t-2 (ODD): what is in progress there finishes."),
        (True, True, False, "Cancelling: what is in progress is reverted."),
    ],
)
def test_what_a_stop_does_is_said(cancel: bool, can: bool, refused: bool, said: str) -> None:
    """As far as the way to the cluster can, and as Kafka answers."""
    moves = [move(1, "sent", error="ODD"), move(2, "sent", error="OTHER")]

    assert sentences.stopping(cancel, can, moves if refused else []) == said


def test_partitions_are_counted_by_what_came_of_them() -> None:
    """What did not happen is not said; failures are named by Kafka's errors."""
    moves = [move(1, "done"), move(2, "failed", error="A"), move(3, "failed", error="B"), move(4, "failed", error="A")]

    assert sentences.counts([*moves, move(5, "sent")]) == "1 of 5 partitions as planned, 1 in progress, 3 failed"
    assert sentences.failures(moves) == "3 partitions failed: t-2 and t-4 (A); t-3 (B)."


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ([move(1, "waiting")], "0 partitions are as planned and 1 was not sent."),
        ([move(1, "cancelled")], "0 partitions are as planned and 1 was reverted."),
        ([move(1, "cancelled", now=())], "0 partitions are as planned and 1 was reverted."),
        (
            [move(1, "cancelled", now=(2, 1))],
            "0 partitions are as planned and 1 was reverted. Kafka reverted t-1 to the old replicas in another order. "
            "A rollback restores the lists as they were.",
        ),
        (
            [move(1, "done", now=(1, 3)), move(2, "waiting")],
            "1 partition is as planned and 1 was not sent. A rollback restores the lists as they were.",
        ),
    ],
)
def test_what_a_run_leaves_and_what_takes_it_back_is_said(moves: list[MoveProgress], said: str) -> None:
    """A rollback is spoken of where there is something to take back."""
    assert sentences.ended(moves) == said
