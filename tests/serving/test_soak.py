"""A server that runs for long: whatever people open, its memory comes back."""

from __future__ import annotations

import os
import threading
import time

import psutil
import pytest

from benchmarks.bench_load import driven
from tests.servers.visitor import Visitor

pytestmark = pytest.mark.slow

PASTE = "Paste what a tool printed, prompts and log lines included"
#: Partitions of a layout; with its text it takes 1.8 MB of a session, and more of what pages draw of it.
PARTITIONS = 20_000
#: Megabytes by which memory may be more than after the first layouts: 160 more that nobody forgets would take 280.
ROOM = 120
#: The part of the memory before that may be kept of fifty people.
LEFT = 0.1
#: Seconds that fifty people stay: an hour, unless somebody has less time.
STAY = float(os.environ.get("RESEAT_SOAK_SECONDS", "3600"))


def text_of(number: int) -> str:
    """A layout that no other has: assignments over twelve brokers, shifted."""
    lines = ",".join(
        f'{{"topic":"t{number}","partition":{row},"replicas":[{row % 12},{(row + number) % 11 + 12},{row % 7 + 30}]}}'
        for row in range(PARTITIONS)
    )
    return f'{{"version":1,"partitions":[{lines}]}}'


def open_one(visitor: Visitor, number: int) -> None:
    """Paste a layout, and look at two pages of it."""
    said = visitor.again("Read", {PASTE: text_of(number)})
    assert any(f"{PARTITIONS:,} partitions" in text for text in said), said[:20]
    visitor.again(page="board")
    visitor.again(page="clusters")  # where the next one is pasted


def megabytes(process: int) -> float:
    """What a server holds that nobody else does."""
    return float(psutil.Process(process).memory_full_info().uss / 1e6)


def test_three_hundred_layouts_leave_no_more_than_forty(start, visit):
    """One person opens 200 and stays, ten more open ten each and leave: memory is bounded then, and after it."""
    server = start("--server.disconnectedSessionTTL", "1", script="app.py")
    staying = visit(server.address)
    staying.open()
    for number in range(40):
        open_one(staying, number)
    after_forty = megabytes(server.process)
    for number in range(40, 200):
        open_one(staying, number)
    after_two_hundred = megabytes(server.process)
    for person in range(10):
        with Visitor(server.address) as passing:
            passing.open()
            for number in range(10):
                open_one(passing, 200 + 10 * person + number)
    staying.leave()
    until, pause = time.monotonic() + 60, threading.Event()
    while (at_last := megabytes(server.process)) >= after_forty and time.monotonic() < until:
        pause.wait(2)
        with Visitor(server.address) as next_one:  # Streamlit lets go of sessions that are over when another begins
            next_one.open()

    print(f"{after_forty:.0f} MB after 40 layouts, {after_two_hundred:.0f} after 200, {at_last:.0f} after 300")  # noqa: T201
    assert after_two_hundred < after_forty + ROOM
    assert at_last < after_forty + ROOM


def test_fifty_people_for_an_hour_get_every_answer_and_leave_nothing_behind():
    """They drain brokers and change pages all the time; no page shows a fault, and memory comes back."""
    load = driven(50, STAY)
    print(load.told())  # noqa: T201

    assert load.faults == []
    assert len(load.pages) + len(load.drops) > 50
    assert len(load.health) > STAY / 10
    assert load.after <= load.before * (1 + LEFT)
