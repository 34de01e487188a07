"""The same run on other Sparks: a standalone cluster that loses a machine in the middle, and a Spark Connect server."""

from __future__ import annotations

from pathlib import Path

import pytest

from reseat.formats.documents.snapshot_writer import identity
from reseat.history.folder import Folder
from tests.pipeline import plain
from tests.pipeline.command import Command
from tests.pipeline.expected import EXPECTED, same
from tests.pipeline.moments import MOMENTS, put, snapshot_of
from tests.pipeline.test_delta import delta_tables
from tests.servers.spark import connect_server, jvm_options, standalone

pytestmark = pytest.mark.spark

#: What all rows of a snapshot share, and the digest, which ``test_tables`` looks at.
_SHARED = {"cluster", "day", "snapshot_id", "taken_at", "state_digest"}


@pytest.fixture(scope="module")
def landing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A landing zone with all moments: of every other one Spark itself writes the rows, of the rest the driver."""
    folder = tmp_path_factory.mktemp("zone") / "landing"
    put(Folder.open(folder), *map(snapshot_of, MOMENTS[::2]))
    put(Folder.open(folder), *map(snapshot_of, MOMENTS[1::2]), large=True)
    return folder


@pytest.fixture(params=["plain", pytest.param("delta", marks=pytest.mark.slow)])
def tables(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    """An empty place for tables, of either store."""
    return Folder.open(tmp_path / "tables") if request.param == "plain" else delta_tables(tmp_path / "tables")


def through_connect(home: Path, landing: Path) -> None:
    """All moments by ``--remote`` instead of ``--master``, and nothing else."""
    with connect_server(home / "server") as remote:
        code, out, words = Command.start(landing, home / "tables", "--remote", remote).finish()

    assert (code, words) == (0, [])
    assert f"{len(MOMENTS)} snapshots ingested" in out


@pytest.fixture(scope="module")
def undisturbed(landing: Path, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """The tables that nothing disturbed, through Spark Connect."""
    home = tmp_path_factory.mktemp("undisturbed")
    through_connect(home, landing)
    return Folder.open(home / "tables")


def test_through_spark_connect_the_tables_are_those_that_pandas_finds(undisturbed: Folder) -> None:
    """What each snapshot tells, as of the embedded Spark in ``test_tables``."""
    for name in EXPECTED.keys() - {"snapshots"}:
        rows = plain.read(undisturbed, name)
        for moment in MOMENTS:
            mine = [row for row in rows if row["snapshot_id"] == identity(snapshot_of(moment))]
            same([{key: row[key] for key in row.keys() - _SHARED} for row in mine], EXPECTED[name](moment))


@pytest.mark.slow
def test_through_spark_connect_delta_tables_have_the_same_rows(
    tmp_path: Path, landing: Path, undisturbed: Folder
) -> None:
    """Of either store."""
    tables = delta_tables(tmp_path / "tables")
    through_connect(tmp_path, landing)

    assert plain.rows(tables) == plain.rows(undisturbed)


def test_a_worker_that_dies_in_the_middle_costs_no_row(
    tmp_path: Path, landing: Path, tables: Folder, undisturbed: Folder
) -> None:
    """One of two machines goes away, with its executor and what that had cached, while the tables are written."""
    with standalone(tmp_path / "cluster") as cluster:
        settings = {"spark.executor.memory": "512m", "spark.executor.extraJavaOptions": jvm_options()}
        told = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
        job = Command.start(landing, tmp_path / "tables", "--master", cluster.url, *told)
        for _ in ("small files", "large ones, which Spark writes"):
            job.until("write")
        cluster.kill_worker(0)
        code, out, words = job.finish()
        lost = cluster.master.log.read_text()

    assert (code, words) == (0, [])
    assert f"{len(MOMENTS)} snapshots ingested" in out
    assert "LOST" in lost or "Removing" in lost or "disassociated" in lost
    assert plain.rows(tables) == plain.rows(undisturbed)
    assert tables.files("_reseat/runs", hidden=True) == []
