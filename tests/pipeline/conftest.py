"""What the pipeline's tests share: one Spark session a process, since each start costs seconds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from reseat.pipeline.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The embedded Spark on two cores, as ``pipeline run`` opens it."""
    with open_session(master="local[2]", memory="1g", settings={"spark.sql.shuffle.partitions": "2"}) as session:
        yield session
