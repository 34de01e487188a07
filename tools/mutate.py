"""Break the code on purpose, one place at a time, and see whether a test notices.

``make mutate`` breaks a sample of places in what must never be wrong without a test that says so: the proofs of plans,
what the guard checks and how a run judges, what readers take from texts, and how history commits. Each broken place
is tried in a copy of the project, never in the project itself; a place is *caught* where a test fails or does not end,
and it *survives* where all that the area's tests ask of it stays right. Survivors are printed as they would be typed.

    make mutate                            # 40 places of each area
    make mutate ONLY="history" SAMPLE=200 SEED=7

The same seed breaks the same places. A place that changes nothing that can be seen (a bound that is met from either
side, a cache's size) survives rightly: name it in ``_SAME`` with the reason.

Source: R. DeMillo, R. Lipton, F. Sayward, "Hints on Test Data Selection", IEEE Computer 11(4), 1978.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: What a broken place may take longer than the same tests on the whole, before it counts as one that never ends.
_SLOWER, _AT_LEAST = 4, 60


@dataclass(frozen=True)
class Area:
    """Code that is broken, and the tests that must notice, the quickest first."""

    code: tuple[str, ...]
    tests: tuple[str, ...]


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

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def broken(node: ast.AST) -> Iterator[ast.AST]:
    """The ways in which one node is broken; each leaves the code's form as it is, so that it still runs."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        made = deepcopy(node)
        made.ops[0] = _COMPARED[type(node.ops[0])]()
        yield made
    elif isinstance(node, ast.BinOp) and type(node.op) in _RECKONED and not _words(node):
        made_sum = deepcopy(node)
        made_sum.op = _RECKONED[type(node.op)]()
        yield made_sum
    elif isinstance(node, ast.BoolOp):
        made_either = deepcopy(node)
        made_either.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield made_either
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert):
        yield deepcopy(node.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield ast.Constant(node.value + 1)
    elif isinstance(node, ast.Continue | ast.Break | ast.Raise):
        yield ast.Pass()


def _words(node: ast.BinOp) -> bool:
    """Whether a sum joins texts: taken apart, they raise, which any test notices."""
    return any(
        isinstance(side, ast.JoinedStr) or (isinstance(side, ast.Constant) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


@dataclass(frozen=True)
class Place:
    """One place to break: the file, its line, what stands there and what is put in its place."""

    file: str
    line: int
    text: str
    was: str
    becomes: str
    source: str


def places(file: Path) -> Iterator[Place]:
    """Every place of a file that can be broken, with the whole file as it reads then."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    lines = text.splitlines()
    told = {id(part) for node in ast.walk(tree) for part in _left_alone(node)}
    for parent in ast.walk(tree):
        if id(parent) in told:
            continue
        for name, value in ast.iter_fields(parent):
            inside = value if isinstance(value, list) else [value]
            for at, node in enumerate(inside):
                if not isinstance(node, ast.AST) or id(node) in told:
                    continue
                for made in broken(node):
                    _put(parent, name, at, value, made)
                    source = ast.unparse(ast.fix_missing_locations(tree))
                    _put(parent, name, at, value, node)
                    line = node.lineno  # type: ignore[attr-defined]
                    where = file.relative_to(ROOT).as_posix()
                    yield Place(where, line, lines[line - 1].strip(), ast.unparse(node), ast.unparse(made), source)


def _put(parent: ast.AST, name: str, at: int, value: object, node: ast.AST) -> None:
    if isinstance(value, list):
        value[at] = node
    else:
        setattr(parent, name, node)


def _left_alone(node: ast.AST) -> Iterator[ast.AST]:
    """Annotations, defaults of dataclass fields' types, what is only for the type checker: no test can notice.

    Nor of ``zip(..., strict=True)``, which says of equal lengths that they are.
    """
    marks: list[ast.AST | None] = []
    if isinstance(node, ast.arg | ast.AnnAssign):
        marks.append(node.annotation)
    elif isinstance(node, ast.keyword) and node.arg == "strict":
        marks.append(node)
    elif isinstance(node, ast.FunctionDef):
        marks += [node.returns, *node.decorator_list]
    elif isinstance(node, ast.ClassDef):
        marks += node.decorator_list
    elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper():
        marks.append(node)  # a limit that a module sets itself: one more is as good
    elif (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING") or (
        isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("np.ndarray", "npt.NDArray")
    ):
        marks.append(node)
    for mark in marks:
        if mark is not None:
            yield from ast.walk(mark)


def tried(copy: Path, tests: tuple[str, ...], limit: float) -> bool:
    """Whether a test fails, or does not end in time, in this copy."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "--no-header", "--tb=no"]
    marks = "not slow and not browser and not kafka and not spark"
    try:
        told = subprocess.run(
            [*command, "-m", marks, *tests],
            cwd=copy,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", "HYPOTHESIS_PROFILE": "default"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return told.returncode != 0


def main(arguments: list[str] | None = None) -> int:
    """Break a sample of each area and print what survived; 1 where less than 95 % was caught."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("areas", nargs="*", help=f"of: {', '.join(AREAS)}; none: all")
    parser.add_argument("--sample", type=int, default=40, help="places of each area")
    parser.add_argument("--seed", type=int, default=1, help="which places")
    given = parser.parse_args(arguments)
    unknown = set(given.areas) - set(AREAS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join(AREAS)}")
    caught, all_tried = 0, 0
    with tempfile.TemporaryDirectory(prefix="mutate-") as folder:
        copy = Path(folder) / "project"
        leave = shutil.ignore_patterns(".venv", ".git", ".cache", "build", "__pycache__", ".*_cache", ".hypothesis")
        shutil.copytree(ROOT, copy, ignore=leave, symlinks=True)
        for name in given.areas or AREAS:
            good, some = _area(copy, name, given.sample, given.seed)
            print(f"{name}: {good} of {some} caught ({good / max(1, some):.0%})", flush=True)
            caught, all_tried = caught + good, all_tried + some
    print(f"All: {caught} of {all_tried} caught ({caught / max(1, all_tried):.0%})")
    return 0 if caught >= 0.95 * all_tried else 1


def _area(copy: Path, name: str, sample: int, seed: int) -> tuple[int, int]:
    area = AREAS[name]
    begun = time.monotonic()
    if tried(copy, area.tests, 3600):
        raise SystemExit(f"{name}: its tests fail before anything is broken: {' '.join(area.tests)}")
    limit = max(_AT_LEAST, _SLOWER * (time.monotonic() - begun))
    files = [
        found
        for code in area.code
        for found in ([ROOT / code] if code.endswith(".py") else (ROOT / code).rglob("*.py"))
    ]
    every = [place for file in sorted(files) for place in places(file) if (place.file, place.text) not in _SAME]
    chosen = random.Random(seed).sample(every, min(sample, len(every)))
    caught = 0
    for place in sorted(chosen, key=lambda one: (one.file, one.line)):
        whole = (copy / place.file).read_text(encoding="utf-8")
        (copy / place.file).write_text(place.source, encoding="utf-8")
        try:
            if tried(copy, area.tests, limit):
                caught += 1
            else:
                print(f"  survived: {place.file}:{place.line}: {place.was}  ->  {place.becomes}", flush=True)
        finally:
            (copy / place.file).write_text(whole, encoding="utf-8")
    return caught, len(chosen)


if __name__ == "__main__":
    raise SystemExit(main())
