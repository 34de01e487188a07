"""What a run counts between looks: bytes that a batch brings to brokers, bytes copied so far, seconds of doubt."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest

from reseat.errors import ClusterUnreachable
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.operate.run.health import Health, condition_of
from reseat.operate.run.ledger import Ledger
from reseat.operate.run.looking import Observation, goal, leads_to
from reseat.operate.run.run_throttles import RunThrottles
from reseat.operate.run.telling import Teller
from reseat.operate.run.tracking import Tracker
from reseat.operate.targets.target import Assignment, Throttles
from tests.operate.test_execute import approve, cluster_of

#: One whose both replicas go elsewhere, one of which a replica does, and one that gets another order.
PLAN = {("orders", 0): ([1, 2], [3, 4]), ("orders", 1): ([1, 2], [1, 3]), ("orders", 2): ([1, 2], [2, 1])}


class Quiet:
    """Throttles that nobody lifted."""

    lifted = ""

    def look(self, seen):
        """Nothing is asked."""


@pytest.fixture
def begun(journal):
    """A cluster and the ledger of a run on it, 100 bytes a replica."""
    run = approve(journal, PLAN, size=100)
    with journal.lease("FAKE", operator="ann", run_id=run.id) as lease:
        yield cluster_of(PLAN), Ledger(journal, lease, run)


def reading(room):
    """A reading of the cluster, bytes left by broker."""
    layout = ClusterLayout.from_assignments(
        {key: before for key, (before, _) in PLAN.items()},
        brokers=[Broker(3, state=BrokerState.ALIVE), Broker(8, state=BrokerState.DEAD)],
    )
    directories = tuple(LogDirectory(broker, "/data", total_bytes=1_000, usable_bytes=left) for broker, left in room)
    return Snapshot(layout, datetime.now(UTC), "admin", cluster_id="FAKE", log_dirs=directories)


def seen(**choices):
    """A look at which all is well."""
    return Observation(**{"listing": {}, "now": {}, "alive": frozenset(range(1, 10)), "others": ()} | choices)


def test_what_is_under_way_and_not_copied_yet_counts_towards_the_room(begun):
    """75 bytes to each of two brokers, of 200 with 50 copied, and 100 with the batch: 175 come to broker 3."""
    cluster, ledger = begun
    ledger.set(0, state="sent", bytes_done=50)
    room = {3: 174, 4: 75}
    health = Health(ledger, cluster.pace(health_seconds=0), lambda: reading(room.items()))

    def said(*rows):
        assert health.worse(seen()) == ""
        return health.no_room(rows)

    short = said(1, 2)
    assert ": broker 3 has 174 bytes left and would get 175. Nothing further is sent" in short
    assert said(2) == ""
    room[3] = 175
    assert said(1, 2) == ""
    room[4] = 74
    assert ": broker 4 has 74 bytes left and would get 75. Nothing" in said(1)
    del room[4]
    assert said(1) == ""
    ledger.set(0, bytes_done=500)  # more than was told: nothing is left of it
    room[3] = 100
    assert said(1) == ""


def test_a_cluster_is_read_again_after_nine_times_as_long_as_it_took(begun):
    """A reading of four seconds: not before 36 more have passed; a quick one: not before the least time."""
    cluster, ledger = begun
    took, readings = [0], []

    def read():
        readings.append(cluster.clock)
        cluster.clock += took[0]
        return reading(())

    health = Health(ledger, cluster.pace(health_seconds=10), read)
    for moment, took[0] in ((0, 4), (5, 4), (39.5, 4), (40, 4), (79.5, 0), (80, 0), (89.5, 0), (90, 0)):
        cluster.clock = moment
        health.worse(seen())

    assert readings == [0, 40, 80, 90]


def test_who_is_alive_is_told_by_the_state_of_brokers():
    """Neither a dead one nor one of which nothing is told; only those that hold something can be missed."""
    told = condition_of(reading([(3, 5), (4, 6)]))

    assert told.alive == {3}
    assert told.hosting == {1, 2}
    assert told.room == {3: 5, 4: 6}


def test_copied_bytes_are_asked_for_every_two_seconds_and_are_no_more_than_there_are(begun, monkeypatch):
    """Of newcomers on living brokers alone; what a broker holds beyond the total is not counted."""
    cluster, ledger = begun
    target = cluster.target()
    asked, held = [], {(("orders", 0), 3): 40, (("orders", 0), 4): 30, (("orders", 1), 3): 999}

    def copied(partitions, brokers):
        asked.append((cluster.clock, list(partitions), list(brokers)))
        return held

    monkeypatch.setattr(target, "copied", copied)
    for row in (0, 1, 2):
        ledger.set(row, state="sent")
    teller = Teller(target, ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())
    for moment in (0, 1.9, 2, 3.5, 4):
        cluster.clock = moment
        teller.describe(seen(alive=frozenset((1, 2, 3))), cancelling=False, held="")

    both = [("orders", 0), ("orders", 1)]
    assert asked == [(0, both, [3]), (2, both, [3]), (4, both, [3])]
    assert [move.bytes_done for move in ledger.moves] == [70, 100, None]


def test_bytes_that_nobody_tells_are_no_trouble(begun, monkeypatch):
    """A cluster that does not answer that question, or none that could be asked: what was known stays."""
    cluster, ledger = begun
    target = cluster.target()
    ledger.set(0, state="sent", bytes_done=7)

    def unreachable(partitions, brokers):
        raise ClusterUnreachable("Broker 3 does not answer.", "timeout")

    for answer in (unreachable, lambda partitions, brokers: None):
        monkeypatch.setattr(target, "copied", answer)
        teller = Teller(target, ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())
        teller.describe(seen(), cancelling=False, held="")

        assert ledger.moves[0].bytes_done == 7


def test_a_run_is_quiet_since_something_last_changed(begun):
    """Bytes, replicas in sync, what waits and who is alive: each of them is a change."""
    cluster, ledger = begun
    ledger.set(0, state="sent")
    teller = Teller(cluster.target(), ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())

    def quiet(moment, look):
        cluster.clock = moment
        teller.describe(look, cancelling=False, held="")
        return teller.quiet

    told = Assignment((3, 4, 1, 2), leader=1, in_sync=(1, 2))
    joined = dataclasses.replace(told, in_sync=(1, 2, 3))
    same = seen(now={("orders", 0): told})
    assert [quiet(moment, same) for moment in (0, 10, 30)] == [0, 10, 30]
    assert quiet(40, seen(now={("orders", 0): joined})) == 0
    assert quiet(45, seen(now={("orders", 0): joined})) == 5
    assert quiet(50, seen(now={("orders", 0): joined}, alive=frozenset((1, 2, 3)))) == 0


def test_where_a_reassignment_leads_is_told_by_what_comes_and_what_leaves():
    """Those that stay in their order, then those that come and are not in the list yet."""
    begun = Assignment((3, 1, 2), leader=1, in_sync=(1, 2), adding=(3,), removing=(2,))
    waits = Assignment((1, 2), leader=1, in_sync=(1, 2), adding=(3,), removing=(2,))

    assert (goal(begun), goal(waits)) == ((3, 1), (1, 3))
    assert leads_to(begun, (1, 3))
    assert leads_to(waits, (3, 1))
    assert not leads_to(begun, (1, 2))
    assert not leads_to(begun, (1, 2, 3))


def test_what_a_lagging_broker_may_tell_is_no_reason_to_wait(begun):
    """The list from before is, at once; another one once it has lasted; not where it is unknown what arrived."""
    cluster, ledger = begun
    ledger.set(1, state="sent")
    tracker = Tracker(ledger, cluster.pace())
    now = {("orders", 1): Assignment((1, 4), leader=1, in_sync=(1,))}

    def suspicious(moment):
        cluster.clock = moment
        tracker.follow([1], {}, now)
        return tracker.suspicious()

    assert [suspicious(moment) for moment in (0, 3, 3.1)] == [False, False, True]
    tracker.unsure[1] = 1
    assert not tracker.suspicious()
    del tracker.unsure[1]
    now["orders", 1] = Assignment((1, 2), leader=1, in_sync=(1,))
    assert suspicious(4)
    assert tracker.doubtful == {1}


def test_a_batch_without_an_outcome_is_settled_where_nothing_of_it_is_open(begun):
    """What is still sent is unsure, by its step, until the cluster says; the other step is closed, and says why."""
    cluster, ledger = begun
    arrived = ledger.record_intent("batch", {"rows": [0]})
    under_way = ledger.record_intent("batch", {"rows": [0, 1]})
    ledger.set(0, state="done")
    ledger.set(1, state="sent")
    tracker = Tracker(ledger, cluster.pace())
    tracker.recall_open_steps()
    steps = {step.id: step for step in ledger.journal.steps(run_id=ledger.run.id, kind="batch")}

    assert tracker.unsure == {1: under_way}
    assert [step.id for step in ledger.journal.steps(run_id=ledger.run.id, unsettled=True)] == [under_way]
    assert steps[arrived].outcome == {"settled": "nothing of it is open"}


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("cancel", {"settled": "asked for again"}),
        ("throttles", {"settled": "put back at the end"}),
        ("cordon", {"settled": "asked for again, or lifted"}),
        ("cordon back", {"lifted": [], "theirs": []}),
    ],
)
def test_a_step_whose_outcome_nobody_knows_says_what_becomes_of_it(begun, kind, outcome):
    """Each kind its own words, in the journal."""
    cluster, ledger = begun
    ledger.record_intent(kind, {"rows": []})
    Tracker(ledger, cluster.pace()).recall_open_steps()
    (step,) = ledger.journal.steps(run_id=ledger.run.id, kind=kind)

    assert step.outcome == outcome


def test_throttles_are_asked_for_every_ten_seconds_after_they_were_set(journal, monkeypatch):
    """And not sooner: brokers take a moment to show them, and what they show before is nobody's doing."""
    run, cluster, asked = approve(journal, PLAN, throttle=1_000), cluster_of(PLAN), []
    with journal.lease("FAKE", operator="ann", run_id=run.id) as lease:
        ledger, target = Ledger(journal, lease, run), cluster.target()
        cluster.clock = 0
        throttles = RunThrottles(target, ledger, cluster.pace())
        throttles.set()
        ledger.set(0, state="sent")

        def none_left(*_):
            asked.append(cluster.clock)
            return Throttles()

        monkeypatch.setattr(target, "throttles", none_left)
        for cluster.clock in (0, 9.9, 10, 19.9, 20):
            throttles.look(seen())

    assert asked == [10, 20]
