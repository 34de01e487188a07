"""A fleet: a day of many small clusters, then an hour's increment of one snapshot each, and the page that shows them.

Such a fleet pays for files and calls, not for rows. Told of the increment: time, CPU of all processes, memory, files,
and what the driver asked of the tables' file system. 50 clusters, eight hours; ``RESEAT_BENCH_CLUSTERS=1000`` and
``RESEAT_BENCH_HOURS=24`` make the fleet of docs/scale.md, and ``RESEAT_BENCH_HOME`` keeps
what is made, to look at. In a warm session; nothing is asserted.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

from benchmarks.usage import Usage, measured, memory
from reseat.demo.generate import generate
from reseat.history.fleet import fleet
from reseat.history.folder import Folder
from reseat.history.read import History
from reseat.model import Snapshot
from reseat.pipeline.ingest import run_on_demand as ingest
from reseat.pipeline.spark.session import open_session
from reseat.pipeline.sweep import sweep_on_demand as sweep
from reseat.sources.landing import land

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BROKERS, PARTITIONS, FACTOR, RACKS = 10, 300, 3, 3
CLUSTERS = int(os.environ.get("RESEAT_BENCH_CLUSTERS", "50"))
HOURS, AFTER = int(os.environ.get("RESEAT_BENCH_HOURS", "8")), 3
FIRST = datetime(2026, 5, 1, 12, tzinfo=UTC)
#: What goes to the file system, a request or more each.
CALLS = ("_listed", "_level", "exists", "read", "write", "create", "move", "delete", "delete_folder")


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    rows: list[tuple[str, str, str]] = []

    def tell(what: str, budget: str, told: str) -> None:
        rows.append((what, budget, told))
        print(f"{what}: {told}", file=sys.stderr, flush=True)  # of a run that is stopped, what was measured is known

    with tempfile.TemporaryDirectory(prefix="reseat-bench-") as made, open_session(master="local[2]") as spark:
        home = Path(os.environ.get("RESEAT_BENCH_HOME", made))
        landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
        _land(landing, range(HOURS))
        what = f"{CLUSTERS:,} clusters of {BROKERS} brokers and {PARTITIONS} partitions, {HOURS} snapshots each"
        tell(what, "-", _told(*_taken(spark, landing, tables)))
        for hour in range(HOURS, HOURS + AFTER):
            _land(landing, [hour])
            used, further = _taken(spark, landing, tables)
            tell(f"  hour {hour + 1}: a snapshot of each", f"{0.06 * CLUSTERS:.0f} s", _told(used, further))
        tell("  peak memory", "-", memory(used))
        with measured() as used:
            sweep(lambda: spark, tables, latest=True)
        tell("  sweep of the latest of each", "-", _told(used, f", {memory(used)}"))
        history = History.open(tables)
        # A page keeps the figures, and asks each time whether the tables have changed.
        for what, budget, ask in (
            ("Fleet's figures, first asked for", "3 s", lambda: fleet(history)),
            ("  whether they still hold", "1 s", history.stamp),
        ):
            began, cpu = time.perf_counter(), time.process_time()  # of this process: Spark's end in between
            ask()
            used_here = time.process_time() - cpu
            tell(what, budget, f"{time.perf_counter() - began:.2f} s, {used_here:.2f} CPU s")
    return rows


def _taken(spark: SparkSession, landing: Folder, tables: Folder) -> tuple[Usage, str]:
    """What a run takes, and what it made and asked, in words."""
    before = len(tables.files())
    with _calls() as calls, measured() as used:
        ingest(lambda _: spark, landing, tables)
    return used, f", {len(tables.files()) - before:,} files more, {len(calls):,} calls of the driver"


def _told(used: Usage, further: str) -> str:
    return f"{used.seconds:.1f} s, {used.cpu:.0f} CPU s{further}"


@contextmanager
def _calls() -> Iterator[list[str]]:
    """What the driver asks of file systems, a name for each call."""
    asked: list[str] = []

    def counting(name: str) -> Callable[..., object]:
        plain = getattr(Folder, name)

        def call(*given: object, **named: object) -> object:
            asked.append(name)
            return plain(*given, **named)

        return call

    with ExitStack() as patched:
        for name in CALLS:
            patched.enter_context(mock.patch.object(Folder, name, counting(name)))
        yield asked


def _land(landing: Folder, hours: Iterable[int]) -> None:
    """A snapshot of each cluster at each hour, in each of which another partition has another order."""
    layout = generate(BROKERS, PARTITIONS, FACTOR, RACKS)
    for hour in hours:
        replicas = layout.replicas.copy()
        replicas[hour] = replicas[hour][::-1]
        snapshot = Snapshot(replace(layout, replicas=replicas), FIRST + timedelta(hours=hour), "admin")
        for number in range(CLUSTERS):
            land(snapshot, landing, f"c{number:04}")
