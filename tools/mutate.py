"""Break the code on purpose, one place at a time, and see whether a test notices.

``make mutate`` breaks places in what must never be wrong without a test that says so: the proofs of plans, what the
guard checks and how a run judges, what readers take from texts, and how history commits. Each broken place is tried in
a copy of the project, never in the project itself; a place is *caught* where a test fails or does not end, and it
*survives* where all that reach it stay right. Survivors are printed as they would be typed.

    make mutate                                       # 40 places of each area
    make mutate ONLY="history" SAMPLE=200 SEED=7
    .venv/bin/python tools/mutate.py history --sample 0 --file reseat/history/commit_record.py &> log    # all of a file
    .venv/bin/python tools/mutate.py history --sample 0 --again log    # what survived of it

The same seed breaks the same places. First the area's tests run once, to learn which test reaches which line
(``reaching``); a broken place is then asked of those alone, the quickest first (``trying``). A place that changes
nothing that can be seen (a bound that is met from either side, a cache's size) survives rightly: name it in
``unseen.py`` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mutants import Place, broken, places
from trying import QUIETLY, Question, imported_anew, loaded_once
from unseen import UNSEEN

ROOT = Path(__file__).resolve().parent.parent
#: How many times as long as each test, and how many seconds in any case, a broken place may compute.
_SLOWER, _AT_LEAST = 3, 5
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


def _tests(folder: str, names: str, *, but: str = "") -> tuple[str, ...]:
    """Files of tests by their names or patterns, without some."""
    found = {file for name in names.split() for file in (ROOT / "tests" / folder).glob(f"test_{name}.py")}
    left_out = {f"test_{name}" for name in but.split()}
    return tuple(sorted(f"tests/{folder}/{file.name}" for file in found if file.stem not in left_out))


AREAS = {
    "proof": Area(("reseat/planning/proof",), ("tests/planning",)),
    "guard": Area(
        ("reseat/operate/checks",),
        _tests(
            "operate",
            "guard guard_sentences guard_sizes guard_elections_topics drained verify same_topics second_word "
            "rights_and_disks",
        ),
    ),
    "execute": Area(
        ("reseat/operate/run",),
        _tests(
            "operate",
            "batches cordoning decide ends execute health newcomers places run_figures run_sentences runner "
            "same_topics stalled throttling timing waiting",
        ),
    ),
    "schedule": Area(("reseat/schedule",), ("tests/schedule",)),
    "election": Area(("reseat/election",), ("tests/election",)),
    "access": Area(
        ("reseat/access",),
        ("tests/access", *_tests("operate", "approving second_word")),
    ),
    "formats": Area(
        ("reseat/formats/rows", "reseat/formats/text", "reseat/formats/tables"),
        # What reads in another process cannot be asked.
        _tests("formats", "*", but="memory parquet_damage"),
    ),
    "history": Area(
        (
            "reseat/atomic_write.py",
            *(f"reseat/history/{name}.py" for name in ("commit_record", "conditional", "folder")),
        ),
        ("tests/history", *_tests("pipeline", "commit takeover ledger lock")),
    ),
}


@dataclass(frozen=True)
class Reached:
    """What the tests of an area reach.

    Attributes:
        tests: by file and line, the tests that run it; a name that ends in ``::`` is all of a file's, "" all there are.
        took: seconds that each test computes.
    """

    tests: Mapping[tuple[str, int], frozenset[str]]
    took: Mapping[str, float]

    def question(self, copy: Path, place: Place) -> Question:
        """A place, and the tests that reach it, the quickest first; all of them where it is run by an import."""
        found = self._by(place)
        files = tuple(name for name in found if name.endswith("::"))
        tests = [test for test in self.took if test in found or test.startswith(files) or "" in found]
        return Question(
            place.file,
            lambda: compile(broken(copy, place), str(copy / place.file), "exec"),
            lambda: ast.unparse(broken(copy, place)),
            {
                test: int(_AT_LEAST + _SLOWER * self.took[test])
                for test in sorted(tests, key=lambda test: (self.took[test], test))
            },
        )

    def imported(self, place: Place) -> bool:
        """Whether an import runs it, or may have kept what came of it."""
        return not place.in_function or "" in self._by(place)

    def _by(self, place: Place) -> frozenset[str]:
        return frozenset().union(*(self.tests.get((place.file, line), ()) for line in place.lines))


def reached(copy: Path, area: Area) -> Reached:
    """Run an area's tests once, and see who runs what.

    Raises:
        SystemExit: they fail before anything is broken.
    """
    data, took = copy / ".coverage", copy / "took.json"
    data.unlink(missing_ok=True)
    command = [sys.executable, "-m", "coverage", "run", f"--data-file={data}", f"--source={','.join(area.packages)}"]
    ran = subprocess.run(
        [*command, "-m", "pytest", *QUIETLY, "-p", "reaching", *area.tests],
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


def main(arguments: list[str] | None = None) -> int:
    """Break a sample of each area and print what survived; 1 where less than 95 % was caught."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("areas", nargs="*", help=f"of: {', '.join(AREAS)}; none: all")
    parser.add_argument("--sample", type=int, default=40, help="places of each area; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="which places")
    parser.add_argument("--file", action="append", default=[], help="only places of this file; may be given again")
    parser.add_argument("--again", type=Path, help="only what survived in this output of an earlier run")
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
        (copy / ".cache").symlink_to(ROOT / ".cache")  # servers that tests start are installed there once
        for name in given.areas or AREAS:
            good, some = caught[name] = _area(copy, AREAS[name], given)
            print(f"{name}: {good} of {some} caught ({good / max(1, some):.0%})", flush=True)
    good, some = (sum(column) for column in zip(*caught.values(), strict=True))
    print(f"All: {good} of {some} caught ({good / max(1, some):.0%})")
    return 0 if good >= 0.95 * some else 1


def _chosen(copy: Path, area: Area, given: argparse.Namespace) -> list[Place]:
    """The places that are broken, in order.

    Raises:
        SystemExit: one that is said to be unseen is not there any more.
    """
    every = [place for where in area.files if not given.file or where in given.file for place in places(copy, where)]
    there, files = {(place.file, place.text, place.was) for place in every}, {place.file for place in every}
    if gone := [one for one in UNSEEN if one[0] in files and one not in there]:
        raise SystemExit(f"tools/unseen.py names what is not there any more: {gone}")
    every = [place for place in every if (place.file, place.text, place.was) not in UNSEEN]
    if given.again is not None:
        before = re.sub(r":\d+: ", ": ", given.again.read_text(encoding="utf-8"))
        every = [place for place in every if f"{place.file}: {place.change} " in before]
    some = given.sample if 0 < given.sample < len(every) else len(every)
    return sorted(random.Random(given.seed).sample(every, some), key=lambda one: (one.file, one.number))


def _area(copy: Path, area: Area, given: argparse.Namespace) -> tuple[int, int]:
    """How many places were caught, of how many."""
    chosen = _chosen(copy, area, given)
    if not chosen:
        return 0, 0
    reach = reached(copy, area)
    left = []

    def told(place: Place, question: Question, failed: bool) -> None:
        if not failed:
            left.append(place)
            asked = f"{len(question.tests)} tests reach it" if question.tests else "no test reaches it"
            print(f"  survived: {place.file}:{place.line}: {place.change}   ({asked})", flush=True)

    questions = [reach.question(copy, place) for place in chosen]
    in_functions = [at for at, place in enumerate(chosen) if not reach.imported(place)]
    loaded_once(
        copy,
        [questions[at] for at in in_functions],
        lambda number, failed: told(chosen[in_functions[number]], questions[in_functions[number]], failed),
    )
    for place, question in zip(chosen, questions, strict=True):
        if reach.imported(place):
            told(place, question, imported_anew(copy, question))
    return len(chosen) - len(left), len(chosen)


if __name__ == "__main__":
    raise SystemExit(main())
