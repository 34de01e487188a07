"""Whose word counts among Spark's settings, and what is refused before Spark is asked. No Spark is started."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import zipfile
from pathlib import Path

import pyspark
import pytest

from reseat.errors import SparkFailed
from reseat.pipeline.artifact import code_as_zip, write_code
from reseat.pipeline.spark import preflight, settings
from reseat.pipeline.spark.preflight import check_master, check_remote
from reseat.pipeline.spark.scratch import scratch_folder
from reseat.pipeline.spark.session import open_session
from reseat.pipeline.spark.spark_errors import in_words

_HOME = str(Path(__file__).parents[2])
#: What PySpark brings.
JARS = Path(pyspark.__file__).parent / "jars"


def test_the_callers_settings_win_but_promises_are_kept(tmp_path: Path) -> None:
    """A taste can be changed; what the tables' meaning rests on cannot."""
    given = settings.session_settings({"spark.sql.maxConcurrentOutputFileWriters": "3"})

    assert given["spark.sql.maxConcurrentOutputFileWriters"] == "3"
    assert given["spark.sql.session.timeZone"] == "UTC"
    with pytest.raises(SparkFailed, match=r"spark\.sql\.session\.timeZone=CET is not allowed"):
        settings.without_promised({"spark.sql.session.timeZone": "CET"})
    assert settings.without_promised({"spark.sql.ansi.enabled": "TRUE"}) == {"spark.sql.ansi.enabled": "TRUE"}


@pytest.mark.parametrize(
    ("master", "loopback"),
    [
        ("local[*]", True),
        ("local", True),
        ("spark://127.0.0.1:7077", True),
        ("spark://127.0.0.1:7077,spark.example:7077", False),
        ("spark://spark.example:7077", False),
        ("yarn", False),
    ],
)
def test_addresses_of_this_machine_are_for_this_machine_alone(tmp_path: Path, master: str, loopback: bool) -> None:
    """The driver listens on 127.0.0.1 where everything runs here, and where Spark says on a cluster."""
    given = settings.launch_settings(master, tmp_path)

    assert (given.get("spark.driver.bindAddress") == "127.0.0.1") == loopback
    assert given["spark.ui.enabled"] == "false"


def test_a_jvm_for_brief_work_compiles_less_where_it_does_the_work(tmp_path: Path) -> None:
    """On this machine alone: a cluster's executors work for others. Compiled code has the room that it has else."""
    options = {
        (master, brief): settings.launch_settings(master, tmp_path, brief=brief)["spark.driver.defaultJavaOptions"]
        for master in ("local[*]", "spark://127.0.0.1:7077")
        for brief in (False, True)
    }

    for one in ("-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"):
        assert [key for key, told in options.items() if one in told.split()] == [("local[*]", True)]
    assert all("-Dlog4j2.configurationFile=" in told for told in options.values())


@pytest.mark.parametrize("told", ["spark.jars", "spark.jars.packages", "spark.driver.extraClassPath"])
def test_what_reaches_a_place_is_fetched_unless_somebody_has_seen_to_it(told: str) -> None:
    """Of the version of the Hadoop that PySpark brings; for a disk and for HDFS nothing is missing."""
    (asked,) = settings.packages_for(["s3://lake/landing", "/srv/tables"], {}).values()
    (both,) = settings.packages_for(["s3a://lake/landing", "abfss://c@a.dfs.core.windows.net/t"], {}).values()
    (inside,) = {file.stem.rpartition("-")[2] for file in JARS.glob("hadoop-client-api-*.jar")}

    assert asked == f"org.apache.hadoop:hadoop-aws:{inside}"
    assert both == f"{asked},org.apache.hadoop:hadoop-azure:{inside}"
    assert settings.packages_for(["/srv/landing", "hdfs://namenode/tables", "file:///s3://"], {}) == {}
    assert settings.packages_for(["s3://lake/landing"], {told: "mine"}) == {}


def test_packages_are_compared_unless_somebody_has_settings_of_his_own(tmp_path: Path) -> None:
    """For Ivy; where nothing is fetched, nothing is added. Maven's folder comes last: it may lack a package's jar."""
    asked = {"spark.jars.packages": "a:b:1"}
    (added,) = settings.compared_packages(asked, tmp_path).values()

    told = Path(added).read_text()
    assert 'name="ivy.checksums" value="sha1"' in told
    assert 0 < told.index("central") < told.index(".m2")
    assert settings.compared_packages(asked | {"spark.jars.ivySettings": "mine.xml"}, tmp_path) == {}
    assert settings.compared_packages({}, tmp_path) == {}


def test_what_java_writes_for_a_while_lies_in_the_sessions_folder(tmp_path: Path) -> None:
    """A JVM that is killed deletes nothing: its folder goes with the next session, be there a blank in its path."""
    (tmp_path / "a b").mkdir()
    told = settings.launch_settings("local[*]", tmp_path / "a b")["spark.driver.defaultJavaOptions"]

    assert f"-Djava.io.tmpdir={tmp_path}/a b" in shlex.split(told)


def test_no_secret_stands_on_a_command_line() -> None:
    """Every user of a machine can read its command lines."""
    told = {
        "spark.hadoop.fs.s3a.secret.key": "x",
        "spark.hadoop.fs.azure.account.key.a": "y",
        "spark.executor.memory": "2g",
    }

    assert settings.for_command_line(told) == {"spark.executor.memory": "2g"}


def test_the_defaults_file_is_read_as_spark_reads_it(tmp_path: Path) -> None:
    """Blanks, = and : part name from value; comments are none."""
    (tmp_path / "spark-defaults.conf").write_text(
        "# spark.a 1\nspark.driver.memory   8g\nspark.b=x y\nspark.c : z\nother 1\n"
    )

    assert settings.from_defaults_file({"SPARK_CONF_DIR": str(tmp_path)}) == {
        "spark.driver.memory": "8g",
        "spark.b": "x y",
        "spark.c": "z",
    }
    assert settings.from_defaults_file({}) == {}


@pytest.mark.parametrize(
    ("master", "sentence"),
    [
        ("local[x]", "expected local\\[\\*\\]"),
        ("local[0]", "local\\[0\\] is not a Spark master"),
        ("mesos://a:1", "mesos://a:1 is not a Spark master"),
        ("sc://a:1", "--remote"),
        ("yarn", "HADOOP_CONF_DIR"),
        ("spark://127.0.0.1:1", "spark://127.0.0.1:1 \\(Connection refused\\)"),
        ("spark://127.0.0.1:1,127.0.0.1:2", "1 \\(Connection refused\\); spark://127.0.0.1:2"),
        ("spark://127.0.0.1:port", "cannot be reached"),
        ("k8s://https://127.0.0.1:1", "The Kubernetes API server cannot be reached"),
    ],
)
def test_a_master_that_cannot_be_is_refused_in_words(master: str, sentence: str) -> None:
    """In one sentence, at once, and before any JVM is started."""
    with pytest.raises(SparkFailed, match=sentence), open_session(master=master):
        pass


def test_one_of_several_masters_is_enough() -> None:
    """A standby master answers while the other is down."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        check_master(f"spark://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")


def test_a_connect_server_that_is_none_is_refused_without_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a port is closed, or something else listens; the sentence never holds the token."""
    monkeypatch.setattr(preflight, "SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(SparkFailed) as silent:
        check_remote(f"sc://127.0.0.1:{server.getsockname()[1]}")
    with pytest.raises(SparkFailed, match=r"No Spark Connect server answers at sc://127\.0\.0\.1:1 ") as closed:
        check_remote("sc://127.0.0.1:1/;token=hush;use_ssl=true")

    assert "No Spark Connect server answers" in str(silent.value)
    assert "hush" not in str(closed.value)
    with pytest.raises(SparkFailed, match=r"expected sc://host:port"):
        check_remote("http://127.0.0.1:1")


def test_a_master_and_a_remote_are_one_too_many() -> None:
    """Spark runs in one place."""
    with pytest.raises(SparkFailed, match="name one of the two"), open_session(master="local[1]", remote="sc://a"):
        pass


def test_the_zip_holds_the_code_and_is_always_the_same(tmp_path: Path) -> None:
    """The same code makes the same bytes, without caches, and Reseat runs from it."""
    path = write_code(tmp_path)
    names = zipfile.ZipFile(path).namelist()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import reseat.pipeline.artifact as a; print(a.write_code(a.Path('.')).name, a.__file__)",
        ],
        env=os.environ | {"PYTHONPATH": str(path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert code_as_zip() == path.read_bytes()
    assert "reseat/model/__init__.py" in names
    assert "reseat/sources/kafka_admin/schemas/ConsumerGroupDescribeRequest.json" in names
    assert not [name for name in names if "__pycache__" in name]
    assert done.stdout.split() == [path.name, f"{path}/reseat/pipeline/artifact.py"]


@pytest.mark.parametrize(
    ("words", "told"), [([], "The name of the zip was expected"), (["none/x.zip"], "none/x.zip: The file cannot be")]
)
def test_a_zip_that_cannot_be_written_is_refused_in_words(tmp_path: Path, words: list[str], told: str) -> None:
    """As the command of the documentation writes it for ``spark-submit``."""
    command = [sys.executable, "-m", "reseat.pipeline.artifact", *words]
    env = os.environ | {"PYTHONPATH": _HOME}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.startswith(told)
    assert len(done.stderr.splitlines()) == 1


def test_the_folder_of_a_dead_session_is_removed_and_a_living_ones_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that was killed leaves its folder; the next session removes it, and touches no other."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    dead = tmp_path / "reseat-spark-dead"
    dead.mkdir()
    (dead / "held").touch()
    (tmp_path / "reseat-spark-not-a-session").mkdir()
    with scratch_folder() as living, scratch_folder():
        assert living.is_dir()
        assert not dead.exists()
    assert not living.exists()
    assert (tmp_path / "reseat-spark-not-a-session").is_dir()


def test_a_workers_error_is_the_sentence_and_the_log_the_details(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of Spark's page-long exception the operator reads the last line of the worker's traceback."""
    from pyspark.errors import PySparkException

    monkeypatch.delenv("RESEAT_DEBUG", raising=False)
    log = tmp_path / "spark.log"
    log.write_text("12:00:00 WARN A: b\n12:00:01 ERROR Executor: Exception in task 0.0\n\tat a.b(C.scala:1)\n")
    said = '[X] Job aborted:\nTraceback (most recent call last):\n  File "a.py", line 1\nValueError: broken\n\n\tat a.b'

    with (
        pytest.raises(SparkFailed, match=r"Spark failed: ValueError: broken\.$") as failed,
        in_words("Spark failed", log=log),
    ):
        raise PySparkException(said)
    assert failed.value.details == ("12:00:01 ERROR Executor: Exception in task 0.0",)
    with pytest.raises(SparkFailed, match="code -9 \\(killed"), in_words("Spark failed", ended=lambda: -9):
        raise ConnectionRefusedError
    with pytest.raises(ConnectionRefusedError), in_words("Spark failed"):
        raise ConnectionRefusedError
    monkeypatch.setenv("RESEAT_DEBUG", "1")
    with pytest.raises(PySparkException), in_words("Spark failed", log=log):
        raise PySparkException(said)


def test_of_javas_stack_trace_the_cause_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Py4J names nothing but a call, the first cause below it is what an operator can use."""
    from py4j.protocol import Py4JError

    monkeypatch.delenv("RESEAT_DEBUG", raising=False)
    said = (
        "An error occurred while calling o571.getResult.\n: org.apache.spark.SparkException: Exception thrown\n"
        "\tat a.b(C.scala:1)\nCaused by: org.apache.spark.SparkException: Encountered error reading file a.json.\n"
        "\t... 3 more\nCaused by: java.io.IOException: Input/output error\n"
    )
    with (
        pytest.raises(SparkFailed, match=r"^Spark failed: Encountered error reading file a\.json\.$"),
        in_words("Spark failed"),
    ):
        raise Py4JError(said)
