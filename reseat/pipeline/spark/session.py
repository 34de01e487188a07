"""Opens the Spark session that the pipeline's jobs run in, and ends everything that was started for it.

The same job runs embedded (``local[*]``, the default), on a standalone, YARN or Kubernetes cluster (``master``),
through Spark Connect (``remote``), and where ``spark-submit`` started this process: a job takes the session as an
argument and uses nothing but DataFrames. What differs between the kinds is here: Java is found (``java.py``), settings
are chosen (``settings.py``), a cluster that is not there is refused (``preflight.py``), Reseat's code is brought to the
executors (``artifact.py``), and trouble is put in words (``spark_errors.py``).

The JVM is a child of this process and reads a pipe from it: however this process ends, also by ``kill -9``, the JVM
sees the pipe close and ends, and its Python workers with it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, cast

from reseat.errors import SparkFailed
from reseat.pipeline.artifact import ship_code
from reseat.pipeline.spark import classes
from reseat.pipeline.spark.java import JavaRuntime, find_java, spark_java_home
from reseat.pipeline.spark.preflight import check_master, check_remote
from reseat.pipeline.spark.scratch import scratch_folder
from reseat.pipeline.spark.settings import (
    PROMISED,
    compared_packages,
    for_command_line,
    from_defaults_file,
    is_local,
    is_this_machine,
    launch_settings,
    packages_for,
    session_settings,
    without_promised,
)
from reseat.pipeline.spark.spark_errors import in_words, without_traces

if TYPE_CHECKING:
    from pyspark import SparkConf
    from pyspark.sql import SparkSession

__all__ = ["open_session"]

_SECONDS_TO_END = 20.0  # a JVM that was told to stop ends in one or two
_NONE: Mapping[str, str] = MappingProxyType({})


@contextlib.contextmanager
def open_session(
    *,
    master: str | None = None,
    remote: str | None = None,
    settings: Mapping[str, str] = _NONE,
    memory: str | None = None,
    brief: bool = False,
    places: Sequence[str] = (),
) -> Iterator[SparkSession]:
    """A Spark session that is ready for the pipeline's jobs; on exit it is stopped and its JVM has ended.

    Where a session runs in this process already, a sibling of it is given, which shares its JVM and does not stop it.

    Args:
        master: where Spark runs: ``local[*]`` (the default), ``spark://host:port``, ``yarn`` or ``k8s://https://...``;
            under ``spark-submit``, what that was told.
        remote: a Spark Connect server instead, ``sc://host:port``; by default what SPARK_REMOTE names.
        settings: further Spark settings. They win over those chosen here, but for those that the tables' meaning rests
            on (``settings.PROMISED``). Through Spark Connect only what a session may set.
        memory: the driver's heap ("4g"); by default a quarter of the machine's memory, 1 to 8 GB.
        brief: whether it is for some seconds' work: a JVM that is started on this machine then compiles less.
        places: where landing zone and tables are. For S3 and ABFS the embedded Spark fetches what it needs, once,
            unless it is told of jars.

    Raises:
        SparkFailed: there is no Java, the cluster does not answer or refuses a setting; or Spark failed in the work
            done inside the ``with``. The details are the errors of Spark's log.
    """
    settings = without_promised(settings)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if remote is None and master is None and not submitted:
        remote = os.environ.get("SPARK_REMOTE") or None
    if remote is not None and master is not None:
        raise SparkFailed("Spark runs on a master or through a Spark Connect server: name one of the two.")
    with scratch_folder() as scratch, without_traces():
        if remote is not None:
            opened = _connected(remote, settings, scratch)
        elif _running() is not None:
            opened = _beside(master, settings)
        elif submitted:
            opened = _submitted(master, settings, scratch)
        else:
            opened = _launched(master or "local[*]", settings, memory, scratch, brief=brief, places=places)
        with opened as spark:
            yield spark


@contextlib.contextmanager
def _connected(remote: str, settings: dict[str, str], scratch: Path) -> Iterator[SparkSession]:
    """A session on a Spark Connect server, with Reseat's code as an artifact of that session alone."""
    from pyspark.sql.connect.session import SparkSession as ConnectSession

    check_remote(remote)
    # From here to the end PySpark's functions make expressions for Connect; after it, for a JVM of this process again.
    with _environment({"SPARK_CONNECT_MODE_ENABLED": "1"}):
        with in_words("The Spark Connect server refused a session"):
            # Connect's session has the same DataFrames, and is no subclass of the other.
            spark = cast("SparkSession", ConnectSession.builder.config(map={"spark.remote": remote}).create())
        try:
            with in_words("The Spark Connect server refused a setting"):
                for name, value in session_settings(settings).items():
                    spark.conf.set(name, value)
            with in_words("Spark failed"):
                ship_code(spark, scratch)
                yield spark
        finally:
            spark.stop()


@contextlib.contextmanager
def _beside(master: str | None, settings: dict[str, str]) -> Iterator[SparkSession]:
    """A sibling of the session that runs in this process."""
    from pyspark.sql import SparkSession

    context = _running()
    if master is not None and master != context.master:
        raise SparkFailed(f"A Spark session on {context.master} runs in this process: end it before one on {master}.")
    spark = SparkSession.builder.getOrCreate().newSession()
    with in_words("Spark failed"):
        for name, value in session_settings(settings).items():
            spark.conf.set(name, value)
        yield spark


@contextlib.contextmanager
def _submitted(master: str | None, settings: dict[str, str], scratch: Path) -> Iterator[SparkSession]:
    """A session in the JVM that ``spark-submit`` started this process from, with the settings that it was given."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    SparkContext._ensure_initialized()
    conf = SparkConf()
    told = master or conf.get("spark.master") or "local[*]"
    for name, value in launch_settings(told, scratch).items():
        conf.setIfMissing(name, value)
    for name, value in (settings | dict(PROMISED)).items():
        conf.set(name, value)
    with in_words("Spark failed"):
        spark = SparkSession.builder.config(conf=conf).getOrCreate()
        try:
            if not is_local(told):
                ship_code(spark, scratch)
            yield spark
        finally:
            spark.stop()


@contextlib.contextmanager
def _launched(
    master: str, settings: dict[str, str], memory: str | None, scratch: Path, *, brief: bool, places: Sequence[str]
) -> Iterator[SparkSession]:
    """A session in a JVM of its own, which is ended with it."""
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    check_master(master)
    java = find_java()
    archive, loaded = classes.archive_of(java), scratch / "classes"
    # A driver on a cluster may run on another PySpark than the one that is installed here.
    recorded = classes.recording(archive, loaded) if is_local(master) else ()
    shared = classes.sharing(archive) if is_local(master) else ()
    chosen = launch_settings(master, scratch, memory, brief=brief, java=(*shared, *recorded))
    if memory is None:
        chosen = {name: value for name, value in chosen.items() if name not in from_defaults_file()} | {
            "spark.master": master
        }
    chosen |= settings | dict(PROMISED)
    if is_local(master):
        chosen |= packages_for(places, {**from_defaults_file(), **chosen})
    chosen |= compared_packages({**from_defaults_file(), **chosen}, scratch)
    log = scratch / "spark.log"
    gateway: Any = None
    done = False
    # Spark's context takes Ctrl-C over, to cancel its jobs first; without one it is this process's own again.
    interrupt = signal.getsignal(signal.SIGINT)
    try:
        with log.open("ab") as file, _environment(driver_environment(master, settings, java)):
            with in_words("Java could not be started for Spark", log=log):
                start = SparkConf(loadDefaults=False).setAll(list(for_command_line(chosen).items()))
                gateway = _gateway(start, file)
            with in_words(f"Spark could not be started on {master}", log=log, ended=gateway.proc.poll):
                SparkContext._ensure_initialized(gateway=gateway)
                spark = SparkSession.builder.config(map=dict(chosen)).getOrCreate()
                path = gateway.jvm.java.lang.System.getProperty("java.class.path")
        with in_words("Spark failed", log=log, ended=gateway.proc.poll):
            if not is_local(master):
                ship_code(spark, scratch)
            yield spark
        done = True
    finally:
        _end(gateway)
        if done and recorded:
            classes.remember(archive, loaded, java.java, path)
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, interrupt)


def _gateway(start: SparkConf, log: IO[bytes]) -> Any:
    """PySpark's way to a JVM that it starts; where that is stopped before it is given, the JVM has ended."""
    from pyspark.java_gateway import launch_gateway

    try:
        return launch_gateway(start, {"stdout": log, "stderr": log})
    except BaseException as error:
        # Ctrl-C does not reach the JVM, and PySpark's call alone knows it: as ``proc``.
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if isinstance(begun := frame.f_locals.get("proc"), subprocess.Popen):
                with begun:  # waits, and closes its input
                    begun.kill()
        raise


def driver_environment(
    master: str, settings: Mapping[str, str], java: JavaRuntime | None = None
) -> dict[str, str | None]:
    """What the JVM and the workers it starts must find in their environment; None: what they must not find."""
    found: dict[str, str | None] = {
        "JAVA_HOME": str(spark_java_home(runtime=java)),
        "SPARK_REMOTE": None,
        "SPARK_CONNECT_MODE_ENABLED": None,
    }
    if sys.platform == "linux":
        # Names of files are UTF-8 here, whatever the terminal speaks. In another locale, or in one that this machine
        # does not have, Java finds no file whose name is more than ASCII, and the run would fail for one such.
        found["LC_ALL"] = "C.UTF-8"
    if is_this_machine(master):
        found["SPARK_LOCAL_IP"] = "127.0.0.1"  # else Spark resolves this machine's name, which perhaps nobody knows
    if is_local(master):
        # The Spark that was installed with Reseat, whatever else the machine has; the workers are children of its JVM,
        # with this Python, and import Reseat from where it is imported here.
        home = str(Path(__file__).resolve().parents[3])
        found["SPARK_HOME"] = None
        found["PYTHONPATH"] = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        found["PYSPARK_PYTHON"] = sys.executable
        found["PYTHONSAFEPATH"] = "1"  # nothing that lies in the folder where the command is typed
    elif is_this_machine(master):
        found["PYSPARK_PYTHON"] = os.environ.get("PYSPARK_PYTHON", sys.executable)
    # PySpark heeds this setting under spark-submit alone.
    if "spark.pyspark.python" in settings:
        found["PYSPARK_PYTHON"] = settings["spark.pyspark.python"]
    return found


@contextlib.contextmanager
def _environment(values: Mapping[str, str | None]) -> Iterator[None]:
    """These variables while a JVM is started: it inherits them, and this process has its own again after."""
    before = {name: os.environ.get(name) for name in values}
    _set(values)
    try:
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    """Set these variables of the environment, or take them out of it."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _running() -> Any:
    """The Spark context of this process, or None."""
    if "pyspark" not in sys.modules:
        return None
    from pyspark import SparkContext

    return SparkContext._active_spark_context


def _end(gateway: Any) -> None:
    """Stop what runs in this JVM and end it, so that the next session starts with settings of its own."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if gateway is None:
        return
    # A JVM that has died, of whatever, takes no more calls.
    with contextlib.suppress(Py4JError, OSError):
        if SparkContext._active_spark_context is not None:
            SparkSession.builder.getOrCreate().stop()
    with contextlib.suppress(Py4JError, OSError):
        gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    gateway.proc.stdin.close()  # what the JVM waits for
    try:
        gateway.proc.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()
