"""Many people at once: sessions that drag brokers out and change pages, their waits, and what the server holds.

``RESEAT_LOAD=people:seconds`` asks for other figures than 50 people and three minutes. How far it is stands on standard
error. It takes the seconds and six minutes, and up to eight more where memory does not come back.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from websockets.exceptions import WebSocketException

from benchmarks.visitor import Visitor
from tests.servers.dashboard import start_dashboard, stop
from tests.servers.ports import free_port

__all__ = ["Load", "driven", "run"]

#: What everybody looks at, by how its sample is called: 60 brokers and 20,000 partitions.
_SAMPLE, _BROKERS = "60 brokers", 60
#: What one person looks at meanwhile, and for how many seconds: 1,000 brokers and 1,000,000 partitions.
_LARGE, _LARGE_BROKERS, _LARGE_SECONDS = "1,000 brokers", 1000, 60.0
_LARGE_PAGES = ("plan", "overview", "leaders", "board")
_PAGES = ("board", "overview", "heatmap", "plan", "leaders")
#: Seconds between two actions of a person.
_THINKS = (6.0, 12.0)
#: The same where few people are asked often, beside the one with a million partitions; and of one who never stops.
_SHORT_THINKS, _NEVER_STOPS = (0.5, 1.5), (0.0, 0.0)
#: Seconds between two questions for the server's health.
_ASKS = 0.5
#: Seconds between two lines that say how far it is.
_TELLS = 30.0
#: Seconds until what the first one's pages left is collected: as they are drawn, garbage of 40 MB may still be counted.
_SETTLES = 20.0
#: Seconds after which nobody is there any more: a session ends two minutes after its page was closed.
_LEFT = 600


@dataclass
class Load:
    """What a load came to; all times in seconds.

    Attributes:
        think: seconds between two actions of a person, at least and at most.
        pages, drops, health: how long each answer took.
        large: how long each answer took to the one with a million partitions.
        cpu: the server's processor time.
        seconds: how long the load lasted.
        before, most, after: bytes of the server's own memory before, at most, and after all had left.
        faults: what pages showed as exceptions, and who got no answer at all.
        machine: the machine's load average (one minute) as people came and as they left.
    """

    think: tuple[float, float]
    pages: list[float] = field(default_factory=list)
    drops: list[float] = field(default_factory=list)
    health: list[float] = field(default_factory=list)
    large: list[float] = field(default_factory=list)
    cpu: float = 0.0
    seconds: float = 0.0
    before: int = 0
    most: int = 0
    after: int = 0
    faults: list[str] = field(default_factory=list)
    machine: tuple[float, float] = (0.0, 0.0)

    def told(self) -> str:
        """All figures on one line."""
        held = ", ".join(str(part >> 20) for part in (self.before, self.most, self.after) if part)
        health, machine = max(self.health, default=0.0), os.getloadavg()[0]
        return (
            f"{len(self.pages)} pages {_quantiles(self.pages)}; {len(self.drops)} drops {_quantiles(self.drops)}; "
            f"health {_quantiles(self.health)}, at most {health:.2f} s; {held} MB; load average {machine:.1f}"
        )


def run() -> list[tuple[str, str, str]]:
    """(what, budget, measured) of fifty people on 20,000 partitions."""
    people, seconds = (int(part) for part in os.environ.get("RESEAT_LOAD", "50:180").split(":"))
    load = driven(people, seconds)
    actions = len(load.pages) + len(load.drops)
    rows = [
        (f"{people} people, 60 x 20,000: a page, {len(load.pages)} times", "p95 1.5 s", _quantiles(load.pages)),
        (f"a broker dragged out, {len(load.drops)} times", "p95 2.5 s", _quantiles(load.drops)),
        ("health answers meanwhile", "100 ms", f"{_quantiles(load.health)}, at most {max(load.health):.2f} s"),
        ("CPU an action", "", f"{load.cpu / max(actions, 1):.3f} s; {load.cpu / load.seconds:.2f} of a processor"),
        (
            f"memory {_LEFT // 60} minutes after all have left",
            "within 10 %",
            f"{load.before >> 20} MB before, {load.most >> 20} MB at most, {load.after >> 20} MB after",
        ),
        ("load average of the machine", "", "{:.1f} as they came, {:.1f} as they left".format(*load.machine)),
    ]
    faults = set(load.faults)
    for what, large in (
        ("5 people, nobody else", None),
        ("beside one on 1,000 x 1,000,000", _THINKS),
        ("beside one there who never stops", _NEVER_STOPS),
    ):
        told = driven(5, _LARGE_SECONDS, 0.0, think=_SHORT_THINKS, large=large)
        rows.append((f"{what}: a page, {len(told.pages)} times", "alike", _quantiles(told.pages)))
        rows.append(("a broker dragged out", "alike", _quantiles(told.drops)))
        rows.append(("health answers", "100 ms", f"{_quantiles(told.health)}, at most {max(told.health):.2f} s"))
        if large:
            rows.append((f"the one's own actions, {len(told.large)} times", "", _quantiles(told.large)))
        faults |= {*told.faults}
    return rows + [("a page showed", "nothing", fault) for fault in sorted(faults)]


def driven(
    people: int,
    seconds: float,
    left: float = _LEFT,
    *,
    think: tuple[float, float] = _THINKS,
    large: tuple[float, float] | None = None,
) -> Load:
    """Start a dashboard, let so many people use it for so long, and wait until all have left.

    Args:
        people: sessions at once.
        seconds: how long they stay.
        left: seconds to wait afterwards.
        think: seconds between two actions of a person, at least and at most.
        large: the same seconds of one more, who plans on a million partitions; None: nobody does.
    """
    load = Load(think)
    with tempfile.TemporaryDirectory() as folder, _served(Path(folder)) as (port, server):
        asyncio.run(_live(port, server, load, people, seconds, large=large))
        over = time.monotonic() + left
        while time.monotonic() < over and (load.after == 0 or load.after > load.before * 1.1):
            time.sleep(min(10.0, left))
            load.after = server.memory_full_info().uss
        _say(load, "all have left")
    return load


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[tuple[int, psutil.Process]]:
    port = free_port()
    process = start_dashboard(port, folder / "log")
    try:
        yield port, psutil.Process(process.pid)
    finally:
        stop(process)


async def _live(
    port: int,
    server: psutil.Process,
    load: Load,
    people: int,
    seconds: float,
    *,
    large: tuple[float, float] | None,
) -> None:
    async with Visitor(port) as first, contextlib.AsyncExitStack() as also:
        await first.arrive()
        await first.press(_SAMPLE)
        for page in _PAGES:
            await first.to(page)
        await first.to("board")
        await first.drop(_BROKERS // 2)
        if large:
            one = await also.enter_async_context(Visitor(port))
            await one.arrive()
            await one.press(_LARGE)
        await asyncio.sleep(_SETTLES)
        machine = os.getloadavg()[0]
        load.before, cpu, began = server.memory_full_info().uss, _cpu(server), time.perf_counter()
        over = began + seconds
        watcher = asyncio.create_task(_watch(port, server, load))
        beside = [_planner(one, over, load, large)] if large else []
        await asyncio.gather(*beside, *(_person(port, number, first.query, over, load) for number in range(people)))
        load.seconds, load.cpu = time.perf_counter() - began, _cpu(server) - cpu
        load.machine = machine, os.getloadavg()[0]
        watcher.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watcher


async def _planner(one: Visitor, over: float, load: Load, think: tuple[float, float]) -> None:
    """Drag another broker out of a thousand again and again, and look at what pages say of it."""
    chance, steps = random.Random(0), itertools.cycle(("board", "", *_LARGE_PAGES))
    while time.perf_counter() < over:
        page = next(steps)
        load.large.append(await (one.to(page) if page else one.drop(chance.randrange(1, _LARGE_BROKERS))))
        await asyncio.sleep(chance.uniform(*think))
        if one.fault:
            load.faults.append(one.fault)
            one.fault = ""


async def _person(port: int, number: int, query: str, over: float, load: Load) -> None:
    """Arrive by the link of the first, and do something every now and then; who gets no answer leaves."""
    try:
        await _stay(port, number, query, over, load)
    except (OSError, WebSocketException) as error:  # a TimeoutError is one
        load.faults.append(f"person {number} got no answer: {error!r}")


async def _stay(port: int, number: int, query: str, over: float, load: Load) -> None:
    chance = random.Random(number)
    await asyncio.sleep(chance.uniform(0, load.think[1]))
    async with Visitor(port) as person:
        load.pages.append(await person.arrive(query))
        on_board = False
        while time.perf_counter() < over:
            await asyncio.sleep(chance.uniform(*load.think))
            if on_board and chance.random() < 0.5:
                load.drops.append(await person.drop(chance.randrange(1, _BROKERS)))
            else:
                page = chance.choice(_PAGES)
                load.pages.append(await person.to(page))
                on_board = page == "board"
            if person.fault:
                load.faults.append(person.fault)
                person.fault = ""


async def _watch(port: int, server: psutil.Process, load: Load) -> None:
    """Ask for the health, look at the memory and say how far it is until cancelled."""
    address, began = f"http://127.0.0.1:{port}/healthz", time.monotonic()
    said, loop = began, asyncio.get_running_loop()
    # From a process of its own: here fifty people's threads and garbage would be waited for as well.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as apart:
        await loop.run_in_executor(apart, _seconds_to_answer, address)  # the first one imports what it asks with
        while True:
            load.health.append(await loop.run_in_executor(apart, _seconds_to_answer, address))
            load.most = max(load.most, server.memory_full_info().uss)
            if time.monotonic() - said > _TELLS:
                said = time.monotonic()
                _say(load, f"{said - began:.0f} s")
            await asyncio.sleep(_ASKS)


def _seconds_to_answer(address: str) -> float:
    began = time.perf_counter()
    # One that does not come in a minute is counted as that.
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=60) as answer:
        answer.read()
    return time.perf_counter() - began


def _say(load: Load, when: str) -> None:
    print(f"load, {when}: {load.told()}", file=sys.stderr, flush=True)


def _cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)


def _quantiles(times: list[float]) -> str:
    if len(times) < 2:
        return "not seen"
    at = statistics.quantiles(times, n=20)
    return f"p50 {statistics.median(times):.2f} s, p95 {at[-1]:.2f} s"
