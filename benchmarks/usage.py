"""What a piece of work takes: time, CPU of all processes that do it, and the most memory that they hold (PSS)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

__all__ = ["Usage", "measured", "memory"]


@dataclass
class Usage:
    """What a piece of work took."""

    seconds: float = 0.0
    cpu: float = 0.0
    peak: dict[str, float] = field(default_factory=dict)


@contextmanager
def measured() -> Iterator[Usage]:
    """Measure this process and all that it started."""
    used, over = Usage(), threading.Event()
    watcher = threading.Thread(target=_watch, args=(used, over), daemon=True)
    cpu, began = _cpu(), time.perf_counter()
    watcher.start()
    try:
        yield used
    finally:
        used.seconds, used.cpu = time.perf_counter() - began, _cpu() - cpu
        over.set()
        watcher.join()


def _watch(used: Usage, over: threading.Event) -> None:
    while not over.wait(1.0):
        held = {"driver (Python)": 0.0, "driver and executor (JVM)": 0.0, "Python workers": 0.0}
        for process in _family():
            try:
                # What Python's workers share with the process that they were forked from counts once.
                name, size = process.name(), process.memory_full_info().pss
            except psutil.Error:
                continue
            mine = process.pid == os.getpid()
            held[
                "driver (Python)" if mine else "driver and executor (JVM)" if name == "java" else "Python workers"
            ] += size
        for name, size in held.items():
            used.peak[name] = max(used.peak.get(name, 0.0), size)


def _family() -> list[psutil.Process]:
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def _cpu() -> float:
    total = 0.0
    for process in _family():
        try:
            times = process.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def memory(used: Usage) -> str:
    """The most that each kind of process held."""
    return ", ".join(f"{name} {size / 1e6:,.0f} MB" for name, size in used.peak.items())
