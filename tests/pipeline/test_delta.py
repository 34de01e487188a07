"""Tables that are Delta tables hold what plain ones hold, and a reader who knows Delta alone sees the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reseat.history.delta import DeltaTables
from reseat.history.folder import Folder
from reseat.history.schema import TABLES
from reseat.pipeline.upkeep.compaction import compact
from reseat.pipeline.upkeep.retention import retain
from tests.pipeline import plain
from tests.pipeline.moments import put
from tests.pipeline.running import run, sweep
from tests.pipeline.test_exactly_once import ALL, SHOP

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def delta_tables(home: Path) -> Folder:
    """An empty place for Delta tables on this disk."""
    tables = Folder.open(home)
    DeltaTables(tables, {}).handle("snapshots", make=True)
    return tables


def by_history(tables: Folder) -> dict[str, list[str]]:
    """All rows as pages read them."""
    from reseat.history.read import History

    return {one.name: sorted(map(str, History.open(tables).table(one.name).to_pylist())) for one in TABLES}


@pytest.mark.parametrize("where", ["disk", pytest.param("hdfs", marks=pytest.mark.slow)])
def test_the_same_rows_as_plain_tables_after_every_job(
    spark: SparkSession, tmp_path: Path, where: str, request: pytest.FixtureRequest
) -> None:
    """Runs over late snapshots, a sweep, a compaction, a retention; asked by pages and by who knows Delta alone.

    The first run has large files, whose rows Spark writes, the second small ones.
    """
    landing = Folder.open(tmp_path / "landing")
    plainly, delta = Folder.open(tmp_path / "plain"), delta_tables(tmp_path / "delta")
    if where == "hdfs":
        landing, delta = (Folder.open(f"{request.getfixturevalue('hdfs')}/{one}") for one in ("landing", "delta"))
    for tables in (plainly, delta):
        assert "delta" in tables.where or tables is plainly

    def both(job: object, *arguments: object, **named: object) -> None:
        done = [job(spark, *arguments, tables, **named) for tables in (plainly, delta)]  # type: ignore[operator]
        assert str(done[0]).split("seconds")[0] == str(done[1]).split("seconds")[0]
        rows = plain.rows(plainly)
        assert plain.rows(delta) == rows
        assert by_history(delta) == rows == by_history(plainly)

    put(landing, *(one for one in ALL if one not in SHOP), SHOP[0], SHOP[3], large=True)
    both(run, landing)
    put(landing, *SHOP)
    landing.write("cluster=shop/torn.json", b"{")
    both(run, landing)
    assert run(spark, landing, delta).new == 0
    both(sweep)
    rows = plain.rows(delta)
    assert compact(spark, delta).folders
    assert plain.rows(delta) == by_history(delta) == rows
    assert not compact(spark, delta).folders
    both(retain, keep_days=1)
    assert not retain(spark, delta, keep_days=1).removed
