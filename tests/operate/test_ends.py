"""How a run ends, and how it does not: troubles that pass, stops without an answer, signals, locks lost and found."""

from __future__ import annotations

import sqlite3
import threading
from dataclasses import replace

import pytest

from reseat.errors import ClusterUnreachable, WriteRefused
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunState
from reseat.operate.run.execute import carry_out, reconcile
from tests.operate.test_execute import EARLIER, PLAN, approve, carried, cluster_of, planned, states


def barred(cluster, when, trouble="authentication"):
    """Every call meets this trouble while a condition holds."""

    def each(name):
        if when(name):
            cluster.clock += 0.1
            raise ClusterUnreachable("The broker does not let this user in.", trouble)

    cluster.before_call = each


def told_words(cluster, journal, run, **choices):
    """The run as it ended, and all that it said."""
    words = []
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append, **choices
    )
    return ended, words


@pytest.mark.parametrize("trouble", ["authentication", "authorization", "tls"])
def test_trouble_with_the_right_to_write_that_passes_ends_no_run(journal, trouble):
    """A directory that is restarted refuses everybody for a while: what is under way is not left alone for that."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=1)
    run = approve(journal, throttle=1_000)
    barred(cluster, lambda name: bool(cluster.goal) and 20 < cluster.clock < 120, trouble)
    ended, words = told_words(cluster, journal, run)

    assert ended.state is RunState.DONE
    assert any("does not let this user in" in word for word in words)
    assert cluster.lists == planned()
    assert cluster.dynamic == EARLIER


def test_a_right_that_is_withdrawn_for_a_while_is_waited_for(journal):
    """Looking is allowed and writing is not: the batch waits, is tried now and then, and goes on."""
    cluster = cluster_of(dynamic=dict(EARLIER))
    tries = []

    def no_writing(name):
        if name == "reassign" and cluster.clock < 120:
            tries.append(cluster.clock)
            raise ClusterUnreachable("The cluster does not let this user do that.", "authorization")

    cluster.before_call = no_writing
    ended, words = told_words(cluster, journal, approve(journal, throttle=1_000))

    assert ended.state is RunState.DONE
    assert any("does not let this user do that" in word for word in words)
    assert 2 <= len(tries) <= 12
    assert cluster.dynamic == EARLIER


@pytest.mark.parametrize("call", ["reassign", "any"])
def test_trouble_that_stays_leaves_the_run_open_for_whoever_mends_it(journal, call):
    """The runner gives up, the run does not: what is under way is found again, cancelled or gone on with."""
    for how in ("go on", "cancel"):
        cluster = cluster_of(dynamic=dict(EARLIER), rate=0.0)
        run = approve(journal, throttle=1_000)
        sent = []

        def when(name, cluster=cluster, sent=sent):
            if name == "reassigned":
                sent.append(name)
                cluster.rate = 0.0 if call == "any" else 100.0
            return bool(sent) and (call == "any" or name == "reassign")

        barred(cluster, when)
        with pytest.raises(ClusterUnreachable):
            carried(cluster, journal, run)
        left, patience = journal.run(run.id), cluster.clock
        cluster.before_call, cluster.rate = lambda name: None, 100.0 if how == "go on" else 0.0
        if how == "cancel":
            journal.request_stop(run.id, cancel=True)
        ended = carried(cluster, journal, run)

        assert left.state is RunState.RUNNING
        assert "Continue it, or cancel it" in left.sentence
        assert 300 < patience < 1_500
        assert ended.state is (RunState.DONE if how == "go on" else RunState.CANCELLED)
        assert not cluster.goal
        assert cluster.dynamic == EARLIER


@pytest.mark.parametrize("ending", [RunState.FAILED, RunState.CANCELLED, RunState.DONE])
def test_no_run_is_over_while_something_of_it_is_under_way(journal, ending):
    """The journal itself refuses it, whoever asks."""
    run = approve(journal)
    move = journal.moves(run.id)[3]
    with journal.lease("FAKE", operator="ann", run_id=run.id) as lease:
        journal.note_moves(lease, run.id, {3: replace(move, state="sent")})
        with pytest.raises(WriteRefused, match="1 partition of run 1 is in progress"):
            journal.set_state(lease, run.id, ending, "Over.")
        journal.note_moves(lease, run.id, {3: replace(move, state="cancelled")})
        journal.set_state(lease, run.id, ending, "Over.")

    assert journal.run(run.id).state is ending


def test_what_an_earlier_reseat_gave_up_is_found_again(journal, tmp_path):
    """A journal of version 2 may hold a run that failed with partitions under way: it is open again, and cancelled."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=0)
    run = approve(journal, throttle=1_000)

    def killed(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = killed
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.before_call = lambda name: None
    journal.close()
    raw = sqlite3.connect(journal.path)
    raw.execute("UPDATE runs SET state = 'failed', ended_at = approved_at")
    raw.execute("ALTER TABLE runs DROP COLUMN paused_by")
    raw.execute("ALTER TABLE runs DROP COLUMN schedule")
    raw.execute("DROP TABLE proposals")
    raw.execute("PRAGMA user_version = 2")
    raw.commit()
    raw.close()
    again = Journal(journal.path)
    found = again.open_run("FAKE")
    again.request_stop(run.id, cancel=True)
    ended = carried(cluster, again, run)
    again.close()

    assert found is not None
    assert (found.id, found.state, found.ended_at) == (run.id, RunState.STOPPING, None)
    assert ended.state is RunState.CANCELLED
    assert "2 were reverted" in ended.sentence
    assert cluster.lists == {key: list(before) for key, (before, _) in PLAN.items()}
    assert cluster.dynamic == EARLIER


@pytest.mark.parametrize("cancel", [False, True])
@pytest.mark.parametrize("when", ["before anything was sent", "after a batch was done"])
def test_a_stop_ends_a_run_that_waits_for_its_cluster(journal, cancel, when):
    """Nothing is under way, so there is nothing to wait for; throttles are put back once the cluster answers."""
    cluster = cluster_of(PLAN | {("theirs", 0): ([1, 2], None)}, dynamic=dict(EARLIER), dead={9})
    run = approve(journal, throttle=1_000)
    asked, least = [], 0 if when.startswith("before") else 2

    def goes(name):
        if name == "reassigned":
            cluster.start(("theirs", 0), [1, 9])  # somebody else, who keeps the run from sending more
        told = journal.progress(run.id, moves=False)
        if told.done >= least and not told.sent and "set_throttles" in cluster.calls:
            cluster.down = 1e9
            if cluster.clock > 60 and not asked:
                asked.append(cluster.clock)
                journal.request_stop(run.id, cancel=cancel)

    cluster.before_call = goes
    ended = carried(cluster, journal, run)
    waited = cluster.clock - asked[0]
    cluster.before_call, cluster.down = lambda name: None, 0
    throttled = dict(cluster.dynamic)
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert ended.state is RunState.CANCELLED
    assert "Throttles are still set" in ended.sentence
    assert waited < 30
    assert throttled != EARLIER
    assert said == (f"Run {run.id}, cancelled: Its throttles are restored.",)
    assert cluster.dynamic == EARLIER
    assert journal.steps(unsettled=True) == ()


def test_a_stop_waits_for_what_is_under_way_though_the_cluster_does_not_answer(journal):
    """What was sent is not forgotten: the run is over once it was seen to have ended."""
    cluster = cluster_of(dynamic=dict(EARLIER), rate=1)
    run = approve(journal, throttle=1_000)

    def goes(name):
        if name == "reassigned":
            cluster.down = 500.0
            journal.request_stop(run.id, cancel=False)

    cluster.before_call = goes
    ended = carried(cluster, journal, run)

    assert cluster.clock > 500
    assert ended.state is RunState.CANCELLED
    assert "2 partitions are as planned" in ended.sentence
    assert cluster.dynamic == EARLIER


@pytest.mark.parametrize("at", ["reassigning", "reassigned", "alive", "set_throttles", "throttles set"])
def test_a_runner_that_is_told_to_end_ends_at_once_and_the_run_goes_on_later(journal, at):
    """A termination is nobody's word on the plan: nothing further is sent, nothing is cancelled, all of it follows."""
    cluster, interrupt = cluster_of(dynamic=dict(EARLIER), rate=1), threading.Event()
    run = approve(journal, throttle=1_000)
    calls = []

    def told(name):
        calls.append(name)
        if name == at and calls.count(at) == (2 if at in ("reassigning", "alive") else 1):
            interrupt.set()
            calls.append("told to end")

    cluster.before_call = told
    left = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), interrupt=interrupt, pace=cluster.pace()
    )
    after = calls[calls.index("told to end") + 1 :]
    seconds, holder = cluster.clock, journal.holder("FAKE")
    cluster.before_call, cluster.rate = lambda name: None, 100
    ended = carried(cluster, journal, run)

    assert left.state is RunState.RUNNING
    assert "was told to end" in left.sentence
    assert "continue it, or cancel it" in left.sentence.lower()
    assert holder is None
    assert "reassign" not in after
    assert len(after) <= 4
    assert seconds < 10
    assert journal.stop_requested(run.id) == ""
    assert ended.state is RunState.DONE
    assert cluster.lists == planned()
    assert cluster.dynamic == EARLIER


def test_a_runner_is_told_to_end_while_it_waits_for_its_cluster(journal):
    """Waiting is left at once, too, and nothing is cancelled by it."""
    cluster, interrupt = cluster_of(), threading.Event()
    run = approve(journal)
    cluster.down = 1e9

    def each(name):
        if cluster.clock > 30:
            interrupt.set()

    cluster.before_call = each
    left = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), interrupt=interrupt, pace=cluster.pace()
    )

    assert left.state is RunState.RUNNING
    assert cluster.clock < 60
    assert states(journal, run) == {"waiting": 10}


def test_a_run_that_ended_meanwhile_is_not_revived(journal):
    """Somebody else ended it between the look at its state and the lock: it is over, and nothing is sent."""
    for ending in (RunState.CANCELLED, RunState.DONE):
        cluster = cluster_of()
        run = approve(journal)
        target = cluster.target()

        def ends(run=run, ending=ending):
            if journal.run(run.id).state.open:
                with journal.lease("FAKE", operator="ben", run_id=run.id) as lease:
                    journal.set_state(lease, run.id, ending, "Over.")
            return "FAKE"

        target.cluster_id = ends
        with pytest.raises(WriteRefused, match="is over"):
            carry_out(target, journal, run.id, stop=threading.Event(), pace=cluster.pace())

        assert journal.run(run.id).state is ending
        assert journal.run(run.id).sentence == "Over."
        assert "reassign" not in cluster.calls


def test_recovery_does_not_revive_a_run_that_ended_meanwhile(journal, monkeypatch):
    """As carrying out: what it read before it had the lock does not count."""
    cluster = cluster_of()
    run = approve(journal)

    def killed(name):
        if name == "reassigned":
            raise SystemExit("killed")

    cluster.before_call = killed
    with pytest.raises(SystemExit):
        carried(cluster, journal, run)
    cluster.before_call = lambda name: None
    cluster.wait(100)
    lease = journal.lease

    def late(cluster_id, **named):
        monkeypatch.setattr(journal, "lease", lease)
        carried(cluster, journal, run)
        return lease(cluster_id, **named)

    monkeypatch.setattr(journal, "lease", late)
    said = reconcile(cluster.target(), journal, pace=cluster.pace())

    assert said == ()
    assert journal.run(run.id).state is RunState.DONE


def test_the_journal_opens_no_run_that_is_over(journal):
    """The last line of defence: no state that is open follows one that is not."""
    run = approve(journal)
    with journal.lease("FAKE", operator="ann", run_id=run.id) as lease:
        journal.set_state(lease, run.id, RunState.CANCELLED, "Over.")
        with pytest.raises(WriteRefused, match=f"Run {run.id} is over"):
            journal.set_state(lease, run.id, RunState.RUNNING, "Again.")
        journal.set_state(lease, run.id, RunState.CANCELLED, "Over. Its throttles are restored.")

    assert journal.run(run.id).sentence == "Over. Its throttles are restored."


def test_one_that_slept_through_the_loss_of_its_lock_sends_what_it_announced_and_no_more(journal):
    """Between the intention and the request nothing can be checked: the same lists arrive once more, that is all."""
    cluster = cluster_of()
    run = approve(journal)
    other, slept = Journal(journal.path), []
    database = sqlite3.connect(journal.path, isolation_level=None)

    def sleeps(name):
        if name == "reassign" and not slept:
            slept.append(name)
            database.execute("DELETE FROM owners")
            slept.append(carried(cluster, other, run))

    cluster.before_call = sleeps
    with pytest.raises(WriteRefused, match="has taken over this cluster's lock"):
        carried(cluster, journal, run)
    cluster.wait(10)
    ended = other.run(run.id)
    other.close()
    database.close()

    assert slept[1].state is RunState.DONE
    assert ended.state is RunState.DONE
    assert cluster.lists == planned()
    assert not cluster.goal
