"""What the pipeline's tests share: one Spark session a process, since each start costs seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from reseat.history.folder import Folder
from reseat.pipeline.ingest import run
from reseat.pipeline.session import open_session
from reseat.sources.landing import land
from tests.pipeline import plain
from tests.pipeline.moments import MOMENTS, snapshot_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The embedded Spark on two cores, as ``pipeline run`` opens it."""
    with open_session(master="local[2]", memory="1g", settings={"spark.sql.shuffle.partitions": "2"}) as session:
        yield session


@pytest.fixture(scope="session")
def of_all(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The rows of all tables for all ``MOMENTS``, taken in by one embedded run that nothing disturbed."""
    home = tmp_path_factory.mktemp("undisturbed")
    landing, tables = Folder.open(home / "landing"), Folder.open(home / "tables")
    for moment in MOMENTS:
        land(snapshot_of(moment), landing, moment.cluster)
    run(spark, landing, tables)
    return plain.rows(tables)
