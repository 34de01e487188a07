"""A fleet's hour: one new snapshot of each of many small clusters, whose tables hold one of each already.

It pays for files, not for rows: each cluster's day is a file in each table. Twice as many clusters tell what one costs
beyond what a run costs. In a warm session; nothing is asserted.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.usage import Usage, measured
from reseat.demo.generate import generate
from reseat.history.folder import Folder
from reseat.model import Snapshot
from reseat.pipeline.ingest import run as ingest
from reseat.pipeline.spark.session import open_session
from reseat.sources.landing import land

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BROKERS, PARTITIONS, FACTOR, RACKS = 10, 300, 3, 3
CLUSTERS = (50, 150)
FIRST = datetime(2026, 5, 1, tzinfo=UTC)
#: Runs before the one that is measured: the first makes the tables, the others warm the session.
WARMING = 3


def run() -> list[tuple[str, str, str]]:
    """What is measured, its budget, and what was measured here."""
    rows: list[tuple[str, str, str]] = []
    found: list[Usage] = []
    with open_session(master="local[2]") as spark, tempfile.TemporaryDirectory(prefix="reseat-bench-") as home:
        for clusters in CLUSTERS:
            used = _hour(spark, Path(home) / str(clusters), clusters)
            found.append(used)
            what = f"one new snapshot each of {clusters} clusters of {BROKERS} brokers and {PARTITIONS} partitions"
            rows.append((what, "-", f"{used.seconds:.1f} s, {used.cpu:.1f} CPU s"))
    cpu = (found[1].cpu - found[0].cpu) / (CLUSTERS[1] - CLUSTERS[0])
    seconds = (found[1].seconds - found[0].seconds) / (CLUSTERS[1] - CLUSTERS[0])
    rows.append(("  so a cluster costs", "-", f"{cpu:.3f} CPU s, {seconds:.3f} s"))
    return rows


def _hour(spark: SparkSession, home: Path, clusters: int) -> Usage:
    """What the last of some runs takes, each over one snapshot more of each cluster."""
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    layout = generate(BROKERS, PARTITIONS, FACTOR, RACKS)
    for turn in range(WARMING + 1):
        replicas = layout.replicas.copy()
        replicas[turn] = replicas[turn][::-1]
        snapshot = Snapshot(replace(layout, replicas=replicas), FIRST + timedelta(minutes=10 * turn), "admin")
        for number in range(clusters):
            land(snapshot, landing, f"c{number:04}")
        with measured() as used:
            ingest(spark, landing, tables)
    return used
