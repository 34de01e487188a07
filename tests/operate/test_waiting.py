"""A cluster that does not let a run in is asked again, ever more rarely, and given up in the end."""

from __future__ import annotations

import threading

import pytest

from reseat.errors import ClusterUnreachable
from reseat.operate.journal.records import RunState
from reseat.operate.run.execute import carry_out
from reseat.operate.run.pace import Pace
from reseat.operate.run.waiting import Barred
from tests.operate.test_execute import approve, cluster_of

DENIED = ClusterUnreachable("Not authorized.", "authentication")


class Clock:
    """Seconds that pass only where a test says so."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_tries_become_rare_and_end() -> None:
    """After 5, 10, 20 and 40 seconds, and then each minute; by 615 seconds after the first it is given up."""
    clock = Clock()
    barred = Barred(Pace(now=clock, retry_seconds=5, barred_seconds=615))
    waits = [barred.waits]
    tries = []
    for _ in range(13):
        tries.append(barred.again(DENIED))
        waits.append(barred.waits)
        clock.seconds += tries[-1]
        waits.append(barred.waits)

    assert tries == [5, 10, 20, 40, *[60] * 9]
    assert waits == [False, *[True, False] * 13]
    with pytest.raises(ClusterUnreachable, match="Not authorized"):
        barred.again(DENIED)
    assert barred.again(DENIED, give_up=False) == 60


def test_only_what_a_person_has_to_mend_counts() -> None:
    """A broker that does not answer may just be restarting."""
    assert Barred.is_meant(DENIED)
    assert not Barred.is_meant(ClusterUnreachable("No answer.", "timeout"))


def test_a_run_whose_cluster_does_not_answer_yet_begins_once_it_does(journal):
    """Nothing is sent and nobody asked to stop: it waits, and asks after 0.25, 0.75, 1.75 seconds and so on."""
    cluster, words, asked = cluster_of(down=30.0), [], []
    cluster.before_call = lambda name: asked.append(cluster.clock)
    run = approve(journal)
    ended = carry_out(
        cluster.target(), journal, run.id, stop=threading.Event(), pace=cluster.pace(), report=words.append
    )

    assert ended.state is RunState.DONE
    assert asked[:8] == [0, 0.25, 0.75, 1.75, 3.75, 7.75, 12.75, 17.75]
    assert words[1].startswith("The cluster has not answered since ")
    assert words[1].endswith("; trying again. Nothing answers at fake:9092.")
