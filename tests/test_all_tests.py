"""``make test`` runs all there is beside each other, ends early where the check fails, and forgets no failure."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

#: The marks of what needs only its process.
ALONE = "not slow and not browser and not kafka and not spark"
SCRIPT = Path(__file__).parent.parent / "tools" / "test.py"
#: Stands for pytest: tells what it was asked, fails where ``fails`` names its marks, goes on while there is ``wait``,
#: or until the browser's have begun where ``outlasts`` names its marks or files.
_PYTEST = """
import pathlib, sys, time
asked = sys.argv[sys.argv.index("-m") + 1]
line = asked + "; " + " ".join(one for one in sys.argv if one.startswith(("tests/", "--ignore")))
with pathlib.Path("asked").open("a") as told:
    told.write(line + "\\n")
print("RAN", asked, flush=True)
outlasts = pathlib.Path("outlasts").exists() and pathlib.Path("outlasts").read_text() in line
while pathlib.Path("wait").exists() or (outlasts and "\\nbrowser" not in pathlib.Path("asked").read_text()):
    time.sleep(0.05)
sys.exit(pathlib.Path("fails").exists() and pathlib.Path("fails").read_text() in asked)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of three tests, with a check that is well."""
    for folder in ("tools", "bin", "tests"):
        (tmp_path / folder).mkdir()
    shutil.copy(SCRIPT, tmp_path / "tools")
    (tmp_path / "pytest.py").write_text(_PYTEST)
    for mark in ("kafka", "spark", "browser"):
        (tmp_path / "tests" / f"test_{mark}.py").write_text(f"pytestmark = pytest.mark.{mark}\n")
    (tmp_path / "tests" / "test_plain.py").write_text("")
    return tmp_path


def run(project: Path, check: str = "exit 0", *, behind: bool = False, **names: str) -> tuple[int, str, list[str]]:
    """The exit code, what was said, and what each run was asked for; ``behind``: as a script starts it with ``&``."""
    make = project / "bin" / "make"
    make.write_text(f"#!/bin/sh\n{check}\n")
    make.chmod(0o755)
    done = subprocess.run(
        [*(("sh", "-c", 'trap "" INT; exec "$@"', "sh") if behind else ()), sys.executable, "tools/test.py"],
        cwd=project,
        env={"PATH": f"{make.parent}:/usr/bin:/bin", **names},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, sorted((project / "asked").read_text().splitlines())


def test_every_test_is_in_one_run(project: Path) -> None:
    """By their marks; a run of marks is given their files alone."""
    code, said, asked = run(project)

    assert code == 0
    assert asked == [
        "(kafka or spark) and not browser and not slow; tests/test_spark.py tests/test_kafka.py",
        "browser and not slow; tests/test_browser.py",
        f"{ALONE}; --ignore=tests/planning --ignore=tests/replication --ignore=tests/report",
        f"{ALONE}; tests/planning tests/replication tests/report",
    ]
    assert said.count("RAN") == 4


@pytest.mark.parametrize("marks", ["(kafka or spark)", "browser and", "not slow and not browser"])
def test_a_failure_anywhere_fails_it_and_the_others_run_to_their_end(project: Path, marks: str) -> None:
    """Also of what runs beside, which is shown."""
    (project / "fails").write_text(marks)
    code, said, asked = run(project)

    assert code == 1
    assert said.count("RAN") == len(asked) == 4


@pytest.mark.parametrize("run_of", ["(kafka or spark)", "--ignore="])
def test_the_browsers_begin_as_soon_as_one_of_the_others_is_over(project: Path, run_of: str) -> None:
    """Whichever of the two that came first takes longer."""
    (project / "outlasts").write_text(run_of)
    code, said, _ = run(project)

    assert (code, said.count("RAN")) == (0, 4)


@pytest.mark.parametrize("come", [True, False])
def test_where_kafka_is_required_its_tests_begin_when_its_jars_have_come(project: Path, come: bool) -> None:
    """The others do not wait for them, and where they do not come it has failed."""
    make = (
        f"[ $2 = kafka-jars ] || exit 0; until [ -e asked ]; do sleep 0.1; done; cp asked before; exit {int(not come)}"
    )
    code, _, asked = run(project, make, RESEAT_REQUIRE="browser,kafka")

    assert code == int(not come)
    assert not any(one.startswith("(kafka") for one in (project / "before").read_text().splitlines())
    assert len(asked) == 3 + come


@pytest.mark.parametrize("behind", [False, True])
def test_where_the_check_fails_all_ends_and_its_message_is_the_last(project: Path, behind: bool) -> None:
    """The tests would go on for minutes; the browser's have not begun. Also where Ctrl-C is ignored."""
    (project / "wait").touch()
    began = time.monotonic()
    check = "until [ -e asked ]; do sleep 0.1; done; echo 'Not formatted.' >&2; exit 2"
    code, said, asked = run(project, check, behind=behind)

    assert code == 1
    assert said.rstrip().endswith("Not formatted.")
    assert time.monotonic() - began < 50
    assert not [one for one in asked if one.startswith("browser")]
