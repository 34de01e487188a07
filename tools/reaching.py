"""Which tests reach which line: a plugin for pytest that ``mutate`` loads, once to learn it and once a broken place.

Learning: with ``RESEAT_REACHED`` naming a file, every test is a context of coverage.py, the setup of a fixture one of
its file (``FILE::``), since what a fixture made is used by all tests that share it. Written: for each line the contexts
that ran it, and how long each test took.

Choosing: with ``RESEAT_CHOSEN`` naming a file, only the tests that it lists are run, in its order: the quickest first.

Source: coverage.py's dynamic contexts; the idea of running only tests that reach a mutant is that of PIT and mutmut.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_LEARN, _CHOOSE = "RESEAT_REACHED", "RESEAT_CHOSEN"
_took: dict[str, float] = {}


def _context(name: str) -> None:
    measuring = coverage.Coverage.current()
    if measuring is not None:
        measuring.switch_context(name)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """What a fixture runs is reached by every test of the file."""
    _context(f"{_file(item)}::")
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """What a test runs is reached by that test."""
    _context(item.nodeid)
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """What is taken down may be what others share."""
    _context(f"{_file(item)}::")
    try:
        return (yield)
    finally:
        _context("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """How long a test takes, by which the quickest goes first."""
    if report.when == "call":
        _took[report.nodeid] = report.duration


def pytest_sessionfinish() -> None:
    """Write what each test took, beside what coverage.py keeps by itself."""
    told = os.environ.get(_LEARN)
    if told:
        Path(told).write_text(json.dumps(_took), encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what is chosen, in its order; a test's own file keeps its tests together where they share a fixture."""
    told = os.environ.get(_CHOOSE)
    if not told:
        return
    order = {name: at for at, name in enumerate(json.loads(Path(told).read_text(encoding="utf-8")))}
    dropped = [item for item in items if item.nodeid not in order]
    items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])
    config.hook.pytest_deselected(items=dropped)
