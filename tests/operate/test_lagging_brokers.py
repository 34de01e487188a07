"""A run on a cluster whose brokers lag behind the controller, each by a time of its own: nobody is accused of it.

Any broker may answer what a partition is; the list of reassignments is the controller's. Whoever is asked what, with
kills and stops in between, a run ends as it would have where every broker knows all at once.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.journal import Journal
from reseat.operate.journal.records import RunState
from reseat.operate.run.execute import carry_out, reconcile
from reseat.operate.targets.target import Assignment, Partition
from tests.operate.fake_target import FakeCluster, FakeTarget
from tests.operate.test_execute import PLAN, approve, cluster_of, planned

#: Longer than any lag below, and far longer than any run takes: who waits for so long waits for ever.
FOR_EVER = 3_000.0
BACK = {key: (target, before) for key, (before, target) in PLAN.items()}


@dataclass
class Lagging:
    """What three brokers know of a cluster: its lists as they were some seconds ago.

    Attributes:
        cluster: the cluster, as its controller knows it.
        lags: seconds, one a broker.
        random: which broker answers.
        before: what the brokers knew before the first change; a partition that is missing was not known.
    """

    cluster: FakeCluster
    lags: Sequence[float]
    random: Random
    before: dict[Partition, list[int]]
    known: list[tuple[float, dict[Partition, list[int]]]] = field(init=False)

    def __post_init__(self) -> None:
        self.known = [(-FOR_EVER, self.before), (0.0, deepcopy(self.cluster.lists))]

    def note(self) -> None:
        """The brokers begin to be told of what is so now."""
        if self.known[-1][1] != self.cluster.lists:
            self.known.append((self.cluster.clock, deepcopy(self.cluster.lists)))

    def told(self) -> dict[Partition, list[int]]:
        """The lists as one of the brokers knows them."""
        until = self.cluster.clock - self.random.choice(self.lags)
        return next(lists for clock, lists in reversed(self.known) if clock <= until)


class LaggingTarget(FakeTarget):
    """As the Admin protocol is used: the controller's list, over what some broker describes."""

    brokers: Lagging

    def assignments(self, partitions: Sequence[Partition]) -> dict[Partition, Assignment]:
        """The partitions that the broker asked has been told of."""
        self._call("assignments")
        self.brokers.note()
        told = self.brokers.told()
        return {
            key: self.cluster.assignment(key)
            if key in self.cluster.goal
            else Assignment(tuple(told[key]), leader=told[key][0], in_sync=tuple(told[key]))
            for key in partitions
            if key in told
        }


@dataclass(frozen=True)
class Trouble:
    """What happens at which call, counted from the first one of a run; each request counts as it comes and as it went.

    Attributes:
        kills: the operator is killed.
        silences: no answer comes, whether or not the request arrived.
        stop: nothing further is to be sent; None: never.
        cancel: what is under way is to be taken back, too.
        settles: after a kill somebody asks for the status first, which settles what it can.
    """

    kills: frozenset[int]
    silences: frozenset[int]
    stop: int | None = None
    cancel: bool = False
    settles: bool = False


def finished(brokers: Lagging, journal: Journal, plan, trouble: Trouble):
    """A run of a plan, begun again after each kill, as it ended; and its sentences."""
    cluster, said, calls = brokers.cluster, [], 0
    run = approve(journal, plan)

    def befall(name: str) -> None:
        nonlocal calls
        assert cluster.clock < FOR_EVER, f"it waits for ever: {said[-3:]}"
        brokers.note()
        calls += 1
        if calls == trouble.stop:
            journal.request_stop(run.id, cancel=trouble.cancel)
        if calls in trouble.kills:
            raise SystemExit("killed")
        if calls in trouble.silences:
            raise ClusterUnreachable(f"Nothing answers {name}.", "timeout")

    cluster.before_call = befall
    begun = False
    while journal.run(run.id).state.open:
        target = LaggingTarget(cluster)
        target.brokers = brokers
        with suppress(SystemExit, ClusterUnreachable):
            if begun and trouble.settles:
                said += reconcile(target, journal, pace=cluster.pace())
            if journal.run(run.id).state.open:
                begun, pace = True, cluster.pace()
                carry_out(target, journal, run.id, stop=threading.Event(), pace=pace, report=said.append)
    cluster.before_call = lambda name: None
    return journal.run(run.id), said


def check(brokers: Lagging, journal: Journal, plan, trouble: Trouble) -> bool:
    """A run of a plan: nobody is accused, and each partition is as it is said to be. Gives whether the run is done."""
    cluster = brokers.cluster
    ended, said = finished(brokers, journal, plan, trouble)
    assert not any("by somebody else during this run" in words for words in (*said, ended.sentence))
    assert ended.state in ({RunState.DONE} if trouble.stop is None else {RunState.DONE, RunState.CANCELLED}), said
    for move in journal.moves(ended.id):
        now = tuple(cluster.lists[move.topic, move.partition])
        assert move.state in {"done", "cancelled", "waiting"}
        assert now == move.target if move.state == "done" else sorted(now) == sorted(move.before), move
    assert cluster.goal == {}
    if ended.state is RunState.DONE:
        assert cluster.lists == planned(plan)
    return ended.state is RunState.DONE


TROUBLE = st.builds(
    Trouble,
    kills=st.frozensets(st.integers(1, 120), max_size=4),
    silences=st.frozensets(st.integers(1, 120), max_size=6),
    stop=st.none() | st.integers(1, 60),
    cancel=st.booleans(),
    settles=st.booleans(),
)


LAGS = st.lists(st.floats(0, 10), min_size=1, max_size=3)
RANDOM = st.randoms(use_true_random=False)
SOME = st.sets(st.sampled_from(sorted(PLAN)))
RATE = st.sampled_from([1.0, 20.0, 1000.0])

there = given(lags=LAGS, random=RANDOM, unknown=SOME, otherwise=SOME, rate=RATE, trouble=TROUBLE)
there_and_back = given(lags=LAGS, random=RANDOM, rate=RATE, trouble=TROUBLE)
#: The same cases each time; the long tests look for others.
SHORT, LONG = settings(max_examples=6, derandomize=True), settings(max_examples=2_000)


def go_there(home: Path, *, lags, random, unknown, otherwise, rate, trouble) -> None:
    """From a cluster that has just been changed; killed, stopped and left without answers anywhere."""
    cluster = cluster_of(rate=rate)
    before = {key: [9, 8] if key in otherwise else ids for key, ids in cluster.lists.items() if key not in unknown}
    with closing(Journal(home / "journal.sqlite")) as journal:
        check(Lagging(cluster, lags, random, before), journal, PLAN, trouble)


def go_there_and_back(home: Path, *, lags, random, rate, trouble) -> None:
    """There without trouble, and back at once: what is planned is also what lagging brokers know from before."""
    cluster = cluster_of(rate=1000.0)
    brokers = Lagging(cluster, lags, random, dict(cluster.lists))
    with closing(Journal(home / "journal.sqlite")) as journal:
        assert check(brokers, journal, PLAN, Trouble(frozenset(), frozenset()))
        cluster.rate = rate
        check(brokers, journal, BACK, trouble)


@SHORT
@there
def test_lag_is_never_taken_for_somebody_elses_doing(tmp_path_factory, **case):
    """Nor for the end of a run that is not at its end."""
    go_there(tmp_path_factory.mktemp("lag"), **case)


@SHORT
@there_and_back
def test_what_was_before_the_way_there_is_never_taken_for_the_way_back(tmp_path_factory, **case):
    """Lists are as planned that nobody has sent yet, or that were taken back."""
    go_there_and_back(tmp_path_factory.mktemp("lag"), **case)


@pytest.mark.slow
@LONG
@there
def test_lag_is_never_taken_for_somebody_elses_doing_in_many_cases(tmp_path_factory, **case):
    """The same, with cases that change from day to day."""
    go_there(tmp_path_factory.mktemp("lag"), **case)


@pytest.mark.slow
@LONG
@there_and_back
def test_what_was_before_the_way_there_is_never_taken_for_the_way_back_in_many_cases(tmp_path_factory, **case):
    """The same, with cases that change from day to day."""
    go_there_and_back(tmp_path_factory.mktemp("lag"), **case)
