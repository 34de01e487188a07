"""What Operate says of checks, runs and partitions that stand still, apart from the page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
import streamlit as st

from components.operate.checks import stopping, tally, worst_first
from components.operate.confirm import why_not
from components.operate.run import arrivals, moves_frame, sentence, time_left
from components.operate.schedule import draw_schedule
from reseat.formats.documents.sealed import read_sealed
from reseat.formats.documents.writers import write_reassignment
from reseat.model import Certificate, ClusterLayout, Plan, Wish
from reseat.operate.checks.check import Check, CheckResult
from reseat.operate.journal.records import MoveProgress, Run, RunOptions, RunProgress, RunState
from reseat.schedule.batches import BatchLimits, batches, work_of

HARD = Check("targets_alive", CheckResult.FAILED, "Broker 4 is not alive.")
SOFT = Check("can_finish", CheckResult.FAILED, "It waits for broker 5.", overridable=True)
UNTOLD = Check("disk_room", CheckResult.NOT_TOLD, "Sizes are unknown.")
FINE = Check("movable", CheckResult.PASSED, "All can move.")

WAITING = MoveProgress("orders", 0, (1, 2), (1, 3), (), "waiting", None, 50, None)
SENT = MoveProgress("orders", 1, (1, 2), (3, 2), (3, 2, 1), "sent", None, 50, 20)
DONE = MoveProgress("orders", 2, (2, 1), (1, 2), (1, 2), "done", None, 0, None)
REFUSED = MoveProgress("=cmd", 3, (1, 2), (1, 4), (1, 2), "failed", "INVALID_REPLICA_ASSIGNMENT", None, None)


def progress(
    state: RunState, *, alive: bool = True, kind: str = "plan", stop: str = "", **figures: object
) -> RunProgress:
    """A run of four partitions, one of them there."""
    run = Run(
        5, "ID", "prod", kind, None, "{}", "{}", "ab" * 16, RunOptions(), "ana", state, "", datetime.now(UTC), stop=stop
    )
    told = {"partitions": 4, "done": 1, "sent": 1, "failed": 0, "batches": 2, "seconds_left": None}
    return RunProgress(run, bytes_total=100, bytes_done=20, alive=alive, moves=(WAITING,), **(told | figures))


def test_checks_stand_worst_first_and_an_override_counts_only_where_it_may():
    """What stops for good comes first; overriding it changes nothing, and what may be overridden no longer stops."""
    listed = worst_first([FINE, SOFT, UNTOLD, HARD])

    assert [check.name for check in listed] == ["targets_alive", "can_finish", "disk_room", "movable"]
    assert tally(listed) == "1 yes, 1 unknown, 2 no"
    assert stopping(listed, frozenset({"targets_alive", "can_finish"})) == [HARD]


def test_the_button_says_why_it_waits():
    """Checks before the id; another id is named as such; with all well there is nothing to say."""
    assert why_not([HARD], frozenset(), "ID", "ID") == "1 check failed: targets alive."
    assert why_not([FINE], frozenset(), " ", "ID") == "Type the cluster's id to confirm."
    assert why_not([FINE], frozenset(), "OTHER", "ID") == "That is not this cluster's id, which is ID."
    assert why_not([SOFT], frozenset({"can_finish"}), " ID ", "ID") == ""


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (progress(RunState.RUNNING, seconds_left=75.0), "1 of 4 partitions is complete, about 1 min 15 s left."),
        (
            progress(RunState.RUNNING, alive=False),
            "The plan is paused, as no executor is running: 1 of 4 partitions is complete, 1 still in progress.",
        ),
        (progress(RunState.STOPPING), "Stopping: nothing further is sent, 1 still in progress; "),
        (progress(RunState.STOPPING, stop="cancel"), "Cancelling: nothing further is sent, 1 still in progress; "),
        (progress(RunState.RUNNING, stop="cancel"), "Cancelling: nothing further is sent, 1 still in progress; "),
        (progress(RunState.CANCELLED, stop="cancel"), "The plan was cancelled: 1 of 4 partitions is complete, and "),
        (progress(RunState.APPROVED), "The plan is approved and about to start: 4 partitions to change."),
        (progress(RunState.DONE, done=4), "The plan is done: all 4 partitions are as planned."),
        (
            progress(RunState.CANCELLED),
            "The plan was stopped: 1 of 4 partitions is complete, and nothing is in progress.",
        ),
        (progress(RunState.FAILED), "The plan cannot continue: 1 of 4 partitions is complete."),
        (progress(RunState.CANCELLED, kind="rollback"), "The rollback was stopped: 1 of 4 "),
    ],
)
def test_a_run_is_told_in_one_sentence(told, said):
    """Each state has its sentence, with the number that matters."""
    assert sentence(told).startswith(said)


def test_replicas_that_come_are_counted_by_receiver_and_state():
    """There, under way, waiting, reverted, failed; a change of order alone comes to nobody."""
    counts = arrivals([WAITING, SENT, DONE, replace(SENT, state="cancelled"), REFUSED])

    assert {broker: row.tolist() for broker, row in counts.items()} == {3: [0, 1, 1, 1, 0], 4: [0, 0, 0, 0, 1]}


def test_the_table_tells_state_error_and_bytes():
    """Refusals carry Kafka's error; a stalled partition says for how long; untold bytes are not 0."""
    rows = moves_frame([WAITING, SENT, DONE, REFUSED], {("orders", 1): 61.0}, over=False)

    assert rows["state"].tolist() == [
        "○ waiting",
        "▲ stalled for 1 min 1 s",
        "✔ complete",
        "✖ failed (INVALID_REPLICA_ASSIGNMENT)",
    ]
    assert rows["copied"].tolist() == ["0 B of 50 B", "20 B of 50 B", "0 B of 0 B", "unknown"]


def test_of_a_run_that_is_over_nothing_waits() -> None:
    """What was not sent by then is not sent later."""
    assert moves_frame([WAITING], {}, over=True)["state"].tolist() == ["○ not sent"]


@pytest.mark.parametrize(
    ("told", "left"),
    [
        (progress(RunState.RUNNING, seconds_left=75.0), "1 min 15 s"),
        (progress(RunState.RUNNING), "unknown yet"),
        (progress(RunState.PAUSED), "paused"),
        (progress(RunState.RUNNING, alive=False), "paused"),
        (progress(RunState.CANCELLED), "none"),
    ],
)
def test_the_time_that_a_run_takes_yet(told: RunProgress, left: str) -> None:
    """Of one that stands still no time comes to be known, and nothing of it is stalled."""
    assert time_left(told) == left


def test_a_schedule_tells_what_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of batches whose sizes are unknown neither bytes nor time are nought; with a part known, at least that."""
    now = {("a", 0): [1, 2], ("b", 0): [1, 2], ("c", 0): [1, 2]}
    current = ClusterLayout.from_assignments(now | {("x", 0): [3, 4]}, size_bytes={("a", 0): 3e9, ("x", 0): 0.0})
    proposed = ClusterLayout.from_assignments({("a", 0): [1, 3], ("b", 0): [4, 2], ("c", 0): [1, 4], ("x", 0): [3, 4]})
    plan = Plan(current, proposed, Certificate(wish=Wish(), moves=3))
    sealed = read_sealed(write_reassignment(plan), source="plan")
    work = work_of(current, sealed.proposed)
    drawn: list[object] = []
    monkeypatch.setattr(st, "dataframe", lambda table, **_: drawn.append(table))
    draw_schedule(plan, sealed, (work, batches(work, BatchLimits(1))), 1_000_000_000)
    table = drawn[0]

    assert table["Data to copy"].tolist() == ["", "3.0 GB", "unknown", "unknown"]
    assert table["Time so far, at the throttle"].tolist() == ["", "3 s", "at least 3 s", "at least 3 s"]
