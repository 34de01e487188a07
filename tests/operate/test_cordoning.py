"""Cordons of a run, against a cluster in memory: set before anything moves, lifted before anything goes back, named."""

from __future__ import annotations

import threading

import pytest

from reseat.operate.journal.journal import Approval, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run import wishes
from reseat.operate.run.cordoning import Lifted, OutstandingCordons, cordons_left, lift, outstanding_cordons
from reseat.operate.run.execute import carry_out, reconcile
from reseat.operate.targets.cordon_settings import Cordon, closes
from tests.operate.fake_target import FakeCluster

#: Six partitions whose replica on broker 3 goes to 4 or 5, and one that broker 3 has not.
DRAIN = {("orders", i): ([1, 3], [1, 4 + i % 2]) for i in range(6)}
STAYS = "Broker 3 was left cordoned; lift that before unregistering: reseat operate uncordon --broker 3."


def cluster_of(plan=DRAIN, **choices):
    """A cluster that stands as the plan expects it."""
    return FakeCluster({key: list(before) for key, (before, _) in plan.items()}, **choices)


def approve(journal, plan=DRAIN, *, cordon=(3,), kind="plan", takes_back=None, most=2, throttle=None):
    """An approved run."""
    moves = [PlannedMove(*key, tuple(before), tuple(target), 50) for key, (before, target) in plan.items()]
    options = RunOptions(most, throttle, cordon=cordon)
    approval = Approval("FAKE", "fake", "{}", "{}", "h", "ann", moves, options, kind=kind, takes_back=takes_back)
    return journal.approve(approval)


def carried(cluster, journal, run, **choices):
    """The run as it ended."""
    return carry_out(cluster.target(**choices), journal, run.id, stop=threading.Event(), pace=cluster.pace())


def named(journal):
    """Brokers that the journal says may be cordoned by a run."""
    return sorted(broker for there in cordons_left(journal, "FAKE") for broker in there.before)


def test_the_broker_is_cordoned_first_and_stays_so(journal):
    """Before the throttles and the first batch; at the end it says so, and how that is lifted."""
    cluster = cluster_of()
    ended = carried(cluster, journal, approve(journal, throttle=1_000))
    changing = [call for call in cluster.calls if call in ("set_cordons", "set_throttles", "reassign")]

    assert ended.state is RunState.DONE
    assert changing[:3] == ["set_cordons", "set_throttles", "reassign"]
    assert cluster.cordons == {3: "*"}
    assert named(journal) == [3]
    assert ended.sentence == f"Done: all 6 partitions are as planned, seen twice. {STAYS}"
    assert journal.steps(unsettled=True) == ()


def test_without_being_asked_for_nothing_is_cordoned(journal):
    """Nor is the cluster asked for its cordons' settings."""
    cluster = cluster_of()

    assert carried(cluster, journal, approve(journal, cordon=())).state is RunState.DONE
    assert {"cordons", "set_cordons"}.isdisjoint(cluster.calls)
    assert cluster.cordons == {}


@pytest.mark.parametrize("before", [None, "/d1", ""])
def test_a_cancel_lifts_the_cordon_before_it_takes_anything_back(journal, before):
    """What was set before is set again: nothing, one directory, or none in spite of the broker's file."""
    cluster = cluster_of(cordons={} if before is None else {3: before}, rate=1.0)
    run = approve(journal)
    cluster.before_call = lambda name: (
        journal.request_stop(run.id, cancel=True)
        if name == "reassigned" and not journal.stop_requested(run.id)
        else None
    )
    ended = carried(cluster, journal, run)
    calls = [call for call in cluster.calls if call in ("set_cordons", "cancel")]

    assert ended.state is RunState.CANCELLED
    assert calls == ["set_cordons", "set_cordons", "cancel"]
    assert cluster.cordons == ({} if before is None else {3: before})
    assert named(journal) == []
    assert "cordon" not in ended.sentence


def test_a_stop_that_lets_finish_leaves_the_cordon_and_says_so(journal):
    """The broker is half empty: whether it goes on or back is for a person to say."""
    cluster = cluster_of()
    run = approve(journal)
    cluster.before_call = lambda name: (
        journal.request_stop(run.id, cancel=False)
        if name == "reassigned" and not journal.stop_requested(run.id)
        else None
    )
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.CANCELLED
    assert ended.sentence.endswith(STAYS)
    assert named(journal) == [3]


def test_a_rollback_lifts_it_before_it_sends_and_is_taken(journal):
    """All lists name the broker, and Kafka would refuse each."""
    cluster = cluster_of()
    run = approve(journal)
    carried(cluster, journal, run)
    back = {key: (target, before) for key, (before, target) in DRAIN.items()}
    ended = carried(cluster, journal, approve(journal, back, cordon=(), kind="rollback", takes_back=run.id))

    assert ended.state is RunState.DONE
    assert ended.sentence == "Done: all 6 partitions are as planned, seen twice."
    assert cluster.cordons == {}
    assert cluster.lists == {key: before for key, (before, _) in DRAIN.items()}
    assert named(journal) == []


def test_a_cordon_without_effect_ends_the_run_before_anything_is_sent(journal):
    """The broker takes the setting and its log directories do not show it: relative paths (tried on 4.4.0)."""
    cluster = cluster_of(unheeded={3})
    ended = carried(cluster, journal, approve(journal))

    assert ended.state is RunState.FAILED
    assert ended.sentence.startswith("Broker 3 took the cordon, and its log directories do not show it")
    assert "reassign" not in cluster.calls
    assert cluster.cordons == {}
    assert named(journal) == []


def test_a_cluster_that_knows_no_cordons_gets_nothing(journal):
    """As where a run that was approved for cordons goes on through ZooKeeper."""
    cluster = cluster_of(cordons=None)
    ended = carried(cluster, journal, approve(journal))

    assert ended.state is RunState.FAILED
    assert "the cluster knows no cordons: nothing was sent" in ended.sentence
    assert "reassign" not in cluster.calls


def test_what_somebody_else_set_since_is_left_alone_and_told(journal):
    """One directory is cordoned by hand while the run is at work; the cancel does not touch it."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal)

    def by_hand(name):
        if name == "reassigned" and not journal.stop_requested(run.id):
            cluster.cordons[3] = "/d1"
            journal.request_stop(run.id, cancel=True)

    cluster.before_call = by_hand
    ended = carried(cluster, journal, run)

    assert ended.sentence.endswith(" The cordon of broker 3 was changed by somebody else, and is left as it is.")
    assert cluster.cordons == {3: "/d1"}
    assert named(journal) == []


def test_a_broker_that_died_is_named_until_status_lifts_its_cordon(journal):
    """It is dead when the run is cancelled: the run says that it is still cordoned, and the next look lifts it."""
    cluster = cluster_of(rate=1.0)
    run = approve(journal)

    def dies(name):
        if name == "reassigned" and not journal.stop_requested(run.id):
            cluster.dead.add(3)
            journal.request_stop(run.id, cancel=True)

    cluster.before_call = dies
    ended = carried(cluster, journal, run)
    left, asked = named(journal), cluster.calls.count("cordons")
    cluster.dead.clear()
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert ended.state is RunState.CANCELLED
    assert ended.sentence.endswith("Broker 3 is still cordoned: status lifts that once it answers.")
    assert asked == 3  # when it was set, once when it was to be lifted, and once more at the end
    assert left == [3]
    assert said == (f"Run {run.id}, cancelled: Its cordon is lifted.",)
    assert journal.run(run.id).sentence == ended.sentence.partition(" Broker 3")[0] + " Its cordon is lifted."
    assert cluster.cordons == {}
    assert named(journal) == []
    assert reconcile(cluster.target(), journal, pace=cluster.pace()) == ()


def test_a_bystander_that_is_cordoned_meanwhile_holds_its_partitions_alone(journal):
    """Broker 5 is cordoned by somebody: what goes to 4 goes on, the rest waits, says so, and goes on once it may."""
    cluster, said = cluster_of(), []
    run = approve(journal, most=1)

    def bystander(name):
        sentence = journal.run(run.id).sentence
        if name == "reassigned":
            cluster.cordons.setdefault(5, "*")
        if "cordoned: Kafka refuses" in sentence and sentence not in said:
            said.append(sentence)
        if said and all(5 not in move.target or move.state == "waiting" for move in journal.moves(run.id)):
            cluster.cordons[5] = ""

    cluster.before_call = bystander
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert any(
        "3 partitions are not sent while broker 5 is cordoned: Kafka refuses their lists." in one for one in said
    )
    assert {move.error for move in journal.moves(run.id)} == {None}


def test_a_cancel_of_a_run_that_nobody_works_on_waits_for_whoever_lifts_its_cordon(journal):
    """Nothing of it is under way, and it is not over by the word alone."""
    cluster = cluster_of()
    run = approve(journal)
    interrupt = threading.Event()
    cluster.before_call = lambda name: interrupt.set() if name == "cordons set" else None
    carry_out(cluster.target(), journal, run.id, interrupt=interrupt, pace=cluster.pace())
    cluster.before_call = lambda name: None
    goes_on = wishes.stop(journal, run.id, cancel=True, operator="ben")
    ended = carried(cluster, journal, run)

    assert goes_on
    assert cluster.calls.count("reassign") == 0
    assert ended.state is RunState.CANCELLED
    assert cluster.cordons == {}


def test_what_stood_before_is_what_the_first_start_found(journal):
    """A run that goes on finds its own cordon, and does not take it for somebody's."""
    cluster = cluster_of(cordons={3: "/d2"}, rate=1.0)
    run = approve(journal)
    interrupt = threading.Event()
    cluster.before_call = lambda name: interrupt.set() if name == "reassigned" else None
    carry_out(cluster.target(), journal, run.id, interrupt=interrupt, pace=cluster.pace())
    cluster.before_call = lambda name: None
    cluster.rate = 100.0
    carried(cluster, journal, run)

    assert outstanding_cordons(journal, run.id).before == {3: Cordon(closed=False, dynamic="/d2")}


def test_a_value_closes_the_directories_that_it_names() -> None:
    """Paths joined by commas, * for all, nothing for none; a path that the broker does not have closes nothing."""
    assert closes("*", ["/a", "/b"]) == {"/a", "/b"}
    assert closes("/a, /c", ["/a", "/b"]) == {"/a"}
    assert closes("", ["/a"]) == closes(None, ["/a"]) == frozenset()
    assert Cordon(True, static="*").lifting == ""
    assert Cordon(True, dynamic="*").lifting is None


def ends(cluster, journal, run):
    """The run as it ended, after at most 10,000 questions: one that waits for what never comes is a failure."""
    asked = iter(range(10_000))
    before = cluster.before_call
    cluster.before_call = lambda name: (next(asked), before(name))
    return carried(cluster, journal, run)


@pytest.mark.parametrize("taken_back", [True, False])
def test_what_stood_before_is_what_the_first_of_several_runs_found(journal, taken_back):
    """A first drain ends with its cordon, a second finds it: its rollback or cancel lifts what the first has set."""
    cluster = cluster_of()
    first, *rest = DRAIN
    carried(cluster, journal, approve(journal, {first: DRAIN[first]}))
    run = approve(journal, {key: DRAIN[key] for key in rest})
    if taken_back:
        carried(cluster, journal, run)
        back = {key: DRAIN[key][::-1] for key in rest}
        run = approve(journal, back, cordon=(), kind="rollback", takes_back=run.id)
    else:
        cluster.before_call = lambda name: (
            journal.request_stop(run.id, cancel=True)
            if name == "reassigned" and not journal.stop_requested(run.id)
            else None
        )
    ended = ends(cluster, journal, run)

    assert ended.state is (RunState.DONE if taken_back else RunState.CANCELLED), ended.sentence
    assert cluster.cordons == {}
    assert named(journal) == []


def test_a_cordon_that_somebody_lifted_is_not_said_to_stay(journal):
    """By hand, while the run is at work: its end says whose doing that is, and nothing is named any longer."""
    cluster = cluster_of()
    run = approve(journal)
    cluster.before_call = lambda name: cluster.cordons.pop(3, None) if name == "reassigned" else None
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert ended.sentence == (
        "Done: all 6 partitions are as planned, seen twice. "
        "The cordon of broker 3 was changed by somebody else, and is left as it is."
    )
    assert cluster.cordons == {}
    assert named(journal) == []


def test_a_rollback_leaves_the_cordons_that_do_not_stand_in_its_way(journal):
    """Another run's, of a broker that none of its lists names."""
    cluster = cluster_of(DRAIN | {("pay", 0): ([1, 4], [1, 2])})
    run = approve(journal)
    carried(cluster, journal, run)
    back = {("pay", 0): ([1, 4], [1, 2])}
    ended = carried(cluster, journal, approve(journal, back, cordon=(), kind="rollback", takes_back=run.id))

    assert ended.state is RunState.DONE
    assert cluster.cordons == {3: "*"}
    assert named(journal) == [3]


def test_of_cordons_the_runs_own_are_lifted_alone(journal):
    """2 shows the run's and had a directory cordoned, 3 is as it was before, 4 is somebody's, 5 is dead."""
    cluster = cluster_of(cordons={2: "*", 3: "/d", 4: "/e"}, dead={5})
    before = {2: Cordon(False, "/c"), 3: Cordon(False, "/d"), 4: Cordon(False), 5: Cordon(False)}
    since = journal.approve(Approval("FAKE", "fake", "{}", "{}", "h", "ann", [])).approved_at

    assert lift(cluster.target(), OutstandingCordons(1, 1, since, before)) == Lifted((2, 3), (5,), (4,))
    assert cluster.cordons == {2: "/c", 3: "/d", 4: "/e"}
    assert cluster.calls == ["cordons", "set_cordons"]
