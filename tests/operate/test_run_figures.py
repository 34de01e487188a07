"""What a run counts between looks: bytes that a batch brings to brokers, bytes copied so far, seconds of doubt."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta

import pytest

from reseat.errors import ClusterUnreachable
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.operate.journal.records import RunState
from reseat.operate.run import throttling
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
    ledger.set(1, state="sent", bytes_done=500)
    room[3] = 0
    assert said() == ""


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
    cluster.clock = 6
    del held[("orders", 0), 4]
    teller.describe(seen(), cancelling=False, held="")
    assert ledger.moves[0].bytes_done == 40


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

    assert [suspicious(moment) for moment in (10, 13, 13.1)] == [False, False, True]
    tracker.unsure[1] = 1
    assert not tracker.suspicious()
    del tracker.unsure[1]
    now["orders", 1] = Assignment((1, 2), leader=1, in_sync=(1,))
    assert suspicious(14)
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
        ("throttles back", {"left": [throttling.NOT_KNOWN]}),
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


def test_one_that_waits_is_no_reason_to_hold_the_others(begun):
    """However long it stands as nobody planned: before each batch it is looked at anyway."""
    cluster, ledger = begun
    tracker = Tracker(ledger, cluster.pace())
    tracker.follow([0], {}, {("orders", 0): Assignment((1, 5), leader=1, in_sync=(1,))})
    cluster.clock = 10

    assert tracker.doubtful == {0}
    assert not tracker.suspicious()


def test_a_batch_whose_outcome_is_known_is_not_doubted(begun):
    """What was accepted and is under way arrived: whoever takes it back has done so on purpose."""
    cluster, ledger = begun
    step = ledger.record_intent("batch", {"rows": [0]})
    ledger.record_outcome(step, {"refused": {}})
    ledger.set(0, state="sent")
    tracker = Tracker(ledger, cluster.pace())
    tracker.recall_open_steps()
    (kept,) = ledger.journal.steps(run_id=ledger.run.id, kind="batch")

    assert tracker.unsure == {}
    assert kept.outcome == {"refused": {}}


def test_a_batch_of_unknown_fate_is_settled_once_all_of_it_is(begun):
    """One of its two partitions is seen under way, then the other."""
    cluster, ledger = begun
    ledger.record_intent("batch", {"rows": [0, 1]})
    for row in (0, 1):
        ledger.set(row, state="sent")
    tracker = Tracker(ledger, cluster.pace())
    tracker.recall_open_steps()
    listing = {
        ("orders", 0): Assignment((3, 4, 1, 2), adding=(3, 4), removing=(1, 2)),
        ("orders", 1): Assignment((1, 3, 2), adding=(3,), removing=(2,)),
    }
    open_steps = []
    for row in (0, 1):
        tracker.follow([row], listing, {})
        open_steps.append(len(ledger.journal.steps(run_id=ledger.run.id, unsettled=True)))

    assert open_steps == [1, 0]


def test_the_first_foreign_change_is_the_one_that_is_told(begun):
    """A second one, of another partition, does not take its place."""
    cluster, ledger = begun
    tracker, said = Tracker(ledger, cluster.pace()), []
    for row, moment in ((0, 0), (1, 100)):
        ledger.set(row, state="sent")
        for cluster.clock in (moment, moment + 20):
            tracker.follow([row], {}, {ledger.key(row): Assignment((1, 9), leader=1, in_sync=(1,))})
        said.append(ledger.halted)

    assert said[0].startswith("orders-0 was changed by somebody else during this run: its replicas are [1, 9].")
    assert said[1] == said[0]


@pytest.fixture
def throttled(journal):
    """A cluster with a run on it that is throttled, its target, and what sets and looks."""
    run, cluster = approve(journal, PLAN, throttle=1_000), cluster_of(PLAN)
    with journal.lease("FAKE", operator="ann", run_id=run.id) as lease:
        ledger, target = Ledger(journal, lease, run), cluster.target()
        yield cluster, ledger, target, RunThrottles(target, ledger, cluster.pace())


def test_throttles_that_stand_already_are_set_again_and_not_announced_again(throttled):
    """As at the start of whoever goes on: one step, with its outcome."""
    _, ledger, target, throttles = throttled
    throttles.set()
    RunThrottles(target, ledger, throttled[0].pace()).set()

    assert [step.outcome for step in ledger.journal.steps(kind="throttles")] == [{"set": True}]
    assert target.cluster.calls.count("set_throttles") == 2


def test_throttles_of_which_no_answer_came_are_not_known(throttled, monkeypatch):
    """Set, or not, or in part: the journal says so, and whoever asked hears of it."""
    _, ledger, target, throttles = throttled

    def lost(told):
        raise ClusterUnreachable("Broker does not answer.", "timeout")

    monkeypatch.setattr(target, "set_throttles", lost)
    for _ in range(2):
        with pytest.raises(ClusterUnreachable):
            throttles.set()

    assert [step.outcome for step in ledger.journal.steps(kind="throttles")] == [{"set": "not known"}]


@pytest.mark.parametrize(
    ("taken", "where"),
    [(("leader_rate", "1"), "broker 1"), (("follower_replicas", "orders"), "topic orders")],
)
def test_a_throttle_that_is_taken_away_is_told_while_another_broker_is_dead(throttled, taken, where):
    """A rate alone, a list alone; the dead broker, which tells nothing, is not asked."""
    cluster, ledger, _, throttles = throttled
    throttles.set()
    ledger.set(0, state="sent")
    del cluster.dynamic[taken]
    cluster.dead, cluster.clock = {2}, 10
    throttles.look(seen(alive=frozenset(range(1, 10)) - {2}))

    assert throttles.lifted.startswith(f"Somebody else changed the throttle of {where}: ")


def test_only_what_could_not_be_put_back_is_outstanding(begun):
    """Of two topics and a broker one topic is left: its list, and its partition to ask for."""
    _, ledger = begun
    earlier = Throttles({1: "7"}, {}, {"orders": None, "pay": None})
    ours = Throttles({1: "9"}, {}, {"orders": "0:1", "pay": "1:1"})
    content = {
        "earlier": throttling.to_json(earlier),
        "set": throttling.to_json(ours),
        "partitions": {"orders": 0, "pay": 1},
    }
    ledger.record_outcome(ledger.record_intent("throttles", content), {"set": True})
    ledger.record_outcome(ledger.record_intent("throttles back", {}), {"left": ["orders"], "theirs": []})
    there = throttling.outstanding_throttles(ledger.journal, ledger.run.id)

    assert there.partitions == {"orders": 0}
    assert there.earlier == Throttles(leader_replicas={"orders": None})
    assert there.ours == (Throttles(leader_replicas={"orders": "0:1"}),)


@pytest.mark.parametrize(
    "came_of_it",
    [
        (),
        (None,),
        ([throttling.NOT_KNOWN],),
        (["orders"],),
        (["orders"], [throttling.NOT_KNOWN]),
        ([],),
        (["orders"], []),
    ],
)
def test_the_journal_finds_the_runs_whose_throttles_are_outstanding(throttled, came_of_it):
    """Whatever came of putting them back, none of it known or all: as ``outstanding_throttles`` says of each run."""
    _, ledger, _, throttles = throttled
    throttles.set()
    for left in came_of_it:
        step = ledger.record_intent("throttles back", {})
        if left is not None:
            ledger.record_outcome(step, {"left": left, "theirs": []})
    outstanding = throttling.outstanding_throttles(ledger.journal, ledger.run.id) is not None
    found = [ledger.journal.throttled_runs(cluster) for cluster in ("FAKE", None, "OTHER")]

    assert outstanding == (came_of_it == () or came_of_it[-1] != [])
    assert found == [*[((ledger.run.id, ledger.run.cluster, RunState.APPROVED),) * outstanding] * 2, ()]


def test_throttles_that_were_set_again_after_they_were_put_back_are_outstanding(throttled):
    """As by a run that goes on after a crash."""
    _, ledger, target, throttles = throttled
    throttles.set()
    ledger.record_outcome(ledger.record_intent("throttles back", {}), {"left": [], "theirs": []})
    RunThrottles(target, ledger, throttled[0].pace()).set()

    assert throttling.outstanding_throttles(ledger.journal, ledger.run.id) is not None
    assert [run for run, _, _ in ledger.journal.throttled_runs()] == [ledger.run.id]


def told_by(cluster, ledger, look=None, *, tracker=None, cancelling=False, held=""):
    """What a run says of itself at a look."""
    tracker = tracker or Tracker(ledger, cluster.pace())
    teller = Teller(cluster.target(), ledger, tracker, Quiet(), cluster.pace())
    teller.describe(look or seen(), cancelling=cancelling, held=held)
    return ledger.sentence


def test_a_run_says_first_what_was_asked_of_it_then_why_it_halted_then_where_it_stands(begun):
    """The sentence whole: stopping, halted, counts."""
    cluster, ledger = begun
    ledger.set(1, state="sent")
    ledger.halted = "HALTED."
    ledger.say("Stopping.", RunState.STOPPING)

    assert told_by(cluster, ledger) == (
        "Stopping: nothing further is sent, and what is in progress finishes. HALTED. 0 of 3 partitions as planned, 1 "
        "in progress."
    )


@pytest.mark.parametrize("cancelled", [True, False])
def test_a_cancel_counts_as_refused_where_it_was_sent_and_kafka_gave_an_error(begun, cancelled):
    """An error alone may be one that says later: it is asked again. A cancel alone is on its way."""
    cluster, ledger = begun
    tracker = Tracker(ledger, cluster.pace())
    ledger.set(0, state="sent", error="ODD")
    ledger.set(1, state="sent")
    tracker.cancel_sent = {0, 1} if cancelled else {1}
    ledger.say("Stopping.", RunState.STOPPING)
    said = told_by(cluster, ledger, tracker=tracker, cancelling=True)

    assert said.startswith(
        "Cancelling: Kafka does not cancel orders-0 (ODD): what is in progress there finishes. 0 of 3"
        if cancelled
        else "Cancelling: what is in progress is reverted. 0 of 3"
    )


def test_what_holds_a_run_is_said_in_its_order(begun):
    """What pauses it, where it stands, brokers that are dead, what the sender holds, and others at work."""
    cluster, ledger = begun
    ledger.paused = "PAUSED."
    look = seen(alive=frozenset((1, 2, 3)), others=(("theirs", 0),))

    assert told_by(cluster, ledger, look, held="HELD.") == (
        "PAUSED. 0 of 3 partitions as planned. 1 partition is not sent while broker 4 is not alive. HELD. Somebody "
        "else is reassigning 1 partition (theirs-0): nothing further is sent until that is over."
    )
    assert ledger.state is RunState.PAUSED


def test_a_run_that_has_nothing_in_progress_is_not_stalled(begun):
    """However long it waits for its turn."""
    cluster, ledger = begun
    teller = Teller(cluster.target(), ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())
    for cluster.clock in (0, 1_000):
        teller.describe(seen(), cancelling=False, held="")

    assert ledger.sentence == "0 of 3 partitions as planned."


def test_the_pace_is_noted_every_second(begun, monkeypatch):
    """How many are done and how many bytes there are, of those that tell any."""
    cluster, ledger = begun
    noted = []
    monkeypatch.setattr(
        ledger.journal, "note_pace", lambda lease, run, *told, anew: noted.append((cluster.clock, *told))
    )
    teller = Teller(cluster.target(), ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())
    for cluster.clock in (5, 5.9, 6, 6.9, 7):
        teller.describe(seen(), cancelling=False, held="")
        ledger.set(0, state="done", bytes_done=200)
        if cluster.clock > 6:
            ledger.set(1, bytes_done=7)

    assert noted == [(5, 0, None), (6, 1, 200), (7, 1, 207)]


@pytest.mark.parametrize(
    ("alive", "held", "state"), [(range(1, 4), "", None), (range(1, 5), "HELD", None), (range(1, 5), "", "paused")]
)
def test_how_fast_it_was_tells_nothing_of_a_run_that_waits_for_somebody(begun, monkeypatch, alive, held, state):
    """For a broker that is dead, for what holds it up, for who paused it: what was copied before is left aside."""
    cluster, ledger = begun
    noted = []
    monkeypatch.setattr(ledger.journal, "note_pace", lambda *told, anew: noted.append(anew))
    ledger.set(0, state="sent")
    teller = Teller(cluster.target(), ledger, Tracker(ledger, cluster.pace()), Quiet(), cluster.pace())
    teller.describe(seen(), cancelling=False, held="")
    cluster.clock, ledger.paused = 5, state or ""
    teller.describe(seen(alive=frozenset(alive)), cancelling=False, held=held)

    assert noted == [False, True]


def test_a_pause_is_told_since_it_began(begun):
    """Not since the last look, nor since the pause before it."""
    cluster, ledger = begun
    noon = datetime(2026, 5, 1, 12, tzinfo=UTC)
    pace = cluster.pace(clock=lambda: noon + timedelta(seconds=cluster.clock))
    health, said = Health(ledger, pace, None), []
    for cluster.clock, alive in ((0, 10), (5, 9), (50, 9), (60, 10), (70, 9)):
        said.append(health.worse(seen(alive=frozenset(range(1, alive)))))

    assert [words[:27] for words in said] == [
        "",
        "Paused since 12:00:05 UTC: ",
        "Paused since 12:00:05 UTC: ",
        "",
        "Paused since 12:01:10 UTC: ",
    ]
