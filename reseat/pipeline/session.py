"""Opens the Spark session that the pipeline's jobs run in, and closes it with everything that was started for it.

The same job runs embedded (``local[*]``, the default), on a standalone, YARN or Kubernetes cluster (``master``) and
through Spark Connect (``remote``): a job takes the session as an argument and uses nothing but DataFrames. What differs
between the kinds is here: Java is found, settings are chosen (``settings.py``), Reseat's code is brought to the
executors (``artifact.py``), and trouble is put in words (``trouble.py``).
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from reseat.pipeline.java import spark_java_home
from reseat.pipeline.settings import launch_settings, quiet_log

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["open_session"]

_SECONDS_TO_END = 20.0  # a JVM that was told to stop ends in one or two


@contextlib.contextmanager
def open_session(
    *,
    master: str | None = None,
    remote: str | None = None,
    settings: Mapping[str, str] = MappingProxyType({}),
    memory: str | None = None,
) -> Iterator[SparkSession]:
    """A Spark session ready for the pipeline's jobs; stopped on exit, and its JVM ended.

    Args:
        master: where Spark runs: ``local[*]`` (the default), ``spark://host:port``, ``yarn``, ``k8s://...``.
        remote: a Spark Connect server instead, ``sc://host:port``.
        settings: further Spark settings; they win over those chosen here.
        memory: the driver's heap ("4g"); by default a quarter of the machine's memory, 1 to 8 GB.

    Raises:
        SparkFailed: no Java, a cluster that does not answer, or a job that failed.
    """
    with tempfile.TemporaryDirectory(prefix="reseat-spark-") as scratch:
        spark = _start(master or "local[*]", dict(settings), memory, Path(scratch))
        try:
            yield spark
        finally:
            _stop(spark)


def _start(master: str, settings: dict[str, str], memory: str | None, scratch: Path) -> SparkSession:
    """Start a JVM with a session in it."""
    from pyspark.sql import SparkSession

    chosen = launch_settings(master, scratch, memory)
    chosen["spark.driver.defaultJavaOptions"] = quiet_log(scratch)
    with _environment(_driver_environment(master)):
        return cast("SparkSession", SparkSession.builder.config(map=chosen | settings).getOrCreate())


def _driver_environment(master: str) -> dict[str, str]:
    """What the JVM must find in its environment."""
    found = {"JAVA_HOME": str(spark_java_home())}
    if master.startswith("local"):
        # The workers are children of this machine's JVM: the same Python, and Reseat from where it is imported here.
        home = str(Path(__file__).resolve().parents[2])
        found["PYSPARK_PYTHON"] = sys.executable
        found["PYTHONPATH"] = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
    return found


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """These variables while a JVM is started: it inherits them, and this process has its own again after."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _stop(spark: Any) -> None:
    """Stop the session and end its JVM, so that the next session starts with settings of its own."""
    from pyspark import SparkContext

    spark.stop()
    gateway = SparkContext._gateway
    if gateway is None:
        return
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()  # what the JVM waits for
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
