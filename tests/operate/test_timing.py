"""A run's schedule: its order, its windows and its pause points, against a cluster in memory."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run import wishes
from reseat.operate.run.execute import carry_out
from reseat.schedule.batches import Order
from reseat.schedule.windows import read_windows
from tests.operate.test_execute import PLAN, cluster_of, planned

SIZES = dict(zip(PLAN, range(10, 110, 10), strict=True))


def approve(journal, options):
    """An approved run of the plan, whose partitions grow by ten bytes each."""
    moves = [
        PlannedMove(topic, partition, tuple(before), tuple(target), SIZES[topic, partition])
        for (topic, partition), (before, target) in PLAN.items()
    ]
    return journal.approve(Approval("FAKE", "fake", "{}", "{}", "h", "ann", moves, options))


def carried(cluster, journal, run, **pace):
    """The run as it ended."""
    watched = replace(cluster.pace(), **pace)
    return carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=watched)


def sent_of(journal, run):
    """The rows of each batch."""
    return [step.content["rows"] for step in reversed(journal.steps(run_id=run.id, kind="batch"))]


def test_the_largest_go_first_where_a_run_is_to(journal):
    """One move at a broker at a time: from the largest down."""
    cluster = cluster_of()
    run = approve(journal, RunOptions(1, order=Order.LARGEST))
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert [row for rows in sent_of(journal, run) for row in rows] == list(range(9, -1, -1))


def test_a_run_pauses_at_each_point_once_what_is_in_progress_has_finished(journal):
    """After three partitions, and after three more; resumed it goes past the point, also in another process."""
    cluster, paused = cluster_of(), []
    run = approve(journal, RunOptions(2, pause_after=(3, 6)))

    def resumed(name):
        told = journal.progress(run.id)
        if told.run.paused_by:
            paused.append((told.done, told.sent, told.run.paused_by, told.run.options.pause_after))
            wishes.resume(journal, run.id, operator="ben")

    cluster.before_call = resumed
    ended = carried(cluster, journal, run)

    assert paused == [(3, 0, "its schedule after 3 partitions", (6,)), (6, 0, "its schedule after 6 partitions", ())]
    assert ended.state is RunState.DONE
    assert cluster.lists == planned()
    assert {3, 6} <= set(accumulate(map(len, sent_of(journal, run))))


def test_a_run_that_was_left_at_a_point_stays_paused(journal):
    """Nobody resumes, the process ends; whoever goes on finds it paused and resumes past the point."""
    cluster, looks = cluster_of(), []
    run = approve(journal, RunOptions(2, pause_after=(4,)))

    def left(name):
        if journal.run(run.id).paused_by:
            looks.append(journal.run(run.id).sentence)
            if len(looks) == 20:
                raise SystemExit

    cluster.before_call = left
    with suppress(SystemExit):
        carried(cluster, journal, run)
    stood = journal.progress(run.id)
    wishes.resume(journal, run.id, operator="ben")
    cluster.before_call = lambda name: None
    ended = carried(cluster, journal, run)

    assert (stood.done, stood.sent, stood.run.state) == (4, 0, RunState.PAUSED)
    assert "Paused by its schedule after 4 partitions: nothing further is sent until somebody resumes" in looks[-1]
    assert ended.state is RunState.DONE


def test_nothing_is_sent_outside_of_a_runs_windows(journal):
    """It begins at 21:58 and waits; from 22:00 on it sends; what it says names the moment."""
    cluster, said = cluster_of(), []
    run = approve(journal, RunOptions(2, windows=read_windows("22:00-06:00")))
    start = datetime(2026, 11, 23, 21, 58, tzinfo=UTC)
    pace = cluster.pace()
    began = pace.now()

    def clock():
        return start + timedelta(seconds=pace.now() - began)

    def before(name):
        if name == "reassign":
            said.append((clock(), journal.run(run.id).sentence))

    cluster.before_call = before
    ended = carried(cluster, journal, run, clock=clock)

    assert ended.state is RunState.DONE
    assert min(when for when, _ in said) >= datetime(2026, 11, 23, 22, tzinfo=UTC)
    assert "Outside of its window (22:00-06:00 UTC): nothing further is sent until 2026-11-23 22:00 UTC" in said[0][1]


def test_another_schedule_is_heeded_at_once(journal):
    """A run that waits for its window is told to send at any time."""
    cluster = cluster_of()
    run = approve(journal, RunOptions(2, windows=read_windows("22:00-06:00")))
    noon = datetime(2026, 11, 23, 12, tzinfo=UTC)
    looks = []

    def before(name):
        looks.append(name)
        if len(looks) == 30:
            assert "reassign" not in looks
            wishes.change(journal, run.id, replace(journal.run(run.id).options, windows=None), operator="ben")

    cluster.before_call = before
    ended = carried(cluster, journal, run, clock=lambda: noon)

    assert ended.state is RunState.DONE
    wish = next(step for step in journal.steps(run_id=run.id) if step.kind == "wish")
    assert (wish.operator, wish.content["schedule"]) == ("ben", {})
