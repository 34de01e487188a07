"""From a plan to what the journal keeps, and from a run back to a plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from reseat.errors import WriteRefused
from reseat.formats.documents.sealed import layout_hash, read_sealed
from reseat.formats.documents.writers import write_reassignment
from reseat.model import Broker, Certificate, ClusterLayout, Plan, Snapshot, Wish
from reseat.operate.approving import approval_of, rollback_of
from reseat.operate.journal.records import MoveProgress, RunOptions, RunState

BROKERS = [Broker(1, "a"), Broker(2, "b"), Broker(3, "a"), Broker(4, "b")]
BEFORE = {("orders", 0): [1, 2], ("orders", 1): [2, 1], ("orders", 2): [1, 2], ("audit", 7): [1, 4]}
AFTER = BEFORE | {("orders", 0): [1, 4], ("orders", 1): [1, 2], ("orders", 2): [3, 4]}


def snapshot(lists):
    """A reading of a cluster with these lists, a thousand bytes a replica."""
    layout = ClusterLayout.from_assignments(lists, brokers=BROKERS)
    sized = replace(layout, size_bytes=(layout.replicas >= 0) * 1_000.0)
    return Snapshot(sized, datetime.now(UTC), "admin", cluster_id="C1")


def approval(now=BEFORE, **told):
    """The approval of the plan from BEFORE to AFTER; ``told`` is what else the reading tells."""
    current, proposed = (ClusterLayout.from_assignments(lists, brokers=BROKERS) for lists in (BEFORE, AFTER))
    text = write_reassignment(Plan(current, proposed, Certificate(wish=Wish(), moves=3)))
    return approval_of(
        read_sealed(text),
        text,
        replace(snapshot(now), **told),
        cluster="prod",
        operator="ann",
        options=RunOptions(7, None),
    )


def run_of(journal, changes, state=RunState.CANCELLED):
    """A run of the plan that ended, its partitions as these changes have them."""
    run = journal.approve(approval())
    with journal.lease("C1", operator="ann") as lease:
        moves = journal.moves(run.id)
        journal.note_moves(lease, run.id, {row: replace(moves[row], **change) for row, change in changes.items()})
        journal.set_state(lease, run.id, state, "")
    return journal.run(run.id), journal.moves(run.id)


def test_an_approval_holds_each_partition_that_changes():
    """Lists before and planned, bytes that newcomers copy, and the text that takes all of it back."""
    made = approval()

    assert [(m.topic, m.partition, m.before, m.target, m.bytes_total) for m in made.moves] == [
        ("orders", 0, (1, 2), (1, 4), 1_000),
        ("orders", 1, (2, 1), (1, 2), 0),
        ("orders", 2, (1, 2), (3, 4), 2_000),
    ]
    back = read_sealed(made.rollback)
    assert back.proposed.assignments() == {key: BEFORE[key] for key in AFTER if AFTER[key] != BEFORE[key]}
    assert (made.cluster_id, made.cluster, made.operator, made.kind) == ("C1", "prod", "ann", "plan")


def test_of_tiered_topics_the_likely_bytes_are_held_or_none():
    """Broker 4 copies what is not tiered yet, a quarter; where that is not told, how much it copies is unknown."""
    tiered = {
        "topic_configs": {"orders": {"remote.storage.enable": "true"}},
        "broker_configs": {4: {"follower.fetch.last.tiered.offset.enable": "true"}},
    }
    told = approval(**tiered, facts={"tiered_records": {"orders": [100, 40, 10]}})

    assert [move.bytes_total for move in told.moves] == [250, 0, 1_250]
    assert [move.bytes_total for move in approval(**tiered).moves] == [None, 0, None]


def test_a_plan_that_is_carried_out_already_is_refused():
    """Nothing is approved where nothing changes."""
    with pytest.raises(WriteRefused, match="as planned already"):
        approval(AFTER)


def test_the_way_back_of_a_half_finished_run_takes_back_what_was_done(journal):
    """What a cancel left reordered goes back in order; what others changed is left as it is and named."""
    run, moves = run_of(journal, {0: {"state": "done"}, 1: {"state": "cancelled"}, 2: {"state": "done"}})
    now = BEFORE | {("orders", 0): [1, 4], ("orders", 1): [1, 2], ("orders", 2): [4, 1]}
    back = rollback_of(run, moves, snapshot(now))
    plan = read_sealed(back.text)

    assert plan.proposed.assignments() == {("orders", 0): [1, 2], ("orders", 1): [2, 1]}
    assert plan.before.assignments() == {("orders", 0): [1, 4], ("orders", 1): [1, 2]}
    assert plan.intact
    assert plan.layout_hash == layout_hash(snapshot(now).layout)
    assert back.left == ("orders-2",)


def test_a_run_that_is_open_or_left_nothing_cannot_be_taken_back(journal):
    """An open run is to be cancelled first; one that changed nothing needs no way back."""
    run, moves = run_of(journal, {})
    with pytest.raises(WriteRefused, match="Nothing to roll back"):
        rollback_of(run, moves, snapshot(BEFORE))
    with pytest.raises(WriteRefused, match="is not over"):
        rollback_of(replace(run, state=RunState.RUNNING), moves, snapshot(AFTER))


def test_a_partition_never_sent_that_others_changed_is_none_of_the_runs_business(journal):
    """It is not named as left, since the run never touched it."""
    waiting = MoveProgress("orders", 0, (1, 2), (1, 4), (), "waiting")
    run, _ = run_of(journal, {})
    with pytest.raises(WriteRefused, match=r"as they were before\.$"):
        rollback_of(run, [waiting], snapshot(BEFORE | {("orders", 0): [3, 2]}))
