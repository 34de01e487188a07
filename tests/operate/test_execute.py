"""Carrying out, against a cluster in memory whose every fault is chosen: throttles, batches, stops, crashes, others."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.operate.journal import file
from reseat.operate.journal.journal import Approval, Journal, PlannedMove
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.journal.rows import COLUMNS
from reseat.operate.journal.schema import open_database
from reseat.operate.run.execute import carry_out, reconcile
from reseat.operate.targets.error_names import ErrorName
from tests.operate.fake_target import FakeCluster, FakeTarget

#: Ten partitions on 1 and 2 whose second replica goes to 3 or 4.
PLAN = {("orders", i): ([1, 2], [1, 3 + i % 2]) for i in range(10)}
EARLIER = {("leader_rate", "1"): "77", ("follower_replicas", "orders"): "9:9"}


def cluster_of(plan=PLAN, **choices):
    """A cluster that stands as the plan expects it."""
    return FakeCluster({key: list(before) for key, (before, _) in plan.items()}, **choices)


def approve(journal, plan=PLAN, *, most=2, throttle=None, size=50):
    """An approved run of a plan."""
    moves = [
        PlannedMove(topic, partition, tuple(before), tuple(target), size * len(set(target) - set(before)))
        for (topic, partition), (before, target) in plan.items()
    ]
    return journal.approve(Approval("FAKE", "fake", "{}", "{}", "h", "ann", moves, RunOptions(most, throttle)))


def carried(cluster, journal, run, **choices):
    """The run as it ended."""
    stop = choices.pop("stop", None) or threading.Event()
    return carry_out(cluster.target(**choices), journal, run.id, stop=stop, pace=cluster.pace())


def planned(plan=PLAN):
    """The lists as a plan has them."""
    return {key: list(target) for key, (_, target) in plan.items()}


def states(journal, run):
    """How many partitions stand where."""
    told = [move.state for move in journal.moves(run.id)]
    return {state: told.count(state) for state in sorted(set(told))}


@pytest.mark.parametrize("protocol", [{}, {"protocol": "zookeeper", "one_at_a_time": True, "can_cancel": False}])
def test_a_plan_is_carried_out_in_batches(journal, protocol):
    """Every partition is as planned; no broker has more moves at a time than allowed; the journal says what was."""
    cluster, most = cluster_of(), []
    cluster.before_call = lambda name: most.append(
        max(sum(broker in ids for ids in cluster.goal.values()) for broker in (3, 4))
    )
    run = approve(journal)
    ended = carried(cluster, journal, run, **protocol)

    assert ended.state is RunState.DONE
    assert ended.sentence == "Done: all 10 partitions are as planned, seen twice."
    assert cluster.lists == planned()
    assert max(most) <= 2
    told = journal.progress(run.id)
    assert (told.done, told.partitions, told.bytes_done, told.bytes_total, told.alive) == (10, 10, 500, 500, False)
    assert {move.now for move in told.moves} == {(1, 3), (1, 4)}
    assert told.batches >= 5
    assert journal.steps(unsettled=True) == ()


def test_one_batch_at_a_time_waits_until_the_one_before_was_seen_done(journal):
    """Not only until its node is gone: what the controller has put aside need not be there yet."""
    cluster, sent = cluster_of(), []
    run = approve(journal, most=1)

    def look(name):
        if name == "reassign":
            batch, *_ = journal.steps(run_id=run.id, kind="batch")
            moves = [move for move in journal.moves(run.id) if move.state == "sent"]
            sent.append({f"{move.topic}-{move.partition}" for move in moves} - set(batch.content["targets"]))

    cluster.before_call = look
    ended = carried(cluster, journal, run, protocol="zookeeper", one_at_a_time=True, can_cancel=False)

    assert ended.state is RunState.DONE
    assert len(sent) > 1
    assert not any(sent)


def test_a_batch_that_keeps_every_factor_says_so_to_the_cluster(journal, monkeypatch):
    """So that the server guards too (KIP-860); one that changes a factor on purpose does not."""
    said, real = [], FakeTarget.reassign

    def reassign(self, targets, *, keeps_factor=False):
        said.append(keeps_factor)
        return real(self, targets, keeps_factor=keeps_factor)

    monkeypatch.setattr(FakeTarget, "reassign", reassign)
    for plan in ({("kept", 0): ([1, 2], [1, 3])}, {("raised", 0): ([1, 2], [1, 2, 3])}):
        cluster = cluster_of(plan)
        ended = carried(cluster, journal, approve(journal, plan))

        assert ended.state is RunState.DONE

    assert said == [True, False]


def test_throttles_are_put_back_exactly(journal):
    """Rates and lists are set for what moves; at the end all of it is as before, unset values unset again."""
    cluster = cluster_of(dynamic=dict(EARLIER))
    seen = []
    cluster.before_call = lambda name: seen.append(dict(cluster.dynamic)) if name == "reassign" else None
    ended = carried(cluster, journal, approve(journal, throttle=1_000))

    assert ended.state is RunState.DONE
    assert seen[0]["leader_rate", "1"] == seen[0]["follower_rate", "4"] == "1000"
    assert seen[0]["follower_replicas", "orders"].split(",")[:3] == ["9:9", "0:3", "1:4"]
    assert seen[0]["leader_replicas", "orders"].split(",")[:3] == ["0:1", "0:2", "1:1"]
    assert cluster.dynamic == EARLIER


def test_without_a_throttle_none_is_touched(journal):
    """A plan without a rate neither reads nor sets throttles."""
    cluster = cluster_of(dynamic=dict(EARLIER))
    carried(cluster, journal, approve(journal))

    assert "set_throttles" not in cluster.calls
    assert cluster.dynamic == EARLIER


def test_a_refused_partition_is_recorded_and_others_go_on(journal):
    """Kafka's error stays with the partition; the run fails at its end and says so."""
    cluster = cluster_of(refuse={("orders", 3): "INVALID_REPLICA_ASSIGNMENT"})
    run = approve(journal)
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert ended.sentence == (
        "1 partition failed: orders-3 (INVALID_REPLICA_ASSIGNMENT). 9 partitions are as planned. A rollback restores "
        "the lists as they were."
    )
    assert states(journal, run) == {"done": 9, "failed": 1}
    assert cluster.lists == planned() | {("orders", 3): [1, 2]}


@pytest.mark.parametrize("most", [1, 3])
def test_a_run_whose_first_batch_is_refused_sends_nothing_further(journal, most):
    """Every partition of it, in Kafka's own words; the batches behind it would fare no better."""
    why = ErrorName("INVALID_REPLICA_ASSIGNMENT", "All log directories of broker 4 are cordoned.")
    cluster = cluster_of(refuse=dict.fromkeys(PLAN, why))
    run = approve(journal, most=most)
    ended = carried(cluster, journal, run)
    tried = states(journal, run)["failed"]

    assert ended.state is RunState.FAILED
    assert tried < 10
    assert f"{tried} partitions failed: " in ended.sentence or tried == 1
    assert "(INVALID_REPLICA_ASSIGNMENT: All log directories of broker 4 are cordoned.)" in ended.sentence
    assert "Kafka accepted none of the first batch: nothing further was sent." in ended.sentence
    assert states(journal, run) == {"failed": tried, "waiting": 10 - tried}
    assert cluster.calls.count("reassign") == 3
    assert cluster.lists == cluster_of().lists


def test_a_batch_refused_after_others_were_accepted_does_not_end_the_run(journal):
    """What follows may be accepted, as what was before."""
    refused = sorted(PLAN)[4]
    cluster = cluster_of(refuse={refused: "INVALID_REPLICA_ASSIGNMENT"})
    run = approve(journal, most=1)

    assert carried(cluster, journal, run).state is RunState.FAILED
    assert states(journal, run) == {"done": 9, "failed": 1}


def test_an_error_that_says_later_is_tried_again(journal):
    """NOT_CONTROLLER is no result on the partition."""
    cluster = cluster_of(refuse=dict.fromkeys(PLAN, "NOT_CONTROLLER"))
    calls = []

    def elected(name):
        calls.append(name)
        if calls.count("reassign") == 3:
            cluster.refuse.clear()

    cluster.before_call = elected

    assert carried(cluster, journal, approve(journal)).state is RunState.DONE


@pytest.mark.parametrize(("error", "times"), [("NOT_CONTROLLER", 10), ("INVALID_REPLICA_ASSIGNMENT", 3), ("OTHER", 1)])
def test_a_refusal_is_tried_again_as_often_as_it_deserves(journal, error, times):
    """What says "not now" ten times, what may be a broker that just died three times, any other not at all."""
    plan = {("orders", 0): ([1, 2], [1, 3])}
    cluster = cluster_of(plan, refuse={("orders", 0): error})
    run = approve(journal, plan)
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert cluster.calls.count("reassign") == times
    assert journal.moves(run.id)[0].error == error


def test_others_reassignments_hold_back_the_next_batch(journal):
    """Nothing is sent while somebody else reassigns; they are named; afterwards it goes on."""
    cluster = cluster_of(PLAN | {("theirs", 0): ([1, 2], None)}, rate=25)
    batches, words = [], []

    def other(name):
        if name == "reassign":
            batches.append(cluster.clock)
            assert ("theirs", 0) not in cluster.goal
        if name == "reassigned" and len(batches) == 1:
            cluster.start(("theirs", 0), [1, 5])

    cluster.before_call = other
    run = approve(journal)
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert ended.state is RunState.DONE
    assert any("Somebody else is reassigning 1 partition (theirs-0): nothing further is sent" in word for word in words)


def test_a_partition_changed_before_it_was_sent_stops_the_run(journal):
    """A list that is neither as before nor as planned is named, and nothing further is sent."""
    cluster = cluster_of()

    def other(name):
        if name == "reassigned":
            cluster.lists["orders", 9] = [2, 1]

    cluster.before_call = other
    run = approve(journal)
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert (
        "orders-9 was changed by somebody else during this run: its replicas are [2, 1]. Nothing further"
        in ended.sentence
    )
    assert "7 were not sent" in ended.sentence
    assert cluster.calls.count("reassign") == 1
    assert states(journal, run)["failed"] == 1
    assert not cluster.goal


def test_a_partition_under_way_that_is_changed_or_taken_back_stops_the_run(journal):
    """Another target, and a cancel by somebody else, are both named; what is under way finishes first."""
    for other, words in (
        (lambda cluster: cluster.start(("orders", 0), [5, 6]), "somebody else reassigns it to [5, 6]"),
        (lambda cluster: cluster.take_back(("orders", 0)), "was cancelled by somebody else, or dropped"),
    ):
        cluster = cluster_of(rate=10)
        done = []

        def once(name, cluster=cluster, other=other, done=done):
            if name == "reassigned" and not done:
                done.append(name)
                other(cluster)

        cluster.before_call = once
        ended = carried(cluster, journal, approve(journal))

        assert ended.state is RunState.FAILED
        assert words in ended.sentence
        assert cluster.calls.count("reassign") == 1


def test_a_reassignment_that_waits_in_zookeepers_node_is_ours(journal, monkeypatch):
    """Until the controller begins, the list from before stands beside what is to be added and removed."""
    cluster = cluster_of()
    begun = cluster.assignment

    def not_begun(key):
        told = begun(key)
        return replace(told, replicas=tuple(cluster.origin.get(key, told.replicas)))

    def begins(name):
        cluster.rate = 0 if cluster.clock < 30 else 100
        if cluster.clock >= 30:
            monkeypatch.setattr(cluster, "assignment", begun)

    monkeypatch.setattr(cluster, "assignment", not_begun)
    cluster.before_call = begins
    ended = carried(cluster, journal, approve(journal), protocol="zookeeper", one_at_a_time=True, can_cancel=False)

    assert ended.state is RunState.DONE


def test_a_topic_that_is_gone_fails_its_partitions_alone(journal):
    """Deleting a topic in the middle does not stop the others."""
    cluster = cluster_of()

    def delete(name):
        if name == "reassigned":
            cluster.lists.pop(("orders", 9), None)

    cluster.before_call = delete
    ended = carried(cluster, journal, approve(journal))

    assert ended.state is RunState.FAILED
    assert "1 partition failed: orders-9 (UNKNOWN_TOPIC_OR_PARTITION). 9 partitions are as planned" in ended.sentence


def test_a_dead_target_broker_is_waited_for_and_named(journal):
    """Its partitions stay under way, further ones are not sent to it, others go on; once it is back all is done."""
    cluster, words = cluster_of(), []

    def dies(name):
        if name == "reassigned" and cluster.clock < 1:
            cluster.dead = {3}
        if cluster.clock > 300:
            cluster.dead = set()

    cluster.before_call = dies
    run = approve(journal)
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert ended.state is RunState.DONE
    assert any("Broker 3 is not alive: 1 partition waits for it since" in word for word in words)
    assert any("4 partitions are not sent while broker 3 is not alive." in word for word in words)
    assert len(cluster.calls) < 1_000  # 300 s of waiting do not spin


def test_a_target_broker_that_dies_as_a_batch_is_sent_is_waited_for(journal):
    """The controller knows first and refuses the assignment; the partitions wait for the broker and are sent again."""
    cluster, words = cluster_of(), []

    def dies(name):
        if name == "reassign" and "reassign" not in cluster.calls[:-1]:
            cluster.refuse = {key: "INVALID_REPLICA_ASSIGNMENT" for key, lists in PLAN.items() if 3 in lists[1]}
        elif cluster.refuse and cluster.clock < 300:
            cluster.dead = {3}
        elif cluster.clock > 300:
            cluster.dead, cluster.refuse = set(), {}

    cluster.before_call = dies
    ended = carry_out(
        cluster.target(), journal, approve(journal).id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert ended.state is RunState.DONE
    assert any("not sent while broker 3 is not alive." in word for word in words)


def test_stalling_is_said(journal):
    """A minute without a change is called stalled, with the partitions, and no less."""
    cluster, said = cluster_of({("orders", 0): ([1, 2], [1, 3])}, rate=0, clock=1_000.0), []

    def goes_on(name):
        if cluster.clock > 1_100:
            cluster.rate = 100

    def hear(words):
        said.append((cluster.clock, words))

    cluster.before_call = goes_on
    run = approve(journal, {("orders", 0): ([1, 2], [1, 3])})
    carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=hear)
    stalled = [clock for clock, words in said if "Stalled since" in words and "orders-0 makes no progress" in words]

    assert said[0][1] == "Starting."
    assert 1_060 <= stalled[0] < 1_070
    assert journal.run(run.id).state is RunState.DONE


@pytest.mark.parametrize("call", ["reassign", "reassigned", "assignments", "reassigning", "set_throttles", "alive"])
def test_a_cluster_that_does_not_answer_for_a_while_is_waited_for(journal, call):
    """The controller dying, ZooKeeper restarting: whichever call meets it, the run goes on and nothing is left."""
    cluster, words = cluster_of(dynamic=dict(EARLIER)), []
    calls = []

    def dies(name):
        calls.append(name)
        if name == call and calls.count(call) == 2:
            cluster.down = cluster.clock + 30
            raise ClusterUnreachable("The controller is gone.", "lost")

    cluster.before_call = dies
    run = approve(journal, throttle=1_000)
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert ended.state is RunState.DONE
    assert any("not answer" in word for word in words)
    assert cluster.lists == planned()
    assert cluster.dynamic == EARLIER
    assert journal.steps(unsettled=True) == ()


def test_a_stop_lets_what_is_under_way_finish(journal):
    """The event, or a request from another process: nothing further is sent, and it says how much was done."""
    for how in ("event", "journal"):
        cluster, stop = cluster_of(dynamic=dict(EARLIER)), threading.Event()
        run = approve(journal, throttle=1_000)

        def ask(name, how=how, stop=stop, run=run):
            if name == "reassigned":
                stop.set() if how == "event" else journal.request_stop(run.id, cancel=False)

        cluster.before_call = ask
        ended = carried(cluster, journal, run, stop=stop)

        assert ended.state is RunState.CANCELLED
        assert ended.sentence == (
            "Stopped: 2 partitions are as planned and 8 were not sent. A rollback restores the lists as they were."
        )
        assert cluster.dynamic == EARLIER


def test_a_cancel_takes_back_what_is_under_way(journal):
    """What Kafka leaves in another order is named; throttles are put back; nothing is under way."""
    plan = {("orders", 0): ([1, 2, 3], [3, 4, 2]), ("orders", 1): ([1, 2], [1, 3])}
    cluster = cluster_of(plan, rate=0.01, dynamic=dict(EARLIER))
    run = approve(journal, plan, throttle=1_000)
    cluster.before_call = lambda name: journal.request_stop(run.id, cancel=True) if name == "reassigned" else None
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.CANCELLED
    assert ended.sentence == (
        "Stopped: 0 partitions are as planned and 2 were reverted. Kafka reverted orders-0 to the old replicas in "
        "another order. A rollback restores the lists as they were."
    )
    assert cluster.lists == {("orders", 0): [3, 2, 1], ("orders", 1): [1, 2]}
    assert cluster.dynamic == EARLIER
    assert not cluster.goal
    assert cluster.clock < cluster.pace().grace_seconds  # Kafka said so: nobody else's doing is waited for


def test_a_cancel_that_kafka_refuses_is_named_and_waited_for(journal):
    """KRaft takes nothing back that would need an unclean election; what is under way finishes."""
    plan = {("orders", 0): ([1, 2], [1, 3])}
    cluster, words = cluster_of(plan, rate=1, refuse_cancel={("orders", 0): "INVALID_REPLICA_ASSIGNMENT"}), []
    run = approve(journal, plan)
    cluster.before_call = lambda name: journal.request_stop(run.id, cancel=True) if name == "reassigned" else None
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert any("Kafka does not cancel orders-0 (INVALID_REPLICA_ASSIGNMENT)" in word for word in words)
    assert ended.state is RunState.DONE
    assert cluster.calls.count("cancel") == 1
    assert cluster.lists == planned(plan)


def test_where_the_way_cannot_cancel_what_is_under_way_finishes(journal):
    """Through ZooKeeper's node nothing is taken back, and that is said."""
    cluster, words = cluster_of(rate=1), []
    run = approve(journal)
    cluster.before_call = lambda name: journal.request_stop(run.id, cancel=True) if name == "reassigned" else None
    target = cluster.target(protocol="zookeeper", one_at_a_time=True, can_cancel=False)
    ended = carry_out(target, journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append)

    assert any("cannot be cancelled through ZooKeeper's node" in word for word in words)
    assert ended.state is RunState.CANCELLED
    assert "cancel" not in cluster.calls
    assert cluster.calls.count("reassign") == 1


def test_throttles_of_a_dead_broker_are_put_back_by_the_next_recovery(journal):
    """What cannot be put back is named and stays in the journal until it can."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "throttles set":
            cluster.dead = {2}

    cluster.before_call = dies
    run = approve(journal, throttle=1_000)
    ended = carried(cluster, journal, run)
    left = dict(cluster.dynamic)
    again = reconcile(cluster.target(), journal, pace=cluster.pace())
    cluster.dead, cluster.before_call = set(), lambda name: None
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert ended.state is RunState.DONE
    assert ended.sentence.endswith(
        "Throttles are still set on broker 2: status restores them once they can be reached."
    )
    assert left == EARLIER | {("leader_rate", "2"): "1000", ("follower_rate", "2"): "1000"}
    assert "Throttles are still set on broker 2" in again[0]
    assert said == (f"Run {run.id}, done: Its throttles are restored.",)
    assert journal.run(run.id).sentence == (
        "Done: all 10 partitions are as planned, seen twice. Its throttles are restored."
    )
    assert cluster.dynamic == EARLIER
    assert reconcile(cluster.target(), journal, pace=cluster.pace()) == ()


def test_throttles_are_restored_however_many_runs_came_since(journal):
    """They stay in the journal until they can be: 300 later runs of the cluster change nothing."""
    cluster = cluster_of(dynamic=dict(EARLIER))
    cluster.before_call = lambda name: cluster.dead.update({2} if name == "throttles set" else ())
    run = approve(journal, throttle=1_000)
    carried(cluster, journal, run)
    rest = COLUMNS.removeprefix("id, ")
    with closing(sqlite3.connect(journal.path)) as beside, beside:
        beside.execute(
            "WITH more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 300) "
            f"INSERT INTO runs ({rest}) SELECT {rest} FROM runs, more"
        )
    cluster.before_call = lambda name: None
    cluster.dead.clear()
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert len(journal.runs(most=1_000)) == 301
    assert said == (f"Run {run.id}, done: Its throttles are restored.",)
    assert cluster.dynamic == EARLIER


def test_what_a_killed_operator_sent_is_settled_though_each_look_takes_a_while(journal):
    """All of a batch has ended meanwhile: one recovery is enough to see it, and puts the throttles back."""
    plan = dict(list(PLAN.items())[:2])
    cluster = cluster_of(plan, dynamic=dict(EARLIER))

    def dies(name):
        if name == "reassigned":
            raise SystemExit("killed")

    run = approve(journal, plan, throttle=1_000)
    cluster.before_call = dies
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.wait(60)

    def takes_a_while(name):
        cluster.clock += 0.7

    cluster.before_call = takes_a_while
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert said == (f"Run {run.id}: Done: all 2 partitions are as planned, seen twice.",)
    assert cluster.dynamic == EARLIER


def test_a_done_partition_that_is_changed_before_the_end_fails_the_run(journal):
    """Done is said only of what holds at the end."""
    cluster = cluster_of()

    def meddle(name):
        if name == "assignments" and all(move.state == "done" for move in journal.moves(run.id)):
            cluster.lists["orders", 0] = [9, 8]

    run = approve(journal)
    cluster.before_call = meddle
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.FAILED
    assert (
        "orders-0 was changed by somebody else during this run: it was as planned and is [9, 8] now" in ended.sentence
    )


@pytest.mark.parametrize("told", [None, [1, 2]])
def test_a_broker_that_lags_at_the_end_is_no_change_behind_the_back(journal, told):
    """All is done when another broker answers that has not been told: it is asked again, and nobody is accused."""
    cluster, looks, key = cluster_of(), [], ("orders", 0)

    def lag(name):
        if name != "assignments" or any(move.state != "done" for move in journal.moves(run.id)):
            return
        looks.append(name)
        cluster.lists[key] = list(PLAN[key][1])
        if len(looks) in (1, 2, 4):  # not told; still not told; told; another one that is not told
            cluster.lists[key] = told
            if told is None:
                del cluster.lists[key]

    run = approve(journal)
    cluster.before_call = lag
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert len(looks) == 5
    assert ended.sentence == "Done: all 10 partitions are as planned, seen twice."


@pytest.mark.parametrize("told", [None, [2, 1]])
def test_a_broker_that_lags_at_the_beginning_delays_a_run_and_stops_nothing(journal, told):
    """Asked before a batch it does not know a partition yet, or knows it from before: asked again, and then sent."""
    cluster, looks, key = cluster_of(), [], ("orders", 9)

    def lag(name):
        if name == "assignments" and len(looks) < 4:
            looks.append(cluster.calls.count("reassign"))
            cluster.lists[key] = list(PLAN[key][0])
            if len(looks) != 4:
                cluster.lists[key] = told
                if told is None:
                    del cluster.lists[key]

    run = approve(journal)
    cluster.before_call = lag
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert looks[0] == 0
    assert told is None or looks[-1] == 0  # what differs from the layout approved stops all sending until it is settled
    assert cluster.lists == planned()


def test_a_run_is_carried_out_once_and_on_its_own_cluster(journal):
    """A run that is over, and one for another cluster, are refused before anything is sent."""
    cluster = cluster_of()
    run = approve(journal)
    carried(cluster, journal, run)
    sent = cluster.calls.count("reassign")
    with pytest.raises(WriteRefused, match=rf"^Run {run.id} is over \(done\): Done: all 10 partitions"):
        carried(cluster, journal, run)
    other = journal.approve(Approval("OTHER", "o", "{}", "{}", "h", "ann", ()))
    with pytest.raises(WriteRefused, match="is for cluster OTHER"):
        carried(cluster, journal, other)

    assert cluster.calls.count("reassign") == sent


@pytest.mark.parametrize("same", [False, True])
def test_two_operators_without_a_shared_journal(journal, tmp_path, same):
    """Each sees what the other has in flight before each batch; both plans end whole, also where they are one plan."""
    theirs = PLAN if same else {("audit", i): ([5, 6], [5, 7]) for i in range(4)}
    cluster = cluster_of(PLAN | theirs)
    other, began = Journal(tmp_path / "other.sqlite"), []

    def beside(name):
        if name == "reassigned" and not began:
            began.append(name)
            began.append(carried(cluster, other, approve(other, theirs)))

    cluster.before_call = beside
    ended = carried(cluster, journal, approve(journal))
    other.close()

    assert ended.state is RunState.DONE
    assert began[1].state is RunState.DONE
    assert cluster.lists == planned(PLAN | theirs)


def test_a_run_that_was_left_keeps_its_throttles_while_its_partitions_are_copied(journal):
    """Recovery says so, and puts them back once they have ended; the run goes on later."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=0)

    def bar(name):
        if name == "alive" and cluster.goal:
            raise ClusterUnreachable("Not authorised.", "authorization")

    cluster.before_call = bar
    run = approve(journal, throttle=1_000)
    with pytest.raises(ClusterUnreachable):
        carried(cluster, journal, run)
    cluster.before_call, cluster.rate = lambda name: None, 1
    began = cluster.clock
    first = reconcile(cluster.target(), journal, pace=cluster.pace())
    took, throttled = cluster.clock - began, dict(cluster.dynamic)
    cluster.wait(100)
    second = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert first == (
        f"The executor of run {run.id} has ended; 0 of 10 partitions as planned, 2 in progress; the throttles stay "
        "while anything is in progress. Continue it, or cancel it.",
    )
    assert took == 0
    assert throttled != EARLIER
    assert "nothing is in progress" in second[0]
    assert cluster.dynamic == EARLIER
    assert states(journal, run) == {"done": 2, "waiting": 8}


def test_two_operators_with_one_journal(journal):
    """While one carries out, the second is refused and sends nothing."""
    cluster = cluster_of()
    refused = []

    def second(name):
        if name == "reassigned" and not refused:
            with pytest.raises(WriteRefused, match=r"ann has been executing on this cluster \(run 1\)") as error:
                carry_out(cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace())
            refused.append(error)
            assert reconcile(cluster.target(), journal, pace=cluster.pace()) == ()

    run = approve(journal)
    cluster.before_call = second

    assert carried(cluster, journal, run).state is RunState.DONE
    assert refused


def test_a_broker_that_died_since_does_not_keep_a_run_from_going_on(journal):
    """Its throttles cannot be set; those of the others are, and its earlier values come back once it does."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = dies
    run = approve(journal, throttle=1_000)
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.dead, words = {4}, []

    def comes_back(name):
        if cluster.clock > 60:
            cluster.dead = set()

    cluster.before_call = comes_back
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert words[0] == "Continuing."
    assert not any("not answer" in word for word in words)
    assert ended.state is RunState.DONE
    assert cluster.lists == planned()
    assert cluster.dynamic == EARLIER
    assert journal.steps(unsettled=True) == ()


def test_a_broker_that_comes_later_is_throttled_before_anything_is_sent_to_it(journal):
    """It was dead when the throttles were set; its own earlier value comes back at the end."""
    earlier = EARLIER | {("follower_rate", "4"): "55"}
    cluster, seen = cluster_of(dynamic=dict(earlier), dead={4}), []

    def each(name):
        if cluster.clock > 20:
            cluster.dead = set()
        if name == "reassigned" and any(4 in goal for goal in cluster.goal.values()):
            seen.append((cluster.dynamic.get(("follower_rate", "4")), cluster.dynamic.get(("leader_rate", "4"))))

    cluster.before_call = each
    ended = carried(cluster, journal, approve(journal, throttle=1_000))

    assert ended.state is RunState.DONE
    assert set(seen) == {("1000", "1000")}
    assert cluster.dynamic == earlier


def test_a_throttle_that_somebody_else_takes_away_is_told_of(journal):
    """As Kafka's own --cancel does: the run says where, does not fight, and leaves what is not its own any more."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=1.0)
    run = approve(journal, throttle=1_000)
    said = []

    def each(name):
        said.append(journal.run(run.id).sentence)
        if 20 < cluster.clock < 30:
            cluster.dynamic = {key: told for key, told in cluster.dynamic.items() if key[0] == "leader_replicas"}

    cluster.before_call = each
    ended = carried(cluster, journal, run)
    told = [sentence for sentence in said if "Somebody else changed the throttle" in sentence]

    assert "the throttle of brokers 1, 2, 3 and 4 and of topic orders: it is no longer the 1,000 bytes" in told[0]
    assert "Somebody else" not in said[0]
    assert cluster.calls.count("set_throttles") == 2
    assert ended.state is RunState.DONE
    assert ended.sentence.endswith(
        " Throttles of broker 1 and of topic orders were changed by somebody else, and are left as they are."
    )
    assert cluster.dynamic == {}


def test_throttles_that_somebody_else_sets_meanwhile_are_not_overwritten_at_the_end(journal):
    """A new rate on broker 1, by another hand: it stays and is named; all the others come back."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=1.0)

    def each(name):
        if 20 < cluster.clock < 30:
            cluster.dynamic["leader_rate", "1"] = "777"

    cluster.before_call = each
    run = approve(journal, throttle=1_000)
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert "Throttles of broker 1 were changed by somebody else" in ended.sentence
    assert cluster.dynamic == EARLIER | {("leader_rate", "1"): "777"}
    assert reconcile(cluster.target(), journal, pace=cluster.pace()) == ()


def test_a_run_that_goes_on_leaves_what_others_set_while_it_was_interrupted(journal):
    """Killed in the middle, another hand sets broker 1's rate: the run throttles it again, and gives that rate back."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = dies
    run = approve(journal, throttle=1_000)
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.dynamic["leader_rate", "1"] = "777"
    rates = []
    cluster.before_call = lambda name: rates.append(cluster.dynamic["leader_rate", "1"])
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert "1000" in rates
    assert cluster.dynamic == EARLIER | {("leader_rate", "1"): "777"}


def test_throttles_that_were_set_just_now_are_not_doubted(journal):
    """Brokers show them a moment later: that is no reason to say that somebody took them away."""
    cluster, calls = cluster_of(rate=1.0, dead={4}), []

    def each(name):
        cluster.dead = {4} if cluster.clock < 15 else set()
        calls.append((name, cluster.clock))

    cluster.before_call = each
    carried(cluster, journal, approve(journal, throttle=1_000))
    times = [at for name, at in calls if name == "set_throttles"]
    looks = [at for name, at in calls if name == "throttles" and at < times[-1] and at not in times]

    assert len(times) == 3
    assert looks
    assert all(not 0 < look - at < 10 for look in looks for at in times)


def test_a_run_goes_on_with_another_throttle(journal):
    """The new rate is set in place of the old one, and what was there before the run comes back."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = dies
    run = approve(journal, throttle=1_000)
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    first = cluster.dynamic["leader_rate", "1"]
    journal.change_options(run.id, RunOptions(2, 5_000))
    rates = []
    cluster.before_call = lambda name: rates.append(cluster.dynamic.get(("leader_rate", "1")))
    ended = carried(cluster, journal, run)

    assert first == "1000"
    assert "5000" in rates
    assert ended.state is RunState.DONE
    assert cluster.dynamic == EARLIER


def test_a_journal_that_cannot_be_written_any_more_stops_everything(tmp_path, monkeypatch):
    """A full disk in the middle: nothing is sent after it, and the run goes on once there is room again."""
    databases = []
    monkeypatch.setattr(file, "open_database", lambda path: databases.append(open_database(path)) or databases[-1])
    journal, (database,) = Journal(tmp_path / "journal.sqlite"), databases
    cluster = cluster_of(dynamic=dict(EARLIER))

    def full(name):
        if name == "reassigned":
            database.execute("PRAGMA query_only = 1")

    cluster.before_call = full
    run = approve(journal, throttle=1_000)
    with pytest.raises(WriteRefused, match="cannot be written"):
        carried(cluster, journal, run)
    sent = cluster.calls.count("reassign")
    database.execute("PRAGMA query_only = 0")
    cluster.before_call = lambda name: None
    ended = carried(cluster, journal, run)
    journal.close()

    assert sent == 1
    assert ended.state is RunState.DONE
    assert cluster.lists == planned()
    assert cluster.dynamic == EARLIER


def test_a_topic_whose_every_replica_was_throttled_stays_so(journal):
    """``*`` is neither replaced nor lost."""
    earlier = {("leader_replicas", "orders"): "*", ("follower_replicas", "orders"): "*"}
    cluster, seen = cluster_of(dynamic=dict(earlier)), []
    cluster.before_call = lambda name: seen.append(cluster.dynamic["leader_replicas", "orders"])
    ended = carried(cluster, journal, approve(journal, throttle=1_000))

    assert ended.state is RunState.DONE
    assert set(seen) == {"*"}
    assert cluster.dynamic == earlier


def test_replicas_and_orders_change_without_throttles_for_what_is_not_copied(journal):
    """More replicas, fewer, and another order: only the first has something to throttle."""
    plan = {("up", 0): ([1, 2], [1, 2, 3]), ("down", 0): ([1, 2, 3], [3, 1]), ("order", 0): ([1, 2], [2, 1])}
    cluster, seen = cluster_of(plan), []
    cluster.before_call = lambda name: seen.append(dict(cluster.dynamic)) if name == "reassign" else None
    ended = carried(cluster, journal, approve(journal, plan, throttle=1_000))

    assert ended.state is RunState.DONE
    assert cluster.lists == planned(plan)
    assert {name for kind, name in seen[0] if kind.endswith("replicas")} == {"up"}
    assert seen[0]["follower_replicas", "up"] == "0:3"
    assert seen[0]["leader_replicas", "up"] == "0:1,0:2"
    assert cluster.dynamic == {}


def test_before_a_batch_not_all_that_waits_is_asked_for(journal, monkeypatch):
    """Its own partitions are, and others in turns: so the cost of a large plan is not quadratic, and all is seen."""
    monkeypatch.setattr("reseat.operate.run.sending.ASKED_AHEAD", 3)
    plan = {("orders", i): ([1, 2], [1, 3]) for i in range(40)}
    cluster, asked = cluster_of(plan), []
    target = cluster.target()
    answer = target.assignments
    monkeypatch.setattr(target, "assignments", lambda keys: asked.append(len(keys)) or answer(keys))
    run = approve(journal, plan)
    cluster.before_call = lambda name: (
        cluster.lists.update({("orders", 39): [2, 1]}) if name == "reassigned" and cluster.clock < 1 else None
    )
    ended = carry_out(target, journal, run.id, stop=threading.Event(), pace=cluster.pace())

    assert ended.state is RunState.FAILED
    assert "orders-39 was changed by somebody else during this run" in ended.sentence
    assert cluster.lists["orders", 39] == [2, 1]
    assert sorted(asked)[-2] <= 6  # all of them once, for who leads; and one more, that is in doubt


def test_what_was_put_back_is_not_put_back_again(journal):
    """Only what was left is, once its broker is back: meanwhile somebody set the rest to what they want."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "throttles set":
            cluster.dead = {2}

    cluster.before_call = dies
    carried(cluster, journal, approve(journal, throttle=1_000))
    wanted = {("leader_rate", "1"): "99", ("leader_replicas", "orders"): "*"}
    cluster.dynamic |= wanted
    cluster.dead, cluster.before_call = set(), lambda name: None
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert said == ("Run 1, done: Its throttles are restored.",)
    assert cluster.dynamic == EARLIER | wanted
    assert reconcile(cluster.target(), journal, pace=cluster.pace()) == ()


def test_what_an_earlier_run_left_waits_for_a_run_that_is_open(journal):
    """A broker back with the throttle of a run that is over keeps the one of the run that copies to it now."""
    cluster = cluster_of(dynamic=dict(EARLIER))

    def dies(name):
        if name == "throttles set":
            cluster.dead = {2}

    cluster.before_call = dies
    carried(cluster, journal, approve(journal, throttle=1_000))
    cluster.dead, cluster.rate = set(), 0

    def killed(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = killed
    back = {key: (target, before) for key, (before, target) in PLAN.items()}
    second = approve(journal, back, throttle=500)
    with pytest.raises(SystemExit):
        carried(cluster, journal, second)
    cluster.before_call = lambda name: None
    said = reconcile(cluster.target(), journal, pace=cluster.pace())
    during = cluster.dynamic["leader_rate", "2"]
    cluster.rate = 100
    ended = carried(cluster, journal, second)
    reconcile(cluster.target(), journal, pace=cluster.pace())

    assert len(said) == 1
    assert during == "500"
    assert ended.state is RunState.DONE
    assert cluster.dynamic == EARLIER


def test_what_two_runs_left_is_put_back_by_the_later_one_first(journal):
    """It found what the earlier one had set: the other way round that would come back at the end."""
    cluster = cluster_of(dynamic=dict(EARLIER))
    back = {key: (target, before) for key, (before, target) in PLAN.items()}

    for plan, rate in ((PLAN, 1_000), (back, 500)):
        cluster.dead, sets = set(), []

        def dies(name, sets=sets):
            sets += [name] if name == "set_throttles" else []
            cluster.dead = {2} if len(sets) > 1 else set()

        cluster.before_call = dies
        assert carried(cluster, journal, approve(journal, plan, throttle=rate)).state is RunState.DONE
    left = cluster.dynamic["leader_rate", "2"]
    cluster.dead, cluster.before_call = set(), lambda name: None
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert left == "500"
    assert said == tuple(f"Run {run}, done: Its throttles are restored." for run in (2, 1))
    assert cluster.dynamic == EARLIER


def test_what_a_run_asks_of_its_cluster_and_when(journal):
    """One partition that takes a second: every question in its order, ever less often while nothing changes."""
    plan = {("orders", 0): ([1, 2], [1, 3])}
    cluster, asked = cluster_of(plan, rate=50), {}
    cluster.before_call = lambda name: asked.setdefault(round(cluster.clock, 3), []).append(name)
    ended = carried(cluster, journal, approve(journal, plan))
    look, sent = ["reassigning", "assignments", "alive"], ["reassign", "reassigned", "copied"]
    before = ["reassigning", "alive", "cordoned", "assignments", "assignments", "reassigning"]

    assert ended.state is RunState.DONE
    assert asked == {
        0: before + sent,
        **dict.fromkeys((0.25, 0.5, 0.775, 1.078), look),
        1.41: [*look, "reassigning", "assignments"],
        1.66: ["reassigning", "assignments"],
    }


def test_what_stays_in_doubt_is_left_to_whoever_goes_on(journal):
    """Recovery looks for twice as long as one doubt may last, and no longer."""
    plan = {("orders", 0): ([1, 2], [1, 3])}
    cluster, others = cluster_of(plan), [[1, 4], [1, 5]]

    def killed(name):
        if name == "reassigned":
            raise SystemExit("killed")

    run = approve(journal, plan)
    cluster.before_call = killed
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.goal.clear()
    cluster.origin.clear()
    began = cluster.clock

    def another(name):
        if name == "assignments":
            cluster.lists["orders", 0] = others[0]
            others.reverse()

    cluster.before_call = another
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert cluster.clock - began == 30.25
    assert said == (
        f"The executor of run {run.id} has ended; 0 of 1 partition as planned, 1 in progress. Continue it, or cancel "
        "it.",
    )


def test_the_next_batch_goes_while_one_is_under_way(journal):
    """As many moves as a broker may have at a time, whatever is under way elsewhere."""
    cluster, during = cluster_of(rate=10), []
    run = approve(journal, most=1)

    def more(name):
        if name == "reassign":
            during.append(len(cluster.goal))
        if name == "reassigned":
            journal.change_options(run.id, RunOptions(4, None))

    cluster.before_call = more

    assert carried(cluster, journal, run).state is RunState.DONE
    assert during[:2] == [0, 1]


def test_one_that_is_found_as_planned_is_not_sent(journal):
    """Somebody did it before its turn: it is done once that has lasted, and Kafka is not asked for it."""
    cluster = cluster_of()
    cluster.lists["orders", 4] = list(PLAN["orders", 4][1])
    run = approve(journal)
    ended = carried(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert sorted(row for step in journal.steps(run_id=run.id, kind="batch") for row in step.content["rows"]) == [
        row for row in range(10) if row != 4
    ]


def test_nothing_is_sent_while_a_partition_is_told_to_be_under_way_and_is_not_listed_yet(journal, monkeypatch):
    """Somebody begins to move one that waits; the list tells it five seconds late, and then he takes it back."""
    cluster, sent = cluster_of(), []
    target = cluster.target()
    listed = target.reassigning
    monkeypatch.setattr(target, "reassigning", lambda: listed() if cluster.clock > 5 else {})
    cluster.start(("orders", 9), [1, 9])
    cluster.rate = 0

    def back(name):
        if name == "reassign":
            sent.append(cluster.clock)
        if cluster.clock > 10 and not cluster.rate:
            cluster.rate = 100
            cluster.take_back(("orders", 9))

    cluster.before_call = back
    ended = carry_out(target, journal, approve(journal).id, stop=threading.Event(), pace=cluster.pace())

    assert ended.state is RunState.DONE
    assert sent[0] > 10


def test_those_that_wait_are_asked_for_in_turns(journal, monkeypatch):
    """Three before each batch, beside its own two: from the first to the last, and from the first again."""
    monkeypatch.setattr("reseat.operate.run.sending.ASKED_AHEAD", 3)
    plan = {("orders", i): ([1, 2], [1, 3]) for i in range(12)}
    cluster, asked = cluster_of(plan), []
    target = cluster.target()
    answer = target.assignments
    monkeypatch.setattr(
        target, "assignments", lambda keys: asked.append([number for _, number in keys]) or answer(keys)
    )
    batches = []
    cluster.before_call = lambda name: batches.append(asked[-1]) if name == "reassign" else None
    ended = carry_out(target, journal, approve(journal, plan).id, stop=threading.Event(), pace=cluster.pace())

    assert ended.state is RunState.DONE
    assert batches == [[0, 1, 2], [2, 3, 4, 5], [4, 5, 6, 7, 8], [6, 7, 9, 10, 11], [8, 9, 10], [10, 11]]
