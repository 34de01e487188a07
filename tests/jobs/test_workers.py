"""Computed beside the server: the same answers, nothing sent twice, and what happens when one of the two ends."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, is_dataclass
from typing import TypeAlias

import numpy as np
import psutil
import pytest

from reseat import errors
from reseat.balance import measure
from reseat.demo.generate import generate
from reseat.errors import ReseatError, WishRefused, WorkerEnded
from reseat.jobs.parcels import KnownLayouts, LayoutUnknown, receive, send
from reseat.jobs.workers import MOST, Workers
from reseat.model import ClusterLayout, Wish
from reseat.planning import plan

LAYOUT = generate(12, 600, racks=3, seed=1)
DRAIN = Wish(remove=(5,))


@pytest.fixture
def workers() -> Iterator[Workers]:
    """Processes that are ended with the test."""
    made = Workers()
    yield made
    made.close()


def gladly() -> None:
    """Somebody waits for the answer."""


Children: TypeAlias = Callable[[], list[psutil.Process]]


@pytest.fixture
def children() -> Children:
    """Tells the processes that were begun since, and have not ended; other tests' own may be beside them."""
    before = psutil.Process().children()

    def begun() -> list[psutil.Process]:
        now = psutil.Process().children()
        return [one for one in now if one not in before and one.status() != psutil.STATUS_ZOMBIE]

    return begun


def test_an_answer_is_the_one_that_is_computed_here(workers: Workers) -> None:
    """A plan made beside equals the one made here, and shares the layout's own columns: nothing is there twice."""
    made = workers.ask(gladly, plan, LAYOUT, DRAIN)
    here = plan(LAYOUT, DRAIN)

    assert (made.proposed, made.certificate, made.findings) == (here.proposed, here.certificate, here.findings)
    assert made.current is LAYOUT
    assert made.proposed.topics is LAYOUT.topics
    assert made.proposed.topic_of is LAYOUT.topic_of
    assert not made.proposed.replicas.flags.writeable
    assert workers.ask(gladly, measure, made.proposed).rack_sum_of_squares == measure(here.proposed).rack_sum_of_squares


def test_a_refusal_is_the_same_refusal(workers: Workers, children: Children) -> None:
    """What a wish is refused for comes back with all that pages draw of it, and the process answers on."""
    with pytest.raises(WishRefused) as beside:
        workers.ask(gladly, plan, LAYOUT, Wish(remove=(77,)))
    with pytest.raises(WishRefused) as here:
        plan(LAYOUT, Wish(remove=(77,)))

    assert vars(beside.value) == vars(here.value)
    assert workers.ask(gladly, len, "abc") == 3
    assert len(children()) == 1


def test_a_fault_names_its_place_in_the_other_process(workers: Workers) -> None:
    """An error that nobody meant has the trace of where it happened."""
    with pytest.raises(ZeroDivisionError) as fault:
        workers.ask(gladly, divmod, 1, 0)

    assert "worker.py" in "".join(fault.value.__notes__)


@pytest.mark.parametrize("name", [name for name in errors.__all__ if is_dataclass(getattr(errors, name))])
def test_every_error_survives_the_way(name: str) -> None:
    """Also one that was made with named arguments."""
    kind = getattr(errors, name)
    error = kind(**{one.name: f"its {one.name}" for one in fields(kind)})
    there = pickle.loads(pickle.dumps(error))

    assert (type(there), vars(there), str(there)) == (kind, vars(error), str(error))
    assert isinstance(there, ReseatError)


def test_what_the_other_side_has_is_named_and_not_sent() -> None:
    """The second time a layout is its digest; who has it no longer says so and reads nothing wrong instead."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sent = send(ours, ("first", LAYOUT), {})
        first = receive(theirs, {})
        send(ours, ("second", LAYOUT), sent.layouts)
        second = receive(theirs, first.layouts)
        send(ours, ("third", LAYOUT), sent.layouts)
        with pytest.raises(LayoutUnknown, match=LAYOUT.digest):
            receive(theirs, KnownLayouts(1))
        ours.close()

        assert first.value[1] == LAYOUT
        assert first.value[1] is not LAYOUT
        assert second.value[1] is first.value[1]
        assert receive(theirs, {}) is None


def test_a_shelf_drops_what_was_used_longest_ago() -> None:
    """By partitions; the last layout stays however large it is."""
    one, two, three = (generate(3, count, racks=1, seed=1) for count in (40, 50, 60))
    known = KnownLayouts(100)
    known.add({layout.digest: layout for layout in (one, two)})
    assert known[one.digest] is one
    known.add({three.digest: three})

    assert known[one.digest] is one
    with pytest.raises(LayoutUnknown):
        known[two.digest]
    KnownLayouts(1).add({three.digest: three})


def test_a_layout_that_made_way_is_sent_again(workers: Workers, children: Children) -> None:
    """A process keeps six million partitions; the first of seven layouts of a million is asked about once more."""

    def million(shift: int) -> ClusterLayout:
        row = np.arange(1_000_000)
        replicas = ((row + shift) % 9)[:, None]
        return ClusterLayout.from_columns(topics=["t"], topic_of=row * 0, partition=row, replicas=replicas)

    seven = [million(shift) for shift in range(7)]
    digests = [workers.ask(gladly, getattr, layout, "digest") for layout in (*seven, seven[0])]

    assert digests == [layout.digest for layout in (*seven, seven[0])]
    assert len(children()) == 1


def test_one_that_is_killed_is_told_and_another_one_begun(workers: Workers, children: Children) -> None:
    """By the kernel in the middle of an answer: said in words; between two answers: nobody notices."""
    with pytest.raises(WorkerEnded, match="was killed, as the system does when memory runs out"):
        workers.ask(gladly, signal.raise_signal, signal.SIGKILL)
    with pytest.raises(WorkerEnded, match="ended with exit code 3"):
        workers.ask(gladly, os._exit, 3)
    first = workers.ask(gladly, os.getpid)
    os.kill(first, signal.SIGKILL)
    psutil.Process(first).wait(10)
    second = workers.ask(gladly, os.getpid)

    assert second != first
    assert [child.pid for child in children()] == [second]


def test_who_leaves_ends_what_was_computed(workers: Workers, children: Children) -> None:
    """Where nobody waits any more the process is ended with its question, and the next one has another."""
    begun = time.monotonic()

    def left() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        workers.ask(left, time.sleep, 60)

    assert time.monotonic() - begun < 30
    assert children() == []
    assert workers.ask(left, len, "abc") == 3  # what is answered at once is not asked for in vain


def test_many_ask_and_few_answer(workers: Workers, children: Children) -> None:
    """As many processes as there may be, not one a thread; each answer is who asked's."""
    with ThreadPoolExecutor(6) as threads:
        told = list(threads.map(lambda one: workers.ask(gladly, divmod, one, 7), range(30)))

    assert told == [divmod(one, 7) for one in range(30)]
    assert 1 <= len(children()) <= MOST
    workers.close()
    assert children() == []


def test_it_ends_with_the_server() -> None:
    """Killed in the middle of a question, a server leaves no process behind."""
    asks = "import time; from reseat.jobs.workers import Workers; Workers().ask(lambda: None, time.sleep, 600)"
    server = subprocess.Popen([sys.executable, "-c", asks])
    until = time.monotonic() + 60
    while not (found := psutil.Process(server.pid).children()) and time.monotonic() < until:
        time.sleep(0.05)
    server.kill()
    server.wait()

    assert len(found) == 1
    found[0].wait(30)
