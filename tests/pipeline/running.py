"""Runs and sweeps in a session that is there already."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

from reseat.history.folder import Folder
from reseat.pipeline.ingest import RunReport, run_on_demand
from reseat.pipeline.sweep import SweepReport, sweep_on_demand


def run(spark: SparkSession, landing: Folder, tables: Folder, **chosen: Any) -> RunReport:
    """``run_on_demand`` in this session."""
    return run_on_demand(lambda _: spark, landing, tables, **chosen)


def sweep(spark: SparkSession, tables: Folder, **chosen: Any) -> SweepReport:
    """``sweep_on_demand`` in this session."""
    return sweep_on_demand(lambda: spark, tables, **chosen)
