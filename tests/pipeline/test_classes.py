"""Spark's classes kept for the next JVM: whole or not at all, by one process, and never a reason for a run to fail."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from reseat.pipeline.spark import classes
from reseat.pipeline.spark.java import JavaRuntime, find_java, spark_java_home
from reseat.sources.landing import land
from tests.pipeline.moments import MOMENTS, snapshot_of

#: A Java that makes an archive, and starts with one that says "whole".
_JAVA = """\
#!/bin/sh
for one; do case $one in -XX:SharedArchiveFile=*) archive=${one#*=} ;; esac; done
case "$*" in
*-Xshare:dump*) printf '%s' "$MADE" > "$archive"; exec sleep "${SLEEPS:-0}" ;;
esac
[ "$(cat "$archive")" = whole ]
"""


@pytest.fixture
def home(tmp_path: Path) -> tuple[dict[str, str], JavaRuntime]:
    """An environment with a cache of its own, and a Java."""
    java = tmp_path / "java" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(_JAVA)
    java.chmod(0o755)
    return {"XDG_CACHE_HOME": str(tmp_path / "cache")}, JavaRuntime(java, 21, frozenset(), "JAVA_HOME")


def left(env: dict[str, str], runtime: JavaRuntime, tmp_path: Path) -> Path:
    """What a session leaves; gives where the archive will be."""
    archive, loaded = classes.archive_of(runtime, env), tmp_path / "loaded"
    loaded.write_text("java/lang/Object id: 0\nMade id: 7 super: 0 source: memory\nscala/Option id: 9\n")
    classes.remember(archive, loaded, runtime.java, "a.jar:b.jar", least=2)
    return archive


def test_what_a_session_wrote_down_becomes_an_archive_once(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second session records, until a list is there; with the archive each is started with it."""
    env, runtime = home
    archive = classes.archive_of(runtime, env)
    (tmp_path / "cache").mkdir()
    assert classes.recording(archive, tmp_path / "x") == ()
    assert classes.recording(archive, tmp_path / "x") == (f"-XX:DumpLoadedClassList={tmp_path / 'x'}",)
    assert classes.sharing(archive) == ()

    left(env, runtime, tmp_path)
    assert json.loads(archive.with_suffix(".json").read_text())["classes"] == "java/lang/Object\nscala/Option\n"
    assert classes.recording(archive, tmp_path / "x") == ()
    monkeypatch.setenv("MADE", "whole")
    begun: list[int] = []
    classes.keep(env, lambda: begun.append(1))
    classes.keep(env, lambda: begun.append(1))

    assert begun == [1]
    assert archive.read_text() == "whole"
    assert sorted(one.name for one in archive.parent.iterdir()) == sorted([archive.name, "lock"])
    assert f"-XX:SharedArchiveFile={archive}" in classes.sharing(archive)
    assert classes.recording(archive, tmp_path / "x") == ()


@pytest.mark.parametrize(("made", "sleeps"), [("half", "0"), ("whole", "30")])
def test_one_that_is_not_whole_is_not_used_and_not_tried_again_that_day(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str, sleeps: str
) -> None:
    """A disk that is full ends as a half one does; a machine too busy to make one in time."""
    env, runtime = home
    archive = left(env, runtime, tmp_path)
    monkeypatch.setenv("MADE", made)
    monkeypatch.setenv("SLEEPS", sleeps)

    classes.keep(env, seconds=1.0)

    assert classes.sharing(archive) == ()
    assert classes.recording(archive, tmp_path / "x") == ()
    assert not archive.with_suffix(".part").exists()
    yesterday = time.time() - 2 * 86_400
    os.utime(archive, (yesterday, yesterday))
    assert [bool(classes.recording(archive, tmp_path / "x")) for _ in range(2)] == [False, True]


def test_of_two_at_once_one_makes_it_and_a_stopped_one_is_made_later(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another holds the lock nothing is begun; what a stopped one left of it is overwritten."""
    env, runtime = home
    archive = left(env, runtime, tmp_path)
    archive.with_suffix(".part").write_text("hal")
    monkeypatch.setenv("MADE", "whole")

    with (archive.parent / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        classes.keep(env, lambda: pytest.fail("begun beside another"))
    assert not archive.exists()

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        classes.keep(env, stop)
    classes.keep(env)
    assert archive.read_text() == "whole"


def test_a_cache_that_cannot_be_written_is_no_trouble(home: tuple[dict[str, str], JavaRuntime], tmp_path: Path) -> None:
    """A file where the folder would be, which root cannot write in either: nothing is recorded, left or made."""
    env, runtime = home
    (tmp_path / "cache").write_text("")

    archive = left(env, runtime, tmp_path)
    classes.keep(env)

    assert classes.sharing(archive) == ()
    assert [classes.recording(archive, tmp_path / "x") for _ in range(2)] == [(), ()]


def test_without_room_nothing_is_recorded(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """200 MB on a disk that is nearly full would take what the tables need."""
    env, runtime = home
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr("reseat.pipeline.spark.classes.shutil.disk_usage", lambda _: SimpleNamespace(free=1 << 20))

    archive = classes.archive_of(runtime, env)
    assert [classes.recording(archive, tmp_path / "x") for _ in range(2)] == [(), ()]
    assert not archive.parent.exists()


def test_a_session_that_found_nothing_to_do_leaves_nothing(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path
) -> None:
    """An archive of a start alone would stay for as long as the versions do."""
    env, runtime = home
    (tmp_path / "loaded").write_text("java/lang/Object id: 0\n" * 20_000)

    archive = classes.archive_of(runtime, env)
    classes.remember(archive, tmp_path / "loaded", runtime.java, "a.jar")

    assert not archive.with_suffix(".json").exists()


def test_another_version_has_another_archive_and_the_old_one_goes(
    home: tuple[dict[str, str], JavaRuntime], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same place with another Java; one of another place stays for a month after its last use."""
    env, runtime = home
    before = classes.archive_of(runtime, env)
    before.parent.mkdir(parents=True)
    before.write_text("old")
    used, unused = before.with_name("0-1.jsa"), before.with_name("0-2.jsa")
    used.write_text("used")
    unused.write_text("unused")
    os.utime(unused, (0, 0))
    runtime.java.write_text(_JAVA + "# of today\n")
    archive = left(env, runtime, tmp_path)
    monkeypatch.setenv("MADE", "whole")

    classes.keep(env)

    assert archive != before
    assert {one.name for one in archive.parent.glob("*.jsa")} == {archive.name, used.name}


def test_the_class_path_names_each_jar_once(tmp_path: Path) -> None:
    """Spark's launcher names one before all that lie in the folder: Java 21 would leave the archive aside."""
    jars = tmp_path / "jars"
    jars.mkdir()
    for name in ("a.jar", "b.jar", "slf4j.jar"):
        (jars / name).write_text("")
    shown = tmp_path / "java" / "bin" / "java"
    shown.parent.mkdir(parents=True)
    modules = " ".join(f"{one}@21" for one in find_java().modules)
    shown.write_text(f"#!/bin/sh\n[ \"$1\" = --list-modules ] && printf '%s\\n' {modules} || printf '%s\\n' \"$@\"\n")
    shown.chmod(0o755)
    env = {"JAVA_HOME": str(tmp_path / "java"), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": os.environ["PATH"]}
    told = ["-cp", f"{tmp_path}/conf/:{jars}/slf4j.jar:{jars}/*", "org.apache.spark.Main", "-cp", "x:x"]

    done = subprocess.run([spark_java_home(env) / "bin" / "java", *told], capture_output=True, text=True, check=True)

    once = ":".join([f"{tmp_path}/conf/", *(f"{jars}/{name}.jar" for name in ("slf4j", "a", "b"))])
    assert done.stdout.splitlines() == ["-cp", once, "org.apache.spark.Main", "-cp", "x:x"]


@pytest.mark.slow
@pytest.mark.spark
def test_the_third_job_starts_with_what_the_second_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real jobs on a real Java: the archive fits the JVM that Spark's launcher starts."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for moment in MOMENTS:
        land(snapshot_of(moment), tmp_path / "landing", moment.cluster)
    told, log = [], tmp_path / "mapped"
    see = f"spark.driver.extraJavaOptions=-Xlog:class+load=info:file={log}"
    for number in range(3):
        words = ["run", "--landing", str(tmp_path / "landing"), "--tables", str(tmp_path / f"tables{number}")]
        command = [sys.executable, "-m", "reseat", "pipeline", *words, "--master", "local[2]", "--conf", see]
        told.append(subprocess.run(command, capture_output=True, text=True, check=True).stderr)

    assert ["Preparing faster starts" in one for one in told] == [False, True, False]
    loaded = [line for line in log.read_text().splitlines() if " org.apache.spark." in line]
    assert len([line for line in loaded if "shared objects file" in line]) > len(loaded) // 2
