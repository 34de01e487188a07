"""What the pipeline's tests share: one Spark session a process, since each start costs seconds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reseat.history.folder import Folder
from reseat.pipeline.spark.session import open_session
from tests.pipeline import plain
from tests.pipeline.moments import MOMENTS, put, snapshot_of
from tests.pipeline.running import run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", autouse=True)
def own_cache(project: Path) -> Iterator[None]:
    """What sessions keep for the next one, and the marks that they leave, is the tests' own, and no user's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("XDG_CACHE_HOME", str(project / ".cache"))
        yield


@pytest.fixture(scope="session")
def spark(own_cache: None) -> Iterator[SparkSession]:
    """The embedded Spark on two cores, as ``pipeline run`` opens it for a few files."""
    from tests.servers.spark import jvm_options  # with all of PySpark

    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": jvm_options(),
        # For a dozen rows a plan's own class takes longer to compile than to run without: a quarter of a run's CPU. The
        # tests of commands, of Connect and of standalone clusters have it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
    with open_session(master="local[2]", memory="1g", settings=settings, brief=True) as session:
        yield session


@pytest.fixture(scope="session")
def of_all(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The rows of all tables for all ``MOMENTS``, taken in by one embedded run that nothing disturbed.

    They are landed as large files, whose sizes the tables tell.
    """
    home = tmp_path_factory.mktemp("undisturbed")
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    put(landing, *map(snapshot_of, MOMENTS), large=True)
    run(spark, landing, tables)
    return plain.rows(tables)
