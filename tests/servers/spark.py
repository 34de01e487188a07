"""Real Spark clusters from the PySpark that pip installed: a standalone master with workers, a Connect server.

Everything listens on 127.0.0.1 on free ports. The processes know nothing of Reseat: they run in folders of their own,
with no PYTHONPATH, so what executors import of it has reached them through Spark.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil
import pyspark

from reseat.pipeline.spark import classes
from reseat.pipeline.spark.java import find_java, spark_java_home
from tests.servers.cluster import BRIEF, await_ready, listens
from tests.servers.ports import free_ports

__all__ = ["SparkServer", "Standalone", "connect_server", "jvm_options", "standalone"]

_SPARK = Path(pyspark.__file__).parent
#: A run sets the rights of some hundred files, each by a process of its own.
_JVM = (*BRIEF, "-XX:ReservedCodeCacheSize=240m", "-Djdk.lang.Process.launchMechanism=VFORK")


def jvm_options() -> str:
    """The options of a JVM of Spark that is to start quickly and lives for minutes at most."""
    return " ".join((*_JVM, *classes.sharing(_archive())))


@cache
def _archive() -> Path:
    """Where the user's jobs keep it. One that is not there is not made: that costs more than all tests' JVMs gain."""
    archive = classes.archive_of(find_java())
    if not archive.exists():
        archive.parent.mkdir(parents=True, exist_ok=True)
        archive.touch()
    return archive


@dataclass
class SparkServer:
    """One process of a cluster.

    Attributes:
        name: what it is.
        process: the process.
        log: what it prints.
    """

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """``kill -9``, as a machine that goes away."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """Ask it to end, and see to it."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()


@dataclass
class Standalone:
    """A standalone master and its workers.

    Attributes:
        url: ``spark://127.0.0.1:port``.
        master: the master's process.
        workers: the workers' processes.
    """

    url: str
    master: SparkServer
    workers: list[SparkServer] = field(default_factory=list)

    def kill_worker(self, which: int) -> None:
        """``kill -9`` a worker and the executors that it started: a machine that goes away."""
        worker = self.workers[which]
        executors = psutil.Process(worker.process.pid).children(recursive=True)
        worker.kill()
        for executor in executors:
            executor.kill()


@contextmanager
def standalone(directory: Path, workers: int = 2, cores: int = 1, memory: str = "1g") -> Iterator[Standalone]:
    """A master with workers; all of them are ended on exit.

    Args:
        directory: an empty folder for logs and work.
        workers: how many.
        cores: of each worker.
        memory: of each worker, for its executors.
    """
    (port,) = free_ports(1)
    started: list[SparkServer] = []
    try:
        at = ["--host", "127.0.0.1", "--webui-port", "0"]
        master = _start(directory, "master", "org.apache.spark.deploy.master.Master", [*at, "--port", str(port)])
        started.append(master)
        await_ready(lambda: listens(port), master.process, master.log, "Spark's master")
        cluster = Standalone(f"spark://127.0.0.1:{port}", master)
        for number in range(workers):
            name = f"worker-{number}"
            work = ["--work-dir", str(directory / f"{name}-work"), "--cores", str(cores), "--memory", memory]
            worker = _start(directory, name, "org.apache.spark.deploy.worker.Worker", [*at, *work, cluster.url])
            started.append(worker)
            cluster.workers.append(worker)
        for worker in cluster.workers:
            await_ready(
                lambda log=worker.log: b"Successfully registered with master" in log.read_bytes(),
                worker.process,
                worker.log,
                worker.name,
            )
        yield cluster
    finally:
        for server in reversed(started):
            server.stop()


@contextmanager
def connect_server(directory: Path, master: str = "local[2]", memory: str = "1g") -> Iterator[str]:
    """A Spark Connect server; gives its address, ``sc://127.0.0.1:port``.

    Args:
        directory: an empty folder for its log and work.
        master: where its jobs run.
        memory: its heap.
    """
    (port,) = free_ports(1)
    settings = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": jvm_options(),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
    }
    told = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
    command = ["--master", master, "--driver-memory", memory, *told, "--class"]
    server = _run(
        directory,
        "connect",
        [str(_SPARK / "bin" / "spark-submit"), *command, "org.apache.spark.sql.connect.service.SparkConnectServer"],
    )
    try:
        await_ready(lambda: listens(port), server.process, server.log, "Spark Connect's server")
        yield f"sc://127.0.0.1:{port}"
    finally:
        server.stop()


def _start(directory: Path, name: str, main: str, told: list[str]) -> SparkServer:
    """Start one of Spark's daemons."""
    command = [str(_SPARK / "bin" / "spark-class"), main, *told]
    return _run(directory, name, command, SPARK_DAEMON_MEMORY="256m", SPARK_DAEMON_JAVA_OPTS=jvm_options())


def _run(directory: Path, name: str, command: list[str], **further: str) -> SparkServer:
    """Start a process of Spark in the folder, without anything of this process's own way to Reseat."""
    directory.mkdir(parents=True, exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "SPARK_", "PYSPARK_"))}
    made = {
        "JAVA_HOME": str(spark_java_home()),
        "SPARK_HOME": str(_SPARK),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
    }
    log = directory / f"{name}.log"
    with log.open("ab") as file:
        process = subprocess.Popen(
            command,
            cwd=directory,
            env=kept | made | further,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    return SparkServer(name, process, log)
