"""A real HDFS on this machine, a name node and a data node: Hadoop's own servers, in the version that PySpark brings.

Their jar is fetched once from Maven Central below ``.cache``; the rest is among PySpark's jars.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark
from hdfs_native import Client, WriteOptions

from tests.servers.cluster import BRIEF, await_ready, java_program, listens
from tests.servers.ports import free_ports

__all__ = ["hdfs", "missing_hdfs"]

_SPARK = Path(pyspark.__file__).parent / "jars"
_JARS = Path(__file__).parents[2] / ".cache" / "hdfs"
#: Of PySpark's jars: a whole class path would bring a second servlet container.
_USED = ("hadoop-client-*", "slf4j-api-*", "jcl-over-slf4j-*", "log4j-*", "commons-codec-*", "jakarta.servlet-api-*")
_SITE = {
    "dfs.replication": "1",
    "dfs.permissions.enabled": "false",
    "dfs.namenode.http-address": "127.0.0.1:{1}",
    "dfs.datanode.address": "127.0.0.1:{2}",
    "dfs.datanode.http.address": "127.0.0.1:{3}",
    "dfs.datanode.ipc.address": "127.0.0.1:{4}",
    "dfs.datanode.hostname": "127.0.0.1",
    "fs.defaultFS": "hdfs://127.0.0.1:{0}",
}


def missing_hdfs() -> str | None:
    """Why there can be none, as one sentence, or None; fetches what can be fetched, 56 MB."""
    if java_program() is None or shutil.which("mvn") is None:
        return "No java or no mvn was found: HDFS is fetched and run with them."
    (version,) = {one.stem.rpartition("-")[2] for one in _SPARK.glob("hadoop-client-api-*.jar")}
    if list(_JARS.glob(f"*-{version}.jar")):
        return None
    artifact = f"org.apache.hadoop:hadoop-client-minicluster:{version}"
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={_JARS}"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
    return f"HDFS cannot be fetched: {done.stdout.strip()[-300:]}" if done.returncode else None


@contextmanager
def hdfs(home: Path) -> Iterator[str]:
    """A name node with one data node.

    Args:
        home: where their files and logs go.

    Yields:
        The URL of its root, without a slash at the end.
    """
    ports = free_ports(5)
    keys = {"hadoop.tmp.dir": str(home / "data"), **_SITE}
    told = "".join(f"<property><name>{k}</name><value>{v.format(*ports)}</value></property>" for k, v in keys.items())
    for name in ("core-site.xml", "hdfs-site.xml"):
        (home / name).write_text(f"<configuration>{told}</configuration>")
    jars = [*_JARS.glob("*.jar"), *(jar for one in _USED for jar in _SPARK.glob(f"{one}.jar"))]
    java = [java_program() or "java", "-Xmx300m", *BRIEF]
    java += ["-cp", os.pathsep.join(map(str, [home, *jars]))]
    server = "org.apache.hadoop.hdfs.server"
    name_node = [*java, f"{server}.namenode.NameNode"]
    subprocess.run([*name_node, "-format", "-nonInteractive"], check=True, capture_output=True, timeout=120)
    with ExitStack() as running:
        for command, port in ((name_node, ports[0]), ([*java, f"{server}.datanode.DataNode"], ports[2])):
            log = home / f"{command[-1]}.log"
            out = running.enter_context(log.open("wb"))
            process = running.enter_context(subprocess.Popen(command, stdout=out, stderr=out))
            running.callback(process.terminate)
            await_ready(lambda port=port: listens(port), process, log, command[-1])
        url = f"hdfs://127.0.0.1:{ports[0]}"
        _await_data_node(url)
        yield url


def _await_data_node(url: str) -> None:
    """Once a file can be written, the data node is known to the name node."""
    client, until = Client(url), time.monotonic() + 60
    while True:
        try:
            with client.create("/ready", WriteOptions(overwrite=True)) as file:
                file.write(b"1")
        except (OSError, RuntimeError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)  # a server in another process: there is nothing to wait on but its answer
        else:
            return
