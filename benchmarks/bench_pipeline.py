"""The pipeline at 1, 3 and 10 million replica rows on two cores, and the sweep of one large snapshot.

Each size is a landing zone of one cluster: snapshots ten minutes apart of 111,111 partitions at RF 3, in each of which
some hundred partitions differ from the one before, as on a busy day. Spark's start is timed apart, and so is what a
young JVM costs, which compiles Spark while it works: the first two runs of the session, and further ones until they get
no faster; and each size by the command line, in a process of its own. Beside it stands a yardstick that was there
before the pipeline was: the replicas alone, from ``binaryFile`` through ``mapInArrow`` into Parquet, in the warm
session and as the first work of one; and what a young Spark takes for less than that, with nothing of ours in it.
Memory is what the processes hold at most (PSS), sampled. The budget, 4 s a million rows, is one of the warm session.
Nothing is asserted.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from benchmarks.usage import Usage, measured, memory
from reseat.demo.generate import generate
from reseat.history.folder import Folder
from reseat.history.schema import arrow_schema
from reseat.model import ClusterLayout, Snapshot
from reseat.pipeline.admission import Job, landed_files
from reseat.pipeline.decode import measurer, replica_reader
from reseat.pipeline.frames import spark_schema, write
from reseat.pipeline.ingest import run_on_demand as ingest
from reseat.pipeline.progress import silent
from reseat.pipeline.spark.session import open_session
from reseat.pipeline.sweep import sweep_on_demand as sweep
from reseat.pipeline.turns import take_turn
from reseat.sources.landing import land

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS, FACTOR, BROKERS, RACKS = 111_111, 3, 300, 6
SIZES = (3, 9, 30)  # snapshots; a third of a million rows each
WARMING = 2
#: A session is warm when so many runs in a row were no faster than the best before; it is not waited for longer.
STEADY, MOST_WARMING = 3, 12
FIRST = datetime(2026, 5, 1, tzinfo=UTC)
#: Partitions that change from one snapshot to the next: lists, leaders, ISRs.
CHANGED = 300


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    rows: list[tuple[str, str, str]] = []
    home = Path(tempfile.mkdtemp(prefix="reseat-bench-"))
    try:
        landings = {count: _landing(home / f"landing-{count}", count) for count in (WARMING, *SIZES)}
        began = time.perf_counter()
        with open_session(master="local[2]") as spark:
            rows.append(("Spark's start", "-", f"{time.perf_counter() - began:.1f} s"))
            rows += _runs(spark, home, landings)
            rows += _sweep(spark, home)
        rows += _alone(home, landings)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return rows


def _runs(spark: SparkSession, home: Path, landings: dict[int, Path]) -> list[tuple[str, str, str]]:
    def taken(count: int) -> tuple[int, Usage]:
        tables = Path(tempfile.mkdtemp(dir=home, prefix="tables-"))
        with measured() as used:
            done = ingest(lambda _: spark, Folder.open(landings[count]), Folder.open(tables))
        shutil.rmtree(tables)
        return done.taken * PARTITIONS * FACTOR, used

    first, second = taken(WARMING)[1], taken(SIZES[0])[1]
    rows = [
        ("the first run of a session, two thirds of a million rows", "-", f"{first.seconds:.1f} s"),
        ("the second, of 1 million", "-", f"{second.seconds:.1f} s"),
    ]
    warming: list[float] = []
    while len(warming) < MOST_WARMING and min(warming[-STEADY:], default=0.0) <= min(warming[:-STEADY], default=9e9):
        warming.append(taken(WARMING)[1].seconds)
    told = f"{len(warming)} in {sum(warming):.0f} s, of {warming[0]:.1f} to {min(warming):.1f} s"
    rows.append(("further runs of two thirds of a million until they get no faster", "-", told))
    for count in SIZES:
        replicas, used = taken(count)
        own = _own_seconds(landings[count])
        what = f"{replicas / 1e6:,.0f} million replica rows into all tables but resilience, warm"
        rows.append((what, f"{4 * replicas / 1e6:.0f} s", f"{used.seconds:.1f} s ({_rate(replicas, used.seconds)})"))
        rows.append((
            "  CPU, and the share of it outside our functions",
            "-",
            f"{used.cpu:.1f} s, {1 - own / used.cpu:.0%} (ours: {own:.1f} s)",
        ))  # fmt: skip
        rows.append(("  peak memory", "-", memory(used)))
    seconds = _replicas_alone(spark, home, landings[SIZES[0]])
    rows.append(("yardstick: 1 million replica rows alone, nothing else made of them", "-", f"{seconds:.1f} s"))
    return rows


def _replicas_alone(spark: SparkSession, home: Path, landing: Path) -> float:
    """Seconds that the replicas of a landing zone take from the files into Parquet, and nothing else."""
    job = Job(spark, Folder.open(landing), take_turn(Folder.open(home / "none")), silent)
    began = time.perf_counter()
    rows = landed_files(job, [file.path for file in job.landing.files()]).mapInArrow(
        replica_reader(job.landing.spark_url()), spark_schema(arrow_schema("replicas", with_keys=True))
    )
    write(rows, Folder.open(home), "replicas-alone")
    return time.perf_counter() - began


def _alone(home: Path, landings: dict[int, Path]) -> list[tuple[str, str, str]]:
    """Each size as the first work of a Spark of its own, beyond its start; the yardstick, and less than that."""
    rows, made = [], {}
    for count in SIZES:
        tables = made[count] = tempfile.mkdtemp(dir=home, prefix="tables-")
        where = ["--landing", str(landings[count]), "--tables", tables, "--master", "local[2]"]
        command = [sys.executable, "-m", "reseat", "pipeline", "run", *where]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, replicas = float(told.rsplit(" s.", 1)[0].rsplit(" ", 1)[1]), count * PARTITIONS * FACTOR
        what = f"{replicas / 1e6:,.0f} million by `pipeline run`, a process of its own, beyond Spark's start"
        rows.append((what, "-", f"{seconds:.1f} s ({_rate(replicas, seconds)})"))
    for what, work in (
        ("the yardstick", lambda spark: _replicas_alone(spark, home, landings[SIZES[0]])),
        ("a copy of 1 million replicas from Parquet to Parquet", lambda spark: _copied(spark, made[SIZES[0]], home)),
        ("a Python map over two rows that gives them back", _mapped),
    ):
        with open_session(master="local[2]") as spark:
            rows.append((f"{what}, as the first work of a session", "-", f"{work(spark):.1f} s"))
    return rows


def _copied(spark: SparkSession, tables: str, home: Path) -> float:
    """Seconds that Spark takes to read one table and to write it, with nothing of ours between."""
    began = time.perf_counter()
    spark.read.parquet(f"{tables}/replicas").write.parquet(str(home / "copied"))
    return time.perf_counter() - began


def _mapped(spark: SparkSession) -> float:
    """Seconds that a map takes which does nothing: the least that any Python function on Spark takes."""
    began = time.perf_counter()
    spark.range(2).mapInArrow(lambda batches: batches, "id long").collect()
    return time.perf_counter() - began


def _sweep(spark: SparkSession, home: Path) -> list[tuple[str, str, str]]:
    layout = generate(300, 200_000, 3, 6, lagging=0.01)
    layout = replace(layout, min_in_sync=np.full(len(layout.topics), 2, np.int32))
    landing, tables = home / "landing-sweep", Folder.open(home / "tables-sweep")
    land(Snapshot(layout, FIRST, "admin"), landing, "large")
    ingest(lambda _: spark, Folder.open(landing), tables)
    with measured() as used:
        sweep(lambda: spark, tables)
    return [
        ("sweep of 300 brokers, 200,000 partitions: brokers, racks, all 44,850 pairs", "60 s", f"{used.seconds:.1f} s"),
        ("  peak memory", "-", memory(used)),
    ]  # fmt: skip


def _landing(folder: Path, count: int) -> Path:
    layout = generate(BROKERS, PARTITIONS, FACTOR, RACKS)
    random = np.random.default_rng(count)
    for number in range(count):
        land(Snapshot(layout, FIRST + timedelta(minutes=10 * number), "admin", metadata="kraft"), folder, "bench")
        layout = _later(layout, random)
    return folder


def _later(layout: ClusterLayout, random: np.random.Generator) -> ClusterLayout:
    """The layout ten minutes later: some leaders moved, some replicas fell behind, some lists changed."""
    # Whole topics change, as they do in life: by a reassignment, a broker's restart, a burst of traffic.
    topic = int(random.integers(len(layout.topics)))
    first = layout.rows_of_topic(layout.topics[topic]).start
    rows = np.arange(first, min(first + CHANGED, layout.partition_count))
    replicas, leader = layout.replicas.copy(), layout.leader.copy()
    replicas[rows] = np.roll(replicas[rows], 1, axis=1)
    leader[rows] = replicas[rows, 0]
    return replace(layout, replicas=replicas, leader=leader)


def _own_seconds(landing: Path) -> float:
    """CPU seconds of the functions that Spark maps over the files, called without Spark."""
    began = time.process_time()
    for file in sorted(landing.rglob("*.json")):
        content = file.read_bytes()
        batch = pa.RecordBatch.from_pydict({"path": [str(file)], "length": [len(content)], "content": [content]})
        for work in (measurer(str(landing)), replica_reader(str(landing))):
            for _ in work([batch]):
                pass
    return time.process_time() - began


def _rate(rows: int, seconds: float) -> str:
    return f"{seconds / (rows / 1e6):.1f} s a million, {rows / seconds:,.0f} rows/s"
