"""Break the code on purpose, one place at a time, and see whether a test notices.

``make mutate`` breaks places in what must never be wrong without a test that says so: the proofs of plans, what the
guard checks and how a run judges, what readers take from texts, and how history commits. Each broken place is tried in
a copy of the project, never in the project itself; a place is *caught* where a test fails or does not end, and it
*survives* where all that reach it stay right. Survivors are printed as they would be typed.

    make mutate                                       # 40 places of each area
    make mutate ONLY="history" SAMPLE=200 SEED=7
    .venv/bin/python tools/mutate.py history --sample 0 --file reseat/history/commit_record.py    # all of a file

The same seed breaks the same places. First the area's tests run once, to learn which test reaches which line
(``reaching``); a broken place is then asked of those alone, the quickest first, in a child with the libraries loaded.
A place that changes nothing that can be seen (a bound that is met from either side, a cache's size) survives rightly:
name it in ``_SAME`` with the reason.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutants import Place, places

ROOT = Path(__file__).resolve().parent.parent
#: How many times as long as its tests, and how many seconds in any case, a broken place may take before it never ends.
_SLOWER, _AT_LEAST = 5, 30
_MARKS = "not slow and not browser and not kafka and not spark"
#: Loaded before children are made: what takes longest to import and is never broken.
_LIBRARIES = (
    "numpy",
    "pandas",
    "pyarrow",
    "pyarrow.csv",
    "pyarrow.parquet",
    "orjson",
    "ortools.graph.python.min_cost_flow",
    "hypothesis",
    "pytest",
    "kazoo.client",
    "kafka",
)
_QUIETLY = ("-q", "-p", "no:cacheprovider", "-p", "reaching", "--no-header", "--tb=short", "-m", _MARKS)


@dataclass(frozen=True)
class Area:
    """Code that is broken, and the tests that must notice, the quickest first."""

    code: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def files(self) -> list[str]:
        """The files that are broken, from the project's folder."""
        found = [f for one in self.code for f in ([ROOT / one] if one.endswith(".py") else (ROOT / one).rglob("*.py"))]
        return sorted(file.relative_to(ROOT).as_posix() for file in found)

    @property
    def packages(self) -> list[str]:
        """The folders that hold them."""
        return sorted({Path(file).parent.as_posix() for file in self.files})


AREAS = {
    "proof": Area(
        ("reseat/planning/proof",),
        (
            "tests/planning/test_checker.py",
            "tests/planning/test_proofs.py",
            "tests/planning/test_judge.py",
            "tests/planning/test_remove.py",
            "tests/planning/test_add.py",
            "tests/planning/test_replication_factor.py",
            "tests/planning/test_curve.py",
            "tests/planning/test_point.py",
            "tests/planning/test_rebalance.py",
        ),
    ),
    "guard": Area(
        ("reseat/operate/checks",),
        (
            "tests/operate/test_guard.py",
            "tests/operate/test_guard_sizes.py",
            "tests/operate/test_guard_elections_topics.py",
            "tests/operate/test_drained.py",
            "tests/operate/test_approving.py",
            "tests/operate/test_guard_against_planner.py",
            "tests/operate/test_same_topics.py",
        ),
    ),
    "execute": Area(
        ("reseat/operate/run",),
        (
            "tests/operate/test_judge.py",
            "tests/operate/test_execute.py",
            "tests/operate/test_ends.py",
            "tests/operate/test_throttling.py",
            "tests/operate/test_health.py",
            "tests/operate/test_lagging_brokers.py",
            "tests/operate/test_same_topics.py",
            "tests/operate/test_runner.py",
            "tests/operate/test_killed.py",
            "tests/operate/test_stalled.py",
        ),
    ),
    "formats": Area(("reseat/formats/rows", "reseat/formats/text", "reseat/formats/tables"), ("tests/formats",)),
    "history": Area(
        tuple(f"reseat/history/{name}.py" for name in ("atomic_write", "commit_record", "conditional", "folder")),
        ("tests/history", *(f"tests/pipeline/test_{name}.py" for name in ("commit", "takeover", "ledger", "lock"))),
    ),
}

#: Places that may be broken without anything that can be seen: (file, line as it is typed) and why.
_SAME: dict[tuple[str, str], str] = {}


@dataclass(frozen=True)
class Reached:
    """What the tests of an area reach.

    Attributes:
        tests: by file and line, the tests that run it; a name that ends in ``::`` is all of a file's.
        took: seconds of each test.
    """

    tests: Mapping[tuple[str, int], frozenset[str]]
    took: Mapping[str, float]

    def by(self, place: Place) -> list[str]:
        """The tests that reach a place, the quickest first; all of them where it is run by an import."""
        found = set().union(*(self.tests.get((place.file, line), frozenset()) for line in place.lines))
        if "" in found:
            found = set(self.took)
        files = tuple(name for name in found if name.endswith("::"))
        found |= {test for test in self.took if test.startswith(files)} if files else set()
        return sorted(found & self.took.keys(), key=lambda test: (self.took[test], test))


def reached(copy: Path, area: Area) -> Reached:
    """Run an area's tests once, and see who runs what.

    Raises:
        SystemExit: they fail before anything is broken.
    """
    data, took = copy / ".coverage", copy / "took.json"
    data.unlink(missing_ok=True)
    command = [sys.executable, "-m", "coverage", "run", f"--data-file={data}", f"--source={','.join(area.packages)}"]
    ran = subprocess.run(
        [*command, "-m", "pytest", *_QUIETLY, *area.tests],
        cwd=copy,
        # Its bytecode is kept, and read by every child that follows.
        env={
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPATH": str(ROOT / "tools"),
            "RESEAT_REACHED": str(took),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise SystemExit(f"Its tests fail before anything is broken:\n{ran.stdout[-3000:]}")
    import coverage

    kept = coverage.CoverageData(str(data))
    kept.read()
    tests: dict[tuple[str, int], frozenset[str]] = {}
    for file in kept.measured_files():
        where = Path(file).relative_to(copy).as_posix()
        for line, contexts in kept.contexts_by_lineno(file).items():
            tests[where, line] = frozenset(contexts)
    return Reached(tests, json.loads(took.read_text(encoding="utf-8")))


def tried(copy: Path, tests: Sequence[str], limit: float) -> bool:
    """Whether one of these tests fails, or does not end in time, in this copy."""
    chosen = copy / "chosen.json"
    chosen.write_text(json.dumps(tests), encoding="utf-8")
    child = os.fork()
    if not child:
        _in_child(copy, chosen, sorted({test.partition("::")[0] for test in tests}))
    until = time.monotonic() + limit
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def _in_child(copy: Path, chosen: Path, files: Sequence[str]) -> None:
    """Run the tests in this process and end it; a group of its own, so that what it started ends with it."""
    try:
        os.setsid()
        code = _asked(copy, chosen, files)
    except BaseException:  # noqa: BLE001 - whatever it is, the parent's way out (its folder goes with it) is not ours
        traceback.print_exc()
        code = 1
    os._exit(code)


def _asked(copy: Path, chosen: Path, files: Sequence[str]) -> int:
    os.chdir(copy)
    os.environ["RESEAT_CHOSEN"] = str(chosen)
    sys.dont_write_bytecode = True  # else a broken place of the same second and size would be read again
    for stream, to in ((0, os.devnull), (1, chosen.with_suffix(".log")), (2, chosen.with_suffix(".log"))):
        os.dup2(os.open(to, os.O_RDWR | os.O_CREAT | (0 if stream == 2 else os.O_TRUNC)), stream)
    import pytest

    loaded = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    return int(pytest.main([*_QUIETLY, "-x", "-W", loaded, *files]))


def main(arguments: list[str] | None = None) -> int:
    """Break a sample of each area and print what survived; 1 where less than 95 % was caught."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("areas", nargs="*", help=f"of: {', '.join(AREAS)}; none: all")
    parser.add_argument("--sample", type=int, default=40, help="places of each area; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="which places")
    parser.add_argument("--file", action="append", default=[], help="only places of this file; may be given again")
    given = parser.parse_args(arguments)
    unknown = set(given.areas) - set(AREAS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join(AREAS)}")
    for name in _LIBRARIES:
        importlib.import_module(name)
    caught: dict[str, tuple[int, int]] = {}
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = Path(folder).resolve() / "project"
        leave = shutil.ignore_patterns(".venv", ".git", ".cache", "build", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=leave, symlinks=True)
        for name in given.areas or AREAS:
            good, some = caught[name] = _area(copy, AREAS[name], given)
            print(f"{name}: {good} of {some} caught ({good / max(1, some):.0%})", flush=True)
    good, some = (sum(column) for column in zip(*caught.values(), strict=True))
    print(f"All: {good} of {some} caught ({good / max(1, some):.0%})")
    return 0 if good >= 0.95 * some else 1


def _area(copy: Path, area: Area, given: argparse.Namespace) -> tuple[int, int]:
    every = [
        place
        for where in area.files
        if not given.file or where in given.file
        for place in places(ROOT, where)
        if (place.file, place.text) not in _SAME
    ]
    some = given.sample if 0 < given.sample < len(every) else len(every)
    chosen = sorted(random.Random(given.seed).sample(every, some), key=lambda one: (one.file, one.line))
    if not chosen:
        return 0, 0
    told = reached(copy, area)
    asked = [told.by(place) for place in chosen]
    unbroken = sorted(set().union(*asked), key=lambda test: (test.partition("::")[0], told.took[test]))
    if tried(copy, unbroken, _AT_LEAST + _SLOWER * sum(told.took.values())):
        said = (copy / "chosen.log").read_text(encoding="utf-8", errors="replace")
        raise SystemExit(
            f"Its tests pass by themselves, and fail in a child before anything is broken:\n{said[-3000:]}"
        )
    caught = 0
    for place, tests in zip(chosen, asked, strict=True):
        file = copy / place.file
        whole, told_at = file.read_bytes(), file.stat().st_mtime_ns
        file.write_text(place.source, encoding="utf-8")
        try:
            limit = max(_AT_LEAST, _SLOWER * sum(told.took[test] for test in tests))
            good = bool(tests) and tried(copy, tests, limit)
        finally:
            file.write_bytes(whole)
            os.utime(file, ns=(told_at, told_at))
        caught += good
        if not good:
            reach = f"{len(tests)} tests reach it" if tests else "no test reaches it"
            print(f"  survived: {place.file}:{place.line}: {place.was}  ->  {place.becomes}   ({reach})", flush=True)
    return caught, len(chosen)


if __name__ == "__main__":
    raise SystemExit(main())
