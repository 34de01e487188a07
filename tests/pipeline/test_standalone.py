"""The same run on other Sparks: a standalone cluster that loses a machine in the middle, and a Spark Connect server."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.history.folder import Folder
from reseat.sources.landing import land
from tests.pipeline import plain
from tests.pipeline.command import Command
from tests.pipeline.moments import MOMENTS, snapshot_of
from tests.pipeline.test_delta import delta_tables
from tests.servers.spark import connect_server, standalone

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A landing zone with all moments."""
    folder = tmp_path_factory.mktemp("zone") / "landing"
    for moment in MOMENTS:
        land(snapshot_of(moment), folder, moment.cluster)
    return folder


@pytest.fixture(params=["plain", pytest.param("delta", marks=pytest.mark.slow)])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """An empty place for tables, of either store."""
    return Folder.open(tmp_path / "tables") if request.param == "plain" else delta_tables(tmp_path / "tables")


@pytest.mark.slow  # a minute of two cores; a whole run on more than one process is the next test's too
def test_a_worker_that_dies_in_the_middle_costs_no_row(
    tmp_path: Path, landing: Path, tables: Folder, of_all: dict[str, list[str]]
) -> None:
    """One of two machines goes away, with its executor and what that had cached, while the tables are written."""
    with standalone(tmp_path / "cluster") as cluster:
        job = Command.start(
            landing, tmp_path / "tables", "--master", cluster.url, "--conf", "spark.executor.memory=512m"
        )
        job.until("write")
        cluster.kill_worker(0)
        code, out, words = job.finish()
        lost = cluster.master.log.read_text()

    assert (code, words) == (0, [])
    assert f"{len(MOMENTS)} snapshots ingested" in out
    assert "LOST" in lost or "Removing" in lost or "disassociated" in lost
    assert plain.rows(tables) == of_all
    assert tables.files("_reseat/runs", hidden=True) == []


def test_through_spark_connect_the_tables_are_the_same(
    tmp_path: Path, landing: Path, tables: Folder, of_all: dict[str, list[str]]
) -> None:
    """``--remote`` instead of ``--master``, and nothing else."""
    with connect_server(tmp_path / "server") as remote:
        code, out, words = Command.start(landing, tmp_path / "tables", "--remote", remote).finish()

    assert (code, words) == (0, [])
    assert f"{len(MOMENTS)} snapshots ingested" in out
    assert plain.rows(tables) == of_all
