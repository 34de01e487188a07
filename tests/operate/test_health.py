"""Between batches: a cluster that has become worse is waited for, and a person may pause, go on and change the pace."""

from __future__ import annotations

import dataclasses
import threading
from datetime import UTC, datetime

import numpy as np
import pytest

from reseat.errors import ClusterUnreachable
from reseat.model import Broker, BrokerState, ClusterLayout, LogDirectory, Snapshot
from reseat.operate.journal.records import RunOptions, RunState
from reseat.operate.run import wishes
from reseat.operate.run.execute import carry_out
from tests.operate.test_execute import EARLIER, PLAN, approve, cluster_of, planned

#: A topic of somebody else, beside the plan's.
THEIRS = {("theirs", 0): ([5, 6, 7], None), ("theirs", 1): ([6, 7, 5], None)}


class Watched:
    """A cluster in memory that can be read whole, and a run on it with all that it said."""

    def __init__(self, journal, plan=PLAN, *, most=2, throttle=None, **choices):
        self.cluster = cluster_of(plan | THEIRS, **choices)
        self.journal = journal
        self.run = approve(journal, plan, most=most, throttle=throttle)
        self.out_of_sync: set[int] = set()
        self.room: dict[int, int] = {}
        self.settings_told = True
        self.readings = 0
        self.words: list[str] = []
        self.batches: list[float] = []
        self.each = lambda name: None
        self.cluster.before_call = self._called

    def _called(self, name):
        if name == "reassign":
            self.batches.append(self.cluster.clock)
        self.each(name)

    def read(self):
        """A reading of the whole cluster; two in-sync replicas are wanted."""
        self.readings += 1
        lists = {key: list(ids) for key, ids in self.cluster.lists.items()}
        away = self.cluster.dead | self.out_of_sync
        layout = ClusterLayout.from_assignments(
            lists,
            brokers=[
                Broker(i, state=BrokerState.DEAD if i in self.cluster.dead else BrokerState.ALIVE) for i in range(1, 10)
            ],
            leaders={key: ids[0] for key, ids in lists.items()},
            in_sync={key: [broker for broker in ids if broker not in away] for key, ids in lists.items()},
        )
        if self.settings_told:
            layout = dataclasses.replace(layout, min_in_sync=np.full(len(layout.topics), 2, np.int32))
        directories = tuple(
            LogDirectory(broker, "/data", total_bytes=10**9, usable_bytes=left) for broker, left in self.room.items()
        )
        return Snapshot(layout, datetime.now(UTC), "admin", cluster_id="FAKE", log_dirs=directories)

    def carried(self, **choices):
        """The run as it ended."""
        return carry_out(
            self.cluster.target(),
            self.journal,
            self.run.id,
            stop=threading.Event(),
            read=choices.pop("read", self.read),
            pace=self.cluster.pace(),
            report=self.words.append,
            **choices,
        )

    def said(self, words):
        """Whether it said so."""
        return any(words in word for word in self.words)

    def between(self, start, end):
        """Batches sent between two moments."""
        return [at for at in self.batches if start <= at < end]


@pytest.fixture
def watched(journal):
    """A run of ten partitions in batches of four, ten seconds each."""
    return Watched(journal, rate=5)


def test_a_lost_broker_pauses_a_run_until_it_is_back(watched):
    """Of others too: nothing further is sent, what is under way finishes, and it goes on by itself."""
    states = []

    def each(name):
        watched.cluster.dead = {6} if 2 < watched.cluster.clock < 100 else set()
        if 90 < watched.cluster.clock < 100:
            states.append((watched.journal.run(1).state, len(watched.cluster.goal)))

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said("broker 6 is no longer alive")
    assert watched.between(0, 2)
    assert watched.between(2.5, 100) == []
    assert set(states) == {(RunState.PAUSED, 0)}
    assert watched.cluster.lists | planned() == watched.cluster.lists


def test_partitions_that_fall_below_min_isr_pause_a_run(watched):
    """Theirs as ours, named; a follower that fell behind is enough, and every broker is alive."""

    def each(name):
        watched.out_of_sync = {6, 7} if 2 < watched.cluster.clock < 100 else set()

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said(
        "2 partitions have fallen below min.insync.replicas since the run began (theirs-0 and theirs-1)"
    )
    assert watched.between(15, 100) == []
    assert watched.readings < 40


def test_settings_that_a_later_reading_does_not_tell_are_as_they_were(watched):
    """A cluster in trouble may not say what min.insync.replicas is: the run took its partitions for healed."""

    def each(name):
        watched.out_of_sync = {6, 7} if 2 < watched.cluster.clock < 100 else set()
        watched.settings_told = not 20 < watched.cluster.clock < 90

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said("fallen below min.insync.replicas since the run began (theirs-0 and theirs-1)")
    assert watched.between(15, 100) == []


def test_what_was_bad_before_holds_nothing_up(watched):
    """A plan may be there to heal it: only what became worse counts."""
    watched.cluster.dead = {6, 7}
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert not watched.said("Paused")


def test_whoever_goes_on_compares_with_how_it_began(watched):
    """The broker was lost while nobody was at work: that is worse than at the beginning all the same."""

    def dies(name):
        if name == "reassigned":
            raise SystemExit("killed")

    watched.each = dies
    with pytest.raises(SystemExit):
        watched.carried()

    def each(name):
        watched.cluster.dead = {6} if watched.cluster.clock < 100 else set()

    watched.each, watched.batches = each, []
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said("broker 6 is no longer alive")
    assert watched.between(0, 100) == []


def test_a_broker_without_replicas_and_one_that_the_plan_empties_hold_nothing_up(journal):
    """Nothing becomes worse by the first; to go on is what heals the second."""
    for broker in (2, 9):  # the plan takes all from 2, and 9 holds nothing
        watched = Watched(journal, rate=5)

        def each(name, cluster=watched.cluster, broker=broker):
            cluster.dead = {broker} if cluster.clock > 2 else set()

        watched.each = each
        ended = watched.carried()

        assert ended.state is RunState.DONE
        assert not watched.said("Paused")


def test_a_partition_without_a_live_copy_waits_alone(journal, monkeypatch):
    """It is named and not sent; the others are, and it follows once its copy is back."""
    watched = Watched(journal)
    told = watched.cluster.assignment

    def assignment(key):
        alone = key == ("orders", 7) and watched.cluster.clock < 60
        return dataclasses.replace(told(key), in_sync=(8,)) if alone else told(key)

    monkeypatch.setattr(watched.cluster, "assignment", assignment)

    def each(name):
        watched.cluster.dead = {8} if watched.cluster.clock < 60 else set()

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said("1 partition is not sent while no in-sync replica of it is on a live broker: orders-7.")
    assert len(watched.between(0, 60)) >= 4
    assert watched.batches[-1] >= 60


def test_a_disk_without_room_pauses_a_run(watched):
    """Where log directories tell what is left: with the broker, what is left and what comes."""
    watched.room = {3: 10**6, 4: 10**6}

    def each(name):
        watched.room[3] = 40 if 2 < watched.cluster.clock < 100 else 10**6

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert watched.said("broker 3 has 40 bytes left and would get")
    assert watched.between(15, 100) == []


def test_a_cluster_that_cannot_be_read_pauses_a_run(watched):
    """Whether it became worse is not known then; the run says so, and goes on once it can be read."""

    def read():
        if 2 < watched.cluster.clock < 100:
            raise ClusterUnreachable("Nothing answers at fake:9092.", "route")
        return watched.read()

    ended = watched.carried(read=read)

    assert ended.state is RunState.DONE
    assert watched.said("the cluster could not be read (Nothing answers at fake:9092)")
    assert watched.between(15, 100) == []


def test_what_was_bad_before_is_told_by_the_first_reading_that_comes(watched):
    """None came when the run began: what the next one told was taken for fallen since, and held the run up for ever."""
    watched.out_of_sync = {6, 7}

    def read():
        if watched.cluster.clock < 20:
            raise ClusterUnreachable("No broker answers.", "timeout")
        return watched.read()

    ended = watched.carried(read=read)

    assert ended.state is RunState.DONE
    assert watched.said("the cluster could not be read")
    assert not watched.said("fallen below")


def test_what_is_under_way_is_no_reason_to_pause(watched):
    """Nothing is left to be sent: the cluster is not read for it any more, and the run is called running."""
    readings, states = [], []

    def each(name):
        if not any(move.state == "waiting" for move in watched.journal.moves(1)):
            watched.cluster.dead, watched.cluster.rate = {6}, 1
            readings.append(watched.readings)
            states.append(watched.journal.run(1).state)

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert len(readings) > 10
    assert len(set(readings)) == 1
    assert set(states[5:]) == {RunState.RUNNING}


def test_a_large_cluster_is_not_read_all_the_time(watched):
    """A reading that takes long is taken the less often."""

    def read():
        watched.cluster.clock += 20
        return watched.read()

    watched.cluster.rate = 0.2
    ended = watched.carried(read=read)

    assert ended.state is RunState.DONE
    assert watched.readings * 20 < watched.cluster.clock / 5


def test_a_person_pauses_a_living_run_and_goes_on(watched):
    """From another process, through the journal; who it was is said, and what is under way finishes."""
    asked, states = [], []

    def each(name):
        if watched.batches and not asked:
            asked.append(wishes.pause(watched.journal, 1, operator="ben"))
        if 50 < watched.cluster.clock < 100:
            states.append((watched.journal.run(1).state, len(watched.cluster.goal)))
        if watched.cluster.clock > 100 and len(asked) == 1:
            asked.append(wishes.resume(watched.journal, 1, operator="cyd"))

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert set(states) == {(RunState.PAUSED, 0)}
    assert watched.said("Paused by ben: nothing further is sent until somebody resumes it")
    assert len(watched.between(0, 100)) == 1
    assert [step.operator for step in watched.journal.steps(kind="wish")] == ["cyd", "ben"]


def test_a_paused_run_is_paused_still_for_whoever_goes_on_with_it(watched):
    """The pause is a person's, and no restart's to end; a cancel ends it."""

    def each(name):
        if watched.cluster.clock > 100:
            watched.journal.request_stop(1, cancel=True)

    wishes.pause(watched.journal, 1, operator="ben")
    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.CANCELLED
    assert watched.batches == []


def test_the_throttle_of_a_living_run_changes(journal):
    """Raised, taken away and set again: each is in force before the next batch, and at the end all is as before."""
    watched = Watched(journal, throttle=1_000, dynamic=dict(EARLIER))
    rates, wanted = [], {1: 5_000, 2: None, 3: 700}

    def each(name):
        if name == "reassigned":
            rate = wanted.get(len(watched.batches), 700)
            wishes.change(watched.journal, 1, RunOptions(2, rate), operator="ben")
        if name == "reassign":
            rates.append(watched.cluster.dynamic.get(("leader_rate", "1")))

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert rates[:4] == ["1000", "5000", "77", "700"]
    assert watched.cluster.calls.count("set_throttles") == 5  # each of them once, and what was before at the end
    assert watched.cluster.dynamic == EARLIER
    assert watched.journal.run(1).options == RunOptions(2, 700)


def test_the_moves_of_a_living_run_change(journal):
    """The next batch is as large as was asked for."""
    watched = Watched(journal, most=1)
    sizes = []

    def each(name):
        if name == "reassigned":
            sizes.append(len(watched.cluster.goal))
            wishes.change(watched.journal, 1, RunOptions(4, None), operator="ben")

    watched.each = each
    ended = watched.carried()

    assert ended.state is RunState.DONE
    assert sizes[0] == 1
    assert max(sizes) == 4
